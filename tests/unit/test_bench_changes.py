import pytest

from beacon.ingest.parse import parse_bytes
from bench.change_truth import TRUTH, Reading, Tally, TrueChange, read_truth
from bench.change_views import Item, Span, line_diff
from bench.cosmetic import AT_ONCE, CASES, Pair, cosmetic_pairs, overlaid_pairs
from bench.cosmetic_documents import POLICY
from bench.cosmetic_edits import Look, render

PAIRS = list(cosmetic_pairs())


def item(kind: str, old: Span | None, new: Span | None) -> Item:
    return Item(kind, old, new, 5)


TRUE = TrueChange("1", True, (Reading("changed", (Span("a", 10, 20),), (Span("b", 12, 30),)),))


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (item("changed", Span("a", 0, 40), Span("b", 5, 50)), True),
        (item("changed", Span("a", 0, 40), Span("b", 31, 50)), False),
        (item("changed", Span("a", 0, 40), Span("c", 5, 50)), False),
        (item("dropped", Span("a", 0, 40), None), False),
        (item("new", None, Span("b", 5, 50)), False),
    ],
)
def test_a_change_is_told_only_on_both_its_sides(found: Item, told: bool) -> None:
    assert TRUE.told_by(found) is told


def test_what_is_retracted_is_dropped_and_not_the_other_way_round() -> None:
    side = (Span("a", 0, 9),)
    assert Reading("dropped", side, ()).fits(item("retracted", side[0], None))
    assert not Reading("retracted", side, ()).fits(item("dropped", side[0], None))


def test_an_item_past_the_first_ten_does_not_count_among_them() -> None:
    noise = [item("new", None, Span("b", 100 + n, 101 + n)) for n in range(10)]
    tally = Tally()
    tally.add([*noise, item("changed", Span("a", 10, 20), Span("b", 12, 30))], [TRUE])
    assert (tally.told_first(10), tally.told_first(25), tally.recall, tally.precision) == (0.0, 1.0, 1.0, 1 / 11)


def test_a_line_diff_sets_replaced_lines_side_by_side() -> None:
    assert [(one.kind, one.old, one.new) for one in line_diff("a\nb\n", "a\nc\nd\n")] == [
        ("changed", Span("old", 2, 3), Span("new", 2, 3)),
        ("new", None, Span("new", 4, 5)),
    ]


def test_there_are_forty_pairs_of_different_documents_and_edits() -> None:
    assert len({pair.name for pair in PAIRS}) == 40
    assert len({case.sample.name for case in CASES}) >= 12


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_line_diff_flags_every_cosmetic_pair(pair: Pair) -> None:
    assert pair.line_diff()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_cosmetic_document_has_its_length(pair: Pair) -> None:
    text = parse_bytes(render(pair.new_text, pair.new_look), name=f"x.{pair.new_look.form}").text
    words = len(text.split()) if max(text[:40]) < "\u4e00" else len(text) // 2
    assert 200 <= words <= 1500


@pytest.mark.parametrize(
    ("look", "shown"),
    [
        (Look(dates="uk"), "4 March 2026"),
        (Look(dates="us"), "March 4, 2026"),
        (Look(thousands=""), "1500 euros"),
        (Look(percent=True), "85% of"),
        (Look(links="a.example"), "](https://a.example/"),
        (Look(numbered=True), "## 2. What is paid"),
    ],
)
def test_a_cosmetic_edit_is_in_the_document(look: Look, shown: str) -> None:
    assert shown in render(POLICY.text, look).decode()
    assert shown not in render(POLICY.text, Look()).decode()


def test_every_overlaid_pair_has_three_to_eight_real_edits_at_known_places() -> None:
    assert all(3 <= len(pair.truth) <= 8 for cases in (CASES, AT_ONCE) for pair in overlaid_pairs(cases))


def test_the_read_truth_names_each_change_once_and_both_sides_of_what_changed() -> None:
    texts, pairs = read_truth(TRUTH / "fomc.jsonl")
    changes = [change for found in pairs.values() for change in found]
    assert len({change.id for change in changes}) == len(changes)
    sides = {"changed": (True, True), "new": (False, True), "dropped": (True, False)}
    for reading in (reading for change in changes for reading in change.readings):
        assert sides[reading.kind] == (bool(reading.old), bool(reading.new))
        assert {span.text for span in (*reading.old, *reading.new)} <= set(texts)
