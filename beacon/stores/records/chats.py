"""Conversations, messages, and period summaries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.chat import ChatMessage, ContextPack, Conversation, ConversationSummary
from beacon.domain.graph import GraphSummary
from beacon.errors import NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, as_row, batches


class Chats(Noun):
    """What was asked and answered."""

    def add(self, conversation: Conversation) -> None:
        """Store a new conversation."""
        self.insert_new(t.conversation, [as_row(conversation)])

    def get(self, conversation_id: str) -> Conversation:
        """The conversation. Raises NotFoundError."""
        found = self.one(Conversation, sa.select(t.conversation).where(t.conversation.c.id == conversation_id))
        if found is None:
            raise NotFoundError(f"There is no conversation {conversation_id}.", conversation_id=conversation_id)
        return found

    def all(self, project_id: str, user_id: str, limit: int = 100) -> list[Conversation]:
        """The user's conversations, last used first."""
        c = t.conversation.c
        query = sa.select(t.conversation).where(c.project_id == project_id, c.user_id == user_id)
        return self.many(Conversation, query.order_by(c.updated_at.desc(), c.id).limit(limit))

    def update(self, conversation_id: str, at: datetime, **values: Any) -> None:
        """Change columns of a conversation."""
        self.connection.execute(sa.update(t.conversation).where(t.conversation.c.id == conversation_id).values(updated_at=at, **values))

    def add_message(self, message: ChatMessage) -> None:
        """Append a message."""
        self.insert_new(t.message, [as_row(message)])

    def messages(self, conversation_id: str, limit: int | None = None) -> list[ChatMessage]:
        """Messages in order; with a limit, the last ones."""
        query = sa.select(t.message).where(t.message.c.conversation_id == conversation_id)
        if limit is None:
            return self.many(ChatMessage, query.order_by(t.message.c.n))
        return self.many(ChatMessage, query.order_by(t.message.c.n.desc()).limit(limit))[::-1]

    def find_message(self, message_id: str) -> ChatMessage | None:
        """The message, or None."""
        return self.one(ChatMessage, sa.select(t.message).where(t.message.c.id == message_id))

    def count_messages(self, conversation_id: str) -> int:
        """How many messages a conversation has."""
        query = sa.select(sa.func.count()).select_from(t.message).where(t.message.c.conversation_id == conversation_id)
        return self.connection.scalar(query) or 0

    def words(self, conversation_id: str) -> list[ChatMessage]:
        """Messages in order without their evidence: what was said, however long the conversation."""
        columns = [c for c in t.message.c if c.name not in ("metadata", "pack")]
        return self.many(ChatMessage, sa.select(*columns).where(t.message.c.conversation_id == conversation_id).order_by(t.message.c.n))

    def count(self, project_id: str, user_id: str) -> int:
        """How many conversations a user has."""
        c = t.conversation.c
        query = sa.select(sa.func.count()).select_from(t.conversation).where(c.project_id == project_id, c.user_id == user_id)
        return self.connection.scalar(query) or 0

    # What long conversations amount to, and what was in mind

    def conversation_summaries(self, conversation_id: str) -> list[ConversationSummary]:
        """The summaries of a conversation's older messages, by level and place."""
        c = t.conversation_summary.c
        query = sa.select(t.conversation_summary).where(c.conversation_id == conversation_id)
        return self.many(ConversationSummary, query.order_by(c.level, c.first))

    def summaries_of_conversations(self, project_id: str) -> list[ConversationSummary]:
        """The summaries of every conversation of a project."""
        joined = t.conversation_summary.join(t.conversation)
        query = sa.select(t.conversation_summary).select_from(joined).where(t.conversation.c.project_id == project_id)
        return self.many(ConversationSummary, query.order_by(t.conversation_summary.c.id))

    def add_conversation_summary(self, summary: ConversationSummary) -> int:
        """Store a summary; 0 where those messages were summarised already: a summary is never written over."""
        return self.insert_new(t.conversation_summary, [as_row(summary)])

    def put_context(self, pack: ContextPack) -> None:
        """Store what was in mind at one step."""
        self.put(t.context_pack, as_row(pack), ["id"])

    def contexts(self, project_id: str, user_id: str, ref: str) -> list[ContextPack]:
        """What a user's message or run had in mind, step by step."""
        c = t.context_pack.c
        query = sa.select(t.context_pack).where(c.project_id == project_id, c.user_id == user_id, c.ref == ref)
        return self.many(ContextPack, query.order_by(c.at, c.id))

    # Summaries by segment and period

    def put_summary(self, project_id: str, summary: GraphSummary, kind: str, at: datetime) -> None:
        """Store or replace a summary."""
        row = {**as_row(summary), "citations": list(summary.citations), "project_id": project_id, "kind": kind, "at": at}
        self.put(t.summary, row, ["id"])

    def summaries(
        self, project_id: str, *, segment: str | None = None, period: str | None = None, kind: str | None = None
    ) -> list[GraphSummary]:
        """Summaries by segment and period."""
        query = (
            sa.select(t.summary)
            .where(t.summary.c.project_id == project_id)
            .order_by(t.summary.c.segment, t.summary.c.period, t.summary.c.id)
        )
        for column, value in ((t.summary.c.segment, segment), (t.summary.c.period, period), (t.summary.c.kind, kind)):
            query = query if value is None else query.where(column == value)
        found = self.many(GraphSummary, query)
        return [GraphSummary(s.id, s.segment, s.period, s.text, tuple(s.citations), s.flagged) for s in found]

    def own_summaries(self, project_id: str, user_id: str) -> list[GraphSummary]:
        """The workspace's summaries, and those of the days of this user only."""
        others = {s.id for s in self.summaries(project_id, kind="period") if s.segment != user_id}
        return [s for s in self.summaries(project_id) if s.id not in others]

    def drop_summaries(self, ids: Sequence[str]) -> None:
        """Forget summaries."""
        self.connection.execute(sa.delete(t.summary).where(t.summary.c.id.in_(list(ids))))

    def flag_summaries(self, ids: Sequence[str], flagged: bool = True) -> None:
        """Note that these summaries cite what is no longer current, or take the note back."""
        for part in batches(list(ids), PARAMETER_BATCH):
            self.connection.execute(sa.update(t.summary).where(t.summary.c.id.in_(part)).values(flagged=flagged))
