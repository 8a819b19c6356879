"""A topic's sources: what was read, its versions, and how two of them differ."""

from typing import Any

import streamlit as st

from beacon.ui.components.diff import diff
from beacon.ui.parts import drawer, words
from beacon.ui.parts.empty import empty
from beacon.ui.parts.kinds import kind_badge
from beacon.ui.session import attempt, call
from beacon.ui.text import count, day, plain, short

PER_PAGE = 20
SHOWN_CHANGES = 60


def draw(topic: dict[str, Any]) -> None:
    """The list with a filter, a page at a time."""
    sources = call("source_list", slug=topic["slug"])
    if not sources:
        empty(
            "Nothing was read yet",
            "Sources appear here after the first run, with every version of their text.",
            icon=":material/menu_book:",
        )
        return
    typed = st.text_input(
        "Filter",
        key="sources_filter",
        placeholder="Filter by title or address",
        label_visibility="collapsed",
        icon=":material/filter_list:",
    )
    wanted = typed.strip().casefold()
    shown = [source for source in sources if wanted in f"{source['title']} {source['url']}".casefold()]
    pages = max(1, -(-len(shown) // PER_PAGE))
    at = min(int(st.session_state.get("sources_page") or 1), pages)
    st.caption(count(len(shown), "source"))
    for source in shown[(at - 1) * PER_PAGE : at * PER_PAGE]:
        _source(source)
    if pages > 1:
        st.pagination(pages, key="sources_page")


def _source(source: dict[str, Any]) -> None:
    with st.container(border=True, key=f"source_{source['id']}", gap="xxsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f"**{plain(short(source['title'], 120))}**", width="content")
            with st.container(horizontal=True, width="content", gap="xsmall"):
                if source["versions"] > 1 and st.button(
                    "Differences", key=f"diff_{source['id']}", type="tertiary", icon=":material/difference:"
                ):
                    differences(source["id"])
                if st.button("Read", key=f"read_{source['id']}", type="tertiary", icon=":material/menu_book:"):
                    drawer.show([drawer.Place(source["id"])])
        st.caption(_facts(source))


def _facts(source: dict[str, Any]) -> str:
    status = "" if source["status"] == "current" else f":red-badge[{plain(source['status'])}]"
    parts = [
        day(source["latest_date"]),
        count(source["versions"], "version"),
        plain(str(source["kind"]).replace("_", " ")),
        f"series {plain(source['series'])}" if source["series"] else "",
        f"segment {plain(source['segment'])}" if source["segment"] else "",
        "no witness: background" if source["role"] == "context" else "",
        "no witness: copied from another source" if source["derived_from"] else "",
        status,
    ]
    return " · ".join(part for part in parts if part)


@st.dialog("Two versions", width="large", position="right", icon=":material/difference:")
def differences(source_id: str) -> None:
    """Two versions of a source, statement by statement and line by line."""
    source = call("source_show", id=source_id)
    st.markdown(f"**{plain(source['title'])}**")
    numbers = [version["n"] for version in source["versions"]]
    dates = {version["n"]: day(version["version_date"] or version["fetched_at"]) for version in source["versions"]}
    left, right = st.columns(2)
    old = left.selectbox("Older", numbers, index=len(numbers) - 2, key="diff_old", format_func=lambda n: f"Version {n} · {dates[n]}")
    new = right.selectbox("Newer", numbers, index=len(numbers) - 1, key="diff_new", format_func=lambda n: f"Version {n} · {dates[n]}")
    if old == new:
        st.caption("Pick two different versions.")
        return
    found = attempt("source_diff", id=source_id, v1=old, v2=new)
    if found is None:
        return
    tabs = st.tabs(["Statements", "Lines"])
    with tabs[0]:
        _statements(found["changes"])
    with tabs[1]:
        _lines(found["lines"], dates[old], dates[new])


def _lines(unified: list[str], left: str, right: str) -> None:
    """The lines that differ, side by side; `unified` is a unified diff."""
    signs = {"+": "+", "-": "-", " ": " "}
    lines = [{"op": signs[line[:1]], "text": line[1:]} for line in unified if line[:1] in signs and line[:3] not in ("---", "+++")]
    if lines:
        diff(lines, key="source_lines", left=left, right=right, height=620)
    else:
        st.caption("The two texts are the same.")


def _statements(found: list[dict[str, Any]]) -> None:
    if not found:
        st.caption("Nothing of substance differs.")
    for change in found[:SHOWN_CHANGES]:
        with st.container(border=True, gap="xxsmall"):
            st.markdown(kind_badge(change["kind"]))
            if change["old"] and change["new"]:
                was, now = words.marked(change["old"], change["new"])
                left, right = st.columns(2, gap="medium")
                left.markdown(f"“{was}”")
                right.markdown(f"“{now}”")
            elif change["old"]:
                st.markdown(f":gray[“{plain(change['old'])}”]")
            else:
                st.markdown(f"“{plain(change['new'])}”")
    if len(found) > SHOWN_CHANGES:
        st.caption(f"And {len(found) - SHOWN_CHANGES} more: see the lines.")
