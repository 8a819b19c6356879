"""The log of what happened: filtered by type, a page at a time, each event opened word for word."""

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from beacon.ui.parts.empty import empty
from beacon.ui.session import call
from beacon.ui.text import count, moment, plain, short

READ = 2000  # the newest events that are looked at
PER_PAGE = 50
Event = dict[str, Any]


def log() -> None:
    """The newest events as a table, the chosen one beside it."""
    events: list[Event] = call("event_list", limit=READ)
    if not events:
        empty(
            "Nothing has happened yet",
            "Everything that is read, asked, remembered and changed is written down here, and stays.",
            icon=":material/history:",
        )
        return
    rows = _chosen(events)
    pages = max(1, -(-len(rows) // PER_PAGE))
    at = min(int(st.session_state.get("log_page") or 1), pages)
    shown = rows[(at - 1) * PER_PAGE : at * PER_PAGE]
    left, right = st.columns([1.6, 1], gap="medium")
    with left:
        picked = _grid(shown, f"{at}_{st.session_state.get('log_type') or ''}") if shown else None
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            words = f"the newest {READ:,}" if len(events) == READ else count(len(rows), "event")
            st.caption(words, width="content")
            if pages > 1:
                st.pagination(pages, key="log_page")
    with right:
        _detail(picked)


def word_of(kind: str) -> str:
    """A type of event as people say it."""
    return kind.replace("_", " ").capitalize()


def _chosen(events: Sequence[Event]) -> list[Event]:
    counts: dict[str, int] = {}
    for event in events:
        counts[event["type"]] = counts.get(event["type"], 0) + 1
    names = sorted(counts, key=lambda name: (-counts[name], name))
    with st.container(horizontal=True):
        kind = st.selectbox(
            "Type",
            ["", *names],
            key="log_type",
            label_visibility="collapsed",
            width=280,
            format_func=lambda name: f"{word_of(name)} ({counts[name]:,})" if name else "Every type",
        )
        text = st.text_input(
            "Filter",
            key="log_text",
            label_visibility="collapsed",
            placeholder="Filter by words",
            icon=":material/filter_list:",
            type="search",
        )
    words = (text or "").casefold().split()
    return [event for event in events if kind in ("", event["type"]) and all(word in event["text"].casefold() for word in words)]


def _grid(rows: list[Event], name: str) -> Event:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "at": pd.to_datetime([row["at"] for row in rows], format="ISO8601", utc=True),
            "type": [word_of(row["type"]) for row in rows],
            "text": [short(row["text"], 160) for row in rows],
        }
    )
    state: Any = st.dataframe(
        frame,
        hide_index=True,
        key=f"log_grid_{name}",
        on_select="rerun",
        selection_mode="single-row-required",
        row_height=34,
        height=min(600, 40 + 34 * len(rows)),
        alt="Events, newest first",
        column_config={
            "at": st.column_config.DatetimeColumn("When (UTC)", format="D MMM YYYY, HH:mm", width=140),
            "type": st.column_config.TextColumn("What", width=150),
            "text": st.column_config.TextColumn("In words", width=300),
        },
    )
    chosen = state.selection.rows
    return rows[chosen[0] if chosen and chosen[0] < len(rows) else 0]


def _detail(event: Event | None) -> None:
    if event is None:
        st.caption("No event fits.")
        return
    with st.container(border=True, key="log_detail"):
        st.markdown(f"**{plain(word_of(event['type']))}**")
        who = ", ".join(plain(person) for person in event["people"])
        st.caption(" · ".join(part for part in (moment(event["at"]), plain(event["channel"]), who, plain(event["tone"])) if part))
        for part in event["text"].split("\n\n"):
            if part.strip():
                st.markdown(plain(part))
        if event["payload"]:
            with st.expander("Details", icon=":material/data_object:", type="compact"):
                st.code(json.dumps(event["payload"], ensure_ascii=False, indent=1, sort_keys=True), language="json", wrap_lines=True)
        st.caption("Events are never altered.")
