"""Trying the sample: a topic with six rounds of real texts, run in the background while its progress is shown."""

import streamlit as st

from beacon.domain.run import PHASES
from beacon.ui.parts import background
from beacon.ui.parts.kinds import PHASE_WORDS
from beacon.ui.session import beacon, call
from beacon.ui.text import plain

ROUNDS = 6  # rounds of the sample topic
_PHASES = len(PHASES) - 1


def _key() -> str:
    return f"sample:{beacon().workspace.project_id}"


def start() -> None:
    """Start the sample unless it is running."""
    opened = beacon()
    background.start(_key(), lambda: opened.call("demo"))


def is_running() -> bool:
    """Whether the sample is under way."""
    task = background.find(_key())
    return task is not None and not task.done


def watch() -> None:
    """The sample's progress while it runs; what went wrong, once, when it did."""
    task = background.find(_key())
    if task is None:
        return
    if task.done:
        if task.problem:
            st.error(plain(task.problem), icon=":material/error:")
        background.forget(_key())
        return
    _live()


@st.fragment(run_every=1.0)
def _live() -> None:
    task = background.find(_key())
    if task is None or task.done:
        st.rerun()
    runs = call("run_list")
    finished = sum(1 for run in runs if run["status"] == "done")
    now = next((run for run in runs if run["status"] == "running"), None)
    part = len(now["completed_phases"]) / _PHASES if now else 0
    if now:
        phase = PHASE_WORDS.get(now["current_phase"], "Read")
        words = f"Run {min(finished + 1, ROUNDS)} of {ROUNDS} · {phase}"
    else:
        words = "Answering questions and consolidating memory" if finished >= ROUNDS else "Reading the sample's texts"
    with st.container(border=True, key="sample_progress"):
        st.markdown("**Trying the sample** · nothing leaves this machine")
        st.progress(min(0.97, (finished + part) / (ROUNDS + 1)), text=f"{words} · {task.seconds:.0f} s")
