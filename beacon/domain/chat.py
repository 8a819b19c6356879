"""Conversations and their messages."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat. `state`: goal, open questions, last cited ids, cache keys."""

    id: str
    project_id: str
    user_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn, with what it cites and the evidence pack it was answered from."""

    id: str
    conversation_id: str
    n: int
    role: str
    content: str
    at: datetime
    metadata: dict[str, Any] = field(default_factory=dict)
    pack: dict[str, Any] = field(default_factory=dict)
