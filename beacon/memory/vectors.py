"""The vectors of memories: kept beside those of chunks, under the same names."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from beacon.errors import UnavailableError
from beacon.llm.embedding import text_sha
from beacon.projections import embedder_key
from beacon.workspace import Workspace

Matrix = npt.NDArray[np.float32]


def text_vectors(ws: Workspace, texts: Iterable[str]) -> dict[str, npt.NDArray[np.float32]]:
    """text hash → unit vector; those never computed with this embedder are computed and kept."""
    distinct = {text_sha(text): text for text in texts}
    key = embedder_key(ws)
    with ws.records.read() as tx:
        known = tx.sources.known_embeddings(key, list(distinct))
    missing = {sha: text for sha, text in distinct.items() if sha not in known}
    if missing:
        matrix = ws.embedder.embed(list(missing.values()))
        fresh = {sha: row.astype("<f4").tobytes() for sha, row in zip(missing, matrix, strict=True)}
        with ws.records.write() as tx:
            tx.sources.add_embeddings(key, fresh)
        known |= fresh
    return {sha: np.frombuffer(known[sha], dtype="<f4") for sha in distinct}


def similarities(ws: Workspace, query: str, texts: list[str]) -> list[float] | None:
    """How close each text is to the query, as cosines; None when the embedder does not answer."""
    if not texts:
        return []
    try:
        vectors = text_vectors(ws, texts)
        vector: npt.NDArray[Any] = ws.embedder.embed_query(query)
    except UnavailableError:
        return None
    scores: list[float] = (np.stack([vectors[text_sha(text)] for text in texts]) @ vector).tolist()
    return scores
