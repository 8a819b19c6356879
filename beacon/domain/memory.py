"""Memories: episodes, facts and skills, each with its two clocks, its importance and its evidence."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Tier = Literal["episodic", "semantic", "procedural"]
MemoryStatus = Literal["current", "superseded", "contradicted", "retracted", "archived"]
TIERS: tuple[str, ...] = ("episodic", "semantic", "procedural")


@dataclass(frozen=True, slots=True)
class Memory:
    """One remembered thing. `valid_*` is when it is true in the world, `recorded_at`/`retired_at` when Beacon believed it."""

    id: str
    project_id: str
    tier: str
    text: str
    recorded_at: datetime
    last_access_at: datetime
    user_id: str = ""
    scope: str = "user"
    subject: str = ""
    attribute: str = ""
    value: str = ""
    importance: float = 0.0
    importance_parts: dict[str, float] = field(default_factory=dict)
    pinned: bool = False
    access_count: int = 0
    check_by: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    retired_at: datetime | None = None
    status: str = "current"
    replaced_by: str = ""
    citations: list[dict[str, Any]] = field(default_factory=list)
    topic_id: str = ""
    people: list[str] = field(default_factory=list)
    channel: str = ""
    emotion: str = ""
    version: int = 1
    metadata: dict[str, Any] = field(default_factory=dict)
    text_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Sources that differ about one point at one time: each side a fact with its quotes, and what a person ruled."""

    id: str
    project_id: str
    point_id: str
    subject: str
    attribute: str
    status: str  # open | ruled | settled
    sides: list[dict[str, Any]]  # memory_id, value, text
    opened_at: datetime
    updated_at: datetime
    ruling: dict[str, Any] = field(default_factory=dict)  # keep (memory id), at, by, note


@dataclass(frozen=True, slots=True)
class ProfileVersion:
    """One version of one of the four profile documents."""

    id: str
    project_id: str
    user_id: str
    namespace: str
    n: int
    content: str
    at: datetime
    changed_by: str = ""
    reason: str = ""
    trigger: str = ""
    origin: str = ""
    cause: str = ""  # the message, gate or run it came from


@dataclass(frozen=True, slots=True)
class Changeset:
    """One job's or one person's change to what is remembered; undone as a whole."""

    id: str
    project_id: str
    actor: str
    action: str
    title: str
    at: datetime
    user_id: str = ""
    status: str = "applied"  # applied | undone
    undone_by: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class ChangeItem:
    """One thing that a changeset altered: its JSON before and after (None: it was not there)."""

    changeset_id: str
    n: int
    kind: str  # memory | profile
    ref: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
