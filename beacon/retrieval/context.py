"""What speaks for a passage beside its own words: its neighbours, what it is part of, who said it, where it stands, and when."""

import re
from datetime import date

import numpy as np

from beacon.analyst.moments import find_moment
from beacon.analyst.quantities import find_dates
from beacon.analyst.tokens import STOP_WORDS, tokenize
from beacon.retrieval.passages import Floats, Mask, Passages
from beacon.stores.records.store import Tx

DEPTH = 200  # how far down a ranking its lowest score is taken: min-max of the best, 0 for the rest
LONGEST_NAME = 6  # words
MOST_WORDS, MOST_PERIODS = 200, 8  # of a query that are looked at
_YEAR = re.compile(r"(?<![\w.,-])[12]\d{3}(?![\w-])(?![.,]\d)")


def spread(scores: Floats, depth: int = DEPTH) -> Floats:
    """Scores mapped to 0-1: the best is 1, what is not among the `depth` best is 0."""
    if not len(scores):
        return scores
    best = float(scores.max())
    low = _lowest(scores, depth)
    if best <= low:
        return (scores >= best).astype(np.float32) if best > 0 else np.zeros_like(scores)
    scaled: Floats = np.clip((scores - low) / (best - low), 0.0, 1.0).astype(np.float32)
    return scaled


def _lowest(scores: Floats, depth: int) -> float:
    """The lowest of the `depth` best scores. Most are 0: those are not sorted through."""
    if len(scores) <= depth:
        return float(scores.min())
    above = scores[scores > 0]
    if len(above) >= depth:
        return float(np.partition(above, -depth)[-depth])
    return float(np.partition(scores, -depth)[-depth]) if scores.min() < 0 else 0.0


def neighbours(passages: Passages, scores: Floats, near: float, far: float, asked: float) -> Floats:
    """What each turn of a conversation gets from those beside it in the same session, most from a question it follows.

    Written passages get nothing: a paragraph stands for itself, a turn leans on what it answers.
    """
    order = passages.order
    said, parent = scores[order], passages.parent[order]
    spoken, asks = passages.speaker[order] >= 0, passages.asks[order]
    got = np.zeros_like(said)
    for step, share in ((1, near), (2, far)):
        if len(said) > step:
            together = (parent[step:] == parent[:-step]) & spoken[step:]
            more = asked * asks[:-step] if step == 1 else 0.0
            got[step:] += (share + more) * said[:-step] * together
            got[:-step] += share * said[step:] * together
    back = np.empty_like(got)
    back[order] = got
    return back


def named_speakers(passages: Passages, query: str) -> Mask:
    """Which passages are said by somebody the query names: by the whole name, or by a first name written large."""
    words = set(tokenize(query))
    large = {token for part in re.findall(r"\b[^\W\d_]\w*", query) if part[0] != part[0].lower() for token in tokenize(part)}
    named = [n for n, name in enumerate(passages.speakers) if _is_named(tokenize(name), words, large)]
    return np.isin(passages.speaker, named) if named else np.zeros(passages.count, dtype=np.bool_)


def _is_named(name: list[str], words: set[str], large: set[str]) -> bool:
    telling = [token for token in name if token not in STOP_WORDS]
    return bool(telling) and (set(telling) <= words or telling[0] in large)


def named_sources(passages: Passages, query: str) -> Mask:
    """Which passages are from a source that the query names by its publisher, participant, series or web host."""
    words = tokenize(query)[:MOST_WORDS]
    found: set[int] = set()
    for size in range(1, min(LONGEST_NAME, len(words)) + 1):
        for at in range(len(words) - size + 1):
            if any(word not in STOP_WORDS for word in words[at : at + size]):
                found.update(passages.source_names.get(" ".join(words[at : at + size]), ()))
    return np.isin(passages.source, sorted(found)) if found else np.zeros(passages.count, dtype=np.bool_)


def dated(passages: Passages, allowed: Mask, query: str) -> Floats:
    """0-1: how telling it is that a passage speaks from a day, month or year the query names."""
    found = np.zeros(passages.count, dtype=np.float32)
    for first, last in _periods(query):
        within = (passages.day >= first) & (passages.day <= last)
        found = np.maximum(found, within * np.float32(telling(within, allowed)))
    return found


def _periods(query: str) -> list[tuple[int, int]]:
    """First and last days, as ordinals, of the times a query names; a bare year is one where it belongs to no date."""
    found, taken = [], []
    for start, end, _ in find_dates(query):
        if moment := find_moment(query[start:end]):
            found.append((moment.first.toordinal(), moment.last.toordinal()))
            taken.append((start, end))
    for year in _YEAR.finditer(query):
        if not any(start <= year.start() < end for start, end in taken):
            found.append((date(int(year[0]), 1, 1).toordinal(), date(int(year[0]), 12, 31).toordinal()))
    return found[:MOST_PERIODS]


def recency(passages: Passages, allowed: Mask) -> Floats:
    """0-1: the share of the allowed passages that are no newer. Counted in ranks, so that it needs no scale of days."""
    days = np.sort(passages.day[allowed])
    if not len(days) or days[0] == days[-1]:
        return np.zeros(passages.count, dtype=np.float32)
    return (np.searchsorted(days, passages.day, side="right") / len(days)).astype(np.float32)


def importance(tx: Tx, project_id: str, passages: Passages) -> Floats:
    """0-1: the greatest importance of what is remembered of a passage's document."""
    at = {key: n for n, key in enumerate(passages.version_ids)}
    greatest = np.zeros(len(at) or 1, dtype=np.float32)
    for version_id, value in tx.postings.importance(project_id):
        if version_id in at:
            greatest[at[version_id]] = max(float(greatest[at[version_id]]), value)
    best = float(greatest.max())
    return (greatest[passages.version] / best).astype(np.float32) if best > 0 and passages.count else np.zeros(passages.count, np.float32)


def telling(mask: Mask, allowed: Mask) -> float:
    """0-1: how much it says to be among `mask`: nothing when all are, nearly everything when few are."""
    n = int(allowed.sum())
    return 1.0 - int((mask & allowed).sum()) / n if n else 0.0
