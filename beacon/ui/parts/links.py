"""Citation marks inside running text: links that open the evidence beside it instead of leaving the page."""

import re

import streamlit as st

_JS = """
export default function ({ setTriggerValue }) {
  window.__beaconCite = (reference) => setTriggerValue("open", reference + "@" + Date.now());
  if (window.__beaconCiteWired) return;
  window.__beaconCiteWired = true;
  document.addEventListener("click", (event) => {
    const link = event.composedPath().find((n) => n.tagName === "A" && (n.getAttribute("href") || "").includes("#cite-"));
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    window.__beaconCite?.(link.getAttribute("href").split("#cite-")[1]);
  }, true);
}
"""
_mount = st.components.v2.component("beacon_citations", html="<span></span>\n", js=_JS)
_REFERENCE = re.compile(r"^[\w.:-]+$")


def chip(label: str, reference: str) -> str:
    """A citation mark as Markdown: `label` is shown, `reference` comes back from `clicked`."""
    if not _REFERENCE.match(reference):
        raise ValueError(f"'{reference}' cannot be a reference: letters, digits and . _ : - only.")
    return f"[:orange-badge[{label}]](#cite-{reference})"


def link(label: str, reference: str) -> str:
    """Running words as a link that comes back from `clicked`; `label` is Markdown."""
    if not _REFERENCE.match(reference):
        raise ValueError(f"'{reference}' cannot be a reference: letters, digits and . _ : - only.")
    return f"[{label}](#cite-{reference})"


def clicked(key: str) -> str | None:
    """The reference of the citation mark just clicked on this page, or None. Call it once a page, after the text."""
    result = _mount(key=key, on_open_change=lambda: None)
    opened = getattr(result, "open", None)
    return str(opened).rpartition("@")[0] if opened else None
