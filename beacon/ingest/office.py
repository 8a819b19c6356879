"""DOCX and PDF to text."""

import io
import logging
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from beacon.domain.source import Document
from beacon.errors import InputError
from beacon.ingest.limits import DEFAULT, ParseLimits, check_zip
from beacon.ingest.text import TextBuilder, clean, join_lines, one_line

if TYPE_CHECKING:
    from lxml.etree import _Element  # type: ignore[import-untyped,unused-ignore]
    from pypdf import PdfReader

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_STYLE_LEVEL = re.compile(r"(?:heading|titre|überschrift|título|titolo|kop|rubrik)\s*([1-9])\Z", re.IGNORECASE)
_OTHER_ZIP = {
    "xl/": "a spreadsheet: save each sheet as CSV",
    "ppt/": "a slide deck: save it as PDF",
    "mimetype": "an OpenDocument or EPUB file: save it as DOCX or PDF",
}
_HYPHEN = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[-\u2010]\n([^\W\d_]+)")
_HYPHENATED = re.compile(r"(?<![^\W\d_])[^\W\d_]+-[^\W\d_]+")
_SOFT_HYPHEN = re.compile("\u00ad\n?")
_BULLET = re.compile(r"[ ]*(?:[•‣◦▪●–\uf0b7*][ ]+|-[ ]+|\(?(?:\d{1,3}|[a-z])[.)][ ]+)(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:。！？…][\"'”’)\]]*\Z")
_DIGITS = re.compile(r"\d+")
MIN_PAGES_FOR_REPEATS = 4


def parse_docx(data: bytes, *, name: str, limits: ParseLimits = DEFAULT) -> Document:
    """The document of a Word file: headings, paragraphs, list items and table rows, in order, deleted text left out."""
    parts = check_zip(data, name, limits)
    if "word/document.xml" not in parts:
        what = next(
            (advice for start, advice in _OTHER_ZIP.items() if any(part.startswith(start) for part in parts)), "an archive: unpack it"
        )
        raise InputError(f"'{name}' is {what}, then ingest that.", file=name)
    from docx import Document as open_docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    try:
        opened = open_docx(io.BytesIO(data))
        styles = {style.style_id: str(style.name or "") for style in opened.styles}
        properties = opened.core_properties
    except (OpcError, XMLSyntaxError, KeyError, ValueError, AttributeError, OSError) as error:
        raise InputError(
            f"'{name}' is damaged: it cannot be read as a Word document ({error}). Save it again as DOCX.", file=name
        ) from error
    builder = TextBuilder(name, limits)
    title = _Word(builder, styles).run(opened.element.body)
    created = properties.created
    metadata: dict[str, object] = {"author": one_line(properties.author or ""), "created": created.isoformat() if created else ""}
    language = (properties.language or "").split("-")[0].lower()
    title = title or one_line(properties.title or "") or builder.first_heading()
    return builder.build(
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        title=title,
        language=language,
        metadata={key: value for key, value in metadata.items() if value},
    )


class _Word:
    """One pass over the body of a Word document."""

    def __init__(self, builder: TextBuilder, styles: dict[str, str]) -> None:
        self.builder = builder
        self.styles = styles
        self.title = ""

    def run(self, body: "_Element") -> str:
        """Append every block; returns the text of the Title paragraph, if there is one."""
        for element in body.iterchildren():
            if element.tag == f"{_W}p":
                self._paragraph(element)
            elif element.tag == f"{_W}tbl":
                self._table(element)
            elif element.tag == f"{_W}sdt":
                for content in element.iterchildren(f"{_W}sdtContent"):
                    self.run(content)
        return self.title

    def _paragraph(self, element: "_Element") -> None:
        text = _word_text(element)
        style_id = next((node.get(f"{_W}val") or "" for node in element.iterfind(f"{_W}pPr/{_W}pStyle")), "")
        style = self.styles.get(style_id, style_id)
        if level := _STYLE_LEVEL.match(style):
            self.builder.heading(int(level[1]) + 1, text)
        elif style == "Title":
            self.title = self.title or one_line(text)
            self.builder.heading(1, text)
        elif element.find(f"{_W}pPr/{_W}numPr") is not None or style.startswith("List "):
            self.builder.add("list_item", text, marker="- ")
        else:
            self.builder.add("paragraph", text)

    def _table(self, element: "_Element") -> None:
        for row in element.iter(f"{_W}tr"):
            cells = [one_line(" ".join(_word_text(p) for p in cell.iter(f"{_W}p"))) for cell in row.iter(f"{_W}tc") if _row_of(cell) is row]
            if any(cells):
                heads = row.find(f"{_W}trPr/{_W}tblHeader") is not None
                self.builder.add("table_head" if heads else "table_row", " | ".join(cells))


