"""Neighbourhoods, paths and exports: walked here, over each backend's plain reads, so that all backends walk alike."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from beacon.domain.graph import Edge, GraphSummary, MentionRef, Node, Subgraph

CITED_MENTIONS = 5  # of each starting entity
QUOTED_MENTIONS = 2000  # of each starting entity, looked at when summaries are matched to it
COST_UNIT = 1_000_000  # a step's cost is kept in whole millionths, so that equal ways tie exactly


class Walks(ABC):
    """The reads every backend gives, and what is walked over them."""

    @abstractmethod
    def nodes(self, project_id: str, ids: Sequence[str] | None = None, limit: int | None = None) -> list[Node]: ...

    @abstractmethod
    def edges(
        self, project_id: str, among: Sequence[str] | None = None, touching: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Edge]: ...

    @abstractmethod
    def mentions(self, project_id: str, entity_id: str, limit: int | None = 200) -> list[MentionRef]: ...

    @abstractmethod
    def summaries(self, project_id: str, segment: str | None = None, period: str | None = None) -> list[GraphSummary]: ...

    def neighbours(self, project_id: str, node_ids: Sequence[str], depth: int = 1, limit: int = 200) -> Subgraph:
        start = sorted(node.id for node in self.nodes(project_id, node_ids))
        if not start:
            return Subgraph()
        kept = dict.fromkeys(start)
        frontier = start
        for _ in range(depth):
            room = limit - (len(kept) - len(start))
            frontier = _strongest(self.edges(project_id, touching=frontier), set(frontier), set(kept))[: max(room, 0)]
            if not frontier:
                break
            kept.update(dict.fromkeys(frontier))
        nodes = sorted(self.nodes(project_id, list(kept)), key=lambda node: node.id)
        edges = sorted(self.edges(project_id, among=list(kept)), key=lambda edge: edge.id)
        mentions = {key: self.mentions(project_id, key, QUOTED_MENTIONS) for key in start}
        quoted = summaries_of(self.summaries(project_id), (ref for refs in mentions.values() for ref in refs))
        return Subgraph(tuple(nodes), tuple(edges), tuple(quoted), tuple(ref for key in start for ref in mentions[key][:CITED_MENTIONS]))

    def path(self, project_id: str, start_id: str, end_id: str, max_hops: int = 6) -> Subgraph:
        ends = {node.id: node for node in self.nodes(project_id, [start_id, end_id])}
        if start_id not in ends or end_id not in ends:
            return Subgraph()
        if start_id == end_id:
            return Subgraph((ends[start_id],))
        edges, hops = self._between(project_id, start_id, end_id, max_hops)
        way = _cheapest(edges, start_id, end_id, hops)
        if not way:
            return Subgraph()
        nodes = {node.id: node for node in self.nodes(project_id, way)}
        steps = {frozenset((edge.source, edge.target)): edge for edge in sorted(edges, key=lambda e: (e.weight, e.id))}
        walked = [steps[frozenset(pair)] for pair in pairwise(way)]
        return Subgraph(tuple(nodes[key] for key in way if key in nodes), tuple(walked))

    def export(self, project_id: str) -> Subgraph:
        nodes = sorted(self.nodes(project_id), key=lambda node: node.id)
        edges = sorted(self.edges(project_id), key=lambda edge: edge.id)
        return Subgraph(tuple(nodes), tuple(edges), tuple(self.summaries(project_id)))

    def _between(self, project_id: str, start_id: str, end_id: str, max_hops: int) -> tuple[list[Edge], int]:
        """The edges of every way that may be cheapest, and how many steps it may have.

        Both ends are widened in turn until they meet after h steps. A step costs at least 1 and at most 2, so no way of 2h
        steps is cheaper; widening on to radii that sum to 2h - 1 leaves none of the shorter ones out.
        """
        sides = (_Side(start_id), _Side(end_id))
        edges: dict[str, Edge] = {}
        hops, most = 0, max_hops
        while hops < most:
            side = min(sides, key=lambda s: len(s.frontier))
            if not side.frontier:
                break  # everything that hangs together with this end has been read
            found = self.edges(project_id, touching=sorted(side.frontier))
            edges.update((edge.id, edge) for edge in found)
            side.widen(found)
            hops += 1
            if most == max_hops and sides[0].seen & sides[1].seen:
                most = min(max_hops, 2 * hops - 1)
        if not sides[0].seen & sides[1].seen:
            return [], 0
        return sorted(edges.values(), key=lambda edge: edge.id), most


class _Side:
    """What has been reached from one end of a path."""

    def __init__(self, start: str) -> None:
        self.seen = {start}
        self.frontier = {start}

    def widen(self, edges: Iterable[Edge]) -> None:
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        self.frontier = ends - self.seen
        self.seen |= ends


def _strongest(edges: Iterable[Edge], frontier: set[str], seen: set[str]) -> list[str]:
    """The unseen ends of edges that leave the frontier, by their strongest such edge, ties by id."""
    found: dict[str, float] = {}
    for edge in edges:
        for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
            if near in frontier and far not in seen:
                found[far] = max(found.get(far, 0.0), edge.weight)
    return sorted(found, key=lambda key: (-found[key], key))


def _cheapest(edges: Iterable[Edge], start: str, end: str, max_hops: int) -> list[str]:
    """The ids along the cheapest way of at most `max_hops` steps; empty when there is none."""
    steps: dict[str, list[tuple[str, int]]] = {}
    for edge in edges:
        cost = COST_UNIT + round(COST_UNIT / max(edge.weight, 1.0))
        steps.setdefault(edge.source, []).append((edge.target, cost))
        steps.setdefault(edge.target, []).append((edge.source, cost))
    waiting: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, (start,))]
    shortest: dict[str, int] = {}  # id → the fewest steps of a way already taken there
    while waiting:
        cost, hops, way = heappop(waiting)
        here = way[-1]
        if here == end:
            return list(way)
        if hops >= shortest.get(here, max_hops):
            continue
        shortest[here] = hops
        for there, extra in steps.get(here, ()):
            if hops + 1 < shortest.get(there, max_hops + 1):
                heappush(waiting, (cost + extra, hops + 1, (*way, there)))
    return []


def summaries_of(summaries: Iterable[GraphSummary], mentions: Iterable[MentionRef]) -> list[GraphSummary]:
    """The summaries that quote any of these mentions, in their order."""
    places: dict[str, list[tuple[int, int]]] = {}
    for ref in mentions:
        places.setdefault(ref.version_id, []).append((ref.start, ref.end))
    return [summary for summary in summaries if any(_quotes(citation, places) for citation in summary.citations)]


def _quotes(citation: dict[str, object], places: dict[str, list[tuple[int, int]]]) -> bool:
    start, end = int(str(citation.get("start", 0))), int(str(citation.get("end", 0)))
    return any(start <= a and b <= end for a, b in places.get(str(citation.get("version_id", "")), ()))
