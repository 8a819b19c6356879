"""Tools for the graph of entities."""

from typing import Any, Literal

from pydantic import Field

from beacon.domain.clock import iso, parse_when
from beacon.errors import NotFoundError
from beacon.retrieval.graph_receipts import match_receipt, reach_receipts
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace


class NodeQuery(Arguments):
    """A search for entities."""

    query: str = Field(min_length=1)
    k: int = Field(default=10, ge=1, le=200)


class NodeIds(Arguments):
    """Entities, and how far around them to look."""

    node_ids: list[str] = Field(min_length=1, max_length=50)
    depth: int = Field(default=1, ge=1, le=3)


class EntityList(Arguments):
    """How many entities; None is all."""

    k: int | None = Field(default=None, ge=1)


class GraphView(Arguments):
    """Which part of the graph to draw."""

    center: str | None = None
    k: int = Field(default=60, ge=1, le=500)
    type: str | None = None
    until: str | None = None


class EntityId(Arguments):
    """An entity by id or name."""

    id: str


class GraphPath(Arguments):
    """Two entities, by id or name."""

    start: str
    end: str


class SummaryQuery(Arguments):
    """Which summaries."""

    segment: str | None = None
    period: str | None = None


class GraphExport(Arguments):
    """The form of an export."""

    format: Literal["json", "graphml"] = "json"


@tool(NodeQuery)
def search_graph_nodes(ws: Workspace, args: NodeQuery) -> list[dict[str, Any]]:
    """Entities whose name or alias fits a query, by id and score."""
    found = ws.graph.find(ws.project_id, args.query, args.k)
    return [
        {"node_id": n.id, "name": n.name, "type": n.type, "aliases": list(n.aliases), "score": round(score, 4),
         "receipt": match_receipt(args.query, n, score)}
        for n, score in found
    ]  # fmt: skip


@tool(NodeIds)
def fetch_graph_context(ws: Workspace, args: NodeIds) -> dict[str, Any]:
    """What surrounds some entities: nodes, edges, summaries, and where they are mentioned."""
    around = ws.graph.neighbours(ws.project_id, args.node_ids, args.depth)
    citations = [m for node_id in args.node_ids for m in ws.graph.mentions(ws.project_id, node_id, 10)]
    return {**_subgraph(around), "citations": [_mention(m) for m in citations], "receipts": reach_receipts(around, args.node_ids)}


@tool(EntityList)
def graph_entities(ws: Workspace, args: EntityList) -> list[dict[str, Any]]:
    """Every entity with its aliases and the places that mention it, most mentioned first."""
    with ws.records.read() as tx:
        nodes = tx.entities.nodes(ws.project_id, limit=args.k)
        mentions = tx.entities.mentions_by_entity(ws.project_id)
    return [
        {
            "id": n.id,
            "name": n.name,
            "type": n.type,
            "aliases": list(n.aliases),
            "mentions": [
                {"url": m.url, "start": m.start, "end": m.end, "source_id": m.source_id, "version_id": m.version_id}
                for m in mentions.get(n.id, [])
            ],
        }
        for n in nodes
    ]


@tool(GraphView)
def graph_view(ws: Workspace, args: GraphView) -> dict[str, Any]:
    """The part of the graph that a page draws, with the places of its nodes."""
    from beacon.retrieval.graph_view import graph_view as view

    until = parse_when(args.until, end_of_day=True) if args.until else None
    return dict(view(ws, center=_node_id(ws, args.center) if args.center else None, k=args.k, type=args.type, until=until))


@tool(EntityId)
def graph_entity(ws: Workspace, args: EntityId) -> dict[str, Any]:
    """One entity: its facts, the exact sentences that mention it, its neighbours and summaries."""
    from beacon.retrieval.graph_view import entity_detail

    return dict(entity_detail(ws, _node_id(ws, args.id)))


@tool(EntityId)
def graph_neighbors(ws: Workspace, args: EntityId) -> dict[str, Any]:
    """The entities related to one, and how strongly."""
    return _subgraph(ws.graph.neighbours(ws.project_id, [_node_id(ws, args.id)], 1))


@tool(GraphPath)
def graph_path(ws: Workspace, args: GraphPath) -> dict[str, Any]:
    """The strongest short path between two entities; empty when there is none."""
    return _subgraph(ws.graph.path(ws.project_id, _node_id(ws, args.start), _node_id(ws, args.end)))


@tool(SummaryQuery)
def graph_summary(ws: Workspace, args: SummaryQuery) -> list[dict[str, Any]]:
    """What is known by segment and period, every sentence cited."""
    found = ws.graph.summaries(ws.project_id, args.segment, args.period)
    return [
        {"id": s.id, "segment": s.segment, "period": s.period, "text": s.text, "citations": list(s.citations), "flagged": s.flagged}
        for s in found
    ]


@tool(GraphExport)
def graph_export(ws: Workspace, args: GraphExport) -> dict[str, str]:
    """The whole graph as JSON or GraphML, the same bytes for the same records."""
    from beacon.retrieval.graph_view import export_graph

    return {"format": args.format, "content": export_graph(ws, args.format)}


def _node_id(ws: Workspace, ref: str) -> str:
    """The id of the entity that is named by id, name or alias. Raises NotFoundError."""
    if ws.graph.nodes(ws.project_id, [ref]):
        return ref
    found = ws.graph.find(ws.project_id, ref, 1)
    if not found:
        raise NotFoundError(f"The graph has no entity '{ref}': `beacon graph entities` lists them.", entity=ref)
    return found[0][0].id


def _subgraph(graph: Any) -> dict[str, Any]:
    return {
        "nodes": [
            {"id": n.id, "name": n.name, "type": n.type, "aliases": list(n.aliases), "mentions": n.mention_count, "sources": n.source_count}
            for n in graph.nodes
        ],
        "edges": [
            {
                "id": e.id,
                "from": e.source,
                "to": e.target,
                "kind": e.kind,
                "weight": e.weight,
                "first_at": iso(e.first_at),
                "last_at": iso(e.last_at),
            }
            for e in graph.edges
        ],
        "summaries": [
            {"id": s.id, "segment": s.segment, "period": s.period, "text": s.text, "citations": list(s.citations)} for s in graph.summaries
        ],
    }


def _mention(mention: Any) -> dict[str, Any]:
    return {
        "entity_id": mention.entity_id,
        "chunk_id": mention.chunk_id,
        "source_id": mention.source_id,
        "url": mention.url,
        "title": mention.title,
        "start": mention.start,
        "end": mention.end,
    }
