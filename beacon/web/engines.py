"""Search engines: with a key SerpAPI, Tavily and Brave; of one's own SearXNG; without either DuckDuckGo, Wikipedia, arXiv, Hacker News."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

from beacon.errors import InputError, UnavailableError
from beacon.web.feeds import plain_text, read_feed
from beacon.web.fetch import Fetched, Fetcher
from beacon.web.search import SearchEngine, SearchQuery, SearchResult

KEYED = ("serpapi", "tavily", "brave")
KEYLESS = ("duckduckgo", "wikipedia", "arxiv", "hackernews")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class _Engine:
    """What all engines have: a way to ask, an address, and a key where one is needed."""

    fetcher: Fetcher
    base: str
    key: str = ""

    def get(self, path: str, arguments: Mapping[str, object], headers: Mapping[str, str] | None = None) -> Fetched:
        """The answer to a GET."""
        given = {name: str(value) for name, value in arguments.items() if value not in (None, "")}
        return self.fetcher.ask(f"{self.base.rstrip('/')}{path}?{urlencode(given)}", headers=headers, secret=self.key)


class SerpApi(_Engine):
    name = "serpapi"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        since = f"cdr:1,cd_min:{query.since:%m/%d/%Y}" if query.since else ""
        arguments = {
            "engine": "google",
            "q": query.text,
            "num": query.limit,
            "hl": _short(query.language),
            "tbs": since,
            "api_key": self.key,
        }
        found = _json(self.get("/search.json", arguments), self.name)
        return _results(self.name, found.get("organic_results"), "link", "title", "snippet", "date", query.limit)


class Tavily(_Engine):
    name = "tavily"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        asked: dict[str, Any] = {"query": query.text, "max_results": min(query.limit, 20), "search_depth": "basic"}
        if query.since:
            asked["start_date"] = query.since.isoformat()
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        body = json.dumps(asked).encode("utf-8")
        found = _json(self.fetcher.ask(f"{self.base.rstrip('/')}/search", headers=headers, body=body, secret=self.key), self.name)
        return _results(self.name, found.get("results"), "url", "title", "content", "published_date", query.limit)


class Brave(_Engine):
    name = "brave"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        until = datetime.now(UTC).date()
        freshness = f"{query.since.isoformat()}to{max(until, query.since).isoformat()}" if query.since else ""
        arguments = {"q": query.text, "count": min(query.limit, 20), "search_lang": _short(query.language), "freshness": freshness}
        headers = {"X-Subscription-Token": self.key}
        found = _json(self.get("/res/v1/web/search", arguments, headers), self.name).get("web")
        listed = found.get("results") if isinstance(found, dict) else None
        return _results(self.name, listed, "url", "title", "description", "page_age", query.limit)


class SearXng(_Engine):
    name = "searxng"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        found = _json(self.get("/search", {"q": query.text, "format": "json", "language": _short(query.language)}), self.name)
        return _results(self.name, found.get("results"), "url", "title", "content", "publishedDate", query.limit)


class Wikipedia(_Engine):
    """The encyclopedia in the query's language. `{language}` in the address is its code."""

    name = "wikipedia"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        base = self.base.format(language=_short(query.language) or "en")
        arguments = {
            "action": "query", "list": "search", "srsearch": query.text, "srlimit": query.limit, "srprop": "snippet|timestamp",
            "format": "json", "formatversion": 2,
        }  # fmt: skip
        found = _json(_Engine(self.fetcher, base).get("/w/api.php", arguments), self.name).get("query")
        listed = found.get("search") if isinstance(found, dict) else None
        rows = [one for one in listed if isinstance(one, dict) and one.get("title")] if isinstance(listed, list) else []
        pages = [{**one, "url": f"{base}/wiki/{quote(str(one['title']).replace(' ', '_'), safe='/:(),!*')}"} for one in rows]
        return _results(self.name, pages, "url", "title", "snippet", "", query.limit)


class Arxiv(_Engine):
    name = "arxiv"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        words = re.findall(r"\w+", query.text)
        asked = " AND ".join(f"all:{word}" for word in words)
        if query.since:
            asked += f" AND submittedDate:[{query.since:%Y%m%d}0000 TO 299912312359]"
        arguments = {"search_query": asked, "max_results": query.limit, "sortBy": "submittedDate" if query.since else "relevance"}
        page = self.get("/api/query", arguments, {"Accept": "application/atom+xml"})
        entries = read_feed(page.data, page.final_url).entries if words else ()
        return [SearchResult(one.url, one.title, self.name, one.summary, one.published_at) for one in entries[: query.limit]]


class HackerNews(_Engine):
    name = "hackernews"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        since = f"created_at_i>{int(datetime.combine(query.since, time(), UTC).timestamp())}" if query.since else ""
        arguments = {"query": query.text, "tags": "story", "hitsPerPage": query.limit, "numericFilters": since}
        hits = _json(self.get("/api/v1/search", arguments), self.name).get("hits")
        rows = [one for one in hits if isinstance(one, dict)] if isinstance(hits, list) else []
        pages = [{**one, "url": one.get("url") or f"https://news.ycombinator.com/item?id={one.get('objectID')}"} for one in rows]
        return _results(self.name, pages, "url", "title", "story_text", "created_at", query.limit)


