"""One memory: what it says, why it matters, what it rests on, what became of it, and what can be done about it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from beacon.ui.components.diff import diff
from beacon.ui.components.stack import Part, stack
from beacon.ui.memory_words import TIERS, citation_rows, done, importance_parts, status_badge, tier_badge
from beacon.ui.session import attempt, call, find
from beacon.ui.text import count, day, moment, plain, short

Row = Mapping[str, Any]


def detail(memory_id: str | None, past: Row | None = None) -> None:
    """The memory as it is, or as it was in `past`, which cannot be changed."""
    if memory_id is None:
        return
    memory = past or find("memory_show", id=memory_id)
    if memory is None:
        st.caption("This memory is not here any more.")
        return
    with st.container(border=True, key="memory_detail"):
        _head(memory)
        if past is None:
            _actions(memory)
        else:
            st.caption(":material/history: As it stood on that day. Turn the date off to change it.")
        _importance(memory)
        _facts(memory)
        if memory["citations"]:
            with st.expander(f"Evidence ({len(memory['citations'])})", expanded=True, icon=":material/format_quote:"):
                citation_rows(list(memory["citations"]), "detail")
        _history(memory)


def _head(memory: Row) -> None:
    pinned = " :orange-badge[:material/keep: Pinned]" if memory["pinned"] else ""
    st.markdown(f"{tier_badge(memory['tier'])} {status_badge(memory['status'])}{pinned}")
    st.markdown(f"##### {plain(memory['text'])}")
    if memory["replaced_by"] and (newer := find("memory_show", id=memory["replaced_by"])):
        st.markdown(f":material/arrow_forward: Replaced by: {plain(short(newer['text'], 160))}")


def _actions(memory: Row) -> None:
    here = memory["status"] == "current"
    with st.container(horizontal=True, key="memory_actions", gap="xsmall"):
        if here:
            word = "Unpin" if memory["pinned"] else "Pin"
            st.button(word, key="memory_pin", icon=":material/keep:", on_click=_pin, args=(memory,), help="A pinned memory never fades")
            if st.button("Correct", key="memory_correct", icon=":material/edit:"):
                correct_form(memory["id"])
            st.button(
                "Forget",
                key="memory_forget",
                icon=":material/inventory_2:",
                on_click=_forget,
                args=(memory,),
                help="Sets it aside; it can be restored",
            )
        else:
            st.button("Restore", key="memory_restore", icon=":material/restore:", type="primary", on_click=_restore, args=(memory,))


def _pin(memory: Row) -> None:
    word = "Unpinned" if memory["pinned"] else "Pinned"
    done(f"{word}: {short(memory['text'], 60)}", attempt("memory_pin", id=memory["id"], pinned=not memory["pinned"]))


def _forget(memory: Row) -> None:
    done(f"Set aside: {short(memory['text'], 60)}", attempt("memory_forget", id=memory["id"]))


def _restore(memory: Row) -> None:
    done(f"Restored: {short(memory['text'], 60)}", attempt("memory_restore", id=memory["id"]))


def _importance(memory: Row) -> None:
    whole = float(memory["importance"])
    st.markdown(f"Importance **{whole:.2f}**")
    stack(
        importance_parts(memory) or [Part("importance", whole, "orange")],
        key="memory_importance",
        label=f"Importance {whole:.2f} of 1 by its reasons",
    )
    kept = memory.get("never_fades") or ""
    fading = f"never fades: {kept}" if kept else "fades when it is not used"
    used = f"used {count(memory['access_count'], 'time')}" if memory["access_count"] else "not used yet"
    st.caption(f"{used} · last {day(memory['last_access_at'])} · {fading}")


def _facts(memory: Row) -> None:
    rows = {
        "About": " · ".join(plain(memory[name]) for name in ("subject", "attribute", "value") if memory[name]),
        "True from": day(memory["valid_from"]),
        "True until": day(memory["valid_to"]),
        "Known since": moment(memory["recorded_at"]),
        "Believed until": moment(memory["retired_at"]) if memory["retired_at"] else "",
        "Check by": day(memory["check_by"]),
        "People": ", ".join(plain(person) for person in memory["people"]),
        "Tone": plain(memory["emotion"]),
        "Shared": "with the whole project" if memory["scope"] == "project" else "",
    }
    st.table({name: words for name, words in rows.items() if words}, border="horizontal")


def _history(memory: Row) -> None:
    with st.expander("History", icon=":material/history:", key="memory_history", on_change="rerun") as box:
        if not box.open:
            return
        for step in reversed(call("memory_history", id=memory["id"])):
            undone = " · :gray-badge[undone]" if step["status"] == "undone" else ""
            st.markdown(f"**{plain(step['title'])}**{undone}  \n:small[:gray[{moment(step['at'])} · {plain(step['actor'])}]]")
            before, after = (step["before"] or {}).get("text"), (step["after"] or {}).get("text")
            if before and after and before != after:
                lines = [{"op": "-", "text": before}, {"op": "+", "text": after}]
                diff(lines, key=f"memory_diff_{step['n']}", left="Before", right="After", height=220)


# Forms


@st.dialog("Add a memory", icon=":material/add:")
def add_form() -> None:
    """Asks for something to remember."""
    text = st.text_area(
        "What should Beacon remember?", key="new_memory", height=110, max_chars=8000, placeholder="Our budget for tracing is 40 000 EUR"
    )
    tier = st.segmented_control(
        "Kind",
        list(TIERS),
        default="semantic",
        required=True,
        key="new_memory_tier",
        format_func=lambda name: f"{TIERS[name][1]} {TIERS[name][0]}",
    )
    st.caption(f"{TIERS[str(tier)][0]}: {TIERS[str(tier)][3]}.")
    people = st.text_input("People (commas between)", key="new_memory_people")
    pinned = st.checkbox("Pin it: it never fades", key="new_memory_pinned")
    if st.button("Remember", type="primary", key="new_memory_save") and (text or "").strip():
        names = [name.strip() for name in (people or "").split(",") if name.strip()]
        found = attempt("memory_add", text=text, tier=tier, pinned=pinned, people=names or None)
        if done(f"Remembered: {short(text or '', 60)}", found):
            st.rerun()


@st.dialog("Correct a memory", icon=":material/edit:")
def correct_form(memory_id: str) -> None:
    """Asks for a memory's right wording; the wrong one stays in its history."""
    memory = call("memory_show", id=memory_id)
    st.caption("The earlier wording stays in its history, and the correction can be undone.")
    text = st.text_area("Text", memory["text"], key=f"correct_text_{memory_id}", height=110, max_chars=8000)
    given = {"text": text or ""}
    if memory["tier"] == "semantic":
        left, middle, right = st.columns(3)
        given["subject"] = left.text_input("Subject", memory["subject"], key=f"correct_subject_{memory_id}") or ""
        given["attribute"] = middle.text_input("Attribute", memory["attribute"], key=f"correct_attribute_{memory_id}") or ""
        given["value"] = right.text_input("Value", memory["value"], key=f"correct_value_{memory_id}") or ""
    changed = {name: value for name, value in given.items() if value != memory[name]}
    saved = st.button("Save", type="primary", key="correct_save", disabled=not changed)
    if saved and done(f"Corrected: {short(text or '', 60)}", attempt("memory_edit", id=memory_id, **changed)):
        st.rerun()
