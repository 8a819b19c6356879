"""Loopback servers that speak the providers' wire formats and answer from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Literal


@dataclass(frozen=True)
class Say:
    """A reply that ends as it should, or for another reason."""

    text: str
    end: Literal["end", "cut", "refused"] = "end"


@dataclass(frozen=True)
class Ask:
    """A reply that asks for tools: (name, arguments as JSON). Beside them it may say something."""

    calls: tuple[tuple[str, str], ...]
    text: str = ""


@dataclass(frozen=True)
class Hang:
    """No answer, until the asker has long gone."""

    seconds: float


@dataclass(frozen=True)
class Fail:
    """An error status."""

    status: int
    message: str = "scripted failure"
    kind: str = "api_error"
    param: str | None = None
    retry_after: str | None = None
    details: tuple[dict[str, Any], ...] = ()  # what Google adds to its errors


@dataclass(frozen=True)
class Raw:
    """A body sent as it is."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Redirect:
    to: str


@dataclass(frozen=True)
class BreakOff:
    """Text, and then the connection ends in the middle of the reply."""

    text: str


Step = Say | Ask | Hang | Fail | Raw | Redirect | BreakOff
INPUT_TOKENS, OUTPUT_TOKENS = 1000, 200
CACHED_TOKENS = 600  # of the input, where it was found in the cache


