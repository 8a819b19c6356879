"""Events: what happened, never altered. Types are past participles: `source_ingested`."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

# What happens here concerns everyone in the workspace: its sources, topics, runs and state. The rest is its author's own.
SHARED_CHANNELS = ("run", "ingest", "topics", "settings", "schedule", "system")


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log. `text` is what a citation of this event is a slice of."""

    id: str
    project_id: str
    type: str
    at: datetime
    recorded_at: datetime
    text: str = ""
    payload: dict[str, Any] = field(default_factory=dict)
    user_id: str = ""
    channel: str = ""
    people: list[str] = field(default_factory=list)
    tone: str = ""
    seq: int = 0

    def visible_to(self, user_id: str) -> bool:
        """Whether a user may see it: their own, nobody's, or one that concerns the workspace."""
        return self.user_id in ("", user_id) or self.channel in SHARED_CHANNELS
