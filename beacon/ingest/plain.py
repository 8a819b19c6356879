"""Plain text: paragraphs, lists and the few headings that plain text can show."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from beacon.domain.source import Block, Document
from beacon.errors import InputError
from beacon.ingest.limits import DEFAULT, ParseLimits, check_chars
from beacon.ingest.monospaced import drawn_rows, is_contents, is_preformatted, running_lines
from beacon.ingest.text import check_blocks, decode, tidy
from beacon.ingest.turns import mark_turns

_ITEM = re.compile(r"^[ ]*(?:[-*+•‣◦▪–][ ]+|\(?\d{1,3}[.)][ ]+)(?=\S)", re.MULTILINE)
_UNDERLINE = re.compile(r"\n[ ]*(={3,}|-{3,}|~{3,})[ ]*\Z")
_NUMBERED = re.compile(r"(?:[^\W\d_]{4,12}\s)?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}\.?|[A-Z](?:\.\d{1,3}){1,5}\.?|[A-Z]\.)\s+(?=[^\W\d_])")
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
    """The headings, paragraphs, list items and drawn tables of tidy plain text, in order; what is set in columns is code."""
    spans = [(start + len(text[start:end]) - len(text[start:end].lstrip("\n")), end) for start, end in _paragraphs(text)]
    running = running_lines([text[start:end] for start, end in spans])
    numbered = [bool(_NUMBERED.match(text[start:end])) for start, end in spans]
    path: tuple[str, ...] = ()
    for at, (line, end) in enumerate(spans):
        start = line + len(text[line:end]) - len(text[line:end].lstrip())
        paragraph = text[start:end]
        if text[line:end] in running or is_contents(paragraph):
            yield Block(start, end, "code", path)
        elif heading := _heading(paragraph) or _numbered_heading(paragraph, alone=not any(numbered[at + 1 : at + 2])):
            path = _below(path, " ".join(heading.split()))
            yield Block(start, start + len(heading), "heading", path[:-1])
        else:
            yield from _stretch(text, start, end, path)


def _stretch(text: str, start: int, end: int, path: tuple[str, ...]) -> Iterator[Block]:
    """A paragraph, its list items, the rows of the table it draws, or code."""
    if rows := list(drawn_rows(text, start, end)):
        yield from (Block(begin, stop, "table_head" if head else "table_row", path) for begin, stop, head in rows)
    elif is_preformatted(text[start:end]):
        yield Block(start, end, "code", path)
    else:
        yield from _items(text, start, end, path)


def _numbered_heading(paragraph: str, *, alone: bool) -> str:
    """The heading that a short numbered line is: numbered below another, or not followed by one of its kind, which makes a list."""
    found = _NUMBERED.match(paragraph)
    if not found or "\n" in paragraph or len(paragraph) > MAX_HEADING or paragraph.endswith(_SENTENCE_END):
        return ""
    return paragraph if alone or "." in found["number"].strip(".") else ""


def _below(path: tuple[str, ...], heading: str) -> tuple[str, ...]:
    """The headings down to `heading`: those above it by number, or it alone."""
    found = _NUMBERED.match(heading)
    number = found["number"].strip(".") if found else ""
    above = [one for one in path if number and (up := _NUMBERED.match(one)) and number.startswith(up["number"].strip(".") + ".")]
    return (*above, heading)


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
