"""Budgets of runs, conversations and days: kept in the record store, so that nobody passes them, not even who is killed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.errors import BeaconError, BudgetError, InputError, ModelError, UnavailableError
from beacon.llm.budgets import Hold
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, Message, Usage
from beacon.llm.prices import load_prices
from beacon.llm.routing import Router
from beacon.llm.tasks import route
from beacon.spending import Ledger, Purse, model_for

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ASK = ChatRequest("", (Message("user", "x" * 200),), max_tokens=1000)  # at most 100 + 1,000 tokens: $0.0051
COST = (100 * 1.0 + 100 * 5.0) / 1e6  # of one call
RUN = Purse(run_id="run-1", topic_id="topic-1")


class Model:
    """Answers with 100 tokens for 100 tokens, or raises."""

    def __init__(self, error: BeaconError | None = None, provider: str = "anthropic") -> None:
        self.name, self.provider, self.error = "claude-haiku-4-5", provider, error
        self.asked = 0

    def complete(self, request: ChatRequest) -> ChatReply:
        self.asked += 1
        if self.error:
            raise self.error
        return ChatReply("yes", None, load_prices().usage(self.name, 100, 100))

    def stream(self, request: ChatRequest) -> ChatStream:
        def parts() -> Iterator[str | Usage]:
            yield from ("one ", "two ")
            yield self.complete(request).usage

        return ChatStream(parts())  # type: ignore[arg-type]


class Clock:
    at = NOON

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def beacon(tmp_path: Path, clock: Clock) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home", clock=clock, run_budget_usd=0.02, conversation_budget_usd=0.006, day_budget_usd=0.05)
    yield opened
    opened.close()


def give(beacon: Beacon, *models: Model) -> None:
    ws = beacon.workspace
    ws.__dict__["models"] = Router(fast=models[0], strong=models[0], behind_fast=models[1:], behind_strong=models[1:])


def ask(beacon: Beacon, purse: Purse = RUN, task: str = "report") -> str:
    model = model_for(beacon.workspace, task, purse)
    assert model is not None
    return model.complete(ASK).text


def rows(beacon: Beacon) -> list[dict[str, Any]]:
    with beacon.workspace.records.read() as tx:
        return tx.spend.calls(beacon.workspace.project_id)


def test_a_call_is_booked_with_its_task_and_why_the_model_was_chosen(beacon: Beacon) -> None:
    give(beacon, Model())
    ask(beacon)
    row = rows(beacon)[0]
    assert (row["purpose"], row["tier"], row["provider"], row["status"], row["topic_id"]) == (
        "report",
        "strong",
        "anthropic",
        "spent",
        "topic-1",
    )
    assert row["reason"] and row["cost_usd"] == pytest.approx(COST)


def test_a_call_that_was_not_paid_for_leaves_nothing(beacon: Beacon) -> None:
    give(beacon, Model(UnavailableError("down")))
    with pytest.raises(UnavailableError):
        ask(beacon)
    assert rows(beacon) == []


def test_a_reply_that_cannot_be_used_is_paid_for(beacon: Beacon) -> None:
    usage = load_prices().usage("claude-haiku-4-5", 100, 100)
    give(beacon, Model(ModelError("refused", reason="refused", usage=usage)))
    with pytest.raises(ModelError):
        ask(beacon)
    assert rows(beacon)[0]["cost_usd"] == pytest.approx(COST)


def test_a_run_stops_at_its_budget_and_says_whose_it_is(beacon: Beacon) -> None:
    model = Model()
    give(beacon, model)
    with pytest.raises(BudgetError, match=r"The run's budget of \$0\.02.*resume") as caught:
        for _ in range(100):
            ask(beacon)
    assert caught.value.facts["scope"] == "run" and model.asked == len(rows(beacon))
    assert sum(row["cost_usd"] for row in rows(beacon)) <= 0.02


def test_a_run_that_is_given_more_goes_on(beacon: Beacon) -> None:
    give(beacon, Model())
    with pytest.raises(BudgetError):
        for _ in range(100):
            ask(beacon)
    beacon.call("budget_raise", scope="run", name="run-1", usd=0.02)
    assert ask(beacon) == "yes"


def test_another_run_has_a_budget_of_its_own(beacon: Beacon) -> None:
    give(beacon, Model())
    with pytest.raises(BudgetError):
        for _ in range(100):
            ask(beacon)
    assert ask(beacon, Purse(run_id="run-2")) == "yes"


def test_a_conversation_has_a_budget_too(beacon: Beacon) -> None:
    give(beacon, Model())
    talk = Purse(conversation_id="c-1")
    with pytest.raises(BudgetError, match="conversation") as caught:
        for _ in range(100):
            ask(beacon, talk, "answer")
    assert caught.value.facts["name"] == "c-1"


def test_the_day_has_a_budget_over_everything_and_tomorrow_is_another(beacon: Beacon, clock: Clock) -> None:
    give(beacon, Model())
    with pytest.raises(BudgetError, match="Today's budget"):
        for n in range(200):
            ask(beacon, Purse(run_id=f"run-{n}"))
    clock.at = NOON + timedelta(days=1)
    assert ask(beacon, Purse(run_id="run-x")) == "yes"


def test_calls_at_the_same_time_never_pass_the_budget_together(beacon: Beacon) -> None:
    give(beacon, Model())

    def one(_: int) -> bool:
        try:
            return bool(ask(beacon))
        except BudgetError:
            return False

    with ThreadPoolExecutor(8) as pool:
        made = sum(pool.map(one, range(60)))
    assert 0 < made < 60 and sum(row["cost_usd"] for row in rows(beacon)) <= 0.02


def test_a_call_cut_off_by_a_kill_counts_in_full(beacon: Beacon) -> None:
    give(beacon, Model())
    Ledger(beacon.workspace, "report", route("report"), RUN).hold(Hold(1100, 0.019, "claude-haiku-4-5", "anthropic"))
    with pytest.raises(BudgetError):
        ask(beacon)


def test_tokens_have_a_limit_of_their_own(beacon: Beacon) -> None:
    give(beacon, Model())
    beacon.workspace.settings = beacon.workspace.settings.model_copy(update={"run_budget_tokens": 1300})
    ask(beacon)
    with pytest.raises(BudgetError, match="1300 tokens"):
        for _ in range(10):
            ask(beacon)


def test_the_model_behind_is_asked_and_booked_where_the_first_is_down(beacon: Beacon) -> None:
    first, second = Model(UnavailableError("down")), Model(provider="openai")
    give(beacon, first, second)
    assert ask(beacon) == "yes"
    assert [row["provider"] for row in rows(beacon)] == ["openai"]


def test_a_refused_key_passes_on_and_a_refused_question_does_not(beacon: Beacon) -> None:
    give(beacon, Model(InputError("no key", status=401)), Model(provider="openai"))
    assert ask(beacon) == "yes"
    give(beacon, Model(InputError("bad question", status=400)), Model(provider="openai"))
    with pytest.raises(InputError, match="bad question"):
        ask(beacon)


def test_a_stream_is_booked_when_it_ends_and_passes_on_before_it_begins(beacon: Beacon) -> None:
    give(beacon, Model())
    model = model_for(beacon.workspace, "answer", Purse(conversation_id="c-2"))
    assert model is not None and "".join(model.stream(ASK)) == "one two "
    assert [row["status"] for row in rows(beacon)] == ["spent"]


def test_a_task_takes_the_tier_of_its_rule_unless_the_case_says_otherwise() -> None:
    assert [route(task).tier for task in ("plan", "intent", "themes", "report", "opportunities", "answer")] == [
        *["fast"] * 3,
        *["strong"] * 3,
    ]
    assert (route("answer", hard=False).tier, route("plan", hard=True).tier, route("never heard of").tier) == ("fast", "strong", "strong")


def test_spend_is_told_by_run_topic_and_day(beacon: Beacon, clock: Clock) -> None:
    give(beacon, Model())
    ask(beacon)
    ask(beacon, replace(RUN, run_id="run-2"))
    clock.at = NOON + timedelta(days=1)
    ask(beacon, Purse(conversation_id="c-1"), "answer")
    found = beacon.call("spend_report")
    assert [(day["name"], day["calls"]) for day in found["days"]] == [("2026-03-03", 1), ("2026-03-02", 2)]
    assert {(run["name"], run["calls"]) for run in found["runs"]} == {("run-1", 1), ("run-2", 1)}
    assert [(topic["name"], topic["calls"]) for topic in found["topics"]] == [("topic-1", 2)]
    assert found["total"]["cost_usd"] == pytest.approx(3 * COST) and found["today"]["spent_usd"] == pytest.approx(COST)
