"""Documents into the record store: sources, versions, chunks, embeddings, entities, and the outbox rows that tell the projections.

Slow work (chunking, entities, vectors) happens outside transactions; each batch is then written in one short transaction,
so a batch is there whole or not at all, and reading the same documents again changes nothing.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from typing import Any

from beacon.domain.event import Event
from beacon.domain.ids import digest, id_of, make_id, mark
from beacon.domain.source import IncomingDocument, Source, StoredChunk, Version, VersionHead, pack_blocks
from beacon.errors import BeaconError
from beacon.ingest.crew import Crew, Job
from beacon.ingest.naming import NamedBatch, ShortForms, known_short_forms
from beacon.ingest.rows import Problem
from beacon.ingest.work import Work, Worked, work_out
from beacon.llm.embedding import stored_vector
from beacon.projections import embedder_key
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

BATCH_DOCUMENTS = 160
BATCH_CHARACTERS = 1_000_000
AHEAD = 2  # batches that are read and worked out while one is written,
AHEAD_CHARACTERS = 4_000_000  # if they are no larger
WORTH_HELP = 400_000  # characters to be worked out, from which other processes save more time than they take to start
CONVERSATION = "conversation"  # the kind of source whose passages are its turns
DESCRIBED = ("key", "url", "title", "kind", "participant", "segment", "series", "derived_from", "metadata")


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What reading some documents came to. The lists hold (source id, version id)."""

    new: tuple[tuple[str, str], ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    withdrawn: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()
    chunks: int = 0

    @property
    def source_ids(self) -> tuple[str, ...]:
        """Every source that was read, once, in order of reading."""
        return tuple(dict.fromkeys(source for source, _ in (*self.new, *self.changed, *self.same, *self.withdrawn)))


@dataclass(slots=True)
class _Prepared:
    """A document on its way into the store. `worked` is what its text came to, once that is known."""

    incoming: IncomingDocument
    source: Source
    sha256: str
    worked: Worked | None = None

    def work(self) -> Work | None:
        """What there is to work out; None for a withdrawal."""
        document = self.incoming.document
        if document is None:
            return None
        return Work(document.text, document.blocks, self.incoming.title, self.incoming.kind == CONVERSATION)


@dataclass(slots=True)
class _Pending:
    """A batch that is being worked out: what to write, and the jobs that the documents in `fresh` are part of."""

    prepared: list[_Prepared]
    fresh: list[_Prepared]
    jobs: list[Job]
    now: datetime

    @property
    def size(self) -> int:
        """Characters to be worked out."""
        return sum(len(work.text) for job in self.jobs for work in job.works)


@dataclass(slots=True)
class _Tally:
    new: list[tuple[str, str]] = field(default_factory=list)
    changed: list[tuple[str, str]] = field(default_factory=list)
    same: list[tuple[str, str]] = field(default_factory=list)
    withdrawn: list[tuple[str, str]] = field(default_factory=list)
    chunks: int = 0


def ingest_documents(
    ws: Workspace, documents: Iterable[IncomingDocument], *, origin: str, topic_id: str = "", after_batch: Callable[[], None] | None = None
) -> IngestReport:
    """What became of each document. Documents of one key must come oldest version first; `after_batch` runs after each commit."""
    with ws.records.read() as tx:
        known = known_short_forms(tx, ws.project_id)
    with Crew(ws.settings.home, known) as crew:
        ingest = _Ingest(ws, crew, known, origin, topic_id, after_batch)
        ingest.run(_batches(documents))
    tally = ingest.tally
    return IngestReport(tuple(tally.new), tuple(tally.changed), tuple(tally.same), tuple(tally.withdrawn), (), tally.chunks)


def storable(value: Any) -> Any:
    """The value as every database takes it: halves of character pairs are spelled out, NUL is left out, NaN is a word."""
    if isinstance(value, str):
        return value if value.isascii() and "\0" not in value else value.encode("utf-8", "backslashreplace").decode().replace("\0", "")
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list | tuple) else value


