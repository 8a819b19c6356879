"""Vectors and graph are drawn from the records: they may be late or broken, and come right again; verify sees every damage."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.clock import fixed_clock
from beacon.domain.memory import Memory
from beacon.errors import UnavailableError
from beacon.projections import chunk_collection, drain, drain_all
from beacon.stores.records import tables as t
from beacon.stores.vectors.server import Folder
from beacon.tools.verify import CHECKS
from beacon.workspace import Workspace
from tests.doubles import HashEmbedder

CLOCK = fixed_clock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
TOWER = "# Tower\n\nThe tower of Velm is 93 metres high. Anna Berg and Omar Haddad measured it for Velm Council."
BRIDGE = "# Bridge\n\nThe bridge of Velm was built in 1911. Anna Berg and Omar Haddad repaired it for Velm Council."


@dataclass
class Breakable:
    """A vector index that can be made to fail, from a call on, as a server that goes away does."""

    inner: Any
    calls_left: int | None = None

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if self.calls_left is not None and name not in ("close", "status"):
                if self.calls_left == 0:
                    raise UnavailableError("The vector index does not answer: it was taken away.")
                self.calls_left -= 1
            return method(*arguments, **named)

        return call


def opened(home: Path) -> Beacon:
    """Beacon over a folder, with a small embedder and an index that can be made to fail."""
    made = open_beacon(home=str(home), clock=CLOCK)
    ws = made.workspace
    makers = ws.makers
    ws.makers = replace(makers, embedder=HashEmbedder, vectors=lambda: Breakable(makers.vectors()))
    return made


@pytest.fixture
def beacon(tmp_path: Path) -> Iterator[Beacon]:
    """Beacon over an empty folder."""
    made = opened(tmp_path / "home")
    yield made
    made.close()


def end_server(home: Path) -> None:
    """The vector server of the folder is killed and gone."""
    folder = Folder(home)
    os.kill(folder.find_pid() or 0, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while folder.is_owned() and time.monotonic() < deadline:
        time.sleep(0.02)


def read(beacon: Beacon, tmp_path: Path, **texts: str) -> dict[str, Any]:
    folder = tmp_path / "texts"
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return dict(beacon.call("ingest_paths", paths=[str(folder)]))


def take_away(beacon: Beacon, calls_left: int | None = 0) -> None:
    beacon.workspace.vectors.calls_left = calls_left  # type: ignore[attr-defined]


def waiting(beacon: Beacon) -> int:
    with beacon.workspace.records.read() as tx:
        return tx.outbox.waiting("vectors")


def held(ws: Workspace) -> set[str]:
    return set(ws.vectors.ids(chunk_collection(ws)))


def current(ws: Workspace) -> set[str]:
    with ws.records.read() as tx:
        return {chunk.id for chunk in tx.sources.current_chunks(ws.project_id)}


# An index that is away


def test_what_is_read_while_the_index_is_away_waits_and_is_not_lost(beacon: Beacon, tmp_path: Path) -> None:
    take_away(beacon)
    report = read(beacon, tmp_path, tower=TOWER)
    assert (report["new"], report["problems"], waiting(beacon)) == (1, [], 1)


def test_a_search_without_the_index_uses_words_and_says_so(beacon: Beacon, tmp_path: Path) -> None:
    read(beacon, tmp_path, tower=TOWER, bridge=BRIDGE)
    take_away(beacon)
    hits = beacon.call("search", query="tower metres")
    assert "93 metres" in hits[0]["text"] and "words only" in hits[0]["receipt"]["missing"]


def test_an_answer_is_found_without_the_index(beacon: Beacon, tmp_path: Path) -> None:
    take_away(beacon)
    read(beacon, tmp_path, tower=TOWER)
    assert "93 metres" in beacon.call("ask", question="How high is the tower of Velm?")["answer"]


def test_the_status_says_since_when_the_index_is_away_and_when_it_is_back(beacon: Beacon, tmp_path: Path) -> None:
    take_away(beacon)
    read(beacon, tmp_path, tower=TOWER)
    down = beacon.call("status")["chroma"]
    take_away(beacon, None)
    drain_all(beacon.workspace)
    up = beacon.call("status")["chroma"]
    assert ((down["ok"], down["waiting"]), (up["ok"], up["waiting"])) == ((False, 1), (True, 0))
    assert "taken away" in down["detail"]


def test_a_later_drain_catches_up(beacon: Beacon, tmp_path: Path) -> None:
    take_away(beacon)
    read(beacon, tmp_path, tower=TOWER, bridge=BRIDGE)
    take_away(beacon, None)
    assert drain_all(beacon.workspace) == 0
    assert held(beacon.workspace) == current(beacon.workspace) and beacon.call("verify")["ok"]


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_an_index_that_goes_away_in_the_middle_of_a_drain_is_caught_up_later(beacon: Beacon, tmp_path: Path, calls: int) -> None:
    take_away(beacon)
    read(beacon, tmp_path, tower=TOWER, bridge=BRIDGE)
    read(beacon, tmp_path, tower=TOWER.replace("93", "95"))
    take_away(beacon, calls)
    drain(beacon.workspace)
    take_away(beacon, None)
    drain_all(beacon.workspace)
    assert held(beacon.workspace) == current(beacon.workspace)


def test_a_row_handled_twice_does_no_harm(beacon: Beacon, tmp_path: Path) -> None:
    read(beacon, tmp_path, tower=TOWER)
    ws = beacon.workspace
    with ws.records.write() as tx:
        versions = list(tx.connection.scalars(sa.select(t.version.c.id)))
        tx.outbox.add(ws.project_id, "vectors", "sync", "version", versions * 2, CLOCK())
    drain_all(ws)
    assert held(ws) == current(ws)


def test_the_vectors_of_a_superseded_version_leave_the_index(beacon: Beacon, tmp_path: Path) -> None:
    read(beacon, tmp_path, tower=TOWER)
    before = held(beacon.workspace)
    read(beacon, tmp_path, tower=TOWER.replace("93", "95"))
    assert not before & held(beacon.workspace) and held(beacon.workspace) == current(beacon.workspace)


def test_a_server_killed_in_the_middle_is_started_again(tmp_path: Path) -> None:
    beacon = open_beacon(home=str(tmp_path / "home"), clock=CLOCK)
    beacon.workspace.makers = replace(beacon.workspace.makers, embedder=HashEmbedder)
    try:
        read(beacon, tmp_path, tower=TOWER)
        end_server(tmp_path / "home")
        read(beacon, tmp_path, bridge=BRIDGE)
        drain_all(beacon.workspace)
        assert held(beacon.workspace) == current(beacon.workspace)
    finally:
        beacon.close()


# Rebuilding


def test_a_rebuild_gives_the_same_index_and_the_same_answers(beacon: Beacon, tmp_path: Path) -> None:
    read(beacon, tmp_path, tower=TOWER, bridge=BRIDGE)
    before = (held(beacon.workspace), beacon.call("search", query="Who repaired the bridge?"))
    counts = beacon.call("rebuild")
    assert (held(beacon.workspace), beacon.call("search", query="Who repaired the bridge?")) == before
    assert counts["chunks"] == len(before[0]) and counts["entities"] > 0


def test_a_rebuild_brings_back_an_index_that_was_lost(beacon: Beacon, tmp_path: Path) -> None:
    read(beacon, tmp_path, tower=TOWER, bridge=BRIDGE)
    ws = beacon.workspace
    ws.vectors.drop(chunk_collection(ws))
    assert not beacon.call("verify")["ok"]
    beacon.call("rebuild")
    assert beacon.call("verify")["ok"]


def test_a_rebuild_that_breaks_off_leaves_the_old_index_and_what_waited(beacon: Beacon, tmp_path: Path) -> None:
    read(beacon, tmp_path, tower=TOWER)
    take_away(beacon)
    read(beacon, tmp_path, bridge=BRIDGE)
    take_away(beacon, 1)
    with pytest.raises(UnavailableError):
        beacon.call("rebuild")
    take_away(beacon, None)
    drain_all(beacon.workspace)
    assert held(beacon.workspace) == current(beacon.workspace)


def test_a_rebuild_of_nothing_is_an_empty_index(beacon: Beacon) -> None:
    assert beacon.call("rebuild") == {"chunks": 0, "entities": 0}


# Verify: each check can fail


@pytest.fixture(scope="module")
def small_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder at rest with something for every check to look at: two versions, two runs with changes, an answer, a summary."""
    root = tmp_path_factory.mktemp("small-desk")
    (root / "watched").mkdir()
    made = opened(root / "home")
    made.call("topic_add", title="Velm", folders=[str(root / "watched")])
    for height in ("93", "95"):
        (root / "watched" / "tower.md").write_text(TOWER.replace("93", height), encoding="utf-8")
        made.call("run_wait", run=made.call("run_start", slug="velm")["run_id"])
    answer = made.call("ask", question="How high is the tower of Velm?")
    quoted = {key: answer["citations"][0][key] for key in ("chunk_id", "quote")}
    begun = made.call("create_synthesis")["synthesis_id"]
    themes = made.call("write_themes", synthesis_id=begun, themes=[{"title": "People ask how high the tower is", "quotes": [quoted]}])
    made.call("write_opportunities", synthesis_id=begun, opportunities=[{"title": "Say how high it is", "theme_ids": themes}])
    made.close()
    end_server(root / "home")
    return root / "home"


