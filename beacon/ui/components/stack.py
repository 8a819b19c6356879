"""A small stacked bar: what a score between 0 and 1 is made of, drawn and said in words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

_JS = r"""
export default function ({ data: raw, parentElement }) {
  const data = JSON.parse(new TextDecoder().decode(raw));
  const bar = parentElement.querySelector(".bar");
  const words = parentElement.querySelector(".words");
  bar.setAttribute("aria-label", data.label);
  bar.replaceChildren(...data.parts.map((part) => {
    const piece = document.createElement("span");
    piece.style.width = `${Math.max(0, Math.min(1, part.value)) * 100}%`;
    piece.style.background = `var(--st-${part.colour}-color)`;
    piece.title = `${part.word} ${part.value.toFixed(2)}${part.told ? ` = ${part.told}` : ""}`;
    return piece;
  }));
  words.replaceChildren(...(data.words ? data.parts : []).map((part) => {
    const line = document.createElement("span");
    const mark = document.createElement("i");
    mark.style.background = `var(--st-${part.colour}-color)`;
    const number = document.createElement("b");
    number.textContent = part.value.toFixed(2);
    line.append(mark, `${part.word} `, number, part.told ? ` = ${part.told}` : "");
    return line;
  }));
}
"""
_CSS = """
.bar {
  display: flex; height: 0.5rem; margin: 0.2rem 0; overflow: hidden; border-radius: 99px; background: var(--st-gray-background-color);
}
.bar span + span { box-shadow: inset 1px 0 0 var(--st-background-color); }
.words { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; font: 0.8rem var(--st-font); color: var(--st-gray-text-color); }
.words b { font-weight: 600; color: var(--st-text-color); }
.words i { display: inline-block; width: 0.55rem; height: 0.55rem; margin-right: 0.35rem; border-radius: 2px; }
"""
_mount = st.components.v2.component("beacon_stack", html='<div class="bar" role="img"></div><div class="words"></div>\n', css=_CSS, js=_JS)


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of the bar: a share of the whole (0-1), and how it comes about."""

    word: str
    value: float
    colour: str  # a colour family of the theme
    told: str = ""


def stack(parts: Sequence[Part], *, key: str, label: str, words: bool = True) -> None:
    """Draws the parts side by side; the full width is 1."""
    rows = [{"word": part.word, "value": round(part.value, 4), "colour": part.colour, "told": part.told} for part in parts]
    _mount(key=key, data=json.dumps({"parts": rows, "label": label, "words": words}, ensure_ascii=False).encode())


def receipt_parts(receipt: dict[str, object]) -> list[Part]:
    """The three parts of a memory's score, each weight × value."""
    weights, colours = receipt["weights"], {"relevance": "orange", "recency": "blue", "importance": "violet"}
    if not isinstance(weights, dict):
        return []
    return [
        Part(name, float(weights[name]) * _number(receipt[name]), colour, f"{float(weights[name]):.2f} × {_number(receipt[name]):.2f}")
        for name, colour in colours.items()
    ]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
