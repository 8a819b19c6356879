"""How memories look wherever they are shown: tier, status, evidence, and the way back from what was just done."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from beacon.ui.components.stack import Part
from beacon.ui.parts import drawer
from beacon.ui.parts.passage import passage
from beacon.ui.session import attempt, call
from beacon.ui.text import moment, plain, short

TIERS: Mapping[str, tuple[str, str, str, str]] = {
    "episodic": ("Episode", ":material/event:", "blue", "what happened"),
    "semantic": ("Fact", ":material/lightbulb:", "green", "what is so"),
    "procedural": ("Skill", ":material/construction:", "violet", "what works"),
}
STATUSES: Mapping[str, tuple[str, str, str]] = {
    "current": ("Current", ":material/check:", "green"),
    "superseded": ("Superseded", ":material/arrow_forward:", "orange"),
    "contradicted": ("Contradicted", ":material/compare_arrows:", "violet"),
    "retracted": ("Retracted", ":material/close:", "red"),
    "archived": ("Set aside", ":material/inventory_2:", "gray"),
}
IMPORTANCE: Mapping[str, tuple[str, str, float]] = {
    "marker": ("asked to remember", "orange", 0.70),
    "goals": ("your goals", "violet", 0.35),
    "who": ("who", "blue", 0.25),
    "novelty": ("novelty", "green", 0.25),
    "emotion": ("emotion", "red", 0.25),
}
_LAST = "memory_last_change"


def tier_badge(tier: str) -> str:
    """The tier as a Markdown badge."""
    word, icon, colour, _ = TIERS.get(tier, (tier, ":material/help:", "gray", ""))
    return f":{colour}-badge[{icon} {word}]"


def status_badge(status: str) -> str:
    """The status as a Markdown badge."""
    word, icon, colour = STATUSES.get(status, (status, ":material/help:", "gray"))
    return f":{colour}-badge[{icon} {word}]"


def importance_parts(memory: Mapping[str, Any]) -> list[Part]:
    """What the importance is made of: each reason's share of it, so that the pieces add up to the whole."""
    parts = {name: min(1.0, max(0.0, float(value))) for name, value in (memory.get("importance_parts") or {}).items()}
    reasons = {name: IMPORTANCE[name][2] * parts[name] for name in IMPORTANCE if parts.get(name)}
    total = sum(reasons.values())
    whole = float(memory.get("importance") or 0.0)
    return [
        Part(IMPORTANCE[name][0], whole * reason / total, IMPORTANCE[name][1], f"{parts[name]:.2f} found, counts {IMPORTANCE[name][2]:.2f}")
        for name, reason in reasons.items()
        if total
    ]


# What was just done, and the way back


def done(words: str, result: Mapping[str, Any] | None) -> bool:
    """Whether it was done; a change is noted for `undo_bar`."""
    if result is None:
        return False
    if result.get("changeset_id"):
        st.session_state[_LAST] = {"id": result["changeset_id"], "words": words}
    else:
        st.toast("Nothing changed.")
    return True


def undo_bar() -> None:
    """A line that says what was done last in this visit, with a button that takes it back."""
    last = st.session_state.get(_LAST)
    if not last:
        return
    with st.container(horizontal=True, vertical_alignment="center", border=True, key="memory_undo_bar"):
        st.markdown(f":green[:material/check_circle:] {plain(last['words'])}", width="stretch")
        st.button("Undo", key="memory_undo", icon=":material/undo:", type="tertiary", on_click=_undo, args=(last["id"],))
        st.button("", key="memory_undo_close", icon=":material/close:", type="tertiary", help="Keep it", on_click=_close)


def _close() -> None:
    st.session_state.pop(_LAST, None)


def _undo(changeset_id: str) -> None:
    if attempt("changeset_undo", id=changeset_id) is not None:
        st.session_state.pop(_LAST, None)
        st.toast("Undone.", icon=":material/undo:")


# Evidence


def citation_rows(citations: list[dict[str, Any]], key: str) -> None:
    """The quotes a memory rests on, each with a button that opens it where it stands."""
    for n, citation in enumerate(citations):
        with st.container(horizontal=True, wrap=False, vertical_alignment="top", key=f"{key}_citation_{n}"):
            where = "What you said" if citation.get("event_id") else plain(citation.get("title") or "Source")
            st.markdown(f"“{plain(short(citation['quote'], 260))}”  \n:small[:gray[{where}]]", width="stretch")
            if st.button("", key=f"{key}_open_{n}", icon=":material/format_quote:", type="tertiary", help="Open the evidence"):
                open_citation(citation)


def open_citation(citation: Mapping[str, Any], note: str = "") -> None:
    """Opens the drawer on a citation of a source or of an event."""
    if citation.get("source_id"):
        drawer.show([drawer.place_of(dict(citation))], note)
    elif citation.get("event_id"):
        _event_drawer(str(citation["event_id"]), int(citation["start"]), int(citation["end"]))


@st.dialog("Evidence", width="medium", position="right", icon=":material/format_quote:")
def _event_drawer(event_id: str, start: int, end: int) -> None:
    event = call("fetch_artifact", artifact_id=event_id)["artifact"]
    st.markdown(f"**{plain(event['type'].replace('_', ' ').capitalize())}**")
    said = ", ".join(event.get("people") or [])
    st.caption(" · ".join(part for part in (moment(event["at"]), plain(event.get("channel") or ""), plain(said)) if part))
    passage(event["text"], start, end, key="event_passage", whole=True, height=460)
    st.caption("Said or done in Beacon itself, kept word for word in its log.")
