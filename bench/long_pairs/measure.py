"""How soon a reader of a list of changes has the changelog's entries: recall among the first items, words to read, noise.

An item counts for an entry when its old quote covers the entry's old place and its new quote the new one, by at least half of the shorter
of the two (for an entry with one side, that side); or when it touches either place and carries the entry's old and new values. The two
diffs pair nothing, so there an entry is found as soon as both its sides were read, in whatever items.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from beacon.domain.source import Document
from beacon.ingest.parse import parse_bytes
from bench.long_pairs.build import Entry, Pair, build_pairs
from bench.long_pairs.lists import Item, beacon_list, line_diff, sentence_diff
from bench.long_pairs.locate import Span, locate

WANTED = 0.9  # share of the important entries a reader is after
LISTS = ("Beacon", "line diff", "sentence diff")


@dataclass(frozen=True, slots=True)
class Target:
    """An entry and where it stands."""

    entry: Entry
    old: Sequence[Span]
    new: Sequence[Span]
    values: tuple[Counter[str], Counter[str]]  # the words only its old, only its new place has


@dataclass(frozen=True, slots=True)
class Reading:
    """What a list gives its reader. `recall` by number of items (0: the whole list): of important entries, of all."""

    items: int
    recall: dict[int, tuple[float, float]]
    words: int  # read until WANTED of the important entries are found; the list and the new document where they never are
    reached: bool
    noise: float  # share of the first 25 items that belong to no entry
    repeated: float  # share of the first 25 items that belong only to entries an earlier item had


def targets_of(pair: Pair, old: Document, new: Document) -> list[Target]:
    """The pair's entries with their places in both texts."""
    found = []
    for entry in pair.entries:
        spans = locate(old, entry.old), locate(new, entry.new)
        said = [Counter(_words(" ".join(text[a:b] for a, b in side))) for text, side in ((old.text, spans[0]), (new.text, spans[1]))]
        found.append(Target(entry, spans[0], spans[1], (said[0] - said[1], said[1] - said[0])))
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:[.,:-]\w+)*|[%€$£]", text.lower())


def matches(item: Item, target: Target) -> bool:
    """Whether the item tells the entry."""
    old, new = _covers(item.old, target.old), _covers(item.new, target.new)
    if (old or not target.old) and (new or not target.new):
        return True
    if not (target.old and target.new and (_touches(item.old, target.old) or _touches(item.new, target.new))):
        return False
    said = Counter(_words(item.old_text)), Counter(_words(item.new_text))
    return all(values and values <= there for values, there in zip(target.values, said, strict=True))


def _covers(span: Span | None, places: Sequence[Span]) -> bool:
    if span is None:
        return False
    return any(2 * _shared(span, place) >= min(span[1] - span[0], place[1] - place[0]) > 0 for place in places)


def _touches(span: Span | None, places: Sequence[Span]) -> bool:
    return span is not None and any(_shared(span, place) > 0 for place in places)


