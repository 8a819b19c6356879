"""Topics and what each remembers between runs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.topic import Topic, TopicMemory
from beacon.errors import ConflictError, NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.rows import Noun, as_row, as_value


class Topics(Noun):
    """The watched subjects of a project."""

    def add(self, topic: Topic) -> None:
        """Store a new topic. Raises ConflictError naming the topic that has the slug."""
        if self.insert_new(t.topic, [as_row(topic)]):
            return
        other = self.find(topic.project_id, topic.slug)
        title = other.title if other else topic.slug
        hint = " It was removed: restore it instead." if other and other.status == "removed" else " Choose another title."
        raise ConflictError(f"The topic '{title}' already has the slug '{topic.slug}'.{hint}", slug=topic.slug, title=title)

    def find(self, project_id: str, slug: str) -> Topic | None:
        """The topic with this slug, or None."""
        return self.one(Topic, sa.select(t.topic).where(t.topic.c.project_id == project_id, t.topic.c.slug == slug))

    def get(self, project_id: str, slug_or_id: str) -> Topic:
        """The topic with this slug or id. Raises NotFoundError."""
        query = sa.select(t.topic).where(
            t.topic.c.project_id == project_id, sa.or_(t.topic.c.slug == slug_or_id, t.topic.c.id == slug_or_id)
        )
        topic = self.one(Topic, query)
        if topic is None:
            raise NotFoundError(f"There is no topic '{slug_or_id}' here: `beacon topic list` shows what there is.", slug=slug_or_id)
        return topic

    def lock(self, topic_id: str) -> None:
        """Let no other transaction that asks the same go on before this one ends (SQLite has one writer anyway)."""
        self.connection.execute(sa.select(t.topic.c.id).where(t.topic.c.id == topic_id).with_for_update())

    def all(self, project_id: str, *, removed: bool = False) -> list[Topic]:
        """The project's topics by title; the removed ones when asked."""
        query = sa.select(t.topic).where(t.topic.c.project_id == project_id).order_by(t.topic.c.title, t.topic.c.id)
        return self.many(Topic, query if removed else query.where(t.topic.c.status == "active"))

    def update(self, topic_id: str, at: datetime, **values: Any) -> None:
        """Change columns of a topic."""
        self.connection.execute(sa.update(t.topic).where(t.topic.c.id == topic_id).values(updated_at=at, **values))

    def memory(self, topic: Topic) -> TopicMemory | None:
        """What the topic remembers, archived or not; None before its first run."""
        row = self.connection.execute(sa.select(t.topic_memory).where(t.topic_memory.c.topic_id == topic.id)).mappings().first()
        return None if row is None else as_value(TopicMemory, {**row, "topic": topic.title})

    def save_memory(self, topic_id: str, memory: TopicMemory) -> None:
        """Replace what the topic remembers."""
        row = {name: value for name, value in as_row(memory).items() if name != "topic"}
        self.put(t.topic_memory, {**row, "topic_id": topic_id}, ["topic_id"])

    def link_sources(self, topic_id: str, source_ids: Sequence[str], origin: str) -> None:
        """Count the sources among those the topic reads."""
        self.insert_new(t.topic_source, [{"topic_id": topic_id, "source_id": key, "origin": origin} for key in source_ids])

    def watched(self, source_ids: Sequence[str]) -> set[str]:
        """Those of the sources that some topic reads."""
        query = sa.select(t.topic_source.c.source_id).where(t.topic_source.c.source_id.in_(source_ids)).distinct()
        return set(self.connection.scalars(query))

    def source_ids(self, topic_id: str) -> list[str]:
        """The ids of the sources the topic reads."""
        query = sa.select(t.topic_source.c.source_id).where(t.topic_source.c.topic_id == topic_id).order_by(t.topic_source.c.source_id)
        return list(self.connection.scalars(query))
