"""How Beacon is doing: status, installation checks, and the home page's feed."""

import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from beacon.domain.run import Run
from beacon.domain.topic import Topic
from beacon.errors import BeaconError
from beacon.stores.records import tables as t
from beacon.stores.records.store import Tx
from beacon.tools.topics import topic_json
from beacon.workspace import Workspace

STALE_AFTER_S = 15.0
LOOK_PAUSE = timedelta(minutes=30)  # a pause after which coming back is a new look
MARK_EVERY = timedelta(minutes=1)
LOW_DISK_BYTES = 500_000_000
MIN_SAFE_SQLITE = (3, 51, 3)


def collect_status(ws: Workspace) -> dict[str, Any]:
    """Records, projections, workers, providers, spend and counts."""
    with ws.records.read() as tx:
        beats = tx.runs.heartbeats()
        waiting = {target: tx.outbox.waiting(target) for target in ("vectors", "graph")}
        problems = {target: tx.projects.value(f"projection:{target}", {}) for target in ("vectors", "graph")}
        counts = tx.sources.counts(ws.project_id) | _counts(tx.connection, ws.project_id)
        spend = tx.runs.spend(ws.project_id)
    now = ws.clock()
    return {
        "records": {"backend": "sqlite" if ws.settings.is_sqlite else "postgresql", "home": str(ws.settings.home)},
        "chroma": {
            "ok": not problems["vectors"].get("problem"),
            "detail": problems["vectors"].get("problem", ""),
            "waiting": waiting["vectors"],
            "since": problems["vectors"].get("since") if problems["vectors"].get("problem") else None,
            "backend": "server" if ws.settings.chroma_url else "embedded",
        },
        "graph": {
            "backend": "neo4j" if ws.settings.neo4j_url else "embedded",
            "ok": not problems["graph"].get("problem"),
            "detail": problems["graph"].get("problem", ""),
            "waiting": waiting["graph"],
            "since": problems["graph"].get("since") if problems["graph"].get("problem") else None,
        },
        "workers": [
            {
                "slot": b["slot"],
                "pid": b["pid"],
                "host": b["host"],
                "age_s": round((now - b["at"]).total_seconds(), 1),
                "alive": (now - b["at"]).total_seconds() < STALE_AFTER_S,
            }
            for b in beats
        ],
        "providers": _keys(ws),
        "spend": spend,
        "counts": counts,
    }


def _keys(ws: Workspace) -> dict[str, bool]:
    """provider → whether there is a key for it, or an address."""
    from beacon.tools.provider_state import has_key

    return {name: has_key(ws, name) for name in ("anthropic", "openai", "gemini", "local")}


def _counts(connection: sa.Connection, project_id: str) -> dict[str, int]:
    tables = {
        "topics": t.topic,
        "memories": t.memory,
        "entities": t.entity,
        "events": t.event,
        "runs": t.run,
        "conversations": t.conversation,
    }
    return {
        name: connection.scalar(sa.select(sa.func.count()).select_from(table).where(table.c.project_id == project_id)) or 0
        for name, table in tables.items()
    }


def collect_feed(ws: Workspace, limit: int, *, mark: bool = False) -> dict[str, Any]:
    """What changed since the user last looked (`fresh`), or else in the latest runs; open gates, unfinished runs, topics."""
    from beacon.tools.runs import run_json

    since = _last_look(ws, mark)
    with ws.records.read() as tx:
        topics = tx.topics.all(ws.project_id)
        gates = tx.runs.gates(project_id=ws.project_id, status="open")
        running = tx.runs.all(ws.project_id, statuses=("queued", "running", "waiting"))
        done = {topic.id: tx.runs.all(ws.project_id, topic.id, statuses=("done",)) for topic in topics}
        new = {key: [run for run in runs if since and run.finished_at and run.finished_at > since] for key, runs in done.items()}
        fresh = any(new.values())
        shown = [(topic, run) for topic in topics for run in (new[topic.id] if fresh else done[topic.id][:1])]
        changes = [row for topic, run in shown for row in _changes_of(tx, topic, run)]
    changes.sort(key=lambda c: (-c["materiality"], c["topic"], -c["run"], c["text"]))
    return {
        "since": since.isoformat() if since else None,
        "fresh": fresh,
        "changes": changes[:limit],
        "total_changes": len(changes),
        "gates": [
            {"id": g.id, "run_id": g.run_id, "name": g.name, "opened_at": g.opened_at.isoformat(), "payload": g.payload} for g in gates
        ],
        "running": [run_json(ws, run) for run in running],
        "topics": [topic_json(ws, topic) for topic in topics],
    }


