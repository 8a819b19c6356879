"""What calls cost, and how long may be waited."""

from datetime import date

import pytest

from beacon.errors import InputError
from beacon.llm.ports import ChatRequest, Message, Usage
from beacon.llm.prices import estimate_tokens, load_prices
from beacon.llm.transport import Retries


def test_the_table_says_of_when_it_is() -> None:
    assert date.fromisoformat(load_prices().as_of)


def test_a_dated_snapshot_costs_what_its_model_costs() -> None:
    prices = load_prices()
    assert prices.find_price("claude-haiku-4-5-20251001") == prices.find_price("claude-haiku-4-5") is not None
    assert prices.find_price("gpt-4.1-mini-2025-04-14") == prices.find_price("gpt-4.1-mini") is not None


def test_a_model_that_only_begins_like_another_has_no_price() -> None:
    assert load_prices().find_price("gpt-5-turbo-ultra") is None


def test_the_cost_of_an_unknown_model_is_unknown_and_not_nothing() -> None:
    assert load_prices().usage("unheard-of", 10, 10).cost_usd is None


def test_a_long_question_has_the_long_price_throughout() -> None:
    price = load_prices().models["claude-haiku-5-5"]
    assert [price.cost(100_000, 1000), price.cost(100_001, 1000)] == pytest.approx([0.0105, 0.0525005])


def test_own_prices_come_first() -> None:
    prices = load_prices().extended({"llama": {"input": 0, "output": 0}})
    assert (prices.usage("llama", 10, 10).cost_usd, load_prices().find_price("llama")) == (0.0, None)


@pytest.mark.parametrize("price", [{"input": 1}, {"input": -1, "output": 1}, {"input": 1, "output": 1, "x": 1}])
def test_a_price_that_is_none_is_refused(price: dict[str, float]) -> None:
    with pytest.raises(InputError, match="two numbers"):
        load_prices().extended({"llama": price})


def test_usage_of_an_unpriced_part_has_no_total_cost() -> None:
    assert Usage(1, 2, 0.5, "a") + Usage(3, 4, None, "a") == Usage(4, 6, None, "a")


def test_tokens_are_counted_high_in_every_script() -> None:
    assert [estimate_tokens(text) for text in ("", "word", "漢字", "a\ud800")] == [0, 2, 3, 1]


def test_waits_double_up_to_the_longest() -> None:
    assert list(Retries(attempts=5, first_wait_s=1.0, longest_wait_s=3.0).waits()) == [1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize("messages", [(), (Message("assistant", "hello"),)])
def test_a_question_ends_with_the_user(messages: tuple[Message, ...]) -> None:
    with pytest.raises(InputError, match="user"):
        ChatRequest("", messages)
