"""Loopback servers that speak the providers' wire formats and answer from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal


@dataclass(frozen=True)
class Say:
    """A reply that ends as it should, or for another reason."""

    text: str
    end: Literal["end", "cut", "refused"] = "end"


@dataclass(frozen=True)
class Fail:
    """An error status."""

    status: int
    message: str = "scripted failure"
    kind: str = "api_error"
    param: str | None = None
    retry_after: str | None = None


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


Step = Say | Fail | Raw | Redirect | BreakOff
INPUT_TOKENS, OUTPUT_TOKENS = 1000, 200


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
        if isinstance(step, Fail):
            self._send(step.status, json.dumps(self._error(step)), extra={"Retry-After": step.retry_after} if step.retry_after else {})
        elif isinstance(step, Raw):
            self._send(200, step.body, step.content_type)
        elif isinstance(step, Redirect):
            self._send(307, "", extra={"Location": step.to})
        elif self.path.endswith("/embeddings"):
            raise AssertionError("embeddings are scripted with Raw")
        elif body.get("stream"):
            self._send_events(self._events(step, body["model"]))
        elif isinstance(step, BreakOff):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{")
            self.close_connection = True
        else:
            self._send(200, json.dumps(self._reply(step, body["model"])))

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

    def _error(self, step: Fail) -> dict[str, Any]:
        raise NotImplementedError

    def _reply(self, step: Say, model: str) -> dict[str, Any]:
        raise NotImplementedError

    def _events(self, step: Say | BreakOff, model: str) -> list[str]:
        raise NotImplementedError


def _pieces(text: str) -> list[str]:
    return [text[start : start + 7] for start in range(0, len(text), 7)]


_CLAUDE_STOPS = {"end": "end_turn", "cut": "max_tokens", "refused": "refusal"}
_GPT_STOPS = {"end": "stop", "cut": "length", "refused": "stop"}
_GPT_USAGE = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS}


class AnthropicHandler(_Handler):
    def _error(self, step: Fail) -> dict[str, Any]:
        return {"type": "error", "error": {"type": step.kind, "message": step.message}}

    def _stop(self, step: Say) -> dict[str, Any]:
        details = {"type": "refusal", "category": "general_harms", "explanation": "not this"} if step.end == "refused" else None
        return {"stop_reason": _CLAUDE_STOPS[step.end], "stop_sequence": None, "stop_details": details}

    def _message(self, model: str, output_tokens: int) -> dict[str, Any]:
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": output_tokens}
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [], "usage": usage, "stop_reason": None}

    def _reply(self, step: Say, model: str) -> dict[str, Any]:
        thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
        content = [thinking, {"type": "text", "text": step.text}] if step.text else []
        return {**self._message(model, OUTPUT_TOKENS), **self._stop(step), "content": content}

    def _events(self, step: Say | BreakOff, model: str) -> list[str]:
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": self._message(model, 1)},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        ]
        for piece in _pieces(step.text):
            events.append({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
        if isinstance(step, Say):
            events.append({"type": "content_block_stop", "index": 0})
            events.append({"type": "message_delta", "delta": self._stop(step), "usage": {"output_tokens": OUTPUT_TOKENS}})
            events.append({"type": "message_stop"})
        return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


class OpenAIHandler(_Handler):
    def _error(self, step: Fail) -> dict[str, Any]:
        return {"error": {"type": step.kind, "code": step.kind, "message": step.message, "param": step.param}}

    def _reply(self, step: Say, model: str) -> dict[str, Any]:
        refused = step.end == "refused"
        message = {"role": "assistant", "content": None if refused else step.text, "refusal": "not this" if refused else None}
        choice = {"index": 0, "message": message, "finish_reason": _GPT_STOPS[step.end], "logprobs": None}
        return {"id": "c1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": _GPT_USAGE}

    def _events(self, step: Say | BreakOff, model: str) -> list[str]:
        chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model, "usage": None}
        field_name = "refusal" if isinstance(step, Say) and step.end == "refused" else "content"
        events: list[dict[str, Any]] = []
        for piece in _pieces(step.text):
            events.append({**chunk, "choices": [{"index": 0, "delta": {field_name: piece}, "finish_reason": None}]})
        if isinstance(step, Say):
            events.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": _GPT_STOPS[step.end]}]})
            events.append({**chunk, "choices": [], "usage": _GPT_USAGE})
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        return [*lines, "data: [DONE]\n\n"] if isinstance(step, Say) else lines


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
        server.shutdown()
        server.server_close()
        thread.join()
