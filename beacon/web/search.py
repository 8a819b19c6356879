"""One way to search the web, whoever answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from beacon.errors import BeaconError
from beacon.web.addresses import canonical

RANK_OFFSET = 60  # of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for."""

    text: str
    limit: int = 10
    since: date | None = None  # a wish: an engine that knows dates gives nothing older
    language: str = "en"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page an engine points to. What it says of the page is no evidence: the page has to be read."""

    url: str
    title: str
    engine: str
    snippet: str = ""
    published_at: datetime | None = None


class SearchEngine(Protocol):
    """Somebody who can be asked for pages."""

    @property
    def name(self) -> str:
        """What the settings call it."""

    def search(self, query: SearchQuery) -> list[SearchResult]:
        """The pages, best first, at most `query.limit`; empty when nothing is found.

        Raises UnavailableError when it did not answer or was too busy, InputError when the key or the question cannot be used.
        """


@dataclass(slots=True)
class Found:
    """What a search gave, and which engines could not be asked."""

    results: list[SearchResult] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Searcher:
    """Several engines as one. They are asked together and their results merged, or, `in_turn`, one after another until one answers."""

    def __init__(self, engines: Sequence[SearchEngine], *, in_turn: bool = False) -> None:
        self._engines = tuple(engines)
        self._in_turn = in_turn

    @property
    def engines(self) -> tuple[SearchEngine, ...]:
        """Who is asked, in order."""
        return self._engines

    def search(self, query: SearchQuery) -> Found:
        """The pages, best first, each once. An engine that fails is a problem, and the others go on."""
        found = Found()
        lists: list[list[SearchResult]] = []
        for engine in self._engines:
            try:
                lists.append([one for one in engine.search(query) if _is_recent(one, query.since)])
            except BeaconError as error:
                found.problems.append(f"{engine.name}: {error.message}")
                continue
            if self._in_turn:
                found.problems.clear()
                break
        found.results = merge_results(lists, query.limit)
        return found


def merge_results(lists: Sequence[Sequence[SearchResult]], limit: int) -> list[SearchResult]:
    """One list by reciprocal rank, a page once, ties by the order of the engines."""
    scores: dict[str, float] = {}
    first: dict[str, SearchResult] = {}
    for results in lists:
        for rank, url in enumerate(dict.fromkeys(canonical(one.url) for one in results), 1):
            scores[url] = scores.get(url, 0.0) + 1 / (RANK_OFFSET + rank)
        for one in results:
            first.setdefault(canonical(one.url), one)
    order = sorted(first, key=lambda url: -scores[url])
    return [first[url] for url in order[:limit]]


def _is_recent(one: SearchResult, since: date | None) -> bool:
    return since is None or one.published_at is None or one.published_at.date() >= since
