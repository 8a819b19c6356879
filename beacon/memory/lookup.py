"""Every memory scored at once over the index, so that only the best are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from beacon.memory.index import Floats, Mask, MemoryIndex, signs_of, terms_of
from beacon.memory.routing import Route
from beacon.memory.score import COSINE_SHARE, DAY_S, DIGITS, KEPT_RECENCY, LEXICAL_SHARE, ROUTE_SHARE, Tuning

Rows = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.float64]
ROUNDING = 1e-5  # more than the rounding of a score's parts can move it
EXACT_UP_TO = 20_000  # memories: of more, only the nearest by words and signs are scored
NARROWED = 4000
MOST_TIED = 500  # beyond the k best: of more that score alike those with the first ids are read


@dataclass(eq=False)
class Lookup:
    """One query over the index: what every row is worth before its parts are rounded."""

    index: MemoryIndex
    wanted: Mapping[str, float]
    cosines: Floats
    lexical: Numbers
    mask: Mask
    now: datetime
    route: Route = field(default_factory=Route)

    def best(self, k: int, tuning: Tuning, situation: str, least: float = 0.0) -> list[int]:
        """The rows that may be among the k best, by id where many score alike."""
        related = self._relevance()
        rows = np.flatnonzero(self.mask & (related >= least - ROUNDING))
        weights = tuning.weights(situation)
        score = weights.relevance * related[rows] + weights.importance * self.index.numbers["importance"][rows]
        rows, score = _above(rows, score, k, weights.recency)  # recency can lift a memory by its weight, and not higher
        rows, score = _above(rows, score + weights.recency * self._recency(rows, tuning.half_life_days), k, 0.0)
        if len(rows) > k + MOST_TIED:
            order = sorted(range(len(rows)), key=lambda n: (-round(float(score[n]), DIGITS), self.index.ids[rows[n]]))
            rows = rows[order[: k + MOST_TIED]]
        return [int(row) for row in rows]

    def _relevance(self) -> Numbers:
        found: Numbers = COSINE_SHARE * np.clip(self.cosines, 0.0, 1.0) + LEXICAL_SHARE * self.lexical
        found[self._routed()] += ROUTE_SHARE
        return found

    def _routed(self) -> npt.NDArray[Any]:
        index, route = self.index, self.route
        named = (("person", route.people), ("topic", route.topic_ids), ("channel", route.channels), ("emotion", route.emotions))
        found = np.zeros(index.count, dtype=np.bool_)
        for category, names in named:
            for name in sorted(names):
                found[index.rows(category, name)] = True
        if route.since and route.until:
            begun = index.numbers["begun"][: index.count]
            found |= (begun >= route.since.timestamp()) & (begun < route.until.timestamp())
        return found

    def _recency(self, rows: Rows, half_life_days: float) -> Numbers:
        at = self.now.timestamp()
        seen, recorded = self.index.numbers["seen"][rows], self.index.numbers["recorded"][rows]
        age = np.maximum(at - np.where(seen <= at, seen, recorded), 0.0) / DAY_S
        faded: Numbers = np.exp2(-age / half_life_days)
        return np.where(self.index.kept[rows], np.maximum(faded, KEPT_RECENCY), faded)


def _above(rows: Rows, score: Numbers, k: int, margin: float) -> tuple[Rows, Numbers]:
    """The k best, and whatever comes within a margin of them."""
    if len(rows) <= k:
        return rows, score
    near = score >= np.partition(score, -k)[-k] - margin - ROUNDING
    return rows[near], score[near]


def score_all(index: MemoryIndex, query: str, vector: npt.NDArray[Any], user_id: str, tiers: Sequence[str] | None, now: datetime) -> Lookup:
    """The parts that depend on the query, for every memory a user may see."""
    mask = index.holding(index.visible(user_id, tiers), now)
    wanted, lexical = index.covering(terms_of(query), mask)
    if index.count <= EXACT_UP_TO:
        return Lookup(index, wanted, index.vectors[: index.count] @ np.asarray(vector, dtype=np.float32), lexical, mask, now)
    rows = _near(index, vector, lexical, mask)
    cosines = np.zeros(index.count, dtype=np.float32)
    cosines[rows] = index.vectors[rows] @ np.asarray(vector, dtype=np.float32)
    close = np.zeros(index.count, dtype=np.bool_)
    close[rows] = True
    return Lookup(index, wanted, cosines, lexical, mask & close, now)


def _near(index: MemoryIndex, vector: npt.NDArray[Any], lexical: Numbers, mask: Mask) -> Rows:
    """The rows that come closest by their words and by how many signs their vectors share with the query's.

    The share of equal signs tells the angle (Charikar 2002), which is near enough to choose a few thousand of many.
    """
    differing = np.bitwise_count(index.signs[: index.count] ^ signs_of(vector)).sum(axis=1, dtype=np.uint16)
    cosines = np.cos(np.pi * np.arange(index.vectors.shape[1] + 1) / index.vectors.shape[1])[differing]
    worth = (COSINE_SHARE * cosines + LEXICAL_SHARE * lexical).astype(np.float32)
    rows = np.flatnonzero(mask)
    if len(rows) > NARROWED:
        rows = rows[np.argpartition(-worth[rows], NARROWED)[:NARROWED]]
    return np.sort(rows)
