"""Pages from the web: guarded, limited in size and time, polite to their hosts."""

import os
import ssl
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import quote, quote_plus, urldefrag, urljoin, urlsplit

import httpcore
import httpx

from beacon.domain.clock import Clock, system_clock
from beacon.errors import BeaconError, InputError, NotFoundError, RefusedError, UnavailableError
from beacon.web.body import decoded, is_allowed, is_untold, read_body, sniff, split_content_type, too_big
from beacon.web.guard import AddressGuard, Resolver, system_resolver
from beacon.web.pace import Turns
from beacon.web.robots import MAX_BYTES as MAX_ROBOTS_BYTES
from beacon.web.robots import Robots, read_robots
from beacon.web.transport import Deadline, PinnedBackend, PinnedTransport

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.8,*/*;q=0.5"
_MOVED = frozenset({301, 302, 303, 307, 308})
_BUSY = frozenset({408, 425, 429})
_ROBOTS_S = 3600.0  # how long a robots.txt is remembered


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one fetch may cost."""

    max_bytes: int = 10_000_000  # on the wire, and again unpacked
    total_s: float = 20.0  # all redirects and reads together, without waiting for a turn at the host
    connect_s: float = 5.0
    max_redirects: int = 5
    per_host: int = 2  # connections to one host at a time
    pause_s: float = 0.0  # between the beginnings of two calls to one host
    attempts: int = 1  # at a host that answers "busy" or fails; it is left alone between for as long as it asks
    longest_wait_s: float = 30.0  # a host that asks for more is not waited for
    robots: bool = False  # whether robots.txt is asked and obeyed
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
        self._turns = Turns(self._limits.per_host, self._limits.pause_s)
        self._robots: dict[str, tuple[float, Robots]] = {}
        self._robots_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._tls: ssl.SSLContext | None = None
        self._tls_lock = threading.Lock()

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        """The page at `url`, redirects followed. `etag` and `last_modified` of a held copy let the server answer "not modified".

        Raises RefusedError (address, media type or reader not allowed), NotFoundError (404, 410), InputError (other 4xx, too big,
        not a URL) and UnavailableError (no answer in time, 408, 425, 429, 5xx, no connection).
        """
        wanted = Wanted(url.strip(), etag, last_modified)
        for attempt in range(self._limits.attempts - 1):
            try:
                return self._fetch_once(wanted)
            except UnavailableError as error:
                self._leave_alone(error, attempt)
        return self._fetch_once(wanted)

    def ask(self, url: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None, secret: str = "") -> Fetched:
        """What an interface at `url` answers: a POST where there is a `body`, else a GET. It is not followed elsewhere.

        `secret` is what no error may show. Raises as `fetch` does.
        """
        wanted, deadline = Wanted(url), Deadline(self._limits.total_s)
        try:
            with _translated(url, self._limits), self._client(deadline) as client:
                host = self._guard.check_url(url).hostname or ""
                told = {"Accept": "application/json", **(headers or {})}
                method = "POST" if body else "GET"
                with self._turns.at(host, deadline), client.stream(method, url, headers=told, content=body) as answer:
                    return self._read(wanted, url, answer)
        except BeaconError as error:
            raise _without_secret(error, secret) from None

    def tell(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The status with which `url` took the body of a POST. What it says beside that is not read.

        Raises as `fetch` does, never showing more of the address than its host; `unsent` on an UnavailableError says that nothing
        can have arrived.
        """
        deadline = Deadline(self._limits.total_s)
        try:
            with _translated(url, self._limits), self._client(deadline) as client:
                host = self._guard.check_url(url).hostname or ""
                with self._turns.at(host, deadline), client.stream("POST", url, headers=dict(headers), content=body) as answer:
                    if not answer.is_success:
                        raise _status_error(url, answer)
                    return answer.status_code
        except BeaconError as error:
            raise _without_secret(error, url, shown=f"{_host_of(url) or 'the webhook'}") from None

    def _fetch_once(self, wanted: Wanted) -> Fetched:
        deadline = Deadline(self._limits.total_s)
        with _translated(wanted.url, self._limits), self._client(deadline) as client:
            return self._follow(client, wanted, deadline)

    def _leave_alone(self, error: UnavailableError, attempt: int) -> None:
        """Makes the next attempt wait for as long as the host asks; raises the error where it gave none, or asks for too long."""
        if not isinstance(error.facts.get("status"), int):
            raise error
        wait_s = _retry_after_s(str(error.facts.get("retry_after", "")), self._clock()) or 0.5 * 2.0**attempt
        if wait_s > self._limits.longest_wait_s:
            raise error
        self._turns.leave(_host_of(str(error.facts["url"])), wait_s)

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
            if self._limits.robots:
                self._check_robots(client, here, host, deadline)
            with self._turns.at(host, deadline), client.stream("GET", here, headers=_conditions(wanted)) as answer:
                if answer.status_code not in _MOVED:
                    return self._read(wanted, here, answer)
                here = _next_address(here, answer)
        raise InputError(
            f"'{wanted.url}' was passed on more than {self._limits.max_redirects} times: give the final address.", url=wanted.url
        )

    def _check_robots(self, client: httpx.Client, here: str, host: str, deadline: Deadline) -> None:
        """Raises RefusedError where the host's robots.txt keeps Beacon out."""
        parts = urlsplit(here)
        origin = f"{parts.scheme}://{parts.netloc}".lower()
        with self._robots_locks[origin]:
            asked_at, robots = self._robots.get(origin, (-_ROBOTS_S, Robots()))
            if time.monotonic() - asked_at >= _ROBOTS_S:
                robots = self._ask_robots(client, origin, host, deadline)
                self._robots[origin] = (time.monotonic(), robots)
                self._turns.slow(host, robots.delay_s)
        if not robots.allows(here):
            raise RefusedError(f"'{here}' is not read: its site's robots.txt keeps readers like Beacon out of it.", url=here, robots=True)

    def _ask_robots(self, client: httpx.Client, origin: str, host: str, deadline: Deadline) -> Robots:
        """The host's rules. None there: everything may be read; a server that fails: nothing, for now (RFC 9309, 2.3.1)."""
        url = f"{origin}/robots.txt"
        for _ in range(self._limits.max_redirects + 1):
            self._guard.check_url(url)
            with self._turns.at(host, deadline), client.stream("GET", url) as answer:
                if answer.status_code in _MOVED:
                    url = _next_address(url, answer)
                    continue
                if answer.status_code >= 500 or answer.status_code in _BUSY:
                    raise _status_error(url, answer)
                if not answer.is_success:
                    return Robots()
                pieces = decoded(answer.iter_raw(), answer.headers.get("content-encoding", ""), url)
                data = b"".join(_at_most(pieces, MAX_ROBOTS_BYTES))
                return read_robots(data, self._limits.user_agent.partition("/")[0])
        return Robots()

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


def _at_most(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The first `size` bytes or a little more; the rest is not read."""
    seen = 0
    for chunk in chunks:
        yield chunk
        seen += len(chunk)
        if seen >= size:
            return


def _retry_after_s(told: str, now: datetime) -> float | None:
    """The seconds a Retry-After header asks for, given as a number or a date."""
    if told.strip().isdecimal():
        return float(told)
    try:
        return max((parsedate_to_datetime(told) - now).total_seconds(), 0.0)
    except (ValueError, TypeError, IndexError):
        return None


def _without_secret(error: BeaconError, secret: str, shown: str = "[key]") -> BeaconError:
    """The same error with `shown` where it showed the secret, plain or escaped for an address."""
    hidden = sorted({part for part in (secret, quote(secret, safe=""), quote_plus(secret)) if part})

    def clean(value: object) -> object:
        if isinstance(value, str):
            for part in hidden:
                value = value.replace(part, shown)
        return value

    return type(error)(str(clean(error.message)), **{name: clean(value) for name, value in error.facts.items()})


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
    except (httpx.ConnectError, httpcore.ConnectError, httpx.ConnectTimeout, httpcore.ConnectTimeout) as error:
        told = error if str(error) else "no connection"
        raise UnavailableError(f"'{url}' could not be reached: {told}. Try again later.", url=url, unsent=True) from error
    except (httpx.TimeoutException, httpcore.TimeoutException) as error:
        raise UnavailableError(f"'{url}' did not answer in full within {limits.total_s:g} s. Try again later.", url=url) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpcore.UnsupportedProtocol, UnicodeError) as error:
        raise InputError(f"'{url}' is not an address: {error}. Write it as https://host/path.", url=url) from error
    except (httpx.HTTPError, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, ssl.SSLError, OSError) as error:
        raise UnavailableError(f"'{url}' could not be reached: {error or type(error).__name__}. Try again later.", url=url) from error
