"""The whole of Beacon on its sample: one truth and two projections, on one machine and on servers, the same bytes every time."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from tests.app.conftest import CLOCK
from tests.contract.test_vectors import make_foreign_server
from tests.servers import free_port

SLUG = "asteroid-2024-yr4"
ROUNDS = range(1, 7)
DEMO = """
import sys
from beacon.bootstrap import open_beacon
from tests.app.conftest import CLOCK
beacon = open_beacon(home=sys.argv[1], clock=CLOCK)
beacon.call("demo")
beacon.close()
"""


@pytest.fixture(scope="module")
def second_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second data folder in which the sample was run, by a process with other hash seeds."""
    home = tmp_path_factory.mktemp("second") / "home"
    env = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", DEMO, str(home)], env=env, check=True, timeout=110, cwd=Path(__file__).parents[2])
    return home


@pytest.fixture(scope="module")
def on_servers(postgres_server: Any, neo4j_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beacon]:
    """Beacon with its records on PostgreSQL, its vectors on a Chroma server and its graph on Neo4j, in which the sample was run."""
    folder = tmp_path_factory.mktemp("servers")
    port = free_port()
    chroma = make_foreign_server(folder, port)
    neo4j_server.wipe()
    beacon = open_beacon(
        home=str(folder / "home"),
        clock=CLOCK,
        database_url=postgres_server.make_database(),
        chroma_url=f"http://127.0.0.1:{port}",
        neo4j_url=neo4j_server.url,
    )
    beacon.call("demo")
    yield beacon
    beacon.close()
    chroma.kill()
    chroma.wait()


@pytest.fixture
def desk(desk_home: Path, opened: Callable[..., Beacon]) -> Beacon:
    """The sample on SQLite, Chroma of its own and the embedded graph."""
    return opened(home=str(desk_home))


@pytest.fixture(params=["one machine", "servers"])
def either(request: pytest.FixtureRequest) -> Beacon:
    """The sample on one machine, and on servers."""
    beacon: Beacon = request.getfixturevalue("desk" if request.param == "one machine" else "on_servers")
    return beacon


def reports(beacon: Beacon) -> list[str]:
    return [beacon.call("report_show", slug=SLUG, run=n)["markdown"] for n in ROUNDS]


def changes(beacon: Beacon) -> list[list[dict[str, Any]]]:
    return [beacon.call("change_list", slug=SLUG, run=n, confirmed=True) for n in ROUNDS]


def export(beacon: Beacon, form: str) -> str:
    return str(beacon.call("graph_export", format=form)["content"])


def test_the_sample_verifies(either: Beacon) -> None:
    result = either.call("verify")
    assert result["ok"] and all(check["checked"] for check in result["checks"]), result["checks"]


def test_a_question_is_answered_from_exact_quotes(either: Beacon) -> None:
    answer = either.call("ask", question="What was the highest impact probability reported for 2024 YR4?", slug=SLUG)
    assert answer["sufficient"] and "3.1%" in answer["answer"]
    for citation in answer["citations"]:
        (chunk,) = either.call("fetch_chunks", chunk_ids=[citation["chunk_id"]])
        assert citation["quote"] in chunk["content"]


def test_a_question_beyond_the_sample_is_not_answered(either: Beacon) -> None:
    assert either.call("ask", question="Who is the mayor of Reykjavik?")["sufficient"] is False


def test_the_graph_is_drawn_and_every_node_leads_to_its_sentences(either: Beacon) -> None:
    view = either.call("graph_view", k=20)
    detail = either.call("graph_entity", id=view["nodes"][0]["id"])
    assert len(view["nodes"]) == 20 and view["edges"]
    for mention in detail["mentions"][:5]:
        texts = [
            either.call("source_show", id=mention["source_id"], version=v["n"])["text"]
            for v in either.call("source_show", id=mention["source_id"])["versions"]
        ]
        assert any(mention["quote"] in text for text in texts)


def test_consolidating_again_changes_nothing(either: Beacon) -> None:
    either.call("consolidate")
    before = either.call("memory_list", status="all")
    again = either.call("consolidate")
    assert (again["processed"], either.call("memory_list", status="all")) == (0, before)


def test_showing_the_sample_again_repeats_nothing(either: Beacon) -> None:
    before = either.call("status")["counts"]
    either.call("demo")
    after = either.call("status")["counts"]
    assert {name: after[name] for name in ("sources", "versions", "chunks", "runs", "entities", "topics")} == {
        name: before[name] for name in ("sources", "versions", "chunks", "runs", "entities", "topics")
    }


def test_the_sample_still_verifies_after_all_this(either: Beacon) -> None:
    assert either.call("verify")["ok"]


# The same bytes


def test_two_processes_write_the_same_reports(desk: Beacon, second_home: Path, opened: Callable[..., Beacon]) -> None:
    assert reports(opened(home=str(second_home))) == reports(desk)


def test_two_processes_write_the_same_files(desk_home: Path, second_home: Path) -> None:
    def files(home: Path) -> dict[str, bytes]:
        found = {str(path.relative_to(home)): path.read_bytes() for path in (home / "outputs").rglob("*") if path.is_file()}
        return {name: data.replace(str(home).encode(), b"HOME") for name, data in found.items()}

    one, other = files(desk_home), files(second_home)
    assert sorted(one) == sorted(other) and [name for name in one if one[name] != other[name]] == []


@pytest.mark.parametrize("form", ["json", "graphml"])
def test_two_processes_export_the_same_graph(desk: Beacon, second_home: Path, opened: Callable[..., Beacon], form: str) -> None:
    assert export(opened(home=str(second_home)), form) == export(desk, form)


def test_two_processes_rank_alike(desk: Beacon, second_home: Path, opened: Callable[..., Beacon]) -> None:
    other = opened(home=str(second_home))
    for query in ("impact probability", "Webb size", "зонд", "ESA NASA Moon 2032"):
        assert other.call("search", query=query, k=20) == desk.call("search", query=query, k=20)


def test_servers_write_the_same_reports_and_changes_as_one_machine(desk: Beacon, on_servers: Beacon) -> None:
    assert reports(on_servers) == reports(desk)
    assert changes(on_servers) == changes(desk)


@pytest.mark.parametrize("form", ["json", "graphml"])
def test_servers_export_the_same_graph_as_one_machine(desk: Beacon, on_servers: Beacon, form: str) -> None:
    assert export(on_servers, form) == export(desk, form)


def test_a_rebuild_on_servers_gives_the_same_graph_and_verifies(on_servers: Beacon) -> None:
    before = export(on_servers, "json")
    on_servers.call("rebuild")
    assert export(on_servers, "json") == before and on_servers.call("verify")["ok"]
