"""Entities, where they are mentioned, and how they relate."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

EntityType = Literal["person", "organization", "place", "product", "concept", "event", "work", "other"]


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A name found in a text: `text[start:end] == surface`."""

    start: int
    end: int
    surface: str
    name: str  # canonical form
    type: EntityType


@dataclass(frozen=True, slots=True)
class Node:
    """One entity as the graph shows it."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    mention_count: int = 0
    source_count: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two entities; `source < target` by id, because co-occurrence has no direction."""

    id: str
    source: str
    target: str
    kind: str
    weight: float
    first_at: datetime | None = None
    last_at: datetime | None = None
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MentionRef:
    """Where an entity stands in a source."""

    entity_id: str
    chunk_id: str
    version_id: str
    source_id: str
    url: str
    title: str
    start: int  # offsets into the version's text
    end: int


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """What is known about a segment in a period; every sentence cites."""

    id: str
    segment: str
    period: str  # YYYY-MM or YYYY
    text: str
    citations: tuple[dict[str, object], ...] = ()
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Part of the graph: nodes by id, edges by id, and the summaries that speak of them."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    summaries: tuple[GraphSummary, ...] = ()
    citations: tuple[MentionRef, ...] = field(default=())
