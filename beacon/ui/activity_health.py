"""How Beacon is doing: workers and their heartbeats, what waits for the projections, what was spent, how much there is."""

from typing import Any

import streamlit as st

from beacon.ui.session import call
from beacon.ui.text import count, plain

LOOK_EVERY_S = 5.0
COUNTS = ("topics", "runs", "sources", "versions", "chunks", "entities", "memories", "events")


@st.fragment(run_every=LOOK_EVERY_S)
def health() -> None:
    """The state of everything, looked at again every few seconds."""
    status = call("status")
    left, right = st.columns(2, gap="medium")
    with left:
        _workers(status["workers"])
        _spend(status["spend"], status["providers"])
    with right:
        _projections(status)
    _counts(status["counts"])


def _workers(workers: list[dict[str, Any]]) -> None:
    with st.container(border=True, key="health_workers", gap="xsmall"):
        st.markdown("##### Workers")
        if not any(worker["alive"] for worker in workers):
            st.markdown(
                ":orange-badge[:material/pause_circle: none answers] Queued runs wait until `beacon up` or `beacon worker` runs one."
            )
        for worker in workers:
            mark = ":green-badge[:material/favorite: alive]" if worker["alive"] else ":gray-badge[:material/heart_broken: silent]"
            facts = f"process {worker['pid']}, heard {heard(worker['age_s'])}"
            st.markdown(f"{mark} **{plain(worker['slot'])}** on {plain(worker['host'])}  \n:small[:gray[{facts}]]")


def heard(age_s: float) -> str:
    """How long ago a worker was heard."""
    if age_s < 60:
        return f"{max(age_s, 0):.0f} s ago"
    return f"{age_s / 60:.0f} min ago" if age_s < 5400 else f"{age_s / 3600:.0f} h ago"


def _projections(status: dict[str, Any]) -> None:
    chroma, graph, records = status["chroma"], status["graph"], status["records"]
    with st.container(border=True, key="health_stores", gap="xsmall"):
        st.markdown("##### Where it is kept")
        st.markdown(f":green-badge[:material/check: answers] **Records**  \n:small[:gray[{plain(records['backend'])}, the one truth]]")
        _store("Vectors", chroma, f"Chroma, {plain(chroma.get('backend', ''))}", "Search goes on by words.")
        _store("Graph", graph, "Neo4j" if graph["backend"] == "neo4j" else "in the records", "The graph is read from the records.")


def _store(name: str, state: dict[str, Any], backend: str, meanwhile: str) -> None:
    waiting = f", {count(state['waiting'], 'change')} waiting" if state["waiting"] else ", nothing waits"
    if state["ok"]:
        st.markdown(f":green-badge[:material/check: answers] **{name}**  \n:small[:gray[{backend}{waiting}]]")
        return
    st.markdown(f":red-badge[:material/cloud_off: down] **{name}**  \n:small[:gray[{backend}{waiting}. {meanwhile} Nothing is lost.]]")
    if state.get("detail"):
        st.caption(plain(state["detail"]))


def _spend(spend: dict[str, Any], providers: dict[str, bool]) -> None:
    with st.container(border=True, key="health_spend", gap="xsmall"):
        st.markdown("##### Spent on models")
        tokens = spend["input_tokens"] + spend["output_tokens"]
        st.markdown(f"### ${spend['cost_usd']:.2f}")
        st.caption(f"{count(spend['calls'], 'call')}, {tokens:,} tokens")
        present = ", ".join(name.capitalize() for name, there in providers.items() if there)
        st.caption(f"A key is present for {present}." if present else "No key is set: everything works offline, without cost.")


def _counts(counts: dict[str, int]) -> None:
    with st.grid(4, gap="small"):
        for name in COUNTS:
            if name in counts:
                st.metric(name.capitalize(), f"{counts[name]:,}", border=True)
