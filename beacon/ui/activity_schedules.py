"""When research and consolidation are due: listed, added, taken away."""

from typing import Any

import streamlit as st

from beacon.ui.parts.empty import empty
from beacon.ui.parts.schedules import next_words, schedule_words
from beacon.ui.session import attempt, call
from beacon.ui.text import moment, plain

KINDS = {"research": (":material/radar:", "Research"), "consolidation": (":material/compress:", "Consolidate memory")}
EXAMPLES = ["mon 08:00", "daily 07:30", "weekdays 9:00", "hourly", "every 15 min"]


def schedules() -> None:
    """The schedules, and a form for another."""
    found = call("schedule_list")
    if not found:
        empty(
            "No schedule yet",
            "Topics can be read again every week or every hour, and memory consolidated each night, while Beacon runs.",
            icon=":material/schedule:",
        )
    for schedule in found:
        _row(schedule)
    with st.expander("Add a schedule", icon=":material/add:", expanded=not found, key="schedule_form_box"):
        _form()


def _row(schedule: dict[str, Any]) -> None:
    icon, word = KINDS.get(schedule["kind"], (":material/schedule:", schedule["kind"]))
    title = plain(schedule["title"]) if schedule["title"] else ""
    with st.container(border=True, horizontal=True, wrap=False, vertical_alignment="center", key=f"schedule_{schedule['id']}"):
        last = f" · last {moment(schedule['last_at'])}" if schedule["last_at"] else " · not run yet"
        st.markdown(
            f"{icon} **{word}{': ' + title if title else ''}**, {schedule_words(schedule)}  \n:small[:gray[{next_words(schedule)}{last}]]",
            width="stretch",
        )
        st.button(
            "Remove",
            key=f"schedule_remove_{schedule['id']}",
            type="tertiary",
            icon=":material/delete:",
            on_click=_remove,
            args=(schedule["id"],),
        )


def _remove(schedule_id: str) -> None:
    if attempt("schedule_remove", id=schedule_id) is not None:
        st.toast("The schedule is gone.", icon=":material/delete:")


def _form() -> None:
    topics = {topic["slug"]: topic["title"] for topic in call("topic_list")}
    kind = st.segmented_control(
        "What",
        list(KINDS),
        default="research" if topics else "consolidation",
        required=True,
        key="schedule_kind",
        format_func=lambda name: f"{KINDS[name][0]} {KINDS[name][1]}",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slug = None
        if kind == "research":
            slug = st.selectbox(
                "Topic", list(topics), key="schedule_topic", format_func=lambda name: topics.get(name, ""), placeholder="Add a topic first"
            )
        every = st.selectbox("When", EXAMPLES, key="schedule_every", accept_new_options=True, help="Or a cron line of five fields, in UTC")
        ready = bool(every) and (kind != "research" or bool(slug))
        pressed = st.button("Add", type="primary", key="schedule_add", disabled=not ready, icon=":material/add:")
    if pressed and attempt("schedule_add", kind=kind, slug=slug, every=every) is not None:
        st.rerun()