@pytest.fixture
def checked(small_desk: Path, tmp_path: Path) -> Iterator[Beacon]:
    """Beacon over a copy of the small desk."""
    shutil.copytree(small_desk, tmp_path / "copy")
    made = opened(tmp_path / "copy")
    yield made
    made.close()


def failing(beacon: Beacon) -> list[str]:
    return [check["name"] for check in beacon.call("verify")["checks"] if not check["ok"]]


def change(beacon: Beacon, statement: sa.Update | sa.Delete | sa.Insert) -> None:
    with beacon.workspace.records.write() as tx:
        assert tx.connection.execute(statement).rowcount


def patched(beacon: Beacon, table: sa.Table, column: str, edit: Callable[[Any], Any]) -> None:
    """Edit the first row's value that `edit` changes, behind Beacon's back."""
    with beacon.workspace.records.write() as tx:
        for key, value in tx.connection.execute(sa.select(table.c.id, table.c[column]).order_by(table.c.id)).all():
            after = edit(value)
            if after != value:
                tx.connection.execute(sa.update(table).where(table.c.id == key).values({column: after}))
                return
    raise AssertionError(f"nothing in {table.name}.{column} could be damaged")


def misquote(citations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**c, "quote": c["quote"] + "!"} for c in citations]


def damage_version(beacon: Beacon) -> None:
    change(beacon, sa.update(t.version).values(text=t.version.c.text + " and more"))


