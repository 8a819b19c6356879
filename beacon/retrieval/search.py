"""Search over everything that was read: full text, vectors and the graph of names, weighed together, with a receipt for every hit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from beacon.domain.source import Source, StoredChunk, Version
from beacon.errors import InputError, NotFoundError
from beacon.retrieval.diversity import varied
from beacon.retrieval.filters import Filters
from beacon.retrieval.passages import Ints, Passages, passages_of
from beacon.retrieval.ranking import MODES, Ranking, rank
from beacon.retrieval.receipts import receipt_of
from beacon.retrieval.recipes import recipe_for
from beacon.workspace import Workspace

__all__ = ["MODES", "Filters", "Hit", "explain", "search"]

LONGEST_QUERY = 20_000  # characters; what comes after is not read


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


def search(
    ws: Workspace, query: str, k: int = 10, *, mode: str = "hybrid", filters: Filters | None = None, recipe: str = "default"
) -> list[Hit]:
    """The k best passages, best first, ties by id. Raises InputError for an unknown mode or recipe, or k below 1."""
    if k < 1:
        raise InputError("Ask for at least one hit (k ≥ 1).")
    passages, found = _ranked(ws, query, mode, filters, recipe)
    if found is None:
        return []
    order = found.best(k if not found.recipe.diversity else max(4 * k, k + 20))
    if found.recipe.diversity:
        order = varied(ws, passages, found, order, k)
    return _hits(ws, passages, found, order)


def explain(
    ws: Workspace, query: str, chunk_ids: Sequence[str], *, mode: str = "hybrid", filters: Filters | None = None, recipe: str = "default"
) -> list[Hit]:
    """These passages with the receipts this query would give them, whatever their rank: why that one is not above another.

    A passage that the filters leave out, or that nothing speaks for, has rank None. Raises NotFoundError for an unknown passage.
    """
    passages, found = _ranked(ws, query, mode, filters, recipe)
    asked = passages.index_of_ids(chunk_ids)
    if len(asked) < len(chunk_ids):
        known = {passages.id_at(int(index)) for index in asked}
        missing = next(key for key in chunk_ids if key not in known)
        raise NotFoundError(f"There is no passage {missing} in this project.", chunk_id=missing)
    if found is None:
        raise InputError("The query is empty: say what to look for.")
    return _hits(ws, passages, found, asked)


def _ranked(ws: Workspace, query: str, mode: str, filters: Filters | None, recipe: str) -> tuple[Passages, Ranking | None]:
    if mode not in MODES:
        raise InputError(f"There is no search mode '{mode}': use {', '.join(MODES)}.")
    chosen = recipe_for(query[:LONGEST_QUERY], recipe)
    passages = passages_of(ws)
    text = query[:LONGEST_QUERY].strip()
    return passages, rank(ws, passages, text, mode, filters or Filters(), chosen) if text else None


def _hits(ws: Workspace, passages: Passages, found: Ranking, order: Ints) -> list[Hit]:
    ids = [passages.id_at(int(index)) for index in order]
    with ws.records.read() as tx:
        chunks = tx.sources.chunks_by_id(ids)
        versions = tx.postings.hit_versions(list({c.version_id for c in chunks.values()}))
        sources = tx.postings.hit_sources(ws.project_id, list({c.source_id for c in chunks.values()}))
    hits = []
    for index, key in zip(order.tolist(), ids, strict=True):
        chunk = chunks.get(key)
        if chunk is None or chunk.source_id not in sources or chunk.version_id not in versions:
            continue  # erased since the ranking began
        receipt = receipt_of(passages, found, index)
        hits.append(Hit(chunk, sources[chunk.source_id], versions[chunk.version_id], float(found.score[index]), receipt))
    return hits
