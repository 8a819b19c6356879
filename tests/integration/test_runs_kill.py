"""A run survives the death of its worker at any moment, on a real worker process that is killed."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.run import FINISHED
from beacon.processes import spawn
from beacon.runs import jobs
from beacon.runs.here import wait_run
from beacon.runs.supervisor import Supervisor
from tests.integration.slow_runs import LOG

TOPICS = ("Harbour ferries", "Tidal power", "Öresund förbindelse")
KILLS = 20
SEED = 20_260_301
LONGEST_LIFE_S = 1.3  # after the worker said that it is ready


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


def _finished(beacon: Beacon, runs: list[str]) -> bool:
    with beacon.workspace.records.read() as tx:
        return all(tx.runs.get(run_id).status in FINISHED for run_id in runs)


def _run_under_kills(beacon: Beacon) -> list[str]:
    """The ids of the runs that were under way while a worker was killed KILLS times at random moments."""
    ws, moments = beacon.workspace, random.Random(SEED)
    with ws.records.read() as tx:
        topics = tx.topics.all(ws.project_id)
    runs = [jobs.start_run(ws, topic) for topic in topics]
    killed = 0
    while killed < KILLS:
        if _finished(beacon, runs):
            runs += [jobs.start_run(ws, topic) for topic in topics]
        worker = _start_worker(ws.settings.home)
        time.sleep(moments.uniform(0.02, LONGEST_LIFE_S))
        killed += not _finished(beacon, runs)
        worker.kill()
        worker.wait()
    return runs


@pytest.mark.timeout(400)
def test_runs_are_done_exactly_once_although_the_worker_is_killed_at_twenty_random_moments(beacon: Beacon, tmp_path: Path) -> None:
    ws = beacon.workspace
    folder = _write_folder(tmp_path / "notes")
    for title in TOPICS:
        beacon.call("topic_add", title=title, folders=[str(folder)])
    runs = _run_under_kills(beacon)
    last = _start_worker(ws.settings.home)
    try:
        found = [wait_run(ws, run_id, 60) for run_id in runs]
    finally:
        last.terminate()
        last.wait(10)
    assert {run.status for run in found} == {"done"}, [(run.error, run.state["errors"]) for run in found]
    starts = [line.split() for line in (ws.settings.home / LOG).read_text().splitlines()]
    assert len(starts) > len({tuple(line[1:]) for line in starts}), "no step was cut off: the kills came at the wrong moments"
    with ws.records.read() as tx:
        for run in found:
            drafts = Counter((draft.phase, draft.part) for draft in tx.runs.drafts(run.id))
            assert len(run.completed_phases) == 6 and max(drafts.values()) == 1, drafts
            events = Counter(event.type for event in tx.events.all(ws.project_id, limit=10_000) if event.payload.get("run_id") == run.id)
            assert (events["run_started"], events["run_finished"]) == (1, 1)
            assert _started_after_checkpoint(tx, run.id, starts) == []
            assert not run.state["errors"]
        for topic in tx.topics.all(ws.project_id):
            numbers = sorted(run.n for run in found if run.topic_id == topic.id)
            memory = tx.topics.memory(topic)
            assert numbers == list(range(1, len(numbers) + 1)) and memory is not None and memory.run_count == len(numbers)
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
