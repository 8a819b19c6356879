"""The topics page: the list, a new topic, and one topic with everything about it."""

from typing import Any

import streamlit as st

from beacon.ui.parts import changes, compare, drafts, facts, frame, history, report, sources, timeline
from beacon.ui.parts.clock import now
from beacon.ui.parts.empty import empty
from beacon.ui.parts.gates import gate_card
from beacon.ui.parts.kinds import status_badge
from beacon.ui.parts.progress import is_active, watch
from beacon.ui.parts.schedules import schedule_words
from beacon.ui.parts.topic_form import edit_topic, new_topic
from beacon.ui.session import attempt, call, find
from beacon.ui.text import ago, count, day, plain, short, unmarked

SUMMARY_CHARS = 340
TABS = ("What changed", "Report", "Facts", "Compare", "History", "Sources", "Drafts", "Edit")


def draw() -> None:
    """The list of topics, the form for a new one, or the topic that the address names."""
    slug = str(st.query_params.get("slug", ""))
    if slug:
        _one(slug)
    elif st.query_params.get("new"):
        _new()
    else:
        _list()


def _list() -> None:
    topics = call("topic_list")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        with st.container(width="content"):
            frame.title("Topics", count(len(topics), "topic") + " watched" if topics else "")
        if topics and st.button("Watch a topic", type="primary", icon=":material/add:", key="new_topic"):
            _go(new="1")
    if not topics:
        text = (
            "A topic has a title and what to read for it: folders, pages, feeds or web searches. Each run says what changed since the last."
        )
        if empty("No topic is watched yet", text, icon=":material/radar:", button="Watch a topic", key="first_topic"):
            _go(new="1")
    for topic in topics:
        _list_row(topic)
    _removed()


