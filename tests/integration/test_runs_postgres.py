"""Runs on PostgreSQL: the same code, several workers, the work of a dead one taken over."""

import subprocess
import time
from pathlib import Path

from beacon.bootstrap import open_beacon
from beacon.processes import spawn
from beacon.runs import jobs
from beacon.runs.here import run_here, wait_run


def _notes(folder: Path) -> Path:
    folder.mkdir()
    for n in range(3):
        (folder / f"note {n}.md").write_text(f"# Note {n}\n\nThe northern ferry carried {400 + n} passengers a day in spring.\n")
    return folder


def test_a_run_is_done_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    beacon = open_beacon(home=tmp_path / "home", database_url=postgres_url)
    beacon.call("topic_add", title="Ferries", folders=[str(_notes(tmp_path / "notes"))])
    run_id = beacon.call("run_start", slug="ferries")["run_id"]
    run = run_here(beacon.workspace, run_id, 60)
    beacon.close()
    assert (run.status, run.n, run.error) == ("done", 1, "")


def test_another_worker_takes_over_the_runs_of_a_dead_one(tmp_path: Path, postgres_url: str) -> None:
    home = tmp_path / "home"
    beacon = open_beacon(home=home, database_url=postgres_url)
    ws, notes = beacon.workspace, _notes(tmp_path / "notes")
    titles = [f"Ferries {n}" for n in range(4)]
    for title in titles:
        beacon.call("topic_add", title=title, folders=[str(notes)])
    with ws.records.read() as tx:
        topics = tx.topics.all(ws.project_id)
    env = {"BEACON_DATABASE_URL": postgres_url, "BEACON_TEST_STEP_S": "0.3"}
    workers = [
        spawn("beacon.runs.worker", "--open", "tests.integration.slow_runs:open_beacon", home=home, env=env, output=subprocess.PIPE)
        for _ in range(2)
    ]
    try:
        lines = [worker.stdout.readline() for worker in workers if worker.stdout]
        assert {line.split()[1] for line in lines} == {b"w1", b"w2"}, lines
        runs = [jobs.start_run(ws, topic) for topic in topics]
        time.sleep(1.2)
        workers[0].kill()
        found = [wait_run(ws, run_id, 60) for run_id in runs]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
        beacon.close()
    assert [run.status for run in found] == ["done"] * len(titles), [(run.error, run.progress) for run in found]
