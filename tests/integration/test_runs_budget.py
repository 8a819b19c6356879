"""A run that has spent its budget rests, says so, and goes on with more; what was paid for is not paid for again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from beacon.cli.main import cli
from beacon.domain.run import Run
from beacon.errors import ConflictError
from beacon.llm.routing import Router
from beacon.runs import jobs
from beacon.runs.here import run_here
from tests.doubles import ScriptedChatModel
from tests.integration.test_runs_flow import FIRST, Desk

REPLIES = ["The toll is 4 euros [1].", "It carries 20,000 vehicles [1].", *["Cables are inspected [1]."] * 8]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home", tmp_path / "docs")
    made.put("bridge-1", FIRST, "2026-02-01")
    made.ws.settings = made.ws.settings.model_copy(update={"run_budget_usd": 1.0})
    yield made
    made.beacon.close()


def paused_run(desk: Desk, **topic: object) -> tuple[Run, ScriptedChatModel]:
    model = ScriptedChatModel(REPLIES, cost_usd=0.99)
    desk.ws.__dict__["models"] = Router(fast=model, strong=model)
    return desk.run(desk.topic(queries=["What is the toll?", "How many vehicles a day?"], **topic)), model


def test_a_run_without_money_left_pauses_and_says_what_to_do(desk: Desk) -> None:
    run, model = paused_run(desk)
    assert run.status == "paused" and "budget of $1.00" in run.error and "resume" in run.error
    assert len(model.requests) == 1 and run.n == 0 and "draft_report" not in run.state
    with desk.ws.records.read() as tx:
        assert [e.type for e in tx.events.all(desk.ws.project_id, types=["run_paused"])] == ["run_paused"]


def test_it_goes_on_with_more_and_asks_for_no_section_twice(desk: Desk) -> None:
    run, model = paused_run(desk)
    done = run_here(desk.ws, jobs.resume_run(desk.ws, run.id, more_usd=50).id, 60)
    assert (done.status, done.error, done.n) == ("done", "", 1)
    asked = [request.messages[0].content for request in model.requests]
    assert len(asked) == len(set(asked)) > 1
    assert "The toll is 4 euros." in done.state["final_report"]


def test_without_more_it_pauses_again_and_no_call_is_made(desk: Desk) -> None:
    run, model = paused_run(desk)
    again = run_here(desk.ws, jobs.resume_run(desk.ws, run.id).id, 60)
    assert again.status == "paused" and len(model.requests) == 1


def test_a_paused_run_keeps_nobody_from_starting_another(desk: Desk) -> None:
    run, _ = paused_run(desk)
    desk.ws.__dict__["models"] = None
    with desk.ws.records.read() as tx:
        topic = tx.topics.get(desk.ws.project_id, run.topic_id)
    assert desk.run(topic).status == "done"


def test_a_redo_from_writing_asks_anew(desk: Desk) -> None:
    run, model = paused_run(desk)
    run_here(desk.ws, jobs.resume_run(desk.ws, run.id, more_usd=50).id, 60)
    before = len(model.requests)
    run_here(desk.ws, jobs.redo_run(desk.ws, run.id, "writing").id, 60)
    assert len(model.requests) == 2 * before


def test_a_translation_that_cannot_be_paid_for_pauses_the_run(desk: Desk) -> None:
    desk.ws.settings = desk.ws.settings.model_copy(update={"run_budget_usd": 0.0})
    run, _ = paused_run(desk, language="sv")
    assert run.status == "paused"


def test_a_done_run_takes_no_more_money(desk: Desk) -> None:
    run = desk.run(desk.topic())
    with pytest.raises(ConflictError, match="done"):
        jobs.resume_run(desk.ws, run.id, more_usd=1)


def test_the_command_line_gives_more_and_says_how(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = paused_run(desk)
    monkeypatch.setenv("BEACON_HOME", str(desk.ws.settings.home))
    say = CliRunner()
    assert f"beacon run --resume {run.id} --budget" in say.invoke(cli, ["runs", "show", run.id]).output
    assert say.invoke(cli, ["run", "river-bridge", "--budget", "1"]).exit_code == 2
    done = say.invoke(cli, ["run", "--resume", run.id, "--budget", "1.5"])
    assert done.exit_code == 0 and "done" in done.output
    with desk.ws.records.read() as tx:
        assert tx.projects.value(f"budget:run:{run.id}")["usd"] == 1.5
