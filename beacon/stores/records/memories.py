"""Memories, profile documents, and the changesets that record every change to either."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.memory import ChangeItem, Changeset, Memory, ProfileVersion
from beacon.errors import NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.flags import flag_memory
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, as_row, as_value, batches


class Memories(Noun):
    """Episodes, facts and skills. Every write has a number, so that what is held in memory can follow it."""

    _writes: dict[str, int] | None = None  # project → this transaction's number

    def put_memory(self, memory: Memory) -> None:
        """Store the memory, or replace it. What rests on one that does not hold any more is marked with it."""
        self.put(t.memory, {**as_row(memory), "changed": self._number(memory.project_id)}, ["id"])
        flag_memory(self.connection, memory)

    def delete(self, memory_id: str) -> None:
        """Take a memory out again (undo of its creation; erasure)."""
        query = sa.delete(t.memory).where(t.memory.c.id == memory_id).returning(t.memory.c.project_id)
        for project_id in self.connection.scalars(query).all():
            self._number(project_id, gone=True)

    def state(self, project_id: str) -> tuple[int, int]:
        """(number of the last write, number of the last that took something out)."""
        kept = self.connection.scalar(sa.select(t.setting.c.value).where(t.setting.c.name == f"memory_writes:{project_id}")) or {}
        return int(kept.get("n", 0)), int(kept.get("gone", 0))

    def _number(self, project_id: str, *, gone: bool = False) -> int:
        """This transaction's number among the writes to a project's memories. Writers take turns from here on."""
        taken = self._writes = {} if self._writes is None else self._writes
        if project_id in taken and not gone:
            return taken[project_id]
        name = f"memory_writes:{project_id}"
        s = t.setting.c
        kept = self.connection.scalar(sa.select(s.value).where(s.name == name).with_for_update())
        if kept is None:
            self.insert_new(t.setting, [{"name": name, "value": {"n": 0, "gone": 0}, "at": datetime.now(UTC)}])
            kept = self.connection.scalar(sa.select(s.value).where(s.name == name).with_for_update()) or {}
        n = taken.setdefault(project_id, int(kept.get("n", 0)) + 1)
        value = {"n": n, "gone": n if gone else int(kept.get("gone", 0))}
        self.connection.execute(sa.update(t.setting).where(s.name == name).values(value=value))
        return n

    def written_after(self, project_id: str, number: int) -> list[Any]:
        """What finding needs to know of the memories written after a write, by id: those that hold, and those that do no more."""
        m = t.memory.c
        known = (
            m.id,
            m.user_id,
            m.scope,
            m.tier,
            m.text,
            m.people,
            m.importance,
            m.pinned,
            m.access_count,
            m.last_access_at,
            m.recorded_at,
        )
        rest = (m.valid_from, m.valid_to, m.status, m.topic_id, m.channel, m.emotion, m.subject, m.attribute, m.citations, m.text_sha256)
        query = sa.select(*known, *rest, m.metadata["announced"].as_boolean().label("announced"))
        query = query.where(m.project_id == project_id, m.changed > number) if number else query.where(
            m.project_id == project_id, m.status == "current"
        )  # fmt: skip
        return list(self.connection.execute(query.order_by(m.id)))

    def by_ids(self, ids: Sequence[str]) -> dict[str, Memory]:
        """id → memory, for those that are there."""
        found: dict[str, Memory] = {}
        for part in batches(list(ids), PARAMETER_BATCH):
            found.update({m.id: m for m in self.many(Memory, sa.select(t.memory).where(t.memory.c.id.in_(part)))})
        return found

    def find(self, memory_id: str) -> Memory | None:
        """The memory, or None."""
        return self.one(Memory, sa.select(t.memory).where(t.memory.c.id == memory_id))

    def get(self, memory_id: str) -> Memory:
        """The memory. Raises NotFoundError."""
        memory = self.find(memory_id)
        if memory is None:
            raise NotFoundError(f"There is no memory {memory_id}: `beacon memory list` shows what there is.", memory_id=memory_id)
        return memory

    def all(
        self,
        project_id: str,
        *,
        user_id: str | None = None,
        tiers: Sequence[str] | None = None,
        statuses: Sequence[str] | None = ("current",),
        topic_id: str | None = None,
        as_of: datetime | None = None,
        retired: bool = False,
        limit: int | None = None,
    ) -> list[Memory]:
        """Memories, newest first. `as_of` lists what Beacon believed at that moment, whatever became of it since; `retired` adds
        what it knew of then but had retired."""
        m = t.memory.c
        query = sa.select(t.memory).where(m.project_id == project_id)
        if user_id is not None:
            query = query.where(sa.or_(m.scope == "project", m.user_id == user_id))
        if tiers is not None:
            query = query.where(m.tier.in_(list(tiers)))
        if topic_id is not None:
            query = query.where(m.topic_id == topic_id)
        if as_of is not None:
            query = query.where(m.recorded_at <= as_of)
            if not retired:
                query = query.where(sa.or_(m.retired_at.is_(None), m.retired_at > as_of))
        elif statuses is not None:
            query = query.where(m.status.in_(list(statuses)))
        query = query.order_by(m.recorded_at.desc(), m.id)
        return self.many(Memory, query if limit is None else query.limit(limit))

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count one delivered access for each: recency starts again."""
        for part in batches(list(ids), PARAMETER_BATCH):
            values = {"access_count": t.memory.c.access_count + 1, "last_access_at": at}
            update = sa.update(t.memory).where(t.memory.c.id.in_(part)).values(values).returning(t.memory.c.project_id)
            for project_id in sorted(set(self.connection.scalars(update))):
                one = sa.update(t.memory).where(t.memory.c.id.in_(part), t.memory.c.project_id == project_id)
                self.connection.execute(one.values(changed=self._number(project_id)))

    # Profile documents

    def profile(self, project_id: str, user_id: str, namespace: str, n: int | None = None) -> ProfileVersion | None:
        """The newest version of a document (or version `n`), or None."""
        p = t.profile_version.c
        query = sa.select(t.profile_version).where(p.project_id == project_id, p.user_id == user_id, p.namespace == namespace)
        return self.one(ProfileVersion, query.where(p.n == n) if n else query.order_by(p.n.desc()).limit(1))

    def profile_history(self, project_id: str, user_id: str, namespace: str) -> list[ProfileVersion]:
        """All versions of a document, newest first."""
        p = t.profile_version.c
        query = sa.select(t.profile_version).where(p.project_id == project_id, p.user_id == user_id, p.namespace == namespace)
        return self.many(ProfileVersion, query.order_by(p.n.desc()))

    def profile_versions(self, project_id: str, user_id: str, namespace: str) -> list[ProfileVersion]:
        """All versions of a document without their text, newest first: a long document's history stays light."""
        columns = [column for column in t.profile_version.c if column.name != "content"]
        p = t.profile_version.c
        query = sa.select(sa.literal("").label("content"), *columns).where(
            p.project_id == project_id, p.user_id == user_id, p.namespace == namespace
        )
        return self.many(ProfileVersion, query.order_by(p.n.desc()))

    def has_profile_from(self, project_id: str, user_id: str, namespace: str, trigger: str, cause: str) -> bool:
        """Whether a version of the document came from this message, gate or run by this trigger."""
        p = t.profile_version.c
        query = sa.select(p.id).where(
            p.project_id == project_id, p.user_id == user_id, p.namespace == namespace, p.trigger == trigger, p.cause == cause
        )
        return self.connection.execute(query.limit(1)).first() is not None

    def add_profile_version(self, version: ProfileVersion) -> int:
        """Store the version; 0 when it stood there already."""
        return self.insert_new(t.profile_version, [as_row(version)])

    # Changesets

    def add_changeset(self, changeset: Changeset, items: Sequence[ChangeItem]) -> None:
        """Record what changed, in the transaction that changes it."""
        self.insert_new(t.changeset, [{k: v for k, v in as_row(changeset).items() if k != "seq"}])
        self.insert_new(t.change_item, [as_row(item) for item in items])

    def changeset(self, changeset_id: str) -> Changeset:
        """The changeset. Raises NotFoundError."""
        found = self.one(Changeset, sa.select(t.changeset).where(t.changeset.c.id == changeset_id))
        if found is None:
            raise NotFoundError(f"There is no changeset {changeset_id}.", changeset_id=changeset_id)
        return found

    def changesets(self, project_id: str, limit: int = 100) -> list[Changeset]:
        """Changesets, newest first."""
        query = sa.select(t.changeset).where(t.changeset.c.project_id == project_id).order_by(t.changeset.c.seq.desc()).limit(limit)
        return self.many(Changeset, query)

    def items(self, changeset_id: str) -> list[ChangeItem]:
        """What a changeset altered, in order."""
        return self.many(
            ChangeItem, sa.select(t.change_item).where(t.change_item.c.changeset_id == changeset_id).order_by(t.change_item.c.n)
        )

    def later_changesets(self, changeset: Changeset, refs: Sequence[str]) -> list[tuple[str, Changeset]]:
        """(ref, changeset) of every later change to these things in the same project that still holds, in order."""
        joined = t.change_item.join(t.changeset, t.changeset.c.id == t.change_item.c.changeset_id)
        query = (
            sa.select(t.change_item.c.ref, *t.changeset.c)
            .select_from(joined)
            .where(
                t.changeset.c.project_id == changeset.project_id,
                t.changeset.c.seq > changeset.seq,
                t.changeset.c.status == "applied",
                t.change_item.c.ref.in_(list(refs)),
            )
            .order_by(t.changeset.c.seq, t.change_item.c.n)
        )
        return [(str(row["ref"]), as_value(Changeset, dict(row))) for row in self.connection.execute(query).mappings()]

    def undone_by(self, changeset_id: str) -> Changeset | None:
        """The changeset that this one undid, or None."""
        return self.one(Changeset, sa.select(t.changeset).where(t.changeset.c.undone_by == changeset_id))

    def last_seq(self, project_id: str) -> int:
        """The number of the project's newest changeset, 0 before the first."""
        return self.connection.scalar(sa.select(sa.func.max(t.changeset.c.seq)).where(t.changeset.c.project_id == project_id)) or 0

    def changes_of(
        self, project_id: str, kind: str, *, ref: str | None = None, after: datetime | None = None
    ) -> list[tuple[Changeset, ChangeItem]]:
        """Every change to things of a kind (or to one of them, or those made after a moment), in order."""
        joined = t.change_item.join(t.changeset, t.changeset.c.id == t.change_item.c.changeset_id)
        item = [column.label(f"item_{column.name}") for column in t.change_item.c]
        query = (
            sa.select(*t.changeset.c, *item).select_from(joined).where(t.changeset.c.project_id == project_id, t.change_item.c.kind == kind)
        )
        if ref is not None:
            query = query.where(t.change_item.c.ref == ref)
        if after is not None:
            query = query.where(t.changeset.c.at > after)
        rows = self.connection.execute(query.order_by(t.changeset.c.seq, t.change_item.c.n)).mappings()
        return [(as_value(Changeset, dict(row)), ChangeItem(**{c.name: row[f"item_{c.name}"] for c in t.change_item.c})) for row in rows]

    def mark_undone(self, changeset_id: str, undone_by: str) -> None:
        """The changeset no longer holds."""
        self.connection.execute(sa.update(t.changeset).where(t.changeset.c.id == changeset_id).values(status="undone", undone_by=undone_by))

    def revised(self, memory: Memory, **values: Any) -> Memory:
        """Store and return the memory with other values and the next version number."""
        changed = replace(memory, version=memory.version + 1, **values)
        self.put_memory(changed)
        return changed
