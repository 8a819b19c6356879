"""What the graph page draws: which entities, where, and what is known about the one that was clicked; and the graph as a file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import fold
from beacon.domain.graph import Edge, MentionRef, Node, Subgraph
from beacon.domain.ids import digest
from beacon.domain.memory import Memory
from beacon.errors import InputError, NotFoundError
from beacon.retrieval.ppr import pagerank
from beacon.workspace import Workspace

if TYPE_CHECKING:
    import networkx as nx

Place = tuple[float, float]

PLACED_NODES = 300
LAYOUT_SEED = 7
FIRST_ROUNDS = 120  # of the layout when nothing has a place yet
LATER_ROUNDS = 30  # when most have one: the picture should stay what its reader knows
EXTENT = 1000.0  # the drawing reaches from -EXTENT to EXTENT
NEARBY = 0.06 * EXTENT  # around the centre of its neighbours, for an entity that is new
SMALLEST, LARGEST = 10.0, 40.0  # sizes of nodes
SHOWN_FACTS, SHOWN_MENTIONS, SHOWN_NEIGHBOURS = 50, 50, 30
FIRST_UNSPACED = "\u0e00"  # from here on many scripts part no words
EDGES_A_NODE = 4  # a drawing of more says nothing

# Laying out


def lay_out(ws: Workspace) -> int:
    """How many of the most central entities got a place; kept in the records for the page. Run it after sources came in."""
    nodes, edges = ws.graph.nodes(ws.project_id), ws.graph.edges(ws.project_id)
    ids = [node.id for node in nodes]
    ranks = pagerank(_among(edges, ids), ids)
    shown = list(ranks)[:PLACED_NODES]
    with ws.records.read() as tx:
        known = {key: (x, y) for key, (x, y, _) in tx.entities.places(ws.project_id).items()}
    places = place_nodes(shown, _among(edges, shown), known)
    with ws.records.write() as tx:
        tx.entities.drop_places(ws.project_id)
        there = tx.entities.known(shown)
        tx.entities.put_places({key: (*places[key], ranks[key]) for key in shown if key in there})
    return len(shown)


def place_nodes(ids: Sequence[str], edges: Sequence[Edge], known: Mapping[str, Place]) -> dict[str, Place]:
    """entity id → place: connected ones near each other, those in `known` near where they were, new ones near their neighbours."""
    import networkx as nx

    if not ids:
        return {}
    graph = nx.Graph()
    graph.add_nodes_from(sorted(ids))
    graph.add_weighted_edges_from((edge.source, edge.target, edge.weight) for edge in sorted(edges, key=lambda edge: edge.id))
    start = _starting_places(graph, known)
    settled = sum(key in known for key in ids) * 2 > len(ids)
    at = nx.spring_layout(
        graph, pos={key: (x / EXTENT, y / EXTENT) for key, (x, y) in start.items()}, iterations=LATER_ROUNDS if settled else FIRST_ROUNDS,
        seed=LAYOUT_SEED, k=1.8 / len(ids) ** 0.5, scale=None if settled else 1,
    )  # fmt: skip
    return {key: (round(float(x) * EXTENT, 3), round(float(y) * EXTENT, 3)) for key, (x, y) in at.items()}


def _starting_places(graph: "nx.Graph", known: Mapping[str, Place]) -> dict[str, Place]:
    places = {key: known[key] for key in graph if key in known}
    for key in graph:
        if key not in places:
            places[key] = _beside(key, [known[near] for near in sorted(graph[key]) if near in known])
    return places


def _beside(key: str, others: Sequence[Place]) -> Place:
    """A place near the middle of the others, or anywhere; always the same for the same id."""
    seed = digest(key)
    across, down = (int(seed[at : at + 8], 16) / 0xFFFFFFFF * 2 - 1 for at in (0, 8))
    if not others:
        return across * EXTENT, down * EXTENT
    middle = [sum(axis) / len(others) for axis in zip(*others, strict=True)]
    return middle[0] + across * NEARBY, middle[1] + down * NEARBY


def _among(edges: Sequence[Edge], ids: Sequence[str]) -> list[Edge]:
    kept = set(ids)
    return [edge for edge in edges if edge.source in kept and edge.target in kept]


# Drawing


def graph_view(
    ws: Workspace, *, center: str | None = None, k: int = 60, type: str | None = None, until: datetime | None = None
) -> dict[str, Any]:
    """{nodes: [{id, label, type, x, y, size, mentions}], edges: [{id, from, to, weight}], total}: what the page draws.

    The k most central entities, or those around `center`; of one type; as it was at `until`. `total` counts what there was to choose from.
    """
    with ws.records.read() as tx:
        kept = tx.entities.places(ws.project_id)
        past = tx.entities.mentions_until(ws.project_id, until) if until else None
    pool = [node for node in _pool(ws, center, k) if type is None or node.type == type or node.id == center]
    if past is not None:
        pool = [replace(node, mention_count=past[node.id]) for node in pool if node.id in past]
    pool.sort(key=lambda node: (node.id != center, -kept[node.id][2] if node.id in kept else 0.0, -node.mention_count, node.id))
    shown = pool if center else pool[:k]
    ids = [node.id for node in shown]
    edges = _drawable(_edges(ws, ids, until), len(ids))
    places = _places(ids, edges, {key: (x, y) for key, (x, y, _) in kept.items()})
    return {"nodes": _drawn_nodes(shown, places), "edges": [_drawn_edge(edge) for edge in edges], "total": len(pool)}


def _edges(ws: Workspace, ids: Sequence[str], until: datetime | None) -> list[Edge]:
    if until is None:
        return ws.graph.edges(ws.project_id, among=ids)
    with ws.records.read() as tx:
        return tx.entities.edges_until(ws.project_id, until, ids)


def _pool(ws: Workspace, center: str | None, k: int) -> list[Node]:
    if center is None:
        return ws.graph.nodes(ws.project_id)
    around = ws.graph.neighbours(ws.project_id, [center], 1, max(k - 1, 0))
    if not around.nodes:
        raise NotFoundError(f"The graph has no entity '{center}'.", entity=center)
    return list(around.nodes)


def _drawable(edges: Sequence[Edge], n_nodes: int) -> list[Edge]:
    """The strongest edges, heaviest first, as many as a reader can follow."""
    return sorted(edges, key=lambda edge: (-edge.weight, edge.id))[: max(EDGES_A_NODE * n_nodes, 1)]


def _places(ids: Sequence[str], edges: Sequence[Edge], known: Mapping[str, Place]) -> dict[str, Place]:
    """Kept places; entities without one stand beside their neighbours. Nothing kept: a layout for this drawing alone."""
    if not any(key in known for key in ids):
        return place_nodes(ids, edges, {})
    near: dict[str, list[str]] = {}
    for edge in edges:
        near.setdefault(edge.source, []).append(edge.target)
        near.setdefault(edge.target, []).append(edge.source)
    return {key: known.get(key) or _beside(key, [known[other] for other in sorted(near.get(key, ())) if other in known]) for key in ids}


def _drawn_nodes(nodes: Sequence[Node], places: Mapping[str, Place]) -> list[dict[str, Any]]:
    most = max((node.mention_count for node in nodes), default=1)
    return [
        {
            "id": node.id, "label": node.name, "type": node.type, "x": round(places[node.id][0], 1), "y": round(places[node.id][1], 1),
            "size": round(SMALLEST + (LARGEST - SMALLEST) * (node.mention_count / most) ** 0.5, 1), "mentions": node.mention_count,
        }
        for node in nodes
    ]  # fmt: skip


def _drawn_edge(edge: Edge) -> dict[str, Any]:
    return {"id": edge.id, "from": edge.source, "to": edge.target, "weight": edge.weight}


# One entity


def entity_detail(ws: Workspace, entity_id: str) -> dict[str, Any]:
    """{node, facts, mentions, neighbours, summaries} of an entity; a mention's quote is the exact sentence at [start, end).

    Raises NotFoundError.
    """
    around = ws.graph.neighbours(ws.project_id, [entity_id], 1, SHOWN_NEIGHBOURS)
    node = next((n for n in around.nodes if n.id == entity_id), None)
    if node is None:
        raise NotFoundError(f"The graph has no entity '{entity_id}': `beacon graph entities` lists them.", entity=entity_id)
    refs = ws.graph.mentions(ws.project_id, entity_id)
    return {
        "node": {
            "id": node.id, "name": node.name, "type": node.type, "aliases": list(node.aliases), "mentions": node.mention_count,
            "sources": node.source_count,
        },
        "facts": _facts(ws, node, refs),
        "mentions": _quoted(ws, refs),
        "neighbours": _related(around, entity_id),
        "summaries": [
            {"id": s.id, "segment": s.segment, "period": s.period, "text": s.text, "citations": list(s.citations), "flagged": s.flagged}
            for s in around.summaries
        ],
    }  # fmt: skip


def _related(around: Subgraph, entity_id: str) -> list[dict[str, Any]]:
    names = {node.id: node.name for node in around.nodes}
    weights = {
        edge.target if edge.source == entity_id else edge.source: edge.weight
        for edge in around.edges
        if entity_id in (edge.source, edge.target)
    }
    return [{"id": key, "name": names[key], "weight": weights[key]} for key in sorted(weights, key=lambda key: (-weights[key], key))]


def _quoted(ws: Workspace, refs: Sequence[MentionRef]) -> list[dict[str, Any]]:
    """Each sentence once, newest first."""
    with ws.records.read() as tx:
        chunks = tx.sources.chunks_by_id(list({ref.chunk_id for ref in refs}))
        versions = tx.sources.versions_by_id(list({ref.version_id for ref in refs}))
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for ref in refs:
        if ref.chunk_id not in chunks or ref.version_id not in versions or len(found) == SHOWN_MENTIONS:
            continue
        chunk = chunks[ref.chunk_id]
        start, end = _sentence_around(chunk.text, ref.start - chunk.start, ref.end - chunk.start)
        place = {"start": chunk.start + start, "end": chunk.start + end}
        found.setdefault(
            (ref.version_id, place["start"]),
            {"source_id": ref.source_id, "version_id": ref.version_id, "chunk_id": ref.chunk_id, "title": ref.title, "url": ref.url,
             "quote": chunk.text[start:end], **place, "date": versions[ref.version_id].dated.date().isoformat()},
        )  # fmt: skip
    return list(found.values())


def _sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence that holds [start, end), or the place alone where a sentence ends inside it."""
    return next(((a, b) for a, b in split_sentences(text) if a <= start and end <= b), (start, end))


