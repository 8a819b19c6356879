"""What the graph page gets, and the graph as a file."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from time import perf_counter

import pytest

from beacon.domain.graph import Edge
from beacon.domain.memory import Memory
from beacon.errors import InputError, NotFoundError
from beacon.retrieval.graph_view import PLACED_NODES, entity_detail, export_graph, graph_view, lay_out, place_nodes
from beacon.workspace import Workspace
from tests.graph_world import DAY, SAID, World, fill, open_workspace, world_of


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace that is only read."""
    workspace = open_workspace(tmp_path_factory.mktemp("view") / "home")
    fill(world_of(workspace))
    yield workspace
    workspace.records.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace to change."""
    workspace = open_workspace(tmp_path / "own")
    fill(world_of(workspace))
    yield workspace
    workspace.records.close()


def places(ws: Workspace) -> dict[str, tuple[float, float, float]]:
    with ws.records.read() as tx:
        return tx.entities.places(ws.project_id)


def test_every_node_gets_a_place_and_a_rank(own: Workspace) -> None:
    assert lay_out(own) == 8 and len(places(own)) == 8
    assert sum(rank for _, _, rank in places(own).values()) == pytest.approx(1.0, abs=1e-6)


def test_laying_out_is_the_same_each_time(own: Workspace, tmp_path: Path) -> None:
    other = open_workspace(tmp_path / "other")
    fill(world_of(other))
    lay_out(own), lay_out(other)
    assert places(own) == places(other)
    other.records.close()


def test_an_entity_that_is_gone_leaves_no_place(own: Workspace) -> None:
    lay_out(own)
    world = world_of(own)
    with own.records.write() as tx:
        tx.connection.exec_driver_sql("DELETE FROM mention WHERE surface = 'Gus'")
    assert lay_out(own) == 7 and world.id("Gus") not in places(own)


def ring(n: int) -> tuple[list[str], list[Edge]]:
    ids = [f"n{i:03d}" for i in range(n)]
    pairs = [tuple(sorted((ids[i], ids[(i + step) % n]))) for i in range(n) for step in (1, 2, 17)]
    return ids, [Edge(f"{a}-{b}", a, b, "co_occurs", 1.0) for a, b in pairs]


def test_three_hundred_nodes_are_placed_in_time() -> None:
    ids, edges = ring(PLACED_NODES)
    begun = perf_counter()
    assert len(place_nodes(ids, edges, {})) == PLACED_NODES
    assert perf_counter() - begun < 3


def test_a_new_node_does_not_move_the_others_far() -> None:
    ids, edges = ring(60)
    before = place_nodes(ids, edges, {})
    after = place_nodes([*ids, "new"], [*edges, Edge("x", "n000", "new", "co_occurs", 1.0)], before)
    moves = sorted(((after[i][0] - before[i][0]) ** 2 + (after[i][1] - before[i][1]) ** 2) ** 0.5 for i in ids)
    assert moves[len(moves) // 2] < 150


def test_places_do_not_hang_on_the_order_of_the_input() -> None:
    ids, edges = ring(20)
    assert place_nodes(ids, edges, {}) == place_nodes(ids[::-1], edges[::-1], {})


def test_nothing_has_no_places() -> None:
    assert place_nodes([], [], {}) == {}


def test_the_view_shows_the_most_central(ws: Workspace) -> None:
    view = graph_view(ws, k=3)
    assert view["nodes"][0]["label"] == "Ada" and len(view["nodes"]) == 3 and view["total"] == 8


def test_the_edges_of_a_view_join_its_nodes(ws: Workspace) -> None:
    view = graph_view(ws, k=3)
    ids = {node["id"] for node in view["nodes"]}
    assert view["edges"] and all({edge["from"], edge["to"]} <= ids for edge in view["edges"])


def test_the_view_has_places_before_anything_was_laid_out(ws: Workspace) -> None:
    view = graph_view(ws)
    assert len({(node["x"], node["y"]) for node in view["nodes"]}) == 8


def test_kept_places_are_shown(own: Workspace) -> None:
    lay_out(own)
    kept = places(own)
    assert all((n["x"], n["y"]) == (round(kept[n["id"]][0], 1), round(kept[n["id"]][1], 1)) for n in graph_view(own)["nodes"])


def test_a_new_entity_stands_beside_its_neighbours(own: Workspace) -> None:
    lay_out(own)
    world_of(own).say("more", 1, [["Ada", "Hal"]], DAY)
    at = {n["label"]: (n["x"], n["y"]) for n in graph_view(own)["nodes"]}
    assert abs(at["Hal"][0] - at["Ada"][0]) < 100 and abs(at["Hal"][1] - at["Ada"][1]) < 100


def test_the_view_around_one_entity(ws: Workspace) -> None:
    view = graph_view(ws, center=world_of(ws).id("Bo"))
    assert [node["label"] for node in view["nodes"]] == ["Bo", "Ada"]


def test_an_unknown_centre_is_named(ws: Workspace) -> None:
    with pytest.raises(NotFoundError, match="nobody"):
        graph_view(ws, center="nobody")


def test_a_type_that_nothing_has_shows_nothing(ws: Workspace) -> None:
    assert graph_view(ws, type="place") == {"nodes": [], "edges": [], "total": 0}


def test_the_view_of_an_earlier_day(ws: Workspace) -> None:
    view = graph_view(ws, until=DAY)
    assert {n["label"]: n["mentions"] for n in view["nodes"]} == {"Ada": 3, "Bo": 2, "Cy": 1}
    assert {edge["weight"] for edge in view["edges"]} == {1.0, 2.0}


def test_the_view_before_the_first_day_is_empty(ws: Workspace) -> None:
    assert graph_view(ws, until=DAY - timedelta(days=1))["nodes"] == []


def test_the_detail_quotes_the_exact_sentence(ws: Workspace) -> None:
    detail = entity_detail(ws, world_of(ws).id("Bo"))
    with ws.records.read() as tx:
        texts = tx.sources.versions_by_id([m["version_id"] for m in detail["mentions"]])
    assert len(detail["mentions"]) == 3
    assert all(texts[m["version_id"]].text[m["start"] : m["end"]] == m["quote"] == "Ada and Bo." for m in detail["mentions"])


def test_the_detail_says_when(ws: Workspace) -> None:
    assert [m["date"] for m in entity_detail(ws, world_of(ws).id("Bo"))["mentions"]] == ["2025-01-02", "2025-01-01", "2025-01-01"]


def test_the_detail_lists_neighbours_strongest_first(ws: Workspace) -> None:
    strongest = entity_detail(ws, world_of(ws).id("Ada"))["neighbours"][0]
    assert (strongest["name"], strongest["weight"]) == ("Bo", 3.0)


def test_the_detail_has_the_summaries_that_quote_it(ws: Workspace) -> None:
    assert [s["segment"] for s in entity_detail(ws, world_of(ws).id("Bo"))["summaries"]] == ["press"]


def test_the_detail_of_nobody_is_named(ws: Workspace) -> None:
    with pytest.raises(NotFoundError, match="nobody"):
        entity_detail(ws, "nobody")


def remember(ws: Workspace, *texts: str, **values: object) -> None:
    base = Memory("", ws.project_id, "semantic", "", DAY, DAY, user_id="me")
    with ws.records.write() as tx:
        for n, text in enumerate(texts):
            tx.memories.put_memory(replace(base, id=f"mem{n}", text=text, **values))  # type: ignore[arg-type]


def facts(world: World, ws: Workspace, name: str) -> list[str]:
    return [fact["text"] for fact in entity_detail(ws, world.id(name))["facts"]]


def test_facts_that_name_the_entity_or_its_alias(own: Workspace) -> None:
    remember(own, "The COUNTESS reads.", "ada's dog", "Adages are old.", "東京の人です")
    assert set(facts(world_of(own), own, "Ada")) == {"The COUNTESS reads.", "ada's dog"}
    assert facts(world_of(own), own, "Émile") == ["東京の人です"]


def test_a_name_in_capitals_is_not_the_small_word(own: Workspace) -> None:
    with own.records.write() as tx:
        tx.entities.set_aliases(world_of(own).id("Gus"), ["IT"])
    remember(own, "I like it.", "IT is slow.")
    assert facts(world_of(own), own, "Gus") == ["IT is slow."]


def test_facts_that_cite_where_the_entity_stands(own: Workspace) -> None:
    version = world_of(own).graph.mentions(own.project_id, world_of(own).id("Bo"))[0].version_id
    remember(own, "They met.", citations=[{"version_id": version, "start": 0, "end": 11}])
    assert facts(world_of(own), own, "Bo") == ["They met."] and facts(world_of(own), own, "Dee") == []


def test_the_export_is_the_same_bytes_whatever_came_first(ws: Workspace, tmp_path: Path) -> None:
    other = open_workspace(tmp_path / "other")
    world = world_of(other)
    for day, (source, n) in reversed(list(enumerate(SAID))):
        world.say(source, n, SAID[source, n], DAY + timedelta(days=day))
    mine = json.loads(export_graph(ws, "json"))
    assert json.dumps(mine["edges"]) == json.dumps(json.loads(export_graph(other, "json"))["edges"])
    assert export_graph(ws, "graphml") == export_graph(other, "graphml")
    other.records.close()


def test_the_json_holds_everything(ws: Workspace) -> None:
    content = json.loads(export_graph(ws, "json"))
    assert (len(content["nodes"]), len(content["edges"]), len(content["summaries"])) == (8, 6, 2)


def test_the_graphml_can_be_read(ws: Workspace) -> None:
    import networkx as nx

    graph = nx.read_graphml(io.StringIO(export_graph(ws, "graphml")))
    assert graph.number_of_nodes() == 8 and graph.nodes[world_of(ws).id("Zoë Ω")]["name"] == "Zoë Ω"
    assert graph.edges[world_of(ws).id("Ada"), world_of(ws).id("Bo")]["weight"] == 3.0


def test_a_name_that_is_markup_stays_a_name(own: Workspace) -> None:
    import networkx as nx

    with own.records.write() as tx:
        tx.entities.set_aliases(world_of(own).id("Gus"), ["</data><x>&\x01\x0b\ufffe"])
    graph = nx.read_graphml(io.StringIO(export_graph(own, "graphml")))
    assert graph.nodes[world_of(own).id("Gus")]["aliases"] == "</data><x>&"


def test_another_format_is_refused(ws: Workspace) -> None:
    with pytest.raises(InputError, match="graphml"):
        export_graph(ws, "csv")
