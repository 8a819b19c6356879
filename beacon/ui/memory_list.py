"""What is remembered as a table with the chosen memory beside it: filtered, and as it was on any day."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import streamlit as st

from beacon.ui.memory_detail import add_form, detail
from beacon.ui.memory_words import STATUSES, TIERS
from beacon.ui.parts.empty import empty
from beacon.ui.session import beacon, call
from beacon.ui.text import count, day

PER_PAGE = 100
TEXT_WIDTH = 300
PINNED = "Pinned"
_KEPT = "memory_rows"
Row = dict[str, Any]


def memories() -> None:
    """Filters, the table, and the memory that is chosen in it."""
    everything = read_rows("all", None)
    if not everything:
        _nothing_yet()
        return
    filters = _filters(everything)
    rows = _chosen(everything, filters)
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        picked = _table(rows, filters)
    with right:
        detail(picked["id"] if picked else None, picked if filters["as_of"] else None)


def read_rows(status: str, as_of: str | None) -> list[Row]:
    """The memories as the tool lists them, kept for this visit until something remembered changes."""
    newest = call("changeset_list", limit=1)
    stamp = (beacon().workspace.project_id, newest[0]["id"] if newest else "", status, as_of)
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != stamp:
        kept = (stamp, call("memory_list", status=status, as_of=as_of, limit=10_000))
        st.session_state[_KEPT] = kept
    rows: list[Row] = kept[1]
    return rows


def _nothing_yet() -> None:
    pressed = empty(
        "Nothing is remembered yet",
        "Facts, episodes and skills appear here as you talk to Beacon and as topics run. You can also tell it something yourself.",
        icon=":material/psychology:",
        button="Add a memory",
        key="memory_first",
        button_icon=":material/add:",
    )
    if pressed:
        add_form()


# Filters


def _filters(rows: Sequence[Row]) -> dict[str, Any]:
    with st.container(horizontal=True, vertical_alignment="center"):
        text = st.text_input(
            "Filter",
            key="memory_text",
            placeholder="Filter by words, people, subject",
            icon=":material/filter_list:",
            label_visibility="collapsed",
            type="search",
        )
        status = st.selectbox(
            "Status",
            ["current", "superseded", "contradicted", "retracted", "archived", "all"],
            key="memory_status",
            label_visibility="collapsed",
            width=170,
            format_func=lambda name: "Any status" if name == "all" else STATUSES[name][0],
        )
        topic = _topic()
        back = st.toggle("As of a date", key="memory_back", help="What Beacon believed on that day, whatever became of it since")
        if st.button("Add", key="memory_add", icon=":material/add:", type="primary"):
            add_form()
    as_of = time_slider(rows, "memory_as_of") if back else None
    counts = {tier: sum(row["tier"] == tier and status in ("all", row["status"]) for row in rows) for tier in TIERS}
    tier = st.pills(
        "Tier",
        list(TIERS),
        key="memory_tier",
        label_visibility="collapsed",
        format_func=lambda name: f"{TIERS[name][1]} {TIERS[name][0]}s {counts[name]}",
    )
    return {"text": text or "", "status": status, "topic": topic, "as_of": as_of, "tier": tier}


def _topic() -> str | None:
    topics = {topic["id"]: topic["title"] for topic in call("topic_list")}
    if not topics:
        return None
    chosen = st.selectbox(
        "Topic",
        ["", *topics],
        key="memory_topic",
        label_visibility="collapsed",
        width=200,
        format_func=lambda key: topics.get(key, "Any topic"),
    )
    return chosen or None


def time_slider(rows: Sequence[Row], key: str) -> str:
    """A day between the first memory and today, as an ISO date."""
    today = beacon().workspace.clock().date()
    first = min((date.fromisoformat(str(row["recorded_at"])[:10]) for row in rows), default=today)
    first = min(first, today - timedelta(days=1))
    shown = st.slider("What Beacon believed on", first, today, today, format="D MMM YYYY", key=key)
    return str(shown.isoformat())


def _chosen(everything: Sequence[Row], filters: Mapping[str, Any]) -> list[Row]:
    rows = call("memory_list", status=filters["status"], as_of=filters["as_of"], limit=10_000) if filters["as_of"] else everything
    return [row for row in rows if fits(row, filters)]


def fits(row: Row, filters: Mapping[str, Any]) -> bool:
    """Whether a memory passes the filters; all words must be in it, in any case."""
    if filters["status"] not in ("all", row["status"]) or filters["tier"] not in (None, row["tier"]):
        return False
    if filters["topic"] and row["topic_id"] != filters["topic"]:
        return False
    said = " ".join([row["text"], row["subject"], row["attribute"], row["value"], *row["people"]]).casefold()
    return all(word in said for word in filters["text"].casefold().split())


# The table


def _table(rows: list[Row], filters: Mapping[str, Any]) -> Row | None:
    if not rows:
        st.caption("No memory fits these filters." if not filters["as_of"] else "Beacon believed nothing that fits on that day.")
        return None
    pages = -(-len(rows) // PER_PAGE)
    at = min(int(st.session_state.get("memory_page") or 1), pages)
    shown = rows[(at - 1) * PER_PAGE : at * PER_PAGE]
    picked = _grid(shown, f"{at}_{hash_of(filters)}")
    when = f" as of {day(filters['as_of'])}" if filters["as_of"] else ""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(f"{count(len(rows), 'memory', 'memories')}{when}", width="content")
        if pages > 1:
            st.pagination(pages, key="memory_page")
    return picked


def hash_of(filters: Mapping[str, Any]) -> str:
    """A short name for a set of filters: another list starts with its own first row chosen."""
    from beacon.domain.ids import digest

    return digest(repr(sorted((name, str(value)) for name, value in filters.items())))[:10]


def _grid(rows: list[Row], name: str) -> Row:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "tier": [[TIERS[row["tier"]][0], *([PINNED] if row["pinned"] else [])] for row in rows],
            "text": [row["text"] for row in rows],
            "importance": [float(row["importance"]) for row in rows],
            "status": [STATUSES[row["status"]][0] for row in rows],
            "at": pd.to_datetime([row["recorded_at"] for row in rows], format="ISO8601", utc=True),
        }
    )
    columns: dict[str, Any] = {
        "tier": st.column_config.MultiselectColumn(
            "Tier", width=112, options=[*(t[0] for t in TIERS.values()), PINNED], color=["blue", "green", "violet", "orange"]
        ),
        "text": st.column_config.TextColumn("Memory", width=TEXT_WIDTH),
        "importance": st.column_config.ProgressColumn("Importance", min_value=0, max_value=1, format="%.2f", width=88),
        "status": st.column_config.TextColumn("Status", width=92) if len({row["status"] for row in rows}) > 1 else None,
        "at": st.column_config.DatetimeColumn("Since", format="D MMM YY", width=82),
    }
    state: Any = st.dataframe(
        frame,
        hide_index=True,
        column_config=columns,
        height=min(620, 42 + 36 * len(rows)),
        on_select="rerun",
        selection_mode="single-row-required",
        key=f"memory_grid_{name}",
        alt="Memories",
        row_height=36,
    )
    chosen = state.selection.rows
    return rows[chosen[0] if chosen and chosen[0] < len(rows) else 0]
