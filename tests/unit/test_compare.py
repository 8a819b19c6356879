from datetime import UTC, datetime

import pytest

from beacon.analyst.compare import compare_versions
from beacon.analyst.materiality import DIRECTION, NUMBERS, confidence, difference
from beacon.analyst.similarity import build_weights
from beacon.analyst.statements import extract_statements, statement_key
from beacon.analyst.typed import type_sentence
from beacon.analyst.witnesses import SourceStatements, find_confirmations, find_disagreements, is_derived
from beacon.domain.change import Statement, StatementChange
from beacon.domain.source import Block

BASE = (
    "The harbour authority runs three ferries between the islands. Each crossing takes 40 minutes in calm weather. "
    "Tickets cost $12 for adults and children travel free. The night service does not run in winter. "
    "Staff may close the ramp when the wind is strong."
)


def compared(old: str, new: str, mode: str = "version") -> list[StatementChange]:
    return compare_versions(extract_statements(old), extract_statements(new), mode=mode)  # type: ignore[arg-type]


def field_statement(path: tuple[str, ...], value: str) -> Statement:
    text = f"{path[-1]}: {value}"
    return Statement(0, len(text), text, "field", path)


@pytest.mark.parametrize(
    "new",
    [
        BASE,
        BASE.replace(". ", ".\n\n"),
        BASE.replace("harbour authority", "**harbour authority**").upper(),
        BASE.replace(" and ", "  and\u00a0").replace("40", "４０"),
        BASE.replace("islands", "[islands](https://example.org/new)").replace("calm weather", "“calm weather”"),
    ],
)
def test_cosmetic_edits_change_nothing(new: str) -> None:
    assert compared(BASE, new) == []


def test_a_moved_sentence_is_no_change() -> None:
    first, rest = BASE.split(". ", 1)
    assert compared(BASE, f"{rest} {first}.") == []


def test_another_number_is_a_change_with_both_values() -> None:
    (change,) = compared(BASE, BASE.replace("$12", "$15"))
    assert (change.kind, change.old_value, change.new_value) == ("changed", "$12", "$15")


def test_a_lost_negation_outweighs_a_rewording() -> None:
    turned = compared(BASE, BASE.replace("does not run", "does run"))
    reworded = compared(BASE, BASE.replace("calm weather", "fair weather"))
    assert turned[0].materiality > reworded[0].materiality


def test_a_number_outweighs_a_hedge() -> None:
    number = compared(BASE, BASE.replace("40 minutes", "50 minutes"))
    hedge = compared(BASE, BASE.replace("Each crossing takes", "Each crossing typically takes about"))
    assert number[0].materiality > hedge[0].materiality


def test_what_a_newer_version_lacks_is_retracted_and_what_the_next_issue_lacks_is_dropped() -> None:
    new = BASE.replace("The night service does not run in winter. ", "")
    assert [c.kind for c in compared(BASE, new, "version")] == ["retracted"]
    assert [c.kind for c in compared(BASE, new, "series")] == ["dropped"]


def test_an_added_sentence_is_new() -> None:
    (change,) = compared(BASE, BASE + " A fourth ferry is being built in Norway.")
    assert change.kind == "new" and change.old is None and change.new is not None and "Norway" in change.new.text


def test_a_split_sentence_is_no_change() -> None:
    old = "The council approved the new bridge budget, and residents near the river opposed the chosen route."
    new = "The council approved the new bridge budget. Residents near the river opposed the chosen route."
    assert [c.kind for c in compared(BASE + " " + old, BASE + " " + new) if c.kind != "changed"] == []


def test_fields_are_aligned_by_path() -> None:
    old = [field_statement(("status",), "Unknown"), field_statement(("owner", "name"), "Unknown")]
    new = [field_statement(("status",), "Known"), field_statement(("owner", "name"), "Unknown")]
    (change,) = compare_versions(old, new, mode="version")
    assert (change.subject, change.attribute, change.old_value, change.new_value) == ("", "status", "Unknown", "Known")


def test_a_touched_up_field_value_is_a_small_change() -> None:
    old, new = (
        [field_statement(("notes",), "contains a OS fault in the parser code path")],
        [field_statement(("notes",), "contains an OS fault in the parser code path")],
    )
    (change,) = compare_versions(old, new, mode="version")
    assert change.materiality < 0.3


