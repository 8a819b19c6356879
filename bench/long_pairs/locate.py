"""Where the entries of a changelog stand in a version's text as Beacon reads it."""

import re
from collections.abc import Iterable, Sequence

from beacon.domain.source import Document
from bench.long_pairs.build import Place

Span = tuple[int, int]
_MARKUP = r"[\s|*]*"


def locate(document: Document, places: Iterable[Place]) -> list[Span]:
    """The spans of the places, each found once. Raises ValueError naming a place that is not there or is there twice."""
    lines = _lines(document.text)
    return [_row(document.text, lines, place) if len(place) > 1 else _sentence(document.text, place[0]) for place in places]


def _sentence(text: str, words: str) -> Span:
    pattern = _MARKUP.join(re.escape(word) for word in words.split())
    before, after = (r"(?<!\w)" if words[0].isalnum() else ""), (r"(?!\w)" if words[-1].isalnum() else "")
    found = [(one.start(), one.end()) for one in re.finditer(before + pattern + after, text)]
    if len(found) != 1:
        raise ValueError(f"found {len(found)} times: {words!r}")
    return found[0]


def _lines(text: str) -> list[Span]:
    return [(one.start(), one.end()) for one in re.finditer(r"[^\n]+", text)]


def _row(text: str, lines: Sequence[Span], cells: Place) -> Span:
    found = [(start, end) for start, end in lines if all(_has(text[start:end], cell) for cell in cells)]
    if len(found) != 1:
        raise ValueError(f"found {len(found)} times: {' | '.join(cells)!r}")
    return found[0]


def _has(line: str, cell: str) -> bool:
    """True when the cell stands in the line, not inside a longer word or number."""
    return re.search(rf"(?<![\w.,-]){re.escape(cell)}(?![\w]|[.,-]\w)", line) is not None
