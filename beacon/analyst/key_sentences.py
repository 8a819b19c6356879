"""The sentences that say most: central, to the point, informative, recent, and not twice the same."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from beacon.analyst.asking import answer_type, has_type, held, question_terms
from beacon.analyst.quantities import date_set, find_names, find_quantities, number_set
from beacon.analyst.similarity import TermWeights, Vector, build_weights, cosine, word_terms
from beacon.analyst.statements import is_boilerplate, statement_key
from beacon.analyst.substance import is_meta, substance
from beacon.analyst.tokens import is_stop_word, spell_out, tokenize, without_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

DAMPING = 0.85  # TextRank, Mihalcea and Tarau 2004
_ROUNDS = 40
_MOST = 1200  # candidates ranked by the graph; a longer list is first cut by closeness to its centre and query
_HALF_LIFE_DAYS = 45.0
_WITH_QUERY = {"centrality": 0.25, "relevance": 0.5, "information": 0.15, "recency": 0.1}
_WITHOUT_QUERY = {"centrality": 0.55, "relevance": 0.0, "information": 0.3, "recency": 0.15}
_DANGLING = frozenset("this that these those it they he she but and so because however also then such i we you well yes no yeah".split())
_LEANING = re.compile(
    r"(?:in|on|at|for|to|with|of|by|from|under|after|before|during|given|despite|because of)\s+(?:such|this|that|these|those|doing so)\b"
    r"|(?:in|on|by|at|since|until|after|for)\s+(?:[^\s,]+\s+){0,3}?[^\s,]+,?\s+(?:it|he|she|they)\s+(?:\w+ly|nevertheless|also|then|again|still)\b",
    re.I,
)
_TALK = frozenset("i you we me my your our".split())
_LEAD_IN = re.compile(
    r"^[\W_]*(?:first of all|first|second|third|finally|lastly|for example|for instance|in other words|of course|in addition|again|another|"
    r"there(?:['’]s| is| are))\b",
    re.I,
)
_LABELLED = re.compile(r"^[^\W\d][\w./-]{1,40}: \S")  # a field: its label, its value
_SAME = 0.85  # likeness from which two sentences are one
_REPLACED = 0.72  # likeness from which a later sentence with other numbers takes the place of an earlier one
_UNTYPED = 0.85  # what is left of a sentence that lacks the kind of thing the question asks for


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be chosen."""

    id: str
    text: str
    date: datetime | None = None
    source_id: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chosen sentence; `score` is the weighted sum of `parts` times `clarity`."""

    id: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


def rank_sentences(
    sentences: Sequence[Candidate], *, query: str = "", k: int, vectors: "NDArray[np.float64] | None" = None, diversity: float = 0.7
) -> list[Ranked]:
    """The `k` best sentences, best first, none of them a repetition of another.

    `vectors` (one unit row a sentence) make likeness one of meaning as well; `diversity` is the λ of MMR: 1 ignores repetition.
    """
    order = _distinct(sentences)
    if not order or k <= 0:
        return []
    terms = [word_terms(spell_out(without_links(sentences[i].text))) for i in order]
    weights = build_weights(terms)
    rows = [weights.vector(one) for one in terms]
    wanted = weights.vector(question_terms(query)) if query else {}
    keep = _closest(rows, wanted)
    order, rows = [order[i] for i in keep], [rows[i] for i in keep]
    alike = _likeness_matrix(rows, None if vectors is None else vectors[order])
    scored = _score([sentences[i] for i in order], rows, wanted, weights, alike, query)
    fresh = _not_replaced([sentences[i] for i in order], alike)
    order, scored, alike = [order[i] for i in fresh], [scored[i] for i in fresh], alike[np.ix_(fresh, fresh)]
    return _pick([sentences[i].id for i in order], scored, alike, k, diversity)


def spread(ids: Sequence[str], sources: Sequence[str], most: int = 2) -> list[str]:
    """`ids` in order, but of one source no more than `most` before every other source was heard."""
    counts: Counter[str] = Counter()
    first: list[str] = []
    later: list[str] = []
    for one, source in zip(ids, sources, strict=True):
        counts[source] += 1
        (first if counts[source] <= most else later).append(one)
    return first + later


def _not_replaced(chosen: Sequence[Candidate], alike: "NDArray[np.float64]") -> list[int]:
    """The places of what no later sentence says again with other numbers."""
    gone: set[int] = set()
    for i, j in zip(*np.nonzero(np.triu(alike >= _REPLACED)), strict=True):
        left, right = chosen[i].date, chosen[j].date
        if left and right and left != right and number_set(chosen[i].text) != number_set(chosen[j].text):
            gone.add(int(i if left < right else j))
    return [place for place in range(len(chosen)) if place not in gone]


def _distinct(sentences: Sequence[Candidate]) -> list[int]:
    seen: set[str] = set()
    found = []
    for index in sorted(range(len(sentences)), key=lambda i: sentences[i].id):
        key = statement_key(sentences[index].text)
        if key and key not in seen and (_LABELLED.match(sentences[index].text) or not is_boilerplate(sentences[index].text)):
            seen.add(key)
            found.append(index)
    return found


def _closest(rows: Sequence[Vector], wanted: Vector) -> list[int]:
    if len(rows) <= _MOST:
        return list(range(len(rows)))
    sums: dict[str, float] = {}
    for row in rows:
        for term, value in row.items():
            sums[term] = sums.get(term, 0.0) + value
    near = [(cosine(row, sums) if not wanted else 0.0) + 2 * cosine(row, wanted) for row in rows]
    best = sorted(range(len(rows)), key=lambda i: (-round(near[i], 6), i))[:_MOST]
    return sorted(best)


def _likeness_matrix(rows: Sequence[Vector], vectors: "NDArray[np.float64] | None") -> "NDArray[np.float64]":
    places = {term: n for n, term in enumerate(sorted({term for row in rows for term in row}))}
    matrix = np.zeros((len(rows), max(1, len(places))))
    for i, row in enumerate(rows):
        for term, value in row.items():
            matrix[i, places[term]] = value
    alike = matrix @ matrix.T
    if vectors is not None:
        alike = (alike + np.clip(vectors @ vectors.T, 0.0, 1.0)) / 2
    np.fill_diagonal(alike, 0.0)
    return np.round(alike, 6)


def _centrality(alike: "NDArray[np.float64]") -> list[float]:
    """TextRank by power iteration, scaled so that the most central is 1."""
    count = len(alike)
    sums = alike.sum(axis=1, keepdims=True)
    moves = np.divide(alike, sums, out=np.full_like(alike, 1.0 / count), where=sums > 0)
    rank = np.full(count, 1.0 / count)
    for _ in range(_ROUNDS):
        rank = (1 - DAMPING) / count + DAMPING * (moves.T @ rank)
    return [round(float(value), 6) for value in rank / rank.max()]


def _score(
    chosen: Sequence[Candidate], rows: Sequence[Vector], wanted: Vector, weights: TermWeights, alike: "NDArray[np.float64]", query: str
) -> list[tuple[float, dict[str, float]]]:
    shares = _WITH_QUERY if wanted else _WITHOUT_QUERY
    central = _centrality(alike)
    newest = max((one.date for one in chosen if one.date), default=None)
    nearest = [cosine(row, wanted) for row in rows]
    top = max(nearest, default=0.0) or 1.0
    kind = answer_type(query) if query else "any"
    asked = question_terms(query) if query else ()
    asked = tuple(term for term in asked if not term.isdigit()) or asked  # a sentence's terms are its words
    scored = []
    for place, candidate in enumerate(chosen):
        parts = {
            "centrality": central[place],
            "relevance": round(0.5 * nearest[place] / top + 0.5 * _held_share(asked, rows[place], weights), 6),
            "information": _information(candidate.text),
            "recency": _recency(candidate.date, newest),
            "asked": round(_held_share(asked, rows[place], weights), 6),
            "held": round(sum(held(term, rows[place]) for term in asked) / len(asked), 6) if asked else 0.0,
        }
        clear = clarity(candidate.text) * (1.0 if has_type(candidate.text, query, kind) else _UNTYPED)
        score = sum(share * parts[name] for name, share in shares.items()) * clear
        scored.append((round(score, 6), parts | {"clarity": clear}))
    return scored


def _held_share(asked: Sequence[str], row: Vector, weights: TermWeights) -> float:
    """The weighted share of the question's terms that a sentence holds; what every sentence holds weighs little."""
    telling = {term: weights.idf.get(term, weights.default) ** 2 for term in asked}
    whole = sum(telling.values())
    return sum(held(term, row) * weight for term, weight in telling.items()) / whole if whole else 0.0


