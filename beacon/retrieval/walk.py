"""From the names in a question to passages: through the sentences that fit it, then by personalised PageRank."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from beacon.analyst.sentences import split_sentences
from beacon.retrieval.links import Links, load_links
from beacon.retrieval.passages import Floats, Ints, Mask, Passages
from beacon.stores.records.store import Records, Tx
from beacon.workspace import Workspace

if TYPE_CHECKING:
    from scipy import sparse

Similarity = Callable[[Sequence[str]], Floats]  # how well each text fits the question, a cosine
Texts = Callable[[Sequence[int]], Mapping[int, str]]  # passage index → text

ROUNDS = 2  # of sentences from the question's names on: arXiv 2510.10114 sets three iterations, the first being the names
FIT = 0.4  # score below which an entity leads no further (same source)
BEST_SENTENCES = 3  # an entity, a round (same source)
READ_PASSAGES = 12  # an entity, a round: those that fit the question best
DAMPING = 0.92  # measured 2026-11 on encyclopaedic questions: from .5 on ever better up to here
WALKED_WHOLE = 10_000  # passages up to which every one takes part in a walk; above, those that fit or are named, and what they name
WALKED_BEST = 1000  # of those that fit best, and of those a name stands in
STEPS = 25  # of the walk: what is left to move is below DAMPING ** STEPS
PASSAGE_SHARE = 0.02  # of the walk's starting weight that lies on passages, so that what names nothing is ranked too
FIT_WEIGHT = 2.0  # of a passage's own fit beside the entities found in it


@dataclass(frozen=True, slots=True)
class Activation:
    """How strongly a node was reached, after how many rounds, and from which sentence."""

    weight: float
    round: int
    via: tuple[int, int, int] | None = None  # passage, start, end


_known: "WeakKeyDictionary[Records, dict[str, Walk]]" = WeakKeyDictionary()
_loading = Lock()


def walk_of(ws: Workspace, tx: Tx, passages: Passages) -> "Walk":
    """The project's graph as it was when the passages were read."""
    with _loading:
        kept = _known.setdefault(ws.records, {}).get(ws.project_id)
        if kept is None or kept.links.state != passages.state:
            kept = Walk(passages, load_links(tx, ws.project_id, passages))
            _known[ws.records][ws.project_id] = kept
        return kept


