"""What calls cost: a dated table of prices per model, which settings may extend."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import pydantic

from beacon.errors import InputError
from beacon.llm.ports import ChatRequest, Usage

_MILLION = 1_000_000
_SNAPSHOT = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")  # providers append a snapshot's date to a model's name


def estimate_tokens(text: str) -> int:
    """Tokens of a text, counted high: half its UTF-8 bytes. Latin script has about four a token, Han script two to three."""
    return (len(text.encode("utf-8", "replace")) + 1) // 2


def request_tokens(request: ChatRequest) -> int:
    """Tokens a request sends, counted high: its schema and its tools are sent too."""
    texts = [request.system, *(message.content for message in request.messages)]
    texts += [json.dumps(dict(call.arguments)) + call.name for message in request.messages for call in message.tool_calls]
    texts += [result.content for message in request.messages for result in message.results]
    texts += [tool.name + tool.description + json.dumps(dict(tool.parameters)) for tool in request.tools]
    if request.schema is not None:
        texts.append(json.dumps(request.schema.model_json_schema()))
    return sum(estimate_tokens(text) for text in texts)


class _Rate(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    input: float = pydantic.Field(ge=0)
    output: float = pydantic.Field(ge=0)


class _LongRate(_Rate):
    over: int = pydantic.Field(ge=1)  # input tokens


class Price(_Rate):
    """US dollars per million tokens."""

    long: _LongRate | None = None
    cached: float | None = pydantic.Field(default=None, ge=0)  # of input read from the provider's cache; None: not known, so in full
    cache_write: float | None = pydantic.Field(default=None, ge=0)  # of input put there; None: as any input

    def cost(self, input_tokens: int, output_tokens: int, *, cached: int = 0, written: int = 0) -> float:
        """US dollars, never less than the bill; `cached` and `written` of the input tokens are read from and put into a cache."""
        rate = self.long if self.long and input_tokens > self.long.over else self
        dearer = rate.input / self.input if self.input else 1.0
        read_rate = rate.input if self.cached is None else self.cached * dearer
        write_rate = rate.input if self.cache_write is None else self.cache_write * dearer
        plain = max(0, input_tokens - cached - written)
        return (plain * rate.input + cached * read_rate + written * write_rate + output_tokens * rate.output) / _MILLION


class PriceTable(pydantic.BaseModel):
    """Prices by model, as they stood on `as_of`."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    as_of: str
    unit: str
    models: dict[str, Price]

    def find_price(self, model: str) -> Price | None:
        """The price of a model or of the model it is a dated snapshot of; None when neither is known."""
        return self.models.get(model) or self.models.get(_SNAPSHOT.sub("", model))

    def usage(
        self, model: str, input_tokens: int, output_tokens: int, *, estimated: bool = False, cached: int = 0, written: int = 0
    ) -> Usage:
        """Usage with its cost, or with None for a model that has no price."""
        price = self.find_price(model)
        cost_usd = None if price is None else price.cost(input_tokens, output_tokens, cached=cached, written=written)
        return Usage(input_tokens, output_tokens, cost_usd, model, estimated, cached)

    def highest_cost(self, input_tokens: int, output_tokens: int, *, written: int = 0) -> float:
        """US dollars at the dearest price of the table: what a call of unknown price is held to cost under a budget."""
        return max((price.cost(input_tokens, output_tokens, written=written) for price in self.models.values()), default=0.0)

    def extended(self, own: Mapping[str, Mapping[str, float]]) -> PriceTable:
        """The table with one's own prices, such as `{"my-model": {"input": 0, "output": 0}}`, in front."""
        try:
            prices = {model: Price.model_validate(dict(price)) for model, price in own.items()}
        except pydantic.ValidationError as error:
            raise InputError("A model's price is two numbers, input and output, in dollars per million tokens.") from error
        return self.model_copy(update={"models": {**self.models, **prices}})


OWN_PRICES = "prices.json"


def read_own_prices(home: Path) -> dict[str, dict[str, float]]:
    """Prices by model from prices.json in the data folder, empty without one. Raises InputError when it cannot be read."""
    path = home / OWN_PRICES
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}. Write it as {_EXAMPLE}.") from None
    if not isinstance(found, dict) or not all(isinstance(price, dict) for price in found.values()):
        raise InputError(f"{path} holds no prices: write it as {_EXAMPLE}.")
    return found


_EXAMPLE = '{"model": {"input": 1.0, "output": 5.0}}'


@cache
def load_prices() -> PriceTable:
    """The table that comes with Beacon."""
    text = resources.files("beacon.llm").joinpath("prices.json").read_text(encoding="utf-8")
    return PriceTable.model_validate(json.loads(text))
