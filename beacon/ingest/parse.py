"""One door for every kind of file: bytes in, clean text with exact offsets out."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Literal

from beacon.domain.source import Document
from beacon.errors import InputError
from beacon.ingest.html import parse_html
from beacon.ingest.limits import DEFAULT, ParseLimits, check_size
from beacon.ingest.markdown import parse_markdown
from beacon.ingest.office import parse_docx, parse_pdf
from beacon.ingest.plain import parse_plain
from beacon.ingest.structured import parse_json, parse_table

Kind = Literal["text", "markdown", "html", "json", "rows", "pdf", "docx"]

SUFFIXES: dict[str, Kind] = {
    ".txt": "text", ".text": "text", ".log": "text", ".rst": "text", ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".json": "json", ".jsonl": "rows", ".ndjson": "rows", ".csv": "rows", ".tsv": "rows",
    ".pdf": "pdf", ".docx": "docx",
}  # fmt: skip
_MEDIA: dict[str, Kind] = {
    "text/plain": "text", "text/markdown": "markdown", "text/html": "html", "application/xhtml+xml": "html", "application/json": "json",
    "application/x-ndjson": "rows", "application/jsonl": "rows", "application/x-jsonlines": "rows", "text/csv": "rows",
    "text/tab-separated-values": "rows", "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
}  # fmt: skip
_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office file (.doc, .xls, .ppt) or a protected one: save it as DOCX, CSV or PDF without a password",
    ),
    (b"{\\rtf", "an RTF file: save it as DOCX or text"),
    (b"\x89PNG", "a picture: Beacon reads text, so run text recognition (OCR) on it first"),
    (b"\xff\xd8\xff", "a picture: Beacon reads text, so run text recognition (OCR) on it first"),
    (b"GIF8", "a picture: Beacon reads text, so run text recognition (OCR) on it first"),
    (b"\x1f\x8b", "a compressed archive: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed archive: unpack it first"),
    (b"Rar!", "a compressed archive: unpack it first"),
    (b"\x7fELF", "a program, not a document"),
    (b"SQLite format 3\x00", "a database: export what you need as CSV"),
    (b"%!PS", "a PostScript file: convert it to PDF"),
)
_HTML_HEAD = re.compile(rb"\s*(?:<!doctype\s+html|<html[\s>])", re.IGNORECASE)
_BEFORE_HTML = ((b"<?xml", b"?>"), (b"<!--", b"-->"))
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
READABLE = "text, Markdown, HTML, JSON, JSON Lines, CSV, PDF and DOCX"


def parse_bytes(data: bytes, *, name: str, media_type: str = "", limits: ParseLimits = DEFAULT) -> Document:
    """The document in `data`. What its bytes say counts before `name`'s suffix, and that before `media_type`.

    Raises InputError, naming the file and what to do, for what is empty, too large, damaged, protected or no text.
    """
    check_size(len(data), name, limits)
    kind = sniff(data, name, media_type)
    found = _CHARSET.search(media_type)
    charset = found[1] if found else ""
    if kind in {"pdf", "docx"}:
        document = (parse_pdf if kind == "pdf" else parse_docx)(data, name=name, limits=limits)
    else:
        document = _TEXTUAL[kind](data, name=name, charset=charset, limits=limits)
    return document if document.title else replace(document, title=PurePosixPath(name.replace("\\", "/")).stem)


_TEXTUAL: dict[Kind, Callable[..., Document]] = {
    "text": parse_plain,
    "markdown": parse_markdown,
    "html": parse_html,
    "json": parse_json,
    "rows": parse_table,
}


def sniff(data: bytes, name: str, media_type: str = "") -> Kind:
    """What kind of file this is. Raises InputError for one Beacon cannot read."""
    for magic, advice in _FOREIGN:
        if data.startswith(magic):
            raise InputError(f"'{name}' is {advice}.", file=name)
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "docx"
    by_name = SUFFIXES.get(PurePosixPath(name.replace("\\", "/").lower()).suffix)
    if by_name in {"pdf", "docx"}:
        raise InputError(f"'{name}' is not the {by_name.upper()} its name says, or is damaged: download or export it again.", file=name)
    if _starts_as_html(data[:4096]) and by_name not in {"markdown", "rows"}:
        return "html"
    return by_name or _by_content(data, media_type)


def _starts_as_html(head: bytes) -> bool:
    """True for a page's first bytes, after a byte order mark, an XML declaration and comments."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    while opened := next((end for start, end in _BEFORE_HTML if head.startswith(start)), None):
        _, closed, head = head.partition(opened)
        head = head.lstrip() if closed else b""
    return _HTML_HEAD.match(head) is not None


def _by_content(data: bytes, media_type: str) -> Kind:
    declared = _MEDIA.get(media_type.split(";")[0].strip().lower())
    if declared and declared not in {"pdf", "docx"}:
        return declared
    head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] in {b"{", b"["}:
        first_line = data.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)
        alone = first_line[0].rstrip().endswith(b"}") and len(first_line) > 1 and first_line[1].lstrip()[:1] == b"{"
        return "rows" if alone else "json"
    return "text"
