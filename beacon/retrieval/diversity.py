"""Maximal marginal relevance: a passage counts less the more it is like a better one (Carbonell & Goldstein 1998)."""

import numpy as np

from beacon.projections import embedder_key
from beacon.retrieval.passages import Ints, Passages
from beacon.retrieval.ranking import Ranking
from beacon.workspace import Workspace


def varied(ws: Workspace, passages: Passages, found: Ranking, order: Ints, k: int) -> Ints:
    """k of the passages of `order`, best first, each the best that is left once likeness to those before is taken off."""
    numbers = passages.numbers[order].tolist()
    with ws.records.read() as tx:
        vectors = tx.postings.vectors(embedder_key(ws), numbers)
    blank = bytes(4 * ws.embedder.dimension)
    matrix = np.frombuffer(b"".join(vectors.get(number, blank) for number in numbers), dtype="<f4").reshape(len(numbers), -1)
    score = found.score[order] / max(float(found.score[order].max(initial=0.0)), 1e-9)
    like = np.zeros(len(order), dtype=np.float32)
    left = list(range(len(order)))
    chosen: list[int] = []
    while left and len(chosen) < k:
        best = max(left, key=lambda n: (round(float(score[n] - found.recipe.diversity * like[n]), 6), -n))
        chosen.append(best)
        left.remove(best)
        like = np.maximum(like, matrix @ matrix[best])
    return order[chosen]
