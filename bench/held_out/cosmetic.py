"""Fifteen pairs that say the same: a text from the pairs of this folder, its look changed in a way of its own."""

import csv
import io
import json
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.change_views import Item, beacon_changes, line_diff, pair_views
from bench.held_out.pairs import SCRIPTS
from bench.held_out.records import register_pair, timetable_pair
from bench.held_out.render import as_memo, as_page
from bench.held_out.script import read_script

_URL = "https://example.org/document"


@dataclass(frozen=True, slots=True)
class Cosmetic:
    """A document before and after; nothing in it changes."""

    name: str
    old: str
    new: str
    suffixes: tuple[str, str]

    def beacon(self) -> list[tuple[str, str]]:
        """Beacon's changes as (old, new) text."""
        names = f"before{self.suffixes[0]}", f"after{self.suffixes[1]}"
        old, new = pair_views(self.old.encode(), self.new.encode(), names, (_URL, _URL))
        (first,) = old.seen.values()
        found = beacon_changes(old, new, first.version.title)
        return [(f"{one.kind}: {one.old.text if one.old else ''}", one.new.text if one.new else "") for one in found]

    def line_diff(self) -> list[Item]:
        """What a line diff of the two files lists."""
        return line_diff(self.old, self.new)


def cosmetic_pairs() -> Iterator[Cosmetic]:
    """The fifteen pairs."""
    for name, (base, suffixes, before, after) in _PAIRS.items():
        text = base()
        yield Cosmetic(name, before(text), after(text), suffixes)


def _plain(name: str, first: int = 0, last: int = 99, side: int = 0) -> Callable[[], str]:
    def read() -> str:
        script = read_script((SCRIPTS / f"{name}.txt").read_text(encoding="utf-8"), numbered=(False, False))
        head, *parts = re.split(r"^(?=## )", (script.old, script.new)[side], flags=re.MULTILINE)
        return head + "".join(parts[first:last])

    return read


def _same(text: str) -> str:
    return text


def _sentence_a_line(text: str) -> str:
    return re.sub(r"(?<=[a-z)][.]) (?=[A-Z])", "\n", text)


def _underlined(text: str) -> str:
    """Headings with a line of dashes below, items with stars and in bold, hard breaks, a table of contents."""
    contents = "".join(f"* [{one}](#{one.lower().replace(' ', '-')})\n" for one in re.findall(r"^## (.*)$", text, re.MULTILINE))
    head, rest = text.split("\n", 1)
    said = re.sub(r"^## (.*)$", lambda one: f"{one[1]}\n{'-' * len(one[1])}", rest, flags=re.MULTILINE)
    return f"{head[2:]}\n{'=' * len(head)}\n\nContents\n\n{contents}\n{re.sub(r'^- ', '* ', said, flags=re.MULTILINE)}"


def _capitals(text: str) -> str:
    return re.sub(r"^#+ (.*)$", lambda one: one[0].upper(), text, flags=re.MULTILINE)


def _paragraph_marks(text: str) -> str:
    """Each paragraph numbered in brackets, as law reports do."""
    blocks, n = [], 0
    for block in text.strip().split("\n\n"):
        n += block[:1].isalpha()
        blocks.append(f"[{n}] {block}" if block[:1].isalpha() else block)
    return "\n\n".join(blocks) + "\n"


def _columns_turned(text: str) -> str:
    """Tables with their columns after the first in the opposite order."""

    def turn(line: str) -> str:
        first, *rest = [cell.strip() for cell in line.strip().strip("|").split("|")]
        return "| " + " | ".join([first, *reversed(rest)]) + " |"

    return "\n".join(turn(line) if line.startswith("|") else line for line in text.split("\n"))


def _rows_as_items(text: str) -> str:
    """Each table as a list: the first cell, then every further cell with the name of its column."""
    out, head = [], None
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            head = None
            out.append(line)
        elif head is None:
            head = cells
        elif not set(line) <= set("|-: "):
            out.append(f"- {head[0]}: {cells[0]}; " + "; ".join(f"{a}: {b}" for a, b in zip(head[1:], cells[1:], strict=True)))
    return "\n".join(out)


def _clock(text: str) -> str:
    """Hours of the day on a dial of twelve."""

    def say(one: re.Match[str]) -> str:
        hour = int(one[1])
        return f"{hour % 12 or 12}:{one[2]} {'am' if hour < 12 else 'pm'}"

    return re.sub(r"\b(\d{1,2}):([0-5]\d)\b", say, text)


def _figures(text: str) -> str:
    """Small numbers in words become figures."""
    words = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    for n, word in enumerate(words, 2):
        text = re.sub(rf"\b{word}\b", str(n), text)
    return text


