"""A topic's history built at once; any two dates or runs compared; what a run may not lose."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from beacon.cli.main import cli
from beacon.domain.memory import Memory
from beacon.domain.topic import Topic
from beacon.errors import InputError, NotFoundError
from beacon.runs import jobs, phases, steps
from beacon.runs.here import run_here
from beacon.runs.results import PhaseResult
from beacon.stores.records.store import Tx
from tests.integration.test_runs_flow import FIRST, START, Desk

PRICES = {"2026-01-10": 4, "2026-01-20": 5, "2026-02-10": 6}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home", tmp_path / "docs")
    yield made
    made.beacon.close()


def history(desk: Desk) -> Topic:
    """A topic whose one source has three dated versions."""
    before: dict[str, Any] = {}
    for n, (date, price) in enumerate(PRICES.items()):
        desk.put(f"v{n}", FIRST.replace("4 euros", f"{price} euros"), date, title="Notice", **before)
        before = {"supersedes": f"v{n}"}
    return desk.topic()


def values(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(row["old"]["text"].split(" is ")[1], row["text"].split(" is ")[1]) for row in rows]


def test_a_history_has_one_run_for_each_date_and_each_tells_its_change(desk: Desk) -> None:
    history(desk)
    runs = desk.beacon.call("run_history", slug="river-bridge")
    assert [(run["n"], run["as_of"][:10], run["status"]) for run in runs] == [(n, date, "done") for n, date in enumerate(PRICES, 1)]
    assert [run["change_counts"] for run in runs] == [{}, {"changed": 1}, {"changed": 1}]


def test_asked_for_again_it_runs_nothing_and_goes_on_where_it_was_left(desk: Desk) -> None:
    history(desk)
    first = desk.beacon.call("run_history", slug="river-bridge", dates=["2026-01-20", "2026-01-10"])
    assert [run["as_of"][:10] for run in first] == ["2026-01-10", "2026-01-20"]
    runs = desk.beacon.call("run_history", slug="river-bridge")
    assert [run["n"] for run in runs] == [1, 2, 3] and [run["id"] for run in runs[:2]] == [run["id"] for run in first]


def test_a_history_by_month_takes_the_last_date_of_each(desk: Desk) -> None:
    history(desk)
    runs = desk.beacon.call("run_history", slug="river-bridge", every="month")
    assert [run["as_of"][:10] for run in runs] == ["2026-01-20", "2026-02-10"]


def test_any_two_runs_are_compared(desk: Desk) -> None:
    history(desk)
    desk.beacon.call("run_history", slug="river-bridge")
    assert values(desk.beacon.call("change_list", slug="river-bridge", start="#1", end="#3")) == [("4 euros.", "6 euros.")]
    assert values(desk.beacon.call("change_list", slug="river-bridge", since="#2")) == [("5 euros.", "6 euros.")]


def test_any_two_dates_are_compared_and_a_date_with_a_run(desk: Desk) -> None:
    history(desk)
    desk.beacon.call("run_history", slug="river-bridge")
    assert values(desk.beacon.call("change_list", slug="river-bridge", start="2026-01-15", end="2026-02-20")) == [("4 euros.", "6 euros.")]
    assert values(desk.beacon.call("change_list", slug="river-bridge", start="2026-01-15", end="#2")) == [("4 euros.", "5 euros.")]


@pytest.mark.parametrize(("start", "end", "error"), [("#3", "#1", InputError), ("#9", None, NotFoundError), ("#x", None, NotFoundError)])
def test_runs_that_cannot_be_compared_are_refused_by_name(desk: Desk, start: str, end: str | None, error: type[Exception]) -> None:
    history(desk)
    desk.beacon.call("run_history", slug="river-bridge")
    with pytest.raises(error, match=r"before the second|has no finished run"):
        desk.beacon.call("change_list", slug="river-bridge", start=start, end=end)


def test_nothing_changed_is_said_with_what_was_checked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    history(desk)
    monkeypatch.setenv("BEACON_HOME", str(desk.ws.settings.home))
    desk.run(desk_topic(desk))
    say = CliRunner()
    assert "Run #1 is the first: it read 1 source" in say.invoke(cli, ["changes", "river-bridge"]).output
    desk.now = START + timedelta(days=7)
    desk.run(desk_topic(desk))
    assert "Nothing changed since 2026-03-02: 1 source checked." in say.invoke(cli, ["changes", "river-bridge"]).output
    assert "Nothing changed from 2026-03-02 to now." in say.invoke(cli, ["changes", "river-bridge", "--since", "2026-03-02"]).output


def desk_topic(desk: Desk) -> Topic:
    with desk.ws.records.read() as tx:
        return tx.topics.get(desk.ws.project_id, "river-bridge")


# What a run may not lose


def break_step(monkeypatch: pytest.MonkeyPatch, kind: str, harm: Callable[[Tx], None]) -> None:
    """Let a step do harm beside its work."""
    work = phases.STEPS[kind].work

    def harmful(*args: Any) -> PhaseResult:
        result = work(*args)

        def effects(tx: Tx) -> None:
            result.effects(tx)
            harm(tx)

        return replace(result, effects=effects)

    monkeypatch.setattr(steps, "STEPS", {**phases.STEPS, kind: replace(phases.STEPS[kind], work=harmful)})


def remember_fact(desk: Desk) -> Memory:
    fact = Memory(
        id="mem_toll", project_id=desk.ws.project_id, tier="semantic", text="The toll is 4 euros.", user_id="me", scope="user",
        last_access_at=START, recorded_at=START,
    )  # fmt: skip
    with desk.ws.records.write() as tx:
        tx.memories.put_memory(fact)
    return fact


def test_a_step_that_would_lose_a_fact_is_refused_and_nothing_of_it_stays(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = history(desk)
    fact = remember_fact(desk)
    break_step(monkeypatch, "browsing", lambda tx: tx.memories.delete(fact.id))
    desk.strict = False
    run = desk.run(topic)
    assert run.status == "failed" and "1 fact would be lost ('The toll is 4 euros.')" in run.error and "Nothing was changed" in run.error
    with desk.ws.records.read() as tx:
        assert tx.memories.find(fact.id) == fact and tx.runs.versions(run.id) == [] and tx.runs.checkpoint(run.id, "browsing") is None
    monkeypatch.undo()
    assert run_here(desk.ws, jobs.resume_run(desk.ws, run.id).id, 60).status == "done"


def test_a_fact_cannot_end_silently_but_may_end_with_a_date(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = history(desk)
    fact = remember_fact(desk)
    break_step(monkeypatch, "browsing", lambda tx: tx.memories.put_memory(replace(fact, status="superseded")))
    desk.strict = False
    assert "would end without a date" in desk.run(topic).error
    monkeypatch.undo()
    ended = replace(fact, status="superseded", retired_at=START)
    break_step(monkeypatch, "browsing", lambda tx: tx.memories.put_memory(ended))
    desk.now += timedelta(hours=1)
    assert desk.run(topic).status == "done"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run_count": 0}, "would forget runs"),
        ({"seen_urls": []}, "would forget 1 of 1 addresses"),
        ({"key_facts": []}, "key facts would be lost"),
    ],
)
def test_what_the_topic_remembers_cannot_be_lost(desk: Desk, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], said: str) -> None:
    topic = history(desk)
    desk.run(topic)
    with desk.ws.records.read() as tx:
        before = tx.topics.memory(topic)

    def harm(tx: Tx) -> None:
        memory = tx.topics.memory(topic)
        assert memory is not None
        tx.topics.save_memory(topic.id, replace(memory, **change))

    break_step(monkeypatch, "save_memory", harm)
    desk.now = START + timedelta(days=7)
    run = desk.run(topic)
    assert run.status == "done" and any(said in problem for problem in run.state["errors"]), run.state["errors"]
    with desk.ws.records.read() as tx:
        assert tx.topics.memory(topic) == before


def test_key_facts_may_go_when_every_source_was_withdrawn(desk: Desk) -> None:
    desk.put("bridge-1", FIRST, "2026-02-01")
    topic = desk.topic()
    desk.run(topic)
    desk.withdraw("bridge-gone", "bridge-1", "2026-03-04")
    desk.now = datetime(2026, 3, 9, tzinfo=UTC)
    run = desk.run(topic)
    assert run.status == "done" and not run.state["errors"]
