"""Search engines, each against a loopback server that answers in its documented form."""

import http.server
import json
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from beacon.errors import BeaconError, InputError, UnavailableError
from beacon.web.engines import ADDRESSES, KEYED, make_engine
from beacon.web.fetch import Fetcher, FetchLimits
from beacon.web.search import Searcher, SearchQuery, SearchResult, merge_results

KEY = "key-4f9a/1c+77"
AT = datetime(2026, 3, 2, 8, tzinfo=UTC)
ASK = SearchQuery("ferry fares", 5)
DDG = """<div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fone.example%2Ffares&rut=x">
Ferry <b>fares</b></a><a class="result__snippet" href="x">The <b>northern</b> ferry</a></div>
<div class="result"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=ads.example">Advertisement</a></div>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>q</title><entry><id>x</id><title>Ferry fares</title>
<link href="https://one.example/fares"/><published>2026-03-02T08:00:00Z</published><summary>The northern ferry</summary>
</entry></feed>"""


def _row(url: str, text: str, **more: str) -> dict[str, str]:
    return {"title": "Ferry <b>fares</b>", url: "https://one.example/fares", text: "The northern ferry", **more}


BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "serpapi": ("/search.json", {"organic_results": [_row("link", "snippet", date="Mar 2, 2026")]}),
    "tavily": ("/search", {"results": [_row("url", "content", published_date="Mon, 02 Mar 2026 08:00:00 GMT")]}),
    "brave": ("/res/v1/web/search", {"web": {"results": [_row("url", "description", page_age="2026-03-02T08:00:00")]}}),
    "searxng": ("/search", {"results": [_row("url", "content", publishedDate="2026-03-02T08:00:00")]}),
    "hackernews": ("/api/v1/search", {"hits": [_row("url", "story_text", created_at="2026-03-02T08:00:00Z")]}),
    "wikipedia": ("/w/api.php", {"query": {"search": [{"title": "Ferry fares", "snippet": "The <span>northern</span> ferry"}]}}),
}
ANSWERS = {name: (path, json.dumps(body)) for name, (path, body) in BODIES.items()}
ANSWERS |= {"duckduckgo": ("/html/", DDG), "arxiv": ("/api/query", ATOM)}
DATED = ("tavily", "brave", "searxng", "hackernews", "arxiv")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, str]] = {}
        self.seen: list[tuple[str, dict[str, list[str]], dict[str, str], bytes]] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        self.server.seen.append((parts.path, parse_qs(parts.query), {k.lower(): v for k, v in self.headers.items()}, body))
        status, text = self.server.answers.get(parts.path, (404, "{}"))
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if text.startswith("<div") else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        return None


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield found
    found.shutdown()
    found.server_close()


def engine(name: str, server: Server, status: int = 200, text: str | None = None) -> Any:
    path, answer = ANSWERS[name]
    server.answers[path] = (status, answer if text is None else text)
    return make_engine(name, Fetcher(FetchLimits(total_s=5), True), base=server.base, key=KEY)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_engine_gives_pages_with_their_words(name: str, server: Server) -> None:
    found = engine(name, server).search(ASK)
    url = f"{server.base}/wiki/Ferry_fares" if name == "wikipedia" else "https://one.example/fares"
    assert [(one.url, one.title, one.snippet, one.engine) for one in found] == [(url, "Ferry fares", "The northern ferry", name)]


@pytest.mark.parametrize("name", DATED)
def test_an_engine_that_tells_dates_is_believed(name: str, server: Server) -> None:
    assert engine(name, server).search(ASK)[0].published_at == AT


@pytest.mark.parametrize("name", KEYED)
def test_the_key_is_sent(name: str, server: Server) -> None:
    engine(name, server).search(ASK)
    _, arguments, headers, _ = server.seen[0]
    assert KEY in (
        arguments.get("api_key", [""])[0],
        headers.get("authorization", "").removeprefix("Bearer "),
        headers.get("x-subscription-token"),
    )


@pytest.mark.parametrize("name", KEYED)
@pytest.mark.parametrize("status", [401, 429, 500, 302])
def test_the_key_is_in_no_error(name: str, status: int, server: Server) -> None:
    with pytest.raises(BeaconError) as caught:
        engine(name, server, status).search(ASK)
    shown = f"{caught.value.message} {caught.value.facts} {caught.value.__cause__}"
    assert KEY not in shown and "key-4f9a%2F1c%2B77" not in shown


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in ("arxiv", "duckduckgo")])
@pytest.mark.parametrize(
    "text", ["<html>busy</html>", "[1]", '{"results": 5}', "{}", '{"results": [null, {"url": 7}, {"url": "javascript:x"}]}']
)
def test_an_answer_of_another_form_gives_nothing_or_says_so(name: str, text: str, server: Server) -> None:
    try:
        assert engine(name, server, text=text).search(ASK) == []
    except UnavailableError as error:
        assert name in error.message


@pytest.mark.parametrize(
    ("name", "field"), [("serpapi", "tbs"), ("brave", "freshness"), ("arxiv", "search_query"), ("hackernews", "numericFilters")]
)
def test_only_what_is_recent_is_asked_for(name: str, field: str, server: Server) -> None:
    engine(name, server).search(SearchQuery("ferry", since=date(2026, 3, 1)))
    assert any(stamp in server.seen[0][1][field][0] for stamp in ("03/01/2026", "2026-03-01", "20260301", "1772323200"))


@pytest.mark.parametrize("name", KEYED)
def test_without_a_key_the_variable_is_named(name: str) -> None:
    with pytest.raises(InputError, match=f"{name.upper()}_API_KEY"):
        make_engine(name, Fetcher())


def test_an_unknown_engine_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InputError, match="duckduckgo"):
        make_engine("askjeeves", Fetcher())


def test_every_engine_has_an_address_or_asks_for_one() -> None:
    assert set(ADDRESSES) == set(ANSWERS)
    with pytest.raises(InputError, match="BEACON_SEARXNG_URL"):
        make_engine("searxng", Fetcher())


class Fixed:
    def __init__(self, name: str, urls: list[str] | BeaconError) -> None:
        self.name = name
        self._urls = urls

    def search(self, query: SearchQuery) -> list[SearchResult]:
        if isinstance(self._urls, BeaconError):
            raise self._urls
        return [SearchResult(url, url, self.name) for url in self._urls]


def test_engines_together_give_a_page_once_and_what_two_name_first() -> None:
    found = Searcher([Fixed("a", ["https://x.example/1", "https://x.example/2"]), Fixed("b", ["https://x.example/2?utm_source=b"])]).search(
        ASK
    )
    assert [one.url for one in found.results] == ["https://x.example/2", "https://x.example/1"]


def test_engines_in_turn_stop_at_the_first_that_answers() -> None:
    found = Searcher(
        [Fixed("a", UnavailableError("down")), Fixed("b", ["https://x.example/1"]), Fixed("c", ["https://x.example/9"])], in_turn=True
    ).search(ASK)
    assert ([one.engine for one in found.results], found.problems) == (["b"], [])


def test_where_no_engine_answers_each_is_named() -> None:
    found = Searcher([Fixed("a", UnavailableError("down")), Fixed("b", UnavailableError("busy"))]).search(ASK)
    assert (found.results, found.problems) == ([], ["a: down", "b: busy"])


def test_ties_go_to_the_engine_named_first() -> None:
    one, other = SearchResult("https://x.example/1", "", "a"), SearchResult("https://x.example/2", "", "b")
    assert merge_results([[one], [other]], 5) == [one, other]
