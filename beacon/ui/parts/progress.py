"""A run while it runs: phase by phase, looked at once a second, and no longer once it has ended."""

from typing import Any

import streamlit as st

from beacon.domain.run import PHASES
from beacon.ui.parts.kinds import PHASE_WORDS, status_badge
from beacon.ui.session import attempt, call
from beacon.ui.text import plain

ACTIVE = ("queued", "running", "waiting")
LOOK_EVERY_S = 1.0
_SHOWN = tuple(phase for phase in PHASES if phase != "revision")


def is_active(run: dict[str, Any] | None) -> bool:
    """Whether the run is under way."""
    return bool(run) and run["status"] in ACTIVE  # type: ignore[index]


def fraction(run: dict[str, Any]) -> float:
    """How far the run is, 0 to 1: whole phases done, and the part of the one in hand."""
    if run["status"] == "done":
        return 1.0
    done = sum(1 for phase in _SHOWN if phase in run["completed_phases"])
    progress = run.get("progress") or {}
    part = progress.get("done", 0) / progress["total"] if progress.get("total") else 0.0
    inside = part if done < len(_SHOWN) and run["current_phase"] != _SHOWN[max(done - 1, 0)] else 0.0
    return min(0.98, (done + min(inside, 0.95)) / len(_SHOWN))


def phase_line(run: dict[str, Any]) -> str:
    """The phases in a row as Markdown: done, in hand, to come."""
    done = [phase for phase in _SHOWN if phase in run["completed_phases"]]
    following = [phase for phase in _SHOWN if phase not in done]
    parts = [f":green[:material/check: {PHASE_WORDS[phase]}]" for phase in done]
    for n, phase in enumerate(following):
        word = PHASE_WORDS[phase]
        parts.append(f":orange[:material/adjust: **{word}**]" if n == 0 and run["status"] in ("running", "waiting") else f":gray[{word}]")
    return "  →  ".join(parts)


def _words(run: dict[str, Any]) -> str:
    progress = run.get("progress") or {}
    counted = f"{progress['done']} of {progress['total']}" if progress.get("total", 0) > 1 else ""
    parts = [plain(progress.get("phase") or "Starting"), counted, plain(progress.get("message") or "")]
    return " · ".join(part for part in parts if part)


def watch(run_id: str, *, key: str) -> None:
    """The run's progress, refreshed while it is under way; when it ends the page is drawn anew, once."""
    run = call("run_show", run=run_id)
    moving = run["status"] in ("queued", "running")
    seen = f"{key}_was_moving"
    st.session_state[seen] = moving

    @st.fragment(run_every=LOOK_EVERY_S if moving else None)
    def live() -> None:
        now = call("run_show", run=run_id)
        _draw(now, key)
        if st.session_state.get(seen) and now["status"] not in ("queued", "running"):
            st.session_state[seen] = False
            st.rerun()

    live()


def _draw(run: dict[str, Any], key: str) -> None:
    with st.container(border=True, key=f"{key}_box"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f"{status_badge(run['status'])} {_words(run)}", width="content")
            if run["status"] in ACTIVE:
                _stop_button(run, key)
        st.progress(fraction(run))
        st.markdown(phase_line(run))
        _costs(run)


def _stop_button(run: dict[str, Any], key: str) -> None:
    pressed = st.button("Stop", key=f"{key}_stop", type="tertiary", icon=":material/stop_circle:")
    if pressed and attempt("run_cancel", run=run["id"]) is not None:
        st.rerun()


def _costs(run: dict[str, Any]) -> None:
    usage = run.get("usage") or {}
    cost = float(usage.get("cost_usd") or 0)
    tokens = int(usage.get("input_tokens") or 0) + int(usage.get("output_tokens") or 0)
    if tokens:
        st.caption(f"{tokens:,} tokens · ${cost:.4f} spent so far")
