"""Sources, versions, chunks, embeddings, and full-text search over chunks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.source import PassageRef, Source, StoredChunk, Version, VersionHead
from beacon.errors import NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.flags import flag_versions
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, as_row, batches


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """Where a version stands among the versions of its source."""

    id: str
    source_id: str
    n: int
    at: datetime
    withdrawn: bool


class Sources(Noun):
    """What was read, in every version."""

    def put_sources(self, sources: Sequence[Source]) -> None:
        """Store sources, or bring their descriptive columns up to date."""
        self.put_many(t.source, [as_row(source) for source in sources], ["project_id", "key"])

    def find_by_key(self, project_id: str, key: str) -> Source | None:
        """The source with this key, or None."""
        return self.one(Source, sa.select(t.source).where(t.source.c.project_id == project_id, t.source.c.key == key))

    def find_by_url(self, project_id: str, url: str) -> list[Source]:
        """All sources that carry this URL."""
        return self.many(
            Source, sa.select(t.source).where(t.source.c.project_id == project_id, t.source.c.url == url).order_by(t.source.c.id)
        )

    def get(self, source_id: str) -> Source:
        """The source. Raises NotFoundError."""
        source = self.one(Source, sa.select(t.source).where(t.source.c.id == source_id))
        if source is None:
            raise NotFoundError(f"There is no source {source_id}: `beacon source list` shows what there is.", source_id=source_id)
        return source

    def all(self, project_id: str, ids: Sequence[str] | None = None) -> list[Source]:
        """The project's sources by title, or those of `ids`."""
        query = sa.select(t.source).where(t.source.c.project_id == project_id).order_by(t.source.c.title, t.source.c.id)
        if ids is None:
            return self.many(Source, query)
        found = [row for part in batches(list(ids), PARAMETER_BATCH) for row in self.many(Source, query.where(t.source.c.id.in_(part)))]
        return sorted(found, key=lambda s: (s.title, s.id))

    def set_status(self, source_id: str, status: str) -> None:
        """current, withdrawn or removed."""
        self.connection.execute(sa.update(t.source).where(t.source.c.id == source_id).values(status=status))

    def add_versions(self, versions: Sequence[Version]) -> None:
        """Store versions that are not there yet."""
        self.insert_new(t.version, [as_row(version) for version in versions])

    def heads(self, source_ids: Sequence[str]) -> dict[str, list[VersionHead]]:
        """source id → its versions, oldest first, without their texts."""
        v = t.version.c
        columns = (v.id, v.source_id, v.n, v.sha256, v.version_date, v.published_at, v.fetched_at, v.withdrawn)
        found: dict[str, list[VersionHead]] = {}
        for part in batches(list(source_ids), PARAMETER_BATCH):
            for head in self.many(VersionHead, sa.select(*columns).where(v.source_id.in_(part)).order_by(v.source_id, v.n)):
                found.setdefault(head.source_id, []).append(head)
        return found

    def versions(self, source_id: str) -> list[Version]:
        """All versions of a source, oldest first."""
        return self.many(Version, sa.select(t.version).where(t.version.c.source_id == source_id).order_by(t.version.c.n))

    def version(self, version_id: str) -> Version:
        """The version. Raises NotFoundError."""
        version = self.one(Version, sa.select(t.version).where(t.version.c.id == version_id))
        if version is None:
            raise NotFoundError(f"There is no version {version_id}.", version_id=version_id)
        return version

    def version_facts(self, source_ids: Sequence[str]) -> dict[str, tuple[int, datetime]]:
        """source id → (how many versions, when the newest was current), without reading their texts."""
        when = sa.func.max(sa.func.coalesce(t.version.c.version_date, t.version.c.published_at, t.version.c.fetched_at), type_=t.Moment)
        found: dict[str, tuple[int, datetime]] = {}
        for part in batches(list(source_ids), PARAMETER_BATCH):
            query = (
                sa.select(t.version.c.source_id, sa.func.count(), when)
                .where(t.version.c.source_id.in_(part))
                .group_by(t.version.c.source_id)
            )
            found.update({str(row[0]): (int(row[1]), row[2]) for row in self.connection.execute(query)})
        return found

    def latest_version(self, source_id: str) -> Version | None:
        """The newest version, or None."""
        return self.one(Version, sa.select(t.version).where(t.version.c.source_id == source_id).order_by(t.version.c.n.desc()).limit(1))

    def current_versions(self, source_ids: Sequence[str], as_of: datetime | None = None) -> dict[str, Version]:
        """source id → the version that was current at `as_of` (default: the newest); sources without one are absent."""
        when = sa.func.coalesce(t.version.c.version_date, t.version.c.published_at, t.version.c.fetched_at)
        chosen: dict[str, str] = {}
        for part in batches(list(source_ids), PARAMETER_BATCH):
            v = t.version.c
            query = sa.select(v.source_id, v.id).where(v.source_id.in_(part)).order_by(v.source_id, when, v.n)  # without their texts
            if as_of is not None:
                query = query.where(when <= as_of)
            chosen.update({str(row[0]): str(row[1]) for row in self.connection.execute(query)})
        versions = self.versions_by_id(list(chosen.values()))
        return {source_id: versions[version_id] for source_id, version_id in chosen.items()}

    def add_chunks(self, chunks: Iterable[StoredChunk]) -> int:
        """Store chunks that are not there yet; how many were new."""
        return self.insert_new(t.chunk, [as_row(chunk) for chunk in chunks])

    def chunks(self, version_id: str) -> list[StoredChunk]:
        """The chunks of a version in order."""
        return self.many(StoredChunk, sa.select(t.chunk).where(t.chunk.c.version_id == version_id).order_by(t.chunk.c.ordinal))

    def chunks_by_id(self, ids: Sequence[str]) -> dict[str, StoredChunk]:
        """chunk id → chunk, for those that are there."""
        found = [
            c
            for part in batches(list(ids), PARAMETER_BATCH)
            for c in self.many(StoredChunk, sa.select(t.chunk).where(t.chunk.c.id.in_(part)))
        ]
        return {c.id: c for c in found}

    def set_outdated(self, version_ids: Sequence[str]) -> None:
        """These versions are no longer their source's newest: searches pass over their chunks, and summaries of them are marked."""
        flag_versions(self.connection, version_ids)
        for part in batches(list(version_ids), PARAMETER_BATCH):
            self.connection.execute(
                sa.update(t.chunk).where(t.chunk.c.version_id.in_(part), t.chunk.c.current.is_(True)).values(current=False)
            )

    def current_chunks(self, project_id: str, after_id: str = "", limit: int = 2000) -> list[StoredChunk]:
        """The chunks of newest versions by id, page after page."""
        query = sa.select(t.chunk).where(t.chunk.c.project_id == project_id, t.chunk.c.current.is_(True), t.chunk.c.id > after_id)
        return self.many(StoredChunk, query.order_by(t.chunk.c.id).limit(limit))

    def chunks_of(self, version_ids: Sequence[str]) -> list[StoredChunk]:
        """The chunks of these versions by id."""
        found = [
            c
            for part in batches(list(version_ids), PARAMETER_BATCH)
            for c in self.many(StoredChunk, sa.select(t.chunk).where(t.chunk.c.version_id.in_(part)))
        ]
        return sorted(found, key=lambda c: c.id)

    def passages_of(self, version_ids: Sequence[str]) -> list[PassageRef]:
        """The chunks of these versions by id, without their texts."""
        found = [ref for part in batches(list(version_ids), PARAMETER_BATCH) for ref in self._passages(t.chunk.c.version_id.in_(part))]
        return sorted(found, key=lambda ref: ref.id)

    def current_passages(self, project_id: str, after_id: str, limit: int) -> list[PassageRef]:
        """The chunks of newest versions by id, page after page, without their texts."""
        c = t.chunk.c
        return self._passages(sa.and_(c.project_id == project_id, c.current.is_(True), c.id > after_id), limit)

    def _passages(self, where: sa.ColumnElement[bool], limit: int | None = None) -> list[PassageRef]:
        c = t.chunk.c
        query = sa.select(c.id, c.version_id, c.source_id, c.text_sha256, c.current).where(where).order_by(c.id).limit(limit)
        return [PassageRef(*row) for row in self.connection.execute(query)]

    def versions_by_id(self, ids: Sequence[str]) -> dict[str, Version]:
        """version id → version, for those that are there."""
        found = [
            v
            for part in batches(list(ids), PARAMETER_BATCH)
            for v in self.many(Version, sa.select(t.version).where(t.version.c.id.in_(part)))
        ]
        return {v.id: v for v in found}

    def version_index(self, project_id: str) -> list[VersionEntry]:
        """Every version of the project without its text: by source, oldest first."""
        when = sa.func.coalesce(t.version.c.version_date, t.version.c.published_at, t.version.c.fetched_at)
        query = (
            sa.select(t.version.c.id, t.version.c.source_id, t.version.c.n, when.label("at"), t.version.c.withdrawn)
            .select_from(t.version.join(t.source))
            .where(t.source.c.project_id == project_id)
            .order_by(t.version.c.source_id, when, t.version.c.n)
        )
        return [VersionEntry(r.id, r.source_id, r.n, r.at, bool(r.withdrawn)) for r in self.connection.execute(query)]

    def drop_chunks(self, version_id: str) -> None:
        """Forget the chunks of a version, and with them their mentions."""
        self.connection.execute(sa.delete(t.chunk).where(t.chunk.c.version_id == version_id))

    def known_embeddings(self, embedder: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """text hash → vector bytes, for those computed before."""
        found: dict[str, bytes] = {}
        for part in batches(list(hashes), PARAMETER_BATCH):
            query = sa.select(t.embedding.c.text_sha256, t.embedding.c.vector).where(
                t.embedding.c.embedder == embedder, t.embedding.c.text_sha256.in_(part)
            )
            found.update({str(row[0]): bytes(row[1]) for row in self.connection.execute(query)})
        return found

    def embedded(self, embedder: str, hashes: Sequence[str]) -> set[str]:
        """Which of these texts have a vector, without reading it."""
        e = t.embedding.c
        query = sa.select(e.text_sha256).where(e.embedder == embedder)
        return {
            str(key)
            for part in batches(list(hashes), PARAMETER_BATCH)
            for key in self.connection.scalars(query.where(e.text_sha256.in_(part)))
        }

    def add_embeddings(self, embedder: str, vectors: dict[str, bytes]) -> None:
        """Keep vectors by text hash."""
        self.insert_new(t.embedding, [{"embedder": embedder, "text_sha256": key, "vector": value} for key, value in vectors.items()])

    def search_text(
        self, project_id: str, terms: Sequence[str], k: int, version_ids: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        """(chunk id, score) of chunks that hold any of the terms, best first: of newest versions, or of `version_ids`.

        Scores are comparable within one answer only.
        """
        words = [word for word in dict.fromkeys(terms) if word.strip()]
        if not words or (version_ids is not None and not version_ids):
            return []
        rows = (
            self._search_sqlite(project_id, words, k, version_ids)
            if self.is_sqlite
            else self._search_postgres(project_id, words, k, version_ids)
        )
        return [(str(key), float(score)) for key, score in rows]

    def _search_sqlite(self, project_id: str, words: Sequence[str], k: int, version_ids: Sequence[str] | None) -> Sequence[Any]:
        wanted = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        query = sa.text(
            "SELECT chunk.id, -bm25(chunk_fts, 0.5, 0.5, 1.0, 1.0) AS score FROM chunk_fts JOIN chunk ON chunk.no = chunk_fts.rowid "
            "WHERE chunk_fts MATCH :wanted AND chunk.project_id = :project"
            + (" AND chunk.version_id IN :versions" if version_ids is not None else " AND chunk.current")
            + " ORDER BY score DESC, chunk.id LIMIT :k"
        )
        values: dict[str, Any] = {"wanted": wanted, "project": project_id, "k": k}
        if version_ids is not None:
            query = query.bindparams(sa.bindparam("versions", expanding=True))
            values["versions"] = list(version_ids)
        return self.connection.execute(query, values).all()

    def _search_postgres(self, project_id: str, words: Sequence[str], k: int, version_ids: Sequence[str] | None) -> Sequence[Any]:
        query = sa.text(
            "SELECT id, ts_rank_cd("
            + POSTGRES_DOCUMENT
            + ", q, 1) AS score FROM chunk, (SELECT "
            + " || ".join(f"plainto_tsquery('english', :w{i})" for i in range(len(words)))
            + " AS q) AS query "
            "WHERE "
            + POSTGRES_DOCUMENT
            + " @@ q AND project_id = :project"
            + (" AND version_id = ANY(:versions)" if version_ids is not None else " AND current")
            + " ORDER BY score DESC, id LIMIT :k"
        )
        values: dict[str, Any] = {f"w{i}": word for i, word in enumerate(words)} | {"project": project_id, "k": k}
        return self.connection.execute(query, values | ({"versions": list(version_ids)} if version_ids is not None else {})).all()

    def counts(self, project_id: str) -> dict[str, int]:
        """How many sources, versions and chunks the project has."""
        sources = self.connection.scalar(sa.select(sa.func.count()).select_from(t.source).where(t.source.c.project_id == project_id))
        versions = self.connection.scalar(
            sa.select(sa.func.count()).select_from(t.version.join(t.source)).where(t.source.c.project_id == project_id)
        )
        chunks = self.connection.scalar(sa.select(sa.func.count()).select_from(t.chunk).where(t.chunk.c.project_id == project_id))
        return {"sources": sources or 0, "versions": versions or 0, "chunks": chunks or 0}


# The expression of the index ix_chunk_fts, to the letter: another one would be searched without it.
POSTGRES_DOCUMENT = "to_tsvector('english', label || ' ' || heading || ' ' || text || ' ' || bigrams)"
