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


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """What a stretch of a conversation amounts to, resting on cited messages. The messages stay as they are."""

    id: str
    conversation_id: str
    level: str  # detail | outline | era
    first: int  # number of the first message it covers
    last: int
    text: str
    at: datetime
    citations: list[dict[str, Any]] = field(default_factory=list)
    origin: str = "rules"  # rules | model


@dataclass(frozen=True, slots=True)
class ContextPack:
    """What was in mind at one step of thinking: its parts as packed, with what had to be left out."""

    id: str
    project_id: str
    user_id: str
    step: str
    ref: str  # the message or run it was made for
    budget: int  # tokens
    tokens: int
    query: str
    parts: list[dict[str, Any]]
    at: datetime
