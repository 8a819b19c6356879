"""The graph server goes away and comes back: nothing is lost, reads go on, and what was missed is made up for."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest

from beacon.projections import drain
from beacon.stores.graph.embedded import EmbeddedGraph
from beacon.stores.graph.fallback import PAUSE_S, FallbackGraph
from beacon.stores.graph.neo4j import Neo4jGraph
from beacon.synthesis.summaries import tell_graph
from beacon.workspace import Workspace
from tests.graph_world import DAY, SAID, World, add_summary, open_workspace, world_of


class Wire:
    """A loopback port that leads to another until it is cut: to its client the server has died."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.frozen = False  # accepts everything and says nothing
        self.port = 0
        self.mend()

    def mend(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        for end in (self._listener, *self._open):
            if end is not None:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._listener, self._open = None, []

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self._to))
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self.frozen:
                    target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def wire(neo4j_url: str) -> Iterator[Wire]:
    wire = Wire(int(neo4j_url.rsplit(":", 1)[1]))
    yield wire
    wire.cut()


@pytest.fixture
def ws(wire: Wire, tmp_path: Path) -> Iterator[Workspace]:
    """A workspace whose graph server stands behind the wire, with two of three versions told."""
    workspace = open_workspace(tmp_path / "home", f"bolt://127.0.0.1:{wire.port}")
    for n, key in enumerate(list(SAID)[:2]):
        say(workspace, key, n)
    assert drain(workspace) == 2
    yield workspace
    workspace.graph.close()
    workspace.records.close()


def say(ws: Workspace, key: tuple[str, int], day: int) -> str:
    """The id of a version that was read now, its outbox row written with it."""
    world = world_of(ws)
    world.say(*key, SAID[key], DAY + timedelta(days=day))
    with ws.records.write() as tx:
        tx.outbox.add(ws.project_id, "graph", "sync", "version", world.versions.values(), DAY)
    return world.versions[key]


def waiting(ws: Workspace) -> int:
    with ws.records.read() as tx:
        return tx.outbox.waiting("graph")


def direct(ws: Workspace, neo4j_url: str) -> Neo4jGraph:
    """The server itself, past the wire."""
    return Neo4jGraph(ws.records, neo4j_url)


def same(ws: Workspace, neo4j_url: str) -> bool:
    """Whether the server holds what the records hold."""
    graph, truth = direct(ws, neo4j_url), EmbeddedGraph(ws.records)
    ids = [node.id for node in truth.nodes(ws.project_id)]
    try:
        return graph.export(ws.project_id) == truth.export(ws.project_id) and all(
            graph.mentions(ws.project_id, key) == truth.mentions(ws.project_id, key) for key in ids
        )
    finally:
        graph.close()


def test_a_drained_outbox_leaves_records_and_server_equal(ws: Workspace, neo4j_url: str) -> None:
    say(ws, ("blog", 1), 2)
    assert drain(ws) == 1 and waiting(ws) == 0 and same(ws, neo4j_url)


def test_while_the_server_is_gone_the_outbox_keeps_its_rows(ws: Workspace, wire: Wire) -> None:
    wire.cut()
    say(ws, ("blog", 1), 2)
    assert drain(ws) == 0 and waiting(ws) == 1


def test_while_the_server_is_gone_reads_come_from_the_records(ws: Workspace, wire: Wire) -> None:
    wire.cut()
    say(ws, ("blog", 1), 2)
    assert ws.graph.export(ws.project_id) == EmbeddedGraph(ws.records).export(ws.project_id)
    assert "embedded" in ws.graph.status()


def test_the_state_of_the_projection_names_the_server(ws: Workspace, wire: Wire) -> None:
    wire.cut()
    say(ws, ("blog", 1), 2)
    drain(ws)
    with ws.records.read() as tx:
        assert f"127.0.0.1:{wire.port}" in tx.projects.value("projection:graph")["problem"]


def test_a_server_that_comes_back_catches_up(ws: Workspace, wire: Wire, neo4j_url: str) -> None:
    wire.cut()
    say(ws, ("blog", 1), 2)
    drain(ws)
    wire.mend()
    assert drain(ws) == 1 and waiting(ws) == 0 and same(ws, neo4j_url)
    assert isinstance(ws.graph, FallbackGraph) and ws.graph.degraded == ""


def test_a_frozen_server_is_not_waited_for(ws: Workspace, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beacon.stores.graph.neo4j.READ_S", 0.5)
    wire.frozen = True
    assert ws.graph.counts(ws.project_id)["nodes"] == 5 and "embedded" in ws.graph.status()


def test_reads_return_to_the_server_that_came_back(wire: Wire, ws: Workspace) -> None:
    now = [0.0]
    graph = FallbackGraph(Neo4jGraph(ws.records, f"bolt://127.0.0.1:{wire.port}"), EmbeddedGraph(ws.records), lambda: now[0])
    wire.cut()
    graph.counts(ws.project_id)
    wire.mend()
    now[0] = PAUSE_S + 1
    graph.counts(ws.project_id)
    assert graph.degraded == ""
    graph.close()


def test_a_server_lost_in_the_middle_of_a_drain_misses_nothing(
    ws: Workspace, wire: Wire, neo4j_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = say(ws, ("news", 2), 1)
    say(ws, ("blog", 1), 2)
    tell = Neo4jGraph.sync_version

    def tell_and_lose(self: Neo4jGraph, project_id: str, version_id: str) -> int:
        done = tell(self, project_id, version_id)
        if version_id == first:
            wire.cut()
        return done

    monkeypatch.setattr(Neo4jGraph, "sync_version", tell_and_lose)
    assert drain(ws) == 0 and waiting(ws) == 2
    monkeypatch.undo()
    wire.mend()
    assert drain(ws) == 2 and same(ws, neo4j_url)


def test_an_emptied_server_is_rebuilt_equal(ws: Workspace, neo4j_url: str) -> None:
    say(ws, ("blog", 1), 2)
    drain(ws)
    graph = direct(ws, neo4j_url)
    told = graph.export(ws.project_id)
    graph._write("", [("MATCH (n) DETACH DELETE n", {})])
    assert graph.nodes(ws.project_id) == []
    assert graph.rebuild(ws.project_id) == 8 and graph.export(ws.project_id) == told and same(ws, neo4j_url)
    graph.close()


def test_a_rebuild_that_broke_off_can_be_done_again(ws: Workspace, wire: Wire, neo4j_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = direct(ws, neo4j_url)
    monkeypatch.setattr(Neo4jGraph, "_sweep", lambda *args: 1 / 0)
    with ws.records.write() as tx:
        tx.connection.exec_driver_sql("DELETE FROM mention WHERE surface = 'Cy'")
        tx.entities.drop_orphans(ws.project_id)
    with pytest.raises(ZeroDivisionError):
        graph.rebuild(ws.project_id)
    monkeypatch.undo()
    graph.rebuild(ws.project_id)
    assert same(ws, neo4j_url)
    graph.close()


def test_summaries_reach_the_server(ws: Workspace, neo4j_url: str) -> None:
    world = World(ws.records, ws.graph, ws.project_id)
    world.versions["blog", 1] = say(ws, ("blog", 1), 2)
    add_summary(world, "blogs", "2025-01", "blog", 1)
    with ws.records.write() as tx:
        tell_graph(ws, tx, ["any"])
    drain(ws)
    graph = direct(ws, neo4j_url)
    assert [s.segment for s in graph.summaries(ws.project_id)] == ["blogs"]
    graph.close()
