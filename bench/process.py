"""How long a person waits: for the help page, and for the first page of the dashboard."""

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from bench.dashboard import Dashboard, first_page

REPEATS = 7


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    bare = _median([_seconds([sys.executable, "-c", "pass"]) for _ in range(REPEATS)])
    shown = _median([_seconds([sys.executable, "-m", "beacon", "--help"]) for _ in range(REPEATS)])
    rows = [{"measure": "`beacon --help`", "value": f"{shown:.2f} s", "goal": "under 0.4 s", "note": f"bare Python: {bare:.2f} s"}]
    with tempfile.TemporaryDirectory() as home:
        started = time.perf_counter()
        with Dashboard(home) as dashboard:
            up = time.perf_counter() - started
            cold = first_page(dashboard.url)
            again = first_page(dashboard.url)
    note = f"process up in {up:.1f} s; a second visit {again:.2f} s" if cold is not None and again is not None else "no Chromium: not taken"
    return [
        *rows,
        {"measure": "first page, cold", "value": f"{cold:.2f} s" if cold is not None else "–", "goal": "under 3 s", "note": note},
    ]


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ)
    return time.perf_counter() - started


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
