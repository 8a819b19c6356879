"""A report as a PDF: text first, every citation a link to its source, every source a link to its page."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, HRFlowable, ListFlowable, ListItem, PageTemplate, Paragraph, Spacer, Table

from beacon.tools.pdf_fonts import TEXT, Lettering, is_unspaced, register

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

INK, SOFT, AMBER, LINE = (HexColor(code) for code in ("#1c1917", "#78716c", "#b45309", "#e7e5e4"))
LINK = "#92400e"
MARGIN = 24 * mm
_FOOTNOTE = re.compile(r"(?m)^\[\^(\d+)\]:\s*")
_MARK = re.compile(r"\[\^?(\d{1,4})\]")
_SAFE = ("http://", "https://", "mailto:")


def _style(name: str, size: float, leading: float, **more: Any) -> ParagraphStyle:
    return ParagraphStyle(name, fontName=TEXT, fontSize=size, leading=leading, textColor=INK, alignment=TA_LEFT, **more)


BODY = _style("body", 9.6, 14.2, spaceAfter=5.5)
DATELINE = _style("dateline", 8.8, 12.5, spaceAfter=4)
QUOTE = _style("quote", 9.2, 13.4, spaceAfter=5.5, leftIndent=10)
CODE = _style("code", 8.2, 11.4, spaceAfter=6, leftIndent=8)
CELL = _style("cell", 8.4, 11.4)
NOTE = _style("note", 7.8, 11, spaceBefore=8)
HEADINGS = {
    1: _style("h1", 19, 24, spaceAfter=3),
    2: _style("h2", 13, 17.5, spaceBefore=13, spaceAfter=4, keepWithNext=1),
    3: _style("h3", 10.4, 14, spaceBefore=7, spaceAfter=3, keepWithNext=1),
}


def markdown_to_pdf(markdown: str, title: str) -> bytes:
    """The Markdown as PDF, the same bytes for the same text. What its fonts cannot show is said on its last page."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    register()
    text = _FOOTNOTE.sub(r"\1. ", markdown)
    tree = SyntaxTreeNode(MarkdownIt("commonmark", {"html": False}).enable("table").parse(text))
    page = _Page(Lettering(text), _numbers(tree))
    story = list(page.blocks(tree.children))
    story += [Paragraph(page.lettering.mark_up(note), NOTE.clone("n", textColor=SOFT)) for note in page.lettering.notes()]
    held = io.BytesIO()
    _Document(held, title, page.lettering.mark_up(title)).build(story or [Spacer(1, 1)])
    return held.getvalue()


def _numbers(tree: "SyntaxTreeNode") -> frozenset[int]:
    """The numbers of the sources: of the last numbered list, to which citations lead."""
    lists = [node for node in tree.walk() if node.type == "ordered_list"]
    if not lists:
        return frozenset()
    first = int(lists[-1].attrs.get("start", 1))
    return frozenset(range(first, first + len(lists[-1].children)))


class _Document(BaseDocTemplate):  # type: ignore[misc,unused-ignore]
    """A4, one column, with the title and the page's number at the foot and the headings as bookmarks."""

    def __init__(self, held: io.BytesIO, title: str, foot: str) -> None:
        super().__init__(held, pagesize=A4, title=title, author="Beacon", invariant=1, leftMargin=MARGIN, rightMargin=MARGIN)
        self._foot, self._headings, self._level = foot, 0, -1
        frame = Frame(MARGIN, 22 * mm, A4[0] - 2 * MARGIN, A4[1] - 44 * mm, 0, 0, 0, 0)
        self.addPageTemplates([PageTemplate("page", [frame], onPage=self._draw_foot)])

    def _draw_foot(self, canvas: Any, _document: Any) -> None:
        style = NOTE.clone("foot", textColor=SOFT, spaceBefore=0)
        for text, x, width in ((self._foot, MARGIN, 130 * mm), (str(canvas.getPageNumber()), A4[0] - MARGIN - 10 * mm, 10 * mm)):
            part = Paragraph(text, style if x == MARGIN else style.clone("number", alignment=2))
            part.wrapOn(canvas, width, 11)
            part.drawOn(canvas, x, 12 * mm)

    def afterFlowable(self, flowable: Flowable) -> None:
        level = {"h1": 0, "h2": 1, "h3": 2}.get(getattr(getattr(flowable, "style", None), "name", ""))
        if level is None or not isinstance(flowable, Paragraph):
            return
        self._level = min(level, self._level + 1)  # a bookmark may go one level deeper than the one before it
        self._headings += 1
        key = f"heading-{self._headings}"
        self.canv.bookmarkHorizontal(key, 0, self.frame._y + flowable.height)
        self.canv.addOutlineEntry(flowable.getPlainText(), key, self._level, closed=self._level > 0)


