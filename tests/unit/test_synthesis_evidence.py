"""Whose words a document holds, and which rows are answers at all."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from beacon.domain.source import Source, StoredChunk, Version, pack_blocks
from beacon.ingest.parse import parse_bytes
from beacon.synthesis.evidence import Evidence, Material, gather
from beacon.synthesis.rowcheck import row_fault
from beacon.synthesis.tone import tone_of

AT = datetime(2026, 3, 1, tzinfo=UTC)
CALL = """# Call about invoices

## Summary

The customer is unhappy because exporting invoices is impossible and the tool crashes every day.

## Transcript

**Host:** How do you send invoices? Is it hard to export them?

**Ana:** Exporting invoices is very hard because the button is missing on small screens.

**Host:** So the export is broken for everyone and you hate it, right?

**Ana:** I can't find the invoices of last year in the archive.

**Host:** What would you like to see changed about the archive?

**Ana:** I would like to search the archive by customer name.
"""


def material(text: str, *, roles: dict[str, str] | None = None, key: str = "doc", **described: object) -> Material:
    document = parse_bytes(text.encode(), name=f"{key}.md", media_type="text/markdown")
    metadata = described.pop("metadata", {})
    source = Source(key, "prj", key, "", str(described.pop("title", key)), AT, metadata=metadata, **described)  # type: ignore[arg-type]
    version = Version(f"v-{key}", key, 1, "", document.text, source.title, "", AT, blocks=pack_blocks(document.blocks))
    chunk = StoredChunk(f"c-{key}", "prj", version.id, key, 0, 0, len(document.text), document.text, "", "", "", "", "")
    return Material(source, version, [chunk], roles or {})


def said(evidence: Evidence) -> str:
    return " | ".join(one.text for one in evidence.statements)


def test_a_customer_is_quoted_with_the_exact_place() -> None:
    given = material(CALL, kind="interview_transcript")
    for one in gather([given]).statements:
        assert given.version.text[one.start : one.end] == one.text and one.participant == "Ana" and one.voice == "customer"


def test_an_interviewer_is_never_quoted() -> None:
    assert "hate it" not in said(gather([material(CALL, kind="interview_transcript")]))


def test_what_stands_above_a_conversation_was_said_by_nobody_in_it() -> None:
    given = CALL.replace("## Summary", "Exporting is hard for everyone who works with this exercise.\n\n## Summary")
    assert "this exercise" not in said(gather([material(given, kind="interview_transcript")]))


def test_news_a_topic_reads_is_nobodys_voice_and_is_listed() -> None:
    given = material("The ferry company says that exporting timetables is very hard this year.", key="news")
    evidence = gather([replace(given, watched=True)])
    assert not evidence.statements and "topic" in evidence.left_out[0].reason


def test_a_machines_summary_of_a_conversation_is_no_evidence() -> None:
    evidence = gather([material(CALL, kind="interview_transcript")])
    assert "crashes every day" not in said(evidence)
    assert any("no evidence" in one.reason for one in evidence.left_out)


def test_what_a_person_says_of_a_speaker_goes_first() -> None:
    evidence = gather([material(CALL, kind="interview_transcript", roles={"Ana": "interviewer", "Host": "customer"})])
    assert "small screens" not in said(evidence)


def test_context_is_left_out_with_its_reason() -> None:
    evidence = gather([material("# Guide\n\nPeople cannot find the archive.\n", role="context")])
    assert not evidence.statements and "context" in evidence.left_out[0].reason


def test_an_observers_note_is_an_observers() -> None:
    evidence = gather([material("- Could not find the archive of invoices\n", voice="observer", participant="P1")])
    assert [(one.voice, one.participant) for one in evidence.statements] == [("observer", "P1")]


def test_two_respondents_with_one_number_in_two_surveys_are_two_people() -> None:
    rows = [
        material("The archive is slow.", key=f"{name}#1", participant="1", title="Improve?", metadata={"row_id": "1", "manifest_id": name})
        for name in ("spring", "autumn")
    ]
    assert len({one.person for one in gather(rows).statements}) == 2


def test_a_row_sent_in_twice_is_counted_once_and_shown() -> None:
    words = "The archive takes very long to open on my old laptop every morning."
    rows = [material(words, key=f"s#{n}", title="Improve?", metadata={"row_id": str(n), "manifest_id": "s"}) for n in (1, 2)]
    evidence = gather(rows)
    assert len(evidence.statements) == 1 and any("repeats" in one.reason for one in evidence.left_out)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("n/a", "no answer"),
        ("...", "no answer"),
        ("Nothing really", "no answer"),
        ("https://example.org/buy", "spam"),
        ("call me to win a prize, send me your visa number", "spam"),
        ("aaaa aaaa aaaa aaaa aaaa aaaa aaaa", "spam"),
        ("سرعة البحث بطيئة جدا", ""),
        ("検索が遅いです", ""),
        ("Better docs", ""),
        ("I won't use it without an export", ""),
    ],
)
def test_rows_that_are_no_answer_are_recognised_and_others_are_kept(text: str, fault: str) -> None:
    assert row_fault(text).startswith(fault) and bool(row_fault(text)) == bool(fault)


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("The export is confusing.", "pain"),
        ("I wish there was a dark theme", "wish"),
        ("The new search is great", "praise"),
        ("I don't find the setup difficult", "praise"),
        ("We opened it on Monday", "plain"),
    ],
)
def test_a_statement_complains_wishes_praises_or_tells(text: str, tone: str) -> None:
    assert tone_of(text) == tone


def test_the_question_says_what_a_bare_answer_is() -> None:
    assert tone_of("Invoices", "What would you improve?") == "wish" and tone_of("Invoices") == "plain"
