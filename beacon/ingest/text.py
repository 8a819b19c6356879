"""Bytes to clean characters, and clean characters to a Document with exact offsets."""

import codecs
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from beacon.domain.source import Block, Document
from beacon.errors import InputError
from beacon.ingest.limits import DEFAULT, ParseLimits, check_chars
from beacon.ingest.turns import mark_turns

BlockKind = Literal["heading", "paragraph", "list_item", "table_head", "table_row", "field", "turn", "code"]

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_DROPPED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\u00ad\u200b]")
_TIGHT = frozenset({"list_item", "table_row", "field"})
_AFTER_HEAD = ("table_head", "table_row")
_SURROGATES = re.compile("[\ud800-\udfff]")
_MANY_LINES = re.compile(r"\n{3,}")
_CONTROL_BYTES = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32))
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 100_000  # bytes shown to the encoding detector: more does not change its mind and costs seconds
_EAST_OF_CP1252 = frozenset({"Polish", "Czech", "Slovak", "Hungarian", "Croatian", "Slovene", "Romanian", "Serbian", "Bosnian", "Albanian"})


def clean(text: str) -> str:
    """`text` in NFC with `\\n` as its only line break, tabs as spaces, and no control, soft-hyphen or zero-width-space characters."""
    if not text.isascii() or not text.isprintable():
        text = _BREAKS.sub("\n", text)
        text = text.replace("\t", " ")
        text = _DROPPED.sub("", text)
        text = _SURROGATES.sub("\ufffd", text)
        text = unicodedata.normalize("NFC", text)
    return text


def one_line(text: str) -> str:
    """Clean text with every run of white space as one space."""
    return " ".join(clean(text).split())


def tidy(text: str) -> str:
    """Clean text without spaces at line ends, surrounding blank lines, or more than one blank line in a row."""
    lines = "\n".join(line.rstrip(" \u00a0") for line in clean(text).split("\n"))
    return _MANY_LINES.sub("\n\n", lines).strip()


_UNSPACED = "\u1000-\u109f\u0e00-\u0eff\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_WRAP = re.compile(rf"(?<=[{_UNSPACED}])\n(?=[{_UNSPACED}])")


def join_lines(text: str) -> str:
    """The lines of a wrapped paragraph as one; scripts that write no spaces get none. A `\\v` stands for a wanted line break."""
    return _WRAP.sub("", text).replace("\n", " ").replace("\v", "\n")


