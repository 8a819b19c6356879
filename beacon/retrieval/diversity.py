"""Maximal marginal relevance: a passage counts less the more it is like a better one (Carbonell & Goldstein 1998)."""

import numpy as np

from beacon.retrieval.dense import matrix_of, serving
from beacon.retrieval.passages import Ints, Passages
from beacon.retrieval.ranking import Ranking
from beacon.workspace import Workspace


def varied(ws: Workspace, passages: Passages, found: Ranking, order: Ints, k: int) -> Ints:
    """k of the passages of `order`, best first, each the best that is left once likeness to those before is taken off."""
    if not len(order):
        return order
    with ws.records.read() as tx:
        matrix = matrix_of(ws, serving(ws, tx, passages), tx, passages, order)
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
