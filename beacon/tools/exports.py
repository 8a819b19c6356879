"""A report as a Word document, and as a page of its own."""

import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph
    from markdown_it.token import Token

STYLES = {"bullet_list_open": "List Bullet", "ordered_list_open": "List Number"}


PAGE = """<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 44rem; margin: 3rem auto; padding: 0 1.2rem; font: 1.02rem/1.6 system-ui, sans-serif; }}
body {{ color: #1c1917; background: #fffdf9; }}
h1 {{ font-size: 1.9rem; border-bottom: 2px solid #b45309; padding-bottom: .35rem; }}
h2 {{ font-size: 1.3rem; margin-top: 2.2rem; }}
h3 {{ font-size: 1.05rem; }}
a {{ color: #92400e; }}
td, th {{ border-bottom: 1px solid #d6d3d1; padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e7e5e4; background: #1c1917; }} a {{ color: #fbbf24; }} }}
</style>
</head>
<body>
{body}</body>
</html>
"""


def markdown_to_html(markdown: str, title: str) -> str:
    """The Markdown as a page that stands by itself and fetches nothing."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").render(markdown)
    return PAGE.format(title=html.escape(title), body=body)


def markdown_to_docx(markdown: str, title: str) -> bytes:
    """The Markdown as DOCX: headings, paragraphs, lists, bold, italics; links are written out after their words."""
    import docx
    from markdown_it import MarkdownIt

    document = docx.Document()
    document.core_properties.title = title
    document.core_properties.author = "Beacon"
    style, lists = "Normal", list[str]()
    tokens = MarkdownIt("commonmark", {"html": False}).parse(markdown)
    for token in tokens:
        if token.type in STYLES:
            lists.append(STYLES[token.type])
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "heading_open":
            style = f"Heading {min(int(token.tag[1]), 9)}"
        elif token.type == "paragraph_open":
            style = lists[-1] if lists else "Normal"
        elif token.type == "inline":
            _write(document.add_paragraph(style=style), token.children or [])
        elif token.type in ("fence", "code_block"):
            document.add_paragraph(token.content.rstrip("\n"))
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def _write(paragraph: "Paragraph", children: "Sequence[Token]") -> None:
    bold = italic = False
    links: list[str] = []
    for child in children:
        if child.type in ("strong_open", "strong_close"):
            bold = child.type == "strong_open"
        elif child.type in ("em_open", "em_close"):
            italic = child.type == "em_open"
        elif child.type == "link_open":
            links.append(str(child.attrs.get("href", "")))
        elif child.type == "link_close":
            address: Any = links.pop()
            if address.startswith(("http://", "https://")):
                paragraph.add_run(f" ({address})")
        else:
            run = paragraph.add_run("\n" if child.type in ("softbreak", "hardbreak") else child.content)
            run.bold, run.italic = bold, italic
