"""Topics: what Beacon watches, and what it remembers of each between runs."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

MAX_SEEN_URLS = 500
MAX_KEY_FACTS = 10
DEFAULT_RETENTION_DAYS = 30


@dataclass(frozen=True, slots=True)
class Topic:
    """A watched subject. `slug` is unique in its project and always follows from the title."""

    id: str
    project_id: str
    slug: str
    title: str
    created_at: datetime
    updated_at: datetime
    queries: list[str] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    tone: str = "objective"
    language: str = "en"
    guidelines: list[str] = field(default_factory=list)
    retention_days: int = DEFAULT_RETENTION_DAYS
    gates: bool = False
    status: str = "active"  # active | removed


@dataclass(frozen=True, slots=True)
class TopicMemory:
    """What a topic's next run starts from (AgentMemory of the requirement)."""

    topic: str
    seen_urls: list[str] = field(default_factory=list)
    key_facts: list[dict[str, Any]] = field(default_factory=list)  # {text, citation}
    last_run_at: datetime | None = None
    run_count: int = 0
    report_summary: str = ""
    expires_at: datetime | None = None
    archived_at: datetime | None = None
    flagged: bool = False  # a key fact has been retired, or its source says something else, since


def merge_urls(existing: list[str], new: list[str], limit: int = MAX_SEEN_URLS) -> list[str]:
    """Both lists without repeats, oldest first, the newest `limit` kept."""
    merged = list(dict.fromkeys([*existing, *new]))
    return merged[-limit:]
