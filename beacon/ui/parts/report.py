"""A report as it is read: prose of a comfortable width, every citation mark opening the quote it stands for."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from beacon.ui.parts import drawer, links
from beacon.ui.session import beacon, call, find

if TYPE_CHECKING:
    from beacon.bootstrap import Beacon

PROSE_PX = 760
FORMS = {  # form → its button, media type and icon
    "pdf": ("PDF", "application/pdf", ":material/picture_as_pdf:"),
    "docx": ("Word", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ":material/description:"),
    "html": ("Web page", "text/html", ":material/html:"),
    "md": ("Markdown", "text/markdown", ":material/notes:"),
}
_MARK = re.compile(r"(?<![\w\]\\])\[\^?(\d{1,4})\](?!\()")
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
        if n not in numbers or _is_definition(safe, mark.start(), mark.end()):
            continue
        parts += [safe[at : mark.start()], links.chip(str(n), _reference(n, safe[: mark.start()], quotes))]
        at = mark.end()
    return "".join([*parts, safe[at:]])


def _is_definition(text: str, start: int, end: int) -> bool:
    """Whether the mark begins a line and a colon follows: Markdown's way to say what a reference means."""
    return text[end : end + 1] == ":" and text[:start].rpartition("\n")[2].strip() == ""


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
        if shown is not None and shown["markdown"]:
            _downloads(topic["slug"], run["n"])
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


def _downloads(slug: str, n: int) -> None:
    """A file in each form; what takes time to make is made when it is asked for."""
    with st.popover("Download", icon=":material/download:"):
        for form, (label, media_type, icon) in FORMS.items():
            made = partial(_file_of, beacon(), slug, n, form)
            name = f"{slug}-run-{n}.{form}"
            st.download_button(
                label, made, name, media_type, key=f"download_{form}_{n}", icon=icon, on_click="ignore", type="tertiary", width="stretch"
            )


def _file_of(opened: "Beacon", slug: str, n: int, form: str) -> bytes:
    """The report's file; `opened` because this runs outside the page."""
    shown = opened.call("report_show", slug=slug, run=n, format=form)
    if f"{form}_base64" in shown:
        return base64.b64decode(shown[f"{form}_base64"])
    return str(shown["html" if form == "html" else "markdown"]).encode()


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