def _list_row(topic: dict[str, Any]) -> None:
    last = topic["last_run"]
    with st.container(border=True, key=f"listed_{topic['id']}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            frame.topic_link(topic["slug"], f"**{plain(topic['title'])}**")
            if last and last["status"] != "done":
                st.markdown(status_badge(last["status"]), width="content")
        st.caption(_facts(topic))
        if summary := (topic["memory"] or {}).get("report_summary"):
            st.markdown(plain(short(unmarked(summary), SUMMARY_CHARS)), width=820)


def _facts(topic: dict[str, Any]) -> str:
    number = f"Run #{topic['run_count']}" if topic["run_count"] else "Not run yet"
    last = f"last run {ago(topic['last_run_at'], now())}" if topic["last_run_at"] else ""
    scheduled = schedule_words(topic["schedule"]) if topic["schedule"] else ""
    return " · ".join(part for part in (number, last, count(topic["sources"], "source"), scheduled) if part)


def _removed() -> None:
    gone = [topic for topic in call("topic_list", removed=True) if topic["status"] == "removed"]
    if not gone:
        return
    with st.expander(f"Removed topics ({len(gone)})", icon=":material/archive:"):
        for topic in gone:
            with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
                st.markdown(plain(topic["title"]), width="content")
                if st.button("Restore", key=f"restore_{topic['id']}", type="tertiary", icon=":material/restore:"):
                    attempt("topic_restore", slug=topic["id"])
                    st.rerun()


def _new() -> None:
    frame.title("Watch a topic", "Say what it is about and what to read for it. Everything can be changed later.")
    made = new_topic()
    if made:
        _go(slug=made)


def _go(**parameters: str) -> None:
    st.switch_page(frame.path_of("topics"), query_params=parameters)


def _one(slug: str) -> None:
    topic = find("topic_show", slug=slug)
    if topic is None:
        frame.title("Topics")
        if empty("There is no such topic", "It may have been renamed, or it belongs to another workspace.", button="All topics", key="all"):
            _go()
        return
    _head(topic)
    for n, gate in enumerate(g for g in call("gate_list") if topic["last_run"] and g["run_id"] == topic["last_run"]["id"]):
        gate_card(gate, key=f"topic_{n}")
    last = topic["last_run"]
    if is_active(last):
        watch(last["id"], key=f"run_{last['id']}")
    elif last and last["status"] in ("failed", "paused"):
        _broke_off(last["id"])
    _tabs(topic)


def _head(topic: dict[str, Any]) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        with st.container(width="stretch", gap="xxsmall"):
            frame.topic_crumb()
            frame.title(topic["title"], _facts(topic))
        pressed = st.button("Run now", type="primary", icon=":material/play_arrow:", key="run_now", disabled=is_active(topic["last_run"]))
        if pressed and attempt("run_start", slug=topic["slug"]) is not None:
            st.rerun()


def _broke_off(run_id: str) -> None:
    run = call("run_show", run=run_id)
    more: dict[str, float] = {}
    with st.container(border=True):
        st.markdown(f"{status_badge(run['status'])} {plain(run['error'] or 'It broke off.')}")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if run["status"] == "paused":
                more = {"budget": st.number_input("Dollars more", 0.0, 1000.0, 1.0, 0.5, key="more_usd", width=160)}
            pressed = st.button("Resume after the last finished step", icon=":material/replay:", key="resume")
        if pressed and attempt("run_resume", run=run_id, **more) is not None:
            st.rerun()


def _tabs(topic: dict[str, Any]) -> None:
    tabs = dict(zip(TABS, st.tabs(list(TABS), key="view", bind="query-params"), strict=True))
    drawn = {
        "What changed": _changes, "Report": _report, "Facts": facts.draw, "Compare": _compare, "History": history.draw,
        "Sources": sources.draw, "Drafts": drafts.draw, "Edit": _edit,
    }  # fmt: skip
    for name, tab in tabs.items():
        if tab.open:
            with tab:
                drawn[name](topic)


def _finished(topic: dict[str, Any]) -> list[dict[str, Any]]:
    """The topic's finished runs, newest first."""
    return [run for run in call("run_list", slug=topic["slug"]) if run["n"]]


def _nothing_yet(topic: dict[str, Any]) -> None:
    empty(
        "No run has finished yet",
        "The first run reads everything; from the second on, this page says what changed.",
        icon=":material/timeline:",
    )


def _pick_run(runs: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """The run chosen from a small box; the newest unless another is picked, and again when a run was added."""
    by_n = {run["n"]: run for run in runs}
    n = st.selectbox(
        "Run",
        list(by_n),
        key=timeline.choice_key(runs, key),
        label_visibility="collapsed",
        width=230,
        format_func=lambda n: f"Run #{n} · {day(timeline.seen_at(by_n[n]))}",
    )
    return by_n[n]


def _changes(topic: dict[str, Any]) -> None:
    runs = _finished(topic)
    if not runs:
        _nothing_yet(topic)
        return
    if len(runs) > 1:
        timeline.draw(runs, box=timeline.choice_key(runs, "changes_run"), kinds="changes_{n}_kinds")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        with st.container(width="content", gap="xxsmall"):
            place = st.empty()
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            confirmed = st.toggle("Confirmations", key="with_confirmed", help="Also what an independent source says again")
            run = _pick_run(runs, "changes_run")
    before = next((one for one in runs if one["n"] == run["n"] - 1), None)
    since = f"What changed since {day(timeline.seen_at(before))}" if before else "The first run: everything is new"
    place.markdown(f"### {since}", width="content")
    found = call("change_list", slug=topic["slug"], run=run["n"], confirmed=confirmed)
    if not found:
        checked = sum(n for status, n in (run.get("sources") or {}).items() if status != "withdrawn")
        empty("Nothing changed", f"{count(checked, 'source was', 'sources were')} checked.", icon=":material/done_all:")
        return
    changes.browse(found, f"changes_{run['n']}")


def _compare(topic: dict[str, Any]) -> None:
    runs = _finished(topic)
    if len(runs) < 2:
        empty(
            "Nothing to compare yet",
            "From the second run on, any two runs or dates can be held side by side.",
            icon=":material/compare_arrows:",
        )
        return
    compare.draw(topic, runs)


def _report(topic: dict[str, Any]) -> None:
    runs = _finished(topic)
    if not runs:
        _nothing_yet(topic)
        return
    report.draw(topic, runs, _pick_run)


def _edit(topic: dict[str, Any]) -> None:
    edit_topic(topic)
    st.space("small")
    with st.expander("Stop watching this topic", icon=":material/archive:"):
        st.caption("It goes out of sight and its schedule stops. All it knows is kept, and it can be brought back from the list of topics.")
        pressed = st.button("Remove", key="remove_topic", icon=":material/archive:")
        if pressed and attempt("topic_remove", slug=topic["slug"]) is not None:
            _go()
