"""Runs over time, one lane a kind of change: a disc where a run found some, as large as there are many. A click or Enter picks the run."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

_JS = r"""
const state = new WeakMap();
export default function ({ data: raw, parentElement, setTriggerValue }) {
  const text = new TextDecoder().decode(raw);
  const grid = parentElement.querySelector(".lanes");
  if (state.get(grid) === text) return;
  state.set(grid, text);
  const data = JSON.parse(text);
  const most = Math.max(1, ...data.runs.flatMap((run) => Object.values(run.counts)));
  const make = (kind, name, words = "") => {
    const one = document.createElement(kind);
    one.className = name;
    one.textContent = words;
    return one;
  };
  const pick = (run, kind) => setTriggerValue("pick", JSON.stringify({ n: run.n, kind, at: Date.now() }));
  const cells = [];
  const button = (run, column, row, kind, label, name, words) => {
    const one = make("button", name, words);
    one.type = "button";
    one.setAttribute("aria-label", label);
    one.title = label;
    if (run.n === data.chosen) one.setAttribute("aria-current", "true");
    one.addEventListener("click", () => pick(run, kind));
    one.style.gridColumn = column + 2;
    one.style.gridRow = row + 1;
    one.tabIndex = run.n === data.chosen && row === data.lanes.length ? 0 : -1;
    cells.push({ one, column, row });
    return one;
  };
  grid.style.gridTemplateColumns = `max-content repeat(${data.runs.length}, minmax(5.6rem, 1fr))`;
  const parts = [];
  data.lanes.forEach((lane, row) => {
    const label = make("div", "label", `${lane.icon} ${lane.word}`);
    label.style.gridRow = row + 1;
    label.style.color = lane.hex;
    const line = make("div", "line");
    line.style.gridRow = row + 1;
    line.style.gridColumn = `2 / span ${data.runs.length}`;
    parts.push(label, line);
    data.runs.forEach((run, column) => {
      const count = run.counts[lane.kind] || 0;
      if (!count) return;
      const one = button(run, column, row, lane.kind, `${run.name}, ${run.date}: ${count} ${lane.word.toLowerCase()}`, "disc", count);
      const size = 1.25 + 1.15 * Math.sqrt(count / most);
      one.style.setProperty("--size", `${size}rem`);
      one.style.setProperty("--hue", lane.hex);
      parts.push(one);
    });
  });
  data.runs.forEach((run, column) => {
    const none = !Object.keys(run.counts).length;
    const sum = Object.values(run.counts).reduce((a, b) => a + b, 0);
    const words = run.first ? "first reading" : none ? "nothing changed" : `${sum} changes`;
    const one = button(run, column, data.lanes.length, "", `${run.name}, ${run.date}: ${words}`, "run", "");
    one.append(make("b", "", `#${run.n}`), make("span", "", run.short));
    if (none) one.append(make("i", "", run.first ? "first" : "no change"));
    parts.push(one);
  });
  const move = (event) => {
    const here = cells.find((cell) => cell.one === event.target);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!here || !step) return;
    event.preventDefault();
    const [dx, dy] = step;
    const beside = (cell) => cell.column === here.column && (cell.row - here.row) * dy > 0;
    const ahead = cells.filter((cell) => dx ? (cell.column - here.column) * dx > 0 : beside(cell));
    const far = (cell) => dx ? Math.abs(cell.column - here.column) * 100 + Math.abs(cell.row - here.row) : Math.abs(cell.row - here.row);
    const next = ahead.sort((a, b) => far(a) - far(b))[0];
    if (!next) return;
    here.one.tabIndex = -1;
    next.one.tabIndex = 0;
    next.one.focus();
  };
  grid.onkeydown = move;
  grid.replaceChildren(...parts);
  const chosen = cells.find((cell) => cell.one.getAttribute("aria-current"));
  const box = parentElement.querySelector(".scroll");
  if (chosen) box.scrollLeft = Math.max(0, chosen.one.offsetLeft - box.clientWidth / 2);
}
"""
_CSS = """
.scroll { overflow-x: auto; padding: 0.25rem 0 0.4rem; }
.lanes { display: grid; align-items: center; justify-items: center; font: 0.85rem/1.3 var(--st-font); color: var(--st-text-color);
  min-width: 100%; row-gap: 0.1rem; }
.label { grid-column: 1; justify-self: start; padding-right: 1.1rem; font-weight: 600; white-space: nowrap;
  position: sticky; left: 0; z-index: 2; background: var(--st-background-color); height: 2.5rem; line-height: 2.5rem; }
.line { width: 100%; height: 1px; background: var(--st-border-color); }
button { font: inherit; color: inherit; background: none; border: 0; cursor: pointer; padding: 0; z-index: 1; }
.disc { width: var(--size); height: var(--size); border-radius: 50%; border: 2px solid var(--hue); font-size: 0.75rem; font-weight: 600;
  color: var(--st-text-color); background: color-mix(in srgb, var(--hue) 26%, var(--st-background-color)); margin: 0.05rem 0; }
.disc:hover, .disc[aria-current] { background: var(--hue); color: var(--st-background-color); }
.run { display: flex; flex-direction: column; align-items: center; padding: 0.3rem 0.35rem; border-radius: var(--st-base-radius);
  border: 1px solid transparent; margin-top: 0.15rem; }
.run span, .run i { color: var(--st-gray-text-color); font-size: 0.75rem; font-style: normal; white-space: nowrap; }
.run:hover { background: var(--st-secondary-background-color); }
.run[aria-current] { border-color: var(--st-primary-color); background: var(--st-secondary-background-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
@media (max-width: 640px) { .label { padding-right: 0.5rem; font-size: 0.75rem; } }
"""
_HTML = '<div class="scroll"><div class="lanes" role="group" aria-label="Changes of each run by kind"></div></div>\n'
_mount = st.components.v2.component("beacon_timeline", html=_HTML, css=_CSS, js=_JS)


def timeline(
    runs: Sequence[dict[str, Any]], lanes: Sequence[dict[str, str]], *, chosen: int, key: str, on_pick: Callable[[], None]
) -> None:
    """Draws `runs` (n, name, date, short, counts, first), oldest first, over `lanes` (kind, word, icon, hex)."""
    data = {"runs": list(runs), "lanes": list(lanes), "chosen": chosen}
    _mount(key=key, data=json.dumps(data, ensure_ascii=False).encode(), on_pick_change=on_pick)


def picked(key: str) -> tuple[int, str] | None:
    """(number of the run, kind or empty) that was just picked."""
    found = getattr(st.session_state.get(key), "pick", None)
    if not found:
        return None
    value = json.loads(found)
    return int(value["n"]), str(value["kind"])
