"""A report as it is read: prose of a comfortable width, every citation mark opening the quote it stands for."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from beacon.ui.parts import drawer, links
from beacon.ui.session import call, find

PROSE_PX = 760
_MARK = re.compile(r"(?<![\w\]\\])\[\^?(\d{1,4})\](?![(:])")
_DIRECTIVE = re.compile(r"(?<!\\):(?=[\w/-]+[\[:])")
_SPACE = re.compile(r"\s+")
_FOOTNOTE = re.compile(r"(?m)^\[\^(\d+)\]:\s*")
_IMAGE = re.compile(r"!(?=\[)")


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote that the report cites under number `n`."""

    n: int
    quote: str
    place: drawer.Place


def cited_quotes(state: dict[str, Any]) -> tuple[list[Cited], dict[int, str]]:
    """(the report's quotes in the order of the text, source ids by number) as the run's state keeps them."""
    kept = (state.get("research_data") or {}).get("report") or {}
    numbers = {str(one["source_id"]): int(one["n"]) for one in kept.get("sources") or []}
    quotes = [
        Cited(numbers[one["source_id"]], str(one["quote"]), drawer.place_of(one))
        for sentence in kept.get("sentences") or []
        for one in sentence.get("evidence") or []
        if one.get("source_id") in numbers
    ]
    return quotes, {n: source_id for source_id, n in numbers.items()}


def with_chips(markdown: str, quotes: list[Cited], numbers: dict[int, str]) -> str:
    """The report with each citation mark as a chip: of the quote just before it, or else of the source as a whole."""
    safe = calm(markdown)
    parts: list[str] = []
    at = 0
    for mark in _MARK.finditer(safe):
        n = int(mark.group(1))
        if n not in numbers:
            continue
        parts += [safe[at : mark.start()], links.chip(str(n), _reference(n, safe[: mark.start()], quotes))]
        at = mark.end()
    return "".join([*parts, safe[at:]])


def _reference(n: int, before: str, quotes: list[Cited]) -> str:
    """'q12' for the quote that stands nearest before the mark, 's3' for source 3."""
    tail = _flat(before[-1600:])
    best, found = -1, -1
    for index, one in enumerate(quotes):
        if one.n == n and (place := tail.rfind(_flat(one.quote)[:160])) > best:
            best, found = place, index
    return f"q{found}" if found >= 0 else f"s{n}"


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text.replace("\\", "").replace("&lt;", "<")).strip()


def calm(markdown: str) -> str:
    """The report without what only Streamlit's Markdown would act on: directives, formulas, images; footnotes as a list."""
    text = _DIRECTIVE.sub("\\\\:", markdown.replace("$", "\\$"))
    return _IMAGE.sub("\\\\!", _FOOTNOTE.sub(r"\1. ", text))


def draw(topic: dict[str, Any], runs: list[dict[str, Any]], pick: Callable[[list[dict[str, Any]], str], dict[str, Any]]) -> None:
    """The report of the chosen run, with its downloads."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        run = pick(runs, "report_run")
        shown = find("report_show", slug=topic["slug"], run=run["n"])
        if shown is not None:
            name = f"{topic['slug']}-run-{run['n']}.md"
            st.download_button("Download", shown["markdown"], name, "text/markdown", icon=":material/download:", on_click="ignore")
    if shown is None or not shown["markdown"]:
        st.caption("This run has no report.")
        return
    state = call("run_show", run=run["id"])["research_state"]
    quotes, numbers = cited_quotes(state)
    with st.container(width=PROSE_PX):
        st.markdown(with_chips(_without_title(shown["markdown"]), quotes, numbers))
    opened = links.clicked("report_citations")
    if opened:
        _open(opened, quotes, numbers)


def _without_title(markdown: str) -> str:
    """The report without its first heading: the page has it already."""
    first, _, rest = markdown.partition("\n")
    return rest.lstrip("\n") if first.startswith("# ") else markdown


def _open(reference: str, quotes: list[Cited], numbers: dict[int, str]) -> None:
    kind, number = reference[:1], reference[1:]
    if not number.isdigit():
        return
    if kind == "q" and int(number) < len(quotes):
        drawer.show([quotes[int(number)].place])
    elif kind == "s" and int(number) in numbers:
        drawer.show([drawer.Place(numbers[int(number)])])
