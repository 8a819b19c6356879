"""Search over everything that was read: full text and vectors, fused, with a receipt for every hit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from beacon.analyst.tokens import STOP_WORDS, tokenize
from beacon.domain.source import Source, StoredChunk, Version
from beacon.errors import InputError, UnavailableError
from beacon.projections import chunk_collection, chunk_vectors, note_state
from beacon.workspace import Workspace

MODES = ("hybrid", "lexical", "dense", "graph")
CANDIDATES = 100  # from each ranking, before fusion
LEXICAL_SHARE = 0.7  # min-max fusion measured for the static embedder: a larger dense share loses to words alone
DENSE_SHARE = 0.3
NEIGHBOUR_SHARE = 0.3  # of the score of the passage before and the one after, in the same document
MAX_TERMS = 24  # of a long query: the rarest words decide, the rest costs time


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is limited to. `as_of` sees the versions that were current at that moment."""

    source_ids: tuple[str, ...] | None = None
    kind: str = ""
    segment: str = ""
    role: str = ""
    as_of: datetime | None = None

    @property
    def narrow(self) -> bool:
        """Whether anything is filtered."""
        return self.source_ids is not None or bool(self.kind or self.segment or self.role or self.as_of)


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage found, and why: `receipt` holds every part of the score."""

    chunk: StoredChunk
    source: Source
    version: Version
    score: float
    receipt: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The printed form."""
        turns: Any = self.version.metadata.get("events")  # a conversation's version knows the event of each of its turns
        return {
            "chunk_id": self.chunk.id,
            "source_id": self.source.id,
            "url": self.source.url,
            "title": self.version.title or self.source.title,
            "date": self.version.dated.date().isoformat(),
            "kind": self.source.kind,
            "heading": self.chunk.heading,
            "speaker": self.chunk.speaker,
            "version_id": self.version.id,
            "start": self.chunk.start,
            "end": self.chunk.end,
            "text": self.chunk.text,
            "score": round(self.score, 6),
            "receipt": self.receipt,
            **({"event_ids": [turns[self.chunk.ordinal]]} if turns else {}),
        }


def query_terms(query: str) -> list[str]:
    """The words of a query worth looking up: no stop-words unless there is nothing else, longest first when there are too many."""
    words = list(dict.fromkeys(tokenize(query)))
    kept = [w for w in words if w not in STOP_WORDS] or words
    return kept if len(kept) <= MAX_TERMS else sorted(sorted(kept, key=lambda w: (-len(w), w))[:MAX_TERMS], key=kept.index)


def search(ws: Workspace, query: str, k: int = 10, *, mode: str = "hybrid", filters: Filters | None = None) -> list[Hit]:
    """The k best passages, best first, ties by id. Raises InputError for an unknown mode or k below 1."""
    if mode not in MODES:
        raise InputError(f"There is no search mode '{mode}': use {', '.join(MODES)}.")
    if k < 1:
        raise InputError("Ask for at least one hit (k ≥ 1).")
    if not query.strip():
        return []
    filters = filters or Filters()
    versions = _versions(ws, filters) if filters.narrow else None
    lexical = _lexical(ws, query, versions) if mode in ("hybrid", "lexical") else {}
    dense, missing = _dense(ws, query, versions, list(lexical)) if mode in ("hybrid", "dense") else ({}, "")
    graph = _graph(ws, query, versions) if mode == "graph" else {}
    fused = _fuse(lexical, dense, graph, missing)
    return _hits(ws, fused, k)


def _versions(ws: Workspace, filters: Filters) -> list[str]:
    with ws.records.read() as tx:
        sources = tx.sources.all(ws.project_id, filters.source_ids)
        wanted = [
            s.id
            for s in sources
            if (not filters.kind or s.kind == filters.kind)
            and (not filters.segment or s.segment == filters.segment)
            and (not filters.role or s.role == filters.role)
        ]
        current = tx.sources.current_versions(wanted, filters.as_of)
    return [v.id for v in current.values() if not v.withdrawn]


def _lexical(ws: Workspace, query: str, versions: Sequence[str] | None) -> dict[str, float]:
    with ws.records.read() as tx:
        return dict(tx.sources.search_text(ws.project_id, query_terms(query), CANDIDATES, versions))


def _dense(ws: Workspace, query: str, versions: Sequence[str] | None, others: Sequence[str]) -> tuple[dict[str, float], str]:
    """chunk id → exact cosine; and what was missing. Filtered searches are exact; others re-score what the index finds."""
    vector = ws.embedder.embed_query(query)
    missing = ""
    with ws.records.read() as tx:
        if versions is not None:
            chunks = tx.sources.chunks_of(versions)
        else:
            ids, missing = _nearest(ws, vector)
            chunks = list(tx.sources.chunks_by_id([*ids, *others]).values())
    if not chunks:
        return {}, missing
    vectors = chunk_vectors(ws, chunks)
    scores = np.stack([vectors[c.text_sha256] for c in chunks]) @ vector
    best = sorted(zip(chunks, scores.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0].id))
    keep = {c.id for c, _ in best[:CANDIDATES]} | set(others)
    return {c.id: float(score) for c, score in best if c.id in keep}, missing


