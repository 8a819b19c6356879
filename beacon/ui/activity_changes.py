"""Every change to what is remembered: what it did, and the way back. A change that others built on says so instead of breaking them."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from beacon.errors import BeaconError
from beacon.ui.memory_changes import items
from beacon.ui.parts.clock import now
from beacon.ui.parts.empty import empty
from beacon.ui.session import beacon, call
from beacon.ui.text import ago, count, plain

PER_PAGE = 15
ACTIONS: Mapping[str, str] = {
    "memory_added": ":material/add:",
    "memory_edited": ":material/edit:",
    "memory_pinned": ":material/keep:",
    "memory_unpinned": ":material/keep_off:",
    "memory_forgotten": ":material/inventory_2:",
    "memory_restored": ":material/restore:",
    "profile_written": ":material/description:",
    "consolidated": ":material/compress:",
    "settings_changed": ":material/tune:",
    "undo": ":material/undo:",
    "redo": ":material/redo:",
}
_REFUSED = "change_refused"


def changes() -> None:
    """The changes, newest first, a page at a time."""
    found = call("changeset_list", limit=5000)
    if not found:
        empty(
            "Nothing was changed yet",
            "Every change to memory or to the four documents appears here and can be undone, one by one.",
            icon=":material/difference:",
        )
        return
    waiting = sum(change["status"] == "undone" for change in found)
    st.caption(f"{count(len(found), 'change')}, {waiting} undone. Undoing one change undoes nothing else.")
    pages = -(-len(found) // PER_PAGE)
    at = min(int(st.session_state.get("change_page") or 1), pages)
    for change in found[(at - 1) * PER_PAGE : at * PER_PAGE]:
        _row(change)
    if pages > 1:
        st.pagination(pages, key="change_page")


def _row(change: Mapping[str, Any]) -> None:
    key = change["id"]
    undone = change["status"] == "undone"
    with st.container(border=True, key=f"change_{key}", gap="xsmall"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            title = f"~~{plain(change['title'])}~~ :gray-badge[:material/undo: undone]" if undone else f"**{plain(change['title'])}**"
            facts = " · ".join(
                (
                    ago(change["at"], now()),
                    "you" if change["actor"] == "user" else plain(change["actor"]),
                    count(change["changes"], "thing"),
                )
            )
            icon = ACTIONS.get(change["action"], ":material/change_history:")
            st.markdown(f"{icon} {title}  \n:small[:gray[{facts}]]", width="stretch")
            if not undone:
                st.button("Undo", key=f"undo_{key}", type="tertiary", icon=":material/undo:", on_click=_undo, args=(key,))
        refused = st.session_state.get(_REFUSED)
        if refused and refused[0] == key:
            _explain(refused[1])
        with st.expander("What it did", type="compact", key=f"open_{key}", on_change="rerun") as box:
            if box.open:
                items(call("changeset_show", id=key)["items"], f"did_{key}")


def _undo(changeset_id: str) -> None:
    st.session_state.pop(_REFUSED, None)
    try:
        beacon().call("changeset_undo", id=changeset_id)
        st.toast("Undone.", icon=":material/undo:")
    except BeaconError as error:
        st.session_state[_REFUSED] = (changeset_id, error.message)


def _explain(message: str) -> None:
    st.warning(f"This change cannot be undone on its own. {plain(message)}", icon=":material/account_tree:")
