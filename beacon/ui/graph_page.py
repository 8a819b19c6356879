"""The graph page: what is drawn, and beside it what is known about the entity that is chosen."""

from datetime import date, timedelta
from typing import Any

import streamlit as st

from beacon.ui.components.graph import TYPES, canvas
from beacon.ui.graph_drawing import Drawing, Wanted, drawing
from beacon.ui.graph_files import downloads
from beacon.ui.graph_panel import panel, type_badge
from beacon.ui.parts import frame
from beacon.ui.parts.clock import now
from beacon.ui.parts.empty import empty
from beacon.ui.session import call, find
from beacon.ui.text import count, day, plain, short

FOCUS, CENTRE, ENDS = "graph_focus", "graph_center", "graph_ends"
HEIGHT = 590


def body() -> None:
    """The whole page below its title."""
    status = call("status")
    health(status["graph"])
    if not status["counts"]["entities"]:
        _nothing_yet()
        return
    if FOCUS not in st.session_state and (asked := st.query_params.get("entity")):
        choose(asked)
    _interactive(status["counts"])


def health(graph: dict[str, Any]) -> None:
    """Says so when the graph's server is down or behind; what is drawn comes from the records then."""
    name = "Neo4j" if graph["backend"] == "neo4j" else "The graph"
    waiting = f" {count(graph['waiting'], 'change')} wait and will be brought in." if graph["waiting"] else ""
    if not graph["ok"]:
        detail = f" ({plain(graph['detail'])})" if graph.get("detail") else ""
        st.warning(
            f"{name} does not answer{detail}. What you see is drawn from Beacon's own records; nothing is lost.{waiting}",
            icon=":material/cloud_off:",
        )
    elif waiting:
        st.caption(f":material/hourglass_top:{waiting}")


def _nothing_yet() -> None:
    pressed = empty(
        "No entities yet",
        "People, organizations, products and places appear here as sources are read, each with the sentences that name it.",
        icon=":material/hub:",
        button="Add a topic",
        key="graph_to_topics",
        button_icon=":material/add:",
    )
    if pressed:
        st.switch_page(frame.path_of("topics"))


# What is chosen


def choose(entity_id: str) -> None:
    """Select an entity; when a part around one is drawn, the drawing moves with it."""
    st.session_state[FOCUS] = entity_id
    if st.session_state.get(CENTRE):
        st.session_state[CENTRE] = entity_id


def centre(entity_id: str) -> None:
    """Draw what is around an entity."""
    st.session_state.update({FOCUS: entity_id, CENTRE: entity_id, ENDS: None, "graph_find": ""})


def everything() -> None:
    """Draw the most central entities again."""
    st.session_state.update({CENTRE: None, ENDS: None})


def path_from(entity_id: str) -> None:
    """Begin a path at an entity: the next one chosen is its end."""
    st.session_state.update({FOCUS: entity_id, ENDS: (entity_id, "")})


def path_to(entity_id: str) -> None:
    """End the path at an entity."""
    start = (st.session_state.get(ENDS) or ("", ""))[0]
    st.session_state[ENDS] = (start, entity_id) if start and start != entity_id else (entity_id, "")
    st.session_state.update({FOCUS: entity_id, "graph_find": ""})


def _on_node() -> None:
    """A click on the canvas: the end of a path that was begun, or else the entity to show."""
    clicked = st.session_state["graph_canvas"].get("node")
    ends = st.session_state.get(ENDS)
    if clicked and ends and not ends[1] and ends[0] != clicked:
        path_to(str(clicked))
    elif clicked:
        st.session_state[FOCUS] = str(clicked)


# The parts of the page


@st.fragment
def _interactive(counts: dict[str, int]) -> None:
    """A click redraws only this part."""
    wanted = _controls(counts)
    drawn = drawing(wanted, counts)
    left, right = st.columns([2.05, 1], gap="medium")
    with left:
        _canvas(drawn, wanted)
    with right, st.container(height=HEIGHT + 4, border=False, key="graph_side"):
        focus = st.session_state.get(FOCUS)
        if focus:
            panel(str(focus), centre, choose, path_from)
        else:
            _most_named(drawn)


