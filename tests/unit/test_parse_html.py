"""Pages: the main content, its structure and its head; nothing that a reader does not see as content."""

from datetime import UTC, datetime

from beacon.domain.source import Document
from beacon.ingest.parse import parse_bytes

SENTENCE = "The council decided on Tuesday to keep the harbour open all winter, citing steady traffic. "
PAGE = f"""<!doctype html><html lang="no-NO"><head><title>Harbour | News</title><meta property="og:title" content="Harbour stays open">
<meta property="article:published_time" content="2025-03-04T10:00:00Z"><script>var evil = 1;</script></head><body>
<nav><ul><li><a href="/">Home</a></li></ul></nav><main><article><h1>Harbour stays open</h1><p>{SENTENCE * 3}</p><h2>Fees</h2>
<table><tr><th>Ship</th><th>Fee</th></tr><tr><td>Small</td><td>10</td></tr></table><ul><li>Dredging in April</li>
<li>New lights</li></ul><p>{SENTENCE}</p></article></main><footer>Imprint</footer></body></html>"""


def _parse(page: str) -> Document:
    return parse_bytes(page.encode(), name="page.html")


def _blocks(doc: Document) -> list[tuple[str, str]]:
    return [(block.kind, doc.text[block.start : block.end]) for block in doc.blocks]


def test_main_content_has_no_script_navigation_or_footer() -> None:
    text = _parse(PAGE).text
    assert not any(word in text for word in ("evil", "Home", "Imprint"))


def test_tables_and_lists_are_kept() -> None:
    blocks = _blocks(_parse(PAGE))
    assert ("table_row", "Small | 10") in blocks
    assert ("list_item", "Dredging in April") in blocks


def test_title_date_and_language_come_from_the_head() -> None:
    doc = _parse(PAGE)
    assert (doc.title, doc.published_at, doc.language) == ("Harbour stays open", datetime(2025, 3, 4, 10, tzinfo=UTC), "no")


def test_a_page_the_extractor_finds_little_in_is_read_whole() -> None:
    rows = "".join(f"<dl><dt>Term {n}</dt><dd>Meaning of it {n}</dd></dl>" for n in range(30))
    assert "Meaning of it 29" in _parse(f"<html><body>{rows}</body></html>").text


def test_a_layout_table_of_one_cell_reads_as_paragraphs() -> None:
    doc = _parse("<table><tr><td><p>First words.</p><p>Second words.</p></td></tr></table>")
    assert _blocks(doc) == [("paragraph", "First words."), ("paragraph", "Second words.")]


def test_a_declared_legacy_charset_is_used() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body><p>Добрый день</p></body></html>'.encode("cp1251")
    assert parse_bytes(page, name="x.html").text == "Добрый день"


def test_entities_become_characters() -> None:
    assert _parse("<p>Fish &amp; chips &lt;b&gt; &eacute;</p>").text == "Fish & chips <b> é"


def test_an_xml_declaration_does_not_stop_the_parser() -> None:
    assert _parse('<?xml version="1.0" encoding="utf-8"?><html><body><p>Hello</p></body></html>').text == "Hello"


def test_text_astray_inside_nested_tables_is_kept() -> None:
    assert "astray" in _parse("<table><tr><td>a<table><tr>astray<td>b</td><td>c</td></tr></table></td><td>d</td></tr></table>").text