def _facts(ws: Workspace, node: Node, refs: Sequence[MentionRef]) -> list[dict[str, Any]]:
    """Current facts and episodes that name the entity or cite a place where it stands; the most important first."""
    places: dict[str, list[MentionRef]] = {}
    for ref in refs:
        places.setdefault(ref.version_id, []).append(ref)
    names = (node.name, *node.aliases)
    with ws.records.read() as tx:
        memories = tx.memories.all(ws.project_id, user_id=ws.user_id, tiers=("semantic", "episodic"))
    about = [memory for memory in memories if _names(memory, names) or _cites(memory, places)]
    about.sort(key=lambda memory: (-memory.importance, memory.id))
    return [
        {
            "id": m.id, "text": m.text, "tier": m.tier, "subject": m.subject, "attribute": m.attribute, "value": m.value,
            "importance": m.importance, "valid_from": m.valid_from.isoformat() if m.valid_from else None, "citations": m.citations,
        }
        for m in about[:SHOWN_FACTS]
    ]  # fmt: skip


def _words(text: str) -> str:
    return f" {' '.join(''.join(char if char.isalnum() else ' ' for char in text).split())} "


def _names(memory: Memory, names: Sequence[str]) -> bool:
    """Whether it says one of the names, as whole words where its script parts words.

    Capitals count in a name of capitals alone: in small letters it may be a word of the language.
    """
    said = f"{memory.subject} {memory.text}"
    exact, folded = _words(said), _words(fold(said))
    for name in names:
        wanted, text = (_words(name), exact) if name.isupper() else (_words(fold(name)), folded)
        if wanted.strip() and (wanted.strip() if wanted[1] >= FIRST_UNSPACED else wanted) in text:
            return True
    return False


