"""The graph's canvas: vis-network from the installed pyvis, served at /vis. Positions come from Python and nothing moves by itself."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

LIBRARY = "/vis/vis-network.min.js"
# entity type → (vis shape, sign in the legend, colour family of the theme): never colour alone
TYPES: Mapping[str, tuple[str, str, str]] = {
    "person": ("dot", "●", "blue"),
    "organization": ("square", "■", "violet"),
    "place": ("triangleDown", "▼", "green"),
    "product": ("diamond", "◆", "red"),
    "concept": ("hexagon", "⬢", "gray"),
    "event": ("star", "★", "red"),
    "work": ("triangle", "▲", "gray"),
    "other": ("dot", "○", "orange"),
}
SMALLEST, LARGEST = 7.0, 26.0  # of a node, in canvas units
SMALL_PRINT, LARGE_PRINT = 14.0, 24.0
THINNEST, THICKEST = 0.6, 6.0  # of an edge


def _text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


_HTML = """
<div class="graph">
  <div class="net" role="img"></div>
  <div class="legend" aria-hidden="true"></div>
  <div class="tools">
    <button class="in" type="button" title="Zoom in" aria-label="Zoom in">+</button>
    <button class="out" type="button" title="Zoom out" aria-label="Zoom out">−</button>
    <button class="fit" type="button" title="Show everything" aria-label="Show everything">⤢</button>
  </div>
</div>
"""
_mount = st.components.v2.component("beacon_graph", html=_HTML, css=_text("graph.css"), js=_text("graph.js"))


def canvas(
    nodes: Sequence[Mapping[str, Any]],
    edges: Sequence[Mapping[str, Any]],
    *,
    key: str,
    focus: str = "",
    path: Sequence[str] = (),
    view: str = "",
    height: int = 620,
    on_node: Callable[[], None] | None = None,
) -> str | None:
    """The id of the node that was clicked just now, or None.

    `path` is lit, or else `focus` with its neighbours; another `view` than before is fitted into the frame.
    """
    data = {
        "nodes": list(nodes),
        "edges": list(edges),
        "focus": focus,
        "path": list(path),
        "view": view,
        "height": height,
        "library": LIBRARY,
        "label": f"Graph of {len(nodes)} entities and {len(edges)} relations",
        "legend": _legend({str(node["group"]) for node in nodes}),
    }
    # As bytes: a dict would make Streamlit import pandas.
    sent = json.dumps(data, ensure_ascii=False, sort_keys=True).encode()
    result: Any = _mount(key=key, data=sent, height=height + 4, on_node_change=on_node or _nothing)
    clicked = result.get("node")
    return clicked if isinstance(clicked, str) and clicked else None


def vis_nodes(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Node dicts as pyvis and vis-network take them, from `graph_view`'s; sizes follow the square root of the mentions."""
    most = max((float(row.get("mentions") or 1) for row in rows), default=1.0)
    return [_vis_node(row, most) for row in rows]


def _vis_node(row: Mapping[str, Any], most: float) -> dict[str, Any]:
    kind = str(row["type"]) if row["type"] in TYPES else "other"
    shape, _, family = TYPES[kind]
    share = (float(row.get("mentions") or 1) / most) ** 0.5
    mentions = int(row.get("mentions") or 0)
    return {
        "id": str(row["id"]),
        "label": _short(str(row["label"])),
        "shape": shape,
        "group": kind,
        "family": family,
        "x": float(row["x"]),
        "y": float(row["y"]),
        "size": round(SMALLEST + (LARGEST - SMALLEST) * share, 2),
        "fontSize": round(SMALL_PRINT + (LARGE_PRINT - SMALL_PRINT) * share, 1),
        "physics": False,
        "title": f"{'' if kind == 'other' else kind + ', '}mentioned {mentions:,} time{'' if mentions == 1 else 's'}",
    }


def vis_edges(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Edge dicts as pyvis and vis-network take them, from `graph_view`'s; widths follow the square root of the weight."""
    most = max((float(row.get("weight") or 1) for row in rows), default=1.0) or 1.0
    return [
        {
            "id": str(row["id"]),
            "from": str(row["from"]),
            "to": str(row["to"]),
            "width": round(_width(float(row.get("weight") or 0) / most), 2),
        }
        for row in rows
    ]


def _width(share: float) -> float:
    return float(THINNEST + (THICKEST - THINNEST) * max(0.0, share) ** 0.5)


def _legend(kinds: set[str]) -> list[dict[str, str]]:
    return [{"sign": sign, "word": kind, "family": family} for kind, (_, sign, family) in TYPES.items() if kind in kinds]


def _short(label: str, most: int = 34) -> str:
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


def _nothing() -> None:
    """Registering a callback makes the result carry the trigger."""
