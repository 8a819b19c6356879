"""HTML to the main content of a page: headings, paragraphs, lists, tables and code, without scripts and navigation."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from beacon.domain.clock import parse_when
from beacon.domain.source import Document
from beacon.errors import InputError
from beacon.ingest.limits import DEFAULT, ParseLimits, check_chars
from beacon.ingest.text import TextBuilder, clean, decode, one_line

if TYPE_CHECKING:
    from lxml.etree import _Element  # type: ignore[import-untyped,unused-ignore]

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_XML_HEAD = re.compile(r"\A\s*<\?xml[^>]*\?>")
_DROPPED = frozenset(
    "script style noscript template svg math nav footer aside form button select iframe object embed canvas audio video dialog".split()
)
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font hi i ins kbd label mark q ref ruby rb s samp small span strong sub sup "
    "time tt u var wbr".split()
)
_HEADINGS = re.compile(r"h[1-6]\Z")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CELLS = frozenset({"td", "th", "cell"})
_ITEMS = frozenset({"li", "item", "dt", "dd"})
ENOUGH = 0.5  # of the page's words outside links and navigation: an extraction with less has missed the content
EXTRACTOR_CHARS, EXTRACTOR_ELEMENTS = 3_000_000, 30_000  # the extractor takes minutes above these: the page is read whole


def parse_html(data: bytes, *, name: str, charset: str = "", limits: ParseLimits = DEFAULT) -> Document:
    """The document of a page: its main content, or its whole body where the extractor finds little."""
    declared = _META_CHARSET.search(data[:4096])
    raw, warnings = decode(data, name, charset or (declared[1].decode("ascii") if declared else ""))
    check_chars(len(raw), name, limits)
    source = _XML_HEAD.sub("", clean(raw))
    root = _tree(source, name)
    title, published_at, language = _page_facts(root)
    whole = TextBuilder(name, limits)
    fits = len(source) <= EXTRACTOR_CHARS and sum(1 for _ in root.iter()) <= EXTRACTOR_ELEMENTS
    weight = _Walk(whole).run(_bare(root))
    main = _main_content(source, name, limits) if fits else None
    if main is not None and main.builder.size() >= ENOUGH * weight:
        title, published_at = main.title or title, published_at or main.published_at
        return main.builder.build(
            "text/html", title=title, published_at=published_at, language=language, metadata=main.metadata, warnings=warnings
        )
    if not whole.size():
        raise InputError(f"'{name}' has no readable text: the page may build itself by script. Save it as PDF or text instead.", file=name)
    return whole.build("text/html", title=title, published_at=published_at, language=language, warnings=warnings)


def add_html(builder: TextBuilder, fragment: str) -> None:
    """Append the readable blocks of an HTML fragment to a document."""
    if fragment.lstrip().startswith("<!--") and fragment.rstrip().endswith("-->") and fragment.count("<!--") == 1:
        return
    if "<" in fragment:
        _Walk(builder).run(_bare(_tree(f"<div>{fragment}</div>", builder.name)))


def _tree(source: str, name: str) -> "_Element":
    from lxml import etree  # type: ignore[import-untyped,unused-ignore]
    from lxml.html import HTMLParser, document_fromstring  # type: ignore[import-untyped,unused-ignore]

    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        return document_fromstring(source.encode("utf-8"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise InputError(f"'{name}' cannot be read as HTML ({error}): save the page again, or as text.", file=name) from error


def _page_facts(root: "_Element") -> tuple[str, datetime | None, str]:
    """Title, publication date and language as the page's head declares them."""
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        key = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        metas.setdefault(key.lower(), one_line(meta.get("content") or ""))
    titles = [metas.get("og:title", "")]
    titles += ["".join(found.itertext()) for tag in ("title", "h1") if (found := root.find(f".//{tag}")) is not None]
    dates = [metas.get(key, "") for key in ("article:published_time", "datepublished", "date", "dc.date", "dcterms.date", "pubdate")]
    language = (root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or metas.get("og:locale", "")).replace("_", "-")
    return one_line(next((t for t in titles if t.strip()), "")), _first_date(dates), language.split("-")[0].lower()


def _first_date(dates: list[str]) -> datetime | None:
    for text in dates:
        try:
            return parse_when(text)
        except InputError:
            continue
    return None


@dataclass(frozen=True, slots=True)
class _Main:
    builder: TextBuilder
    title: str
    published_at: datetime | None
    metadata: dict[str, object]


def _main_content(source: str, name: str, limits: ParseLimits) -> _Main | None:
    """What the extractor takes for the page's content; None if it finds nothing."""
    from trafilatura import bare_extraction
    from trafilatura.metadata import Document as Extracted

    found = bare_extraction(
        source,
        include_comments=False,
        include_tables=True,
        include_formatting=True,
        favor_recall=True,
        with_metadata=True,
        date_extraction_params={"extensive_search": False, "original_date": True, "max_date": "2199-12-31"},
    )
    if not isinstance(found, Extracted) or found.body is None:
        return None
    builder = TextBuilder(name, limits)
    _Walk(builder).run(found.body)
    facts = {"author": found.author, "site": found.sitename, "description": found.description}
    return _Main(
        builder, found.title or "", _first_date([found.date or ""]), {key: one_line(value) for key, value in facts.items() if value}
    )


