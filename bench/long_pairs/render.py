"""Blocks of a document as plain text with pages, as Markdown and as a web page."""

import html
import textwrap

from bench.long_pairs.markup import cells

Blocks = list[tuple[str, list[str], int]]


def render_md(title: str, header: str, blocks: Blocks) -> str:
    """The document in Markdown."""
    parts = [f"# {title}", *([f"*{header}*"] if header else [])]
    for kind, texts, level in blocks:
        if kind == "heading":
            parts.append(f"{'#' * (level + 1)} {texts[0]}")
        elif kind == "para":
            parts.append(" ".join(texts))
        elif kind in ("item", "toc"):
            parts.append("\n".join(f"- {text}" for text in texts))
        elif kind == "ref":
            parts.append("\n\n".join(texts))
        elif kind == "row":
            head, *rows = (cells(text) for text in texts)
            parts.append("\n".join([pipes(head), pipes(["---"] * len(head)), *(pipes(row) for row in rows)]))
        else:
            parts.append(f"```\n{texts[0]}\n```")
    return "\n\n".join(parts) + "\n"


def pipes(row: list[str]) -> str:
    """The cells as a Markdown row."""
    return f"| {' | '.join(row)} |"


def render_html(title: str, header: str, blocks: Blocks) -> str:
    """The document as a web page with the site's furniture around it."""
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for kind, texts, level in blocks:
        safe = [html.escape(text, quote=False) for text in texts]
        if kind == "heading":
            parts.append(f"<h{level + 1}>{safe[0]}</h{level + 1}>")
        elif kind == "para":
            parts.append(f"<p>{' '.join(safe)}</p>")
        elif kind in ("item", "ref", "toc"):
            parts.append("<ul>\n" + "\n".join(f"  <li>{text}</li>" for text in safe) + "\n</ul>")
        elif kind == "row":
            parts.append(html_table([cells(text) for text in texts]))
        else:
            parts.append(f"<pre>{safe[0]}</pre>")
    return page(title, header, "\n".join(parts))


def html_table(rows: list[list[str]]) -> str:
    """A table whose first row is its head."""
    lines = ["<table>"]
    for at, row in enumerate(rows):
        tag = "td" if at else "th"
        lines.append("  <tr>" + "".join(f"<{tag}>{html.escape(cell, quote=False)}</{tag}>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


def page(title: str, footer: str, body: str) -> str:
    """The body in a page with navigation and a footer."""
    return (
        f"<!DOCTYPE html>\n<html>\n<head><meta charset='utf-8'><title>{html.escape(title)}</title></head>\n<body>\n"
        "<nav><ul><li><a href='/'>Home</a></li><li><a href='/products'>Products</a></li><li><a href='/help'>Help</a></li></ul></nav>\n"
        f"<main>\n{body}\n</main>\n<footer><p>{html.escape(footer)}</p></footer>\n</body>\n</html>\n"
    )


def render_txt(title: str, header: str, blocks: Blocks, *, width: int, page: int) -> str:
    """The document as text of `width` characters, with a running head on every page of about `page` lines."""
    lines, since, number = [title.center(width).rstrip(), ""], 0, 1
    for kind, texts, _ in blocks:
        block = _txt_block(kind, texts, width)
        lines += [*block, ""]
        since += len(block) + 1
        if since >= page and header and kind != "heading":
            lines += ["", f"{header}{f'[Page {number}]':>{max(1, width - len(header))}}", "\f", header, ""]
            since, number = 0, number + 1
    return "\n".join(lines).rstrip() + "\n"


def _txt_block(kind: str, texts: list[str], width: int) -> list[str]:
    if kind == "heading":
        return [texts[0]]
    if kind == "para":
        return textwrap.wrap(" ".join(texts), width, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False)
    if kind in ("item", "ref"):
        mark, hang = ("   *  ", "      ") if kind == "item" else ("   ", "       ")
        return [
            line
            for text in texts
            for line in [*textwrap.wrap(text, width, initial_indent=mark, subsequent_indent=hang, break_on_hyphens=False), ""]
        ][:-1]
    if kind == "toc":
        return ["Table of Contents", "", *(f"   {text} {'.' * max(3, width - len(text) - 9)} {at + 2}" for at, text in enumerate(texts))]
    if kind == "row":
        return _txt_table([cells(text) for text in texts])
    return ["   " + line for line in texts[0].splitlines()]


def _txt_table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    rule = "   +" + "+".join("-" * (size + 2) for size in widths) + "+"
    lines = [rule]
    for at, row in enumerate(rows):
        lines.append("   | " + " | ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)) + " |")
        if at == 0:
            lines.append(rule)
    return [*lines, rule]
