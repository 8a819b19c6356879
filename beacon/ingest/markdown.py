"""Markdown to readable plain text with its headings, lists, tables and code kept as blocks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from beacon.domain.clock import parse_when
from beacon.domain.source import Document
from beacon.errors import InputError
from beacon.ingest.html import add_html
from beacon.ingest.limits import DEFAULT, ParseLimits, check_chars
from beacon.ingest.text import TextBuilder, clean, decode, join_lines, one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT = re.compile(r"\A---[ ]*\n(.*?)\n(?:---|\.\.\.)[ ]*(?:\n|\Z)", re.DOTALL)
_FRONT_LINE = re.compile(r"^([A-Za-z_][\w-]*):(?:[ ]+(.*)|[ ]*)$")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BEFORE_LABEL = re.compile(r"(?<=[.!?…。！？\"”)\]])\n(?=[^\W\d_a-z][^\n:：]{0,48}[:：])")  # a speaker's line, not a wrapped one
MAX_INLINE = 10_000  # characters
MAX_BRACKETS = 500  # in one piece: no text has a link every twenty characters, and each unclosed one is costly


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
    return reader.disable(["inline", "text_join"])  # the walk asks for the inline tokens itself, in bounded pieces


def parse_markdown(data: bytes, *, name: str, charset: str = "", limits: ParseLimits = DEFAULT) -> Document:
    """The document of a Markdown file: emphasis and link addresses gone, words kept. Its title is the front matter's or first heading."""
    raw, warnings = decode(data, name, charset)
    check_chars(len(raw), name, limits)
    source = clean(raw)
    front, body = _front_matter(source)
    env: dict[str, object] = {}
    walk = _Walk(TextBuilder(name, limits), env)
    walk.run(_reader().parse(body, env))
    title = front.get("title", "") or walk.builder.first_heading()
    metadata: dict[str, object] = {key: value for key, value in front.items() if value}
    return walk.builder.build(
        "text/markdown", title=title, published_at=_front_date(front), language=front.get("lang", ""), metadata=metadata, warnings=warnings
    )


def _front_matter(source: str) -> tuple[dict[str, str], str]:
    """The scalar fields of a YAML head, and the text after it."""
    found = _FRONT.match(source)
    if not found:
        return {}, source
    fields: dict[str, str] = {}
    key = ""
    for line in found[1].split("\n"):
        if start := _FRONT_LINE.match(line):
            key = start[1]
            fields[key] = _unquoted((start[2] or "").strip())
        elif key and line.startswith(" ") and line.strip():
            fields[key] = f"{fields[key].removeprefix('>-').removeprefix('|').removeprefix('>')} {line.strip()}".strip()
    return (fields, source[found.end() :]) if fields else ({}, source)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _front_date(front: dict[str, str]) -> datetime | None:
    for key in ("date", "published", "publishDate", "published_at"):
        try:
            return parse_when(front[key])
        except (KeyError, InputError):
            continue
    return None


@dataclass(slots=True)
class _Walk:
    """One pass over the tokens of a document."""

    builder: TextBuilder
    env: dict[str, object]  # the link references of the document
    lists: list[int | None] = field(default_factory=list)  # the next number of each open list; None for bullets
    marker: str = ""  # of the item whose first words are still to come
    cells: list[str] = field(default_factory=list)
    heads: bool = False  # the open row holds the names of columns

    def run(self, tokens: "Sequence[Token]") -> None:
        """Append every block of `tokens` to the builder."""
        for at, token in enumerate(tokens):
            if token.type == "inline":
                self._inline(token, tokens[at - 1])
            elif token.type in {"fence", "code_block"}:
                self.builder.add("code", token.content)
            elif token.type == "html_block":
                add_html(self.builder, token.content)
            elif token.type == "hr":
                self.builder.rule()
            else:
                self._open_or_close(token)

    def _open_or_close(self, token: "Token") -> None:
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            self.lists.append(int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None)
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            self.lists.pop()
        elif token.type == "list_item_open":
            number = self.lists[-1]
            self.marker = "  " * (len(self.lists) - 1) + ("- " if number is None else f"{number}. ")
            self.lists[-1] = None if number is None else number + 1
        elif token.type == "tr_close":
            self.builder.add("table_head" if self.heads else "table_row", " | ".join(self.cells))
            self.heads = False
            self.cells.clear()

    def _children(self, content: str) -> "list[Token]":
        from markdown_it.token import Token

        if content.count("[") > MAX_BRACKETS:
            return [Token("text", "", 0, content=content)]
        children: list[Token] = []
        _reader().inline.parse(content, _reader(), self.env, children)
        return children

    def _inline(self, token: "Token", opener: "Token") -> None:
        text = "\n".join(_plain(self._children(piece)) for piece in _pieces(token.content))
        if opener.type == "heading_open":
            self.builder.heading(int(opener.tag[1]), text)
        elif opener.type in {"th_open", "td_open"}:
            self.heads = opener.type == "th_open"
            self.cells.append(one_line(text))
        elif self.lists:
            self.builder.add("list_item", join_lines(text), marker=self.marker)
            self.marker = ""
        else:
            self.builder.add("paragraph", join_lines(_BEFORE_LABEL.sub("\v", text)))


def _pieces(content: str) -> Iterator[str]:
    """The lines of a paragraph in pieces short enough for a reader whose time grows with the square of the length."""
    while len(content) > MAX_INLINE:
        cut = content.rfind("\n", 0, MAX_INLINE)
        cut = content.rfind(" ", 0, MAX_INLINE) if cut <= 0 else cut
        cut = MAX_INLINE if cut <= 0 else cut
        yield content[:cut]
        content = content[cut:].lstrip("\n")
    yield content


def _plain(children: "Sequence[Token]") -> str:
    """The words of inline tokens: link texts, picture descriptions and code without their marks. A hard break is `\\v`."""
    parts: list[str] = []
    for child in children:
        if child.type in {"text", "code_inline", "text_special"}:
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append("\n")
        elif child.type == "hardbreak" or (child.type == "html_inline" and _BREAK_TAG.match(child.content)):
            parts.append("\v")
        elif child.type == "image":
            parts.append(_plain(child.children or ()))
    return "".join(parts)
