"""The decision log: what was decided, on which quotes, and what has come up since."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.parts import links
from beacon.ui.parts.empty import empty
from beacon.ui.session import attempt, call
from beacon.ui.text import count, day, plain, short

STATES = {
    "standing": ("stands", "green", ":material/gavel:"),
    "reopened": ("open again", "orange", ":material/history_edu:"),
    "closed": ("closed", "gray", ":material/lock:"),
}
QUOTES = 3


def decisions() -> None:
    """The log, what is open again first, and the form for a new one."""
    found = call("decision_list")
    _form()
    if not found:
        empty(
            "Nothing was decided yet",
            "Keep a decision beside an opportunity, or here: it is logged with its quotes, and opened again when later evidence "
            "speaks against it.",
            icon=":material/gavel:",
        )
    for one in sorted(found, key=lambda d: d["status"] != "reopened"):
        _decision(one)


def _form() -> None:
    themes = {str(one["id"]): str(one["title"]) for one in call("theme_list")}
    with st.expander("Keep a decision", icon=":material/add:"), st.form("decision_new", border=False, clear_on_submit=True):
        title = st.text_input("What was decided", placeholder="We will …", max_chars=500)
        reason = st.text_area("Because", height=80)
        chosen = st.multiselect(
            "Themes it rests on", list(themes), format_func=lambda key: short(themes[key], 80), placeholder="Choose themes"
        )
        if st.form_submit_button("Keep", type="primary"):
            if not title.strip():
                st.warning("Say in a few words what was decided.", icon=":material/edit:")
            elif attempt("decision_add", title=title.strip(), reason=reason.strip(), theme_ids=chosen) is not None:
                st.rerun()


def _decision(one: Mapping[str, Any]) -> None:
    word, colour, icon = STATES[str(one["status"])]
    with st.container(border=True, key=f"decision_{one['id']}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(one['title'])}**", width="stretch")
            st.badge(word, icon=icon, color=colour)  # type: ignore[arg-type]
        facts = [
            day(one["decided_at"]),
            f"on {count(len(one['quotes']), 'quote')} of {count(one['people'], 'person', 'people')}" if one["quotes"] else "on no evidence",
        ]
        st.caption(" · ".join(facts) + (f" · {plain(one['reason'])}" if one["reason"] else ""))
        if one["status"] == "reopened":
            st.warning(" ".join(plain(reason) for reason in one["reopened"]["reasons"]), icon=":material/history_edu:")
            _quotes(one["reopened"]["quotes"])
        _quotes(one["quotes"])
        if one["status"] != "closed":
            _settle(one)


def _quotes(quotes: Sequence[Mapping[str, Any]]) -> None:
    for quote in quotes[:QUOTES]:
        reference = f"{quote['source_id']}:{quote['version_id']}:{quote['start']}:{quote['end']}"
        where = plain(short(str(quote["title"]), 70))
        st.markdown(f"“{plain(short(str(quote['quote']), 240))}” {links.chip('source', reference)}  \n:small[:gray[{where}]]")


def _settle(one: Mapping[str, Any]) -> None:
    with st.container(horizontal=True, gap="small"):
        if one["status"] == "reopened":
            st.button(
                "Uphold",
                key=f"uphold_{one['id']}",
                icon=":material/check:",
                on_click=_set,
                args=(str(one["id"]), "standing"),
                help="It stands on today's evidence",
            )
        st.button(
            "Close", key=f"close_{one['id']}", type="tertiary", icon=":material/lock:", on_click=_set, args=(str(one["id"]), "closed")
        )


def _set(key: str, status: str) -> None:
    attempt("decision_settle", decision_id=key, status=status)
