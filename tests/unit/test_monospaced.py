"""Plain text in columns: what is a diagram, a running head or a drawn table, and what is prose."""

import pytest

from beacon.analyst.statements import extract_statements
from beacon.domain.source import Document
from beacon.ingest.parse import parse_bytes

PAGE = "Harbour Board                 Tide Code                  [Page {n}]\n\nTide Code                Rules                May 2031"


def _read(text: str) -> Document:
    return parse_bytes(text.encode(), name="a.txt")


def _kinds(text: str) -> list[str]:
    return [block.kind for block in _read(text).blocks]


def _statements(text: str) -> list[str]:
    doc = _read(text)
    return [one.text for one in extract_statements(doc.text, doc.blocks)]


@pytest.mark.parametrize(
    "drawn",
    [
        "  +------+     +------+\n  | gate | --> | lock |\n  +------+     +------+",
        "  message = head CRLF body\n  head    = 1*DIGIT SP name",
        '  {\n    "berth": 7,\n    "open": true\n  }',
        "Ship            Berth          Hour\nAurora          4              11",
    ],
)
def test_what_is_set_in_columns_is_no_statement(drawn: str) -> None:
    assert _statements(f"The form is this.\n\n{drawn}\n\nEvery ship waits here.") == ["The form is this.", "Every ship waits here."]


@pytest.mark.parametrize(
    "prose",
    [
        "The fee rose by 4.5 % (to 1,200 EUR), and 3 of 9 boards agreed; more follows.",
        "[00:01:02] Berth 4 is open.\n[00:02:10] Berth 5 is not.",
        "费用上涨了百分之四。\n码头关闭。",
        "Total 1,204 in 2030.\nTotal 1,301 in 2031.",
    ],
)
def test_prose_with_figures_stays_prose(prose: str) -> None:
    assert "code" not in _kinds(prose)


def test_running_heads_of_pages_are_no_statements() -> None:
    pages = [f"The keeper of quay {name} rings twice.\n\n{PAGE.format(n=n)}" for n, name in enumerate(("A", "B", "C", "D"), 1)]
    assert _statements("\n\n".join(pages)) == [f"The keeper of quay {name} rings twice." for name in "ABCD"]


def test_a_short_answer_given_three_times_is_no_running_head() -> None:
    assert _kinds("Nothing changed.\n\nThe gate is open.\n\nNothing changed.\n\nThe lock is shut.\n\nNothing changed.").count("code") == 0


def test_contents_are_no_statements() -> None:
    assert _statements("1. Scope . . . . . . . . 2\n2. Fees ................ 14\n\nThis code sets the fees.") == [
        "This code sets the fees."
    ]


def test_a_drawn_table_gives_rows_under_its_head() -> None:
    doc = _read("+------+-----+\n| Ship | Fee |\n+------+-----+\n| Tug  | 10  |\n| Ferry | 90 |\n+------+-----+")
    assert [(b.kind, doc.text[b.start : b.end]) for b in doc.blocks] == [
        ("table_head", "Ship | Fee"),
        ("table_row", "Tug  | 10"),
        ("table_row", "Ferry | 90"),
    ]


def test_numbered_headings_nest_by_their_numbers() -> None:
    doc = _read("1.  Fees\n\nAll ships pay.\n\n1.1.  Tugs\n\nA tug pays ten.\n\n2.  Hours\n\nThe gate opens at six.")
    assert [block.path for block in doc.blocks if block.kind == "paragraph"] == [("1. Fees",), ("1. Fees", "1.1. Tugs"), ("2. Hours",)]


def test_numbered_lines_one_after_the_other_stay_a_list() -> None:
    assert _kinds("1. Ring the bell\n\n2. Open the gate\n\nThen wait.")[0] == "list_item"


def test_a_sentence_wrapped_before_a_name_is_one() -> None:
    text = "   The berth plan for every quay of the harbour is set by the\n   Harbour Board.  It is read\n   aloud each spring."
    assert [" ".join(one.split()) for one in _statements(text)] == [
        "The berth plan for every quay of the harbour is set by the Harbour Board.",
        "It is read aloud each spring.",
    ]
