"""DOCX and PDF, built here in code."""

import io
import zipfile

import pytest

from beacon.domain.source import Document
from beacon.ingest.parse import parse_bytes


def _docx() -> bytes:
    import docx

    made = docx.Document()
    made.core_properties.title = "Harbour report"
    made.add_heading("Findings", level=1)
    paragraph = made.add_paragraph("Ships ")
    paragraph.add_run("wait").bold = True
    paragraph.add_run(" for hours.")
    made.add_heading("Fees", level=2)
    made.add_paragraph("Small ships pay less", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip((cell for row in table.rows for cell in row.cells), ("Ship", "Fee", "Small", "10"), strict=True):
        cell.text = text
    made.add_paragraph("After the table.")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def _pdf(pages: list[list[str]]) -> bytes:
    from reportlab.pdfgen import canvas  # type: ignore[import-untyped,unused-ignore]

    out = io.BytesIO()
    paper = canvas.Canvas(out, invariant=1)
    paper.setTitle("Harbour study")
    for lines in pages:
        text = paper.beginText(50, 780)
        for line in lines:
            text.textLine(line)
        paper.drawText(text)
        paper.showPage()
    paper.save()
    return out.getvalue()


def _blocks(doc: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.path, doc.text[block.start : block.end]) for block in doc.blocks]


def test_docx_keeps_headings_lists_and_tables_in_order() -> None:
    assert _blocks(parse_bytes(_docx(), name="r.docx")) == [
        ("heading", (), "Findings"),
        ("paragraph", ("Findings",), "Ships wait for hours."),
        ("heading", ("Findings",), "Fees"),
        ("list_item", ("Findings", "Fees"), "Small ships pay less"),
        ("table_row", ("Findings", "Fees"), "Ship | Fee"),
        ("table_row", ("Findings", "Fees"), "Small | 10"),
        ("paragraph", ("Findings", "Fees"), "After the table."),
    ]


def test_docx_title_comes_from_its_properties() -> None:
    assert parse_bytes(_docx(), name="r.docx").title == "Harbour report"


def test_docx_reads_as_if_every_tracked_change_were_accepted() -> None:
    old = b'<w:t xml:space="preserve">Ships </w:t></w:r>'
    new = old + b"<w:ins><w:r><w:t>now </w:t></w:r></w:ins><w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
    assert "Ships now wait" in parse_bytes(_with_part(_docx(), old, new), name="r.docx").text


def _with_part(data: bytes, old: bytes, new: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for part in source.infolist():
            content = source.read(part)
            target.writestr(part, content.replace(old, new) if part.filename == "word/document.xml" else content)
    assert old in zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml")
    return out.getvalue()


def test_pdf_blocks_carry_their_page() -> None:
    doc = parse_bytes(_pdf([["First page words."], ["Second page words."]]), name="s.pdf")
    assert [(path, text) for _, path, text in _blocks(doc)] == [(("page 1",), "First page words."), (("page 2",), "Second page words.")]


def test_pdf_title_comes_from_its_properties() -> None:
    assert parse_bytes(_pdf([["Words."]]), name="s.pdf").title == "Harbour study"


@pytest.mark.parametrize(
    ("head", "tail", "whole"),
    [
        ("the inter-", "national rules of shipping", "the international rules of shipping"),
        ("a well-", "known harbour; well-known indeed", "a well-known harbour; well-known indeed"),
        ("made by Anna-", "Lena and her crew this year", "made by Anna-Lena and her crew this year"),
        ("in the years 2020-", "2024 the harbour grew a lot", "in the years 2020- 2024 the harbour grew a lot"),
    ],
)
def test_pdf_words_split_at_line_ends_are_mended_with_care(head: str, tail: str, whole: str) -> None:
    assert whole in parse_bytes(_pdf([[f"Here we speak at some length of {head}", tail]]), name="s.pdf").text


def test_pdf_lines_of_a_paragraph_are_joined_and_paragraphs_are_not() -> None:
    lines = [
        "The harbour is open all the year and every ship that comes",
        "may enter it at any hour.",
        "Fees are due in the first week of each and every month now",
        "and fall.",
    ]
    paragraphs = [text for _, _, text in _blocks(parse_bytes(_pdf([lines]), name="s.pdf"))]
    assert paragraphs == [" ".join(lines[:2]), " ".join(lines[2:])]


def _report(foot: str) -> Document:
    body = ["Alpha ships come in.", "Beta boats leave.", "Gamma nets dry.", "Delta cranes turn.", "Epsilon bells ring."]
    pages = [[f"Harbour study, page {n} of 5", words, f"{words} Again and again.", foot.format(n * 10)] for n, words in enumerate(body, 1)]
    return parse_bytes(_pdf(pages), name="s.pdf")


def test_pdf_running_heads_are_left_out_and_told_of() -> None:
    doc = _report("All rights reserved")
    assert "page" not in doc.text
    assert "rights" not in doc.text
    assert "running heads" in doc.warnings[0]


def test_pdf_last_lines_that_differ_in_a_figure_are_content() -> None:
    assert "Total: 30" in _report("Total: {}").text


def test_pdf_pages_without_text_are_told_of() -> None:
    assert "Pages without text: 2" in parse_bytes(_pdf([["Words."], []]), name="s.pdf").warnings[0]
