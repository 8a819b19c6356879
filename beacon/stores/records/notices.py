"""What was told to somebody, or is to be."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.stores.records import tables as t
from beacon.stores.records.rows import Noun


class Notices(Noun):
    """Notices by channel. One is claimed before it is sent, so it is never sent twice."""

    def offer(self, rows: Sequence[dict[str, Any]]) -> int:
        """Put them up to be sent; how many were new."""
        return self.insert_new(t.notice, rows)

    def claim(self, project_id: str, channel: str) -> list[dict[str, Any]]:
        """The notices that wait, now the caller's alone, oldest first."""
        n = t.notice.c
        mine = (
            sa.update(t.notice)
            .where(n.project_id == project_id, n.channel == channel, n.status == "waiting")
            .values(status="claimed", tries=n.tries + 1)
            .returning(t.notice)
        )
        rows = [dict(row) for row in self.connection.execute(mine).mappings()]
        return sorted(rows, key=lambda row: (row["at"], row["id"]))

    def finish(self, ids: Sequence[str], status: str, problem: str, at: datetime | None) -> None:
        """Say how sending them ended: sent, failed, or waiting again."""
        self.connection.execute(sa.update(t.notice).where(t.notice.c.id.in_(list(ids))).values(status=status, problem=problem, sent_at=at))

    def all(self, project_id: str, channel: str = "", limit: int = 50) -> list[dict[str, Any]]:
        """Notices, newest first."""
        query = sa.select(t.notice).where(t.notice.c.project_id == project_id)
        if channel:
            query = query.where(t.notice.c.channel == channel)
        return [dict(row) for row in self.connection.execute(query.order_by(t.notice.c.at.desc(), t.notice.c.id).limit(limit)).mappings()]
