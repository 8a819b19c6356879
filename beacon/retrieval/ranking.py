"""One query ranked over all passages: every part of the score as a column."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from beacon.retrieval import context, dense, lexical
from beacon.retrieval.filters import Filters, allowed_by
from beacon.retrieval.gate import open_gate
from beacon.retrieval.links import seeds_of
from beacon.retrieval.passages import Floats, Ints, Mask, Passages
from beacon.retrieval.recipes import Recipe
from beacon.retrieval.walk import Activation, Walk, walk_of
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

MODES = ("hybrid", "lexical", "dense", "graph")
DENSE_OF_TABLE, DENSE_OF_MODEL = 0.3, 0.4  # shares measured for word vectors that are averaged, and for models that read
RANK_OFFSET = 10  # of reciprocal ranks: 60, the usual one, lost to words alone where the two rankings differ in worth
RANKED = 200  # of each ranking that take part in their fusion
CANDIDATES = 200  # of the words' ranking that get a vector's score


@dataclass(frozen=True, slots=True)
class Found:
    """What the graph had to say: how open its gate was, and what was reached."""

    gate: float = 0.0
    weight: float = 0.0
    seeds: dict[int, float] = field(default_factory=dict)
    reached: dict[int, Activation] = field(default_factory=dict)
    score: Floats | None = None
    walk: Walk | None = None


@dataclass(eq=False)
class Ranking:
    """The columns: `parts` add up to `score`; `raw` is what was measured before it was scaled."""

    recipe: Recipe
    mode: str
    allowed: Mask
    words: lexical.Words
    parts: dict[str, Floats]
    raw: dict[str, Floats]
    score: Floats
    ids: Any
    graph: Found = field(default_factory=Found)
    missing: str = ""

    def best(self, k: int) -> Ints:
        """The k best passages that anything speaks for, ties by id."""
        found = np.flatnonzero(self.allowed & (self.score > 0))
        if len(found) > k:
            least = np.partition(self.score[found], -k)[-k]
            found = found[self.score[found] >= least]
        return found[np.lexsort((self.ids[found], -self.score[found]))][:k].astype(np.int32)

    def place_of(self, index: int) -> int | None:
        """The rank of a passage from 1; None where nothing speaks for it."""
        score = self.score[index]
        if not self.allowed[index] or score <= 0:
            return None
        equal = np.flatnonzero(self.allowed & (self.score == score))
        return 1 + int((self.score[self.allowed] > score).sum()) + int((self.ids[equal] < self.ids[index]).sum())


def rank(ws: Workspace, passages: Passages, query: str, mode: str, filters: Filters, recipe: Recipe) -> Ranking:
    """Every passage's score for the query, in parts."""
    with ws.records.read() as tx:
        allowed = allowed_by(tx, ws.project_id, passages, filters)
        words = lexical.look_up(tx, ws.project_id, passages, query) if mode != "dense" else lexical.Words((), ())
        bm25 = lexical.bm25(passages, words, allowed)
        near = _dense(ws, tx, passages, query, bm25, allowed, filters.narrow) if mode != "lexical" else _Near(None, 0.0, "")
        parts = _text_parts(recipe, mode, bm25, near)
        score = _total(parts, passages.count)
        if mode == "hybrid":
            parts |= _context_parts(tx, ws, passages, query, recipe, words, allowed, score)
            score = _total(parts, passages.count)
        found = _graph(ws, tx, passages, query, mode, recipe, score, allowed)
    raw = {"bm25": bm25} | ({"cosine": near.cosine} if near.cosine is not None else {})
    if found.score is not None:
        raw["walk"] = found.score
        parts = _with_graph(parts, score, found, mode, passages.ids)
        score = _total(parts, passages.count)
    elif mode == "graph":
        parts, score = {"graph": np.zeros_like(score)}, np.zeros_like(score)
    return Ranking(recipe, mode, allowed, words, parts, raw, np.round(score, 6), passages.ids, found, near.missing)


@dataclass(frozen=True, slots=True)
class _Near:
    cosine: Floats | None
    share: float
    missing: str


def _dense(ws: Workspace, tx: Tx, passages: Passages, query: str, bm25: Floats, allowed: Mask, filtered: bool) -> _Near:
    served = dense.serving(ws, tx, passages)
    vector = served.embedder.embed_query(query)
    near, missing = dense.nearest(ws, served, passages, vector, allowed, filtered)
    if missing:
        return _Near(None, 0.0, missing)
    by_words = _first(bm25, CANDIDATES, passages.ids)
    candidates = np.union1d(near, by_words[bm25[by_words] > 0]).astype(np.int32)
    scores = np.zeros(passages.count, dtype=np.float32)
    scores[candidates] = np.maximum(dense.cosines(ws, served, tx, passages, vector, candidates), 0.0)
    return _Near(scores, DENSE_OF_TABLE if served.embedder.name.startswith("wordllama") else DENSE_OF_MODEL, served.said)


