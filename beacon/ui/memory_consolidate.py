"""Consolidation: what happened becomes episodes, facts and skills. Looked at before, run, and undone as a whole."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from beacon.ui.memory_changes import items
from beacon.ui.memory_words import done
from beacon.ui.session import attempt, call
from beacon.ui.text import count, moment, plain

_PREVIEW = "consolidation_preview"


def consolidation() -> None:
    """What the next consolidation would do, a button to run it, and what the last ones did."""
    st.markdown(
        "Once a day, and at once when you ask Beacon to remember something, it reviews what happened since the last time "
        "and keeps what matters. The log itself stays as it is."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        looked = st.button("Show what would change", key="consolidate_preview", icon=":material/visibility:")
        ran = st.button("Consolidate now", key="consolidate_run", type="primary", icon=":material/compress:")
    if looked:
        with st.spinner("Reviewing what happened…"):
            st.session_state[_PREVIEW] = attempt("consolidate", preview=True)
    if ran:
        _run()
    _preview(st.session_state.get(_PREVIEW))
    _past()


def _run() -> None:
    with st.spinner("Consolidating…"):
        found = attempt("consolidate", preview=False)
    st.session_state.pop(_PREVIEW, None)
    if found and found["changeset_id"] and done(f"Consolidated: {_counts(found)}.", found):
        st.rerun()
    if found:
        st.info("Nothing new happened since the last time: nothing was changed.", icon=":material/check:")


def _counts(found: Mapping[str, Any]) -> str:
    parts = [count(found["episodes"], "episode"), count(found["facts"], "fact"), count(found["skills"], "skill")]
    return f"{', '.join(parts)} from {count(found['processed'], 'event')}"


def _preview(found: Mapping[str, Any] | None) -> None:
    if not found:
        return
    st.markdown("#### What would change")
    if not found["items"]:
        st.caption("Nothing: all that happened is reviewed already.")
        return
    st.caption(f"{_counts(found)}. Nothing is changed yet.")
    if found["summary"]:
        with st.expander("The days in brief", icon=":material/calendar_today:"):
            for line in str(found["summary"]).splitlines():
                st.markdown(plain(line))
    items(found["items"], "preview")


def _past() -> None:
    past = [change for change in call("changeset_list", limit=500) if change["action"] == "consolidated"][:10]
    st.markdown("#### The last ones")
    if not past:
        st.caption("Beacon has not consolidated yet.")
    for change in past:
        undone = " :gray-badge[:material/undo: undone]" if change["status"] == "undone" else ""
        with st.container(horizontal=True, vertical_alignment="center", key=f"consolidated_{change['id']}"):
            st.markdown(
                f"**{plain(change['title'])}**{undone}  \n:small[:gray[{moment(change['at'])} · {count(change['changes'], 'change')}]]",
                width="stretch",
            )
            if st.button("Show", key=f"show_{change['id']}", type="tertiary", icon=":material/visibility:"):
                _show(change["id"])
            if change["status"] == "applied":
                st.button("Undo", key=f"undo_{change['id']}", type="tertiary", icon=":material/undo:", on_click=_undo, args=(change["id"],))


def _undo(changeset_id: str) -> None:
    if attempt("changeset_undo", id=changeset_id) is not None:
        st.toast("Undone.", icon=":material/undo:")


@st.dialog("What this change did", width="large", position="right", icon=":material/difference:")
def _show(changeset_id: str) -> None:
    found = call("changeset_show", id=changeset_id)
    st.caption(f"{moment(found['at'])} · {plain(found['actor'])}")
    items(found["items"], "shown")
