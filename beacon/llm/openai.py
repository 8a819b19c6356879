"""Chat models behind OpenAI's interface: OpenAI's own, and those of a server of one's own (Ollama, llama.cpp, vLLM, LM Studio)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from functools import cached_property
from typing import Any

from pydantic import SecretStr

from beacon.errors import InputError
from beacon.llm import replies, structured
from beacon.llm.openai_wire import KEY_VARIABLE, Call, Completion, Endpoint, Text, messages_of, tools_of
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, ToolCall, Usage
from beacon.llm.prices import PriceTable, estimate_tokens, load_prices, request_tokens
from beacon.llm.replies import Wire, read_wire
from beacon.llm.transport import Retries, broken_off, call, steps
from beacon.llm.untrusted import well_formed

__all__ = ["KEY_VARIABLE", "LocalChatModel", "OpenAIChatModel"]

LOCAL_KEY_VARIABLE = "BEACON_LOCAL_API_KEY"
_WITH_SCHEMA, _WITH_OBJECT, _IN_WORDS = 0, 1, 2  # how a shape is asked for, from the strictest to what every server takes
_NO_SHAPE = re.compile("response_format|schema|grammar", re.IGNORECASE)  # what a server names that cannot hold a reply to a shape


class OpenAIChatModel:
    """A chat model behind OpenAI's interface. A server of one's own, named by `base_url`, may do without a key."""

    provider = "openai"
    key_variable = KEY_VARIABLE

    def __init__(
        self,
        name: str,
        key: SecretStr | None,
        *,
        base_url: str | None = None,
        timeout_s: float = 120.0,
        retries: Retries | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self._name = name
        self._endpoint = Endpoint(key, base_url, timeout_s, provider=self.provider, key_variable=self.key_variable)
        self._retries = retries or Retries()
        self._prices = prices or load_prices()
        self._takes_temperature = True
        self._shaping = _WITH_SCHEMA

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    def complete(self, request: ChatRequest) -> ChatReply:
        return structured.complete(self._ask, request)

    def stream(self, request: ChatRequest) -> ChatStream:
        replies.refuse_shaped(request)
        return ChatStream(self._pieces(request))

    def _ask(self, request: ChatRequest) -> structured.Answer:
        completions = self._endpoint.client.chat.completions
        raw = self._send(lambda arguments: completions.create(**arguments), request)
        reply = read_wire(Completion, raw, self.name)
        usage = self._usage(reply, request, "".join(choice.message.content or "" for choice in reply.choices if choice.message))
        if not reply.choices or reply.choices[0].message is None:
            replies.unexpected(self.name, "it has no message", usage)
        choice, message = reply.choices[0], reply.choices[0].message
        _check_end(choice.finish_reason, message.refusal or "", usage, request)
        calls = replies.checked_calls(_calls(message.tool_calls or [], usage), request, usage)
        return replies.finished(message.content or "", usage, calls)

    def _pieces(self, request: ChatRequest) -> Generator[str | Usage | ToolCall, None, None]:
        completions = self._endpoint.client.chat.completions
        asked: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
        events = self._send(lambda arguments: completions.create(**arguments, **asked), request)
        heard = _Heard()
        with events:
            for raw in steps(events, self._endpoint.caller):
                if text := heard.take(read_wire(Completion, raw, self.name)):
                    yield well_formed(text)
        if heard.stop is None:
            raise broken_off(self._endpoint.caller)
        usage = self._usage(heard.whole, request, heard.text)
        yield usage
        _check_end(heard.stop, heard.refusal, usage, request)
        calls = replies.checked_calls(_calls(heard.calls(), usage), request, usage)
        replies.finished(heard.text, usage, calls)
        yield from calls

    def _send(self, create: Callable[[dict[str, Any]], Any], request: ChatRequest) -> Any:
        """What the call gives; where a temperature or a schema is not taken, the question goes again without it, from then on."""
        while True:
            try:
                return call(lambda: create(self._arguments(request)), self._endpoint.caller, self._retries)
            except InputError as error:
                if not self._can_do_without(error, request):
                    raise

    def _can_do_without(self, error: InputError, request: ChatRequest) -> bool:
        if request.temperature is not None and self._takes_temperature and error.facts.get("param") == "temperature":
            self._takes_temperature = False
            return True
        if request.schema is None or self._endpoint.is_own or self._shaping == _IN_WORDS or not _NO_SHAPE.search(error.message):
            return False
        self._shaping += 1
        return True

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        limit = "max_completion_tokens" if self._endpoint.is_own else "max_tokens"
        in_words = _shape_in_words(request) if request.schema is not None and self._shaping == _IN_WORDS else ""
        arguments: dict[str, Any] = {"model": self.name, "messages": messages_of(request, in_words), limit: request.max_tokens}
        if request.temperature is not None and self._takes_temperature:
            arguments["temperature"] = request.temperature
        if request.tools:
            arguments["tools"] = tools_of(request)
        if request.schema is not None and self._shaping != _IN_WORDS:
            arguments["response_format"] = _response_format(request, self._shaping)
        if request.idempotency_key:
            arguments["extra_headers"] = {"Idempotency-Key": request.idempotency_key}
        return arguments

    def _usage(self, reply: Completion, request: ChatRequest, text: str) -> Usage:
        """What the reply used; some servers do not count, so it is counted here for them."""
        model = reply.model if reply.model and self._prices.find_price(reply.model) else self.name
        if reply.usage is None:
            return self._prices.usage(model, request_tokens(request), estimate_tokens(text), estimated=True)
        count = reply.usage
        return self._prices.usage(model, count.prompt_tokens, count.completion_tokens, cached=count.cached)


class _Model(Wire):
    id: str


class _Models(Wire):
    data: list[_Model]


class LocalChatModel(OpenAIChatModel):
    """A model of a server of one's own. Without a name it is the first one the server lists; it costs nothing unless a price is set."""

    provider = "local"
    key_variable = LOCAL_KEY_VARIABLE

    def __init__(self, name: str, key: SecretStr | None, *, base_url: str, prices: PriceTable | None = None, **rest: Any) -> None:
        super().__init__(name, key, base_url=base_url, prices=prices, **rest)

    @property
    def name(self) -> str:
        """The name given, or the first the server lists; asking for it may reach the server."""
        return self._name or self._first_listed

    @cached_property
    def _first_listed(self) -> str:
        endpoint = self._endpoint
        raw = call(lambda: endpoint.client.models.list(), endpoint.caller, self._retries)
        found = read_wire(_Models, raw, "the server").data
        if not found:
            raise InputError("The local server lists no model: load one there, or name it in the settings (fast_model, strong_model).")
        return found[0].id

    def _usage(self, reply: Completion, request: ChatRequest, text: str) -> Usage:
        usage = super()._usage(reply, request, text)
        return usage if self._prices.find_price(self.name) else free(usage)