def _cites(memory: Memory, places: Mapping[str, Sequence[MentionRef]]) -> bool:
    return any(
        int(citation.get("start", 0)) <= ref.start and ref.end <= int(citation.get("end", 0))
        for citation in memory.citations
        for ref in places.get(str(citation.get("version_id", "")), ())
    )


# As a file


def export_graph(ws: Workspace, format: str) -> str:
    """The whole graph as `json` or `graphml`: the same bytes for the same records. Raises InputError for another format."""
    if format not in ("json", "graphml"):
        raise InputError(f"The graph cannot be exported as '{format}': use json or graphml.")
    graph = ws.graph.export(ws.project_id)
    return _as_json(graph) if format == "json" else _as_graphml(graph)


def _as_json(graph: Subgraph) -> str:
    content = {
        "nodes": [_node_values(node) | {"aliases": sorted(node.aliases)} for node in graph.nodes],
        "edges": [{"source": edge.source, "target": edge.target, **_edge_values(edge)} for edge in graph.edges],
        "summaries": [
            {"id": s.id, "segment": s.segment, "period": s.period, "text": s.text, "citations": list(s.citations), "flagged": s.flagged}
            for s in graph.summaries
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _node_values(node: Node) -> dict[str, Any]:
    return {"id": node.id, "name": node.name, "type": node.type, "mentions": node.mention_count, "sources": node.source_count}


def _edge_values(edge: Edge) -> dict[str, Any]:
    return {
        "id": edge.id, "kind": edge.kind, "weight": edge.weight, "first_at": edge.first_at.isoformat() if edge.first_at else "",
        "last_at": edge.last_at.isoformat() if edge.last_at else "",
    }  # fmt: skip


NODE_KEYS = {"name": "string", "type": "string", "mentions": "int", "sources": "int", "aliases": "string"}
EDGE_KEYS = {"kind": "string", "weight": "double", "first_at": "string", "last_at": "string"}


def _as_graphml(graph: Subgraph) -> str:
    """GraphML (graphml.graphdrawing.org); aliases in one value, parted by new lines, because it knows no lists."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for kind, keys in (("node", NODE_KEYS), ("edge", EDGE_KEYS)):
        lines += [f'  <key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{form}"/>' for name, form in keys.items()]
    lines.append('  <graph edgedefault="undirected">')
    for node in graph.nodes:
        values = _node_values(node) | {"aliases": "\n".join(sorted(node.aliases))}
        lines += [f"    <node id={quoteattr(node.id)}>", *_data("node", NODE_KEYS, values), "    </node>"]
    for edge in graph.edges:
        ends = f"source={quoteattr(edge.source)} target={quoteattr(edge.target)}"
        lines += [f"    <edge id={quoteattr(edge.id)} {ends}>", *_data("edge", EDGE_KEYS, _edge_values(edge)), "    </edge>"]
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _data(kind: str, keys: Mapping[str, str], values: Mapping[str, Any]) -> list[str]:
    return [f'      <data key="{kind}_{name}">{escape(_legal(str(values[name])))}</data>' for name in keys]


def _legal(text: str) -> str:
    """The text without the characters that XML 1.0 has no place for."""
    return "".join(c for c in text if c in "\t\n\r" or "\x20" <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c >= "\U00010000")
