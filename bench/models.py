"""What Beacon adds to a call of a model, how many calls a run makes, and how fast pages are fetched from polite distance."""

import http.server
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from beacon.bootstrap import Beacon, open_beacon
from beacon.llm import anthropic as adapter
from beacon.llm.budgets import BudgetedModel
from beacon.runs import flow
from beacon.web.fetch import Fetched, Fetcher, FetchLimits

HOSTS, PAGES_A_HOST, LATENCY_S = 10, 5, 0.1
RUNS = 3
LIGHT = ("publishing", "save_memory", "finish")  # steps with next to no work of their own: what they take is durability
NOTES = (
    "The northern ferry costs {0} euros for a single crossing since the spring, and the southern one {1} euros.",
    "The harbour board has {0} members, and it met {1} times in the last year to talk about the new pier.",
    "The new pier will be {0} metres long and is to be ready within {1} months of its beginning.",
    "The crane on the eastern quay lifts {0} tons, and {1} ships waited for it in the last month.",
)


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    return [*_calls(), _pages()]


def _calls() -> list[dict[str, Any]]:
    own: list[float] = []
    steps: list[float] = []
    counts: list[tuple[int, int]] = []
    with _provider() as address, tempfile.TemporaryDirectory() as folder, _timed(own, steps):
        home = Path(folder)
        opened = open_beacon(home=home / "home", provider="anthropic", anthropic_api_key="bench", anthropic_base_url=address)
        try:
            for turn in range(RUNS):
                counts.append(_run(opened, home / "notes", turn))
        finally:
            opened.close()
    call_ms, step_ms = statistics.median(own) * 1000, statistics.median(steps) * 1000
    beside = f"{call_ms / step_ms:.2f} × a durable step of the same runs, {step_ms:.1f} ms ({len(own)} calls, {len(steps)} steps)"
    calls, allowed = counts[-1]
    bound = f"≤ {allowed} (6 + 2 × sections + revisions)"
    return [
        {
            "measure": "Beacon's own time a model call, median",
            "value": f"{call_ms:.1f} ms",
            "goal": "at most 2 × a durable step",
            "note": beside,
        },
        {"measure": "model calls a run", "value": str(calls), "goal": bound, "note": f"runs: {counts}"},
    ]  # fmt: skip


def _run(opened: Beacon, notes: Path, turn: int) -> tuple[int, int]:
    """(calls made, calls allowed) of a run over notes that changed."""
    notes.mkdir(exist_ok=True)
    for n, text in enumerate(NOTES):
        (notes / f"{n}.md").write_text(f"# Note {n}\n\n{text.format(10 + n + turn, 4 + turn)}\n", encoding="utf-8")
    if turn == 0:
        opened.call("topic_add", title="Harbour", folders=[str(notes)], queries=["What does the ferry cost?", "How long is the new pier?"])
    found = opened.call("run_wait", run=opened.call("run_start", slug="harbour")["run_id"], timeout_s=120)
    if found["status"] != "done":
        raise RuntimeError(found["error"])
    with opened.workspace.records.read() as tx:
        calls = len(tx.spend.calls(opened.workspace.project_id, run_id=found["id"]))
        done = tx.runs.checkpoints(found["id"])
    sections = sum(step.startswith("section:") for step in done)
    return calls, 6 + 2 * sections + sum(step.startswith("revision:") for step in done)


@contextmanager
def _timed(own: list[float], steps: list[float]) -> Iterator[None]:
    """Within the block the lists fill: a call's time without the provider's, and the time a durable step takes beside its work."""
    outside = threading.local()
    complete, send, work = BudgetedModel.complete, adapter.call, flow._attempt

    def timed_send(*arguments: Any) -> Any:
        begun = time.perf_counter()
        try:
            return send(*arguments)
        finally:
            outside.seconds = time.perf_counter() - begun

    def timed_complete(self: BudgetedModel, request: Any) -> Any:
        begun, outside.seconds = time.perf_counter(), 0.0
        try:
            return complete(self, request)
        finally:
            own.append(time.perf_counter() - begun - outside.seconds)

    def timed_work(step: str, *arguments: Any, **more: Any) -> Any:
        begun = time.perf_counter()
        try:
            return work(step, *arguments, **more)
        finally:
            if step in LIGHT:
                steps.append(time.perf_counter() - begun)

    with (
        mock.patch.object(BudgetedModel, "complete", timed_complete),
        mock.patch.object(adapter, "call", timed_send),
        mock.patch.object(flow, "_attempt", timed_work),
    ):
        yield


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def _reply(body: dict[str, Any]) -> dict[str, Any]:
    text = "The note gives a number for it [1]."
    usage = {"input_tokens": 400, "output_tokens": 20}
    message = {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "stop_reason": "end_turn", "usage": usage}
    return {**message, "content": [{"type": "text", "text": text}]}


class _Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _answer(self, json.dumps(_reply(body)).encode(), "application/json")

    def log_message(self, format: str, *args: object) -> None:
        return None


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        time.sleep(LATENCY_S)
        _answer(self, b"User-agent: *\nAllow: /\n" if self.path == "/robots.txt" else b"<html><body>A page.</body></html>", "text/html")

    def log_message(self, format: str, *args: object) -> None:
        return None


def _answer(handler: http.server.BaseHTTPRequestHandler, data: bytes, media_type: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", media_type)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def _serving(handler: type[http.server.BaseHTTPRequestHandler], host: str) -> Iterator[int]:
    server = _Server((host, 0), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def _provider() -> Iterator[str]:
    with _serving(_Provider, "127.0.0.1") as port:
        yield f"http://127.0.0.1:{port}"


def _pages() -> dict[str, Any]:
    """50 pages as a run fetches them: robots.txt asked, a pause between calls, two connections a host."""
    with _serving(_Page, "0.0.0.0") as port:
        urls = [f"http://127.0.0.{host}:{port}/{page}" for page in range(PAGES_A_HOST) for host in range(1, HOSTS + 1)]
        fetcher = Fetcher(FetchLimits(pause_s=0.1, attempts=3, robots=True), True)
        begun = time.perf_counter()
        found = fetcher.fetch_many(urls)
        seconds = time.perf_counter() - begun
    read = sum(isinstance(one, Fetched) for one in found)
    note = f"{HOSTS} hosts, {LATENCY_S * 1000:.0f} ms latency, 2 connections a host, robots.txt obeyed"
    return {"measure": f"{read} pages fetched", "value": f"{seconds:.1f} s", "goal": "under 10 s", "note": note}