class DuckDuckGo(_Engine):
    """The pages that DuckDuckGo's plain HTML form lists; it has no interface for programs, so this may stop when the page changes."""

    name = "duckduckgo"

    def search(self, query: SearchQuery) -> list[SearchResult]:
        since = f"{query.since.isoformat()}..{datetime.now(UTC).date().isoformat()}" if query.since else ""
        page = self.get("/html/", {"q": query.text, "df": since}, {"Accept": "text/html"})
        reader = _Listing(page.final_url)
        reader.feed(page.data.decode("utf-8", "replace"))
        reader.close()
        if not reader.rows and page.status == 202:
            raise UnavailableError(
                "DuckDuckGo asks whether a person is searching and gives no results now: try later, or use another engine."
            )
        return _results(self.name, reader.rows, "url", "title", "snippet", "", query.limit)


class _Listing(HTMLParser):
    """The results on DuckDuckGo's page: links of the class `result__a`, and the texts of the class `result__snippet` behind them."""

    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[dict[str, Any]] = []
        self._base = base
        self._field = ""
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        if "result__a" in classes and (url := self._target(given.get("href") or "")):
            self.rows.append({"url": url, "title": "", "snippet": ""})
            self._field, self._tag = "title", tag
        elif "result__snippet" in classes and self.rows:
            self._field, self._tag = "snippet", tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._tag:
            self._field = self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._field:
            self.rows[-1][self._field] += data

    def _target(self, href: str) -> str:
        """Where a result's link leads in the end; empty for an advertisement."""
        try:
            parts = urlsplit(urljoin(self._base, href))
        except ValueError:
            return ""
        if parts.path.startswith("/l/"):
            return parse_qs(parts.query).get("uddg", [""])[0]
        return "" if parts.path.endswith("/y.js") else parts.geturl()


ADDRESSES = {
    "serpapi": "https://serpapi.com", "tavily": "https://api.tavily.com", "brave": "https://api.search.brave.com", "searxng": "",
    "duckduckgo": "https://html.duckduckgo.com", "wikipedia": "https://{language}.wikipedia.org", "arxiv": "https://export.arxiv.org",
    "hackernews": "https://hn.algolia.com",
}  # fmt: skip
_MAKERS: dict[str, Callable[[Fetcher, str, str], SearchEngine]] = {
    "serpapi": SerpApi, "tavily": Tavily, "brave": Brave, "searxng": SearXng, "duckduckgo": DuckDuckGo, "wikipedia": Wikipedia,
    "arxiv": Arxiv, "hackernews": HackerNews,
}  # fmt: skip


def make_engine(name: str, fetcher: Fetcher, *, base: str = "", key: str = "") -> SearchEngine:
    """The engine of that name. Raises InputError for one Beacon does not know, or one that lacks its key or address."""
    if name not in _MAKERS:
        raise InputError(f"'{name}' is no search engine Beacon knows: choose among {', '.join(_MAKERS)}.", engine=name)
    address = base or ADDRESSES[name]
    if not address:
        raise InputError("SearXNG needs the address of your server: set BEACON_SEARXNG_URL.", engine=name)
    if name in KEYED and not key:
        raise InputError(f"{name} needs a key: set {name.upper()}_API_KEY.", engine=name)
    return _MAKERS[name](fetcher, address, key)


def _short(language: str) -> str:
    """The language's code, "en" of "en-GB"; empty where it is none."""
    found = _LANGUAGE.fullmatch(language.strip().lower().replace("_", "-").partition("-")[0])
    return found.group() if found else ""


def _json(page: Fetched, engine: str) -> dict[str, Any]:
    try:
        found = json.loads(page.data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UnavailableError(f"{engine} answered with something that is not JSON: try again later.", engine=engine)
    return found


def _results(engine: str, rows: object, url: str, title: str, snippet: str, at: str, limit: int) -> list[SearchResult]:
    """The rows that name a page, as results."""
    found = []
    for row in rows if isinstance(rows, list) else []:
        link = row.get(url) if isinstance(row, dict) else None
        if isinstance(link, str) and link.startswith(("http://", "https://")):
            text = plain_text(row.get(title)) or link
            found.append(SearchResult(link, text, engine, plain_text(row.get(snippet)), _moment(row.get(at) if at else None)))
    return found[:limit]


def _moment(value: object) -> datetime | None:
    """A date as engines write it, in UTC; None where it cannot be read, such as "3 days ago"."""
    if not isinstance(value, str):
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime, lambda text: datetime.strptime(f"{text} +0000", "%b %d, %Y %z")):
        try:
            found = read(value.strip())
        except (ValueError, TypeError, IndexError):
            continue
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return None


def since_of(last: datetime | None) -> date | None:
    """The day from which a search looks, for a topic last looked at then: a day earlier, for engines are late."""
    return None if last is None else date.fromordinal(last.astimezone(UTC).date().toordinal() - 1)
