import json

import pytest

from beacon.domain.source import Block, Document
from bench.long_pairs.build import HERE, Entry, Pair, build_pairs
from bench.long_pairs.lists import Item, line_diff
from bench.long_pairs.locate import locate
from bench.long_pairs.measure import Target, documents_of, matches, read_list, targets_of

PAIRS = {pair.id: pair for pair in build_pairs()}
OLD = "Doors close at 9 pm. The retry limit is 5 attempts. Lamps are lit at dusk."
NEW = "Doors are shut at 9 pm. The retry limit is 3 attempts. Lamps are lit at dusk."


def document(text: str) -> Document:
    return Document(text, "note", "text/plain", (Block(0, len(text), "paragraph"),))


def target(old: str = "The retry limit is 5 attempts.", new: str = "The retry limit is 3 attempts.") -> Target:
    entry = Entry(1, "important", "retry limit 5 to 3", ((old,),) if old else (), ((new,),) if new else ())
    return targets_of(Pair("note", ".txt", OLD, NEW, (entry,)), document(OLD), document(NEW))[0]


def item(old: str = "", new: str = "") -> Item:
    spans = [(text.index(part), text.index(part) + len(part)) if part else None for text, part in ((OLD, old), (NEW, new))]
    return Item(spans[0], spans[1], old, new)


def test_there_are_twenty_pairs_and_the_committed_truth_is_theirs() -> None:
    rows = [entry.as_json(pair.id) for pair in PAIRS.values() for entry in pair.entries]
    kept = [json.loads(line) for line in (HERE / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (len(PAIRS), rows) == (20, kept)


@pytest.mark.parametrize("name", PAIRS)
def test_every_entry_stands_once_in_a_long_document(name: str) -> None:
    pair = PAIRS[name]
    old, new = documents_of(pair)
    targets_of(pair, old, new)  # raises for a place that is missing or ambiguous
    assert 8 <= len(pair.entries) <= 25
    assert min(len(one.text.split()) for one in (old, new)) >= 3000


@pytest.mark.parametrize("name", ["faq", "lifecycle-table"])
def test_reading_a_whole_line_diff_finds_everything(name: str) -> None:
    old, new = documents_of(PAIRS[name])
    reading = read_list(line_diff(old, new), targets_of(PAIRS[name], old, new), 0, apart=True)
    assert reading.recall[0] == (1.0, 1.0)


def test_a_place_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="2 times"):
        locate(document("The fee is 3. The fee is 3."), [("The fee is 3.",)])


def test_an_item_with_both_sides_tells_a_changed_entry() -> None:
    assert matches(item("The retry limit is 5 attempts.", "The retry limit is 3 attempts."), target())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The retry limit is 5 attempts.", ""),
        ("", "The retry limit is 3 attempts."),
        ("The retry limit is 5 attempts.", "Lamps are lit at dusk."),
        ("Doors close at 9 pm.", "Doors are shut at 9 pm."),
    ],
)
def test_an_item_without_one_of_the_sides_does_not(old: str, new: str) -> None:
    assert not matches(item(old, new), target())


def test_a_dropped_entry_needs_its_old_side_only() -> None:
    assert matches(item("The retry limit is 5 attempts."), target(new=""))


def test_words_are_counted_up_to_the_item_that_completes_the_reading() -> None:
    items = [
        item("Doors close at 9 pm.", "Doors are shut at 9 pm."),
        item("The retry limit is 5 attempts.", "The retry limit is 3 attempts."),
    ]
    reading = read_list([*items, items[0]], [target()], 100)
    assert (reading.words, reading.reached, round(reading.noise, 2)) == (11 + 12, True, 0.67)


def test_what_is_never_found_costs_the_list_and_the_document() -> None:
    reading = read_list([item("Doors close at 9 pm.", "Doors are shut at 9 pm.")], [target()], 100)
    assert (reading.words, reading.reached, reading.recall[10][0]) == (111, False, 0.0)


def test_an_entry_told_again_is_a_repeat_and_no_noise() -> None:
    one = item("The retry limit is 5 attempts.", "The retry limit is 3 attempts.")
    reading = read_list([one, one], [target()], 100)
    assert (reading.noise, reading.repeated) == (0.0, 0.5)
