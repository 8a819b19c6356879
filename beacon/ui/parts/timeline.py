"""What each run of a topic found, drawn over time; picking a disc or a run shows its changes."""

from typing import Any

import streamlit as st

from beacon.domain.change import CHANGE_KINDS, CHANGE_WORDS
from beacon.ui.components.timeline import picked, timeline
from beacon.ui.parts.kinds import ICONS, KIND_HEX
from beacon.ui.text import day

MOST_RUNS = 60
_KEY = "topic_timeline"


def seen_at(run: dict[str, Any]) -> str:
    """The date that a run looks at: the one it was told, or the day it ran."""
    return str(run["as_of"] or run["finished_at"] or run["start_time"])


def choice_key(runs: list[dict[str, Any]], key: str) -> str:
    """The key of the box in which a run is chosen; another one when a run was added, so that the newest shows."""
    return f"{key}_{runs[0]['n']}"


def draw(runs: list[dict[str, Any]], *, box: str, kinds: str) -> None:
    """The finished runs, newest first in `runs`; `box` is the key of the run's box, `kinds` of its filter with {n} for the number."""
    shown = runs[:MOST_RUNS][::-1]
    present = [kind for kind in CHANGE_KINDS if any(run["change_counts"].get(kind) for run in shown)]
    theme = KIND_HEX["dark" if st.context.theme.type == "dark" else "light"]
    lanes = [{"kind": kind, "word": CHANGE_WORDS[kind], "icon": ICONS[kind], "hex": theme[kind]} for kind in present]
    rows = [
        {
            "n": run["n"], "name": f"Run #{run['n']}", "date": day(seen_at(run)), "short": day(seen_at(run)),
            "counts": {kind: run["change_counts"][kind] for kind in present if run["change_counts"].get(kind)}, "first": run["n"] == 1,
        }
        for run in shown
    ]  # fmt: skip
    chosen = int(st.session_state.get(box) or runs[0]["n"])
    timeline(rows, lanes, chosen=chosen, key=_KEY, on_pick=lambda: _pick(box, kinds))


def _pick(box: str, kinds: str) -> None:
    found = picked(_KEY)
    if found is None:
        return
    n, kind = found
    st.session_state[box] = n
    st.session_state[kinds.format(n=n)] = [kind] if kind else []
    st.session_state["with_confirmed"] = kind == "confirmed" or bool(st.session_state.get("with_confirmed"))