def _row_of(cell: "_Element") -> "_Element | None":
    return next(cell.iterancestors(f"{_W}tr"), None)


def _word_text(paragraph: "_Element") -> str:
    """The words of a paragraph as they read after accepting every tracked change."""
    parts: list[str] = []
    for node in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}cr", f"{_W}noBreakHyphen"):
        if any(above.tag in {f"{_W}moveFrom", f"{_W}del", _MC_FALLBACK, f"{_W}pPr"} for above in node.iterancestors()):
            continue
        tag = str(node.tag).removeprefix(_W)
        parts.append({"t": node.text or "", "tab": " ", "noBreakHyphen": "-"}.get(tag, "\n"))
    return "".join(parts)


def parse_pdf(data: bytes, *, name: str, limits: ParseLimits = DEFAULT) -> Document:
    """The document of a PDF: paragraphs by page, wrapped lines joined, words split at line ends mended, running heads left out."""
    reader = _open_pdf(data, name, limits)
    pages = _page_lines(reader, name, limits)
    warnings: list[str] = []
    if empty := [str(at) for at, lines in enumerate(pages, start=1) if not any(lines)]:
        if len(empty) == len(pages):
            raise InputError(
                f"'{name}' has no text in its {len(pages)} pages, only pictures: run text recognition (OCR) on it first.", file=name
            )
        warnings.append(f"Pages without text: {', '.join(empty[:20])}. If they are scans, run text recognition (OCR) first.")
    repeated = _running_lines(pages)
    if repeated:
        warnings.append(f"Left out {len(repeated)} running heads or feet that repeat on most pages.")
    hyphenated = _hyphenated_words(pages)
    builder = TextBuilder(name, limits)
    for number, lines in enumerate(pages, start=1):
        for kind, paragraph in _pdf_paragraphs(_without(lines, number, repeated), hyphenated):
            builder.add("list_item" if kind else "paragraph", paragraph, path=(f"page {number}",), marker=kind)
    title, metadata = _pdf_facts(reader)
    return builder.build("application/pdf", title=title, metadata={**metadata, "pages": len(pages)}, warnings=warnings)


def _open_pdf(data: bytes, name: str, limits: ParseLimits) -> "PdfReader":
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs what it repairs; what it cannot repair is raised
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"'{name}' is protected by a password: save a copy without one and ingest that.", file=name)
        count = len(reader.pages)
    except DependencyError as error:
        raise InputError(f"'{name}' is encrypted in a way Beacon cannot open: save a copy without encryption.", file=name) from error
    except _pdf_faults(PyPdfError) as error:
        raise InputError(f"'{name}' is damaged: it cannot be read as a PDF. Download or export it again.", file=name) from error
    if count == 0:
        raise InputError(f"'{name}' is a PDF without pages: download or export it again.", file=name)
    if count > limits.max_pages:
        raise InputError(f"'{name}' has {count:,} pages, more than the {limits.max_pages:,} Beacon reads: split it.", file=name)
    return reader


def _pdf_faults(vendor: type[Exception]) -> tuple[type[Exception], ...]:
    """What the PDF reader raises on broken files: besides its own errors, whatever the broken structure led to."""
    return (
        vendor,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        AssertionError,
        OSError,
        RecursionError,
        NotImplementedError,
        OverflowError,
        ArithmeticError,
    )


