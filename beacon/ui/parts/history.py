"""A topic's history: its runs one by one, with what each found, read and cost."""

from typing import Any

import streamlit as st

from beacon.ui.parts.empty import empty
from beacon.ui.parts.kinds import count_badges, status_badge
from beacon.ui.parts.timeline import seen_at
from beacon.ui.session import attempt, call
from beacon.ui.text import day, moment, plain

SHOWN_RUNS = 60
REDO_FROM = ("research", "writing", "reviewing", "publishing")


def draw(topic: dict[str, Any]) -> None:
    """The runs, newest first."""
    runs = call("run_list", slug=topic["slug"])
    if not runs:
        empty("No run yet", "Every run stays here, with what it found and its drafts.", icon=":material/timeline:")
        return
    for run in runs[:SHOWN_RUNS]:
        _run(run)


def _run(run: dict[str, Any]) -> None:
    name = f"Run #{run['n']}" if run["n"] else "Run"
    with st.container(border=True, key=f"history_{run['id']}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(
                f"**{name}** · {day(seen_at(run))} {'' if run['status'] == 'done' else status_badge(run['status'])}", width="content"
            )
            with st.popover("", icon=":material/more_horiz:", type="tertiary", key=f"more_{run['id']}"):
                _actions(run)
        st.caption(_facts(run))
        if badges := count_badges(run["change_counts"]):
            st.markdown(badges)
        if run["error"]:
            st.caption(plain(run["error"]))


def _facts(run: dict[str, Any]) -> str:
    read = run.get("sources") or {}
    parts = [f"ran {moment(run['start_time'])}", run["trigger"]]
    parts += [
        f"{read[name]} {word}"
        for name, word in (("new", "new sources"), ("changed", "changed"), ("same", "unchanged"), ("withdrawn", "withdrawn"))
        if read.get(name)
    ]
    cost = float((run.get("usage") or {}).get("cost_usd") or 0)
    if cost:
        parts.append(f"${cost:.4f}")
    return " · ".join(plain(part) for part in parts if part)


def _actions(run: dict[str, Any]) -> None:
    if run["status"] in ("failed", "cancelled", "paused") and st.button(
        "Resume", key=f"resume_{run['id']}", icon=":material/replay:", type="tertiary"
    ):
        _act("run_resume", run)
    if run["status"] == "done":
        for phase in REDO_FROM:
            if st.button(f"Redo from {phase}", key=f"redo_{phase}_{run['id']}", icon=":material/restart_alt:", type="tertiary"):
                _act("run_redo", run, from_phase=phase)
    if run["status"] in ("done", "failed", "cancelled", "paused"):
        if st.button("Archive", key=f"archive_{run['id']}", icon=":material/archive:", type="tertiary"):
            _act("run_archive", run)
        sure = st.checkbox("Delete with its drafts and files", key=f"sure_{run['id']}")
        if sure and st.button("Delete", key=f"delete_{run['id']}", icon=":material/delete:"):
            _act("run_delete", run)


def _act(tool: str, run: dict[str, Any], **arguments: Any) -> None:
    if attempt(tool, run=run["id"], **arguments) is not None:
        st.rerun()
