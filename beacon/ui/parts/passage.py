"""A stretch of source text with one quote marked in it. The text reaches the page as data and is set as text: it cannot become markup."""

import json
from typing import Any

import streamlit as st

AROUND = 700  # characters shown on either side of the quote
_HTML = '<div class="text" tabindex="0" role="document"></div>\n'
_CSS = """
.text {
  white-space: pre-wrap; overflow-wrap: anywhere; overflow-y: auto; padding: 1rem 1.1rem; line-height: 1.65; font-size: 0.95rem;
  font-family: var(--st-font); color: var(--st-text-color); background: var(--st-secondary-background-color);
  border-radius: var(--st-base-radius); border: 1px solid var(--st-border-color);
}
.text:focus-visible { outline: 2px solid var(--st-primary-color); }
mark {
  background: var(--st-orange-background-color); color: var(--st-text-color); border-bottom: 2px solid var(--st-primary-color);
  padding: 0.1em 0.05em; border-radius: 2px; box-decoration-break: clone;
}
.more { opacity: 0.55; }
"""
_JS = """
export default function ({ data: raw, parentElement }) {
  const data = JSON.parse(new TextDecoder().decode(raw));
  const box = parentElement.querySelector(".text");
  box.style.maxHeight = data.height + "px";
  const span = (words, kind) => {
    const part = document.createElement(kind === "mark" ? "mark" : "span");
    if (kind === "more") part.className = "more";
    part.textContent = words;
    return part;
  };
  box.replaceChildren(
    ...(data.cut_before ? [span("… ", "more")] : []), span(data.before, ""), span(data.quote, "mark"), span(data.after, ""),
    ...(data.cut_after ? [span(" …", "more")] : []));
  const mark = box.querySelector("mark");
  if (data.quote) box.scrollTop = Math.max(0, mark.offsetTop - box.offsetTop - box.clientHeight / 3);
}
"""
_mount = st.components.v2.component("beacon_passage", html=_HTML, css=_CSS, js=_JS)


def passage(text: str, start: int, end: int, *, key: str, whole: bool = False, height: int = 360) -> None:
    """The text around `[start, end)` with that slice marked and scrolled to; all of it with `whole`."""
    left = 0 if whole else _word_start(text, max(0, start - AROUND))
    right = len(text) if whole else _word_end(text, min(len(text), end + AROUND))
    data: dict[str, Any] = {
        "before": text[left:start], "quote": text[start:end], "after": text[end:right],
        "cut_before": left > 0, "cut_after": right < len(text), "height": height,
    }  # fmt: skip
    _mount(key=key, data=json.dumps(data).encode())


def _word_end(text: str, at: int) -> int:
    space = text.rfind(" ", max(at - 40, 0), at)
    return at if at == len(text) or space < 0 else space


def _word_start(text: str, at: int) -> int:
    if at == 0:
        return 0
    space = text.find(" ", at, at + 40)
    return at if space < 0 else space + 1
