"""The home page: what changed since you last looked, gates that wait, runs under way, and the topics."""

from typing import Any

import streamlit as st

from beacon.ui.parts import changes, frame, sample
from beacon.ui.parts.clock import now
from beacon.ui.parts.gates import gate_card
from beacon.ui.parts.kinds import status_badge
from beacon.ui.parts.progress import is_active, watch
from beacon.ui.session import call
from beacon.ui.text import ago, count, plain

SHOWN_CHANGES = 12


def draw() -> None:
    """The whole page."""
    feed = call("home_feed", limit=SHOWN_CHANGES, mark=True)
    if sample.is_running():
        frame.title("Home")
        sample.watch()
        return
    if not feed["topics"]:
        _welcome()
        sample.watch()
        return
    frame.title("Home", _summary(feed))
    sample.watch()
    for n, gate in enumerate(feed["gates"]):
        gate_card(gate, key=f"home_{n}", open_at_once=False)
    for run in feed["running"]:
        if run["status"] != "waiting":
            st.markdown(f"**{plain(run['topic'])}**")
            watch(run["id"], key=f"home_{run['id']}")
    main, side = st.columns([2.1, 1], gap="large")
    with main:
        _changes(feed)
    with side:
        _topics(feed["topics"])


def _summary(feed: dict[str, Any]) -> str:
    changed = count(feed["total_changes"], "change")
    if feed["fresh"]:
        parts = [f"{changed} since you last looked, {ago(feed['since'], now())}"]
    else:
        parts = [f"{'nothing new since you last looked; ' if feed['since'] else ''}{changed} in the latest runs".capitalize()]
    if feed["gates"]:
        parts.append(count(len(feed["gates"]), "question waits for you", "questions wait for you"))
    active = [run for run in feed["running"] if run["status"] != "waiting"]
    if active:
        parts.append(count(len(active), "run") + " under way")
    return " · ".join(parts)


def _changes(feed: dict[str, Any]) -> None:
    st.subheader("What changed", anchor=False)
    if not feed["changes"]:
        text = "Nothing changed in the latest runs." if any(t["run_count"] for t in feed["topics"]) else "No topic has run yet."
        st.caption(text)
        return
    for n, change in enumerate(feed["changes"]):
        changes.row(change, key=f"home_{n}", where=f"{plain(change['topic'])} · Run #{change['run']}")
    rest = feed["total_changes"] - len(feed["changes"])
    if rest > 0:
        st.caption(f"And {count(rest, 'smaller change')}: open a topic to see them all.")


def _topics(topics: list[dict[str, Any]]) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.subheader("Topics", anchor=False, width="content")
        st.page_link(frame.path_of("topics"), label="Watch a topic", icon=":material/add:", query_params={"new": "1"}, width="content")
    for topic in topics:
        topic_card(topic)


def topic_card(topic: dict[str, Any]) -> None:
    """A topic in three lines, its title leading to its page."""
    with st.container(border=True, gap="xxsmall", key=f"topic_{topic['id']}"):
        frame.topic_link(topic["slug"], f"**{plain(topic['title'])}**")
        last = topic["last_run"]
        number = f"Run #{topic['run_count']}" if topic["run_count"] else "Not run yet"
        at = ago(topic["last_run_at"], now())
        st.caption(" · ".join(part for part in (number, at, count(topic["sources"], "source")) if part))
        if last and (is_active(last) or last["status"] in ("failed", "paused")):
            st.markdown(status_badge(last["status"]))


def _welcome() -> None:
    st.space("large")
    st.title("What changed, with the proof beside it", anchor=False)
    st.markdown(
        "Beacon watches topics, keeps what it reads as facts with their exact quotes, and says on every run what is new, "
        "what changed and where sources disagree. Everything it remembers you can see, correct and undo.",
        width=680,
    )
    st.space("small")
    left, right = st.columns(2, gap="medium", width=860)
    with left.container(border=True, height="stretch"):
        st.markdown("#### :material/play_circle: Try the sample")
        st.caption("An asteroid’s impact odds, told in six rounds of real texts. Under a minute, on this machine alone.")
        if st.button("Try the sample", type="primary", key="try_sample", width="stretch"):
            sample.start()
            st.rerun()
    with right.container(border=True, height="stretch"):
        st.markdown("#### :material/radar: Watch a topic")
        st.caption("Give it a title, and the folders, pages or feeds to read. It runs when you say, or on a schedule.")
        if st.button("Watch a topic", key="watch_topic", width="stretch"):
            st.switch_page(frame.path_of("topics"), query_params={"new": "1"})
