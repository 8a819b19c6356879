"""How long runs take: over what did not change, over many versions of one source, and the comparison by itself."""

import json
import re
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from beacon.analyst.compare import compare_versions
from beacon.analyst.statements import extract_statements
from beacon.bootstrap import Beacon, opened
from bench.material import documents

DOCUMENTS = 100
VERSIONS = (25, 50, 100)
COMPARED = 100_000  # characters a version


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    return [*_unchanged(), _comparison(), *_versions()]


def texts(count: int, words: int) -> list[str]:
    """That many different texts of about so many words."""
    return [one.document.text for one in documents(count, words) if one.document]


def _unchanged() -> list[dict[str, Any]]:
    """The second and third run over a folder in which nothing changed."""
    with tempfile.TemporaryDirectory() as home, opened(home=Path(home) / "home") as beacon:
        folder = Path(home) / "documents"
        folder.mkdir()
        for n, text in enumerate(texts(DOCUMENTS, 400)):
            (folder / f"note-{n}.md").write_text(f"# Note {n}\n\n{text}\n", encoding="utf-8")
        beacon.call("topic_add", title="Ferries", folders=[str(folder)], queries=["How long did ships wait?"])
        first = _run(beacon)
        again, processor = zip(*(_timed(lambda: _run(beacon)) for _ in range(3)), strict=True)
    return [
        {
            "measure": f"a run over {DOCUMENTS} unchanged documents",
            "value": f"{sorted(again)[1]:.2f} s",
            "goal": "under 3 s",
            "note": f"{sorted(processor)[1]:.2f} s of processor; the first run, which reads everything: {first:.1f} s",
        }
    ]


def _run(beacon: Beacon, **given: Any) -> float:
    """How long the run took, from its start until it is done."""
    started = time.perf_counter()
    run_id = beacon.call("run_start", slug="ferries", **given)["run_id"]
    run = beacon.call("run_wait", run=run_id, timeout_s=600)
    if run["status"] != "done":
        raise RuntimeError(run["error"])
    return time.perf_counter() - started


def _timed(work: Callable[[], float]) -> tuple[float, float]:
    before = time.process_time()
    return work(), time.process_time() - before


def _comparison() -> dict[str, Any]:
    """Two versions of 100 kB that differ in some figures."""
    old = "\n\n".join(texts(COMPARED // 5_000, 900))[:COMPARED]
    new = re.sub(r"\b\d{2}(\d)7\.", r"11\g<1>8.", old)
    sides = [extract_statements(one, []) for one in (old, new)]
    taken = []
    for _ in range(3):
        before = time.process_time()
        found = compare_versions(*sides, mode="version")
        taken.append(time.process_time() - before)
    note = f"{len(old):,} characters, {len(sides[0])} statements, {len(found)} changes; processor time"
    return {"measure": "comparing two versions of 100 kB", "value": f"{sorted(taken)[1]:.2f} s", "goal": "under 1 s", "note": note}


def _versions() -> list[dict[str, Any]]:
    """A source with many versions, of which each changes one sentence: reading them all, and one more run after that."""
    reading: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as home, opened(home=Path(home) / "home") as beacon:
        _many_versions(beacon, Path(home), 2)  # whatever is loaded once is loaded now
    running: dict[int, float] = {}
    for count in VERSIONS:
        with tempfile.TemporaryDirectory() as home, opened(home=Path(home) / "home") as beacon:
            reading[count], running[count] = _many_versions(beacon, Path(home), count)
    growth = (reading[VERSIONS[-1]] / reading[VERSIONS[0]]) / (VERSIONS[-1] / VERSIONS[0])
    told = ", ".join(f"{count}: {reading[count]:.1f} s" for count in VERSIONS)
    later = ", ".join(f"{count}: {running[count]:.2f} s" for count in VERSIONS)
    return [
        {
            "measure": "reading N versions of one source, against linear",
            "value": f"{growth:.2f}",
            "goal": "≤ 1.2",
            "note": f"processor, {told}",
        },
        {
            "measure": "the next run after N versions",
            "value": f"{running[VERSIONS[-1]]:.2f} s",
            "goal": "",
            "note": f"processor, {later}; it reads N files",
        },
    ]


def _many_versions(beacon: Beacon, home: Path, count: int) -> tuple[float, float]:
    folder = home / "documents"
    folder.mkdir()
    begins, rows = datetime(2025, 1, 1, tzinfo=UTC), []
    [text] = texts(1, 600)
    for n in range(count):
        (folder / f"v{n}.md").write_text(f"# Notice\n\nThe crossing costs {n + 4} euros. {text}\n", encoding="utf-8")
        date = (begins + timedelta(days=n)).date().isoformat()
        more = {"supersedes": f"v{n - 1}"} if n else {}
        rows.append({"file": f"v{n}.md", "id": f"v{n}", "title": "Notice", "version_date": date, **more})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    beacon.call("topic_add", title="Ferries", folders=[str(folder)])
    _, reading = _timed(lambda: _run(beacon))
    return reading, sorted(_timed(lambda: _run(beacon))[1] for _ in range(3))[1]