@dataclass
class Seen:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class ScriptedProvider:
    """What the server will answer and what it was asked. The last step is repeated for ever."""

    steps: list[Step]
    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    cached: bool = False  # whether part of every question is found in the provider's cache
    left: threading.Event = field(default_factory=threading.Event)  # set when the server is to end

    def next_step(self) -> Step:
        return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: ScriptedProvider

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.script.seen.append(Seen(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        step = self.script.next_step()
        if isinstance(step, Hang):
            self.script.left.wait(step.seconds)
            self.close_connection = True
        elif isinstance(step, Fail):
            self._send(step.status, json.dumps(self._error(step)), extra={"Retry-After": step.retry_after} if step.retry_after else {})
        elif isinstance(step, Raw):
            self._send(200, step.body, step.content_type)
        elif isinstance(step, Redirect):
            self._send(307, "", extra={"Location": step.to})
        elif self.path.endswith("/embeddings"):
            raise AssertionError("embeddings are scripted with Raw")
        elif self._streams(body):
            self._send_events(self._events(step, self._model(body)))
        elif isinstance(step, BreakOff):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{")
            self.close_connection = True
        else:
            self._send(200, json.dumps(self._reply(step, self._model(body))))

    def _send(self, status: int, body: str, content_type: str = "application/json", extra: dict[str, str] | None = None) -> None:
        data = body.encode("utf-8")
        self.send_response(status)
        headers = {"Content-Type": content_type, "Content-Length": str(len(data)), **(extra or {})}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _send_events(self, events: list[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(event.encode("utf-8"))
            self.wfile.flush()
        self.close_connection = True

    def _streams(self, body: dict[str, Any]) -> bool:
        return bool(body.get("stream"))

    def _model(self, body: dict[str, Any]) -> str:
        return str(body["model"])

    def _error(self, step: Fail) -> dict[str, Any]:
        raise NotImplementedError

    def _reply(self, step: Say | Ask, model: str) -> dict[str, Any]:
        raise NotImplementedError

    def _events(self, step: Say | Ask | BreakOff, model: str) -> list[str]:
        raise NotImplementedError


def _pieces(text: str) -> list[str]:
    return [text[start : start + 7] for start in range(0, len(text), 7)]


_CLAUDE_STOPS = {"end": "end_turn", "cut": "max_tokens", "refused": "refusal"}
_GPT_STOPS = {"end": "stop", "cut": "length", "refused": "stop"}
_GEMINI_STOPS = {"end": "STOP", "cut": "MAX_TOKENS", "refused": "SAFETY"}


class AnthropicHandler(_Handler):
    def _error(self, step: Fail) -> dict[str, Any]:
        return {"type": "error", "error": {"type": step.kind, "message": step.message}}

    def _stop(self, step: Say | Ask) -> dict[str, Any]:
        refused = isinstance(step, Say) and step.end == "refused"
        details = {"type": "refusal", "category": "general_harms", "explanation": "not this"} if refused else None
        reason = "tool_use" if isinstance(step, Ask) else _CLAUDE_STOPS[step.end]
        return {"stop_reason": reason, "stop_sequence": None, "stop_details": details}

    def _message(self, model: str, output_tokens: int) -> dict[str, Any]:
        usage: dict[str, Any] = {"input_tokens": INPUT_TOKENS, "output_tokens": output_tokens}
        if self.script.cached:
            usage |= {
                "input_tokens": INPUT_TOKENS - CACHED_TOKENS,
                "cache_read_input_tokens": CACHED_TOKENS,
                "cache_creation_input_tokens": 0,
            }
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [], "usage": usage, "stop_reason": None}

    def _reply(self, step: Say | Ask, model: str) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "thinking", "thinking": "hm", "signature": "s"}] if step.text else []
        content += [{"type": "text", "text": step.text}] if step.text else []
        if isinstance(step, Ask):
            content += [
                {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": json.loads(text)}
                for n, (name, text) in enumerate(step.calls)
            ]
        return {**self._message(model, OUTPUT_TOKENS), **self._stop(step), "content": content}

    def _events(self, step: Say | Ask | BreakOff, model: str) -> list[str]:
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": self._message(model, 1)},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        ]
        for piece in _pieces(step.text):
            events.append({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
        for n, (name, text) in enumerate(step.calls if isinstance(step, Ask) else (), 1):
            block = {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": {}}
            events.append({"type": "content_block_start", "index": n, "content_block": block})
            for piece in _pieces(text):
                events.append({"type": "content_block_delta", "index": n, "delta": {"type": "input_json_delta", "partial_json": piece}})
        if not isinstance(step, BreakOff):
            events.append({"type": "content_block_stop", "index": 0})
            events.append({"type": "message_delta", "delta": self._stop(step), "usage": {"output_tokens": OUTPUT_TOKENS}})
            events.append({"type": "message_stop"})
        return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


class OpenAIHandler(_Handler):
    def _error(self, step: Fail) -> dict[str, Any]:
        return {"error": {"type": step.kind, "code": step.kind, "message": step.message, "param": step.param}}

    def _usage(self) -> dict[str, Any]:
        count = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS}
        return {**count, "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS if self.script.cached else 0}}

    def _calls(self, step: Say | Ask) -> list[dict[str, Any]] | None:
        if isinstance(step, Say):
            return None
        return [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": text}}
            for n, (name, text) in enumerate(step.calls)
        ]

    def _reply(self, step: Say | Ask, model: str) -> dict[str, Any]:
        refused = isinstance(step, Say) and step.end == "refused"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if refused else step.text,
            "refusal": "not this" if refused else None,
        }
        message["tool_calls"] = self._calls(step)
        stop = "tool_calls" if isinstance(step, Ask) else _GPT_STOPS[step.end]
        choice = {"index": 0, "message": message, "finish_reason": stop, "logprobs": None}
        return {"id": "c1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": self._usage()}

    def _events(self, step: Say | Ask | BreakOff, model: str) -> list[str]:
        chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model, "usage": None}
        field_name = "refusal" if isinstance(step, Say) and step.end == "refused" else "content"
        deltas: list[dict[str, Any]] = [{field_name: piece} for piece in _pieces(step.text)]
        for n, call in enumerate((self._calls(step) or []) if isinstance(step, Ask) else []):
            deltas.append({"tool_calls": [{"index": n, **call, "function": {**call["function"], "arguments": ""}}]})
            pieces = _pieces(call["function"]["arguments"])
            deltas += [{"tool_calls": [{"index": n, "function": {"arguments": piece}}]} for piece in pieces]
        events: list[dict[str, Any]] = [{**chunk, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
        if not isinstance(step, BreakOff):
            stop = "tool_calls" if isinstance(step, Ask) else _GPT_STOPS[step.end]
            events.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
            events.append({**chunk, "choices": [], "usage": self._usage()})
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        return lines if isinstance(step, BreakOff) else [*lines, "data: [DONE]\n\n"]


class LocalHandler(OpenAIHandler):
    """A server of one's own: it lists its models and, where `knows_shapes` is false, refuses fields it does not know."""

    models: ClassVar[tuple[str, ...]] = ("smol-one", "smol-two")

    def do_GET(self) -> None:
        self._send(200, json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}))


class GeminiHandler(_Handler):
    def _streams(self, body: dict[str, Any]) -> bool:
        return ":streamGenerateContent" in self.path

    def _model(self, body: dict[str, Any]) -> str:
        return self.path.rpartition("/")[2].partition(":")[0]

    def _error(self, step: Fail) -> dict[str, Any]:
        return {"error": {"code": step.status, "message": step.message, "status": step.kind, "details": list(step.details)}}

    def _usage(self) -> dict[str, Any]:
        cached = CACHED_TOKENS if self.script.cached else 0
        count = {"promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS - 50, "thoughtsTokenCount": 50}
        return {**count, "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS, "cachedContentTokenCount": cached}

    def _event(self, parts: list[dict[str, Any]], model: str, stop: str | None = None) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if stop:
            candidate |= {"finishReason": stop} | ({"finishMessage": "not this"} if stop == "SAFETY" else {})
        return {"candidates": [candidate], "modelVersion": model, "usageMetadata": self._usage()}

    def _calls(self, step: Say | Ask | BreakOff) -> list[dict[str, Any]]:
        if not isinstance(step, Ask):
            return []
        calls = [{"functionCall": {"name": name, "args": json.loads(text)}} for name, text in step.calls]
        return [{**calls[0], "thoughtSignature": "c2lnbmVk"}, *calls[1:]]

    def _stop(self, step: Say | Ask) -> str:
        return "STOP" if isinstance(step, Ask) else _GEMINI_STOPS[step.end]

    def _reply(self, step: Say | Ask, model: str) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"text": "hm", "thought": True}, {"text": step.text}] if step.text else []
        return self._event([*parts, *self._calls(step)], model, self._stop(step))

    def _events(self, step: Say | Ask | BreakOff, model: str) -> list[str]:
        events = [self._event([{"text": piece}], model) for piece in _pieces(step.text)]
        if not isinstance(step, BreakOff):
            events.append(self._event(self._calls(step), model, self._stop(step)))
        return [f"data: {json.dumps(event)}\r\n\r\n" for event in events]


@contextmanager
def serve(handler: type[_Handler], *steps: Step) -> Iterator[ScriptedProvider]:
    """A server on loopback that answers with the steps, in order."""
    script = ScriptedProvider(list(steps))
    bound = type(handler.__name__, (handler,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), bound)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield script
    finally:
        script.left.set()
        server.shutdown()
        server.server_close()
        thread.join()
