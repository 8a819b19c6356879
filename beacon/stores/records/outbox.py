"""The outbox: what the projections still have to be told, written in the transaction that made it true."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.stores.records import tables as t
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, batches


class Outbox(Noun):
    """Work for the projections, in order."""

    def add(self, project_id: str, target: str, op: str, kind: str, refs: Iterable[str], at: datetime) -> None:
        """Queue one row a thing. `target` vectors | graph, `op` put | delete."""
        rows = [{"project_id": project_id, "target": target, "op": op, "kind": kind, "ref": ref, "at": at} for ref in refs]
        for batch in batches(rows, PARAMETER_BATCH):
            self.connection.execute(sa.insert(t.outbox), list(batch))

    def take(self, target: str, limit: int) -> list[dict[str, Any]]:
        """The oldest rows for a projection; they stay until `done`."""
        query = sa.select(t.outbox).where(t.outbox.c.target == target).order_by(t.outbox.c.seq).limit(limit)
        return [dict(row) for row in self.connection.execute(query).mappings()]

    def done(self, seqs: Sequence[int]) -> None:
        """These rows have been projected."""
        for part in batches(list(seqs), PARAMETER_BATCH):
            self.connection.execute(sa.delete(t.outbox).where(t.outbox.c.seq.in_(part)))

    def waiting(self, target: str | None = None) -> int:
        """How many rows wait."""
        query = sa.select(sa.func.count()).select_from(t.outbox)
        return self.connection.scalar(query if target is None else query.where(t.outbox.c.target == target)) or 0
