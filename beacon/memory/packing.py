"""What is in mind at one step: parts packed into a budget of tokens, with a receipt of what went in and what did not. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from beacon.llm.prices import estimate_tokens

Kind = Literal["fixed", "dynamic"]
LEFT_OUT_WORDS = 160  # characters of what was left out that the receipt shows


@dataclass(frozen=True, slots=True)
class Item:
    """One statement, message or memory; `ref` says which. `place` is where it stands in its part's text."""

    ref: str
    text: str
    place: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A kind of thing to have in mind. Items come in the order in which they should go in.

    A `fixed` part gets its `share` of the budget before any dynamic one gets anything; `must` parts go in whole.
    """

    name: str
    title: str
    kind: Kind
    items: tuple[Item, ...]
    share: float = 1.0
    must: bool = False


@dataclass(frozen=True, slots=True)
class Packed:
    """What went in, as one text, and the receipt: part by part, item by item, with what was left out and why."""

    text: str
    tokens: int
    budget: int
    parts: tuple[dict[str, Any], ...]


class _Filling:
    """A budget while it is being filled."""

    def __init__(self, budget: int) -> None:
        self.left = budget
        self.taken: dict[str, list[Item]] = {}
        self.spent: dict[str, int] = {}

    def take(self, part: Part, item: Item, limit: int) -> bool:
        first = part.name not in self.taken
        cost = estimate_tokens(_line(item)) + 1 + (estimate_tokens(_heading(part)) + 2 if first else 0)
        if cost > self.left or self.spent.get(part.name, 0) + cost > limit:
            return False
        self.taken.setdefault(part.name, []).append(item)
        self.spent[part.name] = self.spent.get(part.name, 0) + cost
        self.left -= cost
        return True


def build_pack(parts: Sequence[Part], budget: int) -> Packed:
    """The parts packed: what must go in, then the fixed ones up to their share, then the dynamic ones, then whatever still fits."""
    filling = _Filling(budget)
    rounds = [
        [(part, budget) for part in parts if part.must],
        [(part, int(part.share * budget)) for part in parts if part.kind == "fixed" and not part.must],
        [(part, int(part.share * budget)) for part in parts if part.kind == "dynamic"],
        [(part, budget) for part in parts if not part.must],
    ]
    for part, limit in (one for round_ in rounds for one in round_):
        for item in part.items:
            if item not in filling.taken.get(part.name, ()) and not filling.take(part, item, limit) and not _may_skip(part):
                break
    blocks = [_block(part, filling.taken[part.name]) for part in parts if part.name in filling.taken]
    text = "\n\n".join(blocks)
    receipt = tuple(_receipt(part, filling.taken.get(part.name, []), filling.spent.get(part.name, 0)) for part in parts)
    return Packed(text, estimate_tokens(text), budget, receipt)


def _may_skip(part: Part) -> bool:
    """Whether a later item may go in where an earlier one found no room: not among messages, where a gap would mislead."""
    return part.name != "recent"


def _block(part: Part, items: Sequence[Item]) -> str:
    ordered = sorted(items, key=lambda item: (item.place, part.items.index(item)))
    return "\n".join([_heading(part), *map(_line, ordered)])


def _heading(part: Part) -> str:
    return f"## {part.title}"


def _line(item: Item) -> str:
    return item.text


def _receipt(part: Part, taken: Sequence[Item], spent: int) -> dict[str, Any]:
    out = [item for item in part.items if item not in taken]
    ordered = sorted(taken, key=lambda item: (item.place, part.items.index(item)))
    return {
        "name": part.name, "title": part.title, "kind": part.kind, "tokens": spent,
        "items": [{"ref": item.ref, "text": item.text, "tokens": estimate_tokens(_line(item)) + 1} for item in ordered],
        "left_out": [
            {"ref": item.ref, "text": item.text[:LEFT_OUT_WORDS], "tokens": estimate_tokens(_line(item)) + 1, "why": "no room left"}
            for item in out
        ],
    }  # fmt: skip