def test_table_rows_are_aligned_by_their_first_cell() -> None:
    def table(*rows: str) -> list[Statement]:
        text = "\n".join(rows)
        return extract_statements(text, [Block(text.index(r), text.index(r) + len(r), "table_row") for r in rows])

    changes = compare_versions(
        table("Basic | $10 | 5 seats", "Plus | $20 | 9 seats"), table("Plus | $25 | 9 seats", "Basic | $10 | 5 seats"), mode="version"
    )
    assert [(c.kind, c.old_value, c.new_value) for c in changes] == [("changed", "$20", "$25")]


def test_changes_come_most_material_first_and_the_same_each_time() -> None:
    new = BASE.replace("$12", "$15").replace("calm", "fair").replace("does not run", "runs") + " Bicycles are welcome on deck."
    found = compared(BASE, new)
    assert [c.materiality for c in found] == sorted((c.materiality for c in found), reverse=True)
    assert found == compared(BASE, new)


def test_text_without_spaces_is_compared_too() -> None:
    (change,) = compared(
        "フェリーは三隻あります。料金は500円です。冬は運休します。", "フェリーは三隻あります。料金は600円です。冬は運休します。"
    )
    assert change.kind == "changed" and change.new is not None and change.new.text == "料金は600円です。"


def test_parts_open_the_materiality() -> None:
    (change,) = compared(BASE, BASE.replace("$12", "$15"))
    rest = 1.0
    for part in change.parts.values():
        rest *= 1 - part
    assert change.materiality == pytest.approx(1 - rest, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value"),
    [
        ("In March, the unemployment rate was 4.3 percent.", "unemployment rate", "%", "4.3 percent"),
        ("The price of the Pro plan is $20 per month.", "Pro plan", "price", "$20"),
        ("Acme's headcount fell to 500.", "Acme", "headcount", "500"),
        ("Python 3.8 is deprecated.", "Python 3.8", "is", "deprecated"),
    ],
)
def test_simple_sentences_are_typed(text: str, subject: str, attribute: str, value: str) -> None:
    typed = type_sentence(text)
    assert typed is not None and (typed.subject, typed.attribute, typed.value) == (subject, attribute, value)


def test_navigation_notices_and_repeated_lines_are_no_statements() -> None:
    text = "Home | Products | About\nSubscribe to our newsletter\n© 2024 Harbour Ltd. All rights reserved.\nThe ferry runs daily."
    assert [s.text for s in extract_statements(text)] == ["The ferry runs daily."]


def test_signs_and_symbols_are_not_cosmetic() -> None:
    assert statement_key("It fell -3%") != statement_key("It fell 3%") and statement_key("C++") != statement_key("C#")


AT = datetime(2026, 3, 1, tzinfo=UTC)


def source(name: str, text: str, at: datetime = AT, derived_from: str = "", whole: str = "") -> SourceStatements:
    return SourceStatements(name, extract_statements(text), at, whole or text, derived_from)


def test_an_independent_source_confirms() -> None:
    a = source("a", "The ferry company hired forty new deckhands. Its chief likes tea.")
    b = source("b", "Storms kept crews ashore on Monday and Tuesday this week. The ferry company hired forty new deckhands.")
    assert [(p.left_source, p.right_source) for p in find_confirmations([a, b])] == [("a", "b")]


def test_a_copy_or_a_declared_derivative_is_no_second_witness() -> None:
    text = "The ferry company hired forty new deckhands in the spring of this year, its chief said on Monday."
    assert is_derived(text, text + " More soon.")
    a, b = source("a", text, whole="x"), source("b", text, whole="y", derived_from="a")
    assert find_confirmations([a, b]) == []


