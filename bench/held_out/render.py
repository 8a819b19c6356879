"""Plain markup as the file a reader would meet: a page of the web, or lines of text with page breaks."""

import html
import re
import textwrap
from collections.abc import Iterator


def as_page(text: str, title: str, head: str, foot: str, *, tidy: bool = False) -> str:
    """A web page; `tidy` nests it differently, as another site generator would."""
    body = "\n".join(_block(block, tidy) for block in re.split(r"\n\s*\n", text.strip()))
    main = f"<main class='content'><article>\n{body}\n</article></main>" if tidy else f"<div id=main>\n{body}\n</div>"
    return (
        f"<!DOCTYPE html>\n<html><head><meta charset='utf-8'><title>{html.escape(title)}</title></head>\n<body>\n"
        f"<header><nav>{head}</nav></header>\n{main}\n<footer>{foot}</footer>\n</body></html>\n"
    )


def _inline(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(" ".join(text.split()), quote=False))


def _block(block: str, tidy: bool) -> str:
    if found := re.match(r"(#+) (.*)", block):
        depth = len(found[1])
        mark = f" id='h{sum(map(ord, found[2]))}'" if tidy else ""
        rest = block[found.end() :].strip()
        return f"<h{depth}{mark}>{_inline(found[2])}</h{depth}>" + (f"\n{_block(rest, tidy)}" if rest else "")
    if block.startswith("|"):
        return _table(block.splitlines(), tidy)
    if block.startswith("- "):
        items = re.split(r"^- ", block, flags=re.MULTILINE)[1:]
        return (
            "<ul>\n" + "\n".join(f"<li>{'<p>' if tidy else ''}{_inline(item)}{'</p>' if tidy else ''}</li>" for item in items) + "\n</ul>"
        )
    return f"<p>{_inline(block)}</p>"


def _table(lines: list[str], tidy: bool) -> str:
    rows = [[_inline(cell) for cell in line.strip().strip("|").split("|")] for line in lines if not set(line) <= set("|-: ")]
    head = "<tr>" + "".join(f"<th>{cell}</th>" for cell in rows[0]) + "</tr>"
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[1:])
    return f"<table class='t'><thead>{head}</thead>\n<tbody>{body}</tbody></table>" if tidy else f"<table>\n{head}\n{body}\n</table>"


def as_memo(text: str, head: str, foot: str, *, width: int = 72, length: int = 54) -> str:
    """Lines of text in pages with a running head and foot, as standards documents of old are printed."""
    pages: list[list[str]] = [[]]
    for block in _memo_blocks(text, width):
        keep = 2 if len(block) < 12 else len(block)
        room = length - len(pages[-1]) - 1
        if room < min(keep, len(block)):
            pages.append([])
            room = length
        if len(block) > room:
            pages[-1] += ["", *block[:room]] if pages[-1] else block[:room]
            pages.append(block[room:])
        else:
            pages[-1] += ["", *block] if pages[-1] else block
    out = []
    for n, page in enumerate(pages, 1):
        lines = [head, "", "", *page] if n > 1 else page
        lines += [""] * (length + 3 - len(lines)) + ["", f"{foot:<{width - 10}}[Page {n:>2}]".rstrip()]
        out.append("\n".join(lines))
    return "\n\f\n".join(out) + "\n"


def _memo_blocks(text: str, width: int) -> Iterator[list[str]]:
    for block in re.split(r"\n\s*\n", text.strip()):
        if found := re.match(r"(#+) (.*)", block):
            yield [found[2].center(width).rstrip()] if len(found[1]) == 1 else [found[2]]
            block = block[found.end() :].strip()
        if block.startswith("  "):
            yield block.splitlines()
        elif block.startswith("- "):
            for item in re.split(r"^- ", block, flags=re.MULTILINE)[1:]:
                yield textwrap.wrap(" ".join(item.split()), width, initial_indent="   o  ", subsequent_indent="      ")
        elif block:
            yield textwrap.wrap(" ".join(block.split()), width, initial_indent="   ", subsequent_indent="   ")
