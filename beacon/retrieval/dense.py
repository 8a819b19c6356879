"""Vectors: what the index finds near the query, scored exactly from the vectors in the records."""

from collections.abc import Sequence

import numpy as np

from beacon.errors import UnavailableError
from beacon.projections import chunk_collection, chunk_vectors, embedder_key, note_state
from beacon.retrieval.passages import Floats, Ints, Mask, Passages
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

NEAREST = 200  # asked of the index
EXACT_UP_TO = 4000  # passages that a filter leaves, compared one by one; above that the index is asked and its answer sifted
MOST_ASKED = 5000  # of the index, for a filter that leaves little of what it finds


def nearest(ws: Workspace, passages: Passages, vector: Floats, allowed: Mask, filtered: bool) -> tuple[Ints, str]:
    """The passages nearest the query, and what was missing when the index did not answer."""
    left = int(allowed.sum())
    if filtered and left <= EXACT_UP_TO:
        return np.flatnonzero(allowed).astype(np.int32), ""
    share = left / max(int(passages.current.sum()), 1)
    asked = min(int(NEAREST / max(share, NEAREST / MOST_ASKED)), MOST_ASKED) if filtered else NEAREST
    try:
        hits = ws.vectors.query(chunk_collection(ws), vector, asked)
    except UnavailableError as error:
        note_state(ws, "vectors", error.message)
        return np.zeros(0, dtype=np.int32), f"The vector index does not answer, so this search used words only. {error.message}"
    found = passages.index_of_ids([hit.id for hit in hits])
    return found[allowed[found]], ""


def cosines(ws: Workspace, tx: Tx, passages: Passages, vector: Floats, candidates: Ints) -> Floats:
    """The exact cosine of each candidate; vectors that are missing are worked out and kept."""
    if not len(candidates):
        return np.zeros(0, dtype=np.float32)
    numbers = passages.numbers[candidates].tolist()
    known = tx.postings.vectors(embedder_key(ws), numbers)
    missing = [int(index) for index, number in zip(candidates.tolist(), numbers, strict=True) if number not in known]
    if missing:
        known |= _worked_out(ws, tx, passages, missing)
    blank = bytes(4 * ws.embedder.dimension)
    matrix = np.frombuffer(b"".join(known.get(number, blank) for number in numbers), dtype="<f4").reshape(len(numbers), -1)
    scores: Floats = (matrix @ vector).astype(np.float32)
    return scores


def _worked_out(ws: Workspace, tx: Tx, passages: Passages, missing: Sequence[int]) -> dict[int, bytes]:
    chunks = tx.sources.chunks_by_id([passages.id_at(index) for index in missing])
    vectors = chunk_vectors(ws, list(chunks.values()))
    at = {passages.id_at(index): int(passages.numbers[index]) for index in missing}
    return {at[key]: vectors[chunk.text_sha256].astype("<f4").tobytes() for key, chunk in chunks.items()}
