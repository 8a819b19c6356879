"""A topic between any two of its runs, or any two dates."""

from datetime import date
from typing import Any

import streamlit as st

from beacon.ui.parts import changes
from beacon.ui.parts.empty import empty
from beacon.ui.parts.timeline import seen_at
from beacon.ui.session import attempt
from beacon.ui.text import count, day

RUNS, DATES = "Two runs", "Two dates"
_FOUND = "compared"  # what was asked last, and what was found: finding it again may take seconds


def draw(topic: dict[str, Any], runs: list[dict[str, Any]]) -> None:
    """The two moments to choose, and what changed from the first to the second; `runs` are the finished ones, newest first."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.segmented_control("Compare", [RUNS, DATES], default=RUNS, required=True, key="compare_way", label_visibility="collapsed")
        first, second = _two_runs(runs) if way == RUNS else _two_dates(runs)
        pressed = st.button("Compare", type="primary", key="compare", icon=":material/compare_arrows:", disabled=first == second)
    asked = (topic["slug"], first, second, runs[0]["id"])
    if pressed:
        with st.spinner("Comparing what was known at both moments …"):
            st.session_state[_FOUND] = (asked, attempt("change_list", slug=topic["slug"], start=first, end=second))
    known, found = st.session_state.get(_FOUND, (None, None))
    if known == asked and found is not None:
        _between(found, first, second)
    else:
        st.caption("Everything that changed from the first to the second is found anew, whatever runs there were between them.")


def _two_runs(runs: list[dict[str, Any]]) -> tuple[str, str]:
    by_n = {run["n"]: run for run in runs}
    numbers = sorted(by_n)

    def name(n: int) -> str:
        return f"Run #{n} · {day(seen_at(by_n[n]))}"

    older = st.selectbox("From", numbers[:-1], index=0, key=f"compare_run_from_{numbers[-1]}", format_func=name, width=230)
    later = [n for n in numbers if n > older]
    newer = st.selectbox("to", later, index=len(later) - 1, key=f"compare_run_to_{older}_{numbers[-1]}", format_func=name, width=230)
    return f"#{older}", f"#{newer}"


def _two_dates(runs: list[dict[str, Any]]) -> tuple[str, str]:
    dates = sorted({seen_at(run)[:10] for run in runs})
    older = st.date_input("What was known on", date.fromisoformat(dates[0]), key="compare_from", width=200)
    newer = st.date_input("and what on", date.fromisoformat(dates[-1]), key="compare_to", width=200)
    return str(older), str(newer)


def _between(found: list[dict[str, Any]], first: str, second: str) -> None:
    if not found:
        empty("Nothing changed", f"Between {_words(first)} and {_words(second)} the sources say the same.", icon=":material/done_all:")
        return
    st.markdown(f"**{count(len(found), 'change')} from {_words(first)} to {_words(second)}**")
    changes.browse(found, f"compared_{first.lstrip('#')}_{second.lstrip('#')}")


def _words(moment: str) -> str:
    return f"Run {moment}" if moment.startswith("#") else day(moment)
