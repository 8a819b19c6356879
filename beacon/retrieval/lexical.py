"""Full text: BM25 over the words of a query, for passages and for what they are part of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from beacon.analyst.tokens import STOP_WORDS, tokenize
from beacon.retrieval.passages import Floats, Mask, Passages, Posting
from beacon.stores.records.store import Tx

K1, B = 0.9, 0.4  # of passages: measured on turns and on paragraphs, findings of 2026-11; close to Anserini's defaults
PARENT_K1, PARENT_B = 1.2, 0.75  # of whole documents and sessions: Robertson & Zaragoza 2009, section 3.4
LOOKED_UP = 96  # different words of a query, the longest, whose frequency is asked for; unknown words do not count
MOST_WORDS = 3000  # of a query that are read
TERMS = 32  # of those, the rarest decide; the rest costs time
POSTINGS = 60_000  # read for one query, rarest words first


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a query as the index knows them, with where each stands."""

    terms: tuple[str, ...]
    postings: tuple[Posting, ...]


def query_terms(query: str) -> list[str]:
    """The words of a query worth looking up: no stop-words unless there is nothing else."""
    words = list(dict.fromkeys(tokenize(query)))[:MOST_WORDS]
    return [w for w in words if w not in STOP_WORDS] or words


def look_up(tx: Tx, project_id: str, passages: Passages, query: str) -> Words:
    """Where the words of the query stand; the most common ones are passed over once enough has been read."""
    stems = tx.postings.stems(query_terms(query))
    counted = sorted(_counted(tx, passages, stems))
    chosen: dict[str, Posting] = {}
    read = 0
    for frequency, _, stem in counted:
        if len(chosen) == TERMS or (chosen and read + frequency > POSTINGS):
            break
        posting = passages.posting(stem, lambda stem=stem: tx.postings.places(stem, project_id))  # type: ignore[misc]
        if len(posting.at):
            chosen[stem] = posting
            read += len(posting.at)
    ordered = [stem for stem in stems if stem in chosen]
    return Words(tuple(ordered), tuple(chosen[stem] for stem in ordered))


def _counted(tx: Tx, passages: Passages, stems: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(frequency, place in the query, stem) of the stems that occur, longest first, as long as there is room for them."""
    room = LOOKED_UP
    for n, stem in sorted(enumerate(stems), key=lambda pair: (-len(pair[1]), pair[0])):
        frequency = passages.frequencies.get(stem)
        if frequency is None:
            frequency = passages.frequencies[stem] = tx.postings.frequency(stem)
        if not room:
            return
        if frequency:
            room -= 1
            yield frequency, n, stem


def bm25(passages: Passages, words: Words, allowed: Mask) -> Floats:
    """A score a passage, 0 where it holds none of the words or is not allowed. Robertson & Zaragoza 2009, with Lucene's idf."""
    total = np.zeros(passages.count, dtype=np.float32)
    n = int(allowed.sum())
    if not n:
        return total
    norm = K1 * (1 - B + B * passages.length / float(passages.length[allowed].mean()))
    for posting in words.postings:
        here = allowed[posting.at]
        at, times = posting.at[here], posting.times[here]
        total[at] += idf(n, len(at)) * (times * (K1 + 1) / (times + norm[at]))
    return total


def parent_bm25(passages: Passages, words: Words, allowed: Mask) -> Floats:
    """A score a passage: that of the whole document or session it is part of, the best 1; all 0 when there is only one."""
    sizes = np.bincount(passages.parent[allowed], weights=passages.length[allowed], minlength=passages.parents)
    there = sizes > 0
    n = int(there.sum())
    if n < 2:
        return np.zeros(passages.count, dtype=np.float32)
    norm = PARENT_K1 * (1 - PARENT_B + PARENT_B * sizes / sizes[there].mean())
    total = np.zeros(passages.parents)
    for posting in words.postings:
        here = allowed[posting.at]
        times = np.bincount(passages.parent[posting.at[here]], weights=posting.times[here], minlength=passages.parents)
        total += idf(n, int((times > 0).sum())) * times * (PARENT_K1 + 1) / np.where(there, times + norm, 1.0)
    best = total.max()
    scaled = total / best if best > 0 else total
    spread: Floats = np.where(allowed, scaled[passages.parent], 0.0).astype(np.float32)
    return spread


def idf(n: int, df: int) -> float:
    """How much a word says that stands in `df` of `n` places."""
    return float(np.log(1 + (n - df + 0.5) / (df + 0.5)))


def covered(words: Words, index: int) -> list[str]:
    """Which of the words stand in this passage."""
    return [term for term, posting in zip(words.terms, words.postings, strict=True) if _holds(posting.at, index)]


def _holds(ordered: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int32]], index: int) -> bool:
    at = int(np.searchsorted(ordered, index))
    return at < len(ordered) and int(ordered[at]) == index