def test_sources_with_another_value_at_the_same_time_disagree() -> None:
    a = source("a", "The unemployment rate was 4.3 percent in the region.", whole="one two")
    b = source("b", "The unemployment rate was 5.1 percent in the region.", whole="three four")
    (pair,) = find_disagreements([a, b])
    assert (pair.subject, pair.left_value, pair.right_value) == ("unemployment rate", "4.3 percent", "5.1 percent")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The unemployment rate was 4.3 percent in March 2026.", "The unemployment rate was 5.1 percent in April 2026."),
        ("The unemployment rate was 4.28 percent in the region.", "The unemployment rate was 4.3 percent in the region."),
        ("The fee of the Alder fund is 0.5 percent.", "The fee of the Alder fund is 50 basis points."),
        ("The Harbor plan costs 20 euros per month in Canada.", "The Harbor plan costs 24 euros per month in Japan."),
        ("The unemployment rate was about 500 there now.", "The unemployment rate was 512 there now."),
        ("The unemployment rate was 4.3 percent among young women.", "The unemployment rate was 5.1 percent across western fishing ports."),
    ],
)
def test_other_times_roundings_and_cases_are_no_disagreement(left: str, right: str) -> None:
    assert find_disagreements([source("a", left, whole="one"), source("b", right, whole="two")]) == []


def test_sources_far_apart_in_time_do_not_disagree() -> None:
    a = source("a", "The unemployment rate was 4.3 percent in the region.", whole="one")
    b = source("b", "The unemployment rate was 5.1 percent in the region.", datetime(2026, 9, 1, tzinfo=UTC), whole="two")
    assert find_disagreements([a, b]) == []


def test_loose_talk_that_shares_filler_is_no_change() -> None:
    old = "So that continues to be the case, you know. The pier was closed in March. Boats ran twice a day."
    new = "It's just not the case, I think. The harbour fund paid for new lamps. Boats ran twice a day."
    assert not [one for one in compared(old, new, mode="series") if one.kind == "changed"]


def test_filler_weighs_less_than_prose() -> None:
    found = compared("Boats run daily.", "Boats run daily. You know, I would say a couple of things. The fare rose to $15 in May.")
    weights = {one.new.text[:8]: one.materiality for one in found if one.new}
    assert weights["The fare"] > 3 * weights["You know"]


def test_a_pair_that_is_less_alike_weighs_less() -> None:
    weights = build_weights([["ferry"]])
    near, far = (confidence(score, "The ferry costs $12 a day.", "The ferry costs $15 a day.") for score in (0.9, 0.45))
    assert near == 1.0 > far and difference("The ferry costs $12.", "The ferry costs $15.", weights).parts["numbers"] == NUMBERS


def test_a_field_that_only_carries_the_versions_date_weighs_next_to_nothing() -> None:
    old, new = ([Statement(0, 22, f"record_date: {day}", "field", ("record_date",))] for day in ("2026-04-01", "2026-05-01"))
    (stamp,) = compare_versions(old, new, mode="version", days=("2026-04-01", "2026-05-01"))
    (date,) = compare_versions(old, new, mode="version", days=("2026-04-03", "2026-05-09"))
    assert stamp.materiality < 0.1 < 0.4 < date.materiality


def test_a_unit_left_out_is_no_other_number() -> None:
    weights = build_weights([["rate"]])
    assert "numbers" not in difference("The rate is 4.3 percent.", "The rate is 4.3.", weights).parts


def test_what_moved_and_is_held_now_has_turned() -> None:
    weights = build_weights([["rate"]])
    found = difference("The board decided to lower the fare.", "The board decided to maintain the fare.", weights)
    assert found.parts["direction"] == DIRECTION


def test_the_month_of_a_date_is_no_name() -> None:
    weights = build_weights([["fare"]])
    assert "names" not in difference("Effective October 3, 2025, fares rise.", "Effective December 1, 2025, fares rise.", weights).parts


def test_what_a_series_moves_is_no_disagreement_between_days() -> None:
    def says(source: str, day: int, grade: str) -> SourceStatements:
        text = f"The dam is rated {grade} on the alarm scale."
        return SourceStatements(source, [Statement(0, len(text), text)], datetime(2026, 2, day, tzinfo=UTC))

    old, new, reprint = says("bulletin-1", 18, "3"), says("bulletin-2", 24, "0"), says("reprint", 18, "3")
    assert find_disagreements([new, reprint])
    assert not find_disagreements([new, reprint], [[old, new]])
    assert find_disagreements([says("bulletin-3", 24, "0"), says("other", 24, "3")], [[old, new]])
