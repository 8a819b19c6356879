"""A topic that searches the web, run after run, on a web of this machine that changes between the runs."""

import json
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.clock import system_clock

PAGE = (
    "<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p>"
    "<p>This notice about {title} is kept by its own office and read out once in every month.</p></main></body></html>"
)


class Web:
    """Pages, what a search for any words gives, and what was asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.results: list[str] = []
        self.robots = ""
        self.asked: list[tuple[str, bool]] = []  # path, whether it was asked only if changed
        self.searches: list[str] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def page(self, path: str, title: str, text: str) -> None:
        self.pages[path] = PAGE.format(title=title, text=text)
        if path not in self.results:
            self.results.append(path)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        if parts.path == "/search":
            self.searches.append(parse_qs(parts.query)["q"][0])
            rows = [{"url": f"{self.base}{path}?utm_source=engine", "title": path, "content": "…"} for path in self.results]
            self.send(handler, 200, json.dumps({"results": rows}), "application/json")
        elif parts.path == "/robots.txt":
            self.send(handler, 200 if self.robots else 404, self.robots, "text/plain")
        else:
            self.serve_page(handler, parts.path)

    def serve_page(self, handler: BaseHTTPRequestHandler, path: str) -> None:
        text = self.pages.get(path)
        etag = f'"{abs(hash(text))}"'
        known = handler.headers.get("If-None-Match")
        self.asked.append((path, known is not None))
        if text is None:
            self.send(handler, 404, "gone", "text/plain")
        elif known == etag:
            self.send(handler, 304, "", "text/html")
        else:
            self.send(handler, 200, text, "text/html; charset=utf-8", etag)

    @staticmethod
    def send(handler: BaseHTTPRequestHandler, status: int, text: str, media_type: str, etag: str = "") -> None:
        data = text.encode()
        handler.send_response(status)
        handler.send_header("Content-Type", media_type)
        handler.send_header("Content-Length", str(len(data)))
        if etag:
            handler.send_header("ETag", etag)
        handler.end_headers()
        handler.wfile.write(data)


@pytest.fixture
def web() -> Iterator[Web]:
    found = Web()
    found.page("/fares", "Ferry fares", "The northern ferry costs 12 euros for a single crossing since the spring of this year.")
    found.page("/pier", "The new pier", "Work on the new pier began in March and Halvorsen Marine was given the contract for it.")
    yield found
    found.server.shutdown()
    found.server.server_close()


class Days:
    """A clock that is set forward by hand."""

    def __init__(self) -> None:
        self.days = 0

    def __call__(self) -> Any:
        return system_clock() + timedelta(days=self.days)


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
def beacon(tmp_path: Path, web: Web, days: Days) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home", clock=days, allow_private_addresses=True, search="searxng", search_base_url=web.base)
    opened.call("topic_add", title="Harbour", queries=["What does the ferry cost?"])
    yield opened
    opened.close()


def run(beacon: Beacon) -> dict[str, Any]:
    found: dict[str, Any] = beacon.call("run_wait", run=beacon.call("run_start", slug="harbour")["run_id"], timeout_s=60)
    assert found["status"] == "done", found["error"]
    return found


def test_what_a_search_finds_is_read_under_its_plain_address(beacon: Beacon, web: Web) -> None:
    assert run(beacon)["sources"]["new"] == 2
    assert {s["url"] for s in beacon.call("source_list", slug="harbour")} == {f"{web.base}/fares", f"{web.base}/pier"}


def test_the_next_run_asks_by_what_is_known_reads_only_what_is_new_and_tells_only_that(beacon: Beacon, web: Web, days: Days) -> None:
    run(beacon)
    web.searches.clear()
    web.asked.clear()
    days.days = 7
    web.page("/fares", "Ferry fares", "The northern ferry costs 15 euros for a single crossing since the spring of this year.")
    web.page("/crane", "The crane", "A second crane will be set up on the eastern quay before the herring season begins.")
    second = run(beacon)
    assert second["sources"] == {"new": 1, "changed": 1, "same": 1, "withdrawn": 0}
    assert sorted(web.asked) == [("/crane", False), ("/fares", True), ("/pier", True)]
    assert any("Halvorsen Marine" in search for search in web.searches)
    changes = beacon.call("change_list", slug="harbour")
    assert {change["kind"] for change in changes} == {"new", "changed"}
    delta = beacon.call("report_show", slug="harbour")["markdown"].partition("## What Changed Since")[2].partition("\n## ")[0]
    assert "15 euros" in delta and "crane" in delta and "Halvorsen" not in delta


def test_nothing_new_is_a_report_too(beacon: Beacon, days: Days) -> None:
    run(beacon)
    days.days = 7
    second = run(beacon)
    assert second["sources"]["same"] == 2 and "Nothing changed since" in beacon.call("report_show", slug="harbour")["markdown"]


def test_a_copy_of_a_page_elsewhere_is_no_second_source_of_the_report(beacon: Beacon, web: Web, days: Days) -> None:
    run(beacon)
    days.days = 7
    story = "The harbour council voted on Tuesday to close the southern basin for dredging between October and the end of February, " * 4
    web.page("/agency/story", "Basin closes", story)
    web.page("/paper/story", "Basin closes", story)
    run(beacon)
    new = [change for change in beacon.call("change_list", slug="harbour") if change["kind"] == "new"]
    assert len({change["source"]["source_id"] for change in new}) == 1


def test_what_robots_txt_forbids_is_not_read_and_is_named(beacon: Beacon, web: Web) -> None:
    web.robots = "User-agent: *\nDisallow: /pier\n"
    first = run(beacon)
    assert first["sources"]["new"] == 1 and ("/pier", False) not in web.asked
    assert any("robots.txt" in line for line in first["research_state"]["research_data"]["problems"])


def test_an_engine_that_fails_is_named_and_the_run_goes_on(tmp_path: Path, web: Web) -> None:
    opened = open_beacon(
        home=tmp_path / "other", allow_private_addresses=True, search="searxng,brave", brave_api_key="bsa-4f9a1c", search_base_url=web.base
    )
    try:
        opened.call("topic_add", title="Harbour", queries=["What does the ferry cost?"])
        found = run(opened)
        problems = found["research_state"]["research_data"]["problems"]
        assert found["sources"]["new"] == 2 and any(line.startswith("brave:") for line in problems)
        assert "bsa-4f9a1c" not in json.dumps(found)
    finally:
        opened.close()