def _batches(documents: Iterable[IncomingDocument]) -> Iterator[list[IncomingDocument]]:
    """Runs of documents of bounded size in which no source comes twice: a version must be stored before the next is compared."""
    batch: list[IncomingDocument] = []
    size, keys = 0, set[str]()
    for given in documents:
        incoming = replace(given, **{name: storable(getattr(given, name)) for name in DESCRIBED})
        if batch and (len(batch) >= BATCH_DOCUMENTS or size >= BATCH_CHARACTERS or incoming.key in keys):
            yield batch
            batch, size, keys = [], 0, set()
        batch.append(incoming)
        keys.add(incoming.key)
        size += len(incoming.document.text) if incoming.document else 0
    if batch:
        yield batch


class _Ingest:
    """One reading of documents: batches are worked out ahead of the one that is written."""

    def __init__(
        self, ws: Workspace, crew: Crew, known: dict[str, str], origin: str, topic_id: str, after_batch: Callable[[], None] | None
    ) -> None:
        self.tally = _Tally()
        self._ws, self._crew, self._known, self._origin, self._topic_id = ws, crew, known, origin, topic_id
        self._after_batch = after_batch
        self._short_forms = ShortForms()
        self._pending: deque[_Pending] = deque()

    def run(self, batches: Iterator[list[IncomingDocument]]) -> None:
        """Store every batch, oldest first. When reading fails, what was read before is stored first."""
        failure: BeaconError | None = None
        while failure is None:
            try:
                batch = next(batches, None)
            except BeaconError as error:
                failure = error
                break
            if batch is None:
                break
            self._pending.append(self._begin(batch))
            size = sum(pending.size for pending in self._pending)
            if size > WORTH_HELP:
                self._crew.hire(embedder_key(self._ws))
            if len(self._pending) > AHEAD or size > AHEAD_CHARACTERS:
                self._write(self._pending.popleft())
        while self._pending:
            self._write(self._pending.popleft())
        if failure is not None:
            raise failure

    def _begin(self, batch: Sequence[IncomingDocument]) -> _Pending:
        now = self._ws.clock()
        prepared = [_describe(self._ws, incoming, now) for incoming in batch]
        with self._ws.records.read() as tx:
            heads = tx.sources.heads([item.source.id for item in prepared])
        fresh = [item for item in prepared if _find_same(item, heads.get(item.source.id, [])) is None and item.work()]
        return _Pending(prepared, fresh, self._crew.submit([work for item in fresh if (work := item.work())]), now)

    def _write(self, pending: _Pending) -> None:
        for item, worked in zip(pending.fresh, self._crew.finish(pending.jobs), strict=True):
            item.worked = worked
        vectors = _vectors(self._ws, pending.fresh)
        written = _Batch(self._ws, self._origin, self._topic_id, pending.now, self._short_forms)
        with self._ws.records.write() as tx:
            heads = tx.sources.heads([item.source.id for item in pending.prepared])  # again: there may be new ones meanwhile
            for item in pending.prepared:
                found = heads.get(item.source.id, [])
                if item.worked is None and (work := item.work()) and _find_same(item, found) is None:
                    item.worked = work_out(work, self._known)  # what was the newest text when we looked is no longer
                written.take(item, found, self.tally)
            if vectors:
                tx.sources.add_embeddings(embedder_key(self._ws), vectors)
            written.store(tx)
        self.tally.chunks += len(written.chunks)
        if self._after_batch is not None:
            self._after_batch()


