"""The pairs: documents of both sides and the changelog's entries."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).parent
Weight = Literal["important", "minor"]
Kind = Literal["changed", "new", "dropped"]
Place = tuple[str, ...]  # one sentence, or the cells of one row, or one `path: value` line of JSON


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the changelog: what a person would write, and where it stands on either side."""

    n: int  # its place in order of importance, from 1
    weight: Weight
    summary: str
    old: tuple[Place, ...]
    new: tuple[Place, ...]

    @property
    def kind(self) -> Kind:
        return "changed" if self.old and self.new else "new" if self.new else "dropped"

    def as_json(self, pair: str) -> dict[str, object]:
        """The row of truth.jsonl."""
        return {
            "pair": pair, "n": self.n, "weight": self.weight, "kind": self.kind, "summary": self.summary,
            "old": [list(place) for place in self.old], "new": [list(place) for place in self.new],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """One document before and after."""

    id: str
    suffix: str  # of the file: ".md", ".html", …
    old: str
    new: str
    entries: tuple[Entry, ...]


def build_pairs() -> Iterator[Pair]:
    """All pairs in order of their ids; the same on every machine."""
    from bench.long_pairs.markup import read_pair
    from bench.long_pairs.tables import table_pairs

    pairs = [read_pair(path) for path in sorted((HERE / "scripts").glob("*.pair"))] + table_pairs()
    yield from sorted(pairs, key=lambda pair: pair.id)
