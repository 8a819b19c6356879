"""Documents to passages: each an exact slice that follows the document's own structure."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from math import ceil

from beacon.analyst.sentences import split_sentences
from beacon.domain.source import Block, Chunk, Document

_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_CLAUSE_END = re.compile(r"[,;:—–](?=\s)|[、，；：]")
_SENTENCE_LIKE = 8  # words: a heading this long says something, and is part of its section's first passage
_CHARS_A_WORD = 24  # no language's words are longer on average; data without spaces (base64, addresses) is
_WINDOW = 5_000  # characters shown to the sentence splitter at once
_LONGEST_CHARACTER = 32  # code points, with its marks and joiners; what goes on longer is noise
SEPARATOR = " › "


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is not cut any further unless it is too long: a paragraph, an item, a turn, a group of fields."""

    start: int
    end: int
    words: float
    heading: str = ""
    speaker: str = ""


def chunk_document(doc: Document, *, target_words: int = 120, max_words: int = 180) -> list[Chunk]:
    """Passages of about `target_words`, none above `max_words`, in order and without overlap; each is `doc.text[start:end]`.

    A passage lies under one heading and has one speaker. Blocks stay whole where they fit and are cut at sentence ends where
    they do not. Headings are in `heading`; one that nothing stands under, or that says a whole sentence, is text as well.
    """
    chunks: list[Chunk] = []
    for (heading, speaker), section in groupby(_units(doc, max_words), key=lambda unit: (unit.heading, unit.speaker)):
        for start, end in _packed(doc.text, list(section), target_words, max_words):
            chunks.append(Chunk(start, end, doc.text[start:end], len(chunks), heading, speaker))
    return chunks


def count_words(text: str) -> float:
    """Words between spaces, and half the characters of scripts that write none."""
    if text.isascii():
        return max(len(text.split()), len(text) / _CHARS_A_WORD)
    spaced, dense = _SPACELESS.subn(" ", text) if _SPACELESS.search(text) else (text, 0)
    return max(len(spaced.split()) + dense / 2, len(text) / _CHARS_A_WORD)


def _units(doc: Document, max_words: int) -> Iterator[_Unit]:
    blocks = doc.blocks
    at = 0
    while at < len(blocks):
        block = blocks[at]
        if block.kind == "field":
            stop = next((n for n in range(at, len(blocks)) if blocks[n].kind != "field"), len(blocks))
            yield from _field_units(doc.text, blocks[at:stop], 0, max_words)
            at = stop
            continue
        at += 1
        if block.kind != "heading":
            yield _unit(doc.text, block, block.path)
        elif _stands_alone(doc.text, block, blocks[at] if at < len(blocks) else None):
            yield _unit(doc.text, block, _path_below(doc.text, block))


def _unit(text: str, block: Block, path: tuple[str, ...]) -> _Unit:
    return _Unit(block.start, block.end, count_words(text[block.start : block.end]), SEPARATOR.join(path), block.speaker)


def _path_below(text: str, heading: Block) -> tuple[str, ...]:
    return (*heading.path, " ".join(text[heading.start : heading.end].split()))


def _stands_alone(text: str, heading: Block, following: Block | None) -> bool:
    """True for a heading that says a sentence, or that has nothing under it to carry it."""
    path = _path_below(text, heading)
    return following is None or following.path[: len(path)] != path or count_words(path[-1]) >= _SENTENCE_LIKE


def _field_units(text: str, fields: Sequence[Block], depth: int, max_words: int) -> Iterator[_Unit]:
    """The fields in one piece if they fit, else by their paths, level by level."""
    whole = _Unit(fields[0].start, fields[-1].end, count_words(text[fields[0].start : fields[-1].end]))
    if whole.words <= max_words or len(fields) == 1:
        yield whole
    elif all(len(block.path) <= depth for block in fields):
        for block in fields:
            yield from _field_units(text, [block], depth, max_words)
    else:
        for _, group in groupby(fields, key=lambda block: block.path[: depth + 1]):
            yield from _field_units(text, list(group), depth + 1, max_words)


def _packed(text: str, section: list[_Unit], target: int, ceiling: int) -> Iterator[tuple[int, int]]:
    """The spans of one section: all of it if it fits, else neighbouring units together up to the target."""
    if count_words(text[section[0].start : section[-1].end]) <= ceiling:
        yield section[0].start, section[-1].end
        return
    pieces = [piece for unit in section for piece in _fitting(text, unit, target, ceiling)]
    groups: list[tuple[int, int, float]] = []
    for start, end, words in pieces:
        last = groups[-1] if groups else None
        if last and (
            last[2] + words <= target or (min(last[2], words) < target / 2 and last[2] + words <= ceiling and end == pieces[-1][1])
        ):
            groups[-1] = (last[0], end, last[2] + words)
        else:
            groups.append((start, end, words))
    yield from ((start, end) for start, end, _ in groups)


def _fitting(text: str, unit: _Unit, target: int, ceiling: int) -> Iterator[tuple[int, int, float]]:
    """The unit itself, or its sentences in pieces of about equal size."""
    if unit.words <= ceiling:
        yield unit.start, unit.end, unit.words
        return
    aim = unit.words / ceil(unit.words / target)
    start, words = unit.start, 0.0
    for cut, size in _sentences(text, unit, ceiling):
        if words and (words + size > ceiling or words + size / 2 > aim):
            yield _trimmed(text, start, cut, words)
            start, words = cut, 0.0
        words += size
    yield _trimmed(text, start, unit.end, words)


def _trimmed(text: str, start: int, end: int, words: float) -> tuple[int, int, float]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()), words


def _sentences(text: str, unit: _Unit, ceiling: int) -> Iterator[tuple[int, float]]:
    """Where each sentence of the unit starts, and its words; one longer than the ceiling comes in parts."""
    starts = list(_sentence_starts(text, unit.start, unit.end))
    for start, end in zip_longest(starts, starts[1:], fillvalue=unit.end):
        while end - start > ceiling * _CHARS_A_WORD or count_words(text[start:end]) > ceiling:
            cut = _cut(text, start, end, ceiling)
            yield start, count_words(text[start:cut])
            start = cut
        if start < end:
            yield start, count_words(text[start:end])


def _sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    """The unit's start and each later sentence's, found window by window: a book in one paragraph costs no more than its length."""
    yield start
    while start < end:
        window = min(start + _WINDOW, end)
        later = [start + at for at, _ in split_sentences(text[start:window])][1:]
        yield from later
        start = later[-1] if later and window < end else window


def _cut(text: str, start: int, end: int, ceiling: int) -> int:
    """Where to cut a sentence that is too long: after a clause, else at a space, else between two characters."""
    low, high = start + 1, min(end - 1, start + ceiling * _CHARS_A_WORD)
    while low < high:  # the longest head that still fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_words(text[start:middle]) <= ceiling else (low, middle - 1)
    head = text[start:low]
    half = len(head) // 2
    clauses = [found.end() for found in _CLAUSE_END.finditer(head, half)]
    if clauses:
        return start + clauses[-1]
    space = max(head.rfind(" "), head.rfind("\n"))
    if space > half:
        return start + space
    furthest = max(start + 1, low - _LONGEST_CHARACTER)
    while low > furthest and (unicodedata.category(text[low])[0] == "M" or "\u200d" in text[low - 1 : low + 1]):
        low -= 1
    return low
