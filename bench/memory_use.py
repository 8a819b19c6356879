"""Resident memory of everything `beacon up` starts, over a data folder that holds about ten thousand passages."""

import os
import tempfile
import time
from typing import Any

from beacon.bootstrap import opened
from bench.dashboard import Dashboard, first_page
from bench.material import documents
from bench.throughput import timed_ingest

DOCUMENTS = 3340  # three passages each
SETTLE_S = 6


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    with tempfile.TemporaryDirectory() as home:
        with opened(home=home) as beacon:
            _, chunks = timed_ingest(beacon.workspace, documents(DOCUMENTS))
        with Dashboard(home) as dashboard:
            first_page(dashboard.url)
            first_page(f"{dashboard.url}/graph")
            time.sleep(SETTLE_S)
            parts = [(_name(process), process.memory_info().rss / 1e6) for process in _processes(home)]
    total = sum(megabytes for _, megabytes in parts)
    note = ", ".join(f"{name} {megabytes:.0f}" for name, megabytes in sorted(parts))
    return [{"measure": f"resident, `beacon up` at {chunks:,} passages", "value": f"{total:.0f} MB", "goal": "under 450 MB", "note": note}]


def _processes(home: str) -> list[Any]:
    """Every process on this data folder: the vector server may have been started by the ingest before and be taken over."""
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("BEACON_HOME") == home and "beacon" in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _name(process: Any) -> str:
    line = " ".join(process.cmdline())
    return next(
        (name for name, mark in (("worker", "worker"), ("Chroma", "vectors.server"), ("dashboard", " up ")) if mark in line), "other"
    )
