"""Gemini, by Google's own library and its native structured output."""

from __future__ import annotations

import base64
from collections.abc import Generator
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from beacon.errors import ModelError
from beacon.llm import replies, structured
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, Message, ToolCall, Usage
from beacon.llm.prices import PriceTable, load_prices
from beacon.llm.replies import Wire, read_wire
from beacon.llm.transport import Provider, Retries, broken_off, call, checked_address, steps
from beacon.llm.untrusted import well_formed

if TYPE_CHECKING:
    from google import genai
    from google.genai import types

KEY_VARIABLE = "GEMINI_API_KEY"
_REFUSED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR", "ESCALATION", "PUP_LIMITED_DISABLED"}
)
_BAD_CALL = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"})


class _Count(Wire):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    cached_content_token_count: int | None = None

    @property
    def asked(self) -> int:
        return (self.prompt_token_count or 0) + (self.tool_use_prompt_token_count or 0)

    @property
    def answered(self) -> int:
        return (self.candidates_token_count or 0) + (self.thoughts_token_count or 0)


class _Call(Wire):
    id: str | None = None
    name: str | None = None
    args: dict[str, Any] | None = None


class _Part(Wire):
    text: str | None = None
    thought: bool | None = None
    function_call: _Call | None = None
    thought_signature: bytes | None = None


class _Content(Wire):
    parts: list[_Part] | None = None


class _Candidate(Wire):
    content: _Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None


class _Feedback(Wire):
    block_reason: str | None = None
    block_reason_message: str | None = None


class _Response(Wire):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Count | None = None
    model_version: str | None = None


class GeminiChatModel:
    """A Gemini model."""

    provider = "gemini"

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
        return f"GeminiChatModel({self.name!r})"

    def complete(self, request: ChatRequest) -> ChatReply:
        return structured.complete(self._ask, request)

    def stream(self, request: ChatRequest) -> ChatStream:
        replies.refuse_shaped(request)
        return ChatStream(self._pieces(request))

    def _ask(self, request: ChatRequest) -> structured.Answer:
        arguments = self._arguments(request)
        raw = call(lambda: self._client.models.generate_content(**arguments), self._caller, self._retries)
        heard = _Heard()
        heard.take(read_wire(_Response, raw, self.name))
        usage = self._usage(heard)
        _check_end(heard, usage, request)
        return replies.finished(heard.text, usage, replies.checked_calls(heard.calls, request, usage))

    def _pieces(self, request: ChatRequest) -> Generator[str | Usage | ToolCall, None, None]:
        arguments = self._arguments(request)
        heard = _Heard()
        first, events = call(lambda: self._begin(arguments), self._caller, self._retries)
        try:
            for raw in chain(first, steps(events, self._caller)):
                if text := heard.take(read_wire(_Response, raw, self.name)):
                    yield well_formed(text)
        finally:
            events.close()
        if heard.stop is None and not heard.blocked:
            raise broken_off(self._caller)
        usage = self._usage(heard)
        yield usage
        _check_end(heard, usage, request)
        calls = replies.checked_calls(heard.calls, request, usage)
        replies.finished(heard.text, usage, calls)
        yield from calls

    def _begin(self, arguments: dict[str, Any]) -> tuple[list[Any], Generator[Any, None, None]]:
        """The first event, or none, and the rest: the library sends the question when the first is asked for."""
        events: Any = self._client.models.generate_content_stream(**arguments)
        return list(islice(events, 1)), events

    def _usage(self, heard: _Heard) -> Usage:
        model = heard.model if self._prices.find_price(heard.model) else self.name
        count = heard.count
        return self._prices.usage(model, count.asked, count.answered, cached=count.cached_content_token_count or 0)

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        config: dict[str, Any] = {"max_output_tokens": request.max_tokens, "automatic_function_calling": {"disable": True}}
        if request.system:
            config["system_instruction"] = well_formed(request.system)
        if request.temperature is not None:
            config["temperature"] = request.temperature
        if request.tools:
            config["tools"] = [_tools(request)]
        if request.schema is not None:
            config |= {"response_mime_type": "application/json", "response_json_schema": request.schema.model_json_schema()}
        if request.idempotency_key:
            config["http_options"] = {"headers": {"Idempotency-Key": request.idempotency_key}}
        return {"model": self.name, "contents": [_content(message) for message in request.messages], "config": config}

    @cached_property
    def _client(self) -> genai.Client:
        import httpx2
        from google import genai
        from google.genai import types

        # A question carries the user's documents, so it goes to the address that was given and to no other.
        client = httpx2.Client(follow_redirects=False, timeout=self._timeout_s)
        options = types.HttpOptions(base_url=self._base_url, timeout=int(self._timeout_s * 1000), httpx_client=client)
        return genai.Client(api_key=self._key.get_secret_value(), vertexai=False, http_options=options)

    @cached_property
    def _caller(self) -> Provider:
        import httpx2
        from google.genai import errors

        return Provider(self.provider, KEY_VARIABLE, self._key, (httpx2.TransportError,), (errors.APIError,))