def _information(text: str) -> float:
    """0-1: how many numbers, dates and names a sentence carries."""
    text = without_links(text)
    amount = 1.0 * len(find_quantities(text)) + 0.8 * len(date_set(text)) + 0.6 * len(find_names(text))
    return round(1 - math.exp(-amount / 2), 6)


def _recency(date: datetime | None, newest: datetime | None) -> float:
    if date is None or newest is None:
        return 0.5
    days = (newest - date).total_seconds() / 86_400
    return round(math.exp2(-days / _HALF_LIFE_DAYS), 6)


def clarity(text: str) -> float:
    """0-1: how well a sentence stands alone; questions, fragments, overlong and dangling ones stand badly."""
    words = tokenize(text)
    value = 1.0
    if _LABELLED.match(text):
        return round(0.4 + 0.6 * substance(text), 6)
    if text.rstrip(" \"'”»)")[-1:] in "?？؟":
        value *= 0.4
    if words and words[0] in _DANGLING:
        value *= 0.75
    if _LEAD_IN.match(text):
        value *= 0.85
    if len(words) < 5:
        value *= 0.5
    elif len(words) < 8:
        value *= 0.85
    if len(words) > 45:
        value *= 0.8
    if text.rstrip().endswith(("...", "…")):
        value *= 0.4
    if text[-1:] in ":;," or (text[:1].islower() and text[:1].isascii()):
        value *= 0.7
    if is_meta(text):
        value *= 0.3
    return round(value * _spoken(words) * (0.4 + 0.6 * substance(text)), 6)


