"""Plain text: paragraphs, lists and the few headings that plain text can show."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from beacon.domain.source import Block, Document
from beacon.errors import InputError
from beacon.ingest.limits import DEFAULT, ParseLimits, check_chars
from beacon.ingest.text import check_blocks, decode, tidy
from beacon.ingest.turns import mark_turns

_ITEM = re.compile(r"^[ ]*(?:[-*+•‣◦▪–][ ]+|\(?\d{1,3}[.)][ ]+)(?=\S)", re.MULTILINE)
_UNDERLINE = re.compile(r"\n[ ]*(={3,}|-{3,}|~{3,})[ ]*\Z")
_SENTENCE_END = tuple(".!?:;,。！？：；，")
MAX_HEADING = 90  # characters


def parse_plain(data: bytes, *, name: str, charset: str = "", title: str = "", limits: ParseLimits = DEFAULT) -> Document:
    """The document of a plain text file; its title is the file's own name unless one is given."""
    raw, warnings = decode(data, name, charset)
    check_chars(len(raw), name, limits)
    text = tidy(raw)
    if not text:
        raise InputError(f"'{name}' has no readable text: it holds only white space.", file=name)
    blocks = list(find_blocks(text))
    check_blocks(len(blocks), name, limits)
    blocks = mark_turns(text, blocks)
    return Document(text=text, title=title, media_type="text/plain", blocks=tuple(blocks), warnings=warnings)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 2


def find_blocks(text: str) -> Iterator[Block]:
    """The headings, paragraphs and list items of tidy plain text, in order."""
    path: tuple[str, ...] = ()
    for start, end in _paragraphs(text):
        start += len(text[start:end]) - len(text[start:end].lstrip())
        paragraph = text[start:end]
        if heading := _heading(paragraph):
            path = (" ".join(heading.split()),)
            yield Block(start, start + len(heading), "heading", ())
            continue
        yield from _items(text, start, end, path)


def _heading(paragraph: str) -> str:
    """The heading a paragraph is: underlined, or one short line in capitals; else an empty string."""
    if underline := _UNDERLINE.search(paragraph):
        above = paragraph[: underline.start()]
        return above if above.strip() and "\n" not in above and len(above) <= MAX_HEADING else ""
    short = "\n" not in paragraph and len(paragraph) <= MAX_HEADING
    return paragraph if short and paragraph.isupper() and len(paragraph) > 3 and not paragraph.endswith(_SENTENCE_END) else ""


def _items(text: str, start: int, end: int, path: tuple[str, ...]) -> Iterator[Block]:
    """A paragraph as it is, or as the list items its lines begin."""
    marks = [(found.start(), found.end()) for found in _ITEM.finditer(text[start:end])]
    if not marks or (len(marks) == 1 and marks[0][0] > 0):
        yield Block(start, end, "paragraph", path)
        return
    if marks[0][0] > 0:
        yield Block(start, start + marks[0][0] - 1, "paragraph", path)
    for (_, words), following in zip_longest(marks, marks[1:]):
        stop = end if following is None else start + following[0]
        yield Block(start + words, start + words + len(text[start + words : stop].rstrip()), "list_item", path)
