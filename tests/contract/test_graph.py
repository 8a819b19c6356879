"""What every graph backend promises: the same answers from the same records."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import combinations, count

import pytest

from beacon.domain.ids import make_id
from beacon.errors import UnavailableError
from beacon.stores.graph.embedded import EmbeddedGraph
from beacon.stores.graph.fallback import FallbackGraph
from beacon.stores.graph.neo4j import Neo4jGraph
from beacon.stores.graph.ports import GraphStore
from beacon.stores.records.store import Records
from tests.graph_world import DAY, World, add_project, fill
from tests.servers import free_port

BACKENDS = ("embedded", "embedded on postgresql", "neo4j")
_numbers = count(1)


@pytest.fixture(scope="module", params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A backend over records of its own, without a project."""
    url = f"sqlite:///{tmp_path_factory.mktemp('graph') / 'records.sqlite'}"
    if request.param.endswith("postgresql"):
        url = request.getfixturevalue("postgres_server").make_database().replace("postgresql://", "postgresql+psycopg://")
    records = Records(url)
    records.migrate()
    graph: GraphStore = EmbeddedGraph(records)
    if request.param == "neo4j":
        graph = Neo4jGraph(records, request.getfixturevalue("neo4j_server").url)
    yield World(records, graph)
    graph.close()
    records.close()


def _new(store: World) -> World:
    """A new project in the same records and graph: projects do not see each other."""
    world = World(store.records, store.graph)
    with world.records.write() as tx:
        world.project = add_project(tx, f"p{next(_numbers)}")
    return world


@pytest.fixture
def empty(store: World) -> World:
    return _new(store)


@pytest.fixture
def own(store: World) -> World:
    """A world to change."""
    return fill(_new(store))


@pytest.fixture(scope="module")
def world(store: World) -> World:
    """A world that is only read."""
    return fill(_new(store))


@pytest.fixture
def truth(store: World) -> GraphStore:
    """What the answers are measured against."""
    return EmbeddedGraph(store.records)


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
    strong = [["A", "X"]] * 9 + [["X", "Y"]] * 9 + [["Y", "B"]] * 9
    empty.say("s", 1, [["A", "W"], ["W", "B"], *strong], DAY)
    empty.sync()
    assert [n.name for n in empty.graph.path(empty.project, empty.id("A"), empty.id("B")).nodes] == ["A", "X", "Y", "B"]
    assert [n.name for n in empty.graph.path(empty.project, empty.id("A"), empty.id("B"), max_hops=2).nodes] == ["A", "W", "B"]


def test_equal_paths_are_told_apart_by_id(empty: World) -> None:
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


def test_an_entity_that_is_mentioned_nowhere_is_not_in_the_graph(own: World) -> None:
    with own.records.write() as tx:
        tx.entities.add_entities([{"id": "ent_x", "project_id": own.project, "key": "x", "name": "X", "type": "other", "aliases": []}])
    own.graph.rebuild(own.project)
    assert own.graph.nodes(own.project, ["ent_x"]) == [] and own.graph.find(own.project, "x", 5) == []


def test_another_project_sees_nothing(world: World) -> None:
    graph, other, ids = world.graph, make_id("prj", "none"), [world.id("Ada"), world.id("Bo")]
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


def test_telling_it_twice_changes_nothing(own: World, truth: GraphStore) -> None:
    before = own.graph.export(own.project)
    own.sync()
    assert own.graph.export(own.project) == before and same_answers(own, truth)


def test_the_order_of_telling_does_not_matter(empty: World) -> None:
    world = fill(empty)
    world.say("late", 1, [["Ada", "Gus"]], DAY - timedelta(days=9))
    for version_id in reversed(list(world.versions.values())):
        world.graph.sync_version(world.project, version_id)
    assert same_answers(world, EmbeddedGraph(world.records))


def test_a_new_version_adds_and_the_old_one_stays(own: World, truth: GraphStore) -> None:
    own.say("news", 3, [["Ada", "Bo"]], DAY + timedelta(days=9))
    assert own.graph.sync_version(own.project, own.versions["news", 3]) == 2
    assert own.graph.edges(own.project, among=[own.id("Ada"), own.id("Bo")])[0].weight == 4.0
    assert same_answers(own, truth)


@pytest.mark.parametrize("how", ["remove_versions", "sync_version", "rebuild"])
def test_what_the_records_dropped_is_gone(own: World, truth: GraphStore, how: str) -> None:
    gone = own.versions.pop(("blog", 1))
    with own.records.write() as tx:
        tx.sources.drop_chunks(gone)
        tx.entities.drop_orphans(own.project)
    tell = {
        "remove_versions": lambda: own.graph.remove_versions(own.project, [gone]),
        "sync_version": lambda: own.graph.sync_version(own.project, gone),
        "rebuild": lambda: own.graph.rebuild(own.project),
    }
    tell[how]()
    assert own.graph.find(own.project, "Zoë", 5) == [] and own.graph.nodes(own.project, [own.id("Fay")]) == []
    assert same_answers(own, truth)


def test_a_summary_that_was_dropped_is_gone(own: World) -> None:
    with own.records.write() as tx:
        tx.chats.drop_summaries([make_id("sum", "press", "2025-01")])
    assert own.graph.sync_summaries(own.project) == 1
    assert [s.segment for s in own.graph.summaries(own.project)] == ["blogs"]


def test_rebuild_gives_the_number_of_nodes_and_the_same_graph(own: World, truth: GraphStore) -> None:
    assert own.graph.rebuild(own.project) == 8 and same_answers(own, truth)


def test_rebuild_leaves_other_projects_alone(own: World) -> None:
    own.graph.rebuild(make_id("prj", "none"))
    assert len(own.graph.nodes(own.project)) == 8


def test_the_status_is_one_line(world: World) -> None:
    assert world.graph.status() and "\n" not in world.graph.status()


def test_a_closed_graph_answers_again(own: World) -> None:
    own.graph.close()
    assert len(own.graph.nodes(own.project)) == 8


def _absent(records: Records) -> Neo4jGraph:
    return Neo4jGraph(records, f"bolt://someone:secret@127.0.0.1:{free_port()}", "neo4j", "hidden")


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Records on SQLite and the embedded graph."""
    records = Records(f"sqlite:///{tmp_path_factory.mktemp('local') / 'records.sqlite'}")
    records.migrate()
    yield fill(_new(World(records, EmbeddedGraph(records))))
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


def test_a_wide_name_index_takes_long_names(own: World) -> None:
    with own.records.write() as tx:
        tx.entities.set_aliases(own.id("Bo"), ["x" * 60_000 + " needle"])
    own.sync()
    assert [n.name for n, _ in own.graph.find(own.project, "needle", 3)] == ["Bo"]
