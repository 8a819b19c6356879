"""A document's statements as a table, with the chosen one beside it: its words, who brought it, why, and from where."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.components.diff import diff
from beacon.ui.memory_profile import Version, save
from beacon.ui.merging import add_line, replace_line, split_line
from beacon.ui.parts import frame
from beacon.ui.session import call, find
from beacon.ui.text import count, moment, plain, short

PER_PAGE = 100
BROUGHT: Mapping[str, tuple[str, str]] = {
    "": ("At the start", ":material/flag:"),
    "edit": ("By hand", ":material/edit:"),
    "consolidation": ("Consolidation", ":material/bedtime:"),
    "plan_edited": ("Plan edited", ":material/checklist:"),
    "plan_rejected": ("Plan rejected", ":material/block:"),
    "follow_up_asked": ("Follow-up", ":material/add_comment:"),
    "discovery_dismissed": ("Finding dismissed", ":material/visibility_off:"),
    "report_edited": ("Report edited", ":material/edit_document:"),
    "report_approved": ("Report approved", ":material/task_alt:"),
    "user_described": ("Said in chat", ":material/chat_bubble:"),
    "company_described": ("Said in chat", ":material/chat_bubble:"),
    "preference_stated": ("Said in chat", ":material/chat_bubble:"),
    "company_found": ("Found in research", ":material/travel_explore:"),
}
Row = Mapping[str, Any]


def statements(namespace: str, now: Version) -> None:
    """The table and the statement that is chosen in it."""
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        words = st.text_input(
            "Filter",
            key=f"profile_filter_{namespace}",
            placeholder="Filter statements",
            icon=":material/filter_list:",
            label_visibility="collapsed",
            type="search",
        )
        wanted = (words or "").casefold().split()
        rows = [row for row in now["statements"] if all(word in row["text"].casefold() for word in wanted)]
        chosen = _table(namespace, now, rows, words or "")
        _add(namespace, now)
    with right:
        if chosen is not None:
            _detail(namespace, now, chosen)


def brought(row: Row) -> tuple[str, str]:
    """What brought a statement, in words, and its icon."""
    if row["origin"] in ("user", "restore") and row["trigger"] != "edit":
        return ("Put back", ":material/restore:") if row["origin"] == "restore" else BROUGHT["edit"]
    return BROUGHT.get(str(row["trigger"]), (str(row["trigger"]).replace("_", " ").capitalize(), ":material/help:"))


def _table(namespace: str, now: Version, rows: Sequence[Row], words: str) -> Row | None:
    if not rows:
        st.caption("No statement fits this filter." if words else "Nothing stands here yet: add the first statement below.")
        return None
    pages = -(-len(rows) // PER_PAGE)
    at = min(int(st.session_state.get(f"profile_page_{namespace}") or 1), pages)
    shown = rows[(at - 1) * PER_PAGE : at * PER_PAGE]
    chosen = _grid(shown, f"{namespace}_{now['n']}_{at}_{words}")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(count(len(rows), "statement"), width="content")
        if pages > 1:
            st.pagination(pages, key=f"profile_page_{namespace}")
    return chosen


def _grid(rows: Sequence[Row], name: str) -> Row:
    import pandas as pd

    frame_ = pd.DataFrame(
        {
            "text": [split_line(row["text"])[1] for row in rows],
            "from": [brought(row)[0] for row in rows],
            "at": pd.to_datetime([row["at"] for row in rows], format="ISO8601", utc=True),
        }
    )
    columns: dict[str, Any] = {
        "text": st.column_config.TextColumn("Statement", width=288),
        "from": st.column_config.TextColumn("From", width=118),
        "at": st.column_config.DatetimeColumn("Since", format="D MMM YY", width=82),
    }
    state: Any = st.dataframe(
        frame_,
        hide_index=True,
        column_config=columns,
        height=min(560, 42 + 36 * len(rows)),
        on_select="rerun",
        selection_mode="single-row-required",
        key=f"profile_grid_{name}",
        alt="Statements",
        row_height=36,
    )
    chosen = state.selection.rows
    return rows[chosen[0] if chosen and chosen[0] < len(rows) else 0]


def _add(namespace: str, now: Version) -> None:
    with st.form("profile_add", clear_on_submit=False, border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Add a statement", placeholder="One statement, such as: I read reports on Monday mornings", key="profile_new")
        st.form_submit_button("Add", icon=":material/add:", on_click=_append, args=(namespace, now))


def _append(namespace: str, now: Version) -> None:
    words = str(st.session_state.get("profile_new") or "").strip()
    if words and save(namespace, now, add_line(now["content"], words), "statement added"):
        st.session_state["profile_new"] = ""


# The chosen statement


def _detail(namespace: str, now: Version, row: Row) -> None:
    words, icon = brought(row)
    key = f"profile_words_{namespace}_{now['n']}_{row['line']}"
    with st.container(border=True, key="profile_detail"):
        st.markdown(f":gray-badge[{icon} {plain(words)}] :small[:gray[{moment(row['at'])} · version {row['n']}]]")
        with st.form(f"profile_line_{namespace}_{now['n']}_{row['line']}", border=False, enter_to_submit=False):
            st.text_area("Statement", split_line(row["text"])[1], key=key, label_visibility="collapsed", height="content")
            with st.container(horizontal=True):
                st.form_submit_button("Save", type="primary", key="profile_line_save", on_click=_edit, args=(namespace, now, row, key))
                st.form_submit_button("Remove", type="tertiary", icon=":material/delete:", key="profile_line_remove", on_click=_remove,
                                      args=(namespace, now, row))  # fmt: skip
        if row["reason"]:
            st.caption(f"Why: {plain(row['reason'])}")
        _cause(row)
        _what_changed(namespace, row)


def _edit(namespace: str, now: Version, row: Row, key: str) -> None:
    words = " ".join(str(st.session_state.get(key) or "").split())
    if words and words != split_line(row["text"])[1]:
        save(namespace, now, replace_line(now["content"], int(row["line"]), words), "statement edited")


def _remove(namespace: str, now: Version, row: Row) -> None:
    save(namespace, now, replace_line(now["content"], int(row["line"]), None), f"removed “{short(split_line(row['text'])[1], 40)}”")


def _cause(row: Row) -> None:
    """The message, gate or run that a statement came from, in its own words."""
    cause = find("cause_show", id=row["cause"]) if row["cause"] else None
    if cause is None:
        return
    st.markdown(f"**{plain(cause['title'])}** :small[:gray[{moment(cause['at'])}]]")
    if cause["text"]:
        st.markdown(f"“{plain(short(cause['text'], 400))}”")
    if cause["slug"]:
        st.page_link(frame.path_of("topics"), label="Open the topic", icon=":material/topic:", query_params={"slug": cause["slug"]})
    elif cause["conversation_id"]:
        target = {"c": cause["conversation_id"]}
        st.page_link(frame.path_of("chat"), label="Open the conversation", icon=":material/forum:", query_params=target)


def _what_changed(namespace: str, row: Row) -> None:
    if row["n"] < 2:
        return
    with st.expander("What that version changed", icon=":material/history:", key="profile_line_history", on_change="rerun") as box:
        if box.open:
            lines = call("profile_diff", namespace=namespace, v1=row["n"] - 1, v2=row["n"])["lines"]
            diff(lines, key="profile_line_diff", left=f"Version {row['n'] - 1}", right=f"Version {row['n']}", height=260)