class _Heard:
    """A reply as far as it came; a whole one is one event."""

    def __init__(self) -> None:
        self.model = self.text = self.why = ""
        self.stop: str | None = None
        self.blocked = False
        self.count = _Count()
        self.calls: list[ToolCall] = []

    def take(self, event: _Response) -> str:
        """The text the event brings."""
        self.model = event.model_version or self.model
        self.count = event.usage_metadata or self.count
        if event.prompt_feedback and event.prompt_feedback.block_reason:
            self.blocked = True
            self.why = event.prompt_feedback.block_reason_message or event.prompt_feedback.block_reason
        if not event.candidates:
            return ""
        candidate = event.candidates[0]
        self.stop = candidate.finish_reason or self.stop
        self.why = candidate.finish_message or self.why
        parts = (candidate.content.parts if candidate.content else None) or []
        self.calls += [_call(part) for part in parts if part.function_call]
        text = "".join(part.text or "" for part in parts if not part.thought)
        self.text += text
        return text


def _tools(request: ChatRequest) -> types.Tool:
    from google.genai import types

    offered = [
        types.FunctionDeclaration(name=one.name, description=one.description, parameters_json_schema=dict(one.parameters))
        for one in request.tools
    ]
    return types.Tool(function_declarations=offered)


def _call(part: _Part) -> ToolCall:
    assert part.function_call is not None
    found = part.function_call
    signature = base64.b64encode(part.thought_signature).decode("ascii") if part.thought_signature else ""
    return ToolCall(found.id or "", found.name or "", found.args or {}, signature)


def _content(message: Message) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [
        {"function_response": {"name": one.name, "response": {"error" if one.failed else "result": well_formed(one.content)}}}
        for one in message.results
    ]
    if message.content or not (parts or message.tool_calls):
        parts.append({"text": well_formed(message.content)})
    for one in message.tool_calls:
        part: dict[str, Any] = {"function_call": {"name": one.name, "args": dict(one.arguments)}}
        parts.append(part | ({"thought_signature": base64.b64decode(one.signature)} if one.signature else {}))
    return {"role": "model" if message.role == "assistant" else "user", "parts": parts}


def _check_end(heard: _Heard, usage: Usage, request: ChatRequest) -> None:
    if heard.blocked or heard.stop in _REFUSED:
        replies.refused(usage, heard.why or heard.stop or "")
    if heard.stop in ("MAX_TOKENS", "CONTINUATION"):
        replies.cut(usage, request.max_tokens)
    if heard.stop in _BAD_CALL:
        raise ModelError(f"{usage.model} asked for a tool in a way that cannot be read.", reason="tool", usage=usage)
    if heard.stop != "STOP":
        replies.unexpected(usage.model, f"it stopped for '{heard.stop}'", usage)