def _bare(root: "_Element") -> "_Element":
    """The body without what no reader sees as content."""
    from lxml import etree  # type: ignore[import-untyped,unused-ignore]

    body = root.find(".//body")
    body = root if body is None else body
    for element in list(body.iter()):
        if element is not body and isinstance(element.tag, str) and _is_chrome(element):
            element.clear(keep_tail=True)
            element.tag = "span"
    etree.strip_elements(body, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    return body


def _is_chrome(element: "_Element") -> bool:
    if element.tag in _DROPPED or element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    if element.get("role") in {"navigation", "banner", "contentinfo", "search", "menu"} or _HIDDEN.search(element.get("style") or ""):
        return True
    return element.tag == "header" and not any(above.tag in {"article", "main", "section"} for above in element.iterancestors())


@dataclass(slots=True)
class _Walk:
    """One pass over an element tree, HTML or the extractor's own, without recursion."""

    builder: TextBuilder
    parts: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)  # the open elements that decide what kind of block the words are
    rows: list[list[str]] = field(default_factory=list)
    lists: list[int | None] = field(default_factory=list)
    marker: str = ""
    links: int = 0  # open links
    weight: int = 0  # characters outside links

    def run(self, root: "_Element") -> int:
        """Append the tree's blocks to the builder; returns how many characters of words stand outside links."""
        from lxml import etree  # type: ignore[import-untyped,unused-ignore]

        for event, element in etree.iterwalk(root, events=("start", "end")):
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                self._start(element)
                self._words(element.text)
            else:
                self._end(element)
                self._words(element.tail if element is not root else None)
        self._flush()
        return self.weight

    def _words(self, text: str | None) -> None:
        if text:
            self.parts.append(text if "pre" in self.kinds else re.sub(r"\s+", " ", text))
            self.weight += 0 if self.links else len(text.strip())

    def _start(self, element: "_Element") -> None:
        tag = str(element.tag)
        if tag in {"br", "lb"}:
            self.parts.append("\n")
        self.links += tag in {"a", "ref"}
        if tag == "img":
            self.parts.append(element.get("alt") or "")
        if tag in _INLINE and not (tag == "code" and "\n" in "".join(element.itertext())):
            return
        if tag not in {"br", "lb", "img"}:
            self._flush()
        self._open(element, tag)

    def _open(self, element: "_Element", tag: str) -> None:
        if kind := _kind(element, tag):
            self.kinds.append(kind)
        if tag in {"ul", "ol", "list"}:
            self.lists.append(1 if tag == "ol" or element.get("rend") == "ol" else None)
        elif tag in _ITEMS:
            self.marker = self._next_marker()
        elif kind == "row":
            self.rows.append([])
        elif kind == "cell":
            self.rows[-1].append("")
        elif tag == "hr":
            self.builder.rule()

    def _next_marker(self) -> str:
        if not self.lists:
            return "- "
        number = self.lists[-1]
        self.lists[-1] = None if number is None else number + 1
        return "  " * (len(self.lists) - 1) + ("- " if number is None else f"{number}. ")

    def _end(self, element: "_Element") -> None:
        tag = str(element.tag)
        self.links -= tag in {"a", "ref"}
        if tag in {"br", "lb", "img"} or (tag in _INLINE and not (tag == "code" and "\n" in "".join(element.itertext()))):
            return
        kind = _kind(element, tag)
        self._flush()
        if kind:
            self.kinds.pop()
        if kind == "row":
            self.builder.add("table_head" if _is_head(element) else "table_row", " | ".join(self.rows.pop()))
        elif tag in {"ul", "ol", "list"} and self.lists:
            self.lists.pop()

    def _flush(self) -> None:
        raw, self.parts = "".join(self.parts), []
        kind = self.kinds[-1] if self.kinds else ""
        if "cell" in self.kinds and self.rows:
            self.rows[-1] = self.rows[-1] or [""]
            self.rows[-1][-1] = f"{self.rows[-1][-1]} {one_line(raw)}".strip()
        elif kind == "pre":
            self.builder.add("code", raw)
        elif text := "\n".join(line for part in raw.split("\n") if (line := one_line(part))):
            if kind.startswith("h"):
                self.builder.heading(int(kind[1]), text)
            elif kind == "item":
                self.builder.add("list_item", text, marker=self.marker)
                self.marker = ""
            else:
                self.builder.add("paragraph", text)


def _is_head(row: "_Element") -> bool:
    """True for the row that names a table's columns; the first cell of a row may be a heading of that row alone."""
    cells = [child for child in row if child.tag in _CELLS]
    return len(cells) > 1 and all(cell.tag == "th" or cell.get("role") == "head" for cell in cells)


def _kind(element: "_Element", tag: str) -> str:
    if _HEADINGS.match(tag):
        return tag
    if tag == "head":
        rend = element.get("rend") or "h2"
        return rend if _HEADINGS.match(rend) else "h2"
    if tag in _ITEMS:
        return "item"
    if tag in {"tr", "row"}:
        return "row" if sum(1 for child in element if child.tag in _CELLS) > 1 else ""
    if tag in _CELLS:
        parent = element.getparent()
        return "cell" if parent is not None and _kind(parent, str(parent.tag)) == "row" else ""
    return "pre" if tag in {"pre", "code"} else ""
