"""Browsing: read what the topic names, and tell what is new since the last run."""

from functools import partial
from typing import Any

from beacon.analyst.markdown import link, plain
from beacon.domain.change import Change
from beacon.domain.run import ResearchState, Run
from beacon.runs.changes import change_from_row, change_rows, compare_views, disagreements, focus_of
from beacon.runs.evidence import moment_of, previous_run
from beacon.runs.gather import gather
from beacon.runs.progress import report_progress
from beacon.runs.results import NewDraft, PhaseResult
from beacon.runs.topic_memory import filter_seen_urls
from beacon.runs.views import Seen, View, read_view, status_of, view_of
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

MAX_DISAGREEMENTS = 20


def browse(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """The sources with their status, the changes since the last run, and what could not be read."""
    with ws.records.read() as tx:
        topic = tx.topics.get(run.project_id, run.topic_id)
    watch = partial(_report, ws, run.id)
    gathered = gather(ws, topic, watch, search=run.as_of is None, run_id=run.id)  # what is found today was not there at an earlier moment
    with ws.records.read() as tx:
        before = previous_run(tx, run)
        old = view_of(tx, before) if before else None
        new = read_view(tx, run.project_id, tx.topics.source_ids(topic.id), run.as_of)
    report_progress(ws, run.id, "Comparing with the last run" if before else "Comparing sources")
    differing = _standing(before, old, new)
    rows = change_rows(compare_views(old, new, focus=focus_of(topic), standing=differing), run.id) if old is not None else []
    standing = change_rows(differing[:MAX_DISAGREEMENTS], f"{run.id} standing")
    sources = [_source(one, old) for one in sorted(new.seen.values(), key=lambda one: one.order)]
    fresh = filter_seen_urls(sources, [one.url for one in old.seen.values()] if old else [])
    data: dict[str, Any] = {
        "sources": sources, "fresh": [one["source_id"] for one in fresh], "problems": gathered.problems, "disagreements": standing,
        "since": moment_of(before).date().isoformat() if before else "", "previous_run": before.id if before else "",
        "documents_read": gathered.documents,
    }  # fmt: skip
    return PhaseResult(
        updates=ResearchState(research_data=data, errors=gathered.problems),
        drafts=(NewDraft("browsing", "sources", _draft(sources, gathered.problems), {"sources": len(sources), "fresh": len(fresh)}),),
        outcome={"fresh": len(fresh)},
        effects=lambda tx: _store(tx, run, new, old, rows),
        message=f"{len(sources)} sources, {len(fresh)} to read",
    )


def _report(ws: Workspace, run_id: str, name: str, done: int, total: int) -> None:
    report_progress(ws, run_id, "Reading sources", done, total, name)


def _standing(before: Run | None, old: View | None, new: View) -> list[Change]:
    """Where the current sources disagree. Sources that say what they said when the last run read them disagree as they did."""
    if before is not None and old is not None and old.is_same(new) and "disagreements" in before.state.get("research_data", {}):
        return [change_from_row(row) for row in before.state["research_data"]["disagreements"]]
    return disagreements(new)


def _store(tx: Tx, run: Run, new: View, old: View | None, rows: list[dict[str, Any]]) -> None:
    tx.runs.set_versions(run.id, [(one.id, one.version.id, status_of(one, old)) for one in new.seen.values()])
    tx.runs.set_changes(run.id, run.topic_id, rows)


def _source(one: Seen, old: View | None) -> dict[str, Any]:
    return {
        "source_id": one.id, "version_id": one.version.id, "url": one.url, "title": one.version.title or one.source.title,
        "date": one.day, "status": status_of(one, old), "kind": one.source.kind, "role": one.source.role, "series": one.source.series,
    }  # fmt: skip


def _draft(sources: list[dict[str, Any]], problems: list[str]) -> str:
    lines = ["# Sources", ""]
    lines += [f"- {one['status']}: {link(one['title'], one['url'])} ({one['date']})" for one in sources] or ["Nothing was read."]
    if problems:
        lines += ["", "## Not read", "", *(f"- {plain(problem)}" for problem in problems)]
    return "\n".join(lines) + "\n"
