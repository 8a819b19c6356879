"""The event log: appended to, never altered."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from beacon.domain.event import Event
from beacon.errors import NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.rows import Noun, as_row


class Events(Noun):
    """What happened, in order."""

    def append(self, *events: Event) -> int:
        """Add events; one whose id is there already is the same event and is not added again. How many were new."""
        return self.insert_new(t.event, [{k: v for k, v in as_row(event).items() if k != "seq"} for event in events])

    def get(self, event_id: str) -> Event:
        """The event. Raises NotFoundError."""
        event = self.one(Event, sa.select(t.event).where(t.event.c.id == event_id))
        if event is None:
            raise NotFoundError(f"There is no event {event_id}.", event_id=event_id)
        return event

    def all(
        self,
        project_id: str,
        *,
        after_seq: int = 0,
        types: Sequence[str] | None = None,
        user_id: str | None = None,
        shared: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        newest_first: bool = False,
        limit: int = 200,
    ) -> list[Event]:
        """Events of a project in the order they were recorded; a user's own, and everybody's on the `shared` channels."""
        e = t.event.c
        query = sa.select(t.event).where(e.project_id == project_id, e.seq > after_seq)
        if types is not None:
            query = query.where(e.type.in_(list(types)))
        if user_id is not None:
            query = query.where(sa.or_(e.user_id.in_([user_id, ""]), e.channel.in_(list(shared))))
        if since is not None:
            query = query.where(e.at >= since)
        if until is not None:
            query = query.where(e.at <= until)
        return self.many(Event, query.order_by(e.seq.desc() if newest_first else e.seq).limit(limit))

    def count(self, project_id: str, after_seq: int = 0) -> int:
        """How many events come after `after_seq`."""
        query = sa.select(sa.func.count()).select_from(t.event).where(t.event.c.project_id == project_id, t.event.c.seq > after_seq)
        return self.connection.scalar(query) or 0
