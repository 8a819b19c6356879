"""Syntheses, themes, opportunities, decisions, and what people said of speakers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.insight import Decision, Insight, Synthesis
from beacon.errors import NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, as_row, batches

TABLES = {"theme": t.theme, "opportunity": t.opportunity}


class Insights(Noun):
    """What customers' words came to."""

    def add_synthesis(self, synthesis: Synthesis) -> bool:
        """Whether the new synthesis was stored: another one may have taken its number meanwhile."""
        return self.insert_new(t.synthesis, [as_row(synthesis)]) == 1

    def get_synthesis(self, project_id: str, synthesis_id: str) -> Synthesis:
        """The project's synthesis. Raises NotFoundError."""
        query = sa.select(t.synthesis).where(t.synthesis.c.id == synthesis_id, t.synthesis.c.project_id == project_id)
        found = self.one(Synthesis, query)
        if found is None:
            raise NotFoundError(f"There is no synthesis {synthesis_id} in this project.", synthesis_id=synthesis_id)
        return found

    def syntheses(self, project_id: str, status: str | None = None, limit: int = 100) -> list[Synthesis]:
        """The project's syntheses, newest first."""
        query = sa.select(t.synthesis).where(t.synthesis.c.project_id == project_id)
        if status is not None:
            query = query.where(t.synthesis.c.status == status)
        return self.many(Synthesis, query.order_by(t.synthesis.c.n.desc()).limit(limit))

    def update_synthesis(self, synthesis_id: str, **values: Any) -> None:
        """Change columns of a synthesis."""
        self.connection.execute(sa.update(t.synthesis).where(t.synthesis.c.id == synthesis_id).values(**values))

    def put_insights(self, kind: str, insights: Sequence[Insight]) -> None:
        """Store or replace themes or opportunities."""
        self.put_many(TABLES[kind], [as_row(one) for one in insights], ["id"])

    def insights(self, kind: str, project_id: str, *, status: str | None = None) -> list[Insight]:
        """The project's themes or opportunities by id."""
        table = TABLES[kind]
        query = sa.select(table).where(table.c.project_id == project_id).order_by(table.c.id)
        return self.many(Insight, query if status is None else query.where(table.c.status == status))

    def get_insight(self, kind: str, project_id: str, insight_id: str) -> Insight:
        """The project's theme or opportunity. Raises NotFoundError."""
        table = TABLES[kind]
        found = self.one(Insight, sa.select(table).where(table.c.id == insight_id, table.c.project_id == project_id))
        if found is None:
            raise NotFoundError(f"There is no {kind} {insight_id} in this project: `beacon synthesize` finds them.", id=insight_id)
        return found

    def put_findings(self, synthesis_id: str, kind: str, bodies: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """What a synthesis found, in its order; a second write of one kind takes the place of the first."""
        f = t.finding
        self.connection.execute(sa.delete(f).where(f.c.synthesis_id == synthesis_id, f.c.kind == kind))
        rows = [
            {"synthesis_id": synthesis_id, "kind": kind, "ref": ref, "rank": n, "body": body} for n, (ref, body) in enumerate(bodies, 1)
        ]
        if rows:
            self.connection.execute(sa.insert(f), rows)

    def findings(self, synthesis_id: str, kind: str) -> list[dict[str, Any]]:
        """The bodies of what a synthesis found, in its order."""
        query = sa.select(t.finding.c.ref, t.finding.c.body).where(t.finding.c.synthesis_id == synthesis_id, t.finding.c.kind == kind)
        return [{"id": row.ref, **row.body} for row in self.connection.execute(query.order_by(t.finding.c.rank, t.finding.c.ref))]

    def add_decision(self, decision: Decision) -> None:
        """Store a new decision; the same one again changes nothing."""
        self.insert_new(t.decision, [as_row(decision)])

    def decisions(self, project_id: str) -> list[Decision]:
        """The project's decisions, newest first."""
        d = t.decision.c
        return self.many(Decision, sa.select(t.decision).where(d.project_id == project_id).order_by(d.decided_at.desc(), d.id))

    def get_decision(self, project_id: str, decision_id: str) -> Decision:
        """The project's decision. Raises NotFoundError."""
        found = next((one for one in self.decisions(project_id) if one.id == decision_id), None)
        if found is None:
            raise NotFoundError(f"There is no decision {decision_id} in this project: `beacon decision list` shows what there is.")
        return found

    def update_decision(self, decision_id: str, at: datetime, **values: Any) -> None:
        """Change columns of a decision."""
        self.connection.execute(sa.update(t.decision).where(t.decision.c.id == decision_id).values(updated_at=at, **values))

    def put_speaker(self, source_id: str, name: str, role: str, participant: str) -> None:
        """Say who speaks in a source."""
        self.put(t.speaker, {"source_id": source_id, "name": name, "role": role, "participant": participant}, ["source_id", "name"])

    def speakers(self, source_ids: Sequence[str]) -> dict[str, dict[str, tuple[str, str]]]:
        """source id → speaker → (role, participant), as people said."""
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for part in batches(list(source_ids), PARAMETER_BATCH):
            for row in self.connection.execute(sa.select(t.speaker).where(t.speaker.c.source_id.in_(part))):
                found.setdefault(row.source_id, {})[row.name] = (row.role, row.participant)
        return found
