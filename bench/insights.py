"""Synthesis: how long 500 documents take, and what comes of real sets: themes, people, and quotes that are exact.

The real sets are read from `BEACON_DATA`, and what is missing is said.
"""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from beacon.bootstrap import Beacon, opened
from beacon.domain.source import IncomingDocument
from beacon.ingest.parse import parse_bytes
from beacon.ingest.pipeline import ingest_documents

DOCUMENTS = 500
SETS = ("opentelemetry-end-users", "onrr-user-research")
THINGS = ("archive", "export", "invoice", "calendar", "login", "report", "filter", "import", "search", "dashboard", "map", "upload")
SAYS = (
    "I can't find the {0} when I need it",
    "The {0} is slow on my phone",
    "I wish the {0} could be shared with the {1}",
    "It is hard to set up the {0} together with the {1}",
    "The {0} breaks whenever the {1} changes",
    "The {0} is great",
    "We need better help for the {0}",
    "Opening the {0} takes too long after the {1}",
)


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    rows = [_five_hundred()]
    data = Path(os.environ.get("BEACON_DATA", "../shared/data"))
    for name in SETS:
        if (data / name).is_dir():
            rows += _real(data / name)
        else:
            rows.append(
                {"measure": f"synthesis of {name}", "value": "skipped", "goal": "", "note": "the set is not there: set BEACON_DATA"}
            )
    return rows


def _five_hundred() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home, opened(home=home) as beacon:
        ingest_documents(beacon.workspace, [_interview(n) for n in range(DOCUMENTS)], origin="bench")
        wall, cpu, found = _timed(beacon)
    note = f"{cpu:.1f} s of CPU, {found['synthesis']['report']['statements']:,} statements, {len(found['themes'])} themes"
    return {"measure": f"synthesis of {DOCUMENTS} interviews", "value": f"{wall:.1f} s", "goal": "under 60 s", "note": note}


def _interview(n: int) -> IncomingDocument:
    """An interview of twenty sentences, drawn by number: no two are alike."""
    lines = []
    for turn in range(20):
        at = n * 31 + turn * 7
        says = SAYS[at % len(SAYS)].format(THINGS[at % len(THINGS)], THINGS[(at // 3 + turn) % len(THINGS)])
        lines += [f"Host: What about point {turn}?", f"Guest: {says}, said on day {at % 365}."]
    document = parse_bytes("\n\n".join(lines).encode(), name=f"call-{n}.md", media_type="text/markdown")
    return IncomingDocument(f"call:{n}", "", f"Call {n}", document, kind="interview_transcript", participant=f"P{n}", segment=f"S{n % 4}")


def _timed(beacon: Beacon) -> tuple[float, float, dict[str, Any]]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = beacon.call("synthesize")
    return time.perf_counter() - wall, time.process_time() - cpu, found


def _real(folder: Path) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as home, opened(home=home) as beacon:
        beacon.call("ingest_paths", paths=[str(folder)])
        wall, cpu, found = _timed(beacon)
        check = next(one for one in beacon.call("verify")["checks"] if one["name"].startswith("themes"))
    themes, report = found["themes"], found["synthesis"]["report"]
    size = f"{len(themes)} themes, {len(found['opportunities'])} opportunities"
    note = f"{report['statements']:,} statements of {report['people']} people; {wall:.1f} s, {cpu:.1f} s of CPU"
    quoted = sum(1 for theme in themes if theme["title"].startswith("“"))
    return [
        {"measure": f"synthesis of {folder.name}", "value": size, "goal": "", "note": note},
        {
            "measure": f"quotes exact in {folder.name}",
            "value": "all" if check["ok"] else check["detail"],
            "goal": "all",
            "note": f"{check['checked']:,} looked at",
        },
        {
            "measure": f"titles that are a quote in {folder.name}",
            "value": f"{quoted} of {len(themes)}",
            "goal": "",
            "note": "no sentence could be made general",
        },
    ]