class Walk:
    """The graph of one state of the passages, ready to be walked."""

    def __init__(self, passages: Passages, links: Links) -> None:
        self.passages, self.links = passages, links

    def activate(self, seeds: Mapping[int, float], fit: Floats, texts: Texts, similarity: Similarity) -> dict[int, Activation]:
        """node → how it was reached: the seeds, then what shares the sentences with them that fit the question best."""
        found = {node: Activation(weight, 1) for node, weight in seeds.items()}
        current = dict(seeds)
        used: set[tuple[int, int]] = set()
        for number in range(2, 2 + ROUNDS):
            sentences = self._sentences([n for n, w in sorted(current.items()) if w >= FIT], fit, texts)
            scores = self._scored(sentences, similarity)
            reached: dict[int, Activation] = {}
            for node, weight in sorted(current.items()):
                fresh = sorted((s for s in sentences.get(node, ()) if s[:2] not in used), key=lambda s: (-scores[s[:2]], s[:2]))
                for passage, start, end, _, nodes in fresh[:BEST_SENTENCES]:
                    used.add((passage, start))
                    value = weight * scores[passage, start]
                    if value >= FIT:
                        for other in nodes:
                            before = found.get(other)
                            found[other] = Activation(value + (before.weight if before else 0.0), before.round if before else number,
                                                      before.via if before else (passage, start, end))  # fmt: skip
                            reached[other] = Activation(value, number)
            current = {node: act.weight for node, act in reached.items()}
            if not current:
                break
        return found

    def rank(self, found: Mapping[int, Activation], fit: Floats, allowed: Mask) -> Floats:
        """A score a passage; 0 for those not allowed."""
        weights = self.links.weights
        named = np.zeros(self.passages.count, dtype=np.float32)
        home = np.zeros(self.links.nodes, dtype=np.float32)
        for node, reached in found.items():
            low, high = weights.indptr[node], weights.indptr[node + 1]
            named[weights.indices[low:high]] += reached.weight * weights.data[low:high] / reached.round
            home[node] = reached.weight / np.log(2 + self.links.frequency[node])
        start = PASSAGE_SHARE * (FIT_WEIGHT * fit + np.log1p(named))
        start[~allowed] = 0
        ranked = self._walked(home, start)
        ranked[~allowed] = 0
        return ranked

    def _walked(self, home: Floats, start: Floats) -> Floats:
        total = float(home.sum() + start.sum())
        if total <= 0:
            return np.zeros_like(start)
        near = self._near(home, start)
        if near is None:
            return _settled(*self._moves, home / total, start / total)
        nodes, places = near
        to_passage, to_node = self._moves
        moves = (to_passage[places][:, nodes], to_node[nodes][:, places])
        ranked = np.zeros_like(start)
        ranked[places] = _settled(*moves, home[nodes] / total, start[places] / total)
        return ranked

    def _near(self, home: Floats, start: Floats) -> tuple[Ints, Ints] | None:
        """Nodes and passages within reach, where there are so many passages that walking over all would take too long."""
        if self.passages.count <= WALKED_WHOLE:
            return None
        best = np.argpartition(-start, WALKED_BEST)[:WALKED_BEST]
        weights = self.links.weights
        named = [weights.indices[weights.indptr[n] : weights.indptr[n + 1]][:WALKED_BEST] for n in np.flatnonzero(home).tolist()]
        places = np.unique(np.concatenate([best, *named])).astype(np.int32)
        bounds = self._titles.indptr
        rows = [self._titles.indices[bounds[p] : bounds[p + 1]] for p in places.tolist()]
        nodes = np.unique(np.concatenate([np.flatnonzero(home), *rows])).astype(np.int32)
        return nodes, places

    @cached_property
    def _moves(self) -> "tuple[sparse.csr_matrix, sparse.csr_matrix]":
        """How the walk goes from nodes to passages and back; rarer nodes weigh more."""
        from scipy import sparse

        rarity = (1.0 / np.log(1.7 + np.maximum(self.links.frequency, 1))).astype(np.float32)
        rare = sparse.diags(rarity) @ self.links.weights
        share = rare @ sparse.diags((1.0 / np.maximum(np.asarray(rare.sum(axis=0)).ravel(), 1e-9)).astype(np.float32))
        out = np.maximum(np.asarray(share.sum(axis=1)).ravel(), 1e-9)
        return (sparse.diags((1.0 / out).astype(np.float32)) @ share).T.tocsr(), share.tocsr()

    @cached_property
    def _by_passage(self) -> tuple[Ints, Ints]:
        """Mentions ordered by passage and place, and where each passage's begin."""
        order = np.lexsort((self.links.start, self.links.at_passage)).astype(np.int32)
        bounds = np.searchsorted(self.links.at_passage[order], np.arange(self.passages.count + 1)).astype(np.int32)
        return order, bounds

    def nodes_of(self, passage: int) -> list[int]:
        """The nodes a passage mentions or stands under."""
        order, bounds = self._by_passage
        mentioned = self.links.at_node[order[bounds[passage] : bounds[passage + 1]]].tolist()
        low, high = self._titles.indptr[passage], self._titles.indptr[passage + 1]
        return sorted({*mentioned, *self._titles.indices[low:high].tolist()})

    @cached_property
    def _titles(self) -> "sparse.csr_matrix":
        return self.links.weights.T.tocsr()

    def _sentences(self, nodes: Sequence[int], fit: Floats, texts: Texts) -> dict[int, list[Any]]:
        """node → (passage, start, end, text, nodes) of its sentences, in the passages that fit best."""
        chosen: dict[int, list[int]] = {}
        for node in nodes:
            at = np.unique(self.links.mentions_of(node)[0])
            chosen[node] = at[np.lexsort((at, -fit[at]))[:READ_PASSAGES]].tolist()
        told = texts(sorted({index for found in chosen.values() for index in found}))
        parts = {index: self._parted(index, text) for index, text in told.items()}
        return {node: [s for index in found for s in parts.get(index, ()) if node in s[4]] for node, found in chosen.items()}

    def _parted(self, index: int, text: str) -> list[Any]:
        order, bounds = self._by_passage
        here = order[bounds[index] : bounds[index + 1]]
        starts, nodes = self.links.start[here], self.links.at_node[here]
        found = []
        for start, end in split_sentences(text):
            inside = sorted(set(nodes[(starts >= start) & (starts < end)].tolist()))
            if inside:
                found.append((index, start, end, text[start:end], inside))
        return found

    @staticmethod
    def _scored(sentences: Mapping[int, Sequence[Any]], similarity: Similarity) -> dict[tuple[int, int], float]:
        distinct = {(s[0], s[1]): s[3] for found in sentences.values() for s in found}
        if not distinct:
            return {}
        return dict(zip(distinct, similarity(list(distinct.values())).tolist(), strict=True))


def _settled(to_passage: Any, to_node: Any, home_n: Floats, home_p: Floats) -> Floats:
    """The passages' shares after STEPS steps of a walk that returns home."""
    at_n, at_p = home_n, home_p
    for _ in range(STEPS):
        at_n, at_p = DAMPING * (to_node @ at_p) + (1 - DAMPING) * home_n, DAMPING * (to_passage @ at_n) + (1 - DAMPING) * home_p
    return np.asarray(at_p, dtype=np.float32)
