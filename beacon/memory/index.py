"""What is remembered, as columns of numbers held in memory: found without reading every memory, and kept in step with the records."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from beacon.analyst.tokens import content_tokens, fold, tokenize
from beacon.domain.ids import digest
from beacon.llm.embedding import text_sha
from beacon.memory.score import CORE_ATTRIBUTES, CORE_SUBJECTS, DIGITS, HIGH_IMPORTANCE, OFTEN_USED
from beacon.memory.vectors import text_vectors
from beacon.projections import embedder_key
from beacon.stores.records.store import Records, Tx
from beacon.workspace import Workspace

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
FOREVER = 4e9  # seconds since 1970, long after any clock here
WORN = 0.25  # share of rows that hold no more, from which everything is read anew
ROOM = 1.5  # how much is asked for when the columns are full
_NUMBERS = ("importance", "seen", "recorded", "begun", "ended")


class MemoryIndex:
    """One row a memory that holds. A memory that was written again has a new row, and its old one is dead."""

    def __init__(self, width: int) -> None:
        self.state = (0, 0)
        self.count = 0
        self.dead = 0
        self.ids: list[str] = []
        self.row_of: dict[str, int] = {}
        self.vectors: Floats = np.zeros((0, width), dtype=np.float32)
        self.signs: npt.NDArray[np.uint64] = np.zeros((0, -(-width // 64)), dtype=np.uint64)  # of the vectors' numbers, one bit each
        self.numbers: dict[str, npt.NDArray[np.float64]] = {name: np.zeros(0) for name in _NUMBERS}
        self.alive: Mask = np.zeros(0, dtype=np.bool_)
        self.kept: Mask = np.zeros(0, dtype=np.bool_)  # never fades
        self.announced: Mask = np.zeros(0, dtype=np.bool_)
        self.words: dict[str, array[int]] = {}  # term → rows
        self.named: dict[tuple[str, str], array[int]] = {}  # (category, name) → rows: who may see it, tier, person, topic, channel, emotion
        self.spelled: dict[str, set[tuple[str, str]]] = {}  # words of a person's, channel's or emotion's name → (category, name)
        self._seen: dict[tuple[Any, ...], Mask] = {}
        self.longest = 0  # words in a name
        self.events = array("q")  # cited events, as numbers
        self.event_rows = array("i")

    @property
    def megabytes(self) -> float:
        """What the vectors take."""
        return self.vectors.nbytes / 1e6

    def follow(self, rows: Sequence[Any], vectors: Mapping[str, Floats]) -> None:
        """Take in what was written since."""
        self._make_room(len(rows))
        for row in rows:
            self._retire(row.id)
            if row.status == "current":
                self._add(row, vectors[text_sha(row.text)])

    def _make_room(self, more: int) -> None:
        needed = self.count + more
        if needed <= len(self.alive):
            return
        size = needed if not self.count else int(needed * ROOM)
        self.vectors = np.concatenate([self.vectors[: self.count], np.zeros((size - self.count, self.vectors.shape[1]), dtype=np.float32)])
        self.signs = np.concatenate([self.signs[: self.count], np.zeros((size - self.count, self.signs.shape[1]), dtype=np.uint64)])
        self.numbers = {name: np.concatenate([kept[: self.count], np.zeros(size - self.count)]) for name, kept in self.numbers.items()}
        blank = np.zeros(size - self.count, dtype=np.bool_)
        self.alive, self.kept, self.announced = (
            np.concatenate([kept[: self.count], blank]) for kept in (self.alive, self.kept, self.announced)
        )

    def _retire(self, memory_id: str) -> None:
        at = self.row_of.pop(memory_id, None)
        if at is not None:
            self.alive[at] = False
            self.dead += 1

    def _add(self, row: Any, vector: Floats) -> None:
        at = self.count
        self.count += 1
        self.ids.append(row.id)
        self.row_of[row.id] = at
        self.vectors[at], self.signs[at] = vector, signs_of(vector)
        self.alive[at], self.announced[at] = True, bool(row.announced)
        core = row.subject in CORE_SUBJECTS and row.attribute in CORE_ATTRIBUTES
        self.kept[at] = bool(row.pinned) or row.importance >= HIGH_IMPORTANCE or row.access_count >= OFTEN_USED or core
        times = (row.last_access_at, row.recorded_at, row.valid_from, row.valid_to)
        seen, recorded, begun, ended = (one.timestamp() if one else None for one in times)
        given = (row.importance, seen, recorded, recorded if begun is None else begun, FOREVER if ended is None else ended)
        for name, value in zip(_NUMBERS, given, strict=True):
            self.numbers[name][at] = value
        for term in terms_of(row.text, row.people):
            self.words.setdefault(term, array("i")).append(at)
        for key in _categories(row):
            if key not in self.named:
                self._name(*key)
            self.named[key].append(at)
        for citation in row.citations:
            if citation.get("event_id"):
                self.events.append(event_number(citation["event_id"]))
                self.event_rows.append(at)

    def _name(self, category: str, name: str) -> None:
        self.named[category, name] = array("i")
        if category in ("person", "channel", "emotion") and (words := spelled(name)):
            self.spelled.setdefault(words, set()).add((category, name))
            self.longest = max(self.longest, words.count(" ") + 1)

    def rows(self, category: str, name: str) -> npt.NDArray[np.int32]:
        """The rows of a category."""
        return _array(self.named.get((category, name)))

    def mask(self, category: str, names: Iterable[str]) -> Mask:
        """Which rows belong to any of these."""
        found = np.zeros(self.count, dtype=np.bool_)
        for name in names:
            found[self.rows(category, name)] = True
        return found

    def names_in(self, text: str) -> dict[str, frozenset[str]]:
        """category → the names of people, channels and emotions that stand in a text."""
        words = tokenize(text)
        runs = {" ".join(words[at : at + size]) for size in range(1, self.longest + 1) for at in range(len(words) - size + 1)}
        found = [key for run in runs for key in self.spelled.get(run, ())]
        return {kind: frozenset(name for category, name in found if category == kind) for kind in ("person", "channel", "emotion")}

    def visible(self, user_id: str, tiers: Sequence[str] | None) -> Mask:
        """What a user may see: the user's own and the project's."""
        key = (self.state, user_id, None if tiers is None else tuple(sorted(tiers)))
        if key not in self._seen:
            mine = self.mask("reader", ["", user_id]) & self.alive[: self.count]
            self._seen = {kept: mask for kept, mask in self._seen.items() if kept[0] == self.state}
            self._seen[key] = mine if tiers is None else mine & self.mask("tier", tiers)
        return self._seen[key]

    def holding(self, mask: Mask, now: datetime) -> Mask:
        """Of these rows, those that may be stated at a moment as they stand: not ended, and begun if announced beforehand."""
        at, n = now.timestamp(), self.count
        begun, ended = self.numbers["begun"][:n], self.numbers["ended"][:n]
        late = np.where(self.announced[:n], at, np.maximum(at, begun))
        holds: Mask = mask & (begun <= late) & (late < ended)
        return holds

    def covering(self, terms: Iterable[str], mask: Mask) -> tuple[dict[str, float], npt.NDArray[np.float64]]:
        """term → log(1 + N / df) among these rows (one that none has weighs as the rarest), and each row's share of all weights."""
        ordered, n = sorted(terms), int(np.count_nonzero(mask))
        found = np.zeros(self.count)
        wanted: dict[str, float] = {}
        for term in ordered:
            rows = _array(self.words.get(term))
            rows = rows[mask[rows]]
            wanted[term] = round(math.log(1 + n / len(rows)) if len(rows) else math.log(1 + max(n, 1)), DIGITS)
            found[rows] += wanted[term]
        total = sum(wanted.values())
        return wanted, found / total if total else found

    def citing(self, event_ids: Sequence[str]) -> set[str]:
        """The memories that may rest on one of these events; two in a billion may be others."""
        wanted = np.array([event_number(one) for one in event_ids], dtype=np.int64)
        rows = _array(self.event_rows)[np.isin(_array(self.events), wanted)]
        return {self.ids[row] for row in rows[self.alive[rows]].tolist()}


