"""What search reads in bulk: where each word stands, how long passages are, and which entities they mention; passages go by number."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

import sqlalchemy as sa

from beacon.domain.source import Source, Version
from beacon.stores.records import tables as t
from beacon.stores.records.engine import sqlite_library
from beacon.stores.records.rows import PARAMETER_BATCH, Noun, batches
from beacon.stores.records.sources import POSTGRES_DOCUMENT

TOKENIZER = "porter unicode61 remove_diacritics 2"  # of the table chunk_fts, to the letter
PAGE = 20_000  # rows fetched at once
WORD_BYTES = 6  # of English text, for the length of passages where the database does not keep it


class Postings(Noun):
    """The full-text index and the mentions, as numbers."""

    def state(self, project_id: str) -> tuple[int, int]:
        """Changes whenever passages, versions or mentions may have changed: every such change is told by an event."""
        events = self.connection.scalar(sa.select(sa.func.max(t.event.c.seq))) or 0
        chunks = self.connection.scalar(sa.select(sa.func.max(t.chunk.c.no))) or 0
        return int(events), int(chunks)

    def passages(self, project_id: str) -> Iterator[Sequence[Any]]:
        """(no, id, version id, source id, ordinal, heading, speaker, current) of every passage, by number."""
        c = t.chunk.c
        query = (
            sa.select(c.no, c.id, c.version_id, c.source_id, c.ordinal, c.heading, c.speaker, c.current)
            .where(c.project_id == project_id)
            .order_by(c.no)
        )
        yield from self._paged(query)

    def versions(self, project_id: str) -> Iterator[Sequence[Any]]:
        """(version id, source id, title, when it was current, withdrawn)."""
        v = t.version.c
        when = sa.func.coalesce(v.version_date, v.published_at, v.fetched_at, type_=t.Moment)
        query = sa.select(v.id, v.source_id, v.title, when, v.withdrawn).select_from(t.version.join(t.source))
        yield from self._paged(query.where(t.source.c.project_id == project_id).order_by(v.id))

    def sources(self, project_id: str) -> Iterator[Sequence[Any]]:
        """(id, url, participant, series, metadata) of every source."""
        s = t.source.c
        yield from self._paged(sa.select(s.id, s.url, s.participant, s.series, s["metadata"]).where(s.project_id == project_id))

    def questions(self, project_id: str, marks: Sequence[str]) -> list[int]:
        """Numbers of the spoken passages that end in one of these marks."""
        c = t.chunk.c
        ends = sa.or_(*(sa.func.rtrim(c.text).like("%" + mark) for mark in marks))
        query = sa.select(c.no).where(c.project_id == project_id, c.speaker != "", ends).order_by(c.no)
        return [int(no) for no in self.connection.scalars(query)]

    def lengths(self, project_id: str) -> Iterator[tuple[int, int]]:
        """(passage number, how many words the full-text index counts in it)."""
        if not self.is_sqlite:
            c = t.chunk.c
            query = sa.select(c.no, sa.func.length(c.text) / WORD_BYTES + 1).where(c.project_id == project_id)
            yield from ((int(no), int(size)) for no, size in self._paged(query))
            return
        counted = sa.text("SELECT d.id, d.sz FROM chunk_fts_docsize AS d JOIN chunk ON chunk.no = d.id WHERE chunk.project_id = :project")
        for no, sizes in self._paged(counted.bindparams(project=project_id)):
            yield int(no), _sum_of_varints(bytes(sizes))

    def stems(self, words: Sequence[str]) -> list[str]:
        """The terms these words are indexed under, each once, in order."""
        return list(_porter_terms(" ".join(words))) if self.is_sqlite else list(dict.fromkeys(words))

    def frequency(self, term: str) -> int:
        """How many passages hold the term, in all projects and versions; on PostgreSQL 1 for any, as counting costs what reading does."""
        if not self.is_sqlite:
            found = sa.text("SELECT 1 FROM chunk WHERE " + POSTGRES_DOCUMENT + " @@ plainto_tsquery('english', :term) LIMIT 1")
            return int(self.connection.scalar(found, {"term": term}) or 0)
        self._name_vocabulary("row")
        return int(self.connection.scalar(sa.text("SELECT doc FROM temp.chunk_words_row WHERE term = :term"), {"term": term}) or 0)

    def places(self, term: str, project_id: str) -> list[tuple[int, int]]:
        """(passage number, how often it holds the term), by number; of all projects on SQLite."""
        if self.is_sqlite:
            self._name_vocabulary("instance")
            query = sa.text("SELECT doc, count(*) FROM temp.chunk_words_instance WHERE term = :term GROUP BY doc ORDER BY doc")
            return [(int(no), int(n)) for no, n in self.connection.execute(query, {"term": term})]
        found = sa.text(
            "SELECT no FROM chunk WHERE project_id = :project AND "
            + POSTGRES_DOCUMENT
            + " @@ plainto_tsquery('english', :term) ORDER BY no"
        )
        return [(int(row[0]), 1) for row in self.connection.execute(found, {"project": project_id, "term": term})]

    def without_vector(self, project_id: str, embedder: str, limit: int) -> list[str]:
        """Ids of passages of newest versions, at most `limit`, that this embedder has given no vector yet; by number."""
        c, e = t.chunk.c, t.embedding.c
        has = sa.exists().where(e.embedder == embedder, e.text_sha256 == c.text_sha256)
        query = sa.select(c.id).where(c.project_id == project_id, c.current.is_(True), ~has).order_by(c.no).limit(limit)
        return [str(key) for key in self.connection.scalars(query)]

    def hashes(self, chunk_nos: Sequence[int]) -> dict[int, str]:
        """passage number → hash of its text, by which vectors are kept."""
        found: dict[int, str] = {}
        for part in batches(list(chunk_nos), PARAMETER_BATCH):
            rows = self.connection.execute(sa.select(t.chunk.c.no, t.chunk.c.text_sha256).where(t.chunk.c.no.in_(part)))
            found.update({int(no): str(key) for no, key in rows})
        return found

    def hit_versions(self, ids: Sequence[str]) -> dict[str, Version]:
        """version id → version without its blocks, which cost more to read than the rest."""
        columns = [column for column in t.version.c if column.name != "blocks"]
        found = [
            version
            for part in batches(list(ids), PARAMETER_BATCH)
            for version in self.many(Version, sa.select(*columns).where(t.version.c.id.in_(part)))
        ]
        return {version.id: version for version in found}

    def hit_sources(self, project_id: str, ids: Sequence[str]) -> dict[str, Source]:
        """source id → source of this project. Asked by id alone: with the project named too, SQLite reads all of its sources."""
        found = [
            source
            for part in batches(list(ids), PARAMETER_BATCH)
            for source in self.many(Source, sa.select(t.source).where(t.source.c.id.in_(part)))
        ]
        return {source.id: source for source in found if source.project_id == project_id}

    def texts(self, chunk_nos: Sequence[int]) -> dict[int, str]:
        """passage number → text."""
        found: dict[int, str] = {}
        for part in batches(list(chunk_nos), PARAMETER_BATCH):
            rows = self.connection.execute(sa.select(t.chunk.c.no, t.chunk.c.text).where(t.chunk.c.no.in_(part)))
            found.update({int(no): str(text) for no, text in rows})
        return found

    def entities(self, project_id: str) -> Iterator[Sequence[Any]]:
        """(id, name, aliases) of every entity, by id."""
        e = t.entity.c
        yield from self._paged(sa.select(e.id, e.name, e.aliases).where(e.project_id == project_id).order_by(e.id))

    def mentions(self, project_id: str) -> Iterator[Sequence[Any]]:
        """(entity id, passage number, start in the passage) of every mention in newest versions, by entity and place."""
        m = t.mention.c
        query = (
            sa.select(m.entity_id, t.chunk.c.no, m.start - t.chunk.c.start)
            .join(t.chunk, t.chunk.c.id == m.chunk_id)
            .where(m.project_id == project_id, t.chunk.c.current.is_(True))
            .order_by(m.entity_id, t.chunk.c.no, m.start)
        )
        yield from self._paged(query)

    def importance(self, project_id: str) -> list[tuple[str, float]]:
        """(version id, importance) of every citation of a memory that is believed."""
        m = t.memory.c
        rows = self.connection.execute(
            sa.select(m.importance, m.citations).where(m.project_id == project_id, m.status == "current").order_by(m.id)
        )
        return [
            (str(citation["version_id"]), float(value))
            for value, citations in rows
            for citation in citations or ()
            if citation.get("version_id")
        ]

    def _paged(self, query: Any) -> Iterator[Sequence[Any]]:
        result = self.connection.execute(query, execution_options={"yield_per": PAGE})
        for part in result.partitions(PAGE):
            yield from part

    def _name_vocabulary(self, kind: str) -> None:
        create = f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.chunk_words_{kind} USING fts5vocab('main', 'chunk_fts', '{kind}')"
        self.connection.exec_driver_sql(create)


def _sum_of_varints(data: bytes) -> int:
    """The sum of numbers kept as SQLite keeps them: seven bits a byte, the high bit on all but the last."""
    total = value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            total, value = total + value, 0
    return total


_scratch_lock = Lock()


@lru_cache(maxsize=1)
def _scratch() -> Any:
    connection = sqlite_library().connect(":memory:", check_same_thread=False)
    connection.execute(f"CREATE VIRTUAL TABLE said USING fts5(words, tokenize='{TOKENIZER}')")
    connection.execute("CREATE VIRTUAL TABLE term USING fts5vocab('said', 'instance')")
    return connection


@lru_cache(maxsize=1024)
def _porter_terms(text: str) -> tuple[str, ...]:
    """What the index's own tokenizer makes of the text."""
    with _scratch_lock:
        connection = _scratch()
        connection.execute("DELETE FROM said")
        connection.execute("INSERT INTO said (rowid, words) VALUES (1, ?)", (text,))
        rows = connection.execute("SELECT term FROM term ORDER BY offset").fetchall()
    return tuple(dict.fromkeys(str(row[0]) for row in rows))
