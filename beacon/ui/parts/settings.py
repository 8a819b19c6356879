"""The settings page: what Beacon knows of the project and of you, which models it may use, how it is doing, and backups."""

from pathlib import Path
from typing import Any

import streamlit as st

from beacon.ui.parts import background, frame, models, web
from beacon.ui.session import attempt, beacon, call
from beacon.ui.text import count, moment, plain

TABS = ("Project", "You", "Memory", "Models", "Web", "Health", "Backup")
STRATEGY = (
    ("icp", "Who it is for", "The ideal customer, in a sentence or two."),
    ("strategy", "Current strategy", "What you are betting on now."),
)
LISTS = (
    ("segments", "Segments", "self-serve\nenterprise"),
    ("constraints", "Constraints", "No new hardware before autumn"),
    ("success_metrics", "Success metrics", "Weekly active teams"),
)
SITUATIONS = {
    "question": ("A question", "When you ask something."),
    "reflection": ("Reflection", "When memory is consolidated."),
    "ambient": ("In passing", "Before every step, unasked."),
}
PARTS = ("recency", "importance", "relevance")


def draw() -> None:
    """The whole page."""
    frame.title("Settings", f"Workspace **{plain(beacon().workspace.settings.project)}** · you are **{plain(frame.user())}**")
    tabs = dict(zip(TABS, st.tabs(list(TABS), key="part", bind="query-params"), strict=True))
    drawn = {
        "Project": _project,
        "You": _you,
        "Memory": _memory,
        "Models": models.draw,
        "Web": web.draw,
        "Health": _health,
        "Backup": _backup,
    }
    for name, tab in tabs.items():
        if tab.open:
            with tab, st.container(width=860):
                drawn[name]()


def _project() -> None:
    st.caption("What this workspace is about, in your words; every door and every program that asks can read it.")
    state = call("get_project_state")
    with st.form("project_state", border=False):
        patch: dict[str, Any] = {}
        for name, label, hint in STRATEGY:
            patch[name] = st.text_area(label, str(state.get(name) or ""), key=f"state_{name}", placeholder=hint, height=90).strip() or None
        columns = st.columns(len(LISTS))
        for column, (name, label, hint) in zip(columns, LISTS, strict=True):
            patch[name] = _read_lines(column, label, state.get(name), f"state_{name}", hint) or None
        patch["definitions"] = _definitions(state.get("definitions"))
        pressed = st.form_submit_button("Save", type="primary", icon=":material/check:")
    if pressed and attempt("patch_project_state", patch=patch) is not None:
        st.toast("Saved.", icon=":material/check:")
    _workspaces()


def _read_lines(box: Any, label: str, value: Any, key: str, hint: str) -> list[str]:
    lines = value if isinstance(value, list) else [str(value)] if value else []
    text = box.text_area(label, "\n".join(str(line) for line in lines), key=key, placeholder=hint, height=120, help="One a line.")
    return [line.strip() for line in str(text).splitlines() if line.strip()]


def _definitions(value: Any) -> dict[str, str | None]:
    """The definitions as a merge patch: a term taken out is set to null."""
    known = {str(term): str(meaning) for term, meaning in value.items()} if isinstance(value, dict) else {}
    before = "\n".join(f"{term}: {meaning}" for term, meaning in known.items())
    text = st.text_area(
        "Definitions",
        before,
        key="state_definitions",
        placeholder="activation: a team invites a second person",
        height=110,
        help="One a line: term, colon, meaning.",
    )
    found: dict[str, str | None] = {}
    for line in text.splitlines():
        term, colon, meaning = line.partition(":")
        if colon and term.strip():
            found[term.strip()] = meaning.strip()
    return {**{term: None for term in known if term not in found}, **found}


def _workspaces() -> None:
    with st.expander("Workspaces", icon=":material/workspaces:"):
        for project in call("project_list"):
            here = " :orange-badge[open]" if project["current"] else ""
            st.markdown(f"- **{plain(project['name'])}** {plain(project['title'])}{here}")
        with st.form("new_workspace", border=False, clear_on_submit=True):
            left, right = st.columns(2)
            name = left.text_input("Short name", key="workspace_name", placeholder="atlas")
            title = right.text_input("Title", key="workspace_title", placeholder="Project Atlas")
            if (
                st.form_submit_button("Add a workspace", icon=":material/add:")
                and attempt("project_add", name=name, title=title) is not None
            ):
                st.session_state["workspace"] = name.strip()
                st.rerun()


def _you() -> None:
    st.caption("What trusted people say weighs more when memory is consolidated, and so does what touches a goal.")
    st.caption("Beacon’s own name, values and tone stand beside these, as a document with every version kept.")
    here = {"memory_tab": "Profile"}
    st.page_link(frame.path_of("memory"), label="Open the directives", icon=":material/flare:", query_params=here)
    settings = call("get_user_settings")
    with st.form("user_settings", border=False):
        left, right = st.columns(2)
        people = _read_lines(left, "Trusted people", settings["trusted_people"], "trusted_people", "A name a line")
        goals = _read_lines(right, "Goals", settings["goals"], "goals", "What you want to reach")
        pressed = st.form_submit_button("Save", type="primary", icon=":material/check:")
    if pressed and attempt("set_user_settings", trusted_people=people, goals=goals) is not None:
        st.toast("Saved. Activity can undo it.", icon=":material/check:")


