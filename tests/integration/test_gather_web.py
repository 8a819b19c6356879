"""A topic that watches pages and a feed, on a web server of this machine."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon

PAGE = (
    "<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p>"
    "<p>The notice is kept by the harbour office and read out at the board's meeting each month.</p></main></body></html>"
)
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour</title>
<item><title>Board meets</title><link>{base}/entry</link><pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate></item></channel></rss>"""


class Site:
    """Pages by path, served on loopback."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[str, str]] = {}
        pages = self.pages

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = pages.get(self.path)
                body = found[1].encode() if found else b"gone"
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", found[0] if found else "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def page(self, path: str, title: str, text: str) -> None:
        self.pages[path] = ("text/html", PAGE.format(title=title, text=text))


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site()
    found.page("/fares", "Ferry fares", "The northern ferry costs 12 euros for a single crossing since the spring of this year.")
    found.page("/entry", "Board meets", "The harbour board will meet on the first Monday of April to talk about the new pier.")
    found.pages["/feed"] = ("application/rss+xml", FEED.format(base=found.base))
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def beacon(tmp_path: Path, site: Site) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home", allow_private_addresses=True)
    opened.call("topic_add", title="Harbour", pages=[f"{site.base}/fares"], feeds=[f"{site.base}/feed"])
    yield opened
    opened.close()


def run(beacon: Beacon) -> dict[str, Any]:
    found: dict[str, Any] = beacon.call("run_wait", run=beacon.call("run_start", slug="harbour")["run_id"], timeout_s=60)
    assert found["status"] == "done", found["error"]
    return found


def test_pages_and_the_entries_of_a_feed_are_read(beacon: Beacon, site: Site) -> None:
    assert run(beacon)["sources"]["new"] == 2
    assert {s["url"] for s in beacon.call("source_list", slug="harbour")} == {f"{site.base}/fares", f"{site.base}/entry"}


def test_an_unchanged_page_is_not_read_into_the_next_report(beacon: Beacon) -> None:
    run(beacon)
    second = run(beacon)
    assert second["sources"] == {"new": 0, "changed": 0, "same": 2, "withdrawn": 0} and second["change_counts"] == {}
    assert "Nothing changed since" in beacon.call("report_show", slug="harbour")["markdown"]


def test_a_page_with_new_words_is_a_new_version_and_a_change(beacon: Beacon, site: Site) -> None:
    run(beacon)
    site.page("/fares", "Ferry fares", "The northern ferry costs 15 euros for a single crossing since the spring of this year.")
    run(beacon)
    change = beacon.call("change_list", slug="harbour")[0]
    assert (change["kind"], "12 euros" in change["old"]["quote"], "15 euros" in change["quote"]) == ("changed", True, True)


def test_a_page_that_is_gone_is_named_and_the_rest_goes_on(beacon: Beacon, site: Site) -> None:
    run(beacon)
    del site.pages["/fares"]
    second = run(beacon)
    assert second["sources"]["withdrawn"] == 0 and any("/fares" in line for line in second["research_state"]["research_data"]["problems"])


def test_a_private_address_is_refused_unless_it_is_allowed(tmp_path: Path, site: Site) -> None:
    opened = open_beacon(home=tmp_path / "guarded")
    try:
        opened.call("topic_add", title="Harbour", pages=[f"{site.base}/fares"])
        found = run(opened)
        assert found["sources"]["new"] == 0 and "private" in " ".join(found["research_state"]["research_data"]["problems"])
    finally:
        opened.close()
