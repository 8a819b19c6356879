"""PageRank over relations: how near every entity is to some, or how central it is to all (Page et al. 1999; Haveliwala 2002)."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from beacon.domain.graph import Edge

DAMPING = 0.85  # of the walk; the rest goes back to the seeds. Page et al. 1999
TOLERANCE = 1e-9  # summed change a round at which the iteration has settled
QUICK_TOLERANCE = 1e-4  # the same where only the order near the seeds matters
MAX_ROUNDS = 200
DIGITS = 9  # kept of a score, so that rankings do not hang on the last bits


class WalkableGraph:
    """Relations as a matrix, made once and walked often; `ids` are further entities that no relation touches."""

    def __init__(self, edges: Sequence[Edge], ids: Sequence[str] = ()) -> None:
        from scipy import sparse

        ordered = sorted(edges, key=lambda edge: edge.id)
        self.ids = sorted({end for edge in ordered for end in (edge.source, edge.target)} | set(ids))
        self._place = {key: n for n, key in enumerate(self.ids)}
        heads = np.array([self._place[edge.source] for edge in ordered], dtype=np.int64)
        tails = np.array([self._place[edge.target] for edge in ordered], dtype=np.int64)
        weights = np.array([edge.weight for edge in ordered], dtype=np.float64)
        ends = (np.concatenate([heads, tails]), np.concatenate([tails, heads]))
        both = sparse.coo_matrix((np.concatenate([weights, weights]), ends), shape=(len(self.ids), len(self.ids))).tocsr()
        self._next = both
        self._degree = np.asarray(both.sum(axis=1)).ravel()
        self._moves = (sparse.diags(1.0 / np.where(self._degree > 0, self._degree, 1.0)) @ both).T.tocsr()

    def ranks(self, seeds: Mapping[str, float], damping: float = DAMPING, tolerance: float = QUICK_TOLERANCE) -> npt.NDArray[np.float64]:
        """The share of the walk at each of `ids`; zeros where no seed has weight."""
        home = np.zeros(len(self.ids))
        for key, weight in seeds.items():
            if weight > 0:
                home[self._place[key]] = weight
        if not home.any():
            return home
        home /= home.sum()
        rank, ends = home, self._degree == 0
        for _ in range(MAX_ROUNDS):
            after = damping * (self._moves @ rank + rank[ends].sum() * home) + (1 - damping) * home
            settled = float(np.abs(after - rank).sum()) < tolerance
            rank = after
            if settled:
                break
        return rank

    def around(self, start: Sequence[str], hops: int) -> list[str]:
        """The ids within that many relations of `start`, themselves included, in order."""
        seen = np.zeros(len(self.ids), dtype=np.bool_)
        frontier = np.array(sorted(self._place[key] for key in start if key in self._place), dtype=np.int64)
        seen[frontier] = True
        for _ in range(hops):
            pieces = [self._next.indices[self._next.indptr[n] : self._next.indptr[n + 1]] for n in frontier.tolist()]
            near = np.unique(np.concatenate(pieces)) if pieces else frontier
            frontier = near[~seen[near]]
            seen[frontier] = True
        return [self.ids[n] for n in np.flatnonzero(seen).tolist()]


def ppr(edges: Sequence[Edge], seeds: Mapping[str, float], damping: float = DAMPING) -> dict[str, float]:
    """entity id → share of a walk that starts at `seeds` and follows relations by weight, both ways; best first, ties by id.

    The shares sum to 1. Seeds without relations keep their own; seeds of no weight, or none, give an empty answer.
    """
    start = {key: weight for key, weight in seeds.items() if weight > 0}
    if not start:
        return {}
    graph = WalkableGraph(edges, list(start))
    scores = {key: round(float(rank), DIGITS) for key, rank in zip(graph.ids, graph.ranks(start, damping, TOLERANCE), strict=True)}
    return {key: scores[key] for key in sorted(scores, key=lambda key: (-scores[key], key)) if scores[key] > 0}


def pagerank(edges: Sequence[Edge], ids: Sequence[str], damping: float = DAMPING) -> dict[str, float]:
    """entity id → how central it is among `ids`, best first, ties by id."""
    return ppr(edges, dict.fromkeys(ids, 1.0), damping)
