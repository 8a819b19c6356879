"""Resident memory of everything `beacon up` starts, over a data folder that holds about ten thousand passages."""

import tempfile
import time
from typing import Any

from beacon.bootstrap import opened
from bench.dashboard import Dashboard, first_page
from bench.material import documents
from bench.throughput import timed_ingest

DOCUMENTS = 5200  # about two passages each
SETTLE_S = 6


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    import psutil

    with tempfile.TemporaryDirectory() as home:
        with opened(home=home) as beacon:
            _, chunks = timed_ingest(beacon.workspace, documents(DOCUMENTS))
        with Dashboard(home) as dashboard:
            first_page(dashboard.url)
            first_page(f"{dashboard.url}/graph")
            time.sleep(SETTLE_S)
            root = psutil.Process(dashboard.process.pid if dashboard.process else None)
            parts = {child.pid: (_name(child), child.memory_info().rss / 1e6) for child in [root, *root.children(recursive=True)]}
    total = sum(megabytes for _, megabytes in parts.values())
    note = ", ".join(f"{name} {megabytes:.0f}" for name, megabytes in parts.values())
    return [{"measure": f"resident, `beacon up` at {chunks:,} passages", "value": f"{total:.0f} MB", "goal": "under 450 MB", "note": note}]


def _name(process: Any) -> str:
    line = " ".join(process.cmdline())
    return next(
        (name for name, mark in (("worker", "worker"), ("Chroma", "vectors.server"), ("dashboard", " up ")) if mark in line), "other"
    )
