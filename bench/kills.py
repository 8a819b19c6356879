"""Runs under `kill -9`: two workers, one of them killed at random moments; then everything is compared with runs left alone.

`python -m bench --only kills` takes some minutes. BEACON_KILLS (default 50) is how often on each database, BEACON_KILL_SEED when.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.ids import digest
from beacon.domain.run import FINISHED
from beacon.domain.topic import Topic
from beacon.processes import spawn
from beacon.runs import jobs
from beacon.runs.here import run_here, wait_run
from beacon.stores.records import tables as t
from beacon.stores.records.store import Tx
from beacon.synthesis.refresh import settle

TOPICS = ("Harbour ferries", "Tidal power", "Öresund förbindelse")
PORTS = ("Aalborg", "Gdańsk", "Öresund", "Κέρκυρα", "Одеса")
DOCUMENTS = len(PORTS)
FIRST_DAY = datetime(2026, 1, 5, tzinfo=UTC)
SHORTEST_S, LONGEST_S = 0.05, 2.5  # between two kills
LAST_WAIT_S = 180.0
LOG = "starts.log"
OPENER = "tests.integration.slow_runs:open_beacon"  # steps that take a little time, and write down that they began


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    rows = [_killed("SQLite", "")]
    try:
        from tests import servers

        with servers.postgres() as server:
            rows.append(_killed("PostgreSQL", server.make_database().replace("postgresql://", "postgresql+psycopg://", 1)))
    except servers.ServerMissing as error:
        rows.append({"measure": "kills on PostgreSQL", "value": "skipped", "note": str(error)})
    return rows


def _killed(name: str, url: str) -> dict[str, Any]:
    wanted, seed = int(os.environ.get("BEACON_KILLS", "50")), int(os.environ.get("BEACON_KILL_SEED", "20260301"))
    started = time.perf_counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        storm = Storm(folder / "killed", url, seed)
        stack.callback(storm.close)
        storm.rage(wanted)
        calm = Desk(folder / "calm", "")
        stack.callback(calm.beacon.close)
        for _ in range(storm.desk.rounds):
            for topic, moment in calm.next_round():
                run_here(calm.beacon.workspace, jobs.start_run(calm.beacon.workspace, topic, as_of=moment), LAST_WAIT_S)
        lost, extra = compare(calm.state(), storm.desk.state())
        again, cut_off = storm.started_after_checkpoint(), storm.cut_off()
    for line in [*lost, *extra, *again][:20]:
        print(f"    {line}", file=sys.stderr, flush=True)
    note = (
        f"{storm.kills} kills, two workers, {storm.desk.rounds * len(TOPICS)} runs, {cut_off} steps cut off and run again; "
        f"{time.perf_counter() - started:.0f} s"
    )
    value = f"{len(lost)} lost, {len(extra)} doubled or other, {len(again)} finished steps run again"
    return {"measure": f"kills on {name}", "value": value, "goal": "0, 0, 0", "note": note}


class Desk:
    """A data folder whose topics read one folder, to which every round adds a day."""

    def __init__(self, home: Path, url: str) -> None:
        self.home, self.rounds = home, 0
        self.folder = home.parent / f"{home.name}-documents"
        self.folder.mkdir(parents=True)
        self.beacon: Beacon = open_beacon(home=home, **({"database_url": url} if url else {}))
        self._rows: list[dict[str, Any]] = []
        for title in TOPICS:
            self.beacon.call("topic_add", title=title, folders=[str(self.folder)], queries=["What does a crossing cost?"])

    def next_round(self) -> list[tuple[Topic, datetime]]:
        """What is to be run on one more day."""
        day = FIRST_DAY + timedelta(days=self.rounds)
        self._write_day(day)
        self.rounds += 1
        ws = self.beacon.workspace
        with ws.records.read() as tx:
            topics = tx.topics.all(ws.project_id)
        return [(topic, day + timedelta(hours=20)) for topic in topics]

    def _write_day(self, day: datetime) -> None:
        for n in range(DOCUMENTS):
            name = f"note-{n}-{self.rounds}"
            earlier = [row["id"] for row in self._rows if row["id"].startswith(f"note-{n}-")]
            if earlier and n % 2:
                continue  # every other document stays as it is
            (self.folder / f"{name}.md").write_text(_text(n, self.rounds), encoding="utf-8")
            more = {"supersedes": earlier[-1]} if earlier else {}
            date = day.date().isoformat()
            self._rows.append({"file": f"{name}.md", "id": name, "title": f"Note {n}", "date": date, "version_date": date, **more})
        (self.folder / "manifest.jsonl").write_text("\n".join(json.dumps(row) for row in self._rows) + "\n", encoding="utf-8")

    def state(self) -> Counter[str]:
        """Everything the runs left in the records, each row once, without ids and times that depend on when a worker lived."""
        ws = self.beacon.workspace
        settle(ws)
        with ws.records.read() as tx:
            return Counter([*_of_runs(tx, ws.project_id), *_of_sources(tx)])


def _text(n: int, round_number: int) -> str:
    port = PORTS[n % len(PORTS)]
    return (
        f"# {port}\n\nA single crossing from {port} costs {10 + n + round_number} euros. "
        f"The ferry of {port} carried {400 + n} passengers a day in spring. The operator in {port} plans {n + 2} more crossings.\n\n"
        f"- The port of {port} opens at {6 + n}:00.\n- The tide at {port} reached {100 + round_number} cm.\n"
    )


def _of_runs(tx: Tx, project_id: str) -> list[str]:
    found: list[str] = []
    topics = {topic.id: topic for topic in tx.topics.all(project_id)}
    for run in tx.runs.all(project_id, limit=100_000):
        name = f"{topics[run.topic_id].slug}#{run.n}"
        report = digest(str(run.state.get("final_report", "")))
        found.append(f"run {name} {run.status} {run.completed_phases} {report} {run.state.get('errors')}")
        found += [
            f"draft {name} {d.phase} {d.part} {d.n} {'' if d.phase == 'planning' else digest(d.content)}" for d in tx.runs.drafts(run.id)
        ]
        found += [f"change {name} {c['ordinal']} {c['kind']} {c['text']} {(c['old'] or {}).get('text')}" for c in tx.runs.changes(run.id)]
        found += [f"read {name} {status} {version}" for _, version, status in tx.runs.versions(run.id)]
        found += [f"step {name} {step}" for step in tx.runs.checkpoints(run.id)]
    for topic in topics.values():
        memory = tx.topics.memory(topic)
        if memory:
            facts = json.dumps(memory.key_facts, sort_keys=True)  # PostgreSQL orders the names as it likes
            found.append(f"memory {topic.slug} {memory.run_count} {memory.seen_urls} {facts} {memory.report_summary}")
    kinds = ("run_started", "run_finished", "source_ingested")
    found += [f"event {e.type} {e.text}" for e in tx.events.all(project_id, types=list(kinds), limit=1_000_000)]
    return found


def _of_sources(tx: Tx) -> list[str]:
    found = [f"version {v.source_id} {v.n} {v.sha256}" for v in tx.connection.execute(sa.select(t.version))]
    found += [f"chunk {c.id} {c.current}" for c in tx.connection.execute(sa.select(t.chunk.c.id, t.chunk.c.current))]
    for table in (t.mention, t.relation):
        found += [f"{table.name} {key}" for key in tx.connection.scalars(sa.select(table.c.id))]
    e = t.relation_evidence.c
    found += [f"evidence {row}" for row in tx.connection.execute(sa.select(e.relation_id, e.chunk_id, e.start))]
    found += [f"summary {s.segment} {s.period} {s.flagged} {s.text}" for s in tx.connection.execute(sa.select(t.summary))]
    found += [f"outbox {row.target} {row.ref}" for row in tx.connection.execute(sa.select(t.outbox))]
    return found


def compare(calm: Counter[str], killed: Counter[str]) -> tuple[list[str], list[str]]:
    """(what is missing, what is there too often or should not be)."""
    return [f"lost: {row}" for row in sorted((calm - killed).elements())], [f"extra: {row}" for row in sorted((killed - calm).elements())]


class Storm:
    """A desk whose workers are killed while they work."""

    def __init__(self, home: Path, url: str, seed: int) -> None:
        self.desk = Desk(home, url)
        self.kills = 0
        self._moments = random.Random(seed)
        self._env = {"BEACON_DATABASE_URL": url} if url else {}
        self._workers: list[subprocess.Popen[bytes]] = []
        self._runs: list[str] = []

    def rage(self, wanted: int) -> None:
        """Kill workers at random moments until it was done `wanted` times while runs were under way; then let everything end."""
        self._begin_round()
        self._workers = [self._start(), self._start()]
        while self.kills < wanted:
            time.sleep(self._moments.uniform(SHORTEST_S, LONGEST_S))
            if self._finished():
                self._begin_round()
                continue
            at = self._victim()
            if at is None:
                continue
            self._workers[at].kill()
            self._workers[at].wait()
            self._workers[at] = self._start()
            self.kills += 1
            if self.kills % 10 == 0:
                print(f"    {self.kills} kills", file=sys.stderr, flush=True)
        for run_id in self._runs:
            wait_run(self.desk.beacon.workspace, run_id, LAST_WAIT_S)
        self.close_workers()

    def _begin_round(self) -> None:
        ws = self.desk.beacon.workspace
        self._runs += [jobs.start_run(ws, topic, as_of=moment) for topic, moment in self.desk.next_round()]

    def _start(self) -> "subprocess.Popen[bytes]":
        return spawn("beacon.runs.worker", "--open", OPENER, home=self.desk.home, env=self._env, output=subprocess.DEVNULL)

    def _victim(self) -> int | None:
        """A worker that holds a slot: the others only start, or stand by."""
        with self.desk.beacon.workspace.records.read() as tx:
            holders = {beat["pid"] for beat in tx.runs.heartbeats()}
        working = [at for at, worker in enumerate(self._workers) if worker.pid in holders]
        return self._moments.choice(working) if working else None

    def _finished(self) -> bool:
        with self.desk.beacon.workspace.records.read() as tx:
            return all(tx.runs.get(run_id).status in FINISHED for run_id in self._runs[-len(TOPICS) :])

    def _starts(self) -> list[list[str]]:
        log = self.desk.home / LOG
        return [line.split() for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []

    def cut_off(self) -> int:
        """How many steps were begun again."""
        starts = self._starts()
        return len(starts) - len({tuple(line[1:]) for line in starts})

    def started_after_checkpoint(self) -> list[str]:
        """Steps that were begun although they had been finished."""
        with self.desk.beacon.workspace.records.read() as tx:
            rows = tx.connection.execute(sa.select(t.checkpoint.c.run_id, t.checkpoint.c.step, t.checkpoint.c.at))
            at = {(run, step): when.timestamp() for run, step, when in rows}
        found = []
        for started, run, kind, index in self._starts():
            step = kind if (run, kind) in at and index == "0" else f"{kind}:{index}"
            if float(started) > at.get((run, step), float("inf")):
                found.append(f"again: {run} {step}")
        return found

    def close_workers(self) -> None:
        """End the workers that are left."""
        for worker in self._workers:
            worker.kill()
            worker.wait()
        self._workers = []

    def close(self) -> None:
        """End everything this started."""
        self.close_workers()
        self.desk.beacon.close()