def _nearest(ws: Workspace, vector: np.ndarray[Any, np.dtype[np.float32]]) -> tuple[list[str], str]:
    try:
        return [hit.id for hit in ws.vectors.query(chunk_collection(ws), vector, CANDIDATES)], ""
    except UnavailableError as error:
        note_state(ws, "vectors", error.message)
        return [], f"The vector index does not answer, so this search used words only. {error.message}"


def _graph(ws: Workspace, query: str, versions: Sequence[str] | None) -> dict[str, float]:
    """chunk id → share of the query's entities that the passage mentions, rarer ones counting more."""
    found: dict[str, float] = {}
    allowed = None if versions is None else set(versions)
    for node, match in _seed_nodes(ws, query):
        weight = match / np.log2(2 + node.mention_count)
        for mention in ws.graph.mentions(ws.project_id, node.id, 500):
            if allowed is None or mention.version_id in allowed:
                found[mention.chunk_id] = found.get(mention.chunk_id, 0.0) + float(weight)
    return found


def _seed_nodes(ws: Workspace, query: str) -> list[Any]:
    seen: dict[str, Any] = {}
    for term in [query, *query_terms(query)]:
        for node, match in ws.graph.find(ws.project_id, term, 5):
            if node.id not in seen or seen[node.id][1] < match:
                seen[node.id] = (node, match)
    return [seen[key] for key in sorted(seen)]


def _spread(scores: dict[str, float]) -> dict[str, float]:
    """Scores mapped to 0–1 (all 1 when they do not differ)."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {key: 1.0 if high == low else (value - low) / (high - low) for key, value in scores.items()}


def _fuse(lexical: dict[str, float], dense: dict[str, float], graph: dict[str, float], missing: str) -> dict[str, dict[str, Any]]:
    words, vectors, entities = _spread(lexical), _spread(dense), _spread(graph)
    weights = {"lexical": LEXICAL_SHARE if dense else 1.0, "dense": DENSE_SHARE if lexical else 1.0, "graph": 1.0}
    fused: dict[str, dict[str, Any]] = {}
    for key in {*lexical, *dense, *graph}:
        parts = {
            "lexical": round(weights["lexical"] * words.get(key, 0.0), 6),
            "dense": round(weights["dense"] * vectors.get(key, 0.0), 6),
            "graph": round(weights["graph"] * entities.get(key, 0.0), 6),
        }
        raw = {"bm25": round(lexical[key], 4) if key in lexical else None, "cosine": round(dense[key], 4) if key in dense else None}
        fused[key] = {"parts": parts, "raw": raw, "score": sum(parts.values()), **({"missing": missing} if missing else {})}
    return fused


def _hits(ws: Workspace, fused: dict[str, dict[str, Any]], k: int) -> list[Hit]:
    order = sorted(fused, key=lambda key: (-fused[key]["score"], key))[: max(k * 4, CANDIDATES)]
    with ws.records.read() as tx:
        chunks = tx.sources.chunks_by_id(order)
        versions = tx.sources.versions_by_id(list({c.version_id for c in chunks.values()}))
        sources = {s.id: s for s in tx.sources.all(ws.project_id, list({c.source_id for c in chunks.values()}))}
    scores = _smoothed({key: fused[key]["score"] for key in order if key in chunks}, chunks)
    hits = []
    for key in sorted(scores, key=lambda key: (-scores[key], key))[:k]:
        chunk = chunks[key]
        if chunk.source_id not in sources:
            continue
        receipt = {
            **fused[key],
            "parts": {**fused[key]["parts"], "neighbours": round(scores[key] - fused[key]["score"], 6)},
            "score": round(scores[key], 6),
        }
        hits.append(Hit(chunk, sources[chunk.source_id], versions[chunk.version_id], scores[key], receipt))
    return hits


def _smoothed(scores: dict[str, float], chunks: dict[str, StoredChunk]) -> dict[str, float]:
    """Scores with a share of the neighbours': a passage beside good ones is likelier to be the place."""
    at = {(chunks[key].version_id, chunks[key].ordinal): score for key, score in scores.items()}
    return {
        key: score + NEIGHBOUR_SHARE * sum(at.get((chunks[key].version_id, chunks[key].ordinal + step), 0.0) for step in (-1, 1))
        for key, score in scores.items()
    }