def _memory() -> None:
    st.caption(
        "A memory’s score is a weighted sum of how recent, how important and how relevant it is. Each situation has its own weights."
    )
    settings = call("get_user_settings")
    with st.form("weights", border=False):
        weights = {name: _situation(name, settings["weights"].get(name) or {}) for name in SITUATIONS}
        days = st.number_input(
            "Half-life in days",
            0.5,
            3650.0,
            float(settings["half_life_days"]),
            step=1.0,
            key="half_life",
            help="After so many days without being used, recency counts half.",
            width=240,
        )
        pressed = st.form_submit_button("Save", type="primary", icon=":material/check:")
    if pressed and attempt("set_user_settings", weights=weights, half_life_days=days) is not None:
        st.toast("Saved. Activity can undo it.", icon=":material/check:")
    st.caption("How long a topic is remembered without a run is set on each topic, under Edit.")


def _situation(name: str, weights: dict[str, float]) -> dict[str, float]:
    title, text = SITUATIONS[name]
    st.markdown(f"**{title}** :gray[{text}]")
    columns = st.columns(len(PARTS))
    return {
        part: float(column.slider(part.capitalize(), 0.0, 1.0, float(weights.get(part, 0.33)), 0.05, key=f"weight_{name}_{part}"))
        for column, part in zip(columns, PARTS, strict=True)
    }


def _health() -> None:
    status = call("status")
    _projection("Vectors (meaning search)", status["chroma"], "Search goes on by words meanwhile.")
    _projection("Graph", status["graph"], "The graph is read from the records meanwhile.")
    alive = [worker for worker in status["workers"] if worker["alive"]]
    badge = ":green-badge[:material/check: working]" if alive else ":orange-badge[:material/hourglass_empty: none]"
    st.markdown(
        f"**Workers** {badge} " + (f":gray[{', '.join(plain(w['slot']) for w in alive)}]" if alive else ":gray[runs wait until one starts]")
    )
    st.markdown(f"**Records** :gray[{plain(status['records']['backend'])} · {plain(status['records']['home'])}]")
    counts = status["counts"]
    st.caption(" · ".join(f"{int(value):,} {plain(name)}" for name, value in counts.items()))
    with st.container(horizontal=True):
        if st.button("Check the installation", key="doctor", icon=":material/stethoscope:"):
            st.session_state["checked"] = attempt("doctor")
        if st.button("Verify every guarantee", key="verify", icon=":material/verified:"):
            st.session_state["checked"] = attempt("verify")
        if st.button("Rebuild vectors and graph", key="rebuild", icon=":material/construction:"):
            opened = beacon()
            background.start("rebuild", lambda: opened.call("rebuild"))
    _rebuilding()
    _checked()


def _projection(label: str, state: dict[str, Any], meanwhile: str) -> None:
    badge = ":green-badge[:material/check: up]" if state["ok"] else ":red-badge[:material/error: down]"
    waiting = f":gray[{count(int(state['waiting']), 'change')} waiting]" if state["waiting"] else ":gray[in step]"
    st.markdown(f"**{label}** {badge} :gray[{plain(state['backend'])}] {waiting}")
    if not state["ok"]:
        since = f"Down since {moment(state['since'])}. " if state.get("since") else ""
        st.caption(f"{since}{plain(state.get('detail') or '')} {meanwhile}")


def _checked() -> None:
    found = st.session_state.get("checked")
    if not found:
        return
    with st.container(border=True, gap="xxsmall"):
        st.markdown(":green[:material/check_circle: **All is well**]" if found["ok"] else ":red[:material/error: **Something needs you**]")
        for check in found["checks"]:
            icon = ":green[:material/check:]" if check["ok"] else ":red[:material/close:]"
            st.markdown(f"{icon} **{plain(check['name'])}** :gray[{plain(check['detail'])}]")


def _rebuilding() -> None:
    task = background.find("rebuild")
    if task is None:
        return
    if not task.done:
        _wait("rebuild", "Making vectors and graph anew beside the old ones")
        return
    background.forget("rebuild")
    if task.problem:
        st.error(plain(task.problem), icon=":material/error:")
    else:
        st.success("Vectors and graph are new.", icon=":material/check:")


@st.fragment(run_every=1.0)
def _wait(key: str, words: str) -> None:
    task = background.find(key)
    if task is None or task.done:
        st.rerun()
    st.markdown(f":shimmer[{words}] :gray[{task.seconds:.0f} s]")


def _backup() -> None:
    st.caption("One archive with the records and all reports, as they are at this moment. Vectors and graph are made anew from it.")
    if st.button("Back up now", type="primary", key="backup", icon=":material/save:"):
        st.session_state["backup"] = attempt("backup")
    made = st.session_state.get("backup")
    if made and Path(made["path"]).is_file():
        path = Path(made["path"])
        st.markdown(f":green[:material/check:] `{path}` :gray[{made['bytes'] / 1_000_000:.1f} MB]")
        st.download_button(
            "Download", path.read_bytes, path.name, "application/gzip", icon=":material/download:", key="backup_download", on_click="ignore"
        )
    st.markdown("**To restore** stop Beacon and run `beacon restore` with the archive; what is there now is kept in a folder inside it.")
