"""The quick way to measure comparison gives what a run gives."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from beacon.bootstrap import open_beacon
from beacon.runs import jobs
from beacon.runs.here import run_here
from bench.change_views import beacon_changes, read_documents, timeline
from bench.cosmetic import overlaid_pairs
from bench.cosmetic_edits import render

DAYS = ("2026-01-05", "2026-02-09")
TITLE = "Library travel"


def write_versions(folder: Path) -> None:
    pair = next(overlaid_pairs())
    folder.mkdir()
    rows: list[dict[str, Any]] = []
    for n, (text, look) in enumerate(((pair.old_text, pair.old_look), (pair.new_text, pair.new_look))):
        name = f"v{n}.{look.form}"
        (folder / name).write_bytes(render(text, look))
        linked = {"supersedes": "v0"} if n else {}
        rows.append(
            {"file": name, "id": f"v{n}", "title": "Policy", "url": "https://example.org/policy", "version_date": DAYS[n], **linked}
        )
    (folder / "manifest.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")


def test_views_in_memory_give_the_changes_of_a_run(tmp_path: Path) -> None:
    write_versions(tmp_path / "d")
    beacon = open_beacon(home=tmp_path / "home")
    beacon.call("topic_add", title=TITLE, folders=[str(tmp_path / "d")])
    with beacon.workspace.records.read() as tx:
        topic = tx.topics.all(beacon.workspace.project_id)[0]
    for day in DAYS:
        run_here(
            beacon.workspace, jobs.start_run(beacon.workspace, topic, as_of=datetime.fromisoformat(day).replace(hour=23, tzinfo=UTC)), 60
        )
    told = [(one["kind"], (one["old"] or {}).get("quote"), one["quote"]) for one in beacon.call("change_list", slug=topic.slug)]
    (_, old), (_, new) = timeline(read_documents(tmp_path / "d"))
    quick = [(one.kind, one.old and one.old.quote, one.new and one.new.quote) for one in beacon_changes(old, new, TITLE)]
    assert len(quick) >= 6
    assert quick == told
