"""Which columns of a survey are ticked rather than written: their answers come again and again."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from beacon.domain.source import unpack_blocks

if TYPE_CHECKING:
    from beacon.synthesis.evidence import Material

_PARTS = re.compile(r"[;,|\n]+")
AGAIN = 0.5  # share of a column's answers, or of their parts, that come again in it
WRITTEN = 4.0  # mean words of an answer that was written


def closed_columns(materials: "Sequence[Material]") -> set[tuple[str, str]]:
    """(file, column) of the columns whose answers were chosen from a list, or are figures and names."""
    from beacon.synthesis.evidence import family_of

    answers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for material in materials:
        if material.source.metadata.get("row_id") is None:
            continue
        for block in unpack_blocks(material.version.blocks):
            if block.kind == "field" and block.path:
                shown = material.version.text[block.start : block.end].removeprefix(f"{block.path[-1]}: ")
                answers[family_of(material.source), block.path[-1]].append(" ".join(shown.split()).casefold())
    return {key for key, given in answers.items() if _is_closed(given)}


def _is_closed(given: Sequence[str]) -> bool:
    whole = Counter(given)
    if sum(count for count in whole.values() if count > 1) >= AGAIN * len(given):
        return True
    parts = Counter(part.strip() for answer in given for part in _PARTS.split(answer) if part.strip())
    again = sum(count for count in parts.values() if count > 2)
    words = sum(len(answer.split()) for answer in given) / len(given)
    return again >= AGAIN * parts.total() or words < WRITTEN
