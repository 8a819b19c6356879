"""Claude, by Anthropic's own library and its native structured output."""

from __future__ import annotations

from collections.abc import Generator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pydantic
from pydantic import SecretStr

from beacon.errors import InputError
from beacon.llm import replies, structured
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, Usage
from beacon.llm.prices import PriceTable, load_prices
from beacon.llm.replies import Wire, read_wire
from beacon.llm.transport import Provider, Retries, broken_off, call, checked_address, steps
from beacon.llm.untrusted import well_formed

if TYPE_CHECKING:
    import anthropic

KEY_VARIABLE = "ANTHROPIC_API_KEY"
_COMPLETE = ("end_turn", "stop_sequence")
_CUT = ("max_tokens", "model_context_window_exceeded")


class _Count(Wire):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    def all_input(self) -> int:
        return (self.input_tokens or 0) + (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)


class _Block(Wire):
    type: str
    text: str | None = None


class _Stop(Wire):
    stop_reason: str | None = None
    explanation: str = ""

    @pydantic.model_validator(mode="before")
    @classmethod
    def _lift_explanation(cls, value: dict[str, Any]) -> dict[str, Any]:
        details = value.get("stop_details") or {}
        return {**value, "explanation": details.get("explanation") or details.get("category") or ""}


class _Reply(_Stop):
    model: str
    content: list[_Block]
    usage: _Count


class _Delta(_Stop):
    type: str | None = None
    text: str | None = None


class _Event(Wire):
    type: str
    message: _Reply | None = None
    delta: _Delta | None = None
    usage: _Count | None = None


class AnthropicChatModel:
    """A Claude model. `temperature` is never sent: the interface takes none since its version of 2026-10-21."""

    provider = "anthropic"

    def __init__(
        self,
        name: str,
        key: SecretStr,
        *,
        base_url: str | None = None,
        timeout_s: float = 120.0,
        retries: Retries | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self.name = name
        self._key = key
        self._base_url = checked_address(base_url)
        self._timeout_s = timeout_s
        self._retries = retries or Retries()
        self._prices = prices or load_prices()

    def __repr__(self) -> str:
        return f"AnthropicChatModel({self.name!r})"

    def complete(self, request: ChatRequest) -> ChatReply:
        return structured.complete(self._ask, request)

    def stream(self, request: ChatRequest) -> ChatStream:
        if request.schema is not None:
            raise InputError("A reply of a given shape cannot be streamed: ask for it with complete.")
        return ChatStream(self._pieces(request))

    def _ask(self, request: ChatRequest) -> structured.Answer:
        arguments = self._arguments(request)
        message = call(lambda: self._client.messages.create(**arguments), self._caller, self._retries)
        reply = read_wire(_Reply, message, self.name)
        usage = self._usage(reply.model, reply.usage.all_input(), reply.usage.output_tokens or 0)
        _check_end(reply, usage, request)
        return replies.finished("".join(block.text or "" for block in reply.content if block.type == "text"), usage)

    def _pieces(self, request: ChatRequest) -> Generator[str | Usage, None, None]:
        arguments = self._arguments(request)
        events = call(lambda: self._client.messages.create(**arguments, stream=True), self._caller, self._retries)
        model, count, stop, text = self.name, _Count(), _Stop(), ""
        with events:
            for raw in steps(events, self._caller):
                event = read_wire(_Event, raw, self.name)
                if event.message:
                    model, count = event.message.model, event.message.usage
                if event.usage:
                    count = count.model_copy(update=event.usage.model_dump(exclude_none=True))
                if event.delta and event.delta.stop_reason:
                    stop = event.delta
                if event.type == "content_block_delta" and event.delta and event.delta.text:
                    text += event.delta.text
                    yield well_formed(event.delta.text)
        if stop.stop_reason is None:
            raise broken_off(self._caller)
        usage = self._usage(model, count.all_input(), count.output_tokens or 0)
        yield usage
        _check_end(stop, usage, request)
        replies.finished(text, usage)

    def _usage(self, model: str, input_tokens: int, output_tokens: int) -> Usage:
        priced = model if self._prices.find_price(model) else self.name
        return self._prices.usage(priced, input_tokens, output_tokens)

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self.name,
            "max_tokens": request.max_tokens,
            "messages": [{"role": message.role, "content": well_formed(message.content)} for message in request.messages],
        }
        if request.system:
            arguments["system"] = well_formed(request.system)
        if request.schema is not None:
            from anthropic import transform_schema

            arguments["output_config"] = {"format": {"type": "json_schema", "schema": transform_schema(request.schema)}}
        if request.idempotency_key:
            arguments["extra_headers"] = {"Idempotency-Key": request.idempotency_key}
        return arguments

    @cached_property
    def _client(self) -> anthropic.Anthropic:
        import anthropic

        return anthropic.Anthropic(
            api_key=self._key.get_secret_value(),
            base_url=self._base_url,
            timeout=self._timeout_s,
            max_retries=0,
            open_telemetry=False,
            # A question carries the user's documents, so it goes to the address that was given and to no other.
            http_client=anthropic.DefaultHttpxClient(follow_redirects=False),
        )

    @cached_property
    def _caller(self) -> Provider:
        import anthropic
        import httpx2

        network = (anthropic.APIConnectionError, httpx2.TransportError)
        return Provider(self.provider, KEY_VARIABLE, self._key, network, (anthropic.APIError,))


def _check_end(end: _Stop, usage: Usage, request: ChatRequest) -> None:
    if end.stop_reason == "refusal":
        replies.refused(usage, end.explanation)
    if end.stop_reason in _CUT:
        replies.cut(usage, request.max_tokens)
    if end.stop_reason not in _COMPLETE:
        replies.unexpected(usage.model, f"it stopped for '{end.stop_reason}'", usage)
