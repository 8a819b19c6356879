"""Documents into the record store: sources, versions, chunks, embeddings, entities, and the outbox rows that tell the projections.

Slow work (chunking, entities, vectors) happens outside transactions; each batch is then written in one short transaction,
so a batch is there whole or not at all, and reading the same documents again changes nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations
from math import isfinite
from typing import Any

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import tokenize
from beacon.domain.event import Event
from beacon.domain.graph import EntityMention
from beacon.domain.ids import digest, make_id
from beacon.domain.source import Chunk, Document, IncomingDocument, Source, StoredChunk, Version, VersionHead, pack_blocks
from beacon.ingest.chunk import chunk_document
from beacon.ingest.entities import entity_key, read_entities
from beacon.ingest.entity_aliases import is_short_form
from beacon.ingest.rows import Problem
from beacon.projections import embedder_key
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

BATCH_DOCUMENTS = 160
BATCH_CHARACTERS = 1_000_000
MAX_ENTITIES_A_SENTENCE = 8  # beyond that a sentence is a list, and pairs from it say nothing
CONVERSATION = "conversation"  # the kind of source whose passages are its turns
TOLD_WEIGHT = 12  # mentions of a guessed type that one mention outweighs whose document tells the type
FIRST_UNSPACED = "\u0e00"
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
    """A document on its way into the store, with all that was worked out from its text."""

    incoming: IncomingDocument
    source: Source
    sha256: str
    chunks: list[StoredChunk] = field(default_factory=list)
    mentions: list[EntityMention] = field(default_factory=list)
    told: frozenset[str] = frozenset()
    short_forms: dict[str, str] = field(default_factory=dict)
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


def _ingest_batch(ws: Workspace, batch: Sequence[IncomingDocument], origin: str, topic_id: str, tally: _Tally) -> None:
    now = ws.clock()
    prepared = [_describe(ws, incoming, now) for incoming in batch]
    ids = [item.source.id for item in prepared]
    with ws.records.read() as tx:
        heads = tx.sources.heads(ids)
        aliases = _known_aliases(tx, ws.project_id)
    fresh = [item for item in prepared if _find_same(item, heads.get(item.source.id, [])) is None]
    for item in fresh:
        _work_out(ws, item, aliases)
    vectors = _vectors(ws, fresh)
    with ws.records.write() as tx:
        heads = tx.sources.heads(ids)  # again: another process may have stored one meanwhile
        written = _Batch(ws, origin, topic_id, now)
        for item in prepared:
            written.take(item, heads.get(item.source.id, []), tally)
        if vectors:
            tx.sources.add_embeddings(embedder_key(ws), vectors)
        written.store(tx)
        tally.chunks += len(written.chunks)


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


def _known_aliases(tx: Tx, project_id: str) -> dict[str, str]:
    """Short form → full name, for the short forms of the project that stand for one name only."""
    spelled: dict[str, set[str]] = {}
    for name, aliases in tx.entities.aliased(project_id):
        for alias in aliases:
            if is_short_form(alias, name):
                spelled.setdefault(alias, set()).add(name)
    return {short: names.pop() for short, names in spelled.items() if len(names) == 1}


def _work_out(ws: Workspace, item: _Prepared, aliases: dict[str, str]) -> None:
    document = item.incoming.document
    if document is None:
        return
    label = _label(item.incoming)
    for chunk in turn_chunks(document) if item.incoming.kind == CONVERSATION else chunk_document(document):
        words = f"{label} — {chunk.speaker}" if chunk.speaker else label
        item.chunks.append(
            StoredChunk(
                id="",
                project_id=ws.project_id,
                version_id="",
                source_id=item.source.id,
                ordinal=chunk.ordinal,
                start=chunk.start,
                end=chunk.end,
                text=chunk.text,
                heading=chunk.heading,
                speaker=chunk.speaker,
                label=words,
                bigrams=_unspaced_tokens(chunk.text),
                text_sha256=digest(chunk.text),
            )
        )
    read = read_entities(document.text, [(c.start, c.end) for c in item.chunks], item.incoming.title, known_aliases=aliases)
    item.mentions, item.told, item.short_forms = list(read.mentions), read.told, dict(read.short_forms)
    for short, full in read.short_forms.items():
        aliases.setdefault(short, full)
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


class _Batch:
    """The rows of one batch, gathered and then written table by table."""

    def __init__(self, ws: Workspace, origin: str, topic_id: str, now: datetime) -> None:
        self._ws, self._origin, self._topic_id, self._now = ws, origin, topic_id, now
        self._linked: list[str] = []
        self._sources: list[Source] = []
        self._versions: list[Version] = []
        self._outdated: list[str] = []
        self._events: list[Event] = []
        self.chunks: list[StoredChunk] = []
        self._placed: list[tuple[EntityMention, dict[str, Any]]] = []
        self._types: dict[str, Counter[str]] = {}
        self._short_forms: dict[str, set[str]] = {}
        self._relations: dict[str, dict[str, Any]] = {}
        self._evidence: list[dict[str, Any]] = []
        self._moved: list[str] = []

    def take(self, item: _Prepared, heads: Sequence[VersionHead], tally: _Tally) -> None:
        """Decide what becomes of a document, and gather its rows."""
        if not heads and item.incoming.withdrawn:
            return  # never read: there is nothing to withdraw
        self._linked.append(item.source.id)
        same = _find_same(item, heads)
        if same is not None:
            (tally.withdrawn if same.withdrawn else tally.same).append((item.source.id, same.id))
            return
        version = _version(item, len(heads) + 1, self._now)
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
        item.chunks = [
            replace(c, id=make_id("chk", version.id, c.start, c.end), version_id=version.id, current=newest) for c in item.chunks
        ]
        self.chunks += item.chunks
        placed = list(_place_mentions(self._ws, item, version))
        self._placed += placed
        for mention, row in placed:
            votes = self._types.setdefault(str(row["entity_id"]), Counter())
            votes[mention.type] += TOLD_WEIGHT if mention.name in item.told else 1
        for short, full in item.short_forms.items():
            self._short_forms.setdefault(short, set()).add(full)
        relations, evidence = _relations(self._ws, item, version, [row for _, row in placed])
        self._relations |= relations
        self._evidence += evidence

    def store(self, tx: Tx) -> None:
        """Write everything that was gathered."""
        tx.sources.put_sources(self._sources)
        tx.sources.add_versions(self._versions)
        tx.sources.set_outdated(self._outdated)
        tx.sources.add_chunks(self.chunks)
        if self._topic_id:
            tx.topics.link_sources(self._topic_id, self._linked, self._origin)
        self._store_entities(tx)
        tx.events.append(*self._events)
        touched = [*self._outdated, *(version.id for version in self._versions)]
        tx.outbox.add(self._ws.project_id, "vectors", "sync", "version", touched, self._now)
        tx.outbox.add(self._ws.project_id, "derived", "sync", "version", touched, self._now)
        if self._ws.settings.neo4j_url:
            drawn = list(dict.fromkeys([*(version.id for version in self._versions), *self._moved]))
            tx.outbox.add(self._ws.project_id, "graph", "sync", "version", drawn, self._now)

    def _store_entities(self, tx: Tx) -> None:
        named = {str(row["entity_id"]): mention for mention, row in self._placed}
        types = {key: kind for key, votes in self._types.items() if (kind := _shown(votes))}
        project = self._ws.project_id
        tx.entities.add_entities(
            {"id": key, "project_id": project, "key": entity_key(m.name), "name": m.name, "type": types.get(key, "other"), "aliases": []}
            for key, m in named.items()
        )
        tx.entities.set_types(types)
        _learn_aliases(tx, self._placed)
        tx.entities.add_mentions(row for _, row in self._placed)
        tx.entities.add_relations(self._relations.values(), self._evidence)
        self._merge_short_forms(tx)

    def _merge_short_forms(self, tx: Tx) -> None:
        """What stood under its short form alone, here or in earlier documents, joins the name that a document now gave it."""
        ids = {
            short: [make_id("ent", self._ws.project_id, entity_key(name)) for name in (short, *full)]
            for short, full in sorted(self._short_forms.items())
            if len(full) == 1
        }
        there = tx.entities.known(sorted({key for pair in ids.values() for key in pair}))
        for key, full_id in ids.values():
            if key in there and full_id in there:
                self._moved += tx.entities.merge(self._ws.project_id, key, full_id)


def _shown(votes: Counter[str]) -> str:
    """The type with most votes beside "other", the first by name on a tie; "" where it is the word of too few mentions."""
    kind = min((kind for kind in votes if kind != "other"), key=lambda kind: (-votes[kind], kind), default="")
    return kind if votes[kind] * TOLD_WEIGHT >= votes["other"] else ""


def _version(item: _Prepared, n: int, now: datetime) -> Version:
    incoming, document = item.incoming, item.incoming.document
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
        version_date=incoming.version_date,
        published_at=incoming.published_at or (document.published_at if document else None),
        withdrawn=document is None,
    )


def _event(ws: Workspace, item: _Prepared, version: Version, origin: str, now: datetime) -> Event:
    verb = "withdrawn" if version.withdrawn else "ingested"
    return Event(
        id=make_id("evt", ws.project_id, f"source_{verb}", version.id),
        project_id=ws.project_id,
        type=f"source_{verb}",
        at=now,
        recorded_at=now,
        text=f"{item.incoming.title} was {'withdrawn' if version.withdrawn else 'read'} (version {version.n}).",
        channel="ingest",
        payload={"source_id": item.source.id, "version_id": version.id, "n": version.n, "chunks": len(item.chunks), "origin": origin},
    )


def _place_mentions(ws: Workspace, item: _Prepared, version: Version) -> Iterator[tuple[EntityMention, dict[str, Any]]]:
    at = 0
    for mention in sorted(item.mentions, key=lambda m: (m.start, m.end)):
        while at < len(item.chunks) and item.chunks[at].end <= mention.start:
            at += 1
        if at == len(item.chunks) or mention.start < item.chunks[at].start or mention.end > item.chunks[at].end:
            continue
        chunk = item.chunks[at]
        entity_id = make_id("ent", ws.project_id, entity_key(mention.name))
        yield (
            mention,
            {
                "id": make_id("mnt", entity_id, version.id, mention.start),
                "project_id": ws.project_id,
                "entity_id": entity_id,
                "chunk_id": chunk.id,
                "version_id": version.id,
                "source_id": item.source.id,
                "start": mention.start,
                "end": mention.end,
                "surface": mention.surface,
            },
        )


def _learn_aliases(tx: Tx, placed: Sequence[tuple[EntityMention, dict[str, Any]]]) -> None:
    """Add the other spellings this document used to what each entity is also called."""
    spelled: dict[str, set[str]] = {}
    for mention, row in placed:
        if mention.surface != mention.name:
            spelled.setdefault(str(row["entity_id"]), set()).add(mention.surface)
    for key, known in tx.entities.known(list(spelled)).items():
        merged = sorted({*known["aliases"], *spelled[key]} - {known["name"]})
        if merged != sorted(known["aliases"]):
            tx.entities.set_aliases(key, merged)


def _relations(
    ws: Workspace, item: _Prepared, version: Version, mentions: Sequence[dict[str, Any]]
) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Which entities share a sentence: relation rows by id, and the sentences as their evidence."""
    relations: dict[str, dict[str, Any]] = {}
    evidence: list[dict[str, Any]] = []
    at = 0
    for start, end in item.sentences:
        here: dict[str, dict[str, Any]] = {}
        while at < len(mentions) and mentions[at]["start"] < end:
            if mentions[at]["start"] >= start:
                here.setdefault(str(mentions[at]["entity_id"]), mentions[at])
            at += 1
        if not 2 <= len(here) <= MAX_ENTITIES_A_SENTENCE:
            continue
        for head, tail in combinations(sorted(here), 2):
            key = make_id("rel", ws.project_id, head, tail, "co_occurs")
            relations[key] = {"id": key, "project_id": ws.project_id, "head_id": head, "tail_id": tail, "kind": "co_occurs"}
            evidence.append({"relation_id": key, "chunk_id": here[head]["chunk_id"], "start": start, "end": end, "at": version.dated})
    return relations, evidence
