"""Vectors: what the index finds near the query, scored exactly from the vectors in the records."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from beacon.errors import UnavailableError
from beacon.projections import chunk_collection, chunk_vectors, note_state
from beacon.retrieval.passages import Floats, Ints, KeptVectors, Mask, Passages
from beacon.stores.records.store import Tx
from beacon.stores.vectors.ports import CollectionKey
from beacon.workspace import Workspace

if TYPE_CHECKING:
    from beacon.llm.ports import Embedder

NEAREST = 200  # asked of the index
EXACT_UP_TO = 4000  # passages that a filter leaves, compared one by one; above that the index is asked and its answer sifted
MOST_ASKED = 5000  # of the index, for a filter that leaves little of what it finds
KEPT_BYTES = 32_000_000  # of vectors read before
AT_ONCE = 32  # vectors that are worked out while somebody waits


@dataclass(frozen=True, slots=True)
class Serving:
    """Which embedder answers now, and what is said when that is not the chosen one."""

    embedder: "Embedder"
    said: str = ""

    @property
    def key(self) -> str:
        """The name its vectors are kept under."""
        return f"{self.embedder.name}/{self.embedder.dimension}/{self.embedder.version}"


def serving(ws: Workspace, tx: Tx, passages: Passages) -> Serving:
    """The chosen embedder; while its vectors are still being worked out, the table of word vectors where that has them all."""
    chosen = Serving(ws.embedder)
    if chosen.key in passages.complete or not passages.count:
        return chosen
    if len(tx.postings.without_vector(ws.project_id, chosen.key, AT_ONCE + 1)) <= AT_ONCE:
        passages.complete.add(chosen.key)
        return chosen
    from beacon.llm.static_embedder import shared_embedder

    before = Serving(shared_embedder(), f"The vectors of {ws.embedder.name} are still being worked out: those of word averages serve.")
    if before.key == chosen.key or tx.postings.without_vector(ws.project_id, before.key, 1):
        return chosen
    return before


def nearest(ws: Workspace, served: Serving, passages: Passages, vector: Floats, allowed: Mask, filtered: bool) -> tuple[Ints, str]:
    """The passages nearest the query, and what was missing when the index did not answer."""
    left = int(allowed.sum())
    if filtered and left <= EXACT_UP_TO:
        return np.flatnonzero(allowed).astype(np.int32), ""
    share = left / max(int(passages.current.sum()), 1)
    asked = min(int(NEAREST / max(share, NEAREST / MOST_ASKED)), MOST_ASKED) if filtered else NEAREST
    try:
        hits = ws.vectors.query(_collection(ws, served.embedder), vector, asked)
    except UnavailableError as error:
        note_state(ws, "vectors", error.message)
        return np.zeros(0, dtype=np.int32), f"The vector index does not answer, so this search used words only. {error.message}"
    found = passages.index_of_ids([hit.id for hit in hits])
    return found[allowed[found]], ""


def _collection(ws: Workspace, embedder: "Embedder") -> CollectionKey:
    return replace(chunk_collection(ws), embedder=embedder.name, dimension=embedder.dimension, version=embedder.version)


def cosines(ws: Workspace, served: Serving, tx: Tx, passages: Passages, vector: Floats, candidates: Ints) -> Floats:
    """The exact cosine of each candidate; vectors that are missing are worked out and kept."""
    if not len(candidates):
        return np.zeros(0, dtype=np.float32)
    scores: Floats = (matrix_of(ws, served, tx, passages, candidates) @ vector).astype(np.float32)
    return scores


def matrix_of(ws: Workspace, served: Serving, tx: Tx, passages: Passages, candidates: Ints) -> Floats:
    """The candidates' vectors, row by row; read before ones stay in memory while there is room."""
    key, dimension = served.key, served.embedder.dimension
    kept = passages.vectors
    if kept is None or kept.embedder != key or len(kept.known) + len(candidates) > KEPT_BYTES // (4 * dimension):
        kept = passages.vectors = KeptVectors(key, {})
    numbers = {int(index): int(passages.numbers[index]) for index in candidates.tolist() if index not in kept.known}
    if numbers:
        hashes = tx.postings.hashes(list(numbers.values()))
        stored = tx.sources.known_embeddings(key, list(dict.fromkeys(hashes.values())))
        missing = [index for index, number in numbers.items() if hashes.get(number) not in stored]
        fresh = {index: stored[hashes[number]] for index, number in numbers.items() if hashes.get(number) in stored}
        fresh |= _worked_out(ws, tx, passages, missing) if missing and not served.said else {}
        kept.known.update((index, np.frombuffer(raw, dtype="<f4")) for index, raw in fresh.items())
    blank = np.zeros(dimension, dtype=np.float32)
    return np.stack([kept.known.get(index, blank) for index in candidates.tolist()])


def _worked_out(ws: Workspace, tx: Tx, passages: Passages, missing: Sequence[int]) -> dict[int, bytes]:
    chunks = tx.sources.chunks_by_id([passages.id_at(index) for index in missing])
    vectors = chunk_vectors(ws, list(chunks.values()))
    at = {passages.id_at(index): index for index in missing}
    return {at[key]: vectors[chunk.text_sha256].astype("<f4").tobytes() for key, chunk in chunks.items()}
