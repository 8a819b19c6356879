"""Documents into the record store: sources, versions, chunks, embeddings, entities, and the outbox rows that tell the projections.

Slow work (chunking, entities, vectors) happens outside transactions; each batch is then written in one short transaction,
so a batch is there whole or not at all, and reading the same documents again changes nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import fold, tokenize
from beacon.domain.event import Event
from beacon.domain.graph import EntityMention
from beacon.domain.ids import digest, make_id
from beacon.domain.source import Chunk, Document, IncomingDocument, Source, StoredChunk, Version, pack_blocks
from beacon.ingest.chunk import chunk_document
from beacon.ingest.entities import extract_document
from beacon.ingest.rows import Problem
from beacon.projections import embedder_key
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 600_000
MAX_ENTITIES_A_SENTENCE = 8  # beyond that a sentence is a list, and pairs from it say nothing
CONVERSATION = "conversation"  # the kind of source whose passages are its turns
FIRST_UNSPACED = "\u0e00"


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
    """A document on its way into the store, with all that was worked out from its text."""

    incoming: IncomingDocument
    source: Source
    sha256: str
    chunks: list[StoredChunk] = field(default_factory=list)
    mentions: list[EntityMention] = field(default_factory=list)
    sentences: list[tuple[int, int]] = field(default_factory=list)


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
    tally = _Tally()
    for batch in _batches(documents):
        _ingest_batch(ws, batch, origin, topic_id, tally)
        if after_batch is not None:
            after_batch()
    return IngestReport(tuple(tally.new), tuple(tally.changed), tuple(tally.same), tuple(tally.withdrawn), (), tally.chunks)


def _batches(documents: Iterable[IncomingDocument]) -> Iterator[list[IncomingDocument]]:
    """Runs of documents of bounded size in which no source comes twice: a version must be stored before the next is compared."""
    batch: list[IncomingDocument] = []
    size, keys = 0, set[str]()
    for incoming in documents:
        if batch and (len(batch) >= BATCH_DOCUMENTS or size >= BATCH_CHARACTERS or incoming.key in keys):
            yield batch
            batch, size, keys = [], 0, set()
        batch.append(incoming)
        keys.add(incoming.key)
        size += len(incoming.document.text) if incoming.document else 0
    if batch:
        yield batch


def _ingest_batch(ws: Workspace, batch: Sequence[IncomingDocument], origin: str, topic_id: str, tally: _Tally) -> None:
    now = ws.clock()
    prepared = [_describe(ws, incoming, now) for incoming in batch]
    with ws.records.read() as tx:
        fresh = [item for item in prepared if _find_same(tx, item) is None]
    for item in fresh:
        _work_out(ws, item)
    vectors = _vectors(ws, fresh)
    with ws.records.write() as tx:
        if vectors:
            tx.sources.add_embeddings(embedder_key(ws), vectors)
        for item in prepared:
            _store(ws, tx, item, origin, topic_id, now, tally)


def _describe(ws: Workspace, incoming: IncomingDocument, now: datetime) -> _Prepared:
    source = Source(
        id=make_id("src", ws.project_id, incoming.key), project_id=ws.project_id, key=incoming.key, url=incoming.url, title=incoming.title,
        created_at=now, kind=incoming.kind, role=incoming.role, voice=incoming.voice, participant=incoming.participant, segment=incoming.segment,
        series=incoming.series, derived_from=incoming.derived_from, status="withdrawn" if incoming.withdrawn else "current", metadata=incoming.metadata,
    )  # fmt: skip
    return _Prepared(incoming, source, digest(incoming.document.text) if incoming.document else "")


def _find_same(tx: Tx, item: _Prepared) -> Version | None:
    """The stored version that already says this: the newest with the same text, or any with the same text and date."""
    versions = tx.sources.versions(item.source.id)
    if not versions:
        return None
    if item.incoming.withdrawn:
        return next((v for v in reversed(versions) if v.withdrawn), None)
    if versions[-1].sha256 == item.sha256 and not versions[-1].withdrawn:
        return versions[-1]
    date = item.incoming.version_date
    return next((v for v in versions if date is not None and v.version_date == date and v.sha256 == item.sha256), None)


def _work_out(ws: Workspace, item: _Prepared) -> None:
    document = item.incoming.document
    if document is None:
        return
    label = _label(item.incoming)
    for chunk in turn_chunks(document) if item.incoming.kind == CONVERSATION else chunk_document(document):
        words = f"{label} — {chunk.speaker}" if chunk.speaker else label
        item.chunks.append(
            StoredChunk(
                id="", project_id=ws.project_id, version_id="", source_id=item.source.id, ordinal=chunk.ordinal, start=chunk.start, end=chunk.end,
                text=chunk.text, heading=chunk.heading, speaker=chunk.speaker, label=words, bigrams=_unspaced_tokens(chunk.text),
                text_sha256=digest(chunk.text),
            )
        )  # fmt: skip
    item.mentions = extract_document(document.text, [(c.start, c.end) for c in item.chunks], item.incoming.title)
    item.sentences = split_sentences(document.text)


def turn_chunks(document: Document) -> Iterator[Chunk]:
    """One chunk a turn, under the date it was said."""
    for ordinal, block in enumerate(document.blocks):
        yield Chunk(block.start, block.end, document.text[block.start : block.end], ordinal, " ".join(block.path), block.speaker)


def _label(incoming: IncomingDocument) -> str:
    """What a chunk is found by beside its words: the date as digits and as words, and the title."""
    date = incoming.version_date or incoming.published_at
    return f"{date:%Y-%m-%d} {date:%B %Y} {incoming.title}" if date else incoming.title


def _unspaced_tokens(text: str) -> str:
    if text.isascii():
        return ""
    return " ".join(token for token in tokenize(text) if token[0] >= FIRST_UNSPACED)


def _vectors(ws: Workspace, fresh: Sequence[_Prepared]) -> dict[str, bytes]:
    """text hash → vector, for the texts that were never embedded before."""
    texts = {chunk.text_sha256: chunk.text for item in fresh for chunk in item.chunks}
    if not texts:
        return {}
    with ws.records.read() as tx:
        known = tx.sources.known_embeddings(embedder_key(ws), list(texts))
    missing = [key for key in texts if key not in known]
    if not missing:
        return {}
    matrix = ws.embedder.embed([texts[key] for key in missing])
    return {key: row.astype("<f4").tobytes() for key, row in zip(missing, matrix, strict=True)}


def _store(ws: Workspace, tx: Tx, item: _Prepared, origin: str, topic_id: str, now: datetime, tally: _Tally) -> None:
    known = tx.sources.versions(item.source.id)
    same = _find_same(tx, item)
    if not known and item.incoming.withdrawn:
        return  # never read: there is nothing to withdraw
    if topic_id and known:
        tx.topics.link_source(topic_id, item.source.id, origin)
    if same is not None:
        (tally.withdrawn if same.withdrawn else tally.same).append((item.source.id, same.id))
        return
    tx.sources.put_source(item.source)
    if topic_id:
        tx.topics.link_source(topic_id, item.source.id, origin)
    version = _version(item, known, now)
    tx.sources.add_version(version)
    newest = _is_newest(ws, tx, known, version, now)
    item.chunks = [_placed(chunk, version, newest) for chunk in item.chunks]
    tally.chunks += tx.sources.add_chunks(item.chunks)
    _store_entities(ws, tx, item, version)
    _tell(ws, tx, item, version, origin, now)
    if version.withdrawn:
        tally.withdrawn.append((item.source.id, version.id))
    else:
        (tally.changed if known else tally.new).append((item.source.id, version.id))


def _version(item: _Prepared, known: Sequence[Version], now: datetime) -> Version:
    incoming, document = item.incoming, item.incoming.document
    n = len(known) + 1
    return Version(
        id=make_id("ver", item.source.id, n, item.sha256), source_id=item.source.id, n=n, sha256=item.sha256,
        text=document.text if document else "", title=incoming.title, media_type=document.media_type if document else "",
        fetched_at=now, language=document.language if document else "", blocks=pack_blocks(document.blocks) if document else [],
        metadata={**(document.metadata if document else {}), **incoming.metadata}, version_date=incoming.version_date,
        published_at=incoming.published_at or (document.published_at if document else None), withdrawn=document is None,
    )  # fmt: skip


def _is_newest(ws: Workspace, tx: Tx, known: Sequence[Version], version: Version, now: datetime) -> bool:
    """Whether this version is the newest by date, whatever the order of arrival; the one it replaces leaves the searches."""
    if any((old.dated, old.n) > (version.dated, version.n) for old in known):
        return False
    for old in known:
        tx.sources.set_current(old.id, False)
        tx.outbox.add(ws.project_id, "vectors", "sync", "version", [old.id], now)
    return True


def _placed(chunk: StoredChunk, version: Version, newest: bool) -> StoredChunk:
    return replace(chunk, id=make_id("chk", version.id, chunk.start, chunk.end), version_id=version.id, current=newest)


def _tell(ws: Workspace, tx: Tx, item: _Prepared, version: Version, origin: str, now: datetime) -> None:
    tx.outbox.add(ws.project_id, "vectors", "sync", "version", [version.id], now)
    if ws.settings.neo4j_url:
        tx.outbox.add(ws.project_id, "graph", "sync", "version", [version.id], now)
    verb = "withdrawn" if version.withdrawn else "ingested"
    tx.events.append(
        Event(
            id=make_id("evt", ws.project_id, f"source_{verb}", version.id), project_id=ws.project_id, type=f"source_{verb}", at=now, recorded_at=now,
            text=f"{item.incoming.title} was {'withdrawn' if version.withdrawn else 'read'} (version {version.n}).", channel="ingest",
            payload={"source_id": item.source.id, "version_id": version.id, "n": version.n, "chunks": len(item.chunks), "origin": origin},
        )
    )  # fmt: skip


def _store_entities(ws: Workspace, tx: Tx, item: _Prepared, version: Version) -> None:
    placed = list(_place_mentions(ws, item, version))
    names = {row["entity_id"]: mention for mention, row in placed}
    tx.entities.add_entities(
        {"id": key, "project_id": ws.project_id, "key": fold(m.name), "name": m.name, "type": m.type, "aliases": []}
        for key, m in names.items()
    )
    _learn_aliases(tx, placed)
    tx.entities.add_mentions(row for _, row in placed)
    relations, evidence = _relations(ws, item, version, [row for _, row in placed])
    tx.entities.add_relations(relations, evidence)


def _place_mentions(ws: Workspace, item: _Prepared, version: Version) -> Iterator[tuple[EntityMention, dict[str, object]]]:
    at = 0
    for mention in sorted(item.mentions, key=lambda m: (m.start, m.end)):
        while at < len(item.chunks) and item.chunks[at].end <= mention.start:
            at += 1
        if at == len(item.chunks) or mention.start < item.chunks[at].start or mention.end > item.chunks[at].end:
            continue
        chunk = item.chunks[at]
        entity_id = make_id("ent", ws.project_id, fold(mention.name))
        yield mention, {
            "id": make_id("mnt", entity_id, version.id, mention.start), "project_id": ws.project_id, "entity_id": entity_id, "chunk_id": chunk.id,
            "version_id": version.id, "source_id": item.source.id, "start": mention.start, "end": mention.end, "surface": mention.surface,
        }  # fmt: skip


def _learn_aliases(tx: Tx, placed: Sequence[tuple[EntityMention, dict[str, object]]]) -> None:
    """Add the other spellings this document used to what each entity is also called."""
    spelled: dict[str, set[str]] = {}
    for mention, row in placed:
        if mention.surface != mention.name:
            spelled.setdefault(str(row["entity_id"]), set()).add(mention.surface)
    for key, row in tx.entities.known(list(spelled)).items():
        merged = sorted({*row["aliases"], *spelled[key]} - {row["name"]})
        if merged != sorted(row["aliases"]):
            tx.entities.set_aliases(key, merged)


def _relations(
    ws: Workspace, item: _Prepared, version: Version, mentions: Sequence[dict[str, object]]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Which entities share a sentence: relation rows, and the sentences as their evidence."""
    relations: dict[str, dict[str, object]] = {}
    evidence: list[dict[str, object]] = []
    at = 0
    for start, end in item.sentences:
        here: dict[str, dict[str, object]] = {}
        while at < len(mentions) and int(str(mentions[at]["start"])) < end:
            if int(str(mentions[at]["start"])) >= start:
                here.setdefault(str(mentions[at]["entity_id"]), mentions[at])
            at += 1
        if not 2 <= len(here) <= MAX_ENTITIES_A_SENTENCE:
            continue
        for head, tail in combinations(sorted(here), 2):
            key = make_id("rel", ws.project_id, head, tail, "co_occurs")
            relations[key] = {"id": key, "project_id": ws.project_id, "head_id": head, "tail_id": tail, "kind": "co_occurs"}
            evidence.append({"relation_id": key, "chunk_id": here[head]["chunk_id"], "start": start, "end": end, "at": version.dated})
    return list(relations.values()), evidence
