"""Two wordings side by side in Markdown: the words that differ are marked on both sides, long stretches that agree are cut."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from beacon.ui.text import plain

_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|\w+|[^\w\s]")
_APART = 0.3  # share of words in common below which two texts are simply two texts
_KEPT = 90  # characters kept around a difference
_CUT = 260  # characters of agreement from which the middle is left out
MOST_WORDS = 1500  # beyond, only the beginnings are held against each other


def marked(old: str, new: str) -> tuple[str, str]:
    """Both texts as Markdown, what only one side has on a coloured ground; texts that share little stay unmarked."""
    sides = [_tokens(old), _tokens(new)]
    left, right = ([word.casefold() for word, _, _ in side] for side in sides)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _APART:
        return plain(old), plain(new)
    spans: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            for side, tokens, first, last in ((0, sides[0], i1, i2), (1, sides[1], j1, j2)):
                if last > first:
                    spans[side].append((tokens[first][1], tokens[last - 1][2]))
    return _drawn(old, spans[0], "red"), _drawn(new, spans[1], "green")


def _tokens(text: str) -> list[tuple[str, int, int]]:
    return [(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(text)][:MOST_WORDS]


def _drawn(text: str, spans: Sequence[tuple[int, int]], colour: str) -> str:
    parts: list[str] = []
    at = 0
    for start, end in _joined(text, spans):
        parts += [_between(text[at:start], first=at == 0, last=False), f":{colour}-background[**{_word(text[start:end])}**]"]
        at = end
    return "".join([*parts, _between(text[at:], first=at == 0, last=True)])


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks with nothing but a space or a sign between them are one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and not any(char.isalnum() for char in text[joined[-1][1] : start]) and start - joined[-1][1] <= 2:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _word(text: str) -> str:
    return plain(text)


def _between(text: str, *, first: bool, last: bool) -> str:
    """A stretch that agrees, its middle left out where it is long; spaces at its ends stay."""
    if len(text) > _CUT and not (first and last):
        head = "" if first else text[:_KEPT].rsplit(" ", 1)[0]
        tail = "" if last else text[-_KEPT:].partition(" ")[2]
        return f"{_spaced(head)} … {_spaced(tail)}" if not last else f"{_spaced(head)} …"
    return _spaced(text)


def _spaced(text: str) -> str:
    if not text:
        return ""
    lead, trail = " " if text[0].isspace() else "", " " if text[-1].isspace() and text.strip() else ""
    return f"{lead}{plain(text)}{trail}"
