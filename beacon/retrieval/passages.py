"""A project's passages as columns of numbers, kept in memory as long as nothing changes: what every ranking counts over."""

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from threading import Lock
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from beacon.analyst.tokens import tokenize
from beacon.stores.records.store import Records, Tx
from beacon.workspace import Workspace

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

KEPT_POSTINGS = 4_000_000  # of words looked up before: 32 MB
ID_BYTES = 64
QUESTION_MARKS = ("?", "？", "؟", "\u037e", "՞")  # the fourth is the Greek one
PUBLISHERS = ("source", "publisher", "author", "site")  # what a manifest may call whoever a document is from
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})\b")


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a word stands: passages by index, ascending, and how often."""

    at: Ints
    times: Floats


@dataclass(eq=False)
class KeptVectors:
    """Vectors of passages by index, of one embedder."""

    embedder: str
    known: dict[int, Floats]


@dataclass(eq=False)
class Passages:
    """One row a passage, ordered by number. Indices into `version_ids`, `source_ids`, `speakers`; -1 is none."""

    state: tuple[int, int]
    numbers: npt.NDArray[np.int64]
    ids: npt.NDArray[np.bytes_]
    version: Ints
    source: Ints
    ordinal: Ints
    parent: Ints  # what a passage is part of: its document, or in a conversation the session
    speaker: Ints
    day: Ints  # proleptic ordinal of the date it speaks from
    length: Floats  # words
    current: Mask
    asks: Mask  # ends in a question that somebody asked
    version_ids: list[str]
    source_ids: list[str]
    titles: list[str]  # of versions
    withdrawn: Mask  # of versions
    speakers: list[str]
    source_names: dict[str, tuple[int, ...]]  # publisher, participant, series or web host, as words → sources
    vectors: KeptVectors | None = None
    frequencies: dict[str, int] = field(default_factory=dict, repr=False)  # of words looked up before
    complete: set[str] = field(default_factory=set)  # embedders that have given every passage its vector, or nearly
    _postings: "OrderedDict[str, Posting]" = field(default_factory=OrderedDict, repr=False)
    _kept: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)

    @property
    def count(self) -> int:
        """How many passages there are, in every version."""
        return len(self.numbers)

    @cached_property
    def order(self) -> Ints:
        """Indices by version and place: neighbours stand side by side."""
        return np.lexsort((self.ordinal, self.version)).astype(np.int32)

    @cached_property
    def parents(self) -> int:
        """How many parents there are."""
        return int(self.parent.max()) + 1 if self.count else 0

    def index_of(self, numbers: Sequence[int] | npt.NDArray[np.int64]) -> Ints:
        """Indices of these passage numbers, ascending; unknown ones are left out."""
        wanted = np.asarray(numbers, dtype=np.int64)
        at = np.searchsorted(self.numbers, wanted)
        inside = at < self.count
        at, wanted = at[inside], wanted[inside]
        return np.unique(at[self.numbers[at] == wanted]).astype(np.int32)

    def index_of_ids(self, ids: Sequence[str]) -> Ints:
        """Indices of these passage ids in their order; unknown ones are left out."""
        by_id, order = self._by_id
        wanted = np.array([key.encode() for key in ids], dtype=by_id.dtype)
        at = np.minimum(np.searchsorted(by_id, wanted), max(self.count - 1, 0))
        return order[at[by_id[at] == wanted]] if self.count else np.zeros(0, dtype=np.int32)

    @cached_property
    def _by_id(self) -> tuple[npt.NDArray[np.bytes_], Ints]:
        order = np.argsort(self.ids, kind="stable").astype(np.int32)
        return self.ids[order], order

    def id_at(self, index: int) -> str:
        """The id of a passage."""
        return str(self.ids[index].decode())

    def posting(self, term: str, read: Callable[[], Sequence[tuple[int, int]]]) -> Posting:
        """Where a term stands, as `read` tells it or as it was told before."""
        with self._lock:
            if known := self._postings.get(term):
                self._postings.move_to_end(term)
                return known
        rows = np.array(read(), dtype=np.int64).reshape(-1, 2)
        at = np.searchsorted(self.numbers, rows[:, 0])
        inside = at < self.count
        inside[inside] = self.numbers[at[inside]] == rows[inside, 0]
        found = Posting(at[inside].astype(np.int32), rows[inside, 1].astype(np.float32))
        with self._lock:
            self._postings[term] = found
            self._kept += len(found.at)
            while self._kept > KEPT_POSTINGS and len(self._postings) > 1:
                self._kept -= len(self._postings.popitem(last=False)[1].at)
        return found


_known: "WeakKeyDictionary[Records, dict[str, Passages]]" = WeakKeyDictionary()
_loading = Lock()


def passages_of(ws: Workspace) -> Passages:
    """The project's passages as they are now."""
    with ws.records.read() as tx:
        state = tx.postings.state(ws.project_id)
        kept = _known.get(ws.records, {}).get(ws.project_id)
        if kept is not None and kept.state == state:
            return kept
        with _loading:
            kept = _known.setdefault(ws.records, {}).get(ws.project_id)
            if kept is None or kept.state != state:
                kept = load_passages(tx, ws.project_id, state)
                _known[ws.records][ws.project_id] = kept
            return kept


