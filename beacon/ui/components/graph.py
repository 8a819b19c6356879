"""The graph's canvas: vis-network from the installed pyvis, served at /vis. Positions come from Python and nothing moves by itself."""

import json
from collections.abc import Callable, Mapping, Sequence
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

_JS = r"""
const MOUNTS = new WeakMap();
let library = null;
const load = (url) => window.vis?.Network ? Promise.resolve(window.vis) : (library ??= new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = url;
  script.onload = () => done(window.vis);
  script.onerror = () => { library = null; failed(new Error("The drawing library did not load: run `beacon doctor`.")); };
  document.head.appendChild(script);
}));
const theme = (host) => {
  const style = getComputedStyle(host);
  const read = (name, fallback) => style.getPropertyValue(`--st-${name}`).trim() || fallback;
  return {
    text: read("text-color", "#222"), ground: read("background-color", "#fff"), border: read("border-color", "#ccc"), accent: read("primary-color", "#b45309"), line: read("gray-color", "#999"),
    font: read("font", "sans-serif"), of: (family) => ({ line: read(`${family}-color`, "#777"), fill: read(`${family}-background-color`, "#eee") }),
  };
};
const dress = (data, look) => {
  const near = new Set(data.focus ? [data.focus] : []);
  const onPath = new Set(data.path);
  for (const e of data.edges) if (data.focus && (e.from === data.focus || e.to === data.focus)) { near.add(e.from); near.add(e.to); }
  const lit = onPath.size ? onPath : near;
  const dim = lit.size > 0;
  const nodes = data.nodes.map((n) => {
    const { line, fill } = look.of(n.family);
    const chosen = n.id === data.focus || onPath.has(n.id);
    const faint = dim && !lit.has(n.id);
    return {
      ...n, opacity: faint ? 0.28 : 1, borderWidth: chosen ? 4 : 1.5, borderWidthSelected: 4,
      color: { background: fill, border: chosen ? look.accent : line, highlight: { background: fill, border: look.accent }, hover: { background: fill, border: look.accent } },
      font: { color: faint ? look.border : look.text, face: look.font, size: n.fontSize, strokeWidth: 4, strokeColor: look.ground, vadjust: -2 },
    };
  });
  const edges = data.edges.map((e) => {
    const isNear = onPath.size ? onPath.has(e.from) && onPath.has(e.to) : e.from === data.focus || e.to === data.focus;
    return { ...e, width: dim && isNear ? Math.max(e.width, 1.6) : e.width, color: { color: dim && isNear ? look.accent : look.line, opacity: dim ? (isNear ? 0.7 : 0.1) : 0.3, highlight: look.accent, hover: look.accent } };
  });
  return { nodes, edges };
};
const merge = (set, rows) => {
  const kept = new Set(rows.map((row) => row.id));
  set.remove(set.getIds().filter((id) => !kept.has(id)));
  set.update(rows);
};
const legend = (box, data, look) => {
  box.replaceChildren(...data.legend.map(({ sign, word, family }) => {
    const item = document.createElement("span");
    const mark = document.createElement("i");
    mark.textContent = sign;
    mark.style.color = look.of(family).line;
    item.append(mark, ` ${word}`);
    return item;
  }));
};
const calm = () => !window.matchMedia("(prefers-reduced-motion: reduce)").matches && { duration: 350, easingFunction: "easeInOutQuad" };
const report = (s) => {
  const place = (id) => s.net.canvasToDOM(s.net.getPosition(id));
  s.host.dataset.nodes = s.nodes.length;
  s.host.dataset.places = JSON.stringify(Object.fromEntries(s.data.nodes.slice(0, 12).map((n) => [n.label, place(n.id)])));
};
const draw = (s) => {
  const look = theme(s.host);
  const { nodes, edges } = dress(s.data, look);
  merge(s.nodes, nodes);
  merge(s.edges, edges);
  legend(s.legend, s.data, look);
  s.net.unselectAll();
  if (s.data.focus && s.nodes.get(s.data.focus)) s.net.selectNodes([s.data.focus], false);
  if (s.view !== s.data.view) { s.view = s.data.view; s.net.fit({ animation: false, maxZoomLevel: 1.6 }); }
  s.net.redraw();
};
const open = (s, vis) => {
  s.nodes = new vis.DataSet();
  s.edges = new vis.DataSet();
  s.net = new vis.Network(s.host, { nodes: s.nodes, edges: s.edges }, {
    physics: false, layout: { improvedLayout: false }, nodes: { scaling: { label: { drawThreshold: 8 } } },
    edges: { smooth: false, selectionWidth: 1, hoverWidth: 0.5 },
    interaction: { hover: true, tooltipDelay: 150, hideEdgesOnDrag: s.data.nodes.length > 150, hideEdgesOnZoom: s.data.nodes.length > 150, zoomSpeed: 0.7 },
  });
  s.net.on("click", (event) => { if (event.nodes.length) s.emit("node", event.nodes[0]); });
  s.net.on("hoverNode", () => { s.host.style.cursor = "pointer"; });
  s.net.on("blurNode", () => { s.host.style.cursor = "default"; });
  s.net.on("afterDrawing", () => report(s));
  const zoom = (factor) => s.net.moveTo({ scale: Math.min(4, Math.max(0.05, s.net.getScale() * factor)), animation: calm() });
  s.root.querySelector(".in").onclick = () => zoom(1.4);
  s.root.querySelector(".out").onclick = () => zoom(1 / 1.4);
  s.root.querySelector(".fit").onclick = () => s.net.fit({ animation: calm() });
};
export default function ({ data: raw, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(raw));
  const root = parentElement.querySelector(".graph");
  let s = MOUNTS.get(parentElement);
  const fresh = !s;
  if (fresh) MOUNTS.set(parentElement, s = { root, host: root.querySelector(".net"), legend: root.querySelector(".legend") });
  s.data = data;
  s.emit = setTriggerValue;
  root.style.height = `${data.height}px`;
  s.host.setAttribute("aria-label", data.label);
  if (s.net) draw(s);
  else if (fresh) load(data.library).then((vis) => {
    if (s.gone) return;
    open(s, vis);
    draw(s);
  }).catch((error) => { s.host.textContent = error.message; });
  return () => { s.gone = true; s.net?.destroy(); MOUNTS.delete(parentElement); };
}
"""
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
_CSS = """
.graph {
  position: relative; width: 100%; box-sizing: border-box; overflow: hidden;
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); background: var(--st-background-color);
}
.net { width: 100%; height: 100%; color: var(--st-text-color); }
.legend {
  position: absolute; left: 0.75rem; bottom: 0.6rem; display: flex; flex-wrap: wrap; gap: 0.15rem 0.9rem; pointer-events: none;
  font: 0.8rem var(--st-font); color: var(--st-text-color); opacity: 0.85;
}
.legend i { font-style: normal; }
.tools { position: absolute; right: 0.6rem; top: 0.6rem; display: flex; flex-direction: column; gap: 0.3rem; }
.tools button {
  width: 2rem; height: 2rem; font: 1rem/1 var(--st-font); color: var(--st-text-color); cursor: pointer;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);
}
.tools button:hover, .tools button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); outline: none; }
div.vis-tooltip {
  position: absolute; visibility: hidden; z-index: 5; pointer-events: none; padding: 0.3rem 0.6rem; max-width: 20rem;
  font: 0.8rem var(--st-font); white-space: pre-line; color: var(--st-text-color); background: var(--st-secondary-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
}
"""
_mount = st.components.v2.component("beacon_graph", html=_HTML, css=_CSS, js=_JS)


