"""What every graph backend promises: the same answers from the same records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from beacon.domain.graph import GraphSummary
from beacon.domain.ids import digest, make_id
from beacon.domain.source import Source, StoredChunk, Version
from beacon.errors import UnavailableError
from beacon.stores.graph.embedded import EmbeddedGraph
from beacon.stores.graph.fallback import FallbackGraph
from beacon.stores.graph.neo4j import Neo4jGraph
from beacon.stores.graph.ports import SUMMARY_KIND, GraphStore
from beacon.stores.records import tables as t
from beacon.stores.records.store import Records, Tx
from tests.servers import free_port

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


def _summary(world: World, segment: str, period: str, source: str, n: int, flagged: bool = False) -> None:
    with world.records.write() as tx:
        version = tx.sources.version(world.versions[source, n])
        end = version.text.index("\n")
        citation = {"quote": version.text[:end], "start": 0, "end": end, "version_id": version.id}
        summary = GraphSummary(make_id("sum", segment, period), segment, period, version.text[:end], (citation,), flagged)
        tx.chats.put_summary(world.project, summary, SUMMARY_KIND, DAY)


def _project(tx: Tx, name: str) -> str:
    row = {"id": make_id("prj", name), "name": name, "title": name, "state": {}, "settings": {}, "created_at": DAY}
    tx.connection.execute(t.project.insert().values(row))
    return str(row["id"])


def _fill(world: World) -> World:
    with world.records.write() as tx:
        world.project = _project(tx, "p")
        _project(tx, "other")
    for day, ((source, n), sentences) in enumerate(SAID.items()):
        world.say(source, n, sentences, DAY + timedelta(days=day))
    _summary(world, "press", "2025-01", "news", 1)
    _summary(world, "blogs", "2025-01", "blog", 1, flagged=True)
    world.sync()
    return world


def _records(url: str) -> Records:
    records = Records(url.replace("postgresql://", "postgresql+psycopg://"))
    records.migrate()
    return records


@pytest.fixture(params=["embedded", "embedded on postgresql", "neo4j"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    on_server = request.param.endswith("postgresql")
    records = _records(request.getfixturevalue("postgres_url") if on_server else f"sqlite:///{tmp_path / 'records.sqlite'}")
    graph: GraphStore = EmbeddedGraph(records)
    if request.param == "neo4j":
        graph = Neo4jGraph(records, request.getfixturevalue("neo4j_url"))
    yield World(records, graph)
    graph.close()
    records.close()


@pytest.fixture
def world(empty: World) -> World:
    return _fill(empty)


@pytest.fixture
def truth(world: World) -> GraphStore:
    """What the answers are measured against."""
    return EmbeddedGraph(world.records)


def test_most_mentioned_entities_come_first(world: World) -> None:
    found = world.graph.nodes(world.project)
    assert (found[0].name, found[0].mention_count, found[0].source_count) == ("Ada", 5, 2)
    assert found == sorted(found, key=lambda n: (-n.mention_count, n.id))


def test_a_limit_keeps_the_most_mentioned(world: World) -> None:
    assert world.graph.nodes(world.project, limit=3) == world.graph.nodes(world.project)[:3]


def test_nodes_are_found_by_id_and_unknown_ids_passed_over(world: World) -> None:
    assert [n.name for n in world.graph.nodes(world.project, ["nobody", world.id("Bo")])] == ["Bo"]


def test_no_ids_are_no_nodes(world: World) -> None:
    assert world.graph.nodes(world.project, []) == []


def test_a_node_keeps_its_other_names(world: World) -> None:
    assert world.graph.nodes(world.project, [world.id("Émile")])[0].aliases == ("ÉMILE DURAND", "東京の人")


def test_a_weight_counts_the_shared_sentences_of_all_versions(world: World) -> None:
    edge = world.graph.edges(world.project, among=[world.id("Ada"), world.id("Bo")])[0]
    assert (edge.weight, edge.first_at, edge.last_at) == (3.0, DAY, DAY + timedelta(days=1))


def test_edges_come_heaviest_first(world: World) -> None:
    edges = world.graph.edges(world.project)
    assert edges == sorted(edges, key=lambda e: (-e.weight, e.id)) and len(edges) == 6


def test_edges_that_touch_an_entity(world: World) -> None:
    cy = world.id("Cy")
    assert {frozenset((e.source, e.target)) for e in world.graph.edges(world.project, touching=[cy])} == {
        frozenset((cy, world.id("Ada"))),
        frozenset((cy, world.id("Dee"))),
    }


def test_edges_among_and_touching_must_both_hold(world: World) -> None:
    among = [world.id(name) for name in ("Ada", "Bo", "Cy")]
    assert len(world.graph.edges(world.project, among=among, touching=[world.id("Bo")])) == 1


def test_many_ids_are_no_hindrance(world: World) -> None:
    ids = [f"nobody{i}" for i in range(5000)] + [world.id(name) for name in ("Ada", "Bo", "Cy")]
    assert len(world.graph.edges(world.project, among=ids)) == 2
    assert len(world.graph.edges(world.project, touching=ids)) == 4
    assert len(world.graph.nodes(world.project, ids)) == 3


def test_mentions_of_the_newest_version_come_first(world: World) -> None:
    found = [m.version_id for m in world.graph.mentions(world.project, world.id("Ada"))]
    newest, middle, oldest = (world.versions[key] for key in (("blog", 1), ("news", 2), ("news", 1)))
    assert found == [newest, middle, oldest, oldest, oldest]


def test_a_mention_is_the_exact_place_of_the_name(world: World) -> None:
    with world.records.read() as tx:
        texts = {v.id: v.text for source in tx.sources.all(world.project) for v in tx.sources.versions(source.id)}
    assert {texts[m.version_id][m.start : m.end] for m in world.graph.mentions(world.project, world.id("Zoë Ω"))} == {"Zoë Ω"}


def test_a_mention_carries_the_title_its_source_has_now(world: World) -> None:
    assert {m.title for m in world.graph.mentions(world.project, world.id("Bo"))} == {"news 2"}


@pytest.mark.parametrize(
    ("text", "name", "score"),
    [
        ("ada", "Ada", 1.0), ("COUNTESS", "Ada", 0.95), ("émile durand", "Émile", 0.95), ("東京", "Émile", 0.79), ("ZOË", "Zoë Ω", 0.86),
        ("ω", "Zoë Ω", 0.72), ("durand", "Émile", 0.7), ('"quoted"', "Zoë Ω", 0.706250), ("oun", "Ada", 0.4875),
    ],
)  # fmt: skip
def test_a_name_is_found_in_any_script_and_case(world: World, text: str, name: str, score: float) -> None:
    node, found = world.graph.find(world.project, text, 5)[0]
    assert node.name == name and found == pytest.approx(score, abs=0.02)


@pytest.mark.parametrize("text", ["", "  ", "%", "_", "'", "\\", "*", "nobody", "u0", '","'])
def test_what_is_in_no_name_finds_nothing(world: World, text: str) -> None:
    assert world.graph.find(world.project, text, 5) == []


def test_the_best_k_are_found(world: World) -> None:
    assert [node.name for node, _ in world.graph.find(world.project, "e", 1)] == []
    assert len(world.graph.find(world.project, "d", 5)) == 2 and len(world.graph.find(world.project, "d", 1)) == 1


def test_neighbours_of_one_step(world: World) -> None:
    found = world.graph.neighbours(world.project, [world.id("Bo")])
    assert {n.name for n in found.nodes} == {"Ada", "Bo"} and len(found.edges) == 1


def test_neighbours_of_two_steps_bring_the_relations_between_them(world: World) -> None:
    found = world.graph.neighbours(world.project, [world.id("Bo")], depth=2)
    assert {n.name for n in found.nodes} == {"Ada", "Bo", "Cy", "Émile"} and len(found.edges) == 3


def test_the_strongest_neighbours_stay_within_the_limit(world: World) -> None:
    found = world.graph.neighbours(world.project, [world.id("Ada")], limit=1)
    assert {n.name for n in found.nodes} == {"Ada", "Bo"}


def test_neighbours_bring_the_summaries_that_quote_the_entity(world: World) -> None:
    assert [s.segment for s in world.graph.neighbours(world.project, [world.id("Bo")]).summaries] == ["press"]


def test_neighbours_bring_where_the_entity_stands(world: World) -> None:
    found = world.graph.neighbours(world.project, [world.id("Bo")]).citations
    assert found == tuple(world.graph.mentions(world.project, world.id("Bo"))[:5])


def test_an_unknown_entity_has_no_neighbours(world: World) -> None:
    assert world.graph.neighbours(world.project, ["nobody"]).nodes == ()


def test_a_path_goes_from_start_to_end(world: World) -> None:
    way = world.graph.path(world.project, world.id("Bo"), world.id("Dee"))
    assert [n.name for n in way.nodes] == ["Bo", "Ada", "Émile", "Dee"] and len(way.edges) == 3


def test_a_path_prefers_strong_relations(empty: World) -> None:
    with empty.records.write() as tx:
        empty.project = _project(tx, "p")
    strong = [["A", "X"]] * 9 + [["X", "Y"]] * 9 + [["Y", "B"]] * 9
    empty.say("s", 1, [["A", "W"], ["W", "B"], *strong], DAY)
    empty.sync()
    assert [n.name for n in empty.graph.path(empty.project, empty.id("A"), empty.id("B")).nodes] == ["A", "X", "Y", "B"]
    assert [n.name for n in empty.graph.path(empty.project, empty.id("A"), empty.id("B"), max_hops=2).nodes] == ["A", "W", "B"]


def test_equal_paths_are_told_apart_by_id(empty: World) -> None:
    with empty.records.write() as tx:
        empty.project = _project(tx, "p")
    empty.say("s", 1, [pair for middle in "MNOPQ" for pair in (["A", middle], [middle, "B"])], DAY)
    empty.sync()
    assert empty.graph.path(empty.project, empty.id("A"), empty.id("B")).nodes[1].id == min(empty.id(m) for m in "MNOPQ")


@pytest.mark.parametrize(("start", "end", "hops"), [("Ada", "Fay", 6), ("Bo", "Dee", 2), ("Ada", "nobody", 6)])
def test_no_path_is_empty(world: World, start: str, end: str, hops: int) -> None:
    found = world.graph.path(world.project, world.id(start), world.id(end), hops)
    assert (found.nodes, found.edges) == ((), ())


def test_a_path_to_itself_is_the_entity(world: World) -> None:
    assert [n.name for n in world.graph.path(world.project, world.id("Bo"), world.id("Bo")).nodes] == ["Bo"]


def test_summaries_are_filtered_by_segment_and_period(world: World) -> None:
    assert [s.segment for s in world.graph.summaries(world.project)] == ["blogs", "press"]
    assert [s.flagged for s in world.graph.summaries(world.project, segment="blogs", period="2025-01")] == [True]
    assert world.graph.summaries(world.project, period="2024-12") == []


def test_counts(world: World) -> None:
    assert world.graph.counts(world.project) == {"nodes": 8, "edges": 6, "mentions": 21, "summaries": 2}


def test_an_entity_that_is_mentioned_nowhere_is_not_in_the_graph(world: World) -> None:
    with world.records.write() as tx:
        tx.entities.add_entities([{"id": "ent_x", "project_id": world.project, "key": "x", "name": "X", "type": "other", "aliases": []}])
    world.graph.rebuild(world.project)
    assert world.graph.nodes(world.project, ["ent_x"]) == [] and world.graph.find(world.project, "x", 5) == []


def test_another_project_sees_nothing(world: World) -> None:
    graph, other, ids = world.graph, make_id("prj", "other"), [world.id("Ada"), world.id("Bo")]
    assert graph.nodes(other) == graph.nodes(other, ids) == graph.find(other, "ada", 5) == graph.mentions(other, ids[0]) == []
    assert graph.edges(other, among=ids) == graph.edges(other, touching=ids) == graph.summaries(other) == []
    assert graph.path(other, *ids).nodes == graph.neighbours(other, ids).nodes == graph.export(other).nodes == ()


def same_answers(world: World, truth: GraphStore) -> bool:
    """Whether every read gives what the records give."""
    ids = [world.id(name) for name in ("Ada", "Bo", "Cy", "Dee", "Émile", "Zoë Ω", "Fay", "Gus")]
    reads: list[Callable[[GraphStore], object]] = [
        lambda g: g.export(world.project), lambda g: g.nodes(world.project), lambda g: g.edges(world.project),
        lambda g: g.counts(world.project),
        lambda g: [g.mentions(world.project, key) for key in ids], lambda g: [g.neighbours(world.project, [key], 2) for key in ids],
        lambda g: [g.path(world.project, a, b) for a, b in combinations(ids, 2)],
        lambda g: [g.find(world.project, text, 9) for text in ("a", "é", "e", "zo", "gus", "人")],
    ]  # fmt: skip
    return all(read(world.graph) == read(truth) for read in reads)


def test_every_answer_is_the_one_of_the_records(world: World, truth: GraphStore) -> None:
    assert same_answers(world, truth)


def test_telling_it_twice_changes_nothing(world: World, truth: GraphStore) -> None:
    before = world.graph.export(world.project)
    world.sync()
    assert world.graph.export(world.project) == before and same_answers(world, truth)


def test_the_order_of_telling_does_not_matter(empty: World) -> None:
    world = _fill(empty)
    world.say("late", 1, [["Ada", "Gus"]], DAY - timedelta(days=9))
    for version_id in reversed(list(world.versions.values())):
        world.graph.sync_version(world.project, version_id)
    assert same_answers(world, EmbeddedGraph(world.records))


def test_a_new_version_adds_and_the_old_one_stays(world: World, truth: GraphStore) -> None:
    world.say("news", 3, [["Ada", "Bo"]], DAY + timedelta(days=9))
    assert world.graph.sync_version(world.project, world.versions["news", 3]) == 2
    assert world.graph.edges(world.project, among=[world.id("Ada"), world.id("Bo")])[0].weight == 4.0
    assert same_answers(world, truth)


@pytest.mark.parametrize("how", ["remove_versions", "sync_version", "rebuild"])
def test_what_the_records_dropped_is_gone(world: World, truth: GraphStore, how: str) -> None:
    gone = world.versions.pop(("blog", 1))
    with world.records.write() as tx:
        tx.sources.drop_chunks(gone)
        tx.entities.drop_orphans(world.project)
    tell = {
        "remove_versions": lambda: world.graph.remove_versions(world.project, [gone]),
        "sync_version": lambda: world.graph.sync_version(world.project, gone),
        "rebuild": lambda: world.graph.rebuild(world.project),
    }
    tell[how]()
    assert world.graph.find(world.project, "Zoë", 5) == [] and world.graph.nodes(world.project, [world.id("Fay")]) == []
    assert same_answers(world, truth)


def test_a_summary_that_was_dropped_is_gone(world: World) -> None:
    with world.records.write() as tx:
        tx.chats.drop_summaries([make_id("sum", "press", "2025-01")])
    assert world.graph.sync_summaries(world.project) == 1
    assert [s.segment for s in world.graph.summaries(world.project)] == ["blogs"]


def test_rebuild_gives_the_number_of_nodes_and_the_same_graph(world: World, truth: GraphStore) -> None:
    assert world.graph.rebuild(world.project) == 8 and same_answers(world, truth)


def test_rebuild_leaves_other_projects_alone(world: World) -> None:
    world.graph.rebuild(make_id("prj", "other"))
    assert len(world.graph.nodes(world.project)) == 8


def test_the_status_is_one_line(world: World) -> None:
    assert world.graph.status() and "\n" not in world.graph.status()


def test_a_closed_graph_answers_again(world: World) -> None:
    world.graph.close()
    assert len(world.graph.nodes(world.project)) == 8


def _absent(records: Records) -> Neo4jGraph:
    return Neo4jGraph(records, f"bolt://someone:secret@127.0.0.1:{free_port()}", "neo4j", "hidden")


@pytest.fixture
def local(tmp_path: Path) -> Iterator[World]:
    """Records on SQLite and the embedded graph."""
    records = _records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    yield _fill(World(records, EmbeddedGraph(records)))
    records.close()


def test_an_absent_server_is_named_without_its_password(local: World) -> None:
    graph = _absent(local.records)
    with pytest.raises(UnavailableError, match=r"bolt://127\.0\.0\.1:\d+") as caught:
        graph.nodes(local.project)
    assert "secret" not in caught.value.message and "hidden" not in caught.value.message
    graph.close()


def test_the_status_of_an_absent_server_says_so(local: World) -> None:
    graph = _absent(local.records)
    assert "does not answer" in graph.status()
    graph.close()


def test_reads_fall_back_and_say_so(local: World) -> None:
    graph = FallbackGraph(_absent(local.records), local.graph)
    assert graph.export(local.project) == local.graph.export(local.project)
    assert "does not answer" in graph.degraded and "embedded" in graph.status()
    graph.close()


def test_writes_do_not_fall_back(local: World) -> None:
    graph = FallbackGraph(_absent(local.records), local.graph)
    with pytest.raises(UnavailableError):
        graph.sync_version(local.project, local.versions["news", 1])
    graph.close()


class Flaky(EmbeddedGraph):
    """A server that is down until told otherwise, and counts how often it is asked."""

    down = True
    asked = 0

    def counts(self, project_id: str) -> dict[str, int]:
        self.asked += 1
        if self.down:
            raise UnavailableError("down")
        return super().counts(project_id)


def test_a_server_that_is_down_is_not_asked_at_every_read(local: World) -> None:
    now = [0.0]
    primary = Flaky(local.records)
    graph = FallbackGraph(primary, local.graph, lambda: now[0])
    for _ in range(5):
        graph.counts(local.project)
    assert primary.asked == 1
    primary.down, now[0] = False, 60.0
    graph.counts(local.project)
    assert (primary.asked, graph.degraded) == (2, "")


def test_a_wide_name_index_takes_long_names(world: World) -> None:
    with world.records.write() as tx:
        tx.entities.set_aliases(world.id("Bo"), ["x" * 60_000 + " needle"])
    world.sync()
    assert [n.name for n, _ in world.graph.find(world.project, "needle", 3)] == ["Bo"]
