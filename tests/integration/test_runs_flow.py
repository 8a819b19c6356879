"""Runs executed in this process: from memory to memory, across failures, gates, redos and replays."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.run import Run
from beacon.domain.topic import Topic
from beacon.errors import ConflictError, InputError, NotFoundError
from beacon.llm.routing import Router
from beacon.runs import flow, jobs, phases, steps
from beacon.runs.drafts import DraftManager
from beacon.runs.here import run_here
from beacon.runs.schedule import set_schedule, sweep
from beacon.runs.topic_memory import archive_expired, load_memory
from beacon.workspace import Workspace
from tests.doubles import ScriptedChatModel

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
FIRST = "The toll on the river bridge is 4 euros. The bridge carries 20,000 vehicles a day. Engineers inspect the cables twice a year."
SECOND = "The toll on the river bridge is 5 euros. The bridge carries 20,000 vehicles a day. Engineers inspect the cables twice a year."


class Desk:
    """An opened Beacon with a clock that is moved by hand, and one folder of dated documents."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.now = START
        self.strict = True  # a failed run fails the test
        self.folder = folder
        folder.mkdir()
        self.rows: list[dict[str, Any]] = []
        self.beacon: Beacon = open_beacon(home=home, clock=lambda: self.now)
        self.ws: Workspace = self.beacon.workspace

    def put(self, key: str, text: str, date: str, **more: object) -> None:
        (self.folder / f"{key}.txt").write_text(text)
        title = str(more.pop("title", key.replace("-", " ")))
        self.rows.append(
            {
                "file": f"{key}.txt",
                "id": key,
                "title": title,
                "url": f"https://example.org/{key}",
                "date": date,
                "version_date": date,
                **more,
            }
        )
        (self.folder / "manifest.jsonl").write_text("\n".join(json.dumps(row) for row in self.rows) + "\n")

    def withdraw(self, key: str, of: str, date: str) -> None:
        self.rows.append({"file": None, "id": key, "supersedes": of, "withdrawn": True, "version_date": date, "title": key})
        (self.folder / "manifest.jsonl").write_text("\n".join(json.dumps(row) for row in self.rows) + "\n")

    def topic(self, title: str = "River bridge", **values: object) -> Topic:
        self.beacon.call("topic_add", title=title, folders=[str(self.folder)], **values)
        with self.ws.records.read() as tx:
            return next(one for one in tx.topics.all(self.ws.project_id) if one.title == title)

    def run(self, topic: Topic, as_of: datetime | None = None) -> Run:
        run = run_here(self.ws, jobs.start_run(self.ws, topic, as_of=as_of), 30)
        assert run.status != "failed" or not self.strict, (run.error, run.state["errors"])
        return run

    def changes(self, run: Run) -> list[dict[str, Any]]:
        with self.ws.records.read() as tx:
            return tx.runs.changes(run.id)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home", tmp_path / "docs")
    made.put("bridge-1", FIRST, "2026-02-01")
    yield made
    made.beacon.close()


def test_a_run_goes_through_every_phase_and_leaves_report_drafts_and_memory(desk: Desk) -> None:
    topic = desk.topic()
    run = desk.run(topic)
    assert (run.status, run.n, run.error) == ("done", 1, "")
    assert run.completed_phases == ["browsing", "planning", "research", "writing", "reviewing", "publishing"]
    folder = desk.ws.settings.outputs_dir / run.output_dir
    assert (folder / f"{run.id}.md").read_text() == run.state["final_report"]
    assert "5. " not in run.state["final_report"] and "20,000 vehicles" in run.state["final_report"]
    names = sorted(path.name for path in (folder / "drafts").iterdir())
    assert names == ["1_browsing", "2_planning", "3_research", "4_writing", "5_reviewing", "7_publishing", "WORKFLOW_SUMMARY.md"]
    memory = load_memory(desk.ws, topic)
    assert memory is not None and memory.run_count == 1 and memory.seen_urls == ["https://example.org/bridge-1"]
    assert memory.key_facts and memory.report_summary and memory.last_run_at == START


def test_the_second_run_tells_what_changed_with_both_quotes(desk: Desk) -> None:
    topic = desk.topic()
    desk.run(topic)
    desk.put("bridge-2", SECOND, "2026-03-05", supersedes="bridge-1")
    desk.now = START + timedelta(days=7)
    run = desk.run(topic)
    [change] = desk.changes(run)
    assert (change["kind"], change["quote"], change["old"]["quote"]) == (
        "changed", "The toll on the river bridge is 5 euros.", "The toll on the river bridge is 4 euros.",
    )  # fmt: skip
    assert "## What Changed Since 2026-03-02" in run.state["final_report"]
    assert "Run #2" in run.state["final_report"]


