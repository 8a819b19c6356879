"""A script of a pair, read into two documents and their changelog.

@format txt | md | html     @title …     @header … (running head of txt pages)     @wrap 72 66     @fill 130 (sentences of the bank)
@bank      lines `= template with <slot>` and `slot: value; value`, up to @text
# Heading {label}           sections are numbered; `[label]` in a sentence becomes the section's number
!3 sentence ## summary      the changelog's third entry, important; `?9 …` a minor one; lines with one number are one entry
+ sentence, - sentence      only in the new, only in the old version (after a mark, or alone: editorial)
* item, | cell | cell |     list items and table rows, after marks where they have any
«old|new»                   both wordings, inside anything; without a mark an editorial change
%fill [name]                sentences of the bank; a name gives the same ones again
%raw … %end                 diagrams and code as they stand        %toc, %refs (lines `key = title` up to %end; `[@key]` cites)
%old, %new, %both           the following stands in that version only
"""

import re
import textwrap
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from bench.long_pairs.build import Entry, Pair, Place

_EITHER = re.compile(r"«([^|»]*)\|([^»]*)»")
_MARK = re.compile(r"^([!?])(\d+)\s+")
_SLOT = re.compile(r"<(\w+)>")
_ARTICLE = re.compile(r"(?<=\b[aA])(?= [aeio])")  # "a event" becomes "an event"
_EDITED = 0.35  # share of the bank's sentences whose second wording is used in the new version
_PAGE = 46  # lines


@dataclass
class _Node:
    kind: str  # heading | para | item | row | raw | toc | ref
    text: str
    level: int = 0
    label: str = ""
    sides: tuple[bool, bool] = (True, True)
    mark: str = ""
    n: int = 0
    summary: str = ""
    group: int = 0  # sentences of one paragraph share it


@dataclass
class _Script:
    options: dict[str, str] = field(default_factory=dict)
    templates: list[str] = field(default_factory=list)
    slots: dict[str, list[str]] = field(default_factory=dict)
    nodes: list[_Node] = field(default_factory=list)


def read_pair(path: Path) -> Pair:
    """The pair a script describes."""
    script = _parse(path)
    old, new = (_side_nodes(script, side) for side in (0, 1))
    texts = [render(script.options, nodes, side) for side, nodes in ((0, old), (1, new))]
    return Pair(path.stem, "." + script.options["format"], texts[0], texts[1], _entries(script, old, new))


def _parse(path: Path) -> _Script:
    script = _Script()
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line == "@text":
            break
        if line.startswith("@"):
            name, _, value = line[1:].partition(" ")
            script.options[name] = value.strip()
        elif line.startswith("= "):
            script.templates.append(line[2:].strip())
        elif line.strip():
            name, _, values = line.partition(":")
            script.slots[name.strip()] = [value.strip() for value in values.split(";") if value.strip()]
    _Body(script, path.stem).read(list(lines))
    return script


