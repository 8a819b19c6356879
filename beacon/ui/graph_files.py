"""The graph as a file to keep: JSON and GraphML of the whole, and the drawing as a page that needs no network."""

import re
from typing import Any

import streamlit as st

from beacon.bootstrap import Beacon
from beacon.ui.graph_drawing import Drawing
from beacon.ui.session import beacon

_OUTSIDE = re.compile(r"<link\b[^>]*https?://[^>]*>|<script\b[^>]*\bsrc=\"https?://[^>]*>\s*</script>|<!--.*?-->", re.S)
_COLOURS = {
    "blue": "#6aabd2",
    "orange": "#d98b2b",
    "green": "#5fb583",
    "violet": "#b48ad6",
    "gray": "#a8a29e",
    "red": "#e0796f",
    "yellow": "#d3b04a",
}


def downloads(drawn: Drawing) -> None:
    """A menu of the three files; each is made when it is asked for."""
    opened = beacon()
    with st.popover("Export", icon=":material/download:", key="graph_export"):
        st.download_button(
            "JSON", lambda: _whole(opened, "json"), "beacon-graph.json", "application/json", key="graph_json", width="stretch"
        )
        st.download_button(
            "GraphML", lambda: _whole(opened, "graphml"), "beacon-graph.graphml", "application/xml", key="graph_graphml", width="stretch"
        )
        st.download_button(
            "This drawing as a page", lambda: as_page(drawn), "beacon-graph.html", "text/html", key="graph_html", width="stretch"
        )
        st.caption("JSON and GraphML hold the whole graph. The page opens in any browser, also without a network.")


def _whole(opened: Beacon, form: str) -> str:
    return str(opened.call("graph_export", format=form)["content"])


def as_page(drawn: Drawing) -> str:
    """The drawing as one HTML page made by pyvis, without what pyvis would fetch from other hosts."""
    from pyvis.network import Network

    network = Network(height="96vh", width="100%", cdn_resources="in_line", bgcolor="#fdfcfa", font_color="#292524")
    network.toggle_physics(False)
    for node in drawn.nodes:
        network.add_node(node["id"], **_node(node))
    for edge in drawn.edges:
        network.add_edge(edge["from"], edge["to"], width=edge["width"], color="#d6cfc2")
    return _OUTSIDE.sub("", network.generate_html())


def _node(node: dict[str, Any]) -> dict[str, Any]:
    plain = {name: node[name] for name in ("label", "shape", "x", "y", "size", "title")}
    return {**plain, "color": _COLOURS.get(node["family"], _COLOURS["gray"]), "physics": False}
