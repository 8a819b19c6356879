"""Chroma's HTTP API, version 2, over kept-alive connections of the standard library.

The chromadb package would do the same at 60 MB of memory and 0.8 s of import in every process.
"""

import http.client
import json
import threading
import time
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from beacon.errors import ConflictError, InputError, NotFoundError, RefusedError, UnavailableError

TIMEOUT_S = 60.0
MESSAGE_LENGTH = 300
# Between tries after a failure inside the server: reading a collection fails there while its first rows are being indexed.
PAUSES_S = (0.05, 0.15, 0.4, 1.0)


class _TryAgain(Exception):
    """The server failed within itself."""


class Endpoint(Protocol):
    """Where a server is. `str()` of it names it to a reader."""

    def url(self) -> str:
        """The address to use now; asked again after every connection error. Raises UnavailableError."""
        ...

    def compact(self) -> bool:
        """Whether the server's files were rewritten without what was deleted; False where they are out of reach."""
        ...

    def close(self) -> None:
        """Lets go of the server."""
        ...


class FixedUrl:
    """A server that somebody else runs."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"The Chroma address '{parts.hostname or url}' is no http:// or https:// address: correct the setting chroma_url."
            )
        if parts.username or parts.password:
            raise InputError(f"The Chroma address of {parts.hostname} holds a password: give it as the setting chroma_token.")
        self._url = url.rstrip("/")

    def __str__(self) -> str:
        return f"the Chroma server at {self._url}"

    def url(self) -> str:
        return self._url

    def compact(self) -> bool:
        return False

    def close(self) -> None:
        pass


class ChromaApi:
    """Calls to one server. Safe to share between threads: each call takes a connection of its own from the idle ones."""

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str] | None = None, timeout_s: float = TIMEOUT_S) -> None:
        self.endpoint = endpoint
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **(headers or {})}
        self._timeout_s = timeout_s
        self._mutex = threading.Lock()
        self._url = ""
        self._idle: list[http.client.HTTPConnection] = []

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The reply's JSON. A connection error is tried once more at the address the endpoint then gives: every call here may be repeated.

        Raises UnavailableError, NotFoundError, ConflictError, RefusedError or InputError, as the server answers.
        """
        data = None if body is None else encode(body)
        for pause_s in PAUSES_S:
            try:
                return self._reach(method, path, data)
            except _TryAgain:
                time.sleep(pause_s)
        try:
            return self._reach(method, path, data)
        except _TryAgain as failure:
            raise self._unavailable(str(failure)) from failure

    def _reach(self, method: str, path: str, data: bytes | None) -> Any:
        try:
            return self._send(method, path, data)
        except TimeoutError as error:
            raise self._unavailable(f"gave no answer within {self._timeout_s:.0f} s") from error
        except (OSError, http.client.HTTPException):
            self.disconnect()
        try:
            return self._send(method, path, data)
        except (OSError, http.client.HTTPException) as error:
            failure = self._unavailable(f"does not answer ({error or type(error).__name__})")
            self.disconnect()
            raise failure from error

    def disconnect(self) -> None:
        """Forgets the address and closes the idle connections."""
        with self._mutex:
            idle, self._idle, self._url = self._idle, [], ""
        for connection in idle:
            connection.close()

    def _send(self, method: str, path: str, data: bytes | None) -> Any:
        url, connection = self._take()
        try:
            connection.request(method, f"{urlsplit(url).path}/api/v2{path}", data, self._headers)
            reply = connection.getresponse()
            raw = reply.read()
        except BaseException:
            connection.close()
            raise
        self._give_back(url, connection)
        if not 200 <= reply.status < 300:
            raise self._refusal(reply.status, raw)
        try:
            return json.loads(raw or b"null")
        except ValueError as error:
            raise self._unavailable("answers, but not as Chroma does: check the setting chroma_url") from error

    def _take(self) -> tuple[str, http.client.HTTPConnection]:
        with self._mutex:
            url, connection = self._url, self._idle.pop() if self._idle else None
        if connection:
            return url, connection
        if not url:
            url = self.endpoint.url()
            with self._mutex:
                self._url = url
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return url, kind(parts.hostname or "", parts.port, timeout=self._timeout_s)

    def _give_back(self, url: str, connection: http.client.HTTPConnection) -> None:
        with self._mutex:
            if url == self._url:
                self._idle.append(connection)
                return
        connection.close()

    def _refusal(self, status: int, raw: bytes) -> Exception:
        text = _message(raw)
        if status == 404:
            return NotFoundError(f"Chroma has no such thing: {text}", status=status)
        if status == 409:
            return ConflictError(f"Chroma has it already: {text}", status=status)
        if status in (401, 403):
            return RefusedError(f"{self._name()} refuses the token: check the setting chroma_token.", status=status)
        if status < 500 and status != 429:
            return InputError(f"Chroma cannot use what it was given: {text}", status=status)
        advice = "; if it stays so, run `beacon rebuild`" if status == 500 else ""
        return _TryAgain(f"failed with status {status}: {text}{advice}")

    def _unavailable(self, what: str) -> UnavailableError:
        at = f" at {self._url}" if self._url and self._url not in str(self.endpoint) else ""
        message = f"{self._name()}{at} {what}. Dense search is off until it answers; nothing is lost, what waits is written then."
        return UnavailableError(message, url=self._url)

    def _name(self) -> str:
        name = str(self.endpoint)
        return name[:1].upper() + name[1:]


def encode(body: object) -> bytes:
    """JSON as bytes. Raises InputError for a number JSON does not have."""
    try:
        return json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
    except ValueError as error:
        raise InputError(f"A vector index takes no infinite and no missing numbers: {error}.") from None


def _message(raw: bytes) -> str:
    try:
        text = str(json.loads(raw)["message"])
    except (ValueError, KeyError, TypeError):
        text = raw.decode("utf-8", "replace").strip() or "no reason given"
    return text[:MESSAGE_LENGTH]
