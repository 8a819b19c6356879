"""What each phase of a run wrote, kept version by version."""

from typing import Any

import streamlit as st

from beacon.domain.run import PHASES
from beacon.ui.parts.empty import empty
from beacon.ui.parts.kinds import PHASE_WORDS
from beacon.ui.parts.report import calm
from beacon.ui.session import attempt, call
from beacon.ui.text import count, day, moment, plain


def draw(topic: dict[str, Any]) -> None:
    """The drafts of the chosen run at the left, the chosen draft at the right."""
    runs = call("run_list", slug=topic["slug"])
    if not runs:
        empty("No drafts yet", "Every phase of a run leaves what it wrote here.", icon=":material/edit_note:")
        return
    by_id = {run["id"]: run for run in runs}
    run_id = st.selectbox(
        "Run", list(by_id), format_func=lambda one: _name(by_id[one]), key="drafts_run", label_visibility="collapsed", width=320
    )
    drafts = sorted(call("draft_list", run=run_id), key=_order)
    if not drafts:
        st.caption("This run has written nothing yet.")
        return
    left, right = st.columns([1, 2.2], gap="large")
    by_draft = {draft["id"]: draft for draft in drafts}
    with left:
        chosen = st.radio(
            "Draft",
            list(by_draft),
            format_func=lambda one: _title(by_draft[one]),
            index=len(drafts) - 1,
            key=f"draft_{run_id}",
            label_visibility="collapsed",
        )
    with right:
        _one(run_id, by_draft[str(chosen)])


def _order(draft: dict[str, Any]) -> tuple[int, int, str, int]:
    """By phase as phases follow on each other, sections by their number."""
    number = str(draft["part"]).rpartition("_")[2]
    place = PHASES.index(draft["phase"]) if draft["phase"] in PHASES else len(PHASES)
    return (place, int(number) if number.isdigit() else 0, str(draft["part"]), int(draft["n"]))


def _name(run: dict[str, Any]) -> str:
    number = f"Run #{run['n']}" if run["n"] else f"Run, {run['status']}"
    return f"{number} · {day(run['as_of'] or run['start_time'])}"


def _title(draft: dict[str, Any]) -> str:
    version = f" (version {draft['n']})" if draft["n"] > 1 else ""
    return f"**{PHASE_WORDS.get(draft['phase'], draft['phase'])}** · {plain(str(draft['part']).replace('_', ' '))}{version}"


def _one(run_id: str, draft: dict[str, Any]) -> None:
    found = attempt("draft_show", run=run_id, draft=draft["id"])
    if found is None:
        return
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(f"{moment(draft['at'])} UTC · {count(draft['characters'], 'character')}", width="content")
        st.download_button(
            "Download",
            found["content"],
            f"{draft['phase']}-{draft['part']}.md",
            "text/markdown",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key="draft_download",
        )
    content = str(found["content"])
    if content.lstrip()[:1] in ("{", "["):
        st.code(content, language="json", wrap_lines=True, height=600)
    else:
        with st.container(height=640, border=True):
            st.markdown(calm(content))