def _array(kept: "array[int] | None") -> npt.NDArray[Any]:
    """The numbers without a copy: not to be held on to, as what is looked at cannot grow."""
    if not kept:
        return np.zeros(0, dtype=np.int32)
    return np.frombuffer(kept, dtype=np.int64 if kept.typecode == "q" else np.int32)


def signs_of(vector: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """The signs of a vector's numbers, 64 to a word."""
    bits = np.packbits(np.asarray(vector) > 0)
    return np.pad(bits, (0, -len(bits) % 8)).view(np.uint64)


def event_number(event_id: str) -> int:
    """An event's id as a number of 60 bits."""
    try:
        return int(event_id[-15:], 16)
    except ValueError:
        return int(digest(event_id)[:15], 16)


def _categories(row: Any) -> Iterable[tuple[str, str]]:
    yield "reader", "" if row.scope == "project" else row.user_id
    yield "tier", row.tier
    yield from dict.fromkeys(("person", fold(one)) for one in row.people)
    for category, name in (("topic", row.topic_id), ("channel", row.channel), ("emotion", row.emotion)):
        if name:
            yield category, name


def terms_of(text: str, people: Iterable[str] = ()) -> frozenset[str]:
    """The words by which a memory is found: of its text, and of the people in it."""
    return _terms(" ".join([text, *people]))


@lru_cache(maxsize=20_000)
def _terms(text: str) -> frozenset[str]:
    return frozenset(content_tokens(text))


def spelled(name: str) -> str:
    """A name as its words, one blank between them."""
    return " ".join(tokenize(name))


_known: "WeakKeyDictionary[Records, dict[tuple[str, str], MemoryIndex]]" = WeakKeyDictionary()
_turn = RLock()


def index_of(ws: Workspace, tx: Tx) -> MemoryIndex:
    """The project's index as the records stand. Raises UnavailableError when the embedder does not answer."""
    with _turn:
        kept = _known.setdefault(ws.records, {})
        key = (ws.project_id, embedder_key(ws))
        index = kept.get(key)
        state = tx.memories.state(ws.project_id)
        if index is not None and index.state == state:
            return index
        fresh = index is None or index.state[1] != state[1] or index.state[0] > state[0] or index.dead > WORN * index.count + 1000
        if index is None or fresh:
            index = MemoryIndex(ws.embedder.dimension)
        rows = tx.memories.written_after(ws.project_id, index.state[0])
        index.follow(rows, text_vectors(ws, [row.text for row in rows if row.status == "current"]))
        index.state = state
        kept[key] = index
        return index


@contextmanager
def reading(ws: Workspace, tx: Tx) -> Iterator[MemoryIndex]:
    """The index, which does not change while the block runs."""
    with _turn:
        yield index_of(ws, tx)