def _text_parts(recipe: Recipe, mode: str, bm25: Floats, near: _Near) -> dict[str, Floats]:
    if mode == "lexical" or near.cosine is None:
        return {"lexical": context.spread(bm25)}
    if mode == "dense":
        return {"dense": context.spread(near.cosine)}
    share = (recipe.dense if recipe.dense is not None else near.share) if near.cosine.any() else 0.0
    return {"lexical": np.float32(1 - share) * context.spread(bm25), "dense": np.float32(share) * context.spread(near.cosine)}


def _context_parts(
    tx: Tx, ws: Workspace, passages: Passages, query: str, recipe: Recipe, words: lexical.Words, allowed: Mask, score: Floats
) -> dict[str, Floats]:
    beside = context.neighbours(passages, score, recipe.near, recipe.far, recipe.asked) * allowed
    own = (score > 0).astype(np.float32)
    fits = ((score > 0) | (beside > 0)).astype(np.float32)
    spoken = passages.speaker >= 0
    share = np.where(spoken, recipe.session, recipe.document).astype(np.float32)
    by_source = context.named_sources(passages, query)
    parts = {
        "neighbours": beside,
        "parent": share * lexical.parent_bm25(passages, words, allowed) * allowed,
        "speaker": np.float32(recipe.speaker) * context.named_speakers(passages, query) * own,
        "source": np.float32(recipe.source * context.telling(by_source, allowed)) * by_source * own,
        "date": np.float32(recipe.date) * context.dated(passages, allowed, query) * fits,
    }
    if recipe.recency:
        parts["recency"] = np.float32(recipe.recency) * context.recency(passages, allowed) * fits
    if recipe.importance:
        parts["importance"] = np.float32(recipe.importance) * context.importance(tx, ws.project_id, passages) * fits
    return parts


def _graph(ws: Workspace, tx: Tx, passages: Passages, query: str, mode: str, recipe: Recipe, score: Floats, allowed: Mask) -> Found:
    if mode not in ("hybrid", "graph") or (mode == "hybrid" and not recipe.graph) or not passages.count:
        return Found()
    walk = walk_of(ws, tx, passages)
    seeds = seeds_of(walk.links, query, passages.count)
    gate = open_gate(walk.links, score, len(seeds)) if mode == "hybrid" else 1.0
    weight = recipe.graph * gate
    if not seeds or weight < 1 / RANKED:
        return Found(gate, 0.0, seeds, walk=walk)
    best = float(score.max()) or 1.0
    fit = (score / best).astype(np.float32)
    reached = walk.activate(seeds, fit, lambda places: _texts(tx, passages, places), _Similarity(ws, query))
    return Found(gate, weight, seeds, reached, walk.rank(reached, fit, allowed), walk)


def _texts(tx: Tx, passages: Passages, places: Sequence[int]) -> dict[int, str]:
    numbers = {int(passages.numbers[place]): place for place in places}
    return {numbers[number]: text for number, text in tx.postings.texts(sorted(numbers)).items()}


class _Similarity:
    """How well sentences fit the query, by the table of word vectors: it takes no model and no call."""

    def __init__(self, ws: Workspace, query: str) -> None:
        self._ws, self._query = ws, query

    def __call__(self, texts: Sequence[str]) -> Floats:
        from beacon.llm.static_embedder import shared_embedder

        table = shared_embedder()
        scores: Floats = table.embed(texts) @ table.embed_query(self._query)
        return scores


def _with_graph(parts: dict[str, Floats], score: Floats, found: Found, mode: str, ids: Any) -> dict[str, Floats]:
    """Reciprocal ranks, weighted and scaled to 1: what the text gave keeps its proportions, the graph is a part of its own."""
    assert found.score is not None
    walked = _reciprocal(found.score, ids)
    if mode == "graph":
        return {"graph": (RANK_OFFSET + 1) * walked}
    scale = (RANK_OFFSET + 1) / (1 + found.weight)
    text = scale * _reciprocal(score, ids)
    ratio = np.divide(text, score, out=np.zeros_like(text), where=score > 0)
    return {name: column * ratio for name, column in parts.items()} | {"graph": np.float32(scale * found.weight) * walked}


def _reciprocal(scores: Floats, ids: Any) -> Floats:
    found = np.zeros_like(scores)
    order = _first(scores, RANKED, ids)
    order = order[scores[order] > 0]
    found[order] = 1.0 / (RANK_OFFSET + 1 + np.arange(len(order), dtype=np.float32))
    return found


def _first(scores: Floats, depth: int, ids: Any) -> Ints:
    """The best `depth` of those above 0, ties by id."""
    found = np.flatnonzero(scores > 0)
    if len(found) > depth:
        least = np.partition(scores[found], -depth)[-depth]
        found = found[scores[found] >= least]
    return found[np.lexsort((ids[found], -scores[found]))][:depth].astype(np.int32)


def _total(parts: dict[str, Floats], count: int) -> Floats:
    total = np.zeros(count, dtype=np.float32)
    for column in parts.values():
        total = total + column
    return total.astype(np.float32)
