"""Every memory scored at once over the index, so that only the best are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from beacon.memory.index import Mask, MemoryIndex, terms_of
from beacon.memory.routing import Route
from beacon.memory.score import COSINE_SHARE, DAY_S, DIGITS, KEPT_RECENCY, LEXICAL_SHARE, ROUTE_SHARE, Tuning

Numbers = npt.NDArray[np.float64]
ROUNDING = 1e-5  # more than the rounding of a score's parts can move it
MOST_TIED = 500  # beyond the k best: of more that score alike those with the first ids are read


@dataclass(eq=False)
class Lookup:
    """One query over the index: what every row is worth before its parts are rounded."""

    index: MemoryIndex
    wanted: Mapping[str, float]
    cosines: Numbers
    lexical: Numbers
    mask: Mask
    now: datetime
    route: Route = field(default_factory=Route)

    def best(self, k: int, tuning: Tuning, situation: str, least: float = 0.0) -> list[int]:
        """The rows that may be among the k best, by id where many score alike."""
        related = self._relevance()
        mask = self.mask & (related >= least - ROUNDING)
        rows = np.flatnonzero(mask)
        weights = tuning.weights(situation)
        importance = self.index.numbers["importance"][: self.index.count]
        score = weights.relevance * related[rows] + weights.importance * importance[rows]
        score += weights.recency * self._recency(tuning.half_life_days)[rows]
        if len(rows) > k:
            bar = np.partition(score, -k)[-k] - ROUNDING
            rows, score = rows[score >= bar], score[score >= bar]
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

    def _recency(self, half_life_days: float) -> Numbers:
        n, at = self.index.count, self.now.timestamp()
        seen, recorded = self.index.numbers["seen"][:n], self.index.numbers["recorded"][:n]
        age = np.maximum(at - np.where(seen <= at, seen, recorded), 0.0) / DAY_S
        faded: Numbers = np.exp2(-age / half_life_days)
        return np.where(self.index.kept[:n], np.maximum(faded, KEPT_RECENCY), faded)


def score_all(index: MemoryIndex, query: str, vector: npt.NDArray[Any], user_id: str, tiers: Sequence[str] | None, now: datetime) -> Lookup:
    """The parts that depend on the query, for every memory a user may see."""
    mask = index.holding(index.visible(user_id, tiers), now)
    weights = index.weights(terms_of(query), mask)
    wanted = {term: round(weights[term], DIGITS) for term in sorted(weights)}
    cosines = (index.vectors[: index.count] @ np.asarray(vector, dtype=np.float32)).astype(np.float64)
    return Lookup(index, wanted, cosines, index.coverage(wanted), mask, now)