def _describe(ws: Workspace, incoming: IncomingDocument, now: datetime) -> _Prepared:
    source = Source(
        id=make_id("src", ws.project_id, incoming.key),
        project_id=ws.project_id,
        key=incoming.key,
        url=incoming.url,
        title=incoming.title,
        created_at=now,
        kind=incoming.kind,
        role=incoming.role,
        voice=incoming.voice,
        participant=incoming.participant,
        segment=incoming.segment,
        series=incoming.series,
        derived_from=incoming.derived_from,
        status="withdrawn" if incoming.withdrawn else "current",
        metadata=incoming.metadata,
    )
    return _Prepared(incoming, source, digest(incoming.document.text) if incoming.document else "")


def _find_same(item: _Prepared, heads: Sequence[VersionHead]) -> VersionHead | None:
    """The stored version that already says this: the newest with the same text, or any with the same text and date."""
    if not heads:
        return None
    if item.incoming.withdrawn:
        return heads[-1] if heads[-1].withdrawn else None
    if heads[-1].sha256 == item.sha256 and not heads[-1].withdrawn:
        return heads[-1]
    date = item.incoming.version_date
    return next((v for v in heads if date is not None and v.version_date == date and v.sha256 == item.sha256), None)


def _stored_chunks(ws: Workspace, item: _Prepared, version: Version, worked: Worked, newest: bool) -> Iterator[StoredChunk]:
    label, of_version = _label(item.incoming), mark(version.id)
    for ordinal, passage in enumerate(worked.passages):
        yield StoredChunk(
            id=id_of("chk", of_version + mark(passage.start, passage.end)),
            project_id=ws.project_id,
            version_id=version.id,
            source_id=item.source.id,
            ordinal=ordinal,
            start=passage.start,
            end=passage.end,
            text=version.text[passage.start : passage.end],
            heading=passage.heading,
            speaker=passage.speaker,
            label=f"{label} — {passage.speaker}" if passage.speaker else label,
            bigrams=passage.bigrams,
            text_sha256=passage.sha256,
            current=newest,
        )


def _label(incoming: IncomingDocument) -> str:
    """What a chunk is found by beside its words: the date as digits and as words, and the title."""
    date = incoming.version_date or incoming.published_at
    return f"{date:%Y-%m-%d} {date:%B %Y} {incoming.title}" if date else incoming.title


def _vectors(ws: Workspace, fresh: Sequence[_Prepared]) -> dict[str, bytes]:
    """text hash → vector, for the texts that were never embedded before."""
    texts: dict[str, str] = {}
    found: dict[str, bytes] = {}
    for item in fresh:
        if item.worked and item.incoming.document:
            texts |= {p.sha256: item.incoming.document.text[p.start : p.end] for p in item.worked.passages}
            found |= {p.sha256: vector for p, vector in zip(item.worked.passages, item.worked.vectors, strict=False)}
    if not texts:
        return {}
    with ws.records.read() as tx:
        known = tx.sources.embedded(embedder_key(ws), list(texts))
    missing = [key for key in texts if key not in known and key not in found]
    matrix = ws.embedder.embed([texts[key] for key in missing]) if missing else ()
    found |= {key: stored_vector(row) for key, row in zip(missing, matrix, strict=True)}
    return {key: vector for key, vector in found.items() if key not in known}


