"""What a graph of entities is to the rest of Beacon."""

from collections.abc import Sequence
from typing import Protocol

from beacon.domain.graph import Edge, GraphSummary, MentionRef, Node, Subgraph

SUMMARY_KIND = "segment"  # of the summaries the graph shows; conversations have others


class GraphStore(Protocol):
    """Entities, how they relate, where they are mentioned, and the summaries that speak of them.

    Every answer belongs to one project, and equal truth gives equal answers on every backend, to the order. Entities that are
    mentioned nowhere are not part of the graph. A server that does not answer is an UnavailableError naming its address, never
    an empty result.
    """

    def nodes(self, project_id: str, ids: Sequence[str] | None = None, limit: int | None = None) -> list[Node]:
        """All entities, or those of `ids` that exist: most mentioned first, ties by id."""
        ...

    def find(self, project_id: str, text: str, k: int) -> list[tuple[Node, float]]:
        """The k entities whose name or alias fits the text best, with a score: 1 is the name itself, whatever its case.

        Below that: another name, a beginning, a word inside, letters inside. Ties: more mentions first, then by id.
        """
        ...

    def edges(
        self, project_id: str, among: Sequence[str] | None = None, touching: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Edge]:
        """All relations, those between entities of `among`, or those with an end in `touching`: heaviest first, ties by id."""
        ...

    def mentions(self, project_id: str, entity_id: str, limit: int | None = 200) -> list[MentionRef]:
        """Where an entity stands, in every version: newest version first, then by version and place."""
        ...

    def summaries(self, project_id: str, segment: str | None = None, period: str | None = None) -> list[GraphSummary]:
        """Summaries by segment, period and id."""
        ...

    def neighbours(self, project_id: str, node_ids: Sequence[str], depth: int = 1, limit: int = 200) -> Subgraph:
        """The entities of `node_ids` with at most `limit` others within `depth` relations of them, nearest and strongest first.

        With every relation between those, the summaries that quote a mention of `node_ids`, and their newest mentions.
        """
        ...

    def path(self, project_id: str, start_id: str, end_id: str, max_hops: int = 6) -> Subgraph:
        """The best way from one entity to another, nodes and edges in walking order; empty when there is none within `max_hops`.

        A step costs 1 + 1/weight, so a longer way over strong relations may beat a short weak one. Ties: fewer steps, then by ids.
        """
        ...

    def export(self, project_id: str) -> Subgraph:
        """The whole graph without mentions: nodes and edges by id, summaries in their order."""
        ...

    def counts(self, project_id: str) -> dict[str, int]:
        """How many `nodes`, `edges`, `mentions` and `summaries` there are."""
        ...

    def sync_version(self, project_id: str, version_id: str) -> int:
        """Brings what this version mentions into line with the records, removal included; how many mentions it has now.

        May be repeated, late, and in any order.
        """
        ...

    def sync_summaries(self, project_id: str) -> int:
        """Brings the summaries into line with the records; how many there are."""
        ...

    def remove_versions(self, project_id: str, version_ids: Sequence[str]) -> int:
        """Takes out what only these versions said, after the records have dropped them; how many were named."""
        ...

    def rebuild(self, project_id: str) -> int:
        """Makes the project's graph anew from the records, readable all the while; how many nodes it holds."""
        ...

    def status(self) -> str:
        """One line that says where the graph is and how much it holds, or why it does not answer. Never raises UnavailableError."""
        ...

    def close(self) -> None:
        """Lets go of the server; a later call takes it up again."""
        ...
