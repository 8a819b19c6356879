"""Events: what happened, never altered. Types are past participles: `source_ingested`."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


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