def _changes_of(tx: Tx, topic: Topic, run: Run) -> list[dict[str, Any]]:
    from beacon.tools.runs import change_json

    found = (change_json(row) for row in tx.runs.changes(run.id))
    return [{**change, "topic": topic.title, "slug": topic.slug, "run": run.n} for change in found if change["kind"] != "confirmed"]


def _last_look(ws: Workspace, mark: bool) -> datetime | None:
    """When the user's look before this one ended; looks less than LOOK_PAUSE apart are one."""
    name, now = f"look:{ws.project_id}:{ws.user_id}", ws.clock()
    with ws.records.read() as tx:
        seen = tx.projects.value(name, {})
    at = datetime.fromisoformat(seen["at"]) if seen.get("at") else None
    before = datetime.fromisoformat(seen["before"]) if seen.get("before") else None
    if at is not None and now - at > LOOK_PAUSE:
        before = at
    if mark and (at is None or now - at > MARK_EVERY):
        with ws.records.write() as tx:
            tx.projects.set_value(name, {"at": now.isoformat(), "before": before.isoformat() if before else None}, now)
    return before


def examine(ws: Workspace) -> dict[str, Any]:
    """Each part of the installation with whether it is well, what was found and what to do."""
    from beacon.tools.checks import checks_of

    checks: list[tuple[str, Callable[[], str]]] = [
        ("data folder", lambda: _folder(ws)),
        ("records", lambda: _records(ws)),
        ("sqlite library", lambda: _sqlite(ws)),
        ("vectors", lambda: ws.vectors.status()),
        ("graph", lambda: ws.graph.status()),
        ("embedder", lambda: _embedder(ws)),
        ("graph page library", _vis),
        *checks_of(ws),
    ]
    results = [_check(name, run) for name, run in checks]
    return {"ok": all(r["ok"] for r in results), "checks": results}


def _check(name: str, run: Callable[[], str]) -> dict[str, Any]:
    try:
        return {"name": name, "ok": True, "detail": run()}
    except BeaconError as error:
        return {"name": name, "ok": False, "detail": error.message}


def _folder(ws: Workspace) -> str:
    from beacon.errors import StorageError

    ws.settings.make_home()
    free = shutil.disk_usage(ws.settings.home).free
    if free < LOW_DISK_BYTES:
        raise StorageError(f"{ws.settings.home} has {free // 1_000_000} MB left: free some space.")
    return f"{ws.settings.home}, {free // 1_000_000_000} GB free"


def _records(ws: Workspace) -> str:
    with ws.records.read() as tx:
        counts = tx.sources.counts(ws.project_id)
    return ", ".join(f"{n} {name}" for name, n in counts.items())


def _sqlite(ws: Workspace) -> str:
    from beacon.errors import StorageError
    from beacon.stores.records.engine import sqlite_library

    if not ws.settings.is_sqlite:
        return "not used: the records are on PostgreSQL"
    version = sqlite_library().sqlite_version
    if tuple(int(part) for part in version.split(".")) < MIN_SAFE_SQLITE:
        raise StorageError(f"SQLite {version} may damage a file that two processes write: install the pysqlite3 package.")
    return f"SQLite {version}"


def _embedder(ws: Workspace) -> str:
    vector = ws.embedder.embed_query("a beacon")
    return f"{ws.embedder.name}, {len(vector)} dimensions"


def _vis() -> str:
    from importlib.util import find_spec

    from beacon.errors import StorageError

    found = find_spec("pyvis")
    folders = list(found.submodule_search_locations or []) if found else []
    if not folders or not (file := Path(folders[0]) / "lib" / "vis-9.1.2" / "vis-network.min.js").is_file():
        raise StorageError("The graph page's drawing library is missing: reinstall pyvis 0.3.2.")
    return f"vis-network, {file.stat().st_size // 1000} kB"