def _controls(counts: dict[str, int]) -> Wanted:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        found = st.text_input(
            "Find an entity",
            key="graph_find",
            placeholder="Find an entity",
            icon=":material/search:",
            label_visibility="collapsed",
            type="search",
        )
        kind = st.selectbox(
            "Type",
            ["", *TYPES],
            key="graph_type",
            label_visibility="collapsed",
            width=190,
            format_func=lambda name: f"{TYPES[name][1]} {name.capitalize()}" if name else "Every type",
        )
        with st.popover("View", icon=":material/tune:", key="graph_view_popover"):
            k = st.slider("How many entities", 20, 500, 60, 20, key="graph_k", help="The most central ones first")
            until = _until()
    _results(found or "")
    ends = st.session_state.get(ENDS)
    _where(ends)
    whole = ends if ends and ends[1] else None
    return Wanted(k, kind or None, until, st.session_state.get(CENTRE), whole)


def _until() -> str | None:
    if not st.toggle("Only what was known by a day", key="graph_back"):
        return None
    dates = [source["latest_date"][:10] for source in call("source_list") if source["latest_date"]]
    last = date.fromisoformat(max(dates)) if dates else now().date()
    first = min(date.fromisoformat(min(dates)) if dates else last, last - timedelta(days=1))
    shown = st.slider("Until", first, last, last, format="D MMM YYYY", key="graph_until")
    return str(shown.isoformat())


def _results(asked: str) -> None:
    if not asked.strip():
        return
    found = call("search_graph_nodes", query=asked.strip(), k=8)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        if not found:
            st.caption("No entity has such a name.")
        ends = st.session_state.get(ENDS)
        act = path_to if ends and not ends[1] else centre
        for node in found:
            words = f"{TYPES.get(node['type'], TYPES['other'])[1]} {plain(short(node['name'], 34))}"
            st.button(words, key=f"graph_found_{node['node_id']}", on_click=act, args=(node["node_id"],))


def _where(ends: tuple[str, str] | None) -> None:
    """What is drawn, in words, with the way back."""
    if not ends and not st.session_state.get(CENTRE):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if ends and not ends[1]:
            st.markdown(f":material/route: Path from **{_name(ends[0])}** to… click an entity, or find one above.")
        elif ends:
            st.markdown(f":material/route: Path from **{_name(ends[0])}** to **{_name(ends[1])}**")
        else:
            st.markdown(f":material/center_focus_strong: Around **{_name(str(st.session_state[CENTRE]))}**")
        st.button("Show the whole graph", key="graph_whole", icon=":material/zoom_out_map:", type="tertiary", on_click=everything)


def _name(entity_id: str) -> str:
    found = find("graph_entity", id=entity_id)
    return plain(found["node"]["name"]) if found else plain(entity_id)


def _canvas(drawn: Drawing | None, wanted: Wanted) -> None:
    if drawn is None or not drawn.nodes:
        with st.container(border=True, height=HEIGHT):
            st.caption(
                "These two are not connected in what was read." if wanted.ends else "Nothing fits: choose another type, day or entity."
            )
        return
    focus = str(st.session_state.get(FOCUS) or "")
    canvas(drawn.nodes, drawn.edges, key="graph_canvas", focus=focus, path=drawn.path, view=drawn.view, height=HEIGHT, on_node=_on_node)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        when = f" as of {day(wanted.until)}" if wanted.until else ""
        st.caption(
            f"{count(len(drawn.nodes), 'entity', 'entities')} of {drawn.total:,}, {count(len(drawn.edges), 'relation')}{when}",
            width="content",
        )
        downloads(drawn)


def _most_named(drawn: Drawing | None) -> None:
    st.markdown("#### Click an entity")
    st.caption("Its facts, the exact sentences that name it, and what it is often named with appear here.")
    if drawn is None:
        return
    st.markdown("##### Most central")
    with st.container(gap="xxsmall", key="graph_top"):
        for node in drawn.nodes[:12]:
            st.button(
                f"{type_badge(node['group'])} {plain(node['label'])}",
                key=f"graph_top_{node['id']}",
                type="tertiary",
                on_click=choose,
                args=(node["id"],),
            )
