"""The sample workspace keeps the shape that demos, tests and the README rely on."""

import csv
import hashlib
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import beacon

SAMPLE = Path(beacon.__file__).parent / "tools" / "sample"
CHANGE_KINDS = {"new", "changed", "dropped", "contradicted", "retracted", "confirmed"}
Row = dict[str, Any]


def read_json(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SAMPLE / name).read_text(encoding="utf-8"))
    return loaded


def read_rows(folder: str) -> list[Row]:
    lines = (SAMPLE / folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read_text(folder: str, row: Row) -> str:
    name: str = row["file"]
    return (SAMPLE / folder / name).read_text(encoding="utf-8")


TOPIC = {row["id"]: row for row in read_rows("topic")}
ROUNDS = read_json("rounds.json")["rounds"]
CHANGES = [(entry, change) for entry in read_json("expected_changes.json")["rounds"] for change in entry["changes"]]
QUESTIONS = read_json("questions.json")


def round_of(row: Row) -> int:
    """The first round whose date is not before the row's version date."""
    return next(int(r["round"]) for r in ROUNDS if row["version_date"] <= r["as_of"])


def words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("folder", ["topic", "voices"])
def test_every_row_has_its_fields_and_a_unique_id(folder: str) -> None:
    rows = read_rows(folder)
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert {"id", "file", "url", "title", "date", "version_date", "kind", "licence"} <= row.keys()
        assert row["licence"] == "MIT"
        assert date.fromisoformat(row["date"]) <= date.fromisoformat(row["version_date"])


@pytest.mark.parametrize("folder", ["topic", "voices"])
def test_manifest_names_every_file_with_its_hash(folder: str) -> None:
    base = SAMPLE / folder
    rows = [row for row in read_rows(folder) if row["file"]]
    on_disk = {str(p.relative_to(base).as_posix()) for p in base.rglob("*") if p.is_file()} - {"manifest.jsonl"}
    assert {row["file"] for row in rows} == on_disk
    for row in rows:
        assert hashlib.sha256((base / row["file"]).read_bytes()).hexdigest() == row["sha256"], row["id"]


@pytest.mark.parametrize("row", [r for r in TOPIC.values() if r["file"]], ids=lambda r: r["id"])
def test_page_is_short_and_lies_in_the_round_of_its_date(row: Row) -> None:
    assert 150 <= len(words(read_text("topic", row))) <= 350
    assert row["file"].startswith(f"round-{round_of(row)}/")


def test_each_round_brings_six_to_ten_documents_in_mixed_formats() -> None:
    counts = [sum(round_of(row) == r["round"] for row in TOPIC.values()) for r in ROUNDS]
    assert len(ROUNDS) >= 5
    assert all(6 <= count <= 10 for count in counts), counts
    assert {Path(row["file"]).suffix for row in TOPIC.values() if row["file"]} == {".md", ".html", ".txt", ".json"}


def test_rounds_are_in_order_of_date() -> None:
    dates = [date.fromisoformat(r["as_of"]) for r in ROUNDS]
    assert dates == sorted(set(dates))
    assert [r["round"] for r in ROUNDS] == list(range(1, len(ROUNDS) + 1))


def test_version_chains_go_forward_and_never_fork() -> None:
    linked = [row for row in TOPIC.values() if "supersedes" in row]
    older = [row["supersedes"] for row in linked]
    assert len(set(older)) == len(older)
    for row in linked:
        previous = TOPIC[row["supersedes"]]
        assert previous["version_date"] < row["version_date"]
        assert previous["url"] == row["url"] and previous["date"] == row["date"]
        assert round_of(previous) < round_of(row)


def test_every_device_of_a_manifest_is_present() -> None:
    rows = list(TOPIC.values())
    assert sum(row.get("series") == "nasa-yr4-bulletin" for row in rows) >= 6
    assert [row["id"] for row in rows if row.get("withdrawn")] == ["smpag-followup@2025-02-26"]
    assert [row["derived_from"] for row in rows if "derived_from" in row] == ["nasa-bulletin-2025-02-18"]
    assert [row["id"] for row in rows if row.get("role") == "context"] == ["torino-scale"]
    assert {row["language"] for row in rows} == {"en", "es"}


def test_withdrawal_has_no_file_and_ends_its_chain() -> None:
    (row,) = [row for row in TOPIC.values() if row.get("withdrawn")]
    assert row["file"] is None and row["supersedes"] in TOPIC
    assert row["id"] not in {other.get("supersedes") for other in TOPIC.values()}


def test_cosmetic_reissue_differs_only_in_line_breaks_and_footer() -> None:
    old, new = (read_text("topic", TOPIC[i]) for i in ("orbit-page@2025-01-30", "orbit-page@2025-02-14"))
    assert old != new
    assert old.split("\n---\n")[0].split() == new.split("\n***\n")[0].split()


def test_reprint_repeats_the_bulletin_sentence_for_sentence() -> None:
    bulletin, reprint = (read_text("topic", TOPIC[i]) for i in ("nasa-bulletin-2025-02-18", "reprint-2025-02-18"))
    paragraphs = [p for p in bulletin.split("## Where things stand")[1].split("\n\n") if p and p[0] not in "#-\n"]
    assert paragraphs
    assert all(p.strip() in reprint for p in paragraphs)


def assert_quoted(text: str | None, source: str | None, as_of: str) -> None:
    assert (text is None) == (source is None)
    if text is not None and source is not None:
        assert text in read_text("topic", TOPIC[source]), (source, text)
        assert TOPIC[source]["version_date"] <= as_of


@pytest.mark.parametrize(("entry", "change"), CHANGES, ids=lambda v: v.get("what") or str(v.get("round")))
def test_expected_change_quotes_its_files(entry: dict[str, Any], change: dict[str, Any]) -> None:
    assert change["kind"] in CHANGE_KINDS
    assert_quoted(change["old_text"], change["old_source"], entry["as_of"])
    assert_quoted(change["new_text"], change["new_source"], entry["as_of"])
    sides = {"new": (False, True), "dropped": (True, False), "retracted": (True, False)}.get(change["kind"], (True, True))
    assert (change["old_text"] is not None, change["new_text"] is not None) == sides


@pytest.mark.parametrize(("entry", "change"), CHANGES, ids=lambda v: v.get("what") or str(v.get("round")))
def test_expected_change_belongs_to_its_round(entry: dict[str, Any], change: dict[str, Any]) -> None:
    if change["new_source"]:
        assert round_of(TOPIC[change["new_source"]]) == entry["round"]
    if change["kind"] in {"changed", "dropped", "retracted"}:
        assert round_of(TOPIC[change["old_source"]]) < entry["round"]


@pytest.mark.parametrize(("entry", "change"), CHANGES, ids=lambda v: v.get("what") or str(v.get("round")))
def test_a_change_replaces_what_its_own_source_or_series_said(entry: dict[str, Any], change: dict[str, Any]) -> None:
    if change["kind"] != "changed":
        return
    old, new = TOPIC[change["old_source"]], TOPIC[change["new_source"]]
    assert old["url"] == new["url"] or old.get("series") == new.get("series") is not None
    assert change["old_text"] not in read_text("topic", new)


def test_every_round_after_the_first_expects_four_to_eight_changes() -> None:
    expected = read_json("expected_changes.json")["rounds"]
    assert [(e["round"], e["as_of"]) for e in expected] == [(r["round"], r["as_of"]) for r in ROUNDS[1:]]
    assert all(4 <= len(e["changes"]) <= 8 for e in expected)


def test_a_dropped_sentence_is_gone_from_every_later_issue() -> None:
    for _, change in CHANGES:
        if change["kind"] == "dropped":
            old = TOPIC[change["old_source"]]
            later = [r for r in TOPIC.values() if r.get("series") == old["series"] and r["version_date"] > old["version_date"]]
            assert later
            assert all(change["old_text"] not in read_text("topic", r) for r in later)


def test_what_must_not_appear_names_known_sources() -> None:
    assert all(round_of(TOPIC[e["source"]]) == e["round"] for e in read_json("expected_changes.json")["must_not_appear"])


@pytest.mark.parametrize("question", QUESTIONS["answerable"], ids=lambda q: q["id"])
def test_expected_figures_stand_in_the_expected_sources(question: dict[str, Any]) -> None:
    texts = [read_text("topic", TOPIC[source]) for source in question["expected_sources"]]
    assert all(any(figure in text for text in texts) for figure in question["expected_strings"])
    assert all(any(figure in text for figure in question["expected_strings"]) for text in texts)


def test_there_are_eight_questions_with_an_answer_and_three_without() -> None:
    assert (len(QUESTIONS["answerable"]), len(QUESTIONS["unanswerable"])) == (8, 3)


@pytest.mark.parametrize("name", ["tickets.csv", "survey.csv"])
def test_answers_have_one_complete_row_each(name: str) -> None:
    with (SAMPLE / "voices" / name).open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len({row["id"] for row in rows}) == len(rows) >= 6
    for row in rows:
        assert all(row.values()) and re.fullmatch(r"P\d+", row["participant"]), row["id"]
        assert row["segment"] in {"solo", "team", "enterprise"}
        date.fromisoformat(row["date"])


def test_interviews_are_turns_of_two_speakers_known_by_number() -> None:
    interviews = [row for row in read_rows("voices") if row["kind"] == "interview"]
    assert [row["participant"] for row in interviews] == [f"P{n}" for n in range(1, 7)]
    for row in interviews:
        turns = [line for line in read_text("voices", row).splitlines() if line and line[0] not in "#*"]
        assert {turn.split(": ")[0] for turn in turns} == {"Interviewer", row["participant"]}
        assert 150 <= len(words(read_text("voices", row))) <= 350


def test_voices_say_that_they_are_invented() -> None:
    assert all(row["invented"] is True for row in read_rows("voices"))
    assert "Everything in this folder is made up" in (SAMPLE / "README.md").read_text(encoding="utf-8")


def test_guide_and_observer_are_not_customers() -> None:
    rows = {row["id"]: row for row in read_rows("voices")}
    assert rows["voices-guide"]["role"] == "context"
    assert rows["voices-observer-note"]["voice"] == "observer"
    assert {row["voice"] for row in rows.values() if row["kind"] not in {"guide", "research_note"}} == {"customer"}


def test_sample_names_no_machine_path() -> None:
    for path in SAMPLE.rglob("*"):
        if path.is_file() and path.suffix not in {".py", ".pyc"}:
            assert not re.search(r"/(home|work|tmp|root|Users)/", path.read_text(encoding="utf-8")), path.name