@dataclass(slots=True)
class _Page:
    """Markdown's blocks as what the library lays out."""

    lettering: Lettering
    numbers: frozenset[int]
    headed: bool = False  # the title has just been set: what follows is its dateline

    def blocks(self, nodes: "Sequence[SyntaxTreeNode]") -> Iterator[Flowable]:
        """The flowables of these blocks."""
        for node in nodes:
            yield from self._block(node)

    def _block(self, node: "SyntaxTreeNode") -> Iterator[Flowable]:
        if node.type == "heading":
            yield from self._heading(node)
        elif node.type == "paragraph":
            yield self._paragraph(node, DATELINE.clone("d", textColor=SOFT) if self._is_dateline() else BODY)
        elif node.type in ("bullet_list", "ordered_list"):
            yield self._list(node)
        elif node.type == "blockquote":
            yield from (self._paragraph(one, QUOTE.clone("q", textColor=SOFT)) for one in node.children if one.type == "paragraph")
        elif node.type == "table":
            yield self._table(node)
        elif node.type in ("fence", "code_block"):
            lines = self.lettering.mark_up(node.content.rstrip("\n")).replace(" ", "\u00a0").replace("\n", "<br/>")
            yield Paragraph(lines, CODE)
        elif node.type == "hr":
            yield HRFlowable(width="100%", thickness=0.6, color=LINE, spaceBefore=6, spaceAfter=8)

    def _is_dateline(self) -> bool:
        first, self.headed = self.headed, False
        return first

    def _heading(self, node: "SyntaxTreeNode") -> Iterator[Flowable]:
        level = min(int(node.tag[1]), 3)
        self.headed = level == 1
        yield self._paragraph(node, HEADINGS[level], bold=True)
        if level == 1:
            yield HRFlowable(width=34, thickness=1.6, color=AMBER, hAlign="LEFT", spaceBefore=1, spaceAfter=6)

    def _paragraph(self, node: "SyntaxTreeNode", style: ParagraphStyle, *, bold: bool = False, before: str = "") -> Paragraph:
        inline = [child for one in node.children for child in (one.children if one.type == "inline" else [one])]
        text = self._inline(inline)
        if is_unspaced(text):
            style = style.clone(style.name, wordWrap="CJK")
        return Paragraph(before + (f"<b>{text}</b>" if bold else text), style)

    def _inline(self, nodes: "Sequence[SyntaxTreeNode]") -> str:
        return "".join(self._span(node) for node in nodes)

    def _span(self, node: "SyntaxTreeNode") -> str:
        if node.type == "text":
            return self._cited(node.content)
        if node.type in ("strong", "em"):
            tag = "b" if node.type == "strong" else "i"
            return f"<{tag}>{self._inline(node.children)}</{tag}>"
        if node.type == "link":
            return self._link(str(node.attrs.get("href", "")), self._inline(node.children))
        if node.type in ("softbreak", "hardbreak"):
            return " " if node.type == "softbreak" else "<br/>"
        return self.lettering.mark_up(node.content)

    def _link(self, address: str, words: str) -> str:
        if not address.startswith(_SAFE):
            return words
        quoted = address.replace("&", "&amp;").replace('"', "%22").replace("<", "%3C").replace(">", "%3E")
        return f'<a href="{quoted}" color="{LINK}">{words}</a>'

    def _cited(self, text: str) -> str:
        parts, at = [], 0
        for mark in _MARK.finditer(text):
            if int(mark[1]) in self.numbers:
                parts += [
                    self.lettering.mark_up(text[at : mark.start()]),
                    f'<a href="#source-{int(mark[1])}" color="{LINK}"><font size="7.6">[{mark[1]}]</font></a>',
                ]
                at = mark.end()
        return "".join([*parts, self.lettering.mark_up(text[at:])])

    def _list(self, node: "SyntaxTreeNode") -> Flowable:
        ordered = node.type == "ordered_list"
        first = int(node.attrs.get("start", 1)) if ordered else 1
        is_sources = ordered and self.numbers == frozenset(range(first, first + len(node.children)))
        items = [
            ListItem(list(self._item(one, f'<a name="source-{n}"/>' if is_sources else "")), leftIndent=16, value=n if ordered else None)
            for n, one in enumerate(node.children, first)
        ]
        common = {"leftIndent": 16, "bulletFontName": TEXT, "bulletColor": SOFT}
        if ordered:
            return ListFlowable(items, bulletType="1", bulletFormat="%s.", bulletFontSize=8.6, start=first, **common)
        return ListFlowable(items, bulletType="bullet", start="•", bulletFontSize=9.6, **common)

    def _item(self, node: "SyntaxTreeNode", anchor: str) -> Iterator[Flowable]:
        style = BODY.clone("item", spaceAfter=3.2)
        for at, one in enumerate(node.children):
            if one.type == "paragraph":
                yield self._paragraph(one, style, before=anchor if at == 0 else "")
            else:
                yield from self._block(one)

    def _table(self, node: "SyntaxTreeNode") -> Flowable:
        rows = [
            [self._paragraph(cell, CELL, bold=part.type == "thead") for cell in row.children]
            for part in node.children
            for row in part.children
        ]
        width = (A4[0] - 2 * MARGIN) / max(1, len(rows[0]))
        rules = [("LINEBELOW", (0, 0), (-1, -1), 0.5, LINE), ("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (-1, -1), 0)]
        return Table(rows, colWidths=[width] * len(rows[0]), repeatRows=1, style=rules, spaceBefore=6, spaceAfter=8, hAlign="LEFT")
