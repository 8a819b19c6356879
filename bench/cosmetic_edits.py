"""How a document can look: rendering with every edit that changes its looks and not what it says."""

import csv
import html
import io
import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

Block = tuple[str, list[list[str]]]  # kind (h1, h2, p, l, t) and its rows of cells

_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
}
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PERCENT = re.compile(r"(\d) (?:percent|Prozent|pour cent)\b")
_RANGE = re.compile(r"<= (V?\d+(?:\.\d+)*)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_LIGATURES = (("ffi", "ﬃ"), ("fi", "ﬁ"), ("fl", "ﬂ"))
_FULL_WIDTH = {ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"}


@dataclass(frozen=True, slots=True)
class Look:
    """How a document is rendered. Two looks of one text say the same."""

    form: str = "md"  # md, txt, html, csv, json
    width: int = 0  # characters at which lines are wrapped; 0 leaves them long
    turned: str = ""  # what stands in another order: any of sections, items, rows, keys
    numbered: bool = False  # headings
    padded: bool = False  # tables: cells filled up with spaces; CSV: every cell quoted; JSON: indented
    bold: tuple[str, ...] = ()
    links: str = ""  # host that all links lead to
    dates: str = ""  # uk, us, de, fr, zh; empty leaves 2026-03-04
    thousands: str = ","
    percent: bool = False  # 5 % for 5 percent
    ranges: str = ""  # what "<= V1.2" becomes, {} for the version
    words: tuple[tuple[str, str], ...] = ()  # abbreviations and what they stand for
    curly: bool = False
    dashes: bool = False
    spaces: bool = False  # no-break spaces after numbers
    ligatures: bool = False
    full_width: bool = False
    chrome: int = 0  # which header, navigation, notice and footer stand around it
    stamp: str = ""  # when it says it was last updated
    pages: bool = False  # page numbers
    encoding: str = "utf-8"
    newline: str = "\n"
    url: str = "https://example.org/page"


def read_blocks(text: str) -> list[Block]:
    """The blocks of plain Markdown: headings, paragraphs, lists and tables."""
    blocks: list[Block] = []
    for line in text.splitlines():
        kind, cells = _read_line(line)
        if not kind:
            continue
        if kind in ("l", "t") and blocks and blocks[-1][0] == kind:
            blocks[-1][1].append(cells)
        else:
            blocks.append((kind, [cells]))
    return blocks


def _read_line(line: str) -> tuple[str, list[str]]:
    if not line.strip() or line.startswith("| ---"):
        return "", []
    if line.startswith("#"):
        marks, _, words = line.partition(" ")
        return f"h{len(marks)}", [words]
    if line.startswith("- "):
        return "l", [line[2:]]
    if line.startswith("|"):
        return "t", [cell.strip() for cell in line.strip("|").split("|")]
    return "p", [line]


def render(text: str, look: Look) -> bytes:
    """The document's bytes in this look."""
    if look.form == "json":
        rendered = _render_json(text, look)
    else:
        blocks = [(kind, [[_dress(cell, look) for cell in row] for row in rows]) for kind, rows in _ordered(read_blocks(text), look)]
        rendered = _FORMS[look.form](_numbered(blocks) if look.numbered else blocks, look)
    return rendered.replace("\n", look.newline).encode(look.encoding)


def _ordered(blocks: list[Block], look: Look) -> list[Block]:
    """Sections after the first, list items and table rows, last one first where they are turned."""
    starts = [n for n, (kind, _) in enumerate(blocks) if kind == "h2"]
    if "sections" in look.turned and starts:
        ends = [*starts[1:], len(blocks)]
        parts = [blocks[a:b] for a, b in zip(starts, ends, strict=True)]
        blocks = blocks[: starts[0]] + [block for part in reversed(parts) for block in part]
    if "items" in look.turned:
        blocks = [(kind, rows[::-1] if kind == "l" else rows) for kind, rows in blocks]
    if "rows" in look.turned:
        blocks = [(kind, [rows[0], *rows[:0:-1]] if kind == "t" else rows) for kind, rows in blocks]
    return blocks


def _numbered(blocks: list[Block]) -> list[Block]:
    at, numbered = 0, []
    for kind, rows in blocks:
        at += kind == "h2"
        numbered.append((kind, [[f"{at}. {rows[0][0]}"]] if kind == "h2" else rows))
    return numbered


def _dress(text: str, look: Look) -> str:
    """The words in this look; links keep their Markdown form."""
    text = _LINK.sub(lambda found: f"[{found[1]}](https://{look.links}/{len(found[1])})", text) if look.links else text
    for old, new in look.words:
        text = text.replace(old, new)
    text = _RANGE.sub(lambda found: look.ranges.format(found[1]), text) if look.ranges else text
    text = _ISO.sub(lambda found: _date(found, look.dates), text) if look.dates else text
    text = _THOUSANDS.sub(look.thousands, text) if look.thousands != "," else text
    text = _PERCENT.sub(r"\1%", text) if look.percent else text
    return _typography(text, look)


def _date(found: re.Match[str], style: str) -> str:
    day = date(int(found[1]), int(found[2]), int(found[3]))
    month = _MONTHS.get(style, _MONTHS["en"])[day.month - 1]
    forms = {
        "uk": f"{day.day} {month} {day.year}", "us": f"{month} {day.day}, {day.year}", "de": f"{day.day}. {month} {day.year}",
        "fr": f"{day.day} {month} {day.year}", "zh": f"{day.year}年{day.month}月{day.day}日",
    }  # fmt: skip
    return forms[style]


def _typography(text: str, look: Look) -> str:
    if look.curly:
        text = re.sub(r'"([^"]*)"', "“\\1”", text).replace("'", "\u2019")
    if look.dashes:
        text = re.sub(r"(?<=[a-z])-(?=[a-z])", "\u2011", text)
    if look.spaces:
        text = re.sub(r"(?<=\d) (?=[^\W\d])", "\u00a0", text)
    if look.ligatures:
        for plain, joined in _LIGATURES:
            text = re.sub(rf"(?<=\w){plain}|{plain}(?=\w)", joined, text)
    return text.translate(_FULL_WIDTH) if look.full_width else text


_CHROME: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((), ()),
    (("Home | About us | News | Contact", "Skip to main content"), ("© 2025 All rights reserved.", "Follow us on our channels")),
    (
        ("Start > Documents > Current", "We use cookies to improve this site. Accept all cookies or change your cookie preferences."),
        ("© 2026 All rights reserved. Terms of use and privacy policy", "Share this page", "Subscribe to our newsletter"),
    ),
    (("Search | Help | Sign in | My account | Language",), ("Imprint | Privacy policy | Accessibility", "Back to top", "Print this page")),
)


def _around(look: Look) -> tuple[list[str], list[str]]:
    above, below = (list(lines) for lines in _CHROME[look.chrome])
    if look.stamp:
        below.insert(0, f"Last updated: {look.stamp}")
    return above, below


def _wrapped(text: str, width: int) -> str:
    if not width:
        return text
    if " " not in text:
        return "\n".join(text[at : at + width] for at in range(0, len(text), width))
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def _bold(text: str, look: Look, mark: str, end: str) -> str:
    for word in look.bold:
        text = re.sub(re.escape(word), f"{mark}{word}{end}", text)
    return text


def _markdown(blocks: list[Block], look: Look) -> str:
    above, below = _around(look)
    parts = [*above]
    for kind, rows in blocks:
        if kind[0] == "h":
            parts.append(f"{'#' * int(kind[1])} {rows[0][0]}")
        elif kind == "p":
            parts.append(_wrapped(_bold(rows[0][0], look, "**", "**"), look.width))
        elif kind == "l":
            parts.append("\n".join(f"- {_bold(row[0], look, '**', '**')}" for row in rows))
        else:
            parts.append(_pipes(rows, look))
    return "\n\n".join([*parts, *below]) + "\n"


def _pipes(rows: list[list[str]], look: Look) -> str:
    widths = [max(len(row[n]) for row in rows) if look.padded else 0 for n in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows]
    rule = "|" + "|".join(":" + "-" * (width + 1) if look.padded else "---" for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _plain(blocks: list[Block], look: Look) -> str:
    above, below = _around(look)
    parts = [*above]
    for n, (kind, rows) in enumerate(blocks):
        if look.pages and n and n % 6 == 0:
            parts.append(f"Page {n // 6} of {len(blocks) // 6 + 1}")
        cells = [[_LINK.sub(r"\1", cell) for cell in row] for row in rows]
        if kind[0] == "h":
            parts.append(f"{cells[0][0]}\n{'=' * len(cells[0][0])}")
        else:
            parts.append("\n".join(("- " if kind == "l" else "") + _wrapped("; ".join(row), look.width) for row in cells))
    return "\n\n".join([*parts, *below]) + "\n"


def _page(blocks: list[Block], look: Look) -> str:
    above, below = _around(look)
    body = "\n".join(_html_block(kind, rows, look) for kind, rows in blocks)
    top = "".join(f'<div class="banner">{html.escape(line)}</div>\n' for line in above[1:])
    nav = "".join(f'<a href="/{n}">{html.escape(word)}</a> ' for n, word in enumerate(re.split(r" [|>] ", above[0]))) if above else ""
    foot = "".join(f"<p>{html.escape(line)}</p>\n" for line in below)
    title = html.escape(blocks[0][1][0][0])
    wrap = "article" if look.chrome % 2 else "main"
    return (
        f'<!doctype html>\n<html><head><meta charset="{look.encoding}"><title>{title}</title></head>\n'
        f"<body>\n<header><nav>{nav}</nav></header>\n{top}<{wrap}>\n{body}\n</{wrap}>\n<footer>{foot}</footer>\n</body></html>\n"
    )  # fmt: skip


def _html_block(kind: str, rows: list[list[str]], look: Look) -> str:
    if kind == "t":
        return "<table>\n" + "\n".join(_html_row(row, "td" if n else "th") for n, row in enumerate(rows)) + "\n</table>"
    if kind == "l":
        return "<ul>\n" + "\n".join(f"<li>{_inline(row[0], look)}</li>" for row in rows) + "\n</ul>"
    return f"<{kind}>{_wrapped(_inline(rows[0][0], look), look.width)}</{kind}>"


def _html_row(row: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"


def _inline(text: str, look: Look) -> str:
    escaped = _LINK.sub(r'<a href="\2">\1</a>', html.escape(text, quote=False))
    return _bold(escaped, look, "<strong>", "</strong>")


def _table_file(blocks: list[Block], look: Look) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if look.padded else csv.QUOTE_MINIMAL)
    writer.writerows(row for kind, rows in blocks if kind == "t" for row in rows)
    return out.getvalue()


def _render_json(text: str, look: Look) -> str:
    value = _turned_json(json.loads(text), look)
    if look.stamp and isinstance(value, dict):
        value = {"last_updated": look.stamp, **value}
    return json.dumps(value, ensure_ascii=look.full_width, indent=4 if look.padded else 1) + "\n"


def _turned_json(value: object, look: Look) -> object:
    if isinstance(value, dict):
        keys = list(value)[::-1] if "keys" in look.turned else list(value)
        return {key: _turned_json(value[key], look) for key in keys}
    if isinstance(value, list):
        return [_turned_json(one, look) for one in (value[::-1] if "items" in look.turned else value)]
    return _dress(value, look) if isinstance(value, str) else value


_FORMS: dict[str, Callable[[list[Block], Look], str]] = {"md": _markdown, "txt": _plain, "html": _page, "csv": _table_file}
