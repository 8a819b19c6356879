"""One project opened by one user: the stores, models and clock that everything above works with.

What is heavy is made when it is first needed: opening a workspace starts no server and loads no model.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Makers:
    """How each heavy part is made; `bootstrap` names the backends."""

    vectors: "Callable[[], VectorStore]"
    graph: "Callable[[], GraphStore]"
    embedder: "Callable[[], Embedder]"
    models: "Callable[[], Router | None]"
    fetcher: "Callable[[], Fetcher]"


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
