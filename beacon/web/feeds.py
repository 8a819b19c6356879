"""Feeds: what an RSS, RDF or Atom document lists, newest or oldest as it has them."""

import calendar
import io
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from beacon.errors import InputError

_SPACES = re.compile(r"\s+")
_BREAKING = frozenset({"p", "br", "div", "li", "ul", "ol", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table"})


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One thing a feed points to."""

    url: str
    title: str
    published_at: datetime | None  # UTC; the time of its last update where it gives no other
    summary: str  # plain text


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed and its entries, in the feed's own order."""

    title: str
    entries: tuple[FeedEntry, ...]


def read_feed(data: bytes, url: str) -> Feed:
    """The feed in `data`, which was fetched from `url`; nothing is fetched. Entries without a link are left out.

    Raises InputError when `data` is not a feed, or broken before its first entry.
    """
    import feedparser

    # A stream, because feedparser opens bytes or strings that look like a path or an address.
    parsed = feedparser.parse(io.BytesIO(data), response_headers={"content-location": url, "content-type": "application/xml"})
    if not parsed.entries:
        if not parsed.get("version"):
            raise InputError(f"'{url}' is not a feed: give the address of an RSS or Atom feed, or add it as a page.", url=url)
        if parsed.bozo and _is_broken(parsed.bozo_exception):
            raise InputError(f"The feed '{url}' is broken: {parsed.bozo_exception}. Give another address, or try again later.", url=url)
    entries = (_entry(raw, url) for raw in parsed.entries)
    return Feed(title=plain_text(parsed.feed.get("title", "")), entries=tuple(entry for entry in entries if entry is not None))


def _is_broken(problem: object) -> bool:
    import xml.sax

    return isinstance(problem, xml.sax.SAXException)


def _entry(raw: Mapping[str, object], url: str) -> FeedEntry | None:
    link = _link(raw, url)
    if not link:
        return None
    return FeedEntry(
        url=link,
        title=plain_text(raw.get("title", "")) or link,
        published_at=_utc(raw.get("published_parsed")) or _utc(dict(raw).get("updated_parsed")),
        summary=plain_text(raw.get("summary", "")) or plain_text(_first_content(raw)),
    )


def _link(raw: Mapping[str, object], url: str) -> str:
    candidates = [raw.get("link")]
    links = raw.get("links")
    if isinstance(links, list):
        ranked = sorted(links, key=lambda link: link.get("rel") != "alternate")
        candidates += [link.get("href") for link in ranked if link.get("rel", "alternate") in ("alternate", "enclosure")]
    for candidate in candidates:
        if isinstance(candidate, str) and (found := _absolute(candidate, url)):
            return found
    return ""


def _absolute(link: str, url: str) -> str:
    """`link` as a full http address, or "" when it is none."""
    if not link.strip():
        return ""
    try:
        found = urljoin(url, link.strip())
        parts = urlsplit(found)
    except ValueError:
        return ""
    return found if parts.scheme in ("http", "https") and parts.hostname else ""


def _first_content(raw: Mapping[str, object]) -> object:
    content = raw.get("content")
    return content[0].get("value", "") if isinstance(content, list) and content else ""


def _utc(parsed: object) -> datetime | None:
    """feedparser gives UTC already; a date it could read but no calendar has gives None."""
    if not isinstance(parsed, time.struct_time):
        return None
    try:
        return datetime.fromtimestamp(calendar.timegm(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in ("script", "style")
        if tag in _BREAKING:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style") and self._silent > 0
        if tag in _BREAKING:
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)


def plain_text(markup: object) -> str:
    """`markup` without tags, entities or runs of space; empty where it is no text."""
    if not isinstance(markup, str):
        return ""
    reader = _Text()
    reader.feed(markup)
    reader.close()
    return _SPACES.sub(" ", "".join(reader.parts)).strip()
