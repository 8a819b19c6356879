"""`python -m bench.held_out [--show]`: what Beacon, a line diff and a sentence diff give on documents nobody tuned for.

`--show` adds the entries that Beacon's list lacks or ranks below 25, with what it prints at their place, and every cosmetic change.
"""

import sys
from collections.abc import Iterator, Sequence

from bench.held_out.cosmetic import cosmetic_pairs
from bench.held_out.pairs import build_pairs
from bench.long_pairs.build import Pair
from bench.long_pairs.lists import Item, beacon_list
from bench.long_pairs.locate import Span
from bench.long_pairs.measure import LISTS, Reading, documents_of, matches, read_pair_lists, targets_of

FIRST = 25


def main() -> int:
    """0; prints a line a list for each pair, the means, and the cosmetic pairs."""
    show = "--show" in sys.argv[1:]
    only = [one for one in sys.argv[1:] if one != "--show"]
    readings: dict[str, list[Reading]] = {name: [] for name in LISTS}
    for pair in build_pairs():
        if only and pair.id not in only:
            continue
        lists, seconds = read_pair_lists(pair)
        important = sum(entry.weight == "important" for entry in pair.entries)
        print(f"\n{pair.id}{pair.suffix}: {important} important, {len(pair.entries) - important} minor, {seconds:.1f} s")
        for name, reading in lists.items():
            readings[name].append(reading)
            print(f"  {name:<14}{_line(reading)}")
        if show:
            print(*_missed(pair), sep="\n")
    for name, many in readings.items():
        print(f"mean {name:<14}{_mean(many)}")
    if not only:
        print(*_cosmetic(show), sep="\n")
    return 0


def _line(one: Reading) -> str:
    words = f"{one.words}{'' if one.reached else ' (never)'}"
    shares = f"@10 {one.recall[10][0]:.2f}  @25 {one.recall[25][0]:.2f}  all {one.recall[0][0]:.2f}"
    return f"{shares}  words to 90 % {words:<14} noise {one.noise:.2f}  items {one.items}"


def _mean(many: Sequence[Reading]) -> str:
    def mean(values: Iterator[float]) -> float:
        return sum(values) / max(1, len(many))

    shares = "  ".join(f"{name} {mean(one.recall[k][0] for one in many):.3f}" for name, k in (("@10", 10), ("@25", 25), ("all", 0)))
    return f"{shares}  words {mean(float(one.words) for one in many):.0f}  noise {mean(one.noise for one in many):.3f}"


def _missed(pair: Pair) -> Iterator[str]:
    old, new = documents_of(pair)
    items = beacon_list(old, new, pair.id.replace("-", " "))
    for target in targets_of(pair, old, new):
        place = next((n for n, item in enumerate(items, 1) if matches(item, target)), None)
        if target.entry.weight == "important" and (place is None or place > FIRST):
            yield f"  -- important {target.entry.n} at {place or 'no place'}: {target.entry.summary}"
            yield f"     old {[old.text[a:b] for a, b in target.old][:2]}"
            yield f"     new {[new.text[a:b] for a, b in target.new][:2]}"
            for n, item in enumerate(items, 1):
                if _meets(item, target.old, target.new):
                    yield f"     printed at {n}: {item.old_text!r} → {item.new_text!r}"


def _meets(item: Item, old: Sequence[Span], new: Sequence[Span]) -> bool:
    sides = ((item.old, old), (item.new, new))
    return any(span and any(span[0] < end and start < span[1] for start, end in places) for span, places in sides)


def _cosmetic(show: bool) -> Iterator[str]:
    silent = total = lines = 0
    yield "\ncosmetic pairs: deltas of Beacon, of a line diff"
    for pair in cosmetic_pairs():
        found, diff = pair.beacon(), pair.line_diff()
        silent, total, lines = silent + (not found), total + len(found), lines + len(diff)
        yield f"  {pair.name:<56}{len(found):>4}{len(diff):>6}   ({len(pair.old.split())} words)"
        if show:
            yield from (f"     {old!r} → {new!r}" for old, new in found)
    yield f"  silent {silent} of 15; {total} deltas, line diff {lines}"


if __name__ == "__main__":
    raise SystemExit(main())