def _page_lines(reader: "PdfReader", name: str, limits: ParseLimits) -> list[list[str]]:
    from pypdf.errors import PyPdfError

    pages: list[list[str]] = []
    total = 0
    for number in range(1, len(reader.pages) + 1):
        try:
            text = reader.pages[number - 1].extract_text()
        except _pdf_faults(PyPdfError) as error:
            raise InputError(f"'{name}' is damaged at page {number}: download or export it again.", file=name, page=number) from error
        total += len(text)
        if total > limits.max_chars:
            raise InputError(f"'{name}' unfolds to more than {limits.max_chars:,} characters: split it into smaller files.", file=name)
        pages.append([" ".join(line.split()) for line in clean(_SOFT_HYPHEN.sub("", text)).split("\n")])
    return pages


def _pdf_facts(reader: "PdfReader") -> tuple[str, dict[str, object]]:
    """Title, author and date as the file's own properties say; nothing when they are damaged."""
    from pypdf.errors import PyPdfError

    try:
        facts: Mapping[str, object] = reader.metadata or {}
        title, author, created = (one_line(str(facts.get(key) or "")) for key in ("/Title", "/Author", "/CreationDate"))
    except _pdf_faults(PyPdfError):
        return "", {}
    metadata: dict[str, object] = {key: value for key, value in (("author", author), ("created", created)) if value}
    return ("" if title.lower() in {"untitled", "(anonymous)"} else title), metadata


def _running_lines(pages: list[list[str]]) -> frozenset[str]:
    """The shapes of first and last lines that most pages share."""
    if len(pages) < MIN_PAGES_FOR_REPEATS:
        return frozenset()
    counts: Counter[str] = Counter()
    for number, lines in enumerate(pages, start=1):
        counts.update({shape for at in _edges(lines) for shape in _shapes(lines[at], number)})
    return frozenset(shape for shape, count in counts.items() if count > 0.6 * len(pages))


def _edges(lines: list[str]) -> tuple[int, ...]:
    """The places of a page's first and last line, if there is something between them."""
    filled = [at for at, line in enumerate(lines) if line]
    return (filled[0], filled[-1]) if len(filled) > 2 else ()


def _shapes(line: str, page: int) -> set[str]:
    """The line as it is, and with each of its numbers as the distance from the page: only page numbers keep that constant."""
    numbers = _DIGITS.finditer(line)
    return {line} | {f"{line[: n.start()]}\0{int(n[0][:9]) - page}\0{line[n.end() :]}" for n in numbers}


def _without(lines: list[str], page: int, repeated: frozenset[str]) -> list[str]:
    gone = {at for at in _edges(lines) if not repeated.isdisjoint(_shapes(lines[at], page))}
    return [line for at, line in enumerate(lines) if at not in gone]


def _hyphenated_words(pages: list[list[str]]) -> frozenset[str]:
    """The words the document writes with a hyphen inside a line: they keep it at a line end too."""
    return frozenset(word.casefold() for lines in pages for line in lines for word in _HYPHENATED.findall(line))


def _pdf_paragraphs(lines: list[str], hyphenated: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Each paragraph, after its list marker or an empty string."""
    usual = statistics.quantiles([len(line) for line in lines if line], n=10)[8] if sum(1 for line in lines if line) > 1 else 0
    group: list[str] = []
    for line in lines:
        if group and (not line or _BULLET.match(line) or _ends_paragraph(group[-1], line, usual)):
            yield _joined(group, hyphenated)
            group = []
        if line:
            group.append(line)
    if group:
        yield _joined(group, hyphenated)


def _ends_paragraph(line: str, following: str, usual: float) -> bool:
    """True when `line` stops well short of the page's usual width for no other reason than that its paragraph is over."""
    short = len(line) < 0.75 * usual
    return short and (bool(_SENTENCE_END.search(line)) or not following[:1].islower())


def _joined(group: list[str], hyphenated: frozenset[str]) -> tuple[str, str]:
    text = _HYPHEN.sub(lambda found: _mended(found, hyphenated), "\n".join(group))
    marker = found[0] if (found := _BULLET.match(text)) else ""
    return marker, join_lines(text[len(marker) :])


def _mended(found: re.Match[str], hyphenated: frozenset[str]) -> str:
    """A word split at a line end: in one piece, or with its hyphen where that belongs to the word."""
    head, tail = found[1], found[2]
    keeps = not tail[:1].islower() or len(head) < 2 or len(tail) < 2 or f"{head}-{tail}".casefold() in hyphenated
    return f"{head}-{tail}" if keeps else head + tail