def canvas(
    nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]], *, key: str, focus: str = "", path: Sequence[str] = (), view: str = "", height: int = 620,
    on_node: Callable[[], None] | None = None,
) -> str | None:  # fmt: skip
    """The id of the node that was clicked just now, or None. `focus` is lit with its neighbours, or else `path`; another `view` is fitted into the frame."""
    data = {
        "nodes": list(nodes), "edges": list(edges), "focus": focus, "path": list(path), "view": view, "height": height, "library": LIBRARY,
        "label": f"Graph of {len(nodes)} entities and {len(edges)} relations", "legend": _legend({str(node["group"]) for node in nodes}),
    }  # fmt: skip
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
        "id": str(row["id"]), "label": _short(str(row["label"])), "shape": shape, "group": kind, "family": family, "x": float(row["x"]), "y": float(row["y"]),
        "size": round(SMALLEST + (LARGEST - SMALLEST) * share, 2), "fontSize": round(SMALL_PRINT + (LARGE_PRINT - SMALL_PRINT) * share, 1), "physics": False,
        "title": f"{'' if kind == 'other' else kind + ', '}mentioned {mentions:,} time{'' if mentions == 1 else 's'}",
    }  # fmt: skip


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
    return THINNEST + (THICKEST - THINNEST) * max(0.0, share) ** 0.5


def _legend(kinds: set[str]) -> list[dict[str, str]]:
    return [{"sign": sign, "word": kind, "family": family} for kind, (_, sign, family) in TYPES.items() if kind in kinds]


def _short(label: str, most: int = 34) -> str:
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


def _nothing() -> None:
    """Registering a callback makes the result carry the trigger."""
