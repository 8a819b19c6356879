"""Opportunities as a ranked table; the chosen one opens with its score taken apart and the quotes for and against it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.components.stack import Part, stack
from beacon.ui.insights_head import quote_line
from beacon.ui.insights_themes import actions, set_aside
from beacon.ui.parts.empty import empty
from beacon.ui.session import attempt, call
from beacon.ui.text import count, plain

COLOURS = {"people": "orange", "breadth": "blue", "severity": "red", "trend": "violet", "agreement": "green", "fit": "yellow"}
QUOTES = 6


def opportunities() -> None:
    """The table and the chosen one beside it."""
    found = call("opportunity_list", status="all")
    live = [one for one in found if one["status"] == "active"]
    if not live:
        empty(
            "No opportunities yet",
            "They are drawn from the themes: synthesise what was read, and what would help most people stands here first.",
            icon=":material/rocket_launch:",
        )
    else:
        left, right = st.columns([1.15, 1], gap="large")
        with left:
            chosen = _table(live)
        with right:
            _detail(live[min(chosen, len(live) - 1)], live)
    set_aside("opportunity", [one for one in found if one["status"] != "active"], {str(one["id"]): str(one["title"]) for one in found})


def _table(live: Sequence[Mapping[str, Any]]) -> int:
    rows = [
        {
            "#": one["rank"],
            "Score": one["score"],
            "Opportunity": one["title"],
            "People": one["people"] + one["documents"],
            "Against": len(one["contradicting"]),
        }
        for one in live
    ]
    event = st.dataframe(
        rows, key="opportunity_table", hide_index=True, on_select="rerun", selection_mode="single-row",
        height=min(620, 38 * (len(rows) + 1)), row_height=36,
        column_config={
            "#": st.column_config.NumberColumn(width=40),
            "Opportunity": st.column_config.TextColumn(width=330),
            "Score": st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="%.2f", width=90),
            "People": st.column_config.NumberColumn(width=70, help="Distinct people, and documents that name nobody"),
            "Against": st.column_config.NumberColumn(width=70, help="Quotes that say the opposite"),
        },
    )  # fmt: skip
    st.caption("Choose a row to see what its score is made of and what people said.")
    picked = event["selection"]["rows"]
    return int(picked[0]) if picked else 0


def _detail(one: Mapping[str, Any], live: Sequence[Mapping[str, Any]]) -> None:
    with st.container(horizontal=True, vertical_alignment="top", horizontal_alignment="distribute"):
        st.markdown(f"#### {plain(one['title'])}", width="stretch")
        actions("opportunity", one, live)
    st.caption(plain(one["summary"]))
    parts = [
        Part(p["name"], float(p["points"]), COLOURS.get(p["name"], "gray"), f"{p['weight']:.2f} × {p['value']:.2f}") for p in one["parts"]
    ]
    stack(parts, key=f"score_{one['id']}", label=f"Score {one['score']:.2f}")
    with st.expander(f"Score {one['score']:.2f}: how each part was reckoned", icon=":material/functions:"):
        for part in one["parts"]:
            sums = f"{part['points']:.3f} = {part['weight']:.2f} × {part['value']:.2f}"
            st.markdown(f"**{plain(part['name'])}** {sums}  \n:small[:gray[{plain(part['what'])}: {plain(part['why'])}]]")
    _decide(one)
    for name, side in (("For", "quotes"), ("Against", "contradicting")):
        if one[side]:
            st.markdown(f"**{name}** :gray[{count(len(one[side]), 'quote')}]")
        for quote in one[side][:QUOTES]:
            st.markdown(quote_line(quote))
        if len(one[side]) > QUOTES:
            st.caption(f"And {len(one[side]) - QUOTES} more on the theme's card.")


def _decide(one: Mapping[str, Any]) -> None:
    with st.popover("Decide", icon=":material/gavel:"):
        with st.form(f"decide_{one['id']}", border=False):
            title = st.text_input("What was decided", placeholder="We will …", max_chars=500)
            reason = st.text_area("Because", placeholder="The reason, in your words", height=90)
            pressed = st.form_submit_button("Keep the decision", type="primary")
        if pressed:
            _keep(one, title.strip(), reason.strip())


def _keep(one: Mapping[str, Any], title: str, reason: str) -> None:
    if not title:
        st.warning("Say in a few words what was decided.", icon=":material/edit:")
    elif attempt("decision_add", title=title, reason=reason, opp_ids=[one["id"]], theme_ids=list(one["themes"])) is not None:
        st.toast("The decision is kept with its evidence.", icon=":material/done:")