class _Batch:
    """The rows of one batch, gathered and then written table by table."""

    def __init__(self, ws: Workspace, origin: str, topic_id: str, now: datetime, short_forms: ShortForms) -> None:
        self._ws, self._origin, self._topic_id, self._now = ws, origin, topic_id, now
        self._linked: list[str] = []
        self._sources: list[Source] = []
        self._versions: list[Version] = []
        self._outdated: list[str] = []
        self._events: list[Event] = []
        self.chunks: list[StoredChunk] = []
        self._named = NamedBatch(ws.project_id, short_forms)

    def take(self, item: _Prepared, heads: Sequence[VersionHead], tally: _Tally) -> None:
        """Decide what becomes of a document, and gather its rows."""
        if not heads and item.incoming.withdrawn:
            return  # never read: there is nothing to withdraw
        self._linked.append(item.source.id)
        same = _find_same(item, heads)
        if same is not None:
            (tally.withdrawn if same.withdrawn else tally.same).append((item.source.id, same.id))
            return
        version = _version(item, heads, self._now)
        newest = not any((head.dated, head.n) > (version.dated, version.n) for head in heads)
        if newest:
            self._outdated += [head.id for head in heads]
        self._sources.append(item.source)
        self._versions.append(version)
        self._events.append(_event(self._ws, item, version, self._origin, self._now))
        self._take_text(item, version, newest)
        listed = tally.withdrawn if version.withdrawn else tally.changed if heads else tally.new
        listed.append((item.source.id, version.id))

    def _take_text(self, item: _Prepared, version: Version, newest: bool) -> None:
        document, worked = item.incoming.document, item.worked
        if document is None or worked is None:
            return
        chunks = list(_stored_chunks(self._ws, item, version, worked, newest))
        self.chunks += chunks
        self._named.take(document.text, worked, chunks, version.dated)

    def store(self, tx: Tx) -> None:
        """Write everything that was gathered."""
        tx.sources.put_sources(self._sources)
        tx.sources.add_versions(self._versions)
        tx.sources.set_outdated(self._outdated)
        tx.sources.add_chunks(self.chunks)
        if self._topic_id:
            tx.topics.link_sources(self._topic_id, self._linked, self._origin)
        moved = self._named.store(tx)
        tx.events.append(*self._events)
        touched = [*self._outdated, *(version.id for version in self._versions)]
        tx.outbox.add(self._ws.project_id, "vectors", "sync", "version", touched, self._now)
        tx.outbox.add(self._ws.project_id, "derived", "sync", "version", touched, self._now)
        if self._ws.settings.neo4j_url:
            drawn = list(dict.fromkeys([*(version.id for version in self._versions), *moved]))
            tx.outbox.add(self._ws.project_id, "graph", "sync", "version", drawn, self._now)


def _current_from(incoming: IncomingDocument, heads: Sequence[VersionHead], now: datetime) -> datetime | None:
    """When the text became current, where its own dates do not say: an undated one that follows others when it was seen, and after them.

    A page's date of publication stays as it is when the page is edited, and a clock may have been set back.
    """
    if incoming.version_date or not heads:
        return incoming.version_date
    latest = max(head.dated for head in heads)
    published = incoming.published_at or (incoming.document.published_at if incoming.document else None)
    return None if published and published > latest else max(now, latest)


def _version(item: _Prepared, heads: Sequence[VersionHead], now: datetime) -> Version:
    incoming, document = item.incoming, item.incoming.document
    n = len(heads) + 1
    return Version(
        id=make_id("ver", item.source.id, n, item.sha256),
        source_id=item.source.id,
        n=n,
        sha256=item.sha256,
        text=document.text if document else "",
        title=incoming.title,
        media_type=document.media_type if document else "",
        fetched_at=now,
        language=document.language if document else "",
        blocks=pack_blocks(document.blocks) if document else [],
        metadata={**(document.metadata if document else {}), **incoming.metadata},
        version_date=_current_from(incoming, heads, now),
        published_at=incoming.published_at or (document.published_at if document else None),
        withdrawn=document is None,
    )


def _event(ws: Workspace, item: _Prepared, version: Version, origin: str, now: datetime) -> Event:
    verb = "withdrawn" if version.withdrawn else "ingested"
    passages = len(item.worked.passages) if item.worked else 0
    return Event(
        id=make_id("evt", ws.project_id, f"source_{verb}", version.id),
        project_id=ws.project_id,
        type=f"source_{verb}",
        at=now,
        recorded_at=now,
        text=f"{item.incoming.title} was {'withdrawn' if version.withdrawn else 'read'} (version {version.n}).",
        channel="ingest",
        payload={
            "source_id": item.source.id,
            "version_id": version.id,
            "n": version.n,
            "chunks": passages,
            "origin": origin,
        },
    )
