"""Themes as cards: what people say, who says it, what speaks against it; renamed, merged or dismissed where they stand."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.insights_head import quote_line
from beacon.ui.parts.empty import empty
from beacon.ui.session import attempt, call
from beacon.ui.text import count, plain, short

FIRST_QUOTES = 3
PAGE = 12
KINDS = {"Needs": "need", "Praise": "praise"}


def themes() -> None:
    """The cards, a page at a time, and what was set aside."""
    found = call("theme_list", status="all")
    live = [one for one in found if one["status"] == "active"]
    if not found:
        empty(
            "No themes yet",
            "Read interviews, surveys, tickets or notes on the Evidence tab, then press Synthesise: what several people say "
            "appears here, in their words.",
            icon=":material/lightbulb:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        kind = st.segmented_control("Kind", list(KINDS), default="Needs", key="themes_kind", label_visibility="collapsed", required=True)
        words = st.text_input(
            "Filter",
            key="themes_filter",
            placeholder="Filter by words",
            label_visibility="collapsed",
            icon=":material/filter_list:",
            width=260,
        )
    wanted = words.strip().casefold()
    shown = [one for one in live if one["tone"] == KINDS[str(kind)] and _holds(one, wanted)]
    pages = max(1, -(-len(shown) // PAGE))
    at = min(int(st.session_state.get("themes_page") or 1), pages)
    part = shown[(at - 1) * PAGE : at * PAGE]
    for left, right in ((part[n], part[n + 1] if n + 1 < len(part) else None) for n in range(0, len(part), 2)):
        columns = st.columns(2, gap="medium")
        for column, one in zip(columns, (left, right), strict=True):
            if one:
                with column:
                    _card(one, live)
    if not shown:
        st.caption("No theme of this kind holds these words.")
    if pages > 1:
        st.pagination(pages, key="themes_page")
    set_aside("theme", [one for one in found if one["status"] != "active"], {str(one["id"]): str(one["title"]) for one in found})


def _holds(one: Mapping[str, Any], wanted: str) -> bool:
    return not wanted or wanted in f"{one['title']} {' '.join(q['quote'] for q in one['quotes'])}".casefold()


def _card(one: Mapping[str, Any], live: Sequence[Mapping[str, Any]]) -> None:
    with st.container(border=True, key=f"theme_{one['id']}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="top", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(one['title'])}**", width="stretch")
            actions("theme", one, live)
        st.caption(plain(one["summary"]) + (f" Segments: {plain(', '.join(one['segments']))}." if one["segments"] else ""))
        for quote in one["quotes"][:FIRST_QUOTES]:
            st.markdown(quote_line(quote))
        if one["contradicting"]:
            st.markdown(f":blue[:material/balance:] :small[**{count(len(one['contradicting']), 'quote')} against**]")
            st.markdown(quote_line(one["contradicting"][0], most=200))
        if len(one["quotes"]) > FIRST_QUOTES or len(one["contradicting"]) > 1:
            _more(one)


def _more(one: Mapping[str, Any]) -> None:
    rest = len(one["quotes"]) + len(one["contradicting"])
    if st.button(f"All {rest} quotes", key=f"more_{one['id']}", type="tertiary", icon=":material/expand_more:"):
        all_quotes(str(one["title"]), one["quotes"], one["contradicting"], one["participants"])


@st.dialog("All quotes", width="large", position="right", icon=":material/format_quote:")
def all_quotes(title: str, quotes: Sequence[Mapping[str, Any]], against: Sequence[Mapping[str, Any]], participants: Sequence[str]) -> None:
    """Every quote for and against, with the people behind them."""
    st.markdown(f"**{plain(title)}**")
    if participants:
        st.caption(f"{count(len(participants), 'person', 'people')}: {plain(', '.join(participants))}")
    for name, side in (("For", quotes), ("Against", against)):
        if side:
            st.markdown(f"##### {name}")
        for quote in side:
            who = " · ".join(plain(part) for part in (quote["participant"], short(str(quote["title"]), 70)) if part)
            st.markdown(f"“{plain(quote['quote'])}”  \n:small[:gray[{who}]]")


def actions(kind: str, one: Mapping[str, Any], live: Sequence[Mapping[str, Any]]) -> None:
    """Rename, merge, dismiss."""
    key = str(one["id"])
    with st.popover("", icon=":material/more_vert:", key=f"act_{key}", type="tertiary", help="Rename, merge or dismiss"):
        name = st.text_input("Name", value=str(one["title"]), key=f"name_{key}", max_chars=300)
        st.button(
            "Rename",
            key=f"rename_{key}",
            icon=":material/edit:",
            width="stretch",
            on_click=_rename,
            args=(kind, key),
            disabled=name.strip() == one["title"],
        )
        others = {str(other["id"]): str(other["title"]) for other in live if other["id"] != key}
        if others:
            st.selectbox(
                "Merge into",
                list(others),
                index=None,
                format_func=lambda k: short(others[k], 70),
                key=f"into_{key}",
                placeholder=f"Another {kind}",
            )
            st.button("Merge", key=f"merge_{key}", icon=":material/merge:", width="stretch", on_click=_merge, args=(kind, key))
        st.button(
            "Dismiss",
            key=f"dismiss_{key}",
            icon=":material/visibility_off:",
            width="stretch",
            on_click=change,
            args=(kind, key),
            kwargs={"status": "dismissed"},
        )


def _rename(kind: str, key: str) -> None:
    change(kind, key, title=str(st.session_state[f"name_{key}"]).strip())


def _merge(kind: str, key: str) -> None:
    into = st.session_state.get(f"into_{key}")
    if into:
        change(kind, key, merged_into=into)


def change(kind: str, key: str, **patch: Any) -> None:
    """Applies a patch and says so."""
    name = "theme_id" if kind == "theme" else "opp_id"
    if attempt(f"update_{kind}", **{name: key}, patch=patch) is not None:
        st.toast("Kept. The next synthesis keeps to it.", icon=":material/done:")


def set_aside(kind: str, found: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> None:
    """What was dismissed or merged, and the way back."""
    if not found:
        return
    with st.expander(
        f"Set aside: {count(len(found), kind, f'{kind}s' if kind == 'theme' else 'opportunities')}", icon=":material/inventory_2:"
    ):
        for one in found:
            with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
                into = f" → {plain(names.get(str(one['merged_into']), ''))}" if one["status"] == "merged" else ""
                st.markdown(f"{plain(one['title'])} :gray[{plain(one['status'])}{into}]", width="content")
                st.button(
                    "Restore",
                    key=f"restore_{one['id']}",
                    type="tertiary",
                    icon=":material/undo:",
                    on_click=change,
                    args=(kind, str(one["id"])),
                    kwargs={"status": "active"},
                )
