"""What a run or a chat may spend, and a model that keeps to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace

from beacon.errors import BeaconError, BudgetError, ModelError
from beacon.llm.ports import ChatModel, ChatReply, ChatRequest, ChatStream, Usage
from beacon.llm.prices import PriceTable, estimate_tokens, load_prices, request_tokens

SMALLEST_REPLY = 256  # tokens; a budget that cannot bear a reply of this length is spent


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

    def reserve(self, tokens: int, cost_usd: float) -> None:
        """Sets the amount aside, or raises BudgetError."""
        with self._lock:
            left_tokens = None if self.limit_tokens is None else self.limit_tokens - self.spent_tokens - self._reserved_tokens
            left_usd = None if self.limit_usd is None else self.limit_usd - self.spent_usd - self._reserved_usd
            if left_tokens is not None and tokens > left_tokens:
                raise self._exhausted(f"{self.limit_tokens} tokens", f"{self.spent_tokens} are spent")
            if left_usd is not None and cost_usd > left_usd:
                raise self._exhausted(f"${self.limit_usd:.2f}", f"${self.spent_usd:.4f} is spent")
            self._reserved_tokens += tokens
            self._reserved_usd += cost_usd

    def settle(self, tokens: int, cost_usd: float, usage: Usage | None, charged_usd: float) -> None:
        """Gives the reservation back and books what was used."""
        with self._lock:
            self._reserved_tokens -= tokens
            self._reserved_usd -= cost_usd
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
    tokens: int
    cost_usd: float
    shortened: bool


class BudgetedModel:
    """The model, within the budget; `on_usage` hears of every call that was paid for, failed ones included."""

    def __init__(
        self,
        inner: ChatModel,
        budget: Budget,
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
        self._budget.reserve(0, 0.0)
        return ChatStream(self._metered(request))

    def _metered(self, request: ChatRequest) -> Generator[str | Usage, None, None]:
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
        cost_usd = self._charge(self._prices.usage(self.name, asked, answered))
        self._budget.reserve(asked + answered, cost_usd)
        return _Reservation(replace(request, max_tokens=max_tokens), asked + answered, cost_usd, shortened=max_tokens < request.max_tokens)

    def _settle(self, held: _Reservation, usage: Usage | None) -> None:
        self._budget.settle(held.tokens, held.cost_usd, usage, self._charge(usage) if usage else 0.0)
        if usage is not None and self._on_usage is not None:
            self._on_usage(usage)

    def _charge(self, usage: Usage) -> float:
        if usage.cost_usd is not None:
            return usage.cost_usd
        return self._prices.highest_cost(usage.input_tokens, usage.output_tokens)

    def _estimate(self, held: _Reservation, sent: list[str]) -> Usage:
        return self._prices.usage(self.name, request_tokens(held.request), estimate_tokens("".join(sent)), estimated=True)


def _blame_budget(error: BeaconError, held: _Reservation) -> None:
    """A reply cut only because the budget shortened it is the budget's doing."""
    if held.shortened and isinstance(error, ModelError) and error.facts.get("reason") == "cut":
        raise BudgetError("The budget was nearly spent and its last reply did not fit: raise it to go on.", **error.facts) from error


def _usage_of(error: BeaconError) -> Usage | None:
    usage = error.facts.get("usage")
    return usage if isinstance(usage, Usage) else None