def damage_chunk(beacon: Beacon) -> None:
    change(beacon, sa.update(t.chunk).values(start=t.chunk.c.start + 1))


def damage_mention(beacon: Beacon) -> None:
    change(beacon, sa.update(t.mention).values(start=t.mention.c.start + 1))


def add_fact(beacon: Beacon, citations: list[dict[str, Any]]) -> None:
    ws = beacon.workspace
    with ws.records.write() as tx:
        tx.memories.put_memory(Memory("mem_x", ws.project_id, "semantic", "It is high.", CLOCK(), CLOCK(), citations=citations))


def add_bare_fact(beacon: Beacon) -> None:
    add_fact(beacon, [])


def add_misquoting_fact(beacon: Beacon) -> None:
    with beacon.workspace.records.read() as tx:
        version = tx.connection.scalars(sa.select(t.version.c.id)).first()
    add_fact(beacon, [{"version_id": version, "event_id": "", "start": 0, "end": 5, "quote": "Tower of Babel"}])


def add_fact_from_nowhere(beacon: Beacon) -> None:
    add_fact(beacon, [{"version_id": "ver_none", "event_id": "", "start": 0, "end": 5, "quote": "Tower"}])


def retire_silently(beacon: Beacon) -> None:
    """A fact of the sources that is superseded by nothing, behind every changeset."""
    from beacon.domain.memory import Memory

    ws, now = beacon.workspace, beacon.workspace.clock()
    fact = Memory("mem_silent", ws.project_id, "semantic", "It costs 5.", now, now, metadata={"origin": "facts", "point_id": "p"})
    with ws.records.write() as tx:
        tx.memories.put_memory(replace(fact, status="superseded", retired_at=now, replaced_by="mem_none"))


