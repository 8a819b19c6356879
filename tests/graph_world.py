"""Records with a small graph in them, written as an ingest would write it, sentence by sentence."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from pathlib import Path
from typing import NoReturn

from beacon.domain.clock import fixed_clock
from beacon.domain.graph import GraphSummary
from beacon.domain.ids import digest, make_id
from beacon.domain.source import Source, StoredChunk, Version
from beacon.settings import Settings
from beacon.stores.graph.embedded import EmbeddedGraph
from beacon.stores.graph.fallback import FallbackGraph
from beacon.stores.graph.neo4j import Neo4jGraph
from beacon.stores.graph.ports import SUMMARY_KIND, GraphStore
from beacon.stores.records import tables as t
from beacon.stores.records.store import Records, Tx
from beacon.workspace import Makers, Workspace

DAY = datetime(2025, 1, 1, tzinfo=UTC)
SAID = {
    # version → its sentences, each the names it holds
    ("news", 1): [["Ada", "Bo"], ["Ada", "Bo"], ["Ada", "Cy"]],
    ("news", 2): [["Ada", "Bo"], ["Cy", "Dee"], ["Dee", "Émile"]],
    ("blog", 1): [["Dee", "Émile"], ["Dee", "Émile"], ["Ada", "Émile"], ["Zoë Ω"], ["Fay", "Gus"]],
}
ALIASES = {"Ada": ["Countess"], "Émile": ["ÉMILE DURAND", "東京の人"], "Zoë Ω": ['the "quoted" one']}


@dataclass
class World:
    """Records with something in them, and the graph over them."""

    records: Records
    graph: GraphStore
    project: str = ""
    versions: dict[tuple[str, int], str] = field(default_factory=dict)

    def id(self, name: str) -> str:
        return make_id("ent", self.project, name.casefold())

    def sync(self) -> None:
        for version_id in self.versions.values():
            self.graph.sync_version(self.project, version_id)
        self.graph.sync_summaries(self.project)

    def say(self, source: str, n: int, sentences: list[list[str]], at: datetime) -> None:
        with self.records.write() as tx:
            self.versions[source, n] = _store(tx, self.project, source, n, sentences, at)


def _store(tx: Tx, project: str, source: str, n: int, sentences: list[list[str]], at: datetime) -> str:
    lines = [" and ".join(names) + "." for names in sentences]
    text = "\n".join(lines)
    source_id = make_id("src", project, source)
    version = Version(make_id("ver", source_id, n), source_id, n, digest(text), text, source, "text/plain", at, version_date=at)
    tx.sources.put_sources([Source(source_id, project, source, f"https://{source}.example", f"{source} {n}", DAY)])
    tx.sources.add_versions([version])
    starts = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines) + 1)]
    for i, (start, after) in enumerate(pairwise(starts)):
        _store_sentence(tx, project, version, i, start, after - 1, sentences[i])
    return version.id


def _store_sentence(tx: Tx, project: str, version: Version, i: int, start: int, end: int, names: list[str]) -> None:
    text = version.text[start:end]
    chunk_id = make_id("chk", version.id, start)
    tx.sources.add_chunks(
        [StoredChunk(chunk_id, project, version.id, version.source_id, i, start, end, text, "", "", "", "", digest(text))]
    )
    ids = {name: make_id("ent", project, name.casefold()) for name in names}
    tx.entities.add_entities(
        {"id": key, "project_id": project, "key": name.casefold(), "name": name, "type": "person", "aliases": ALIASES.get(name, [])}
        for name, key in ids.items()
    )
    at = {name: version.text.index(name, start) for name in names}
    tx.entities.add_mentions(
        {"id": make_id("mnt", ids[name], version.id, at[name]), "project_id": project, "entity_id": ids[name], "chunk_id": chunk_id,
         "version_id": version.id, "source_id": version.source_id, "start": at[name], "end": at[name] + len(name), "surface": name}
        for name in names
    )  # fmt: skip
    pairs = [tuple(sorted(pair)) for pair in combinations(ids.values(), 2)]
    tx.entities.add_relations(
        (
            {"id": make_id("rel", *pair), "project_id": project, "head_id": pair[0], "tail_id": pair[1], "kind": "co_occurs"}
            for pair in pairs
        ),
        (
            {"relation_id": make_id("rel", *pair), "chunk_id": chunk_id, "start": start, "end": end, "at": version.version_date}
            for pair in pairs
        ),
    )


def add_summary(world: World, segment: str, period: str, source: str, n: int, flagged: bool = False) -> None:
    with world.records.write() as tx:
        version = tx.sources.version(world.versions[source, n])
        end = version.text.index("\n")
        citation = {"quote": version.text[:end], "start": 0, "end": end, "version_id": version.id}
        summary = GraphSummary(make_id("sum", segment, period), segment, period, version.text[:end], (citation,), flagged)
        tx.chats.put_summary(world.project, summary, SUMMARY_KIND, DAY)


def add_project(tx: Tx, name: str) -> str:
    row = {"id": make_id("prj", name), "name": name, "title": name, "state": {}, "settings": {}, "created_at": DAY}
    tx.connection.execute(t.project.insert().values(row))
    return str(row["id"])


def fill(world: World) -> World:
    for day, ((source, n), sentences) in enumerate(SAID.items()):
        world.say(source, n, sentences, DAY + timedelta(days=day))
    add_summary(world, "press", "2025-01", "news", 1)
    add_summary(world, "blogs", "2025-01", "blog", 1, flagged=True)
    world.sync()
    return world


def open_workspace(home: Path, neo4j_url: str = "") -> Workspace:
    """A workspace over records in `home`, with the graph that `bootstrap` would pick and nothing else."""
    settings = Settings(home=home, neo4j_url=neo4j_url)
    settings.make_home()
    (home / "locks").mkdir()
    records = Records(settings.records_url)
    records.migrate()
    embedded = EmbeddedGraph(records)
    graph: GraphStore = FallbackGraph(Neo4jGraph(records, neo4j_url), embedded) if neo4j_url else embedded
    makers = Makers(vectors=_absent, graph=lambda: graph, embedder=_absent, models=lambda: None, fetcher=_absent)
    with records.write() as tx:
        project = add_project(tx, "p")
    return Workspace(settings, records, makers, project, "me", fixed_clock(DAY))


def _absent() -> NoReturn:
    raise AssertionError("this test was not to need it")


def world_of(ws: Workspace) -> World:
    """The workspace's records as a world to fill."""
    return World(ws.records, ws.graph, ws.project_id)