def _shared(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def told_together(items: Sequence[Item], targets: Sequence[Target]) -> list[set[int]]:
    """For each item the entries it tells by itself."""
    return [{at for at, target in enumerate(targets) if matches(item, target)} for item in items]


def told_apart(items: Sequence[Item], targets: Sequence[Target]) -> tuple[list[set[int]], list[bool]]:
    """For each item the entries of which it shows the last side missing, and whether it shows a side of any."""
    seen: set[tuple[int, int]] = set()
    told, of_any = [], []
    for item in items:
        sides = {
            (at, side)
            for at, target in enumerate(targets)
            for side, span, places in ((0, item.old, target.old), (1, item.new, target.new))
            if _covers(span, places)
        }
        seen |= sides
        told.append(
            {at for at, _ in sides if all((at, n) in seen for n, places in enumerate((targets[at].old, targets[at].new)) if places)}
        )
        of_any.append(bool(sides))
    return told, of_any


def read_list(items: Sequence[Item], targets: Sequence[Target], length: int, *, apart: bool = False) -> Reading:
    """What reading `items` from the top gives; `length` is the new document's, in words; `apart` where sides stand by themselves."""
    if apart:
        told, of_any = told_apart(items, targets)
    else:
        told = told_together(items, targets)
        of_any = [bool(one) for one in told]
    important = {at for at, target in enumerate(targets) if target.entry.weight == "important"}
    recall = {}
    for k in (10, 25, 0):
        seen = set().union(*told[: k or len(told)])
        recall[k] = (len(seen & important) / max(1, len(important)), len(seen) / max(1, len(targets)))
    words, reached = _words_to_read(items, told, important)
    first = told[:25]
    earlier = [set().union(*first[:at]) for at in range(len(first))]
    repeated = sum(bool(one) and one <= before for one, before in zip(first, earlier, strict=True))
    return Reading(
        len(items),
        recall,
        words if reached else words + length,
        reached,
        sum(not one for one in of_any[:25]) / max(1, len(first)),
        repeated / max(1, len(first)),
    )


def _words_to_read(items: Sequence[Item], told: Sequence[set[int]], important: set[int]) -> tuple[int, bool]:
    words, seen = 0, set[int]()
    for item, one in zip(items, told, strict=True):
        words += item.words
        seen |= one & important
        if len(seen) >= WANTED * len(important):
            return words, True
    return words, not important


def documents_of(pair: Pair) -> tuple[Document, Document]:
    """Both versions as Beacon reads them."""
    old, new = (parse_bytes(text.encode(), name=pair.id + pair.suffix) for text in (pair.old, pair.new))
    return old, new


def read_pair_lists(pair: Pair) -> tuple[dict[str, Reading], float]:
    """List → its reading, and the seconds of CPU time Beacon's list took."""
    old, new = documents_of(pair)
    targets = targets_of(pair, old, new)
    started = time.process_time()
    mine = beacon_list(old, new, pair.id.replace("-", " "))
    seconds = time.process_time() - started
    lists = dict(zip(LISTS, (mine, line_diff(old, new), sentence_diff(old, new)), strict=True))
    length = len(new.text.split())
    return {name: read_list(items, targets, length, apart=name != "Beacon") for name, items in lists.items()}, seconds


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the bench's table: the means over all pairs, then each pair."""
    readings: dict[str, dict[str, Reading]] = {}
    seconds: dict[str, float] = {}
    ceilings = []
    for pair in build_pairs():
        ceilings.append(min(1.0, 10 / sum(entry.weight == "important" for entry in pair.entries)))
        readings[pair.id], seconds[pair.id] = read_pair_lists(pair)
    rows = [_mean_row(name, figure, readings) for name, figure in _FIGURES.items()]
    rows[0]["note"] += f"; a perfect list has {fmean(ceilings):.3f}"
    reached = {name: sum(one[name].reached for one in readings.values()) for name in LISTS}
    rows.append(
        {"measure": f"long pairs: pairs in which {WANTED:.0%} is reached at all", "value": _three(reached), "note": f"of {len(readings)}"}
    )
    rows.append(
        {
            "measure": "long pairs: CPU seconds of Beacon's list",
            "value": f"mean {fmean(seconds.values()):.2f}, most {max(seconds.values()):.2f}",
        }
    )
    return rows + [_pair_row(name, one, seconds[name]) for name, one in readings.items()]


_FIGURES: dict[str, Callable[[Reading], float]] = {
    "important entries in the first 10": lambda one: one.recall[10][0],
    "important entries in the first 25": lambda one: one.recall[25][0],
    "important entries in the whole list": lambda one: one.recall[0][0],
    "all entries in the first 10": lambda one: one.recall[10][1],
    "all entries in the first 25": lambda one: one.recall[25][1],
    "words to 90 % of the important entries": lambda one: one.words,
    "noise among the first 25": lambda one: one.noise,
    "repeats among the first 25": lambda one: one.repeated,
    "items in the list": lambda one: one.items,
}


def _mean_row(name: str, figure: Callable[[Reading], float], readings: dict[str, dict[str, Reading]]) -> dict[str, Any]:
    means = {which: fmean(figure(one[which]) for one in readings.values()) for which in LISTS}
    return {"measure": f"long pairs: {name}", "value": _three(means), "note": f"mean of {len(readings)} pairs"}


def _three(values: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name} {value:.0f}" if value > 1 or isinstance(value, int) else f"{name} {value:.3f}" for name, value in values.items()
    )


def _pair_row(name: str, one: dict[str, Reading], seconds: float) -> dict[str, Any]:
    def of(which: str) -> str:
        reading = one[which]
        words = f"{reading.words}{'' if reading.reached else ' (never)'}"
        return f"{which} {reading.recall[10][0]:.2f} {reading.recall[25][0]:.2f}, {words} words, noise {reading.noise:.2f}"

    return {
        "measure": f"long pair {name}: important @10 @25",
        "value": "; ".join(map(of, LISTS)),
        "note": f"{one['Beacon'].items} items, {seconds:.1f} s",
    }


def show(pair: Pair, first: int = 25) -> Iterator[str]:
    """Beacon's list with what each item tells, and the entries it ranks low or lacks."""
    old, new = documents_of(pair)
    targets = targets_of(pair, old, new)
    items = beacon_list(old, new, pair.id.replace("-", " "))
    places: dict[int, int] = {}
    for at, item in enumerate(items, 1):
        told = [target.entry for target in targets if matches(item, target)]
        for entry in told:
            places.setdefault(entry.n, at)
        if at <= first:
            yield f"{at:>3} {','.join(f'{e.weight[0]}{e.n}' for e in told) or '--':<8} {item.old_text[:150]!r} → {item.new_text[:150]!r}"
    for target in targets:
        place = places.get(target.entry.n)
        if place is None or place > first:
            yield f"  {target.entry.weight} {target.entry.n} at {place or 'no place'}: {target.entry.summary}"
