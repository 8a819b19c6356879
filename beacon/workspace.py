"""One project opened by one user: the stores, models and clock that everything above works with.

What is heavy is made when it is first needed: opening a workspace starts no server and loads no model.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from beacon.domain.clock import Clock, system_clock
from beacon.settings import Settings
from beacon.stores.records.store import Records

if TYPE_CHECKING:
    from beacon.llm.ports import Embedder
    from beacon.llm.routing import Router
    from beacon.stores.graph.ports import GraphStore
    from beacon.stores.vectors.ports import VectorStore
    from beacon.web.fetch import Fetcher
    from beacon.web.search import Searcher


_PARTS = ("vectors", "graph", "embedder", "models", "fetcher", "searcher")


@dataclass(frozen=True)
class Makers:
    """How each heavy part is made; `bootstrap` names the backends."""

    vectors: "Callable[[], VectorStore]"
    graph: "Callable[[], GraphStore]"
    embedder: "Callable[[], Embedder]"
    models: "Callable[[], Router | None]"
    fetcher: "Callable[[], Fetcher]"
    searcher: "Callable[[], Searcher | None]" = lambda: None


@dataclass
class Workspace:
    """A project, a user, and what serves them. `models` is None without a key: everything then works offline."""

    settings: Settings
    records: Records
    makers: Makers
    project_id: str
    user_id: str
    clock: Clock = system_clock
    _lock: Lock = field(default_factory=Lock, repr=False)

    def as_user(self, user_id: str) -> "Workspace":
        """The same project and parts, for another user."""
        if user_id == self.user_id:
            return self
        other = replace(self, user_id=user_id, _lock=Lock())
        other.__dict__.update({name: made for name, made in self.__dict__.items() if name in _PARTS})
        return other

    @cached_property
    def vectors(self) -> "VectorStore":
        """The index of chunk embeddings."""
        with self._lock:
            return self.makers.vectors()

    @cached_property
    def graph(self) -> "GraphStore":
        """The graph of entities."""
        with self._lock:
            return self.makers.graph()

    @cached_property
    def embedder(self) -> "Embedder":
        """What turns text into vectors."""
        with self._lock:
            return self.makers.embedder()

    @cached_property
    def models(self) -> "Router | None":
        """The chat models, or None offline."""
        with self._lock:
            return self.makers.models()

    @cached_property
    def fetcher(self) -> "Fetcher":
        """What reads the web, behind the address guard."""
        with self._lock:
            return self.makers.fetcher()

    @cached_property
    def searcher(self) -> "Searcher | None":
        """What searches the web, or None where no engine is set."""
        with self._lock:
            return self.makers.searcher()
