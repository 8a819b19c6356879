"""Entities, mentions and relations: the truth the graph is drawn from."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.graph import Edge, MentionRef, Node
from beacon.domain.ids import make_id
from beacon.stores.records import tables as t
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, batches


class Entities(Noun):
    """Who and what the sources speak of."""

    def add_entities(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Store entities that are not there yet: {id, project_id, key, name, type, aliases}."""
        self.insert_new(t.entity, rows)

    def set_aliases(self, entity_id: str, aliases: Sequence[str]) -> None:
        """Replace the other names of an entity."""
        self.connection.execute(sa.update(t.entity).where(t.entity.c.id == entity_id).values(aliases=list(aliases)))

    def aliased(self, project_id: str) -> list[tuple[str, tuple[str, ...]]]:
        """(name, aliases) of the entities that go by more than one name, by id."""
        e = t.entity.c
        query = sa.select(e.name, e.aliases).where(e.project_id == project_id, sa.cast(e.aliases, sa.Text) != "[]").order_by(e.id)
        return [(str(name), tuple(aliases)) for name, aliases in self.connection.execute(query)]

    def set_types(self, types: Mapping[str, str]) -> None:
        """Give entities whose type was not known ("other") the type that is known now: id → type."""
        e = t.entity.c
        query = sa.update(t.entity).where(e.id == sa.bindparam("known"), e.type == "other").values(type=sa.bindparam("kind"))
        if types:
            self.connection.execute(query, [{"known": key, "kind": kind} for key, kind in sorted(types.items())])

    def merge(self, project_id: str, entity_id: str, into_id: str) -> list[str]:
        """Make one entity part of another: mentions, relations, evidence and names go over; the versions that mentioned it, by id."""
        known = self.known([entity_id, into_id])
        if entity_id == into_id or len(known) < 2:
            return []
        one, full = known[entity_id], known[into_id]
        mine = t.mention.c.entity_id == entity_id
        versions = sorted(str(key) for key in self.connection.scalars(sa.select(t.mention.c.version_id).where(mine).distinct()))
        self.connection.execute(sa.update(t.mention).where(mine).values(entity_id=into_id))
        self._move_relations(project_id, entity_id, into_id)
        self.set_aliases(into_id, sorted({*full["aliases"], *one["aliases"], one["name"]} - {full["name"]}))
        if one["type"] != "other":
            self.set_types({into_id: str(one["type"])})
        self.connection.execute(sa.delete(t.entity).where(t.entity.c.id == entity_id))
        return versions

    def _move_relations(self, project_id: str, entity_id: str, into_id: str) -> None:
        """The relations of one entity become another's; what related the two to each other goes."""
        r = t.relation.c
        touching = sa.or_(r.head_id == entity_id, r.tail_id == entity_id)
        old = [dict(row) for row in self.connection.execute(sa.select(t.relation).where(touching).order_by(r.id)).mappings()]
        moved: dict[str, str] = {}
        for row in old:
            ends = sorted({into_id if row[end] == entity_id else str(row[end]) for end in ("head_id", "tail_id")})
            if len(ends) == 2:
                new = make_id("rel", project_id, *ends, row["kind"])
                moved[row["id"]] = new
                self.insert_new(t.relation, [{**row, "id": new, "head_id": ends[0], "tail_id": ends[1]}])
        for part in batches(list(moved), PARAMETER_BATCH):
            proof = (
                sa.select(t.relation_evidence)
                .where(t.relation_evidence.c.relation_id.in_(part))
                .order_by(*t.relation_evidence.primary_key.columns)
            )
            rows = [{**row, "relation_id": moved[row["relation_id"]]} for row in self.connection.execute(proof).mappings()]
            self.insert_new(t.relation_evidence, rows)
        for part in batches([row["id"] for row in old], PARAMETER_BATCH):
            self.connection.execute(sa.delete(t.relation).where(r.id.in_(part)))

    def add_mentions(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Store mentions that are not there yet."""
        self.insert_new(t.mention, rows)

    def add_relations(self, relations: Iterable[Mapping[str, Any]], evidence: Iterable[Mapping[str, Any]]) -> None:
        """Store relations and the sentences behind them."""
        self.insert_new(t.relation, relations)
        self.insert_new(t.relation_evidence, evidence)

    def known(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """entity id → row, for those that are there."""
        found: dict[str, dict[str, Any]] = {}
        for part in batches(list(ids), PARAMETER_BATCH):
            for row in self.connection.execute(sa.select(t.entity).where(t.entity.c.id.in_(part))).mappings():
                found[row["id"]] = dict(row)
        return found

    def drop_orphans(self, project_id: str) -> int:
        """Remove relations without evidence and entities without mentions; how many entities went."""
        bare = sa.select(t.relation.c.id).where(
            t.relation.c.project_id == project_id, ~sa.exists().where(t.relation_evidence.c.relation_id == t.relation.c.id)
        )
        self.connection.execute(sa.delete(t.relation).where(t.relation.c.id.in_(bare)))
        unsaid = sa.select(t.entity.c.id).where(
            t.entity.c.project_id == project_id, ~sa.exists().where(t.mention.c.entity_id == t.entity.c.id)
        )
        return self.connection.execute(sa.delete(t.entity).where(t.entity.c.id.in_(unsaid))).rowcount

    def nodes(self, project_id: str, ids: Sequence[str] | None = None, limit: int | None = None) -> list[Node]:
        """Entities with their counts, most mentioned first."""
        count = sa.func.count(t.mention.c.id)
        query = (
            sa.select(t.entity, count.label("mentions"), sa.func.count(sa.distinct(t.mention.c.source_id)).label("sources"))
            .select_from(t.entity.outerjoin(t.mention, t.mention.c.entity_id == t.entity.c.id))
            .where(t.entity.c.project_id == project_id)
            .group_by(t.entity.c.id)
            .order_by(count.desc(), t.entity.c.name, t.entity.c.id)
        )
        if ids is not None:
            query = query.where(t.entity.c.id.in_(list(ids)))
        rows = self.connection.execute(query if limit is None else query.limit(limit)).mappings()
        return [Node(r["id"], r["name"], r["type"], tuple(r["aliases"]), r["mentions"], r["sources"]) for r in rows]

    def edges(
        self, project_id: str, among: Sequence[str] | None = None, touching: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Edge]:
        """Relations, heaviest first: all, those between `among`, or those that touch `touching`."""
        weight = sa.func.count(t.relation_evidence.c.chunk_id)
        query = (
            sa.select(
                t.relation,
                weight.label("weight"),
                sa.func.min(t.relation_evidence.c.at).label("first_at"),
                sa.func.max(t.relation_evidence.c.at).label("last_at"),
            )
            .select_from(t.relation.join(t.relation_evidence, t.relation_evidence.c.relation_id == t.relation.c.id))
            .where(t.relation.c.project_id == project_id)
            .group_by(t.relation.c.id)
            .order_by(weight.desc(), t.relation.c.id)
        )
        if among is not None:
            query = query.where(t.relation.c.head_id.in_(list(among)), t.relation.c.tail_id.in_(list(among)))
        if touching is not None:
            query = query.where(sa.or_(t.relation.c.head_id.in_(list(touching)), t.relation.c.tail_id.in_(list(touching))))
        rows = self.connection.execute(query if limit is None else query.limit(limit)).mappings()
        return [Edge(r["id"], r["head_id"], r["tail_id"], r["kind"], float(r["weight"]), r["first_at"], r["last_at"]) for r in rows]

    def mentions(self, entity_id: str, limit: int | None = 200) -> list[MentionRef]:
        """Where an entity stands, newest version first."""
        when = sa.func.coalesce(t.version.c.version_date, t.version.c.published_at, t.version.c.fetched_at)
        query = (
            sa.select(t.mention, t.source.c.url, t.source.c.title)
            .select_from(
                t.mention.join(t.source, t.source.c.id == t.mention.c.source_id).join(t.version, t.version.c.id == t.mention.c.version_id)
            )
            .where(t.mention.c.entity_id == entity_id)
            .order_by(when.desc(), t.mention.c.version_id, t.mention.c.start)
        )
        rows = self.connection.execute(query if limit is None else query.limit(limit)).mappings()
        return [
            MentionRef(r["entity_id"], r["chunk_id"], r["version_id"], r["source_id"], r["url"], r["title"], r["start"], r["end"])
            for r in rows
        ]

    def mentions_by_entity(self, project_id: str, per_entity: int | None = None) -> dict[str, list[MentionRef]]:
        """entity id → where it stands."""
        query = (
            sa.select(t.mention, t.source.c.url, t.source.c.title)
            .select_from(t.mention.join(t.source, t.source.c.id == t.mention.c.source_id))
            .where(t.mention.c.project_id == project_id)
            .order_by(t.mention.c.entity_id, t.source.c.url, t.mention.c.version_id, t.mention.c.start)
        )
        found: dict[str, list[MentionRef]] = {}
        for r in self.connection.execute(query).mappings():
            refs = found.setdefault(r["entity_id"], [])
            if per_entity is None or len(refs) < per_entity:
                refs.append(
                    MentionRef(r["entity_id"], r["chunk_id"], r["version_id"], r["source_id"], r["url"], r["title"], r["start"], r["end"])
                )
        return found

    def relation_chunks(self, relation_id: str, limit: int = 50) -> list[tuple[str, int, int]]:
        """(chunk id, start, end) of the sentences behind a relation, newest first; offsets into the version's text."""
        e = t.relation_evidence.c
        query = (
            sa.select(e.chunk_id, e.start, e.end)
            .where(e.relation_id == relation_id)
            .order_by(e.at.desc(), e.chunk_id, e.start)
            .limit(limit)
        )
        return [(str(a), int(b), int(c)) for a, b, c in self.connection.execute(query)]

    def put_places(self, places: Mapping[str, tuple[float, float, float]]) -> None:
        """Keep where the graph page draws each entity and how it ranks: id → (x, y, rank)."""
        self.connection.execute(sa.delete(t.node_place).where(t.node_place.c.entity_id.in_(list(places))))
        self.insert_new(t.node_place, [{"entity_id": key, "x": x, "y": y, "rank": rank} for key, (x, y, rank) in places.items()])

    def places(self, project_id: str) -> dict[str, tuple[float, float, float]]:
        """entity id → (x, y, rank)."""
        p = t.node_place.c
        query = sa.select(p.entity_id, p.x, p.y, p.rank).select_from(t.node_place.join(t.entity)).where(t.entity.c.project_id == project_id)
        return {str(a): (float(x), float(y), float(r)) for a, x, y, r in self.connection.execute(query)}

    # What the graph backends read beside the above

    def ranked(self, project_id: str, limit: int | None = None) -> list[tuple[str, int]]:
        """(entity id, mentions), most mentioned first, ties by id; entities without a mention are left out."""
        count = sa.func.count(t.mention.c.id)
        query = (
            sa.select(t.mention.c.entity_id, count)
            .where(t.mention.c.project_id == project_id)
            .group_by(t.mention.c.entity_id)
            .order_by(count.desc(), t.mention.c.entity_id)
        )
        rows = self.connection.execute(query if limit is None else query.limit(limit))
        return [(str(key), int(n)) for key, n in rows]

    def named_like(self, project_id: str, text: str) -> list[dict[str, Any]]:
        """{id, name, aliases} of the entities whose name or alias may hold the text (NFKC, casefolded); some of them do not.

        How a database stores JSON decides what it can search there, so aliases beyond ASCII are all returned.
        """
        pattern = "%" + "".join(char if char.isalnum() else "%" for char in text) + "%"
        stored = sa.cast(t.entity.c.aliases, sa.Text)
        foreign = sa.func.instr(stored, "\\u") > 0 if self.is_sqlite else sa.func.octet_length(stored) != sa.func.length(stored)
        query = sa.select(t.entity.c.id, t.entity.c.name, t.entity.c.aliases).where(
            t.entity.c.project_id == project_id,
            sa.or_(t.entity.c.key.like(pattern), sa.func.lower(stored).like(pattern), foreign),
        )
        return [dict(row) for row in self.connection.execute(query.order_by(t.entity.c.id)).mappings()]

    def mentioned_in(self, version_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Mention rows of these versions with the source's url and title and the version's moment as `at`, by id."""
        when = sa.func.coalesce(t.version.c.version_date, t.version.c.published_at, t.version.c.fetched_at)
        joined = t.mention.join(t.source, t.source.c.id == t.mention.c.source_id).join(t.version, t.version.c.id == t.mention.c.version_id)
        query = sa.select(t.mention, t.source.c.url, t.source.c.title, when.label("at")).select_from(joined)
        found = [
            dict(row)
            for part in batches(list(version_ids), PARAMETER_BATCH)
            for row in self.connection.execute(query.where(t.mention.c.version_id.in_(part))).mappings()
        ]
        return sorted(found, key=lambda row: str(row["id"]))

    def mentioning_versions(self, project_id: str) -> list[str]:
        """The ids of all versions that mention anything, in order."""
        query = sa.select(t.mention.c.version_id).where(t.mention.c.project_id == project_id).distinct()
        return sorted(str(key) for key in self.connection.scalars(query))

    def sizes(self, project_id: str) -> dict[str, int]:
        """How many entities are mentioned, how often, and how many relations have evidence."""
        m = t.mention.c
        mentions = sa.select(sa.func.count(), sa.func.count(sa.distinct(m.entity_id))).where(m.project_id == project_id)
        n_mentions, n_nodes = self.connection.execute(mentions).one()
        proven = sa.exists().where(t.relation_evidence.c.relation_id == t.relation.c.id)
        edges = sa.select(sa.func.count()).select_from(t.relation).where(t.relation.c.project_id == project_id, proven)
        return {"nodes": int(n_nodes), "edges": self.connection.scalar(edges) or 0, "mentions": int(n_mentions)}

    def mentions_until(self, project_id: str, until: datetime) -> dict[str, int]:
        """entity id → how often it was mentioned in versions of that moment or before."""
        when = sa.func.coalesce(t.version.c.version_date, t.version.c.published_at, t.version.c.fetched_at)
        query = (
            sa.select(t.mention.c.entity_id, sa.func.count())
            .select_from(t.mention.join(t.version, t.version.c.id == t.mention.c.version_id))
            .where(t.mention.c.project_id == project_id, when <= until)
            .group_by(t.mention.c.entity_id)
        )
        return {str(key): int(n) for key, n in self.connection.execute(query)}

    def edges_until(self, project_id: str, until: datetime, among: Sequence[str]) -> list[Edge]:
        """Relations between `among` as they were at a moment, heaviest first: only evidence of that moment or before counts."""
        e = t.relation_evidence.c
        weight = sa.func.count(e.chunk_id)
        query = (
            sa.select(t.relation, weight.label("weight"), sa.func.min(e.at).label("first_at"), sa.func.max(e.at).label("last_at"))
            .select_from(t.relation.join(t.relation_evidence, e.relation_id == t.relation.c.id))
            .where(t.relation.c.project_id == project_id, e.at <= until)
            .where(t.relation.c.head_id.in_(list(among)), t.relation.c.tail_id.in_(list(among)))
            .group_by(t.relation.c.id)
            .order_by(weight.desc(), t.relation.c.id)
        )
        rows = self.connection.execute(query).mappings()
        return [Edge(r["id"], r["head_id"], r["tail_id"], r["kind"], float(r["weight"]), r["first_at"], r["last_at"]) for r in rows]

    def drop_places(self, project_id: str) -> None:
        """Forget where the graph page draws the project's entities."""
        mine = sa.select(t.entity.c.id).where(t.entity.c.project_id == project_id)
        self.connection.execute(sa.delete(t.node_place).where(t.node_place.c.entity_id.in_(mine)))
