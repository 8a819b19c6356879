"""Citation chips in running text: links that open evidence beside it instead of leaving the page."""

import re
from typing import Any

import streamlit as st

_JS = r"""
// Chips are ordinary links to #cite-<ref> in the page's Markdown. One listener for the whole page hears them first,
// and hands the ref to whichever mount came last: a page has one, and it goes with its page.
const HOOK = "__beaconCitations";
const ref = (event) => {
  const link = event.composedPath().find((node) => node.tagName === "A" && (node.getAttribute("href") || "").startsWith("#cite-"));
  return link ? link.getAttribute("href").slice(6) : null;
};
export default function ({ parentElement, setTriggerValue }) {
  const hook = (window[HOOK] ??= { emit: null, owner: null });
  hook.emit = (value) => setTriggerValue("ref", value);
  hook.owner = parentElement;
  if (!hook.listening) {
    hook.listening = true;
    document.addEventListener("click", (event) => {
      const wanted = ref(event);
      if (!wanted || !hook.emit) return;
      event.preventDefault();
      event.stopPropagation();
      hook.emit(wanted);
    }, true);
  }
  return () => { if (hook.owner === parentElement) { hook.emit = null; hook.owner = null; } };
}
"""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_mount = st.components.v2.component("beacon_citations", html="<span hidden></span>\n", css=":host {\n display: none;\n}", js=_JS)


def chip(shown: object, ref: str) -> str:
    """Markdown of a chip that shows `shown` (a number, or a few safe words) and opens `ref`."""
    return f"[:orange-badge[{shown}]](#cite-{clean_ref(ref)})"


def clean_ref(ref: str) -> str:
    """`ref` with only the letters that a chip's address may have."""
    return _UNSAFE.sub("_", ref)


def clicked(key: str = "citations") -> str | None:
    """The ref of the chip that was clicked just now, or None. Call it once a page, after the text with the chips."""
    result: Any = _mount(key=key, on_ref_change=_nothing)
    ref = result.get("ref")
    return ref if isinstance(ref, str) and ref else None


def _nothing() -> None:
    """Registering a callback makes the result carry the trigger."""
