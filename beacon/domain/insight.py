"""Themes, opportunities, syntheses and decisions: what customers' words come to."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

ACTIVE, DISMISSED, MERGED = "active", "dismissed", "merged"


@dataclass(frozen=True, slots=True)
class Synthesis:
    """One working-out of themes and opportunities."""

    id: str
    project_id: str
    n: int
    status: str  # open | done | stopped
    started_at: datetime
    trigger_type: str = ""
    model_used: str = ""
    segment: str = ""
    source_ids: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    user_id: str = ""
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Insight:
    """A theme or an opportunity: `body` is as the last synthesis found it, `own_title` what a person calls it."""

    id: str
    project_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    own_title: str = ""
    status: str = ACTIVE
    merged_into: str = ""
    synthesis_id: str = ""
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called: by a person, else by its evidence."""
        return self.own_title or self.title


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided on what evidence; `reopened` says what has come up since."""

    id: str
    project_id: str
    event_id: str
    title: str
    decided_at: datetime
    updated_at: datetime
    reason: str = ""
    status: str = "standing"  # standing | reopened | closed
    evidence: dict[str, Any] = field(default_factory=dict)
    reopened: dict[str, Any] = field(default_factory=dict)
    user_id: str = ""
