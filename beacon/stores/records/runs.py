"""Runs with their checkpoints, drafts, gates and changes; schedules; worker heartbeats; usage."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.run import Draft, Gate, Run, Schedule
from beacon.errors import NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.rows import Noun, as_row


class Runs(Noun):
    """What was done when."""

    def add(self, run: Run) -> bool:
        """Store a new run; False when it is there already."""
        return self.insert_new(t.run, [as_row(run)]) > 0

    def find(self, run_id: str) -> Run | None:
        """The run, or None."""
        return self.one(Run, sa.select(t.run).where(t.run.c.id == run_id))

    def get(self, run_id: str) -> Run:
        """The run. Raises NotFoundError."""
        run = self.find(run_id)
        if run is None:
            raise NotFoundError(f"There is no run '{run_id}': `beacon runs list` shows what there is.", run_id=run_id)
        return run

    def by_number(self, topic_id: str, n: int) -> Run | None:
        """The topic's Run #n, or None."""
        return self.one(Run, sa.select(t.run).where(t.run.c.topic_id == topic_id, t.run.c.n == n))

    def all(
        self,
        project_id: str,
        topic_id: str | None = None,
        *,
        archived: bool = False,
        statuses: Sequence[str] | None = None,
        limit: int = 500,
    ) -> list[Run]:
        """Runs, newest first."""
        query = sa.select(t.run).where(t.run.c.project_id == project_id)
        if topic_id is not None:
            query = query.where(t.run.c.topic_id == topic_id)
        if not archived:
            query = query.where(t.run.c.archived.is_(False))
        if statuses is not None:
            query = query.where(t.run.c.status.in_(list(statuses)))
        return self.many(Run, query.order_by(t.run.c.started_at.desc(), t.run.c.n.desc(), t.run.c.id).limit(limit))

    def last_done(self, topic_id: str) -> Run | None:
        """The topic's newest finished run, or None. Archived ones count: archiving hides, it does not undo."""
        query = sa.select(t.run).where(t.run.c.topic_id == topic_id, t.run.c.status == "done").order_by(t.run.c.n.desc()).limit(1)
        return self.one(Run, query)

    def done_before(self, topic_id: str, moment: datetime, run_id: str, n: int = 0) -> Run | None:
        """The topic's newest finished run that looked at an earlier moment (`as_of`, else its start), other than `run_id`.

        `n` is the number of a run that looks at the present: whatever the clock says, others that did so before it are earlier.
        """
        r = t.run.c
        query = sa.select(r.id, r.n, r.as_of, r.started_at).where(r.topic_id == topic_id, r.status == "done", r.id != run_id).order_by(r.n)
        present: datetime | None = None  # never goes back, though a clock may
        found: list[tuple[datetime, int, str]] = []
        for one in self.connection.execute(query):
            looked_at = one.as_of or one.started_at
            if one.as_of is None:
                looked_at = present = max(looked_at, present or looked_at)
            if looked_at <= moment or (one.as_of is None and one.n < n):
                found.append((looked_at, one.n, one.id))
        return self.find(max(found)[2]) if found else None

    def done_as_of(self, topic_id: str, moment: datetime) -> Run | None:
        """The topic's newest finished run as of this very moment, or None."""
        query = sa.select(t.run).where(t.run.c.topic_id == topic_id, t.run.c.status == "done", t.run.c.as_of == moment)
        return self.one(Run, query.order_by(t.run.c.n.desc()).limit(1))

    def last_number(self, topic_id: str) -> int:
        """The highest number a run of the topic has; 0 before the first is done."""
        return self.connection.scalar(sa.select(sa.func.max(t.run.c.n)).where(t.run.c.topic_id == topic_id)) or 0

    def count(self, topic_id: str) -> int:
        """How many runs of the topic there are, however they ended."""
        return self.connection.scalar(sa.select(sa.func.count()).select_from(t.run).where(t.run.c.topic_id == topic_id)) or 0

    def folder_taken(self, output_dir: str) -> bool:
        """Whether a run writes its files there."""
        return self.connection.scalar(sa.select(t.run.c.id).where(t.run.c.output_dir == output_dir).limit(1)) is not None

    def update(self, run_id: str, at: datetime, **values: Any) -> None:
        """Change columns of a run."""
        self.connection.execute(sa.update(t.run).where(t.run.c.id == run_id).values(updated_at=at, **values))

    def delete(self, run_id: str) -> None:
        """Take a run out with its drafts, gates and changes."""
        self.connection.execute(sa.delete(t.run).where(t.run.c.id == run_id))

    def checkpoint(self, run_id: str, step: str) -> dict[str, Any] | None:
        """What the step returned when it finished, or None if it has not."""
        query = sa.select(t.checkpoint.c.result).where(t.checkpoint.c.run_id == run_id, t.checkpoint.c.step == step)
        row = self.connection.execute(query).first()
        return None if row is None else dict(row[0])

    def add_checkpoint(self, run_id: str, step: str, result: dict[str, Any], at: datetime) -> bool:
        """Record that the step is done; False when another attempt had recorded it."""
        return self.insert_new(t.checkpoint, [{"run_id": run_id, "step": step, "result": result, "at": at}]) > 0

    def drop_checkpoints(self, run_id: str, steps: Sequence[str]) -> None:
        """Let these steps run again."""
        self.connection.execute(sa.delete(t.checkpoint).where(t.checkpoint.c.run_id == run_id, t.checkpoint.c.step.in_(list(steps))))

    def checkpoints(self, run_id: str) -> list[str]:
        """The finished steps, oldest first."""
        return list(
            self.connection.scalars(
                sa.select(t.checkpoint.c.step).where(t.checkpoint.c.run_id == run_id).order_by(t.checkpoint.c.at, t.checkpoint.c.step)
            )
        )

    def set_versions(self, run_id: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """What the run read: (source id, version id, new | changed | same | withdrawn)."""
        self.connection.execute(sa.delete(t.run_version).where(t.run_version.c.run_id == run_id))
        self.insert_new(t.run_version, [{"run_id": run_id, "source_id": s, "version_id": v, "status": status} for s, v, status in rows])

    def versions(self, run_id: str) -> list[tuple[str, str, str]]:
        """(source id, version id, status) of what the run read."""
        r = t.run_version.c
        query = sa.select(r.source_id, r.version_id, r.status).where(r.run_id == run_id).order_by(r.source_id)
        return [(str(a), str(b), str(c)) for a, b, c in self.connection.execute(query)]

    def put_draft(self, draft: Draft) -> None:
        """Keep a draft."""
        self.put(t.draft, as_row(draft), ["id"])

    def drafts(self, run_id: str, phase: str | None = None) -> list[Draft]:
        """Drafts in the order they were written."""
        query = sa.select(t.draft).where(t.draft.c.run_id == run_id).order_by(t.draft.c.at, t.draft.c.phase, t.draft.c.part, t.draft.c.n)
        return self.many(Draft, query if phase is None else query.where(t.draft.c.phase == phase))

    def put_gate(self, gate: Gate) -> None:
        """Open or answer a gate."""
        self.put(t.gate, as_row(gate), ["id"])

    def gates(self, *, run_id: str | None = None, project_id: str | None = None, status: str | None = None) -> list[Gate]:
        """Gates, oldest first."""
        query = sa.select(t.gate).join(t.run).order_by(t.gate.c.opened_at, t.gate.c.id)
        if run_id is not None:
            query = query.where(t.gate.c.run_id == run_id)
        if project_id is not None:
            query = query.where(t.run.c.project_id == project_id)
        return self.many(Gate, query if status is None else query.where(t.gate.c.status == status))

    def set_changes(self, run_id: str, topic_id: str, rows: Sequence[dict[str, Any]]) -> None:
        """What this run found changed, best first."""
        self.connection.execute(sa.delete(t.change).where(t.change.c.run_id == run_id))
        self.insert_new(t.change, [{**row, "run_id": run_id, "topic_id": topic_id} for row in rows])

    def changes(self, run_id: str) -> list[dict[str, Any]]:
        """What the run found changed, best first."""
        query = sa.select(t.change).where(t.change.c.run_id == run_id).order_by(t.change.c.ordinal)
        return [dict(row) for row in self.connection.execute(query).mappings()]

    def kinds(self, run_id: str) -> dict[str, int]:
        """kind → how many changes of it the run found."""
        c = t.change.c
        query = sa.select(c.kind, sa.func.count()).where(c.run_id == run_id).group_by(c.kind).order_by(c.kind)
        return {str(kind): int(n) for kind, n in self.connection.execute(query)}

    def change_counts(self, topic_id: str) -> dict[str, dict[str, int]]:
        """run id → kind → how many."""
        query = (
            sa.select(t.change.c.run_id, t.change.c.kind, sa.func.count())
            .where(t.change.c.topic_id == topic_id)
            .group_by(t.change.c.run_id, t.change.c.kind)
        )
        counts: dict[str, dict[str, int]] = {}
        for run_id, kind, n in self.connection.execute(query):
            counts.setdefault(run_id, {})[kind] = n
        return counts

    # Schedules

    def put_schedule(self, schedule: Schedule) -> None:
        """Store or replace a schedule."""
        self.put(t.schedule, as_row(schedule), ["id"])

    def schedules(self, project_id: str | None = None) -> list[Schedule]:
        """Schedules by next due time."""
        query = sa.select(t.schedule).order_by(t.schedule.c.next_at, t.schedule.c.id)
        return self.many(Schedule, query if project_id is None else query.where(t.schedule.c.project_id == project_id))

    def due_schedules(self, now: datetime) -> list[Schedule]:
        """Schedules that are due, locked until this transaction ends."""
        s = t.schedule.c
        query = sa.select(t.schedule).where(s.next_at <= now, s.enabled.is_(True)).order_by(s.next_at, s.id)
        return self.many(Schedule, query.with_for_update(skip_locked=True))

    def remove_schedule(self, schedule_id: str) -> bool:
        """Forget a schedule; False when there was none."""
        return self.connection.execute(sa.delete(t.schedule).where(t.schedule.c.id == schedule_id)).rowcount > 0

    # Workers and spend

    def beat(self, slot: str, pid: int, host: str, at: datetime) -> None:
        """The worker in this slot is alive."""
        self.put(t.heartbeat, {"slot": slot, "pid": pid, "host": host, "at": at}, ["slot"])

    def heartbeats(self) -> list[dict[str, Any]]:
        """Every slot with the last sign of life."""
        return [dict(row) for row in self.connection.execute(sa.select(t.heartbeat).order_by(t.heartbeat.c.slot)).mappings()]

    def add_usage(self, row: dict[str, Any]) -> None:
        """Record what a model call used."""
        self.insert_new(t.usage, [row])

    def spend(self, project_id: str, run_id: str | None = None) -> dict[str, float]:
        """{cost_usd, input_tokens, output_tokens, calls} of the project or one run."""
        u = t.usage.c
        query = sa.select(
            sa.func.coalesce(sa.func.sum(u.cost_usd), 0.0),
            sa.func.coalesce(sa.func.sum(u.input_tokens), 0),
            sa.func.coalesce(sa.func.sum(u.output_tokens), 0),
            sa.func.count(),
        )
        query = query.where(u.project_id == project_id)
        cost, inputs, outputs, calls = self.connection.execute(query if run_id is None else query.where(u.run_id == run_id)).one()
        return {"cost_usd": float(cost), "input_tokens": int(inputs), "output_tokens": int(outputs), "calls": int(calls)}
