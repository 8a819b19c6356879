"""A topic's history: its runs with counts by kind, and what changed between any two dates."""

from datetime import date
from typing import Any

import streamlit as st

from beacon.domain.change import CHANGE_KINDS, CHANGE_WORDS
from beacon.ui.parts import changes
from beacon.ui.parts.empty import empty
from beacon.ui.parts.kinds import KIND_HEX, count_badges, status_badge
from beacon.ui.session import attempt, call
from beacon.ui.text import count, day, moment, plain

SHOWN_RUNS = 60
REDO_FROM = ("research", "writing", "reviewing", "publishing")


def draw(topic: dict[str, Any]) -> None:
    """The chart over the runs, the comparison of two dates, and the runs one by one."""
    runs = call("run_list", slug=topic["slug"])
    finished = [run for run in runs if run["n"]]
    if not runs:
        empty("No run yet", "Every run stays here, with what it found and its drafts.", icon=":material/timeline:")
        return
    if len(finished) > 1:
        _chart(finished[:SHOWN_RUNS])
        _compare(topic, finished)
    st.markdown("#### Runs")
    for run in runs[:SHOWN_RUNS]:
        _run(run)


def _seen_at(run: dict[str, Any]) -> str:
    return str(run["as_of"] or run["finished_at"] or run["start_time"])


def _chart(finished: list[dict[str, Any]]) -> None:
    """Stacked bars, one a run, one colour a kind."""
    runs = finished[::-1]
    theme = KIND_HEX["dark" if st.context.theme.type == "dark" else "light"]
    kinds = [kind for kind in CHANGE_KINDS if any(run["change_counts"].get(kind) for run in runs)]
    series = [
        {
            "name": CHANGE_WORDS[kind], "type": "bar", "stack": "changes", "barMaxWidth": 34, "itemStyle": {"color": theme[kind]},
            "data": [run["change_counts"].get(kind, 0) for run in runs],
        }
        for kind in kinds
    ]  # fmt: skip
    spec = {
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}}, "legend": {"bottom": 0, "icon": "roundRect"},
        "grid": {"left": 40, "right": 10, "top": 12, "bottom": 52}, "animation": False,
        "xAxis": {"type": "category", "data": [f"#{run['n']}  {day(_seen_at(run))}" for run in runs]},
        "yAxis": {"type": "value", "minInterval": 1}, "series": series,
    }  # fmt: skip
    st.echarts_chart(spec, height=260, key="history_chart", alt="How many changes each run found, by kind")


def _compare(topic: dict[str, Any], finished: list[dict[str, Any]]) -> None:
    with st.expander("Compare two dates", icon=":material/compare_arrows:"):
        dates = sorted({_seen_at(run)[:10] for run in finished})
        with st.container(horizontal=True, vertical_alignment="bottom"):
            first = st.date_input("What was known on", date.fromisoformat(dates[0]), key="compare_from", width=200)
            second = st.date_input("and what on", date.fromisoformat(dates[-1]), key="compare_to", width=200)
            st.button("Compare", key="compare", on_click=_remember, args=(topic["slug"], str(first), str(second)))
        asked = st.session_state.get("compared")
        if asked and asked[0] == topic["slug"]:
            _between(*asked)


def _remember(slug: str, first: str, second: str) -> None:
    st.session_state["compared"] = (slug, first, second)


def _between(slug: str, first: str, second: str) -> None:
    found = attempt("change_list", slug=slug, start=first, end=second)
    if found is None:
        return
    st.markdown(f"**{count(len(found), 'change')} between {day(first)} and {day(second)}**")
    if found:
        changes.browse(found, "compared")


def _run(run: dict[str, Any]) -> None:
    name = f"Run #{run['n']}" if run["n"] else "Run"
    with st.container(border=True, key=f"history_{run['id']}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(
                f"**{name}** · {day(_seen_at(run))} {'' if run['status'] == 'done' else status_badge(run['status'])}", width="content"
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
