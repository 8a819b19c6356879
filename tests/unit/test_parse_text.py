"""Plain text, Markdown and what every parsed document promises."""

import unicodedata
from datetime import UTC, datetime

import pytest

from beacon.domain.source import Document
from beacon.ingest.parse import parse_bytes

MARKDOWN = """---
title: 'Quarterly notes'
date: 2025-02-03
---

# Results

Most people **liked** the [new map](https://example.org/map), but
found it *slow*.

## Details

- first `item`
  - nested item
3. third

| Port | Fee |
|------|-----|
| North | 10 |

```python
x  = 1
```
"""

SAMPLES = {
    "a.md": MARKDOWN.encode(),
    "a.txt": b"TITLE LINE\r\n\r\nOne\tline.\r\nTwo\x0b lines.\r\n\r\n\r\n\r\n- a\r\n- b\r\n",
    "a.html": b"<html><body><h1>Head</h1><p>Some text.</p><ul><li>one</li><li>two</li></ul></body></html>",
    "a.json": b'{"a": {"b": [1, 2.50, null, true]}, "c": "x\\ny", "empty": ""}',
    "a.csv": b"id,text\n1,Hello\n2,World\n",
    "a.jsonl": b'{"id": 1, "text": "Hello"}\n{"id": 2, "text": "World"}\n',
    "turns.txt": b"Ann: How was it for you?\nBob: It was slow at first.\nAnn: And after that?\nBob: Much better than before.\n",
    "cafe.txt": "Cafe\u0301 re\u0301sume\u0301\u00ad\u200b\ufeff.".encode(),
}


def _parse(name: str) -> Document:
    return parse_bytes(SAMPLES[name], name=name)


def _kinds(doc: Document, kind: str) -> list[str]:
    return [doc.text[block.start : block.end] for block in doc.blocks if block.kind == kind]


@pytest.mark.parametrize("name", SAMPLES)
def test_text_is_nfc_with_no_control_characters(name: str) -> None:
    text = _parse(name).text
    assert unicodedata.is_normalized("NFC", text)
    assert not [char for char in text if unicodedata.category(char) == "Cc" and char != "\n"]


@pytest.mark.parametrize("name", SAMPLES)
def test_blocks_are_in_order_trimmed_and_do_not_overlap(name: str) -> None:
    doc = _parse(name)
    at = 0
    for block in doc.blocks:
        piece = doc.text[block.start : block.end]
        assert at <= block.start < block.end <= len(doc.text)
        assert piece == piece.strip()
        at = block.end


def test_markdown_keeps_words_and_drops_marks() -> None:
    assert "Most people liked the new map, but found it slow." in _parse("a.md").text


def test_markdown_headings_are_the_path_of_what_follows() -> None:
    doc = _parse("a.md")
    paths = {doc.text[block.start : block.end]: block.path for block in doc.blocks}
    assert paths["North | 10"] == ("Results", "Details")


def test_markdown_list_items_tables_and_code_are_blocks() -> None:
    doc = _parse("a.md")
    assert _kinds(doc, "list_item") == ["first item", "nested item", "third"]
    assert (_kinds(doc, "table_head"), _kinds(doc, "table_row")) == (["Port | Fee"], ["North | 10"])
    assert _kinds(doc, "code") == ["x  = 1"]


def test_markdown_front_matter_gives_title_and_date() -> None:
    doc = _parse("a.md")
    assert (doc.title, doc.published_at) == ("Quarterly notes", datetime(2025, 2, 3, tzinfo=UTC))
    assert "Quarterly notes" not in doc.text


def test_a_japanese_paragraph_wrapped_over_lines_gets_no_spaces() -> None:
    assert parse_bytes("これは長い\n文章です。".encode(), name="x.md").text == "これは長い文章です。"


def test_html_inside_markdown_shows_its_words_only() -> None:
    doc = parse_bytes(b"Before\n\n<div><script>bad()</script><p>inside</p></div>\n\n<!-- note -->\n\nAfter", name="x.md")
    assert doc.text.split() == ["Before", "inside", "After"]


def test_plain_text_capitals_and_underlines_are_headings() -> None:
    doc = parse_bytes(b"MAIN PART\n\nFirst words here.\n\nSecond part\n-----------\n\nMore words here.", name="x.txt")
    assert _kinds(doc, "heading") == ["MAIN PART", "Second part"]
    assert doc.blocks[-1].path == ("Second part",)


def test_plain_text_list_lines_are_items_without_their_marks() -> None:
    doc = parse_bytes(b"We need:\n- bread\n- milk that is\n  fresh\n1. eggs", name="x.txt")
    assert _kinds(doc, "list_item") == ["bread", "milk that is\n  fresh", "eggs"]


def test_a_file_without_a_title_is_named_after_itself() -> None:
    assert parse_bytes(b"words", name="folder/My notes.txt").title == "My notes"


def test_html_named_txt_is_read_as_html() -> None:
    assert parse_bytes(b"<!DOCTYPE html><html><body><p>Hello</p></body></html>", name="x.txt").text == "Hello"


def test_the_media_type_decides_when_the_name_says_nothing() -> None:
    assert parse_bytes(b"# Head\n\nwords", name="page", media_type="text/markdown; charset=utf-8").blocks[0].kind == "heading"


def test_lone_surrogates_become_the_replacement_character() -> None:
    assert parse_bytes(b'{"a": "x\\ud800y"}', name="x.json").text == "a: x\ufffdy"
