"""Spending within limits."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pydantic
import pytest

from beacon.errors import BeaconError, BudgetError, ModelError
from beacon.llm.budgets import SMALLEST_REPLY, Budget, BudgetedModel
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, Message, Usage
from beacon.llm.prices import load_prices
from tests.doubles import ScriptedChatModel

ASK = ChatRequest("", (Message("user", "x" * 200),), max_tokens=1000)  # at most 100 + 1,000 tokens


class _Costly:
    """Answers with the usage given, or raises it."""

    provider = "scripted"

    def __init__(self, usage: Usage, error: BeaconError | None = None) -> None:
        self.name = usage.model
        self.usage = usage
        self.error = error
        self.asked: list[ChatRequest] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        if self.error:
            raise self.error
        shorter = replace(self.usage, output_tokens=min(self.usage.output_tokens, request.max_tokens))
        return ChatReply("ok", None, shorter)

    def stream(self, request: ChatRequest) -> ChatStream:
        raise NotImplementedError


def _spend(input_tokens: int, output_tokens: int, model: str = "claude-haiku-4-5") -> Usage:
    return load_prices().usage(model, input_tokens, output_tokens)


def test_a_call_that_fits_is_booked() -> None:
    budget = Budget(limit_tokens=5000)
    BudgetedModel(_Costly(_spend(90, 50)), budget).complete(ASK)
    assert (budget.spent_tokens, budget.spent_usd) == (140, (90 * 1.0 + 50 * 5.0) / 1e6)


def test_a_limit_in_tokens_stops_the_call_that_could_pass_it() -> None:
    model = _Costly(_spend(90, 50))
    budget = Budget(limit_tokens=350)
    with pytest.raises(BudgetError, match="350 tokens"):
        BudgetedModel(model, budget).complete(ASK)
    assert model.asked == []


def test_a_limit_in_dollars_stops_the_call_that_could_pass_it() -> None:
    budget = Budget(limit_usd=0.001, spent_usd=0.0009)
    with pytest.raises(BudgetError, match=r"\$0\.0009 is spent"):
        BudgetedModel(_Costly(_spend(90, 50)), budget).complete(ASK)


def test_near_the_end_a_shorter_reply_is_asked_for() -> None:
    model = _Costly(_spend(90, 50))
    BudgetedModel(model, Budget(limit_tokens=400)).complete(ASK)
    assert model.asked[0].max_tokens == SMALLEST_REPLY


def test_a_reply_cut_by_the_budget_is_a_budget_error() -> None:
    cut = ModelError("cut", reason="cut", usage=_spend(90, SMALLEST_REPLY))
    budget = Budget(limit_tokens=400)
    with pytest.raises(BudgetError):
        BudgetedModel(_Costly(_spend(1, 1), cut), budget).complete(ASK)
    assert budget.spent_tokens == 90 + SMALLEST_REPLY


def test_a_failed_reply_is_paid_for_and_told() -> None:
    heard: list[Usage] = []
    budget = Budget()
    refused = ModelError("refused", reason="refused", usage=_spend(90, 5))
    with pytest.raises(ModelError, match="refused"):
        BudgetedModel(_Costly(_spend(1, 1), refused), budget, heard.append).complete(ASK)
    assert (budget.spent_tokens, heard) == (95, [_spend(90, 5)])


def test_a_failure_that_cost_nothing_gives_its_reservation_back() -> None:
    budget = Budget(limit_tokens=1200)
    model = BudgetedModel(_Costly(_spend(1, 1), BeaconError("down")), budget)
    for _ in range(3):
        with pytest.raises(BeaconError, match="down"):
            model.complete(ASK)
    assert budget.spent_tokens == 0


def test_a_shaped_reply_has_room_for_its_repair() -> None:
    class Shape(pydantic.BaseModel):
        x: int

    scripted = ScriptedChatModel(["no", Shape(x=1)])
    with pytest.raises(BudgetError):
        BudgetedModel(scripted, Budget(limit_tokens=700)).complete(replace(ASK, schema=Shape, max_tokens=SMALLEST_REPLY))
    assert scripted.requests == []


def test_a_model_without_a_price_is_held_to_the_dearest() -> None:
    budget = Budget(limit_usd=1.0)
    BudgetedModel(_Costly(_spend(1000, 1000, "unheard-of")), budget).complete(ASK)
    assert (budget.spent_usd, budget.unpriced_calls) == (0.06, 1)


def test_a_resumed_run_goes_on_from_what_it_spent() -> None:
    with pytest.raises(BudgetError):
        BudgetedModel(_Costly(_spend(1, 1)), Budget(limit_tokens=10_000, spent_tokens=9_900)).complete(ASK)


def test_sections_at_the_same_time_cannot_pass_the_limit_together() -> None:
    budget = Budget(limit_tokens=5000)
    model = BudgetedModel(_Costly(_spend(100, 1000)), budget)

    def ask(_: int) -> None:
        with pytest.raises(BudgetError):
            for _ in range(10):
                model.complete(ASK)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
    assert budget.spent_tokens <= 5000


def test_a_stream_is_booked_when_it_ends() -> None:
    heard: list[Usage] = []
    stream = BudgetedModel(ScriptedChatModel(["one\ntwo"]), Budget(), heard.append).stream(ASK)
    assert ("".join(stream), heard, stream.usage) == ("one\ntwo", [stream.usage], Usage(100, 4, 0.0, "scripted-1"))


def test_a_stream_given_up_is_booked_as_far_as_it_came() -> None:
    heard: list[Usage] = []
    stream = BudgetedModel(ScriptedChatModel(["one\ntwo\n"]), Budget(), heard.append).stream(ASK)
    next(stream)
    stream.close()
    assert [(usage.output_tokens, usage.estimated) for usage in heard] == [(2, True)]


def test_a_stream_beyond_the_budget_is_not_begun() -> None:
    scripted = ScriptedChatModel(["one"])
    with pytest.raises(BudgetError):
        list(BudgetedModel(scripted, Budget(limit_tokens=100)).stream(ASK))
    assert scripted.requests == []