def decode(data: bytes, name: str, charset: str = "") -> tuple[str, tuple[str, ...]]:
    """The characters of `data` and what the user should be told about how they were found. Raises InputError for binary data.

    Order: byte order mark, the charset the server named, UTF-8, UTF-16 without a mark, a detector, Windows-1252.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), ()
    if wide := _wide_encoding(data):
        return data.decode(wide, errors="replace"), (f"'{name}' was read as {wide}: it has no byte order mark.",)
    refuse_binary(data, name)
    if named := _decoded(data, charset):
        return named, ()
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        return _decode_legacy(data, name, error)


def refuse_binary(data: bytes, name: str) -> None:
    """Raise InputError when `data` is no text in any encoding."""
    sample = data[:1_000_000]
    control = len(sample) - len(sample.translate(None, _CONTROL_BYTES))
    if control and control > len(sample) / 200:
        raise InputError(
            f"'{name}' holds binary data, not text: give Beacon the document itself (text, Markdown, HTML, JSON, CSV, PDF or DOCX).",
            file=name,
        )


def _wide_encoding(data: bytes) -> str:
    sample = data[:4000]
    if len(sample) < 4 or len(data) % 2 or sample.count(0) < len(sample) * 0.3:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 20 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 20 * odd else ""


def _decoded(data: bytes, charset: str) -> str:
    if not charset:
        return ""
    try:
        return data.decode(charset)
    except (LookupError, UnicodeDecodeError):
        return ""


def _decode_legacy(data: bytes, name: str, error: UnicodeDecodeError) -> tuple[str, tuple[str, ...]]:
    repaired = data.decode("utf-8", errors="replace")
    bad, wide = repaired.count("\ufffd"), sum(1 for c in repaired[:200_000] if ord(c) > 127 and c != "\ufffd")
    if bad <= max(1, wide // 20) and wide > bad:
        return repaired, (f"'{name}' is UTF-8 with {bad} damaged characters, the first at byte {error.start}; they show as \ufffd.",)
    encoding = _detect(data)
    text = data.decode(encoding, errors="replace")
    readable = sum(1 for c in text[:_SAMPLE] if c.isalnum() or c.isspace() or unicodedata.category(c)[0] in "PSM")
    if readable < 0.85 * min(len(text), _SAMPLE):
        raise InputError(f"'{name}' cannot be read as text in any known encoding: save it as UTF-8 and try again.", file=name)
    return text, (f"'{name}' is not UTF-8; it was read as {encoding}. Save it as UTF-8 if letters look wrong.",)


def _detect(data: bytes) -> str:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return "cp1252"
    high = next(i for i, byte in enumerate(data) if byte > 127)
    start = max(0, high - _SAMPLE // 2)
    best = from_bytes(data[start : start + _SAMPLE]).best()
    if best is None or (best.encoding in {"cp1250", "ascii"} and best.language not in _EAST_OF_CP1252):
        return "cp1252"  # for Western text the detector cannot tell the two apart, and this one is far commoner
    return best.encoding


@dataclass(slots=True)
class TextBuilder:
    """Grows a document's text block by block, so that every offset is exact by construction."""

    name: str
    limits: ParseLimits = DEFAULT
    _parts: list[str] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
    _length: int = 0
    _breaks: list[int] = field(default_factory=list)
    _headings: list[tuple[int, str]] = field(default_factory=list)

    def add(self, kind: BlockKind, text: str, *, path: tuple[str, ...] | None = None, marker: str = "") -> None:
        """Append a block; text of nothing but space is skipped.

        Rows, fields and list items stand on neighbouring lines, all else after a blank line. A list item's `marker`
        is in the text before the block.
        """
        text = tidy(text)
        if not text:
            return
        above = self._blocks[-1].kind if self._blocks else ""
        tight = (kind in _TIGHT and above == kind) or (above, kind) == _AFTER_HEAD
        gap = ("\n" if tight else "\n\n" if self._length else "") + marker
        self._parts.append(gap)
        self._length += len(gap)
        start, self._length = self._length, self._length + len(text)
        check_chars(self._length, self.name, self.limits)
        check_blocks(len(self._blocks), self.name, self.limits)
        self._parts.append(text)
        self._blocks.append(Block(start, self._length, kind, self.path if path is None else path))

    def heading(self, level: int, text: str) -> None:
        """Append a heading; it closes the headings of its level and below, and is in the path of what follows."""
        text = one_line(text)
        if not text:
            return
        self._headings = [(above, title) for above, title in self._headings if above < level]
        self.add("heading", text)
        self._headings.append((level, text))

    def rule(self) -> None:
        """Mark a break in thought: no speaker's turn runs on across it."""
        self._breaks.append(self._length)

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above what comes next."""
        return tuple(title for _, title in self._headings)

    def first_heading(self) -> str:
        """The text of the first heading, or an empty string."""
        return next(("".join(self._parts)[b.start : b.end] for b in self._blocks if b.kind == "heading"), "")

    def size(self) -> int:
        """How many characters there are so far."""
        return self._length

    def build(
        self,
        media_type: str,
        *,
        title: str = "",
        published_at: datetime | None = None,
        language: str = "",
        metadata: dict[str, object] | None = None,
        warnings: Iterable[str] = (),
        turns: bool = True,
    ) -> Document:
        """The finished document. Raises InputError when no text was found."""
        text = "".join(self._parts)
        if not text:
            raise InputError(f"'{self.name}' has no readable text: check that it is the file you meant.", file=self.name)
        blocks = mark_turns(text, self._blocks, self._breaks) if turns else self._blocks
        return Document(
            text=text,
            title=one_line(title),
            media_type=media_type,
            blocks=tuple(blocks),
            published_at=published_at,
            language=language,
            metadata=metadata or {},
            warnings=tuple(warnings),
        )


def check_blocks(count: int, name: str, limits: ParseLimits) -> None:
    """Raise InputError when a file falls into more pieces than the limit."""
    if count > limits.max_blocks:
        raise InputError(f"'{name}' falls into more than {limits.max_blocks:,} pieces: split it into smaller files.", file=name)
