"""Pages from the web: guarded, limited in size and time, polite to their hosts."""

import os
import ssl
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urldefrag, urljoin, urlsplit

import httpcore
import httpx

from beacon.domain.clock import Clock, system_clock
from beacon.errors import BeaconError, InputError, NotFoundError, RefusedError, UnavailableError
from beacon.web.body import is_allowed, is_untold, read_body, sniff, split_content_type, too_big
from beacon.web.guard import AddressGuard, Resolver, system_resolver
from beacon.web.transport import Deadline, PinnedBackend, PinnedTransport

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.8,*/*;q=0.5"
_MOVED = frozenset({301, 302, 303, 307, 308})
_BUSY = frozenset({408, 425, 429})


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one fetch may cost."""

    max_bytes: int = 10_000_000  # on the wire, and again unpacked
    total_s: float = 20.0  # all redirects and reads together, without waiting for a turn at the host
    connect_s: float = 5.0
    max_redirects: int = 5
    per_host: int = 2  # connections to one host at a time
    user_agent: str = "Beacon/0.1 (research reader)"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page to fetch, and what is known of the copy already held."""

    url: str
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it was answered. `data` is empty where `not_modified` is true."""

    url: str
    final_url: str
    status: int
    media_type: str
    data: bytes
    fetched_at: datetime
    etag: str = ""
    last_modified: str = ""
    not_modified: bool = False
    charset: str = ""  # as the server declared it, which may be wrong


class Fetcher:
    """Fetches pages; safe to share between threads. `trust_env` lets the environment's proxies and certificates in.

    A proxy chooses the address itself, so behind one only the form of the URL is guarded. `dialer` opens the sockets.
    """

    def __init__(
        self,
        limits: FetchLimits | None = None,
        allow_private: bool = False,
        resolver: Resolver = system_resolver,
        *,
        clock: Clock = system_clock,
        trust_env: bool = False,
        dialer: httpcore.NetworkBackend | None = None,
    ) -> None:
        self._limits = limits or FetchLimits()
        self._guard = AddressGuard(allow_private, resolver)
        self._clock = clock
        self._trust_env = trust_env
        self._dialer = dialer or httpcore.SyncBackend()
        self._turns = _Turns(self._limits.per_host)
        self._tls: ssl.SSLContext | None = None
        self._tls_lock = threading.Lock()

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        """The page at `url`, redirects followed. `etag` and `last_modified` of a held copy let the server answer "not modified".

        Raises RefusedError (address or media type not allowed), NotFoundError (404, 410), InputError (other 4xx, too big, not a URL)
        and UnavailableError (no answer in time, 408, 425, 429, 5xx, no connection).
        """
        wanted = Wanted(url.strip(), etag, last_modified)
        deadline = Deadline(self._limits.total_s)
        with _translated(wanted.url, self._limits), self._client(deadline) as client:
            return self._follow(client, wanted, deadline)

    def fetch_many(self, urls: Sequence[str | Wanted], workers: int = 6) -> list[Fetched | BeaconError]:
        """What each of `urls` gave, in the order given: its page, or the error that met it."""
        wanted = [Wanted(item) if isinstance(item, str) else item for item in urls]
        results: dict[int, Fetched | BeaconError] = {}
        with ThreadPoolExecutor(max_workers=max(1, workers), thread_name_prefix="beacon-fetch") as pool:
            for pairs in pool.map(lambda lane: [(at, self._attempt(wanted[at])) for at in lane], _lanes(wanted, self._limits.per_host)):
                results.update(pairs)
        return [results[at] for at in range(len(wanted))]

    def _attempt(self, wanted: Wanted) -> Fetched | BeaconError:
        try:
            return self.fetch(wanted.url, etag=wanted.etag, last_modified=wanted.last_modified)
        except BeaconError as error:
            return error

    def _follow(self, client: httpx.Client, wanted: Wanted, deadline: Deadline) -> Fetched:
        here = wanted.url
        for _ in range(self._limits.max_redirects + 1):
            host = self._guard.check_url(here).hostname or ""
            with self._turns.at(host, deadline), client.stream("GET", here, headers=_conditions(wanted)) as answer:
                if answer.status_code not in _MOVED:
                    return self._read(wanted, here, answer)
                here = _next_address(here, answer)
        raise InputError(
            f"'{wanted.url}' was passed on more than {self._limits.max_redirects} times: give the final address.", url=wanted.url
        )

    def _read(self, wanted: Wanted, here: str, answer: httpx.Response) -> Fetched:
        page = Fetched(
            url=wanted.url, final_url=here, status=answer.status_code, media_type="", data=b"", fetched_at=self._clock(),
            etag=answer.headers.get("etag", ""), last_modified=answer.headers.get("last-modified", ""),
        )  # fmt: skip
        if answer.status_code == httpx.codes.NOT_MODIFIED and (wanted.etag or wanted.last_modified):
            held = page.etag or wanted.etag, page.last_modified or wanted.last_modified
            return replace(page, not_modified=True, etag=held[0], last_modified=held[1])
        if not answer.is_success:
            raise _status_error(here, answer)
        media_type, charset = split_content_type(answer.headers.get("content-type", ""))
        if not is_untold(media_type) and not is_allowed(media_type):
            raise _wrong_type(here, media_type)
        data = self._body(here, answer)
        if is_untold(media_type) and not (media_type := sniff(data)):
            raise _wrong_type(here, answer.headers.get("content-type", "") or "unknown")
        return replace(page, media_type=media_type, data=data, charset=charset)

    def _body(self, here: str, answer: httpx.Response) -> bytes:
        declared = answer.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self._limits.max_bytes:
            raise too_big(here, self._limits.max_bytes)
        return read_body(answer.iter_raw(), answer.headers.get("content-encoding", ""), self._limits.max_bytes, here)

    def _client(self, deadline: Deadline) -> httpx.Client:
        pool = httpcore.ConnectionPool(
            ssl_context=self._tls_context(),
            network_backend=PinnedBackend(self._guard, deadline, self._dialer),
            max_connections=1,
        )
        return httpx.Client(
            transport=PinnedTransport(pool),
            mounts=_proxies() if self._trust_env else None,
            timeout=httpx.Timeout(self._limits.total_s, connect=self._limits.connect_s),
            headers={"User-Agent": self._limits.user_agent, "Accept": _ACCEPT, "Accept-Encoding": "gzip, deflate"},
            follow_redirects=False,
            trust_env=False,
        )

    def _tls_context(self) -> ssl.SSLContext:
        with self._tls_lock:
            if self._tls is None:
                self._tls = httpx.create_ssl_context(trust_env=self._trust_env)
            return self._tls


class _Turns:
    """At most `size` holders a host; waiting for a turn does not use up the fetch's time."""

    def __init__(self, size: int) -> None:
        self._lock = threading.Lock()
        self._gates: dict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(max(1, size)))

    @contextmanager
    def at(self, host: str, deadline: Deadline) -> Iterator[None]:
        with self._lock:
            gate = self._gates[host.lower()]
        asked = time.monotonic()
        with gate:
            deadline.extend(time.monotonic() - asked)
            yield


def _lanes(wanted: Sequence[Wanted], per_host: int) -> list[list[int]]:
    """Positions grouped into at most `per_host` queues a host, so that one slow host never holds every worker."""
    lanes: dict[tuple[str, int], list[int]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for at, item in enumerate(wanted):
        host = _host_of(item.url)
        lanes[host, seen[host] % max(1, per_host)].append(at)
        seen[host] += 1
    return list(lanes.values())


def _host_of(url: str) -> str:
    try:
        return urlsplit(url.strip()).hostname or ""
    except ValueError:
        return ""


def _conditions(wanted: Wanted) -> dict[str, str]:
    conditions = {"If-None-Match": wanted.etag, "If-Modified-Since": wanted.last_modified}
    return {name: value for name, value in conditions.items() if value}


def _next_address(here: str, answer: httpx.Response) -> str:
    location = str(answer.headers.get("location", "")).strip()
    if not location:
        raise InputError(f"'{here}' answers {answer.status_code} and does not say where to go: give the final address.", url=here)
    try:
        return urldefrag(urljoin(here, location)).url
    except ValueError as error:
        raise InputError(f"'{here}' passes on to '{location}', which is not an address: give the final one.", url=here) from error


def _status_error(here: str, answer: httpx.Response) -> BeaconError:
    status = answer.status_code
    facts = {"url": here, "status": status, "retry_after": answer.headers.get("retry-after", "")}
    if status in _BUSY or status >= 500:
        return UnavailableError(f"'{here}' answers {status}: its server is busy or failing. Try again later.", **facts)
    if status in (404, 410):
        return NotFoundError(f"'{here}' answers {status}: there is no such page. Check the address, or remove it.", **facts)
    if status in (401, 402, 403, 407, 451):
        return InputError(f"'{here}' answers {status}: it does not let Beacon in. Save the page and add the file instead.", **facts)
    return InputError(f"'{here}' answers {status}, which is no page. Check the address.", **facts)


def _wrong_type(here: str, media_type: str) -> RefusedError:
    message = f"'{here}' is of type '{media_type}', which is not read: give a page, feed, PDF, Word, text, CSV or JSON address."
    return RefusedError(message, url=here, media_type=media_type)


def _proxies() -> dict[str, httpx.BaseTransport | None]:
    """The environment's proxies as httpx mounts; a host that is to be reached without one falls back to the pinned transport."""
    named = urllib.request.getproxies()
    mounts: dict[str, httpx.BaseTransport | None] = {}
    for scheme in ("http", "https"):
        address = named.get(scheme) or named.get("all")
        if address:
            mounts[f"{scheme}://"] = httpx.HTTPTransport(proxy=address if "://" in address else f"http://{address}")
    for host in filter(None, (part.strip().lstrip(".") for part in os.environ.get("no_proxy", named.get("no", "")).split(","))):
        mounts["all://*" if host == "*" else f"all://*{host}"] = None
    return mounts


@contextmanager
def _translated(url: str, limits: FetchLimits) -> Iterator[None]:
    """Turns what httpx and httpcore raise into Beacon's errors."""
    try:
        yield
    except (httpx.TimeoutException, httpcore.TimeoutException) as error:
        raise UnavailableError(f"'{url}' did not answer in full within {limits.total_s:g} s. Try again later.", url=url) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpcore.UnsupportedProtocol, UnicodeError) as error:
        raise InputError(f"'{url}' is not an address: {error}. Write it as https://host/path.", url=url) from error
    except (httpx.HTTPError, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, ssl.SSLError, OSError) as error:
        raise UnavailableError(f"'{url}' could not be reached: {error or type(error).__name__}. Try again later.", url=url) from error
