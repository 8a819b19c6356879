"""Lists of changes against what is true, matched on both sides: precision, recall, and recall among the first items."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.change_views import Item, Span

TRUTH = Path(__file__).parent / "truth"
COVERED = 0.5  # share of the shorter span that two spans must share to be about the same words
FIRST = (10, 25)  # items: what people read


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to tell a change: its kind and where it stands; several spans of a side are places of one change."""

    kind: str
    old: tuple[Span, ...]
    new: tuple[Span, ...]

    def fits(self, item: Item) -> bool:
        """True when the item is of this kind and each side stands where this one does; what a newer version retracts is dropped too."""
        same = item.kind == self.kind or (item.kind, self.kind) == ("retracted", "dropped")
        return same and _side_fits(item.old, self.old) and _side_fits(item.new, self.new)


@dataclass(frozen=True, slots=True)
class TrueChange:
    """A change with the readings a careful reader accepts."""

    id: str
    major: bool
    readings: tuple[Reading, ...]
    must: bool = False  # no list may lack it

    def told_by(self, item: Item) -> bool:
        """True when the item tells it."""
        return any(reading.fits(item) for reading in self.readings)

    def parts(self) -> list[str]:
        """What it is counted under besides the whole."""
        return [self.readings[0].kind, *(["major"] if self.major else []), *(["must"] if self.must else [])]


def _side_fits(found: Span | None, true: Sequence[Span]) -> bool:
    if found is None or not true:
        return found is None and not true
    return any(_overlap(found, one) for one in true)


def _overlap(found: Span, true: Span) -> bool:
    if found.text != true.text:
        return False
    shared = min(found.end, true.end) - max(found.start, true.start)
    return shared > 0 and shared >= COVERED * min(found.end - found.start, true.end - true.start)


@dataclass
class Tally:
    """Counts of one method on one set."""

    items: int = 0
    right: int = 0
    true: int = 0
    told: int = 0
    words: int = 0
    first: dict[int, int] = field(default_factory=lambda: dict.fromkeys(FIRST, 0))
    parts: Counter[str] = field(default_factory=Counter)  # kind, major and must → how many are true
    parts_told: Counter[str] = field(default_factory=Counter)

    def add(self, items: Sequence[Item], truth: Sequence[TrueChange]) -> None:
        """Count one comparison; `items` are in the order in which they are shown."""
        ranks = {one.id: next((n for n, item in enumerate(items) if one.told_by(item)), None) for one in truth}
        self.items += len(items)
        self.words += sum(item.words for item in items)
        self.right += sum(any(one.told_by(item) for one in truth) for item in items)
        self.true += len(truth)
        self.told += sum(rank is not None for rank in ranks.values())
        for one in truth:
            parts = one.parts()
            self.parts.update(parts)
            self.parts_told.update(parts if ranks[one.id] is not None else ())
        for size in FIRST:
            self.first[size] += sum(rank is not None and rank < size for rank in ranks.values())

    @property
    def precision(self) -> float:
        """Share of the items that tell a true change; 1 where nothing was listed."""
        return self.right / self.items if self.items else 1.0

    @property
    def recall(self) -> float:
        """Share of the true changes that some item tells."""
        return self.told / self.true if self.true else 1.0

    def told_first(self, size: int) -> float:
        """Share of the true changes that one of the first `size` items tells."""
        return self.first[size] / self.true if self.true else 1.0

    def line(self) -> str:
        """The counts in one line."""
        firsts = ", ".join(f"@{size} {self.told_first(size):.3f}" for size in FIRST)
        return f"precision {self.precision:.3f}, recall {self.recall:.3f} ({firsts}), {self.items} items, {self.words} words"

    def note(self) -> str:
        """How many of each part were told."""
        return ", ".join(f"{name} {self.parts_told[name]} of {count}" for name, count in sorted(self.parts.items()))


def faults(items: Sequence[Item], truth: Sequence[TrueChange]) -> tuple[list[Item], list[TrueChange]]:
    """The items that tell no true change, and the true changes that no item tells."""
    wrong = [item for item in items if not any(one.told_by(item) for one in truth)]
    return wrong, [one for one in truth if not any(one.told_by(item) for item in items)]


def read_truth(path: Path) -> tuple[dict[str, str], dict[tuple[str, str], list[TrueChange]]]:
    """(file → SHA-256 of its text, pair of dates → its changes) of a list of spans."""
    texts: dict[str, str] = {}
    pairs: dict[tuple[str, str], list[TrueChange]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "texts" in row:
            texts |= row["texts"]
            continue
        readings = tuple(Reading(one["kind"], _spans(one["old"]), _spans(one["new"])) for one in (row, *row.get("or", ())))
        pairs.setdefault((row["pair"][0], row["pair"][1]), []).append(
            TrueChange(row["id"], row["weight"] == "major", readings, row.get("must", False))
        )
    return texts, pairs


def _spans(rows: Iterable[dict[str, object]]) -> tuple[Span, ...]:
    return tuple(Span(str(row["file"]), int(str(row["start"])), int(str(row["end"]))) for row in rows)
