"""A report as a Word document says what its Markdown says."""

import io

import docx

from beacon.tools.exports import markdown_to_docx

MARKDOWN = "# Ñandú\n\n**9 – 3.** “Held at 3%” [1] → “cut”\n\n## Key facts\n\n- First <b>fact</b>\n- [Page](https://example.org/a)\n"


def paragraphs() -> list[tuple[str, str]]:
    return [(p.style.name, p.text) for p in docx.Document(io.BytesIO(markdown_to_docx(MARKDOWN, "T"))).paragraphs]


def test_headings_lists_and_text_keep_their_order_and_style() -> None:
    assert [style for style, _ in paragraphs()] == ["Heading 1", "Normal", "Heading 2", "List Bullet", "List Bullet"]


def test_words_are_kept_whole_and_markup_in_them_is_text() -> None:
    texts = [text for _, text in paragraphs()]
    assert texts[1] == "9 – 3. “Held at 3%” [1] → “cut”" and texts[3] == "First <b>fact</b>"


def test_links_show_their_address() -> None:
    assert paragraphs()[4][1] == "Page (https://example.org/a)"
