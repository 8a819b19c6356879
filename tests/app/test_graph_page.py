"""The graph page: what is drawn, what is said about an entity, paths, time, and the files."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.ui import graph_page
from beacon.ui.components.graph import vis_edges, vis_nodes
from beacon.ui.graph_drawing import Drawing
from beacon.ui.graph_files import as_page
from beacon.ui.graph_places import spread, walk
from tests.app.dashboards import read_texts
from tests.app.data_folders import opened_page, words

ROWS = [
    {"id": "e1", "label": "</script><b>Acme", "type": "organization", "x": 0.0, "y": 0.0, "mentions": 9},
    {"id": "e2", "label": "Bremen", "type": "place", "x": 0.0, "y": 0.0, "mentions": 1},
    {"id": "e3", "label": "Unheard of", "type": "spaceship", "x": 5.0, "y": 1.0, "mentions": 0},
]


@pytest.fixture
def desk() -> Iterator[Beacon]:
    home = Path(os.environ["BEACON_HOME"])
    read_texts(home)
    beacon = open_beacon(home=str(home))
    yield beacon
    beacon.close()


def _id(beacon: Beacon, name: str) -> str:
    return str(beacon.call("search_graph_nodes", query=name, k=1)[0]["node_id"])


def test_an_empty_graph_says_what_belongs_there() -> None:
    with opened_page("graph") as app:
        assert "No entities yet" in words(app)


def test_before_a_click_the_most_central_entities_are_offered(desk: Beacon) -> None:
    with opened_page("graph") as app:
        assert any("Acme Shipping" in button.label for button in app.button)


def test_an_address_may_name_the_entity(desk: Beacon) -> None:
    with opened_page("graph", entity=_id(desk, "Acme Shipping")) as app:
        shown = words(app)
    assert "### Acme Shipping" in shown and "40 tonnes" in shown


def test_a_neighbour_is_one_click_away(desk: Beacon) -> None:
    with opened_page("graph", entity=_id(desk, "Acme Shipping")) as app:
        near = next(button for button in app.button if str(button.key).startswith("graph_near_"))
        near.click().run()
        assert "### Acme Shipping" not in words(app) and "What sources say" in words(app)


def test_a_found_entity_is_drawn_around(desk: Beacon) -> None:
    with opened_page("graph") as app:
        app.text_input(key="graph_find").set_value("acme").run()
        app.button(key=f"graph_found_{_id(desk, 'Acme Shipping')}").click().run()
        assert "Around **Acme Shipping**" in words(app)


def test_a_path_between_two_is_drawn(desk: Beacon) -> None:
    with opened_page("graph", entity=_id(desk, "Acme Shipping")) as app:
        app.button(key="graph_from").click().run()
        app.text_input(key="graph_find").set_value("Keller").run()
        app.button(key=f"graph_found_{_id(desk, 'Keller')}").click().run()
        assert "Path from **Acme Shipping** to" in words(app) and not app.exception


def test_a_graph_server_that_is_down_is_said_with_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("streamlit.warning", lambda text, icon: said.append(text))
    graph_page.health({"backend": "neo4j", "ok": False, "detail": "refused", "waiting": 3})
    assert "Neo4j does not answer" in said[0] and "3 changes wait" in said[0] and "nothing is lost" in said[0]


# The drawing


def test_every_node_has_a_shape_and_a_colour_family() -> None:
    assert [(node["shape"], node["group"]) for node in vis_nodes(ROWS)] == [
        ("square", "organization"),
        ("triangleDown", "place"),
        ("dot", "other"),
    ]


def test_nodes_at_one_place_are_spread_and_always_the_same_way() -> None:
    first, again = spread(vis_nodes(ROWS)), spread(vis_nodes(ROWS))
    assert first == again and len({(node["x"], node["y"]) for node in first}) == 3


def test_an_edge_is_wider_the_heavier_it_is() -> None:
    light, heavy = vis_edges([{"id": "a", "from": "e1", "to": "e2", "weight": 1}, {"id": "b", "from": "e1", "to": "e3", "weight": 9}])
    assert light["width"] < heavy["width"]


def test_a_path_is_walked_from_its_start() -> None:
    edges = [{"from": "c", "to": "b"}, {"from": "a", "to": "b"}]
    assert walk([{"id": key} for key in "abc"], edges, "c") == ["c", "b", "a"]


def test_the_page_to_keep_asks_no_other_host_and_runs_no_name_as_script() -> None:
    edges = vis_edges([{"id": "a", "from": "e1", "to": "e2", "weight": 1}])
    page = as_page(Drawing(spread(vis_nodes(ROWS)), edges, 3, "test"))
    assert "</script><b>Acme" not in page and 'src="http' not in page and "<link" not in page.split("<body")[0].replace("<link>", "")
