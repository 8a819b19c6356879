"""Which changes a report tells, and in what shape."""

from dataclasses import replace

from beacon.analyst.change_text import show_change
from beacon.analyst.outlook import days_ahead, tells_ahead, tells_meaning
from beacon.analyst.shapes import label_words, pieces, says_something, tells_all
from beacon.analyst.telling import tell
from beacon.domain.change import Change, ChangeSide, SourceRef


def side(quote: str, source: str = "a", version: str = "1", start: int = 0, head: str = "") -> ChangeSide:
    ref = SourceRef(source, "", f"Title of {source}", f"2026-05-0{version}", start, start + len(quote), f"{source}{version}")
    return ChangeSide(quote, quote, ref, head)


def step(old: str, new: str, values: tuple[str, str], versions: tuple[str, str], weight: float = 0.7) -> Change:
    return Change("changed", side(new, version=versions[1]), side(old, version=versions[0]), "", "", *values, weight)


FIRST = step("The odds are 1.2%.", "The odds are 2.3%.", ("1.2%", "2.3%"), ("1", "2"))
SECOND = step("The odds are 2.3%.", "The odds are 3.1%.", ("2.3%", "3.1%"), ("2", "3"))


def shown(quote: str, kind: str = "", head: str = "") -> list[tuple[str, str]]:
    return [(piece.label, quote[piece.start : piece.end]) for piece in pieces(quote, kind, head)]


def test_steps_of_one_value_are_one_change_from_the_first_to_the_last() -> None:
    told = tell([SECOND, FIRST])
    assert len(told) == 1 and show_change(told[0].change, told[0].steps).plain().startswith("**1.2% → 2.3% → 3.1%.** “The odds are 1.2%.”")


def test_parts_of_a_group_stand_under_the_one_that_leads() -> None:
    lead = replace(FIRST, group="g")
    part = Change("new", side("They had not been above 2% before.", start=40), None, materiality=0.9, group="g", part=True)
    told = tell([part, lead])
    assert [(one.change.kind, one.parts) for one in told] == [("changed", 1)]


def test_the_same_step_in_another_language_is_told_once() -> None:
    again = Change("changed", side("Es sind 3,1 %.", "b", "2"), side("Es waren 1,2 %.", "b"), "", "", "1,2 %", "3,1 %", 0.5)
    whole = replace(FIRST, new=side("The odds are 3.1%.", version="3"), new_value="3.1%")
    assert [one.shown().source.source_id for one in tell([whole, again])[0].also] == ["b"] and len(tell([whole, again])) == 1


def test_other_amounts_are_other_news() -> None:
    other = Change("changed", side("Fuel costs 2.4 now.", "b", "2"), side("Fuel costs 1.2 now.", "b"), "", "", "1.2", "2.4", 0.5)
    assert len(tell([FIRST, other])) == 2


def test_an_entry_is_told_by_what_names_it() -> None:
    entry = Change("new", side("id: A-7\nnotes: https://a.example/7\ntitle: Title of a long report on many matters"), None, "A-7", "")
    assert "title of a long report on many matters" in show_change(entry).plain().lower() and "https" not in show_change(entry).plain()


def test_a_nested_field_is_named_by_its_last_word() -> None:
    change = Change(
        "changed", side("vulnerabilities.3.scores.0.baseScore: 9.8", version="2"), side("vulnerabilities.3.scores.0.baseScore: 4.6"),
        "CVE-2026-1/scores", "baseScore", "4.6", "9.8", 0.8,
    )  # fmt: skip
    assert show_change(change).plain() == "**CVE-2026-1, scores: base score:** “4.6” → “9.8”"


def test_a_row_is_told_under_its_columns() -> None:
    row = Change("new", side("A-7 | Hinge | box of 50", head="Part | Name | Pack"), None, "A-7", "")
    assert show_change(row).plain() == "**A-7:** Part “A-7”; Name “Hinge”; Pack “box of 50”"


def test_values_stand_for_a_change_only_when_they_hold_all_its_numbers() -> None:
    quotes = ("It is 40 to 90 metres across.", "It is 60 metres across, give or take 7.")
    assert not tells_all(("90", "60"), quotes) and tells_all(("12 – 0", "9 – 3"), ("By a 12 – 0 vote.", "By a 9 – 3 vote."))


def test_pieces_are_exact_slices_under_their_names() -> None:
    assert shown("dueDate: 2026-05-01\nnotes: null", "field") == [("due date", "2026-05-01")]
    assert shown("Size | 40 metres") == [("Size", "40 metres")]
    assert shown("Note: it is fine.", "sentence") == [("", "Note: it is fine.")]


def test_labels_are_words() -> None:
    assert (label_words("scores/0/cvss_v3/baseScore"), label_words("CWE")) == ("base score", "CWE")


def test_a_field_that_repeats_its_title_says_nothing() -> None:
    assert not says_something("object: 2024 YR4", "field", "Risk entry for 2024 YR4")
    assert not says_something("chance: null", "field", "Risk entry") and says_something("chance: 3%", "field", "Risk entry")


def test_what_is_ahead_is_told_by_dates_and_by_words() -> None:
    assert days_ahead("It opens on 3 June 2026.", "2026-06-01") == 2 and days_ahead("It opened in 2019.", "2026-06-01") is None
    assert tells_ahead("The office will move.") and not tells_ahead("The office moved.")


def test_a_reason_is_meaning() -> None:
    assert tells_meaning("Prices rose because fuel was dear.") and tells_meaning("Die Preise stiegen, weil Öl teuer war.")
