"""How names found are counted against names labelled by reading."""

from beacon.ingest.work import Naming
from bench.entities import Name, Score, Sentence, score

TEXT = "Zed saw the Quillon Works in Harbourne near Tide."


def _span(words: str) -> tuple[int, int]:
    return TEXT.index(words), TEXT.index(words) + len(words)


def _told(*found: tuple[str, str]) -> Score:
    names = (
        Name((_span("Zed"),), ("person",), None, False),
        Name((_span("Quillon Works"), _span("the Quillon Works")), ("organization", "place"), None, False),
        Name((_span("Tide"),), ("place",), None, True),
    )
    return score(TEXT, Sentence("", 0, len(TEXT), "", names), [Naming(*_span(words), words, kind, 0) for words, kind in found])[0]


def test_span_that_is_as_good_counts_as_exact_and_a_type_among_those_accepted_as_right() -> None:
    told = _told(("Zed", "place"), ("the Quillon Works", "place"))
    assert (told.exact, told.found, told.wanted, told.typed) == (2, 2, 2, 1)


def test_part_of_a_name_overlaps_and_is_not_exact() -> None:
    told = _told(("Quillon", "organization"))
    assert (told.exact, told.found_near, told.wanted_near, told.found) == (0, 1, 1, 1)


def test_what_no_reader_wants_is_wrong_and_what_may_be_a_name_is_neither() -> None:
    told = _told(("Harbourne", "place"), ("Tide", "place"))
    assert (told.found, told.perhaps, told.exact, told.wanted) == (1, 1, 0, 2)