def load_passages(tx: Tx, project_id: str, state: tuple[int, int]) -> Passages:
    """The passages, read from the records."""
    versions = list(tx.postings.versions(project_id))
    version_ids = [str(row[0]) for row in versions]
    sources = sorted({str(row[1]) for row in versions})
    version_at, source_at = _places(version_ids), _places(sources)
    columns = _Columns(version_at, source_at)
    for row in tx.postings.passages(project_id):
        columns.take(row)
    numbers = np.array(columns.numbers, dtype=np.int64)
    at_version = np.array(columns.version, dtype=np.int32)
    days = np.array([row[3].date().toordinal() if row[3] else 0 for row in versions], dtype=np.int32)
    said = np.array(columns.day, dtype=np.int32)
    return Passages(
        state=state,
        numbers=numbers,
        ids=np.array(columns.ids, dtype=f"S{ID_BYTES}") if columns.ids else np.zeros(0, dtype=f"S{ID_BYTES}"),
        version=at_version,
        source=np.array([source_at[str(versions[n][1])] for n in at_version.tolist()], dtype=np.int32),
        ordinal=np.array(columns.ordinal, dtype=np.int32),
        parent=np.array(columns.parent, dtype=np.int32),
        speaker=np.array(columns.speaker, dtype=np.int32),
        day=np.where(said > 0, said, days[at_version]) if len(said) else said,
        length=_lengths(tx, project_id, numbers),
        current=np.array(columns.current, dtype=np.bool_),
        asks=_questions(tx, project_id, numbers),
        version_ids=version_ids,
        source_ids=sources,
        titles=[str(row[2]) for row in versions],
        withdrawn=np.array([bool(row[4]) for row in versions], dtype=np.bool_),
        speakers=list(columns.speakers),
        source_names=_source_names(tx, project_id, source_at),
    )


def _source_names(tx: Tx, project_id: str, source_at: dict[str, int]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for key, url, participant, series, metadata in tx.postings.sources(project_id):
        host = (urlsplit(url).hostname or "").split(".") if "://" in url else []
        given = [participant, series, host[-2] if len(host) > 1 else "", *(metadata.get(name, "") for name in PUBLISHERS)]
        for name in given:
            spelled = " ".join(tokenize(name)) if isinstance(name, str) else ""
            if spelled and key in source_at:
                found.setdefault(spelled, set()).add(source_at[key])
    return {name: tuple(sorted(places)) for name, places in found.items()}


def _places(keys: Sequence[str]) -> dict[str, int]:
    return {key: n for n, key in enumerate(keys)}


def _lengths(tx: Tx, project_id: str, numbers: npt.NDArray[np.int64]) -> Floats:
    found = np.ones(len(numbers), dtype=np.float32)
    rows = np.array(list(tx.postings.lengths(project_id)), dtype=np.int64).reshape(-1, 2)
    at = np.searchsorted(numbers, rows[:, 0])
    inside = at < len(numbers)
    found[at[inside]] = np.maximum(rows[inside, 1], 1)
    return found


def _questions(tx: Tx, project_id: str, numbers: npt.NDArray[np.int64]) -> Mask:
    return np.isin(numbers, np.array(tx.postings.questions(project_id, QUESTION_MARKS), dtype=np.int64))


class _Columns:
    """Rows taken apart. A passage that somebody says belongs to the session of its heading, any other to its document."""

    def __init__(self, version_at: dict[str, int], source_at: dict[str, int]) -> None:
        self._version_at, self._source_at = version_at, source_at
        self._parents: dict[tuple[str, str], int] = {}
        self.speakers: dict[str, int] = {}
        self.numbers: list[int] = []
        self.ids: list[bytes] = []
        self.version: list[int] = []
        self.ordinal: list[int] = []
        self.parent: list[int] = []
        self.speaker: list[int] = []
        self.day: list[int] = []
        self.current: list[bool] = []

    def take(self, row: Sequence[Any]) -> None:
        """Add one row of `Postings.passages`."""
        no, key, version_id, _, ordinal, heading, speaker, current = row
        if version_id not in self._version_at:
            return
        self.numbers.append(int(no))
        self.ids.append(str(key).encode())
        self.version.append(self._version_at[version_id])
        self.ordinal.append(int(ordinal))
        self.parent.append(self._parents.setdefault((version_id, heading if speaker else ""), len(self._parents)))
        self.speaker.append(self.speakers.setdefault(speaker, len(self.speakers)) if speaker else -1)
        self.day.append(_day(heading) if speaker else 0)
        self.current.append(bool(current))


def _day(heading: str) -> int:
    """The day a session's heading names, or 0."""
    found = _DAY.match(heading)
    if not found:
        return 0
    try:
        return date(int(found[1]), int(found[2]), int(found[3])).toordinal()
    except ValueError:
        return 0