def damage_answer(beacon: Beacon) -> None:
    patched(beacon, t.message, "metadata", lambda m: {**m, "citations": misquote(m.get("citations", []))} if m.get("citations") else m)


def damage_theme(beacon: Beacon) -> None:
    patched(beacon, t.theme, "body", lambda body: {**body, "quotes": misquote(body["quotes"])})


def damage_change(beacon: Beacon) -> None:
    patched(beacon, t.change, "quote", lambda quote: quote and quote + "!")


def damage_old_side(beacon: Beacon) -> None:
    patched(beacon, t.change, "old", lambda old: old and {**old, "quote": old["quote"] + "!"})


def damage_full_text(beacon: Beacon) -> None:
    with beacon.workspace.records.write() as tx:
        tx.connection.exec_driver_sql("INSERT INTO chunk_fts(chunk_fts) VALUES ('delete-all')")


def damage_vectors(beacon: Beacon) -> None:
    ws = beacon.workspace
    ws.vectors.delete(chunk_collection(ws), [sorted(held(ws))[0]])


def leave_vector(beacon: Beacon) -> None:
    from beacon.stores.vectors.ports import VectorRow

    ws = beacon.workspace
    ws.vectors.put(chunk_collection(ws), [VectorRow("chk_left", [1.0] * ws.embedder.dimension, {"version_id": "v"})])


def falsify_vector(beacon: Beacon) -> None:
    from beacon.stores.vectors.ports import VectorRow

    ws = beacon.workspace
    row = VectorRow(sorted(held(ws))[0], [1.0] * ws.embedder.dimension, {"version_id": "v", "source_id": "s"})
    ws.vectors.put(chunk_collection(ws), [row])


DAMAGES: list[tuple[str, Callable[[Beacon], None]]] = [
    ("versions match their hashes", damage_version),
    ("chunks are exact slices", damage_chunk),
    ("mentions are at their places", damage_mention),
    ("memories and summaries quote exactly", add_bare_fact),
    ("memories and summaries quote exactly", add_misquoting_fact),
    ("memories and summaries quote exactly", add_fact_from_nowhere),
    ("facts are retired by their like, with a reason", retire_silently),
    ("answers quote exactly", damage_answer),
    ("themes, opportunities and decisions quote exactly", damage_theme),
    ("changes quote exactly", damage_change),
    ("changes quote exactly", damage_old_side),
    ("full text is complete", damage_full_text),
    ("vectors are in step", damage_vectors),
    ("vectors are in step", leave_vector),
    ("vectors are in step", falsify_vector),
]


def test_an_undamaged_desk_is_well_and_every_check_looked_at_something(checked: Beacon) -> None:
    result = checked.call("verify")
    assert result["ok"] and all(check["checked"] for check in result["checks"]), result["checks"]


@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[damage.__name__ for _, damage in DAMAGES])
def test_verify_finds_each_damage(checked: Beacon, name: str, damage: Callable[[Beacon], None]) -> None:
    damage(checked)
    assert name in failing(checked)


def test_verify_finds_a_graph_that_is_not_in_step(checked: Beacon) -> None:
    ws = checked.workspace

    class Short:
        """A graph server that lost a node."""

        def nodes(self, project_id: str) -> list[Any]:
            with ws.records.read() as tx:
                return tx.entities.nodes(project_id)[1:]

        def close(self) -> None:
            """Nothing is held."""

    ws.__dict__["graph"] = Short()
    assert failing(checked) == ["graph is in step"]


def test_every_check_has_a_damage_that_it_finds() -> None:
    assert {name for name, _ in CHECKS} == {name for name, _ in DAMAGES} | {"graph is in step"}


def test_verify_says_when_changes_still_wait(beacon: Beacon, tmp_path: Path) -> None:
    take_away(beacon)
    read(beacon, tmp_path, tower=TOWER)
    take_away(beacon, None)
    (check,) = [c for c in beacon.call("verify")["checks"] if not c["ok"]]
    assert "1 changes still wait" in check["detail"]


def test_verify_with_the_index_away_says_so_and_checks_the_rest(beacon: Beacon, tmp_path: Path) -> None:
    read(beacon, tmp_path, tower=TOWER)
    take_away(beacon)
    assert failing(beacon) == ["vectors are in step"]