def test_unchanged_sources_make_a_report_that_nothing_changed(desk: Desk) -> None:
    topic = desk.topic()
    desk.run(topic)
    desk.now = START + timedelta(days=7)
    run = desk.run(topic)
    assert desk.changes(run) == []
    assert "Nothing changed since 2026-03-02" in run.state["final_report"]
    assert "Insufficient evidence" not in run.state["final_report"]


def test_a_withdrawn_source_retracts_what_it_said(desk: Desk) -> None:
    topic = desk.topic()
    desk.run(topic)
    desk.withdraw("bridge-gone", "bridge-1", "2026-03-04")
    desk.now = START + timedelta(days=7)
    run = desk.run(topic)
    kinds = {row["kind"] for row in desk.changes(run)}
    assert kinds == {"retracted"}
    with desk.ws.records.read() as tx:
        assert [status for _, _, status in tx.runs.versions(run.id)] == ["withdrawn"]


def test_the_next_issue_of_a_series_is_compared_with_the_one_before(desk: Desk) -> None:
    topic = desk.topic()
    desk.put(
        "bulletin-1", "The harbour board keeps the fee at 12 euros. Night berths stay closed this winter.", "2026-02-10", series="bulletin"
    )
    desk.run(topic)
    desk.put("bulletin-2", "The harbour board raises the fee to 15 euros. A new crane arrives in April.", "2026-03-04", series="bulletin")
    desk.now = START + timedelta(days=7)
    kinds = {row["kind"] for row in desk.changes(desk.run(topic))}
    assert "dropped" in kinds and "retracted" not in kinds


def test_a_copy_of_what_was_read_is_no_news_and_an_independent_source_confirms(desk: Desk) -> None:
    topic = desk.topic()
    desk.run(topic)
    desk.put("copy", FIRST, "2026-03-03", derived_from="bridge-1")
    desk.put("other", "Traffic counts were published on Monday by the ministry. The bridge carries 20,000 vehicles a day.", "2026-03-04")
    desk.now = START + timedelta(days=7)
    rows = desk.changes(desk.run(topic))
    assert {row["source"]["title"] for row in rows} == {"other"}
    assert sorted(row["kind"] for row in rows) == ["confirmed", "new"]


def test_a_replay_sees_only_what_was_current_then(desk: Desk) -> None:
    topic = desk.topic()
    desk.put("bridge-2", SECOND, "2026-02-20", supersedes="bridge-1")
    early = desk.run(topic, as_of=datetime(2026, 2, 10, tzinfo=UTC))
    late = desk.run(topic, as_of=datetime(2026, 2, 25, tzinfo=UTC))
    assert "4 euros" in early.state["final_report"] and "5 euros" not in early.state["final_report"]
    assert [row["kind"] for row in desk.changes(late)] == ["changed"]


def test_two_desks_write_the_same_report(tmp_path: Path) -> None:
    reports = []
    for name in ("a", "b"):
        desk = Desk(tmp_path / name, tmp_path / f"docs-{name}")
        desk.put("bridge-1", FIRST, "2026-02-01")
        desk.put("ferry", "The ferry runs every 20 minutes. It stops in storms.", "2026-02-03")
        reports.append(desk.run(desk.topic()).state["final_report"])
        desk.beacon.close()
    assert reports[0] == reports[1]


