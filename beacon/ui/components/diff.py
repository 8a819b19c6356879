"""Two texts side by side, line by line, with what differs marked. The lines reach the page as data and are set as text."""

import json
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

import streamlit as st

CONTEXT = 2  # lines kept around a difference
_JS = r"""
export default function ({ data: raw, parentElement }) {
  const data = JSON.parse(new TextDecoder().decode(raw));
  const cell = (side, kind) => {
    const box = document.createElement("div");
    box.className = side === null ? "none" : kind;
    if (side !== null) {
      const sign = document.createElement("i");
      sign.textContent = { del: "−", add: "+", same: " " }[kind];
      box.append(sign, side);
    }
    return box;
  };
  const line = (kind, words) => {
    const box = document.createElement("div");
    box.className = kind;
    box.textContent = words;
    return box;
  };
  const skip = (n) => line("skip", `⋯ ${n} ${n === 1 ? "line" : "lines"} alike`);
  const both = (row) => [cell(row.left, row.same ? "same" : "del"), cell(row.right, row.same ? "same" : "add")];
  const rows = data.rows.flatMap((row) => row.skip ? [skip(row.skip)] : both(row));
  const grid = parentElement.querySelector(".diff");
  grid.style.maxHeight = `${data.height}px`;
  grid.replaceChildren(line("head", data.left), line("head", data.right), ...rows);
}
"""
_CSS = """
.diff {
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); overflow: auto;
  font: 0.9rem/1.55 var(--st-font); color: var(--st-text-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
}
.diff > div {
  padding: 0.15rem 0.8rem 0.15rem 1.7rem; white-space: pre-wrap; overflow-wrap: anywhere; position: relative; min-height: 1.4rem;
}
.diff > div:nth-child(even):not(.skip) { border-left: 1px solid var(--st-border-color); }
.diff .head {
  padding: 0.45rem 0.8rem; font-size: 0.8rem; color: var(--st-gray-text-color); background: var(--st-secondary-background-color);
  border-bottom: 1px solid var(--st-border-color);
}
.diff i { position: absolute; left: 0.7rem; font-style: normal; font-weight: 600; }
.diff .del { background: var(--st-red-background-color); }
.diff .add { background: var(--st-green-background-color); }
.diff .none { background: var(--st-secondary-background-color); }
.diff .skip {
  grid-column: 1 / -1; text-align: center; padding: 0.2rem; font-size: 0.8rem; color: var(--st-gray-text-color);
  background: var(--st-secondary-background-color);
}
"""
_mount = st.components.v2.component("beacon_diff", html='<div class="diff"></div>\n', css=_CSS, js=_JS)
Row = dict[str, object]


def diff(lines: Sequence[Mapping[str, str]], *, key: str, left: str, right: str, height: int = 480) -> None:
    """Draws lines as `profile_diff` gives them: kept (' '), removed ('-') or added ('+')."""
    data = {"rows": fold(pair(lines)), "left": left, "right": right, "height": height}
    _mount(key=key, data=json.dumps(data, ensure_ascii=False).encode())


def changed_lines(old: str, new: str) -> list[dict[str, str]]:
    """The lines of both texts in order, each kept (' '), removed ('-') or added ('+')."""
    left, right = old.splitlines(), new.splitlines()
    found: list[dict[str, str]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [{"op": " ", "text": text} for text in left[i1:i2]]
        else:
            found += [{"op": "-", "text": text} for text in left[i1:i2]] + [{"op": "+", "text": text} for text in right[j1:j2]]
    return found


def pair(lines: Sequence[Mapping[str, str]]) -> list[Row]:
    """The lines in rows of two sides: what was removed stands beside what was added in its place."""
    rows: list[Row] = []
    removed: list[str] = []
    added: list[str] = []
    for line in [*lines, {"op": " ", "text": ""}]:
        if line["op"] == "-":
            removed.append(line["text"])
        elif line["op"] == "+":
            added.append(line["text"])
        else:
            longest = max(len(removed), len(added))
            rows += [{"left": _at(removed, n), "right": _at(added, n)} for n in range(longest)]
            rows.append({"left": line["text"], "right": line["text"], "same": True})
            removed, added = [], []
    return rows[:-1]


def _at(lines: Sequence[str], n: int) -> str | None:
    return lines[n] if n < len(lines) else None


def fold(rows: Sequence[Row], context: int = CONTEXT) -> list[Row]:
    """The rows with long stretches that are alike folded into their number."""
    near = {n + d for n, row in enumerate(rows) if not row.get("same") for d in range(-context, context + 1)}
    found: list[Row] = []
    for n, row in enumerate(rows):
        if n in near:
            found.append(row)
        elif found and "skip" in found[-1]:
            count = found[-1]["skip"]
            found[-1] = {"skip": (count if isinstance(count, int) else 0) + 1}
        else:
            found.append({"skip": 1})
    return found
