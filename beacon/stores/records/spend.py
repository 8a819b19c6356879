"""What models cost: every call as a row, held before it is made and booked after it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.stores.records import tables as t
from beacon.stores.records.rows import Noun

_SPENDING_LOCK = 7313  # an advisory lock's number on PostgreSQL: two calls must not both take the last of a budget


class Spend(Noun):
    """Usage of models, in tokens and money."""

    def lock(self) -> None:
        """Until the transaction ends nobody else may hold. On SQLite a writer is alone anyway."""
        if not self.is_sqlite:
            self.connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SPENDING_LOCK)))

    def add(self, row: Mapping[str, Any]) -> None:
        """A hold or a finished call."""
        self.connection.execute(sa.insert(t.usage), [dict(row)])

    def book(self, usage_id: str, values: Mapping[str, Any]) -> None:
        """The hold becomes what the call used."""
        self.connection.execute(sa.update(t.usage).where(t.usage.c.id == usage_id).values(status="spent", **values))

    def drop(self, usage_id: str) -> None:
        """The call was not paid for: its hold is gone."""
        self.connection.execute(sa.delete(t.usage).where(t.usage.c.id == usage_id, t.usage.c.status == "held"))

    def used(self, *, run_id: str = "", conversation_id: str = "", since: datetime | None = None) -> tuple[float, int]:
        """(dollars, tokens) spent and held by a run, a conversation, or everybody since a moment."""
        u = t.usage.c
        query = sa.select(
            sa.func.coalesce(sa.func.sum(u.cost_usd), 0.0), sa.func.coalesce(sa.func.sum(u.input_tokens + u.output_tokens), 0)
        )
        if run_id:
            query = query.where(u.run_id == run_id)
        if conversation_id:
            query = query.where(u.conversation_id == conversation_id)
        if since is not None:
            query = query.where(u.at >= since)
        cost, tokens = self.connection.execute(query).one()
        return float(cost), int(tokens)

    def calls(self, project_id: str, *, run_id: str = "", conversation_id: str = "", since: datetime | None = None) -> list[dict[str, Any]]:
        """The calls, newest first."""
        u = t.usage.c
        query = sa.select(t.usage).where(u.project_id == project_id)
        if run_id:
            query = query.where(u.run_id == run_id)
        if conversation_id:
            query = query.where(u.conversation_id == conversation_id)
        if since is not None:
            query = query.where(u.at >= since)
        return [dict(row) for row in self.connection.execute(query.order_by(u.at.desc(), u.id)).mappings()]