def test_a_folder_that_is_gone_is_a_problem_and_the_rest_goes_on(desk: Desk, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    desk.beacon.call("topic_add", title="Two folders", folders=[str(gone), str(desk.folder)])
    gone.rmdir()
    with desk.ws.records.read() as tx:
        topic = next(one for one in tx.topics.all(desk.ws.project_id) if one.title == "Two folders")
    run = desk.run(topic)
    assert run.status == "done"
    assert any("gone" in problem for problem in run.state["errors"])
    assert "20,000 vehicles" in run.state["final_report"] and "Not read:" in run.state["final_report"]


def test_a_full_disk_fails_the_run_clearly_and_it_can_be_resumed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = desk.topic()
    desk.ws.settings.outputs_dir.write_text("not a folder")
    desk.strict = False
    run = desk.run(topic)
    assert run.status == "failed" and "cannot be written" in run.error and run.state["errors"]
    desk.ws.settings.outputs_dir.unlink()
    done = run_here(desk.ws, jobs.resume_run(desk.ws, run.id).id, 30)
    assert (done.status, done.error, done.n) == ("done", "", 1)


def test_a_resumed_run_repeats_no_finished_step(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = desk.topic()
    started: list[str] = []
    fail = [True]

    def counted(kind: str) -> Any:
        work = phases.STEPS[kind].work

        def once(*args: Any) -> Any:
            started.append(kind)
            if kind == "writing" and fail[0]:
                raise InputError("scripted failure")
            return work(*args)

        return once

    from dataclasses import replace

    monkeypatch.setattr(steps, "STEPS", {kind: replace(step, work=counted(kind)) for kind, step in phases.STEPS.items()})
    desk.strict = False
    run = desk.run(topic)
    assert (run.status, run.error) == ("failed", "scripted failure")
    fail[0] = False
    done = run_here(desk.ws, jobs.resume_run(desk.ws, run.id).id, 30)
    assert done.status == "done"
    assert started.count("browsing") == started.count("planning") == 1 and started.count("writing") == 2


def test_a_redo_keeps_what_earlier_phases_found(desk: Desk) -> None:
    topic = desk.topic()
    first = desk.run(topic)
    redone = jobs.redo_run(desk.ws, first.id, "writing")
    assert redone.completed_phases == ["browsing", "planning", "research"] and "draft_report" not in redone.state
    again = run_here(desk.ws, first.id, 30)
    assert (again.status, again.n, again.id) == ("done", 1, first.id)
    assert again.state["final_report"] == first.state["final_report"]
    memory = load_memory(desk.ws, topic)
    assert memory is not None and memory.run_count == 1


def test_a_redo_from_a_phase_that_was_not_reached_is_refused(desk: Desk) -> None:
    run_id = jobs.start_run(desk.ws, desk.topic())
    jobs.cancel_run(desk.ws, run_id)
    with pytest.raises(InputError, match="redo it from 'browsing'"):
        jobs.redo_run(desk.ws, run_id, "writing")


def test_a_cancelled_run_does_nothing_more_until_it_is_resumed(desk: Desk) -> None:
    topic = desk.topic()
    run_id = jobs.start_run(desk.ws, topic)
    jobs.cancel_run(desk.ws, run_id)
    other = desk.topic("Other bridge")
    desk.run(other)
    with desk.ws.records.read() as tx:
        assert tx.runs.get(run_id).status == "cancelled" and tx.runs.checkpoints(run_id) == []
    assert run_here(desk.ws, jobs.resume_run(desk.ws, run_id).id, 30).status == "done"


def test_the_same_run_asked_for_twice_is_one_run_and_another_is_refused(desk: Desk) -> None:
    topic = desk.topic()
    run_id = jobs.start_run(desk.ws, topic)
    assert jobs.start_run(desk.ws, topic) == run_id
    with pytest.raises(ConflictError, match="already"):
        jobs.start_run(desk.ws, topic, as_of=START)


def test_a_gated_run_waits_three_times_and_does_what_it_is_told(desk: Desk) -> None:
    topic = desk.topic(gates=True)
    run = desk.run(topic)
    assert run.status == "waiting"
    plan = [{"question": "What is the toll on the river bridge?", "title": "Toll"}]
    jobs.answer_gate(desk.ws, run.id, "edit", {"research_plan": plan})
    run = run_here(desk.ws, run.id, 30)
    assert [one["title"] for one in run.state["research_sections"]] == ["Toll"]
    jobs.answer_gate(desk.ws, run.id, "follow_up", {"question": "How often are the cables inspected?"}, "findings")
    run = run_here(desk.ws, run.id, 30)
    assert "cables" in run.state["research_sections"][1]["evidence"][0]["quote"]
    jobs.answer_gate(desk.ws, run.id, "approve")
    run = run_here(desk.ws, run.id, 30)
    jobs.answer_gate(desk.ws, run.id, "approve", gate="report")
    run = run_here(desk.ws, run.id, 30)
    assert run.status == "done"
    with desk.ws.records.read() as tx:
        answered = tx.events.all(desk.ws.project_id, types=["gate_answered"])
    assert [event.payload["decision"] for event in answered] == ["edit", "follow_up", "approve", "approve"]


def test_a_rejected_plan_ends_the_run(desk: Desk) -> None:
    run = desk.run(desk.topic(gates=True))
    jobs.answer_gate(desk.ws, run.id, "reject", {"reason": "not now"})
    run = run_here(desk.ws, run.id, 30)
    assert run.status == "cancelled" and "Rejected" in run.error
    with pytest.raises(ConflictError):
        jobs.answer_gate(desk.ws, run.id, "approve")


def test_an_edit_of_something_else_is_refused(desk: Desk) -> None:
    run = desk.run(desk.topic(gates=True))
    with pytest.raises(InputError, match="cannot be edited"):
        jobs.answer_gate(desk.ws, run.id, "edit", {"output_dir": "/tmp"})
    with pytest.raises(InputError, match="needs a question"):
        jobs.answer_gate(desk.ws, run.id, "edit", {"research_plan": [{"title": "x"}]})


def test_a_gate_of_a_run_that_does_not_wait_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        jobs.answer_gate(desk.ws, desk.run(desk.topic()).id, "approve")


def test_a_schedule_starts_one_run_for_all_it_missed(desk: Desk) -> None:
    topic = desk.topic()
    set_schedule(desk.ws, "research", topic.id, "daily 10:00")
    desk.now = START + timedelta(days=14, hours=2)
    started = sweep(desk.ws)
    assert len(started) == 1 and sweep(desk.ws) == []
    desk.now += timedelta(days=1)
    assert sweep(desk.ws) == []
    with desk.ws.records.read() as tx:
        assert [event.type for event in tx.events.all(desk.ws.project_id, types=["run_skipped"])] == ["run_skipped"]
    assert run_here(desk.ws, started[0], 30).trigger == "schedule"


def test_a_memory_past_its_time_is_archived_and_the_count_goes_on(desk: Desk) -> None:
    topic = desk.topic()
    desk.run(topic)
    desk.now = START + timedelta(days=31)
    assert load_memory(desk.ws, topic) is None
    assert archive_expired(desk.ws) == 1
    run = desk.run(topic)
    assert run.n == 2 and "was researched" not in run.state["research_data"]["memory_context"]  # facts may come to mind all the same
    assert "Nothing changed since" in run.state["final_report"]
    memory = load_memory(desk.ws, topic)
    assert memory is not None and memory.run_count == 2


def test_a_memory_that_cannot_be_read_is_said_and_merged(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from beacon.errors import UnavailableError
    from beacon.runs.phases import memory as phase

    topic = desk.topic()
    desk.run(topic)
    desk.put("other", "The tram crosses the river in four minutes on a working day.", "2026-03-03")
    monkeypatch.setattr(phase, "read_memory", lambda *_: (_ for _ in ()).throw(UnavailableError("scripted outage")))
    desk.now = START + timedelta(days=1)
    run = desk.run(topic)
    assert run.status == "done" and "scripted outage" in run.state["errors"][0]
    memory = load_memory(desk.ws, topic)
    assert memory is not None and memory.run_count == 2
    assert {"https://example.org/bridge-1", "https://example.org/other"} == set(memory.seen_urls)


def test_a_model_writes_sections_that_cite_and_a_failing_one_is_replaced_by_quotes(desk: Desk) -> None:
    more = " ".join(
        f"The {name} pier holds {n} tonnes of stone above the toll road." for n, name in enumerate(("north", "south", "east", "west"), 30)
    )
    desk.put("piers", more, "2026-02-02")
    topic = desk.topic(queries=["toll road piers", "vehicles a day"])
    model = ScriptedChatModel(["The piers hold stone [1]. They are fine piers.", *["Nothing cited."] * 5])
    desk.ws.__dict__["models"] = Router(fast=model, strong=model)
    run = desk.run(topic)
    assert run.status == "done"
    assert re.search(r"The piers hold stone\. \[\d\]", run.state["final_report"]) and "fine piers" not in run.state["final_report"]
    assert any("written without a model" in problem for problem in run.state["errors"])


def test_a_translation_needs_a_model_and_says_so(desk: Desk) -> None:
    run = desk.run(desk.topic(language="sv"))
    assert run.status == "done" and run.state["translated_report"] is None
    assert any("needs a model" in problem for problem in run.state["errors"])


def test_a_deleted_run_takes_its_files_and_its_number_is_not_given_again(desk: Desk) -> None:
    topic = desk.topic()
    run = desk.run(topic)
    folder = desk.ws.settings.outputs_dir / run.output_dir
    assert jobs.delete_run(desk.ws, run.id) and not folder.exists()
    again = desk.run(topic)
    assert again.n == 2


def test_drafts_are_versions_and_the_newest_is_loaded(desk: Desk) -> None:
    run = desk.run(desk.topic())
    drafts = DraftManager(desk.ws, run.id)
    drafts.save_draft("writing", "one", {"agent": "test"}, part="extra")
    desk.now += timedelta(seconds=1)
    drafts.save_draft("writing", "two", part="extra")
    assert drafts.load_draft("writing") == "two" and drafts.load_draft("revision") is None
    listed = [one for one in drafts.list_drafts() if one["part"] == "extra"]
    assert [one["n"] for one in listed] == [1, 2]
    folder = desk.ws.settings.outputs_dir / run.output_dir
    assert all((folder / one["file"]).is_file() for one in listed)
    assert "4_writing" in drafts.generate_workflow_summary()


def test_only_ids_reach_the_engines_tables(desk: Desk) -> None:
    desk.run(desk.topic())
    with desk.ws.records.read() as tx:
        for name in ("workflow_status", "operation_outputs", "workflow_input", "workflow_output"):
            stored = " ".join(str(row) for row in tx.connection.exec_driver_sql(f"SELECT * FROM {name}"))
            assert "vehicles" not in stored and "toll" not in stored
        kinds = {row[0] for row in tx.connection.exec_driver_sql("SELECT DISTINCT serialization FROM workflow_status")}
    assert kinds == {"portable_json"} and flow.SECTIONS_AT_ONCE > 1
