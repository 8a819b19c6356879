"""What Beacon has, or had, in mind at one step: its parts drawn against the budget, with what found no room."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.components.stack import Part, stack
from beacon.ui.parts.empty import empty
from beacon.ui.session import attempt, find
from beacon.ui.text import count, plain, short

LOOKS: Mapping[str, tuple[str, str, str]] = {
    "directives": ("orange", ":material/flare:", "Beacon’s directives"),
    "task": ("red", ":material/target:", "The task"),
    "preferences": ("violet", ":material/tune:", "Your preferences"),
    "user": ("blue", ":material/person:", "About you"),
    "company": ("blue", ":material/apartment:", "Your company"),
    "recent": ("green", ":material/chat_bubble:", "What was just said"),
    "recalled": ("yellow", ":material/history:", "Said earlier, word for word"),
    "memories": ("violet", ":material/lightbulb:", "What comes to mind"),
    "earlier": ("gray", ":material/summarize:", "Summaries of this conversation"),
    "work": ("gray", ":material/sync:", "Work under way"),
    "others": ("gray", ":material/forum:", "Other conversations"),
    "episodes": ("gray", ":material/auto_stories:", "What happened lately"),
}
STEPS = {"answer": "To answer", "planning": "To plan", "writing": "To write"}
SHOWN = 12  # items of a part that are listed
Pack = Mapping[str, Any]


def preview() -> None:
    """The tab: what would be in mind for a question, before it is asked."""
    st.caption(
        "Before every step Beacon packs what matters into a fixed budget. Try a question: nothing is asked, nothing is counted as used."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input("A question", key="context_text", placeholder="What should we charge next year?")
        budget = st.number_input("Budget (tokens)", 1200, 100_000, 6000, step=600, key="context_budget", width=170)
    if not (text or "").strip():
        empty(
            "Nothing is asked yet",
            "Write a question to see what would be in mind: directives, preferences, who you are, what was just said, and what comes up.",
            icon=":material/neurology:",
        )
        return
    pack = attempt("context_preview", text=text, budget=int(budget))
    if pack is not None:
        inspector(pack, "preview")


def kept(ref: str, key: str) -> None:
    """What was in mind for a message or run, step by step; nothing where nothing was kept."""
    packs = find("context_show", ref=ref) or []
    for n, pack in enumerate(packs):
        if len(packs) > 1:
            st.markdown(f"**{STEPS.get(pack['step'], plain(pack['step'].replace('_', ' ').capitalize()))}**")
        inspector(pack, f"{key}_{n}")
    if not packs:
        st.caption("Nothing was kept of what was in mind here.")


def inspector(pack: Pack, key: str) -> None:
    """One pack: a bar of its parts, then each part with its items and what was left out."""
    parts: Sequence[Pack] = [part for part in pack["parts"] if part["items"] or part["left_out"]]
    budget = int(pack["budget"])
    st.markdown(f"**{pack['tokens']:,}** of {budget:,} tokens")
    drawn = [Part(_look(part)[2], part["tokens"] / budget, _look(part)[0]) for part in parts if part["tokens"]]
    stack(drawn, key=f"context_bar_{key}", label=f"{pack['tokens']} of {budget} tokens by part", words=False)
    for part in parts:
        _part(part, key)


def _look(part: Pack) -> tuple[str, str, str]:
    return LOOKS.get(str(part["name"]), ("gray", ":material/label:", plain(part["title"])))


def _part(part: Pack, key: str) -> None:
    colour, icon, words = _look(part)
    always = " · always" if part["kind"] == "fixed" else ""
    left = f" · {len(part['left_out'])} left out" if part["left_out"] else ""
    label = f":{colour}[{icon}] {words} :gray[{part['tokens']:,} tokens{always}{left}]"
    with st.expander(label, key=f"context_{key}_{part['name']}", type="compact", on_change="rerun") as box:
        if not box.open:
            return
        for item in part["items"][:SHOWN]:
            st.markdown(plain(short(str(item["text"]).removeprefix("- "), 400)))
        if len(part["items"]) > SHOWN:
            st.caption(f"and {count(len(part['items']) - SHOWN, 'more', 'more')}")
        if part["left_out"]:
            st.caption("Left out: " + plain("; ".join(short(str(one["text"]), 60) for one in part["left_out"][:5])))
            st.caption(f"{plain(part['left_out'][0]['why']).capitalize()}.")
