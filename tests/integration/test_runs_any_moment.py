"""Cancelled before any step, redone from any phase: a run always ends as one that nobody touched. Its drafts and files as required."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from beacon.domain.run import PHASES, Run
from beacon.errors import InputError
from beacon.runs import jobs, phases, steps
from beacon.runs.drafts import DraftManager, run_folder_name
from beacon.runs.here import run_here
from tests.integration.test_runs_flow import FIRST, SECOND, START, Desk

STEPS = ("load_memory", "browsing", "planning", "section", "research", "writing", "reviewing", "publishing", "save_memory", "finish")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home", tmp_path / "docs")
    made.put("bridge-1", FIRST, "2026-02-01")
    yield made
    made.beacon.close()


def effects_of(desk: Desk, run: Run) -> dict[str, Any]:
    """What a run left in the records, without ids of attempts."""
    with desk.ws.records.read() as tx:
        stored = tx.runs.get(run.id)
        topic = tx.topics.get(desk.ws.project_id, run.topic_id)
        drafts = [(d.phase, d.part, d.n, d.content) for d in tx.runs.drafts(run.id)]
        changes = [(row["kind"], row["text"]) for row in tx.runs.changes(run.id)]
        return {
            "status": stored.status, "n": stored.n, "report": stored.state["final_report"], "drafts": sorted(drafts), "changes": changes,
            "steps": sorted(tx.runs.checkpoints(run.id)), "memory": tx.topics.memory(topic), "completed": stored.completed_phases,
            "read": tx.runs.versions(run.id), "errors": stored.state["errors"],
        }  # fmt: skip


@pytest.mark.parametrize("kind", STEPS)
def test_a_run_cancelled_at_any_step_and_resumed_is_as_one_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    left: list[dict[str, Any]] = []
    for name in ("alone", "cancelled"):
        (tmp_path / name).mkdir()
        desk = Desk(tmp_path / name / "home", tmp_path / "docs" if name == "alone" else tmp_path / name / "docs")
        desk.put("bridge-1", FIRST, "2026-02-01")
        topic = desk.topic()
        if name == "cancelled":
            cancel_at(desk, monkeypatch, kind)
            run = desk.run(topic)
            assert run.status == "cancelled"
            with desk.ws.records.read() as tx:
                assert tx.runs.checkpoint(run.id, kind) is None  # what was in hand left no trace
            monkeypatch.undo()
            run = run_here(desk.ws, jobs.resume_run(desk.ws, run.id).id, 60)
        else:
            run = desk.run(topic)
        left.append(effects_of(desk, run))
        desk.beacon.close()
    assert left[0] == left[1]


def cancel_at(desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Somebody cancels while this step is at work."""
    work = phases.STEPS[kind].work

    def cancelled(ws: Any, run: Run, state: Any, index: int) -> Any:
        result = work(ws, run, state, index)
        with desk.ws.records.read() as tx:
            under_way = tx.runs.get(run.id).status == "running"
        if under_way:
            jobs.cancel_run(desk.ws, run.id)
        return result

    monkeypatch.setattr(steps, "STEPS", {**phases.STEPS, kind: replace(phases.STEPS[kind], work=cancelled)})


