"""A run survives the death of its worker at any moment, on a real worker process that is killed."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.processes import spawn
from beacon.runs import jobs
from beacon.runs.here import wait_run
from beacon.runs.supervisor import Supervisor
from tests.integration.slow_runs import LOG

TOPICS = ("Harbour ferries", "Tidal power", "Öresund förbindelse")
LIVES_S = (0.5, 1.1, 0.2, 1.6, 0.8, 1.3)


def _write_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for n in range(4):
        (folder / f"note {n}.md").write_text(
            f"# Note {n}\n\nThe northern ferry carried {400 + n} passengers a day in spring. The operator plans {n + 2} more crossings.\n"
        )
    return folder


@pytest.fixture
def beacon(tmp_path: Path) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home")
    yield opened
    opened.close()


def _start_worker(home: Path) -> "subprocess.Popen[bytes]":
    worker = spawn("beacon.runs.worker", "--open", "tests.integration.slow_runs:open_beacon", home=home, output=subprocess.PIPE)
    assert worker.stdout is not None
    line = worker.stdout.readline()
    assert b"ready" in line, line + worker.stdout.read()
    return worker


def test_runs_are_done_exactly_once_although_the_worker_is_killed_six_times(beacon: Beacon, tmp_path: Path) -> None:
    ws = beacon.workspace
    folder = _write_folder(tmp_path / "notes")
    for title in TOPICS:
        beacon.call("topic_add", title=title, folders=[str(folder)])
    with ws.records.read() as tx:
        topics = tx.topics.all(ws.project_id)
    runs = [jobs.start_run(ws, topic) for topic in topics]
    for life_s in LIVES_S:
        worker = _start_worker(ws.settings.home)
        time.sleep(life_s)
        worker.kill()
        worker.wait()
    last = _start_worker(ws.settings.home)
    try:
        found = [wait_run(ws, run_id, 30) for run_id in runs]
    finally:
        last.terminate()
        last.wait(10)
    assert [run.status for run in found] == ["done"] * len(TOPICS), [(run.error, run.state["errors"]) for run in found]
    starts = [line.split() for line in (ws.settings.home / LOG).read_text().splitlines()]
    assert len(starts) > len({tuple(line[1:]) for line in starts}), "no step was cut off: the kills came at the wrong moments"
    with ws.records.read() as tx:
        for run in found:
            assert run.n == 1 and len(run.completed_phases) == 6
            drafts = Counter((draft.phase, draft.part) for draft in tx.runs.drafts(run.id))
            assert max(drafts.values()) == 1, drafts
            events = Counter(event.type for event in tx.events.all(ws.project_id, limit=1000) if event.payload.get("run_id") == run.id)
            assert (events["run_started"], events["run_finished"]) == (1, 1)
            assert _started_after_checkpoint(tx, run.id, starts) == []
            assert not run.state["errors"]
        for topic in topics:
            memory = tx.topics.memory(topic)
            assert memory is not None and memory.run_count == 1
        assert tx.connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def _started_after_checkpoint(tx, run_id: str, starts: list[list[str]]) -> list[str]:  # type: ignore[no-untyped-def]
    import sqlalchemy as sa

    from beacon.stores.records import tables as t

    rows = tx.connection.execute(sa.select(t.checkpoint.c.step, t.checkpoint.c.at).where(t.checkpoint.c.run_id == run_id))
    at = {step: when.timestamp() for step, when in rows}
    again = []
    for started, of_run, kind, index in starts:
        step = kind if index == "0" and kind in at else f"{kind}:{index}"
        if of_run == run_id and float(started) > at[step]:
            again.append(step)
    return again


def test_the_worker_ends_with_its_parent(beacon: Beacon) -> None:
    worker = spawn("beacon.runs.worker", "--child", home=beacon.workspace.settings.home, stdin=subprocess.PIPE, output=subprocess.PIPE)
    assert worker.stdout is not None and worker.stdin is not None
    assert b"ready" in worker.stdout.readline()
    worker.stdin.close()
    assert worker.wait(10) == 0


def test_the_supervisor_replaces_a_worker_that_was_killed_and_ends_it_in_the_end(beacon: Beacon) -> None:
    home = beacon.workspace.settings.home
    supervisor = Supervisor(home, chroma=False)
    try:
        first = _pid_other_than(supervisor, None)
        os.kill(first, signal.SIGKILL)
        second = _pid_other_than(supervisor, first)
    finally:
        supervisor.stop()
    assert supervisor.worker_pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)


def _pid_other_than(supervisor: Supervisor, pid: int | None) -> int:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        found = supervisor.worker_pid
        if found is not None and found != pid:
            return found
        time.sleep(0.05)
    raise AssertionError("no worker was started")
