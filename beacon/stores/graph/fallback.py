"""A graph that goes on answering while its server is down."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from beacon.domain.graph import Edge, GraphSummary, MentionRef, Node, Subgraph
from beacon.errors import UnavailableError
from beacon.stores.graph.ports import GraphStore

T = TypeVar("T")
PAUSE_S = 10.0  # for which a server that did not answer is not asked again


class FallbackGraph:
    """Reads of `primary` that it cannot give come from `embedded`; writes fail as they fail, so that the outbox keeps them.

    `degraded` says why the last read did not come from `primary`; empty when it did.
    """

    def __init__(self, primary: GraphStore, embedded: GraphStore, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._primary = primary
        self._embedded = embedded
        self._monotonic = monotonic
        self._ask_again_at = 0.0
        self.degraded = ""

    def nodes(self, project_id: str, ids: Sequence[str] | None = None, limit: int | None = None) -> list[Node]:
        return self._read(lambda graph: graph.nodes(project_id, ids, limit))

    def find(self, project_id: str, text: str, k: int) -> list[tuple[Node, float]]:
        return self._read(lambda graph: graph.find(project_id, text, k))

    def edges(
        self, project_id: str, among: Sequence[str] | None = None, touching: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Edge]:
        return self._read(lambda graph: graph.edges(project_id, among, touching, limit))

    def mentions(self, project_id: str, entity_id: str, limit: int | None = 200) -> list[MentionRef]:
        return self._read(lambda graph: graph.mentions(project_id, entity_id, limit))

    def summaries(self, project_id: str, segment: str | None = None, period: str | None = None) -> list[GraphSummary]:
        return self._read(lambda graph: graph.summaries(project_id, segment, period))

    def neighbours(self, project_id: str, node_ids: Sequence[str], depth: int = 1, limit: int = 200) -> Subgraph:
        return self._read(lambda graph: graph.neighbours(project_id, node_ids, depth, limit))

    def path(self, project_id: str, start_id: str, end_id: str, max_hops: int = 6) -> Subgraph:
        return self._read(lambda graph: graph.path(project_id, start_id, end_id, max_hops))

    def export(self, project_id: str) -> Subgraph:
        return self._read(lambda graph: graph.export(project_id))

    def counts(self, project_id: str) -> dict[str, int]:
        return self._read(lambda graph: graph.counts(project_id))

    def sync_version(self, project_id: str, version_id: str) -> int:
        return self._write(lambda graph: graph.sync_version(project_id, version_id))

    def sync_summaries(self, project_id: str) -> int:
        return self._write(lambda graph: graph.sync_summaries(project_id))

    def remove_versions(self, project_id: str, version_ids: Sequence[str]) -> int:
        return self._write(lambda graph: graph.remove_versions(project_id, version_ids))

    def rebuild(self, project_id: str) -> int:
        return self._write(lambda graph: graph.rebuild(project_id))

    def status(self) -> str:
        if self.degraded:
            return f"{self.degraded} Reads are answered by the embedded graph meanwhile."
        return self._primary.status()

    def close(self) -> None:
        self._primary.close()
        self._embedded.close()

    def _read(self, ask: Callable[[GraphStore], T]) -> T:
        if self.degraded and self._monotonic() < self._ask_again_at:
            return ask(self._embedded)
        try:
            answer = ask(self._primary)
        except UnavailableError as error:
            self._note(error)
            return ask(self._embedded)
        self.degraded = ""
        return answer

    def _write(self, tell: Callable[[GraphStore], T]) -> T:
        try:
            answer = tell(self._primary)
        except UnavailableError as error:
            self._note(error)
            raise
        self.degraded = ""
        return answer

    def _note(self, error: UnavailableError) -> None:
        self.degraded = error.message
        self._ask_again_at = self._monotonic() + PAUSE_S
