"""Facts as bars over time: from when to when each was true, marked by what became of it. A click or Enter opens one."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

_JS = r"""
const state = new WeakMap();
export default function ({ data: raw, parentElement, setTriggerValue }) {
  const text = new TextDecoder().decode(raw);
  const list = parentElement.querySelector(".facts");
  if (state.get(list) === text) return;
  state.set(list, text);
  const data = JSON.parse(text);
  const make = (kind, name, words = "") => {
    const one = document.createElement(kind);
    one.className = name;
    one.textContent = words;
    return one;
  };
  const axis = make("div", "axis");
  data.ticks.forEach((tick) => {
    const mark = make("span", "tick", tick.word);
    mark.style.left = `${tick.at}%`;
    axis.append(mark);
  });
  const rows = data.groups.flatMap((group) => {
    const head = make("div", "head", group.name);
    const lane = make("div", "lane");
    lane.style.height = `${group.facts.length * 1.85 + 0.3}rem`;
    data.ticks.forEach((tick) => {
      const line = make("div", "grid");
      line.style.left = `${tick.at}%`;
      lane.append(line);
    });
    group.facts.forEach((fact, n) => {
      const bar = make("button", `bar ${fact.status}${fact.open ? " open" : ""}${fact.unknown ? " unknown" : ""}`);
      bar.type = "button";
      bar.style.left = `${fact.left}%`;
      bar.style.width = `max(${fact.width}%, 0.6rem)`;
      bar.style.top = `${n * 1.85 + 0.15}rem`;
      bar.style.setProperty("--hue", fact.hex);
      bar.setAttribute("aria-label", fact.label);
      bar.title = fact.label;
      bar.addEventListener("click", () => setTriggerValue("open", JSON.stringify({ id: fact.id, at: Date.now() })));
      const words = make("span", "words", `${fact.icon} ${fact.value}`);
      if (fact.left > 55) { words.style.right = `${100 - fact.left - Math.min(fact.width, 100 - fact.left)}%`; words.style.left = "auto"; }
      else words.style.left = `${fact.left}%`;
      words.style.top = `${n * 1.85 + 0.15}rem`;
      lane.append(bar, words);
    });
    return [head, lane];
  });
  const corner = make("div", "head corner", data.corner);
  list.replaceChildren(corner, axis, ...rows);
}
"""
_CSS = """
.facts { display: grid; grid-template-columns: minmax(9rem, 30%) 1fr; font: 0.88rem/1.4 var(--st-font); color: var(--st-text-color); }
.head { padding: 0.35rem 0.9rem 0.35rem 0; overflow-wrap: anywhere; border-top: 1px solid var(--st-border-color); }
.corner { color: var(--st-gray-text-color); font-size: 0.8rem; border-top: 0; }
.axis { position: relative; height: 1.7rem; margin-right: 0.4rem; }
.tick { position: absolute; transform: translateX(-50%); font-size: 0.75rem; color: var(--st-gray-text-color); white-space: nowrap;
  top: 0.3rem; }
.tick:first-child { transform: none; }
.tick:last-child { transform: translateX(-100%); }
.lane { position: relative; border-top: 1px solid var(--st-border-color); overflow: hidden; margin-right: 0.4rem; }
.grid { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--st-border-color); opacity: 0.6; }
.bar { position: absolute; height: 1.5rem; padding: 0; cursor: pointer; border: 1.5px solid var(--hue); border-radius: 4px;
  background: color-mix(in srgb, var(--hue) 24%, var(--st-background-color)); }
.bar.open { border-right: 0; border-radius: 4px 0 0 4px; }
.bar.unknown { border-left-style: dashed; }
.bar.superseded {
  background: repeating-linear-gradient(135deg, color-mix(in srgb, var(--hue) 20%, transparent) 0 5px, transparent 5px 10px); }
.bar.retracted, .bar.archived { background: none; border-style: dashed; }
.bar.contradicted { background: color-mix(in srgb, var(--hue) 40%, var(--st-background-color)); border-style: double; border-width: 3px; }
.words { position: absolute; height: 1.5rem; line-height: 1.5rem; padding: 0 0.45rem; pointer-events: none; white-space: nowrap;
  font-size: 0.8rem;
  text-shadow: 0 0 3px var(--st-background-color), 0 0 3px var(--st-background-color), 0 0 4px var(--st-background-color); }
.bar:hover { filter: brightness(1.12); }
.bar:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
@media (max-width: 640px) { .facts { grid-template-columns: 1fr; } .corner { display: none; } .lane { border-top: 0; }
  .tick:nth-child(even) { display: none; } }
"""
_HTML = '<div class="facts" role="group" aria-label="Facts over time"></div>\n'
_mount = st.components.v2.component("beacon_validity", html=_HTML, css=_CSS, js=_JS)


def validity(
    groups: Sequence[dict[str, Any]], ticks: Sequence[dict[str, Any]], *, corner: str, key: str, on_open: Callable[[], None]
) -> None:
    """Draws `groups` (name, facts: id, value, label, status, icon, hex, left, width, open, unknown) over `ticks` (at, word), in %."""
    data = {"groups": list(groups), "ticks": list(ticks), "corner": corner}
    _mount(key=key, data=json.dumps(data, ensure_ascii=False).encode(), on_open_change=on_open)


def opened(key: str) -> str:
    """The id of the fact that was just opened, or an empty text."""
    found = getattr(st.session_state.get(key), "open", None)
    return str(json.loads(found)["id"]) if found else ""
