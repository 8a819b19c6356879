"""Transcripts: who speaks, and when prose with a colon is not a transcript."""

import pytest

from beacon.domain.source import Document
from beacon.ingest.parse import parse_bytes


def _turns(text: str, name: str = "x.txt") -> list[tuple[str, str]]:
    doc: Document = parse_bytes(text.encode(), name=name)
    return [(block.speaker, doc.text[block.start : block.end]) for block in doc.blocks if block.kind == "turn"]


TALK = [("Mia Berg", "How do you plan a trip?"), ("P1", "I look at the map first."), ("Mia Berg", "And then what happens?")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.txt", "Mia Berg: How do you plan a trip?\nP1: I look at the map first.\nMia Berg: And then what happens?"),
        (
            "x.txt",
            "[00:01:02] Mia Berg: How do you plan a trip?\n00:01:09 P1: I look at the map first.\n[01:11] Mia Berg: And then what happens?",
        ),
        (
            "x.txt",
            "Mia Berg (00:12): How do you plan a trip?\nP1 (00:15): I look at the map first.\nMia Berg (00:20): And then what happens?",
        ),
        ("x.md", "**Mia Berg:** How do you plan a trip?\n\n**P1:** I look at the map first.\n\n**Mia Berg:** And then what happens?"),
        ("x.md", "**Mia Berg**: How do you plan a trip?\n\n**P1**: I look at the map first.\n\n**Mia Berg**: And then what happens?"),
        ("x.md", "Mia Berg:  \nHow do you plan a trip?\n\nP1:  \nI look at the map first.\n\nMia Berg:  \nAnd then what happens?"),
        ("x.md", "Mia Berg: How do you plan a trip?\nP1: I look at the map first.\nMia Berg: And then what happens?"),
    ],
)
def test_common_transcript_forms_become_turns_of_words_only(name: str, text: str) -> None:
    assert _turns(text, name) == TALK


def test_full_width_colons_mark_speakers_too() -> None:
    assert [speaker for speaker, _ in _turns("記者：今日はどうでしたか。\n田中：とても良かったです。\n記者：次の予定は何ですか。")] == [
        "記者",
        "田中",
        "記者",
    ]


@pytest.mark.parametrize("mark", ["", "[00:01] "])
def test_two_labelled_lines_are_not_a_conversation(mark: str) -> None:
    assert _turns(f"{mark}Ann: How was it for you?\n{mark}Bob: It was slow at first.") == []


def test_prose_with_colons_stays_prose() -> None:
    assert _turns("There is one rule: be kind.\n\nWe found three things: a map, a key and a door.\n\nNote: the door was open.") == []


def test_a_record_of_fields_is_no_conversation() -> None:
    assert _turns("Name: Harbour\nCity: Bergen\nOpened: 1902\n\nName: Castle\nCity: Bergen\nOpened: 1247") == []


def test_the_same_labels_under_each_heading_are_no_conversation() -> None:
    part = "## Part {0}\n\nImpact: this one is rather high.\n\nAdvice: make the map load faster.\n\n"
    assert _turns("".join(part.format(number) for number in range(4)), "x.md") == []


def test_a_turn_goes_on_over_paragraphs_with_its_speaker() -> None:
    text = "Ann: Tell me about it, please.\n\nBob: It began in spring.\n\nThen it grew a lot.\n\nAnn: And what came next?"
    assert ("Bob", "Then it grew a lot.") in _turns(text)


def test_a_heading_ends_a_turn() -> None:
    text = "Ann: Tell me about it, please.\n\nBob: It began in spring.\n\nAnn: And what came next?\n\n# Notes\n\nNobody says this."
    assert "Nobody says this." not in [words for _, words in _turns(text, "x.md")]


def test_stage_directions_belong_to_nobody() -> None:
    text = "Ann: Tell me about it, please.\n\n[Music]\n\nBob: It began in spring.\n\nAnn: And what came next?"
    assert all("Music" not in words for _, words in _turns(text))


def test_a_header_before_the_first_speaker_is_no_turn() -> None:
    text = "Date: Monday the fourth of May\n\nAnn: Tell me about it, please.\nBob: It began in spring.\nAnn: And what came next?"
    assert _turns(text)[0][0] == "Ann"
