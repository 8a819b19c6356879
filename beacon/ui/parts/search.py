"""Search results: passages, their scores opened into parts, their place in the source one click away."""

from typing import Any

import streamlit as st

from beacon.ui.parts import drawer, frame
from beacon.ui.parts.empty import empty
from beacon.ui.session import attempt, call
from beacon.ui.text import count, plain, short

MODES = {"hybrid": "Best of all", "lexical": "Words", "dense": "Meaning", "graph": "Connections"}
HITS = 20
EXCERPT = 420


def draw() -> None:
    """The whole page."""
    asked = str(st.query_params.get("q", "")).strip()
    frame.title("Search", f"Passages for “{plain(asked)}”" if asked else "")
    if not asked:
        empty("Search every source", "Type into the box at the left: words, a question, or a name.", icon=":material/search:")
        return
    mode, slug = _controls()
    hits = attempt("search", query=asked, k=HITS, mode=mode, slug=slug)
    if hits is None:
        return
    if not hits:
        empty("Nothing fits", "Try other words, another way of searching, or read more sources.", icon=":material/search_off:")
        return
    st.caption(count(len(hits), "passage"))
    for n, hit in enumerate(hits):
        _hit(hit, n)


def _controls() -> tuple[str, str | None]:
    topics = {topic["slug"]: topic["title"] for topic in call("topic_list")}
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        mode = st.segmented_control(
            "How",
            list(MODES),
            default="hybrid",
            required=True,
            format_func=lambda name: MODES[name],
            key="search_mode",
            label_visibility="collapsed",
        )
        slug = st.selectbox(
            "In",
            ["", *topics],
            format_func=lambda name: topics.get(name, "All sources"),
            key="search_topic",
            label_visibility="collapsed",
            width=280,
        )
    return str(mode), slug or None


def _hit(hit: dict[str, Any], n: int) -> None:
    with st.container(border=True, key=f"hit_{n}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f"**{plain(short(hit['title'], 110))}**", width="content")
            with st.container(horizontal=True, width="content", gap="xsmall", vertical_alignment="center"):
                receipt(hit, f"hit_{n}")
                if st.button("Evidence", key=f"hit_open_{n}", type="tertiary", icon=":material/format_quote:"):
                    drawer.show([drawer.place_of(hit)])
        st.markdown(plain(short(hit["text"], EXCERPT)), width=820)


def receipt(hit: dict[str, Any], key: str) -> None:
    """The hit's score, opened into the parts it was made of."""
    with st.popover(f"{hit['score']:.3f}", type="tertiary", icon=":material/receipt_long:", key=f"{key}_receipt", help="Why this one"):
        st.markdown(f"**Score {hit['score']:.4f}**")
        for name, value in _flat(hit.get("receipt") or {}):
            st.caption(f"{plain(name)}: **{plain(value)}**")


def _flat(receipt_: dict[str, Any], lead: str = "") -> list[tuple[str, str]]:
    """The receipt's numbers and words, one a line."""
    found: list[tuple[str, str]] = []
    for name, value in receipt_.items():
        label = f"{lead}{name}".replace("_", " ")
        if isinstance(value, dict):
            found += _flat(value, f"{label} · ")
        elif isinstance(value, list):
            found.append((label, ", ".join(short(str(one), 60) for one in value)))
        elif value is not None and value != "":
            found.append((label, f"{value:.4f}" if isinstance(value, float) else str(value)))
    return found
