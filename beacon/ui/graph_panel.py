"""What is known about the entity that was clicked: its facts, the exact sentences that name it, its neighbours and summaries."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from beacon.ui.components.graph import TYPES
from beacon.ui.memory_words import open_citation, tier_badge
from beacon.ui.parts import drawer
from beacon.ui.session import find
from beacon.ui.text import count, day, plain, short

QUOTES = 6
Go = Callable[[str], None]


def type_badge(kind: str) -> str:
    """The type of an entity as a Markdown badge: the sign and colour it has in the drawing."""
    _, sign, colour = TYPES.get(kind, TYPES["other"])
    return f":{colour}-badge[{sign} {kind}]"


def panel(entity_id: str, centre: Go, choose: Go, path_from: Go) -> None:
    """The entity's panel. `centre` draws around an id, `choose` selects one, `path_from` starts a path there."""
    found = find("graph_entity", id=entity_id)
    if found is None:
        st.caption("This entity is not in the graph any more.")
        return
    node = found["node"]
    st.markdown(f"### {plain(node['name'])}")
    st.markdown(f"{type_badge(node['type'])} :small[:gray[{count(node['mentions'], 'mention')} in {count(node['sources'], 'source')}]]")
    if node["aliases"]:
        st.caption("Also " + ", ".join(plain(alias) for alias in node["aliases"][:8]))
    with st.container(horizontal=True, gap="xsmall"):
        st.button("Draw around it", key="graph_centre", icon=":material/center_focus_strong:", on_click=centre, args=(node["id"],))
        st.button("Path from here", key="graph_from", icon=":material/route:", on_click=path_from, args=(node["id"],))
    _facts(found["facts"])
    _quotes(found["mentions"], node["id"])
    _neighbours(found["neighbours"], choose)
    _summaries(found["summaries"])


def _facts(facts: list[Mapping[str, Any]]) -> None:
    if not facts:
        return
    st.markdown(f"##### Facts :gray[{len(facts)}]")
    for n, fact in enumerate(facts[:8]):
        with st.container(horizontal=True, wrap=False, vertical_alignment="top", key=f"graph_fact_{n}"):
            since = f" :small[:gray[since {day(fact['valid_from'])}]]" if fact["valid_from"] else ""
            st.markdown(f"{tier_badge(fact['tier'])} {plain(short(fact['text'], 220))}{since}", width="stretch")
            if fact["citations"] and st.button(
                "", key=f"graph_fact_open_{n}", icon=":material/format_quote:", type="tertiary", help="Open the evidence"
            ):
                open_citation(fact["citations"][0])


def _quotes(mentions: list[Mapping[str, Any]], entity_id: str) -> None:
    if not mentions:
        return
    st.markdown("##### What sources say")
    key = f"graph_quotes_{entity_id}"
    pages = -(-len(mentions) // QUOTES)
    at = min(int(st.session_state.get(key) or 1), pages)
    for n, mention in enumerate(mentions[(at - 1) * QUOTES : at * QUOTES]):
        with st.container(horizontal=True, wrap=False, vertical_alignment="top", key=f"graph_quote_{n}"):
            st.markdown(
                f"“{plain(short(mention['quote'], 240))}”  \n:small[:gray[{plain(short(mention['title'], 70))} · {day(mention['date'])}]]",
                width="stretch",
            )
            if st.button("", key=f"graph_quote_open_{n}", icon=":material/format_quote:", type="tertiary", help="Open it in its source"):
                drawer.show([drawer.place_of(dict(mention))])
    if pages > 1:
        st.pagination(pages, key=key, max_visible_pages=5)


def _neighbours(neighbours: list[Mapping[str, Any]], choose: Go) -> None:
    if not neighbours:
        return
    st.markdown("##### Often together with")
    with st.container(horizontal=True, gap="xsmall"):
        for neighbour in neighbours[:16]:
            words = f"{plain(short(neighbour['name'], 28))} :small[:gray[{neighbour['weight']:g}]]"
            st.button(
                words,
                key=f"graph_near_{neighbour['id']}",
                on_click=choose,
                args=(neighbour["id"],),
                help="How often both are named in one passage",
            )


def _summaries(summaries: list[Mapping[str, Any]]) -> None:
    if not summaries:
        return
    st.markdown("##### Summaries")
    for n, summary in enumerate(summaries[:6]):
        flagged = " :orange-badge[:material/flag: to check]" if summary["flagged"] else ""
        head = " · ".join(plain(part) for part in (summary["segment"], summary["period"]) if part)
        with st.expander(head or "Summary", key=f"graph_summary_{n}", icon=":material/summarize:"):
            st.markdown(plain(summary["text"]) + flagged)
            for m, citation in enumerate(summary["citations"][:8]):
                if st.button(f"Evidence {m + 1}", key=f"graph_summary_open_{n}_{m}", type="tertiary", icon=":material/format_quote:"):
                    open_citation(citation)
