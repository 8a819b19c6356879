"""The drawer: evidence opens at the right, beside what is read, with the exact quote marked in its source."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from beacon.ui.parts.passage import passage
from beacon.ui.session import call
from beacon.ui.text import count, day, plain


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: `[start, end)` of a version of a source. Without a version, the source's newest text."""

    source_id: str
    start: int = 0
    end: int = 0
    version_id: str = ""
    label: str = ""  # what this side is, such as 'Was' or 'Now'


def place_of(side: dict[str, Any], label: str = "") -> Place:
    """The place of a change's `source`, a search hit or a citation as tools give them."""
    return Place(str(side["source_id"]), int(side.get("start") or 0), int(side.get("end") or 0), str(side.get("version_id") or ""), label)


@st.dialog("Evidence", width="medium", position="right", icon=":material/format_quote:")
def show(places: Sequence[Place], note: str = "") -> None:
    """Opens the drawer on one quote, or on two sides of a change. `note` is Markdown said first."""
    if note:
        st.markdown(note)
    if not places:
        st.caption("This statement has no place in a source.")
    for n, place in enumerate(places):
        _side(place, n, height=300 if len(places) > 1 else 460)


def _side(place: Place, n: int, height: int) -> None:
    source, text = _read(place)
    if place.label:
        st.badge(place.label, color="gray" if place.label == "Was" else "orange")
    st.markdown(f"**{plain(source['title'])}**")
    st.caption(_facts(source))
    if not text:
        st.caption("This version has no text: the source was withdrawn.")
        return
    whole = st.toggle("Whole text", key=f"drawer_whole_{n}") if len(text) > 2 * height else False
    passage(text, place.start, place.end, key=f"drawer_passage_{n}", whole=whole, height=height)
    _leave(source, place)


def _read(place: Place) -> tuple[dict[str, Any], str]:
    """The source and the text of the version that the place is in."""
    source = call("source_show", id=place.source_id)
    n = next((v["n"] for v in source["versions"] if v["id"] == place.version_id), None)
    if n is not None and n != source["n"]:
        source = call("source_show", id=place.source_id, version=n)
    return source, str(source["text"])


def _facts(source: dict[str, Any]) -> str:
    parts = [day(source["version_date"]), f"version {source['n']} of {len(source['versions'])}" if len(source["versions"]) > 1 else ""]
    if source["participant"]:
        parts.append(f"participant {plain(source['participant'])}")
    return " · ".join(part for part in parts if part)


def _leave(source: dict[str, Any], place: Place) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if str(source["url"]).startswith(("http://", "https://")):
            st.link_button("Open the original", source["url"], icon=":material/open_in_new:", type="tertiary")
        if place.end > place.start:
            st.caption(f"Exact slice {place.start:,}–{place.end:,} ({count(place.end - place.start, 'character')})")