def stands_alone(text: str) -> bool:
    """False for a sentence whose first words point to one before it, and for one that was broken off."""
    words = tokenize(text)
    pointing = bool(words) and words[0] in _DANGLING and not _LABELLED.match(text)
    return not (pointing or _LEANING.match(text) or text.rstrip().endswith((":", ";", ",", "...", "…")))


def _spoken(words: Sequence[str]) -> float:
    """Less than 1 for loose speech: words said twice, much talk of you and me, few words of content."""
    value = 1.0
    if any(one == two for one, two in pairwise(words)):
        value *= 0.8
    if sum(word.partition("'")[0] in _TALK for word in words) >= 3:
        value *= 0.8
    if len(words) >= 12 and sum(not is_stop_word(word) for word in words) < 0.42 * len(words):
        value *= 0.85
    return value


def _pick(
    ids: Sequence[str], scored: Sequence[tuple[float, dict[str, float]]], alike: "NDArray[np.float64]", k: int, diversity: float
) -> list[Ranked]:
    """Maximal marginal relevance (Carbonell and Goldstein 1998); ties by id."""
    left = list(range(len(ids)))
    nearest = [0.0] * len(ids)
    picked: list[Ranked] = []
    while left and len(picked) < k:
        best = min(left, key=lambda i: (-round(diversity * scored[i][0] - (1 - diversity) * nearest[i], 6), ids[i]))
        picked.append(Ranked(ids[best], scored[best][0], scored[best][1]))
        for i in left:
            nearest[i] = max(nearest[i], float(alike[best, i]))
        left = [i for i in left if i != best and nearest[i] < _SAME]
    return picked
