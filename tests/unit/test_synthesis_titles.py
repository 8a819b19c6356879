"""Titles read as a person would write them."""

import pytest

from beacon.synthesis.actions import make_action
from beacon.synthesis.titles import Candidate, choose_title, make_title


def title(text: str, question: str = "", tone: str = "wish") -> str:
    return make_title(Candidate(text, 1.0, tone, question))[0]


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("Honestly, I can't tell why exporting fails.", "People can't tell why exporting fails"),
        ("We don't know how to reset our filters", "People don't know how to reset their filters"),
        ("Did not understand the map legend", "People did not understand the map legend"),
        ("Doesn't know what the colours mean", "People don't know what the colours mean"),
        ("She wants a filter for regions", "People want a filter for regions"),
        ("Make the first steps easier", "People ask to make the first steps easier"),
        ("More worked examples", "People want more worked examples"),
        ("Lack of worked examples", "There is not enough worked examples"),
        ("The setup is unclear.", "The setup is unclear"),
        ("It would be great to have a shared calendar", "People would like to have a shared calendar"),
    ],
)
def test_a_sentence_becomes_a_short_general_statement(said: str, made: str) -> None:
    assert title(said) == made


def test_a_thing_alone_takes_its_meaning_from_the_question() -> None:
    assert title("Finding invoices", "What should we improve?") == "Finding invoices needs to become easier"
    assert title("Broken links", "What was the biggest challenge?") == "Broken links are a challenge"


@pytest.mark.parametrize("said", ["It does that too", "See https://example.org for this", "Because of the", "= SUM(A1)", "請加快搜尋速度"])
def test_what_cannot_be_made_general_is_refused(said: str) -> None:
    assert title(said) == ""


def test_a_theme_without_such_a_sentence_is_named_by_a_quote() -> None:
    assert choose_title([Candidate("請加快搜尋速度", 1.0, "wish")], [], {}) == "“請加快搜尋速度”"


def test_a_title_is_given_once() -> None:
    candidates = [Candidate("The setup is unclear.", 1.0, "pain"), Candidate("The setup takes too long.", 0.5, "pain")]
    assert choose_title(candidates, ["setup"], {"setup": 1.0}, taken=frozenset({"the setup is unclear"})) == "The setup takes too long"


@pytest.mark.parametrize(
    ("theme", "action"),
    [
        ("People can't find the archive", "Let people find the archive"),
        ("People don't understand the map legend", "Help people understand the map legend"),
        ("Finding invoices needs to become easier", "Make finding invoices easier"),
        ("People want more worked examples", "Offer more worked examples"),
        ("The menu hides the export", "Resolve: the menu hides the export"),
    ],
)
def test_an_opportunity_says_what_to_do(theme: str, action: str) -> None:
    assert make_action(theme) == action
