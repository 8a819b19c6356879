"""Why an entity was found, and why it is part of what surrounds others."""

from collections.abc import Sequence
from typing import Any

from beacon.domain.graph import Edge, Node, Subgraph
from beacon.stores.graph.names import name_match, normal


def match_receipt(query: str, node: Node, score: float) -> dict[str, Any]:
    """{score, name, how, alias, mentions, sources}: which of an entity's names fits the query, and how."""
    name, how = name_match(normal(query), node.name, node.aliases)
    return {
        "score": round(score, 4), "name": name, "how": how, "alias": name != node.name, "mentions": node.mention_count,
        "sources": node.source_count,
    }  # fmt: skip


def reach_receipts(around: Subgraph, start: Sequence[str]) -> dict[str, dict[str, Any]]:
    """entity id → {hops, via}: how many relations away from `start` it is, and the strongest relation that leads there."""
    there = {node.id for node in around.nodes}
    found: dict[str, dict[str, Any]] = {key: {"hops": 0, "via": None} for key in sorted(set(start) & there)}
    frontier, hops = set(found), 0
    while frontier:
        hops += 1
        best: dict[str, tuple[Edge, str]] = {}
        for edge in sorted(around.edges, key=lambda e: (-e.weight, e.id)):
            for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
                if near in frontier and far in there and far not in found:
                    best.setdefault(far, (edge, near))
        for far, (edge, near) in sorted(best.items()):
            found[far] = {"hops": hops, "via": {"edge_id": edge.id, "from": near, "weight": edge.weight}}
        frontier = set(best)
    return found
