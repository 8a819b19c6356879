"""What the canvas is given: the part of the graph that is asked for, fetched once and kept while it stays the same."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from beacon.ui.components.graph import vis_edges, vis_nodes
from beacon.ui.graph_places import in_line, spread, walk
from beacon.ui.session import beacon, call, find

_KEPT = "graph_drawn"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be drawn: the most central entities, those around one, or a path between two."""

    k: int = 60
    type: str | None = None
    until: str | None = None
    center: str | None = None
    ends: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and edges as vis takes them; `total` is how many there were to choose from, `path` the ids of a path in order."""

    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    total: int
    view: str
    path: tuple[str, ...] = ()


def drawing(wanted: Wanted, counts: dict[str, int]) -> Drawing | None:
    """The drawing; None when what it should be around is not in the graph. It is made anew when something was read since."""
    stamp = (beacon().workspace.project_id, wanted, counts.get("entities"), counts.get("versions"))
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != stamp:
        kept = (stamp, _path(wanted) if wanted.ends else _view(wanted))
        st.session_state[_KEPT] = kept
    found: Drawing | None = kept[1]
    return found


def _view(wanted: Wanted) -> Drawing | None:
    view = find("graph_view", center=wanted.center, k=wanted.k, type=wanted.type, until=wanted.until)
    if view is None:
        return None
    nodes = spread(vis_nodes(view["nodes"]))
    return Drawing(nodes, vis_edges(view["edges"]), int(view.get("total", len(nodes))), repr(wanted))


def _path(wanted: Wanted) -> Drawing:
    start, end = wanted.ends or ("", "")
    found = call("graph_path", start=start, end=end)
    order = walk(found["nodes"], found["edges"], start)
    places = in_line(order)
    rows = [
        {"id": node["id"], "label": node["name"], "type": node["type"], "mentions": node["mentions"], "x": x, "y": y}
        for node in found["nodes"]
        for x, y in [places.get(node["id"], (0.0, 0.0))]
    ]
    return Drawing(vis_nodes(rows), vis_edges(found["edges"]), len(rows), repr(wanted), tuple(order))
