"""What a run or a chat may spend, and a model that keeps to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Protocol

from beacon.errors import BeaconError, BudgetError, ModelError
from beacon.llm.ports import ChatModel, ChatReply, ChatRequest, ChatStream, ToolCall, Usage
from beacon.llm.prices import PriceTable, estimate_tokens, load_prices, request_tokens

FREE = frozenset({"local"})  # providers whose models cost nothing unless a price is set for them
SMALLEST_REPLY = 256  # tokens; a budget that cannot bear a reply of this length is spent


@dataclass(frozen=True, slots=True)
class Hold:
    """What is set aside for a call before it is made: the most it can use."""

    tokens: int
    cost_usd: float
    model: str
    provider: str
    id: str = ""  # of the meter that keeps its holds


class Meter(Protocol):
    """What allows calls and books them."""

    def hold(self, hold: Hold) -> Hold:
        """The hold, set aside under an id. Raises BudgetError when it does not fit."""

    def settle(self, hold: Hold, usage: Usage | None, charged_usd: float) -> None:
        """Gives the hold back and books what was used; None: the call was not paid for."""


@dataclass(slots=True)
class Budget:
    """A limit shared by all models of a run, across threads. None is no limit.

    A call reserves the most it can cost before it is made and gives back what it did not use, so sections that run at the
    same time cannot pass the limit together. A resumed run starts with what it had spent.
    """

    limit_usd: float | None = None
    limit_tokens: int | None = None
    spent_usd: float = 0.0
    spent_tokens: int = 0
    unpriced_calls: int = 0  # held to cost the dearest known price
    _reserved_usd: float = 0.0
    _reserved_tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def hold(self, hold: Hold) -> Hold:
        with self._lock:
            left_tokens = None if self.limit_tokens is None else self.limit_tokens - self.spent_tokens - self._reserved_tokens
            left_usd = None if self.limit_usd is None else self.limit_usd - self.spent_usd - self._reserved_usd
            if left_tokens is not None and hold.tokens > left_tokens:
                raise self._exhausted(f"{self.limit_tokens} tokens", f"{self.spent_tokens} are spent")
            if left_usd is not None and hold.cost_usd > left_usd:
                raise self._exhausted(f"${self.limit_usd:.2f}", f"${self.spent_usd:.4f} is spent")
            self._reserved_tokens += hold.tokens
            self._reserved_usd += hold.cost_usd
        return hold

    def settle(self, hold: Hold, usage: Usage | None, charged_usd: float) -> None:
        with self._lock:
            self._reserved_tokens -= hold.tokens
            self._reserved_usd -= hold.cost_usd
            if usage is not None:
                self.spent_tokens += usage.total_tokens
                self.spent_usd += charged_usd
                self.unpriced_calls += usage.cost_usd is None

    def _exhausted(self, limit: str, spent: str) -> BudgetError:
        unpriced = f" {self.unpriced_calls} calls had no known price and count at the dearest: set a price for the model."
        return BudgetError(
            f"The budget of {limit} does not bear another call: {spent}. Raise it to go on.{unpriced if self.unpriced_calls else ''}",
            limit_usd=self.limit_usd,
            limit_tokens=self.limit_tokens,
            spent_usd=self.spent_usd,
            spent_tokens=self.spent_tokens,
        )


@dataclass(frozen=True, slots=True)
class _Reservation:
    request: ChatRequest  # with no more max_tokens than the budget bears
    hold: Hold
    shortened: bool


class BudgetedModel:
    """The model, within the budget; `on_usage` hears of every call that was paid for, failed ones included."""

    def __init__(
        self,
        inner: ChatModel,
        budget: Meter,
        on_usage: Callable[[Usage], None] | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self._inner = inner
        self._budget = budget
        self._on_usage = on_usage
        self._prices = prices or load_prices()

    @property
    def provider(self) -> str:
        return self._inner.provider

    @property
    def name(self) -> str:
        return self._inner.name

    def complete(self, request: ChatRequest) -> ChatReply:
        held = self._reserve(request)
        usage: Usage | None = None
        try:
            reply = self._inner.complete(held.request)
            usage = reply.usage
            return reply
        except BeaconError as error:
            usage = _usage_of(error)
            _blame_budget(error, held)
            raise
        finally:
            self._settle(held, usage)

    def stream(self, request: ChatRequest) -> ChatStream:
        self._budget.settle(self._budget.hold(Hold(0, 0.0, self.name, self.provider)), None, 0.0)
        return ChatStream(self._metered(request))

    def _metered(self, request: ChatRequest) -> Generator[str | Usage | ToolCall, None, None]:
        held = self._reserve(request)
        usage: Usage | None = None
        sent: list[str] = []
        inner = self._inner.stream(held.request)
        try:
            for text in inner:
                sent.append(text)
                yield text
            if inner.usage is not None:
                yield inner.usage
            yield from inner.tool_calls
        except BeaconError as error:
            usage = _usage_of(error)
            _blame_budget(error, held)
            raise
        finally:
            inner.close()
            # A reply given up in the middle has been paid for as far as it came.
            self._settle(held, usage or inner.usage or (self._estimate(held, sent) if sent else None))

    def _reserve(self, request: ChatRequest) -> _Reservation:
        """Room for the call at its longest, or, near the end of the budget, for the shortest reply that is worth asking for."""
        try:
            return self._hold(request, request.max_tokens)
        except BudgetError:
            if request.max_tokens <= SMALLEST_REPLY:
                raise
        return self._hold(request, SMALLEST_REPLY)

    def _hold(self, request: ChatRequest, max_tokens: int) -> _Reservation:
        asked, answered = request_tokens(request), max_tokens
        if request.schema is not None:  # a repair sends everything again, and the first reply with it
            asked, answered = asked * 2 + max_tokens, answered * 2
        written = asked if request.reused else 0
        cost_usd = self._charge(self._prices.usage(self.name, asked, answered, written=written), written)
        hold = self._budget.hold(Hold(asked + answered, cost_usd, self.name, self.provider))
        return _Reservation(replace(request, max_tokens=max_tokens), hold, shortened=max_tokens < request.max_tokens)

    def _settle(self, held: _Reservation, usage: Usage | None) -> None:
        self._budget.settle(held.hold, usage, self._charge(usage) if usage else 0.0)
        if usage is not None and self._on_usage is not None:
            self._on_usage(usage)

    def _charge(self, usage: Usage, written: int = 0) -> float:
        if usage.cost_usd is not None:
            return usage.cost_usd
        if self.provider in FREE:
            return 0.0
        return self._prices.highest_cost(usage.input_tokens, usage.output_tokens, written=written)

    def _estimate(self, held: _Reservation, sent: list[str]) -> Usage:
        return self._prices.usage(self.name, request_tokens(held.request), estimate_tokens("".join(sent)), estimated=True)


def _blame_budget(error: BeaconError, held: _Reservation) -> None:
    """A reply cut only because the budget shortened it is the budget's doing."""
    if held.shortened and isinstance(error, ModelError) and error.facts.get("reason") == "cut":
        raise BudgetError("The budget was nearly spent and its last reply did not fit: raise it to go on.", **error.facts) from error


def _usage_of(error: BeaconError) -> Usage | None:
    usage = error.facts.get("usage")
    return usage if isinstance(usage, Usage) else None
