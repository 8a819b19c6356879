"""Gates: where a run waits for a person. What it asks, what can be changed, and the five answers."""

from typing import Any

import streamlit as st

from beacon.ui.parts.clock import now
from beacon.ui.parts.report import calm
from beacon.ui.session import attempt, call
from beacon.ui.text import ago, count, plain

TITLES = {
    "plan": ("Is this the right plan?", "The questions this run will look into. One a line; change, add or remove."),
    "findings": ("Are these the right findings?", "What was found for each question, before the report is written."),
    "report": ("Shall this report be published?", "The report as it stands. Edit it, or ask for more."),
}


def gate_card(gate: dict[str, Any], *, key: str, open_at_once: bool = True) -> None:
    """One open gate with its question and its answers; a report to read is folded unless `open_at_once`."""
    run = call("run_show", run=gate["run_id"])
    name = str(gate["name"]).partition("#")[0]
    title, help_text = TITLES.get(name, (f"The run waits at '{plain(name)}'", ""))
    with st.container(border=True, key=f"gate_{key}"):
        st.markdown(f":orange-badge[:material/front_hand: Waiting for you] **{plain(run['topic'])}** · {title}")
        st.caption(f"{help_text} Asked {ago(gate['opened_at'], now())}.")
        payload = _editor(name, run["research_state"], key, open_at_once)
        _answers(run, gate, payload, key)


def _editor(name: str, state: dict[str, Any], key: str, open_at_once: bool) -> dict[str, Any]:
    """What the person changed: the payload of an edit, empty when nothing differs."""
    if name == "plan":
        plan = state.get("research_plan") or []
        before = "\n".join(str(one.get("question", "")) for one in plan)
        text = st.text_area("Questions", before, key=f"{key}_plan", height=180)
        return {"research_plan": _plan(text, plan)} if text.strip() != before.strip() else {}
    if name == "report":
        return _report(str(state.get("draft_report") or ""), key, open_at_once)
    return _findings(state, key)


def _findings(state: dict[str, Any], key: str) -> dict[str, Any]:
    """The findings by section, each of which can be set aside: the payload of a dismissal, empty when none is."""
    passed: list[str] = []
    sections = state.get("research_sections") or []
    first = next((n for n, section in enumerate(sections) if section.get("evidence")), -1)
    for n, section in enumerate(sections):
        evidence = section.get("evidence") or []
        title = plain(section.get("title") or section.get("question") or "Section")
        with st.expander(f"{title} :gray[{count(len(evidence), 'finding')}]", expanded=n == first, key=f"{key}_section_{n}"):
            for m, one in enumerate(evidence):
                with st.container(horizontal=True, wrap=False, vertical_alignment="top"):
                    st.markdown(f"“{plain(one.get('quote', ''))}”", width="stretch")
                    if st.toggle(
                        "Not relevant", key=f"{key}_pass_{n}_{m}", help="Leaves it out, and remembers that it does not matter to you"
                    ):
                        passed.append(str(one.get("quote", "")))
            if not evidence:
                st.caption("Nothing was found on this.")
    return {"findings": passed} if passed else {}


def _report(before: str, key: str, open_at_once: bool) -> dict[str, Any]:
    with st.expander("Read the report", icon=":material/article:", expanded=open_at_once):
        if not st.toggle("Edit the text", key=f"{key}_edit"):
            with st.container(height=460, border=False):
                st.markdown(calm(before))
            return {}
        text = st.text_area("Report", before, key=f"{key}_report", height=460, label_visibility="collapsed")
    return {"draft_report": text} if text.strip() != before.strip() else {}


def _plan(text: str, plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The edited questions; one that was there keeps what else the plan says of it."""
    known = {str(one.get("question", "")).strip(): one for one in plan}
    asked = [line.strip() for line in text.splitlines() if line.strip()]
    return [known.get(line) or {"question": line, "origin": "person"} for line in asked]


def _answers(run: dict[str, Any], gate: dict[str, Any], payload: dict[str, Any], key: str) -> None:
    follow_up = st.text_input(
        "A follow-up question", key=f"{key}_follow", placeholder="Also look into … (or, to reject: why)", label_visibility="collapsed"
    )
    dismissed = payload if "findings" in payload else {}
    label = f"Leave out {count(len(dismissed['findings']), 'finding')}" if dismissed else "Use my changes" if payload else "Approve"
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(label, key=f"{key}_approve", type="primary", icon=":material/check:"):
            _send(run, gate, "dismiss" if dismissed else "edit" if payload else "approve", payload)
        if st.button("Ask this too", key=f"{key}_ask", icon=":material/add_comment:", disabled=not follow_up.strip()):
            _send(run, gate, "follow_up", {"question": follow_up.strip()})
        if not dismissed and str(gate["name"]).startswith("findings"):
            help_text = "Goes on as it is, and notes that this was of little interest."
            if st.button("Not interested", key=f"{key}_dismiss", type="tertiary", help=help_text):
                _send(run, gate, "dismiss", {})
        why = {"reason": follow_up.strip()} if follow_up.strip() else {}
        if st.button("Reject", key=f"{key}_reject", type="tertiary", icon=":material/close:", help="Ends this run here; say why above."):
            _send(run, gate, "reject", why)
    st.caption(":material/psychology: What you do here is remembered as a preference or an episode. Memory shows it, and can undo it.")


def _send(run: dict[str, Any], gate: dict[str, Any], decision: str, payload: dict[str, Any]) -> None:
    if attempt("gate_answer", run=run["id"], gate=gate["id"], decision=decision, payload=payload) is not None:
        st.rerun()