def _hyphenated(text: str) -> str:
    """Narrow lines, long words broken with a hyphen at the end of the line."""
    out = []
    for block in text.strip("\n").split("\n\n"):
        if block.startswith("  "):  # an example keeps its lines
            out.append(block)
            continue
        lines = textwrap.wrap(" ".join(block.lstrip("#").split()), 46)
        for n in range(len(lines) - 1):
            word, *rest = lines[n + 1].split(" ")
            if len(word) > 8 and word.isalpha():
                lines[n] += f" {word[:4]}-"
                lines[n + 1] = " ".join([word[4:], *rest])
        out.append("\n".join(lines))
    return "\n\n".join(out) + "\n"


def _french_marks(text: str) -> str:
    """Letters decomposed, spaces before high marks unbreakable, apostrophes curved."""
    return unicodedata.normalize("NFD", re.sub(r" ([;:!?%€])", "\u202f\\1", text).replace("'", "’"))


def _folded(text: str) -> str:
    """A page on which every section can be folded, tables as lists of terms."""
    page = as_page(text, "Visit", "Home | Visit", "© the museum", tidy=True)
    page = re.sub(r"<h2[^>]*>(.*?)</h2>", r"</details><details><summary>\1</summary>", page)
    return page.replace("</details>", "", 1).replace("</article>", "</details></article>")


def _flat(text: str) -> str:
    return as_page(text, "Visit", "Home | Visit", "© the museum")


def _printed(text: str) -> str:
    return as_memo(text, "Lanternfish", "Handbook")


def _reprinted(text: str) -> str:
    return as_memo(text, "Lanternfish Server, handbook for those who run it", "All rights reserved", width=60, length=40)


def _entities(text: str) -> str:
    """A page written with character references, soft hyphens in long words and a mark after each paragraph."""
    page = as_page(text, "Policy", "Home", "© Wayfarer")
    page = re.sub(r"(?<=[a-z]{6})(?=[a-z]{5})", "&shy;", page).replace("&shy;</", "</")
    return (
        page.replace("'", "&#8217;").replace("</p>", " <a href='#top' title='link'>¶</a></p>").encode("ascii", "xmlcharrefreplace").decode()
    )


def _policy_page(text: str) -> str:
    return as_page(text, "Policy", "Home", "© Wayfarer")


def _wrapped_json(text: str) -> str:
    """The same records under a key each, keys in camel case, on one line."""
    said = json.loads(text)
    rows = [{re.sub(r"_(\w)", lambda one: one[1].upper(), key): value for key, value in row.items()} for row in said["packages"]]
    return json.dumps(dict(reversed((said | {"packages": rows}).items())), separators=(",", ":"))


def _json_lines(text: str) -> str:
    return "".join(json.dumps(row) + "\n" for row in json.loads(text)["packages"])


def _records_json(text: str) -> str:
    return json.dumps(json.loads(text)["packages"], indent=1)


def _tabs(text: str) -> str:
    """Tabs between the cells, heads of columns as titles, each row with a running number, quoted throughout."""
    head, *rows = csv.reader(io.StringIO(text))
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(["No.", *(one.replace("_", " ").title() for one in head)])
    writer.writerows([str(n), *row] for n, row in enumerate(rows, 1))
    return out.getvalue()


_Edit = Callable[[str], str]
_PAIRS: dict[str, tuple[Callable[[], str], tuple[str, str], _Edit, _Edit]] = {
    "a sentence a line": (_plain("car-insurance", 0, 6), (".md", ".md"), _same, _sentence_a_line),
    "underlined headings, table of contents, stars": (_plain("relay-protocol", 0, 3), (".md", ".md"), _same, _underlined),
    "headings in capitals": (_plain("safety-sheet", 3, 8), (".md", ".md"), _same, _capitals),
    "paragraphs numbered in brackets": (_plain("car-insurance", 6, 13), (".md", ".md"), _same, _paragraph_marks),
    "columns of tables turned": (_plain("os-support", 1, 6), (".md", ".md"), _same, _columns_turned),
    "tables told as lists": (_plain("museum-visit", 0, 3), (".md", ".md"), _same, _rows_as_items),
    "hours on a dial of twelve": (_plain("museum-visit", 0, 4, 1), (".html", ".html"), _flat, lambda text: _flat(_clock(text))),
    "numbers in words to figures": (_plain("car-insurance", 8, 15, 1), (".md", ".md"), _same, _figures),
    "narrow column with hyphens": (_plain("relay-protocol", 8, 12, 1), (".txt", ".txt"), lambda t: t.replace("#", ""), _hyphenated),
    "French marks, letters decomposed": (_plain("arrete-municipal", 0, 4), (".md", ".md"), _same, _french_marks),
    "page with sections that fold": (_plain("museum-visit", 3, 9, 1), (".html", ".html"), _flat, _folded),
    "printed pages of another size": (_plain("os-support", 9, 17), (".txt", ".txt"), _printed, _reprinted),
    "character references, soft hyphens, paragraph links": (_plain("car-insurance", 0, 7, 1), (".html", ".html"), _policy_page, _entities),
    "records: list of objects to lines": (lambda: register_pair().old, (".json", ".jsonl"), _records_json, _json_lines),
    "timetable: tabs, titles, running numbers": (lambda: timetable_pair().old, (".csv", ".tsv"), _same, _tabs),
}
