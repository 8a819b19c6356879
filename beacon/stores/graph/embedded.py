"""The graph without a server: it reads the tables of the record store, so it is never late and has nothing to rebuild."""

from collections.abc import Sequence

from beacon.domain.graph import Edge, GraphSummary, MentionRef, Node
from beacon.stores.graph.names import name_score, normal
from beacon.stores.graph.ports import SUMMARY_KIND
from beacon.stores.graph.walks import Walks
from beacon.stores.records.rows import PARAMETER_BATCH, batches
from beacon.stores.records.store import Records, Tx

MANY_IDS = 4000  # beyond that all edges are read and sifted here: a statement takes a bounded number of parameters


class EmbeddedGraph(Walks):
    """A graph store over the records."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def nodes(self, project_id: str, ids: Sequence[str] | None = None, limit: int | None = None) -> list[Node]:
        with self._records.read() as tx:
            return read_nodes(tx, project_id, ids, limit)

    def find(self, project_id: str, text: str, k: int) -> list[tuple[Node, float]]:
        wanted = normal(text)
        if not wanted or k < 1:
            return []
        with self._records.read() as tx:
            rows = tx.entities.named_like(project_id, wanted)
            scores = {str(row["id"]): name_score(wanted, row["name"], row["aliases"]) for row in rows}
            found = read_nodes(tx, project_id, [key for key, score in scores.items() if score > 0])
        return best_fits(found, scores, k)

    def edges(
        self, project_id: str, among: Sequence[str] | None = None, touching: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Edge]:
        with self._records.read() as tx:
            return read_edges(tx, project_id, among, touching)[:limit]

    def mentions(self, project_id: str, entity_id: str, limit: int | None = 200) -> list[MentionRef]:
        with self._records.read() as tx:
            row = tx.entities.known([entity_id]).get(entity_id)
            if row is None or row["project_id"] != project_id:
                return []
            return tx.entities.mentions(entity_id, limit)

    def summaries(self, project_id: str, segment: str | None = None, period: str | None = None) -> list[GraphSummary]:
        with self._records.read() as tx:
            return read_summaries(tx, project_id, segment, period)

    def counts(self, project_id: str) -> dict[str, int]:
        with self._records.read() as tx:
            return {**tx.entities.sizes(project_id), "summaries": len(read_summaries(tx, project_id))}

    def sync_version(self, project_id: str, version_id: str) -> int:
        with self._records.read() as tx:
            return len(tx.entities.mentioned_in([version_id]))

    def sync_summaries(self, project_id: str) -> int:
        return len(self.summaries(project_id))

    def remove_versions(self, project_id: str, version_ids: Sequence[str]) -> int:
        return len(set(version_ids))

    def rebuild(self, project_id: str) -> int:
        return self.counts(project_id)["nodes"]

    def status(self) -> str:
        return "embedded: read from the records"

    def close(self) -> None:
        """Nothing is held."""


def best_fits(nodes: Sequence[Node], scores: dict[str, float], k: int) -> list[tuple[Node, float]]:
    """The k best nodes with their scores; ties: more mentions first, then by id."""
    fits = [(node, round(scores[node.id], 6)) for node in nodes if scores.get(node.id, 0.0) > 0]
    return sorted(fits, key=lambda fit: (-fit[1], -fit[0].mention_count, fit[0].id))[:k]


def read_nodes(tx: Tx, project_id: str, ids: Sequence[str] | None = None, limit: int | None = None) -> list[Node]:
    """The project's mentioned entities, most mentioned first, ties by id."""
    if ids is None and limit is not None:
        ids = [key for key, _ in tx.entities.ranked(project_id, limit)]
    parts = [None] if ids is None else list(batches(list(dict.fromkeys(ids)), PARAMETER_BATCH))
    found = [node for part in parts for node in tx.entities.nodes(project_id, part) if node.mention_count]
    return sorted(found, key=lambda node: (-node.mention_count, node.id))[:limit]


def read_edges(tx: Tx, project_id: str, among: Sequence[str] | None = None, touching: Sequence[str] | None = None) -> list[Edge]:
    """The project's relations with evidence, heaviest first, ties by id."""
    if len(among or ()) <= MANY_IDS and len(touching or ()) <= MANY_IDS:
        found = tx.entities.edges(project_id, among, touching)
    else:
        inside, near = None if among is None else set(among), None if touching is None else set(touching)
        found = [
            edge
            for edge in tx.entities.edges(project_id)
            if (inside is None or {edge.source, edge.target} <= inside)
            and (near is None or not near.isdisjoint((edge.source, edge.target)))
        ]
    return sorted(found, key=lambda edge: (-edge.weight, edge.id))


def read_summaries(tx: Tx, project_id: str, segment: str | None = None, period: str | None = None) -> list[GraphSummary]:
    """The project's segment summaries by segment, period and id."""
    found = tx.chats.summaries(project_id, segment=segment, period=period, kind=SUMMARY_KIND)
    return sorted(found, key=lambda s: (s.segment, s.period, s.id))
