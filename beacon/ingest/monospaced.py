"""What plain text sets in columns of characters: diagrams, grammars, code, contents, running heads, and tables drawn with bars."""

import re
from collections import Counter
from collections.abc import Iterator

_GAP = re.compile(r"\S {3,}\S")
_LEADER = re.compile(r"(?:\.\s?){3,}\s*\w{1,6}\s*$|(?:…\s?){2,}\s*\w{1,6}\s*$")
_RULE = re.compile(r"^\s*[+|]?[-=+| :]{5,}$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_GRAMMAR = re.compile(r"^\s*[\w<>.-]{1,40}\s+(?:::?=|=/?)\s")
_CODE = re.compile(r"[{};]\s*$|^\s*[{}\[\]]+,?\s*$|^\s*<|^\s*\"[^\"]+\"\s*[:,]|^\s*(?://|/\*|\$ |#include)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_SPACES = re.compile(r"\s+")
_PROSE = 0.72  # of the characters that are no space, letters make up more of any prose
_MANY = 3  # times a line comes again before it is a running head


def is_preformatted(paragraph: str) -> bool:
    """True for diagrams, grammars, code and columns: lines whose breaks and spaces mean something."""
    lines = [line for line in paragraph.split("\n") if line.strip()]
    if not lines:
        return False
    set_apart = sum(bool(_GAP.search(line) or _GRAMMAR.match(line) or _RULE.match(line) or _ROW.match(line)) for line in lines)
    code = sum(bool(_CODE.search(line)) for line in lines)
    dense = sum(not char.isspace() for char in paragraph)
    letters = sum(char.isalpha() for char in paragraph)
    if len(_WORD.findall(paragraph)) < 2:
        return len(lines) > 1 and letters < _PROSE * dense
    if 2 * set_apart > len(lines):
        return True
    return letters < _PROSE * dense and len(lines) > 1 and 2 * (set_apart + code) > len(lines)


def is_contents(paragraph: str) -> bool:
    """True for lines of a table of contents: words, a leader of dots, a page."""
    lines = [line for line in paragraph.split("\n") if line.strip()]
    return bool(lines) and 2 * sum(bool(_LEADER.search(line)) for line in lines) >= len(lines)


def running_lines(paragraphs: list[str]) -> frozenset[str]:
    """The one-line paragraphs that every page carries: the same line again and again but for its page number, or set in columns."""
    lines = [one for one in paragraphs if "\n" not in one and 0 < len(one) <= 160]
    again = Counter(_shape(line) for line in lines)
    different = {
        shape: len({_SPACES.sub(" ", line) for line in lines if _shape(line) == shape}) for shape in again if again[shape] >= _MANY
    }
    return frozenset(
        line for line in lines if again[_shape(line)] >= _MANY and (_GAP.search(line) or different[_shape(line)] == again[_shape(line)] > 1)
    )


def _shape(line: str) -> str:
    return _SPACES.sub(" ", _DIGITS.sub("#", line.lower())).strip()


def drawn_rows(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """`(start, end, is_head)` of each row of a table drawn with bars in `text[start:end]`; nothing where it is no such table."""
    lines = list(_lines(text, start, end))
    rows = [(begin, stop) for begin, stop in lines if _ROW.match(text[begin:stop])]
    rules = [at for at, (begin, stop) in enumerate(lines) if _RULE.match(text[begin:stop])]
    cells = {text[begin:stop].count("|") for begin, stop in rows}
    if len(rows) < 2 or len(rows) + len(rules) < len(lines) or len(cells) != 1 or min(cells) < 3:
        return
    head = _head_row(text, lines, rules)
    for begin, stop in rows:
        inner = text[begin:stop]
        if not _RULE.match(inner) and any(char.isalnum() for char in inner):
            left = begin + len(inner) - len(inner.lstrip(" |"))
            yield left, left + len(text[left:stop].rstrip(" |")), (begin, stop) == head


def _head_row(text: str, lines: list[tuple[int, int]], rules: list[int]) -> tuple[int, int] | None:
    """The first row where a rule stands under it."""
    for at, (begin, stop) in enumerate(lines):
        if not _RULE.match(text[begin:stop]):
            return (begin, stop) if at + 1 in rules else None
    return None


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if text[start:stop].strip():
            yield start, stop
        start = stop + 1
