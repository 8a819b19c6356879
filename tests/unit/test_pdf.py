"""A report as a PDF: what it says, where its citations lead, and what it says of letters it cannot show."""

import io

import pytest

from beacon.tools.pdf import markdown_to_pdf

REPORT = """# River bridge

Run #2 · 2026-03-09

## What Changed Since 2026-03-02

- **toll:** “4 euros” (2026-02-01) [1] → “5 euros” (2026-03-05) [2]

| line | fare |
| --- | --- |
| North | 12 € |

## Sources

### Cited

1. [First notice](https://example.org/a?x=1&y=2), 2026-02-01
2. [Second notice](https://example.org/b), 2026-03-05
"""


def read(markdown: str) -> tuple[str, list[str]]:
    """(its text, the addresses and places its links lead to)."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(markdown_to_pdf(markdown, "River bridge")))
    assert reader.metadata is not None and reader.metadata.title == "River bridge"
    links = []
    for page in reader.pages:
        for note in page.get("/Annots") or []:
            found = note.get_object()
            links.append(str(found["/A"]["/URI"]) if "/A" in found else str(found.get("/Dest") or found.get("/Contents")))
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split()), links


def test_it_says_what_the_report_says() -> None:
    text, _ = read(REPORT)
    for words in ("River bridge", "Run #2", "What Changed Since 2026-03-02", "“4 euros” (2026-02-01) [1] → “5 euros”", "North", "12 €"):
        assert words in text


def test_citations_lead_to_their_sources_and_sources_to_their_pages() -> None:
    _, links = read(REPORT)
    assert {"https://example.org/a?x=1&y=2", "https://example.org/b"} <= set(links) and len(links) == 4


def test_a_number_in_brackets_that_is_no_source_is_no_link() -> None:
    text, links = read(REPORT.replace("[2]\n", "[2] [9] [1999]\n"))
    assert "[9]" in text and "[1999]" in text and len(links) == 4


def test_footnotes_are_citations_too() -> None:
    text, links = read("# T\n\nIt costs 4 euros [^1].\n\n## Sources\n\n[^1]: [Notice](https://example.org/a), 2026-02-01\n")
    assert "[1]" in text and len(links) == 2


@pytest.mark.parametrize(
    "words", ["το πλοίο κοστίζει", "паром стоит, ґанок їхній", "zażółć gęślą jaźń", "người đẹp", "≠ ✕ ○ ✓", "Հայերեն ქართული"]
)
def test_letters_of_these_scripts_are_shown(words: str) -> None:
    text, _ = read(f"# T\n\n{words}\n")
    assert words in text and "stands for" not in text


def test_letters_it_lacks_are_counted_and_said() -> None:
    text, _ = read("# T\n\nThe sign says שלום and مرحبا.\n")
    assert "Arabic (5), Hebrew (4)" in text and "The sign says" in text


def test_eastern_text_is_there_and_the_fonts_are_said_to_be_the_readers() -> None:
    text, _ = read("# T\n\n北の船の料金は12ユーロです。\n\n배표는 12유로입니다.\n")
    assert "fonts of the program" in text and "stands for" not in text and "12" in text


@pytest.mark.parametrize(
    "text", ["", "# ", "<b>&amp;<script>", "- \n\n1. \n", "|a|\n|-|\n", "x" * 5000, '[a](javascript:alert(1)) [b](<x"y>)', "\x00\ufeff"]
)
def test_whatever_is_written_makes_a_file(text: str) -> None:
    assert markdown_to_pdf(text, "T").startswith(b"%PDF-")


def test_the_same_report_is_the_same_file() -> None:
    assert markdown_to_pdf(REPORT, "T") == markdown_to_pdf(REPORT, "T")


def test_no_link_leads_to_a_script() -> None:
    _, links = read("# T\n\n[a](javascript:alert(1)) [b](file:///etc/passwd) [c](https://example.org/)\n")
    assert links == ["https://example.org/"]