class _Body:
    """Reads the lines after @text into nodes."""

    def __init__(self, script: _Script, name: str) -> None:
        self.script, self.group, self.sides = script, 0, (True, True)
        self.bank = _Bank(script, name)

    def read(self, lines: list[str]) -> None:
        fills = [line for line in lines if line.startswith("%fill")]
        self.share = -(-int(self.script.options.get("fill", "0")) // max(1, len(fills)))
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            if line in ("%raw", "%refs"):
                end = lines.index("%end", at)
                self._block(line, lines[at:end])
                at = end + 1
            elif line.startswith("%"):
                self._directive(line)
            elif line.startswith("#"):
                self._heading(line)
            elif line.strip():
                self._line(line)
            else:
                self.group += 1

    def _add(self, node: _Node) -> None:
        self.script.nodes.append(replace(node, sides=(node.sides[0] and self.sides[0], node.sides[1] and self.sides[1]), group=self.group))

    def _block(self, kind: str, lines: list[str]) -> None:
        self.group += 1
        if kind == "%raw":
            self._add(_Node("raw", "\n".join(lines)))
        for line in lines if kind == "%refs" else ():
            only = {"+": (False, True), "-": (True, False)}.get(line[0], (True, True))
            key, _, title = line.lstrip("+- ").partition(" = ")
            self._add(_Node("ref", title, label=key, sides=only))

    def _directive(self, line: str) -> None:
        word, _, name = line.partition(" ")
        self.group += 1
        if word == "%toc":
            self._add(_Node("toc", ""))
        elif word == "%fill":
            for paragraph in self.bank.paragraphs(self.share, name or f"#{len(self.script.nodes)}"):
                self.group += 1
                for node in paragraph:
                    self._add(node)
            self.group += 1
        else:
            self.sides = {"%old": (True, False), "%new": (False, True), "%both": (True, True)}[word]

    def _heading(self, line: str) -> None:
        found = re.match(r"^(#+)([+-]?)\s+(.*?)(?:\s*\{([\w-]+)\})?$", line)
        assert found, line
        only = {"+": (False, True), "-": (True, False), "": (True, True)}[found[2]]
        self.group += 1
        self._add(_Node("heading", found[3], len(found[1]), found[4] or "", only))

    def _line(self, line: str) -> None:
        found = _MARK.match(line)
        text, _, summary = (line[found.end() :] if found else line).partition(" ## ")
        only = (True, True)
        if text[:2] in ("+ ", "- "):
            only = (text[0] == "-", text[0] == "+")
            text = text[2:]
        kind = "item" if text.startswith("* ") else "row" if text.startswith("| ") else "para"
        text = text[2:] if kind == "item" else text
        mark, n = (found[1], int(found[2])) if found else ("", 0)
        self._add(_Node(kind, text.strip(), sides=only, mark=mark, n=n, summary=summary.strip()))


class _Bank:
    """Sentences made from templates, none twice, and in the new version some in their second wording and place."""

    def __init__(self, script: _Script, name: str) -> None:
        self.script, self.random, self.seen, self.turn = script, Random(name), set[str](), 0
        self.kept: dict[str, list[list[_Node]]] = {}

    def paragraphs(self, count: int, name: str) -> list[list[_Node]]:
        if name not in self.kept:
            nodes = [_Node("para", self._sentence()) for _ in range(count)]
            cuts: list[list[_Node]] = []
            while nodes:
                size = self.random.randint(3, 5)
                cuts.append(nodes[:size])
                nodes = nodes[size:]
            self.kept[name] = self._moved(cuts)
        return self.kept[name]

    def _moved(self, cuts: list[list[_Node]]) -> list[list[_Node]]:
        """In some places a paragraph stands later in the new version."""
        if len(cuts) < 3 or self.random.random() < 0.6:
            return cuts
        first = [replace(node, sides=(True, False)) for node in cuts[0]]
        again = [replace(node, sides=(False, True)) for node in cuts[0]]
        return [first, *cuts[1:], again]

    def _sentence(self) -> str:
        for _ in range(400):
            template = self.script.templates[self.turn % len(self.script.templates)]
            self.turn += 1
            text = _SLOT.sub(lambda found: self.random.choice(self.script.slots[found[1]]), template)
            if text not in self.seen:
                self.seen.add(text)
                text = _ARTICLE.sub("n", text[:1].upper() + text[1:])
                return text if self.random.random() < _EDITED else _EITHER.sub(r"\1", text)
        raise ValueError("The bank is too small for what is asked of it.")


def _side_nodes(script: _Script, side: int) -> list[_Node]:
    """The nodes of one version with numbers, references and wordings put in."""
    nodes = [replace(node, text=_EITHER.sub(lambda m: m[side + 1], node.text)) for node in script.nodes if node.sides[side]]
    names: dict[str, str] = {}
    counts: list[int] = []
    numbered = script.options.get("numbers", "yes") == "yes"
    reference = 0
    for node in nodes:
        if node.kind == "heading":
            counts = [*counts, 0, 0, 0][: node.level]
            counts[-1] += 1
            number = ".".join(map(str, counts))
            names[f"[{node.label}]"] = number
            node.text = f"{number}. {node.text}" if numbered else node.text
        elif node.kind == "ref":
            reference += 1
            names[f"[@{node.label}]"] = f"[{reference}]"
            node.text = f"[{reference}] {node.text}"
    for node in nodes:
        node.text = re.sub(r"\[@?[\w-]+\]", lambda found: names.get(found[0], found[0]), node.text)
    return nodes


def _entries(script: _Script, old: list[_Node], new: list[_Node]) -> tuple[Entry, ...]:
    places: dict[int, tuple[list[Place], list[Place]]] = {}
    for side, nodes in enumerate((old, new)):
        for node in nodes:
            if node.mark:
                places.setdefault(node.n, ([], []))[side].append(_place(node))
    facts: dict[int, tuple[str, str]] = {}
    for node in script.nodes:
        if node.mark and node.summary:
            facts[node.n] = (node.mark, node.summary)
    return tuple(
        Entry(n, "important" if facts[n][0] == "!" else "minor", facts[n][1], tuple(places[n][0]), tuple(places[n][1]))
        for n in sorted(places)
    )


def _place(node: _Node) -> Place:
    return tuple(cells(node.text)) if node.kind == "row" else (node.text,)


def cells(row: str) -> list[str]:
    """The cells of a `| a | b |` row."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def render(options: dict[str, str], nodes: list[_Node], side: int) -> str:
    """One version as the file would stand on disk."""
    from bench.long_pairs.render import render_html, render_md, render_txt

    title, header = (_EITHER.sub(lambda m: m[side + 1], options.get(name, "")) for name in ("title", "header"))
    blocks = _blocks(nodes)
    if options["format"] == "txt":
        return render_txt(title, header, blocks, width=int(options.get("wrap", "72 72").split()[side]), page=_PAGE)
    return (render_html if options["format"] == "html" else render_md)(title, header, blocks)


def _blocks(nodes: list[_Node]) -> list[tuple[str, list[str], int]]:
    """(kind, texts, level) in order: sentences joined to paragraphs, items to lists, rows to tables."""
    found: list[tuple[str, list[str], int]] = []
    before = ("", -1)
    for node in nodes:
        here = (node.kind, node.group)
        if node.kind in ("para", "item", "row", "ref") and here == before:
            found[-1][1].append(node.text)
        elif node.kind == "toc":
            found.append(("toc", [textwrap.shorten(one.text, 90) for one in nodes if one.kind == "heading" and one.level < 3], 0))
        else:
            found.append((node.kind, [node.text], node.level))
        before = here
    return found
