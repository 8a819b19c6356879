"""PageRank over relations: how near every entity is to some, or how central it is to all (Page et al. 1999; Haveliwala 2002)."""

from collections.abc import Mapping, Sequence

from beacon.domain.graph import Edge

DAMPING = 0.85  # of the walk; the rest goes back to the seeds. Page et al. 1999
TOLERANCE = 1e-9  # summed change a round at which the iteration has settled
MAX_ROUNDS = 200
DIGITS = 9  # kept of a score, so that rankings do not hang on the last bits


def ppr(edges: Sequence[Edge], seeds: Mapping[str, float], damping: float = DAMPING) -> dict[str, float]:
    """entity id → share of a walk that starts at `seeds` and follows relations by weight, both ways; best first, ties by id.

    The shares sum to 1. Seeds without relations keep their own; seeds of no weight, or none, give an empty answer.
    """
    start = {key: weight for key, weight in seeds.items() if weight > 0}
    if not start:
        return {}
    import numpy as np
    from scipy import sparse

    ids = sorted({end for edge in edges for end in (edge.source, edge.target)} | set(start))
    place = {key: n for n, key in enumerate(ids)}
    ordered = sorted(edges, key=lambda edge: edge.id)
    heads = np.array([place[edge.source] for edge in ordered], dtype=np.int64)
    tails = np.array([place[edge.target] for edge in ordered], dtype=np.int64)
    weights = np.array([edge.weight for edge in ordered], dtype=np.float64)
    ends = (np.concatenate([heads, tails]), np.concatenate([tails, heads]))
    moves = sparse.coo_matrix((np.concatenate([weights, weights]), ends), shape=(len(ids), len(ids))).tocsr()
    degree = np.asarray(moves.sum(axis=1)).ravel()
    moves = (sparse.diags(1.0 / np.where(degree > 0, degree, 1.0)) @ moves).T.tocsr()
    home = np.zeros(len(ids))
    home[[place[key] for key in start]] = list(start.values())
    home /= home.sum()
    rank = home
    for _ in range(MAX_ROUNDS):
        after = damping * (moves @ rank + rank[degree == 0].sum() * home) + (1 - damping) * home
        settled = float(np.abs(after - rank).sum()) < TOLERANCE
        rank = after
        if settled:
            break
    scores = {key: round(float(rank[n]), DIGITS) for key, n in place.items()}
    return {key: scores[key] for key in sorted(scores, key=lambda key: (-scores[key], key)) if scores[key] > 0}


def pagerank(edges: Sequence[Edge], ids: Sequence[str], damping: float = DAMPING) -> dict[str, float]:
    """entity id → how central it is among `ids`, best first, ties by id."""
    return ppr(edges, dict.fromkeys(ids, 1.0), damping)
