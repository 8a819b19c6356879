"""Claims: what versions say of what; and contradictions between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.memory import Contradiction
from beacon.stores.records import tables as t
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, as_row, batches


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """A claim as it is kept: `text` is the slice `[start, end)` of its version, `body` the rest of it as JSON."""

    id: str
    project_id: str
    version_id: str
    source_id: str
    point_id: str
    start: int
    end: int
    text: str
    point: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """That a version was read for claims."""

    version_id: str
    method: int
    corrects: bool
    made_from: str
    at: datetime


class Facts(Noun):
    """What facts are reckoned from."""

    def unread(self, project_id: str, method: int, limit: int) -> list[str]:
        """Ids of versions with text that this method has not read, in order of reading.

        What it read without its records (`-method`) is to be read whole once its source has another version.
        """
        v, r = t.version.c, t.claim_reading.c
        other = t.version.alias("other")
        alone = ~sa.exists().where(other.c.source_id == v.source_id, other.c.id != v.id)
        done = sa.and_(r.version_id == v.id, sa.or_(r.method == method, sa.and_(r.method == -method, alone)))
        joined = t.version.join(t.source).outerjoin(t.claim_reading, done)
        query = (
            sa.select(v.id).select_from(joined).where(t.source.c.project_id == project_id, r.version_id.is_(None), v.withdrawn.is_(False))
        )
        return [str(key) for key in self.connection.scalars(query.order_by(v.fetched_at, v.id).limit(limit))]

    def put_reading(self, reading: Reading, claims: Sequence[StoredClaim]) -> None:
        """Keep what a version claims, in place of what an earlier method found in it."""
        self.connection.execute(sa.delete(t.claim).where(t.claim.c.version_id == reading.version_id))
        self.put(t.claim_reading, as_row(reading), ["version_id"])
        self.insert_new(t.claim, [as_row(claim) for claim in claims])

    def readings(self, version_ids: Sequence[str]) -> dict[str, Reading]:
        """version id → its reading."""
        found: dict[str, Reading] = {}
        for part in batches(list(version_ids), PARAMETER_BATCH):
            for reading in self.many(Reading, sa.select(t.claim_reading).where(t.claim_reading.c.version_id.in_(part))):
                found[reading.version_id] = reading
        return found

    def of_points(self, project_id: str, point_ids: Sequence[str]) -> dict[str, list[StoredClaim]]:
        """point id → everything that was ever claimed of it, by version and place."""
        c = t.claim.c
        found: dict[str, list[StoredClaim]] = {}
        for part in batches(list(point_ids), PARAMETER_BATCH):
            query = sa.select(t.claim).where(c.project_id == project_id, c.point_id.in_(part)).order_by(c.version_id, c.start, c.id)
            for claim in self.many(StoredClaim, query):
                found.setdefault(claim.point_id, []).append(claim)
        return found

    def of_sources(self, source_ids: Sequence[str]) -> list[StoredClaim]:
        """Everything these sources ever claimed."""
        c = t.claim.c
        found: list[StoredClaim] = []
        for part in batches(list(source_ids), PARAMETER_BATCH):
            found += self.many(StoredClaim, sa.select(t.claim).where(c.source_id.in_(part)).order_by(c.version_id, c.start, c.id))
        return found

    def of_versions(self, version_ids: Sequence[str]) -> list[StoredClaim]:
        """Everything these versions claim."""
        c = t.claim.c
        found: list[StoredClaim] = []
        for part in batches(list(version_ids), PARAMETER_BATCH):
            found += self.many(StoredClaim, sa.select(t.claim).where(c.version_id.in_(part)).order_by(c.version_id, c.start, c.id))
        return found

    def answers(self, project_id: str) -> list[tuple[str, list[dict[str, Any]]]]:
        """(message id, citations) of every answer of the project that cites, in order of time."""
        m, c = t.message.c, t.conversation.c
        query = sa.select(m.id, m.metadata).select_from(t.message.join(t.conversation)).where(c.project_id == project_id, m.role != "user")
        rows = self.connection.execute(query.order_by(m.at, m.id))
        return [(str(key), list(metadata.get("citations", []))) for key, metadata in rows if metadata.get("citations")]

    def lock(self, project_id: str) -> None:
        """Let no one else reckon this project's facts until this transaction ends."""
        if not self.is_sqlite:
            self.connection.execute(sa.select(t.project.c.id).where(t.project.c.id == project_id).with_for_update())

    # Contradictions

    def put_contradiction(self, case: Contradiction) -> None:
        """Store the contradiction, or replace it."""
        self.put(t.contradiction, as_row(case), ["id"])

    def drop_contradiction(self, case_id: str) -> None:
        """Take it out again (undo of its opening)."""
        self.connection.execute(sa.delete(t.contradiction).where(t.contradiction.c.id == case_id))

    def find_contradiction(self, case_id: str) -> Contradiction | None:
        """The contradiction, or None."""
        return self.one(Contradiction, sa.select(t.contradiction).where(t.contradiction.c.id == case_id))

    def contradictions(
        self, project_id: str, *, statuses: Sequence[str] | None = None, point_ids: Sequence[str] | None = None
    ) -> list[Contradiction]:
        """Contradictions, the one that changed last first."""
        c = t.contradiction.c
        query = sa.select(t.contradiction).where(c.project_id == project_id)
        if statuses is not None:
            query = query.where(c.status.in_(list(statuses)))
        if point_ids is not None:
            query = query.where(c.point_id.in_(list(point_ids)))
        return self.many(Contradiction, query.order_by(c.updated_at.desc(), c.id))