def test_a_run_redone_from_any_phase_says_the_same_and_computes_only_what_follows(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = desk.topic()
    desk.run(topic)
    desk.put("bridge-2", SECOND, "2026-03-05", supersedes="bridge-1")
    desk.now = START + timedelta(days=7)
    run = desk.run(topic)
    before = effects_of(desk, run)
    started: list[str] = []

    def noted(kind: str) -> Any:
        work = phases.STEPS[kind].work
        return lambda *args: (started.append(kind), work(*args))[1]

    monkeypatch.setattr(steps, "STEPS", {kind: replace(step, work=noted(kind)) for kind, step in phases.STEPS.items()})
    for phase in PHASES:
        started.clear()
        again = run_here(desk.ws, jobs.redo_run(desk.ws, run.id, phase).id, 60)
        after = effects_of(desk, again)
        assert {name: after[name] for name in ("status", "n", "report", "changes", "steps", "completed", "read")} == {
            name: before[name] for name in ("status", "n", "report", "changes", "steps", "completed", "read")
        }, phase
        done = {phases.STEPS[kind].phase for kind in started} - {""}
        first = "reviewing" if phase == "revision" else phase
        assert done == {one for one in before["completed"] if PHASES.index(one) >= PHASES.index(first)}, phase
    assert after["memory"].run_count == 2


def test_the_files_of_a_run_stand_where_the_requirement_says(desk: Desk) -> None:
    run = desk.run(desk.topic())
    folder = desk.ws.settings.outputs_dir / run.output_dir
    assert re.fullmatch(r"run_\d{8}T\d{6}Z_river-bridge", folder.name)
    assert (folder / f"{run.id}.md").is_file()
    found = sorted(str(path.relative_to(folder / "drafts")) for path in (folder / "drafts").rglob("*.md"))
    stamp = r"\d{8}T\d{6}Z"
    wanted = [
        rf"1_browsing/{stamp}_sources\.md", rf"2_planning/{stamp}_plan\.md", rf"3_research/{stamp}_section_1\.md",
        rf"4_writing/{stamp}_draft\.md", rf"5_reviewing/{stamp}_review\.md", rf"7_publishing/{stamp}_final\.md", r"WORKFLOW_SUMMARY\.md",
    ]  # fmt: skip
    for pattern in wanted:
        assert any(re.fullmatch(pattern, name) for name in found), (pattern, found)


def test_a_file_that_was_lost_is_written_again_from_the_records(desk: Desk) -> None:
    run = desk.run(desk.topic())
    folder = desk.ws.settings.outputs_dir / run.output_dir
    draft = next((folder / "drafts" / "4_writing").iterdir())
    text = draft.read_text()
    draft.unlink()
    DraftManager(desk.ws, run.id).save_draft("writing", "a note", part="note")
    assert draft.read_text() == text


def test_the_summary_tells_every_phase_its_drafts_and_what_went_wrong(desk: Desk) -> None:
    topic = desk.topic(language="sv")
    run = desk.run(topic)
    summary = DraftManager(desk.ws, run.id).generate_workflow_summary()
    folder = desk.ws.settings.outputs_dir / run.output_dir / "drafts"
    assert (folder / "WORKFLOW_SUMMARY.md").read_text() == summary
    for phase in ("1_browsing", "2_planning", "3_research", "4_writing", "5_reviewing", "7_publishing"):
        assert f"## {phase}" in summary
    links = re.findall(r"\]\(([^)]+\.md)\)", summary)
    assert links and all((folder / link).is_file() for link in links)
    assert "What went wrong" in summary and "needs a model" in summary


def test_a_draft_carries_its_metadata_in_front(desk: Desk) -> None:
    run = desk.run(desk.topic())
    drafts = DraftManager(desk.ws, run.id)
    made = drafts.save_draft("research", "Words", {"agent": "tester", "note": "two\nlines"}, part="../../up")
    listed = next(one for one in drafts.list_drafts() if one["id"] == made.id)
    path = desk.ws.settings.outputs_dir / run.output_dir / listed["file"]
    assert path.is_relative_to(desk.ws.settings.outputs_dir / run.output_dir / "drafts" / "3_research")
    assert path.read_text() == "---\nphase: research\nversion: 1\nagent: tester\nnote: two lines\n---\n\nWords\n"


def test_a_phase_that_does_not_exist_has_no_drafts(desk: Desk) -> None:
    drafts = DraftManager(desk.ws, desk.run(desk.topic()).id)
    for ask in (lambda: drafts.load_draft("drawing"), lambda: drafts.save_draft("drawing", "x")):
        with pytest.raises(InputError, match="There is no phase 'drawing'"):
            ask()


@pytest.mark.parametrize("slug", ["a" * 80, "ø" * 80, "東京の船" * 20])
def test_a_folder_name_fits_every_file_system(slug: str) -> None:
    assert len(run_folder_name(START, slug).encode()) <= 255
