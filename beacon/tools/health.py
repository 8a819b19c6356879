"""How Beacon is doing: status, installation checks, and the home page's feed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from beacon.errors import BeaconError
from beacon.stores.records import tables as t
from beacon.tools.topics import topic_json
from beacon.workspace import Workspace

STALE_AFTER_S = 15.0
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
            "backend": "server" if ws.settings.chroma_url else "embedded",
        },
        "graph": {
            "backend": "neo4j" if ws.settings.neo4j_url else "embedded",
            "ok": not problems["graph"].get("problem"),
            "detail": problems["graph"].get("problem", ""),
            "waiting": waiting["graph"],
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
    """provider → whether there is a key for it."""
    given = {"anthropic": ws.settings.anthropic_api_key, "openai": ws.settings.openai_api_key}
    return {name: bool(key.get_secret_value()) for name, key in given.items()}


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


def collect_feed(ws: Workspace, limit: int) -> dict[str, Any]:
    """The newest changes over all topics, open gates, unfinished runs, and the topics."""
    from beacon.tools.runs import change_json, run_json

    with ws.records.read() as tx:
        topics = tx.topics.all(ws.project_id)
        gates = tx.runs.gates(project_id=ws.project_id, status="open")
        running = tx.runs.all(ws.project_id, statuses=("queued", "running", "waiting"))
        changes = []
        for topic in topics:
            last = tx.runs.last_done(topic.id)
            if last is not None:
                changes += [
                    {**change_json(row), "topic": topic.title, "slug": topic.slug, "run": last.n} for row in tx.runs.changes(last.id)
                ]
    changes.sort(key=lambda c: (-c["materiality"], c["topic"], c["text"]))
    return {
        "changes": changes[:limit],
        "total_changes": len(changes),
        "gates": [
            {"id": g.id, "run_id": g.run_id, "name": g.name, "opened_at": g.opened_at.isoformat(), "payload": g.payload} for g in gates
        ],
        "running": [run_json(ws, run) for run in running],
        "topics": [topic_json(ws, topic) for topic in topics],
    }


def examine(ws: Workspace) -> dict[str, Any]:
    """Each part of the installation with whether it is well, what was found and what to do."""
    checks: list[tuple[str, Callable[[], str]]] = [
        ("data folder", lambda: _folder(ws)),
        ("records", lambda: _records(ws)),
        ("sqlite library", lambda: _sqlite(ws)),
        ("vectors", lambda: ws.vectors.status()),
        ("graph", lambda: ws.graph.status()),
        ("embedder", lambda: _embedder(ws)),
        ("graph page library", _vis),
        ("model providers", lambda: _providers(ws)),
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


def _providers(ws: Workspace) -> str:
    found = [name for name, there in _keys(ws).items() if there]
    return f"key present for {', '.join(found)}" if found else "no key: everything works offline"
