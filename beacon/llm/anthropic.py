"""Claude, by Anthropic's own library and its native structured output."""

from __future__ import annotations

from collections.abc import Generator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pydantic
from pydantic import SecretStr

from beacon.llm import replies, structured
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, Message, ToolCall, Usage
from beacon.llm.prices import PriceTable, load_prices
from beacon.llm.replies import Wire, read_wire
from beacon.llm.transport import Provider, Retries, broken_off, call, checked_address, steps
from beacon.llm.untrusted import well_formed

if TYPE_CHECKING:
    import anthropic

KEY_VARIABLE = "ANTHROPIC_API_KEY"
_COMPLETE = ("end_turn", "stop_sequence", "tool_use")
_CUT = ("max_tokens", "model_context_window_exceeded")


class _Count(Wire):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def cached(self) -> int:
        return self.cache_read_input_tokens or 0

    @property
    def written(self) -> int:
        return self.cache_creation_input_tokens or 0

    @property
    def all_input(self) -> int:
        return (self.input_tokens or 0) + self.written + self.cached


class _Block(Wire):
    type: str
    text: str | None = None
    id: str = ""
    name: str = ""
    input: dict[str, Any] | None = None


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
    partial_json: str | None = None


class _Event(Wire):
    type: str
    index: int = 0
    content_block: _Block | None = None
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
        replies.refuse_shaped(request)
        return ChatStream(self._pieces(request))

    def _ask(self, request: ChatRequest) -> structured.Answer:
        arguments = self._arguments(request)
        message = call(lambda: self._client.messages.create(**arguments), self._caller, self._retries)
        reply = read_wire(_Reply, message, self.name)
        usage = self._usage(reply.model, reply.usage)
        _check_end(reply, usage, request)
        asked = [ToolCall(block.id, block.name, block.input or {}) for block in reply.content if block.type == "tool_use"]
        text = "".join(block.text or "" for block in reply.content if block.type == "text")
        return replies.finished(text, usage, replies.checked_calls(asked, request, usage))

    def _pieces(self, request: ChatRequest) -> Generator[str | Usage | ToolCall, None, None]:
        arguments = self._arguments(request)
        events = call(lambda: self._client.messages.create(**arguments, stream=True), self._caller, self._retries)
        heard = _Heard(self.name)
        with events:
            for raw in steps(events, self._caller):
                if text := heard.take(read_wire(_Event, raw, self.name)):
                    yield well_formed(text)
        if heard.stop.stop_reason is None:
            raise broken_off(self._caller)
        usage = self._usage(heard.model, heard.count)
        yield usage
        _check_end(heard.stop, usage, request)
        calls = replies.checked_calls(heard.calls(usage), request, usage)
        replies.finished(heard.text, usage, calls)
        yield from calls

    def _usage(self, model: str, count: _Count) -> Usage:
        priced = model if self._prices.find_price(model) else self.name
        return self._prices.usage(priced, count.all_input, count.output_tokens or 0, cached=count.cached, written=count.written)

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self.name,
            "max_tokens": request.max_tokens,
            "messages": [_message(message) for message in request.messages],
        }
        if request.system:
            arguments["system"] = well_formed(request.system)
        if request.tools:
            arguments["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in request.tools
            ]
        if request.reused:
            _mark_reused(arguments)
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


class _Heard:
    """A streamed reply as far as it came."""

    def __init__(self, model: str) -> None:
        self.model, self.count, self.stop, self.text = model, _Count(), _Stop(), ""
        self._blocks: dict[int, _Block] = {}
        self._json: dict[int, str] = {}

    def take(self, event: _Event) -> str:
        """The text the event brings."""
        if event.message:
            self.model, self.count = event.message.model, event.message.usage
        if event.usage:
            self.count = self.count.model_copy(update=event.usage.model_dump(exclude_none=True))
        if event.content_block and event.content_block.type == "tool_use":
            self._blocks[event.index] = event.content_block
        if event.delta is None:
            return ""
        if event.delta.stop_reason:
            self.stop = event.delta
        if event.delta.partial_json:
            self._json[event.index] = self._json.get(event.index, "") + event.delta.partial_json
        text = event.delta.text or "" if event.type == "content_block_delta" else ""
        self.text += text
        return text

    def calls(self, usage: Usage) -> list[ToolCall]:
        """The tools the whole reply asks for."""
        return [
            ToolCall(block.id, block.name, replies.read_arguments(self._json.get(at, ""), usage))
            for at, block in sorted(self._blocks.items())
        ]


def _message(message: Message) -> dict[str, Any]:
    if not message.tool_calls and not message.results:
        return {"role": message.role, "content": well_formed(message.content)}
    parts: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": one.call_id, "content": well_formed(one.content), "is_error": one.failed}
        for one in message.results
    ]
    if message.content:
        parts.append({"type": "text", "text": well_formed(message.content)})
    parts += [{"type": "tool_use", "id": one.id, "name": one.name, "input": dict(one.arguments)} for one in message.tool_calls]
    return {"role": message.role, "content": parts}


def _mark_reused(arguments: dict[str, Any]) -> None:
    """Two marks: behind the instructions, and behind the last message but one. Up to a mark the provider may keep what it read."""
    mark = {"cache_control": {"type": "ephemeral"}}
    if "system" in arguments:
        arguments["system"] = [{"type": "text", "text": arguments["system"], **mark}]
    earlier = arguments["messages"][:-1]
    if earlier:
        content = earlier[-1]["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        earlier[-1]["content"] = [*parts[:-1], {**parts[-1], **mark}]


def _check_end(end: _Stop, usage: Usage, request: ChatRequest) -> None:
    if end.stop_reason == "refusal":
        replies.refused(usage, end.explanation)
    if end.stop_reason in _CUT:
        replies.cut(usage, request.max_tokens)
    if end.stop_reason not in _COMPLETE:
        replies.unexpected(usage.model, f"it stopped for '{end.stop_reason}'", usage)
