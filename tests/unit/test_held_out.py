import pytest

from bench.held_out.cosmetic import cosmetic_pairs
from bench.held_out.pairs import build_pairs
from bench.long_pairs.measure import documents_of, targets_of

PAIRS = {pair.id: pair for pair in build_pairs()}


@pytest.mark.parametrize("name", PAIRS)
def test_every_entry_stands_once_in_its_document(name: str) -> None:
    pair = PAIRS[name]
    old, new = documents_of(pair)
    targets = targets_of(pair, old, new)  # raises for a place that is missing or ambiguous
    assert len(targets) >= 8
    assert min(len(one.text.split()) for one in (old, new)) >= 1350


def test_the_two_sides_of_a_cosmetic_pair_are_long_and_differ() -> None:
    pairs = list(cosmetic_pairs())
    assert len(pairs) == 15
    assert all(pair.old != pair.new and len(pair.old.split()) >= 300 for pair in pairs)