def free(usage: Usage) -> Usage:
    """The same tokens at no cost."""
    return Usage(usage.input_tokens, usage.output_tokens, 0.0, usage.model, usage.estimated, usage.cached_tokens)


class _Heard:
    """A streamed reply as far as it came."""

    def __init__(self) -> None:
        self.whole = Completion(choices=[])
        self.stop: str | None = None
        self.text = self.refusal = ""
        self._calls: dict[int, tuple[str, str, str]] = {}  # id, name, arguments

    def take(self, event: Completion) -> str:
        """The text the event brings."""
        self.whole = Completion(model=event.model or self.whole.model, choices=[], usage=event.usage or self.whole.usage)
        if not event.choices:
            return ""
        self.stop = event.choices[0].finish_reason or self.stop
        piece = event.choices[0].delta or Text()
        self.text, self.refusal = self.text + (piece.content or ""), self.refusal + (piece.refusal or "")
        for one in piece.tool_calls or []:
            known, name, arguments = self._calls.get(one.index, ("", "", ""))
            said = one.function
            self._calls[one.index] = (
                one.id or known, name + ((said and said.name) or ""), arguments + ((said and said.arguments) or "")
            )  # fmt: skip
        return piece.content or ""

    def calls(self) -> list[Call]:
        """The tools the whole reply asks for."""
        made = [{"id": i, "function": {"name": name, "arguments": text}} for _, (i, name, text) in sorted(self._calls.items())]
        return [Call.model_validate(one) for one in made]


def _calls(calls: list[Call], usage: Usage) -> list[ToolCall]:
    found = [(one.id or "", one.function) for one in calls if one.function is not None]
    return [ToolCall(i, one.name or "", replies.read_arguments(one.arguments or "", usage)) for i, one in found]


def _response_format(request: ChatRequest, shaping: int) -> dict[str, Any]:
    import openai

    assert request.schema is not None
    function = openai.pydantic_function_tool(request.schema)["function"]
    if shaping == _WITH_OBJECT:
        return {"type": "json_object", "schema": function["parameters"]}
    return {"type": "json_schema", "json_schema": {"name": function["name"][:64], "schema": function["parameters"], "strict": True}}


def _shape_in_words(request: ChatRequest) -> str:
    assert request.schema is not None
    return f"Reply with nothing but one JSON object that fits this JSON Schema:\n{json.dumps(request.schema.model_json_schema())}"


def _check_end(stop: str | None, refusal: str, usage: Usage, request: ChatRequest) -> None:
    if refusal or stop == "content_filter":
        replies.refused(usage, refusal)
    if stop == "length":
        replies.cut(usage, request.max_tokens)
    if stop in ("tool_calls", "function_call") and not request.tools:
        replies.unexpected(usage.model, f"it stopped for '{stop}'", usage)
