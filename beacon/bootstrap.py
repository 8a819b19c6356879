"""Opens Beacon: reads the settings, picks the backends, returns the one object every door uses. Only this module names a backend."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from beacon.domain.clock import Clock, system_clock
from beacon.settings import Settings, variable_of
from beacon.stores.records.store import Records
from beacon.tools.registry import Tool, call_tool, load_tools
from beacon.workspace import Makers, Workspace

if TYPE_CHECKING:
    from beacon.llm.ports import Embedder
    from beacon.llm.routing import Router
    from beacon.stores.graph.ports import GraphStore
    from beacon.stores.vectors.ports import VectorStore
    from beacon.web.fetch import Fetcher
    from beacon.web.search import Searcher


class Beacon:
    """An opened Beacon. `call` is the only way in: the dashboard, the command line, MCP and Python programs all use it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @property
    def tools(self) -> dict[str, Tool]:
        """Every tool by its name."""
        return load_tools()

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """What the tool returns, as plain JSON values. Raises InputError for unknown tools and unfit arguments."""
        return call_tool(self.workspace, tool, arguments)

    def close(self) -> None:
        """Give back connections and leases. What was never used was never made."""
        made = self.workspace.__dict__
        for name in ("vectors", "graph"):
            if name in made:
                made[name].close()
        self.workspace.records.close()


def open_beacon(*, settings: Settings | None = None, clock: Clock = system_clock, **overrides: Any) -> Beacon:
    """Beacon over the configured data folder and backends; `overrides` are settings such as home, project or user."""
    settings = settings or Settings.load(**overrides)
    settings.make_home()
    records = Records(settings.records_url)
    records.migrate()
    now = clock()
    with records.read() as tx:
        known = tx.projects.find(settings.project)
    if known is None:
        with records.write() as tx:
            project_id = tx.projects.ensure(settings.project, now)
            tx.projects.user(settings.user, now)
    else:
        project_id = str(known["id"])
    return Beacon(Workspace(settings, records, _makers(settings, records, clock), project_id, settings.user, clock))


@contextmanager
def opened(*, settings: Settings | None = None, clock: Clock = system_clock, **overrides: Any) -> Iterator[Beacon]:
    """An opened Beacon that is closed when the block ends."""
    beacon = open_beacon(settings=settings, clock=clock, **overrides)
    try:
        yield beacon
    finally:
        beacon.close()


def _makers(settings: Settings, records: Records, clock: Clock) -> Makers:
    return Makers(
        vectors=lambda: _vectors(settings),
        graph=lambda: _graph(settings, records),
        embedder=lambda: _embedder(settings),
        models=lambda: _models(settings.refreshed()),
        fetcher=lambda: _fetcher(settings, clock),
        searcher=lambda: _searcher(settings.refreshed(), clock),
    )


def _vectors(settings: Settings) -> "VectorStore":
    from beacon.stores.vectors.chroma import open_embedded, open_server

    if settings.chroma_url:
        return open_server(settings.chroma_url, settings.chroma_token.get_secret_value())
    return open_embedded(settings.home)


def _graph(settings: Settings, records: Records) -> "GraphStore":
    from beacon.stores.graph.embedded import EmbeddedGraph

    embedded = EmbeddedGraph(records)
    if not settings.neo4j_url:
        return embedded
    from beacon.stores.graph.fallback import FallbackGraph
    from beacon.stores.graph.neo4j import Neo4jGraph

    password = settings.neo4j_password.get_secret_value()
    return FallbackGraph(Neo4jGraph(records, settings.neo4j_url, settings.neo4j_user, password), embedded)


def _embedder(settings: Settings) -> "Embedder":
    if settings.embedder == "openai":
        from beacon.llm.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(
            settings.embedding_model, settings.openai_api_key, base_url=settings.openai_base_url or None,
            dimension=settings.embedding_dimension or None,
        )  # fmt: skip
    if settings.embedder == "minilm":
        from beacon.llm.minilm_embedder import NAME, MiniLMEmbedder

        return MiniLMEmbedder([settings.home / "models" / NAME])
    from beacon.llm.static_embedder import shared_embedder

    return shared_embedder()


def _models(settings: Settings) -> "Router | None":
    from beacon.llm.prices import load_prices, read_own_prices
    from beacon.llm.routing import ModelSettings, open_router

    names = [name for name in type(settings).model_fields if name.endswith(("_api_key", "_base_url"))]
    given = {name: getattr(settings, name) for name in names}
    values = {name: value.get_secret_value() if isinstance(value, SecretStr) else str(value) for name, value in given.items()}
    env = {**os.environ, **{variable_of(name): value for name, value in values.items() if value}}
    env |= {name.upper(): value for name, value in values.items() if name.endswith("_base_url") and value and name != "local_base_url"}
    models = ModelSettings(
        provider=settings.provider or "auto",
        fast=settings.fast_model or None,
        strong=settings.strong_model or None,
        prices=load_prices().extended(read_own_prices(settings.home)),
        fallback=tuple(part.strip() for part in settings.fallback_providers.split(",") if part.strip()),
    )
    router = open_router(models, env)
    return None if router.offline else router


def _fetcher(settings: Settings, clock: Clock) -> "Fetcher":
    from beacon.web.fetch import Fetcher, FetchLimits

    limits = FetchLimits(
        max_bytes=settings.fetch_max_bytes, total_s=settings.fetch_timeout_s, pause_s=settings.fetch_pause_s, attempts=3,
        robots=settings.respect_robots,
    )  # fmt: skip
    return Fetcher(limits, settings.allow_private_addresses, clock=clock)


def _searcher(settings: Settings, clock: Clock) -> "Searcher | None":
    """The engines the settings name, asked together; with none named those that have a key or an address, asked in turn."""
    from beacon.web.engines import KEYED, make_engine
    from beacon.web.fetch import Fetcher, FetchLimits
    from beacon.web.search import Searcher

    limits = FetchLimits(max_bytes=settings.fetch_max_bytes, total_s=settings.fetch_timeout_s, attempts=2)
    engines = []
    for name in engine_names(settings):
        base = settings.search_base_url or (settings.searxng_url if name == "searxng" else "")
        key = getattr(settings, f"{name}_api_key").get_secret_value() if name in KEYED else ""
        # An address that the user gave may be on their own network; the engines' own addresses may not.
        engines.append(make_engine(name, Fetcher(limits, bool(base), clock=clock), base=base, key=key))
    return Searcher(engines, in_turn=not settings.search) if engines else None


def engine_names(settings: Settings) -> list[str]:
    """The search engines to ask, in order."""
    from beacon.web.engines import KEYED

    named = [part.strip().lower() for part in settings.search.split(",") if part.strip()]
    if named:
        return [] if named == ["none"] else named
    with_key = [name for name in KEYED if getattr(settings, f"{name}_api_key").get_secret_value()]
    return with_key + (["searxng"] if settings.searxng_url else [])
