"""An httpx transport that connects only to addresses the guard has just checked, within a time budget."""

import threading
import time
from collections.abc import Iterable, Iterator

import httpcore
import httpx

from beacon.errors import BeaconError, UnavailableError
from beacon.web.guard import AddressGuard

SocketOptions = Iterable[httpcore.SOCKET_OPTION] | None


class Deadline:
    """The seconds one fetch may still take, over all its redirects and reads."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def extend(self, seconds: float) -> None:
        """Gives back time that was spent waiting for a turn."""
        self._ends += seconds

    def cap(self, timeout: float | None) -> float:
        """The smaller of `timeout` and what is left. Raises httpcore.ReadTimeout when nothing is."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("out of time")
        return left if timeout is None else min(left, timeout)


class PinnedBackend(httpcore.NetworkBackend):
    """Resolves, checks and dials in one place: the address checked is the address connected to, so a name cannot change between."""

    def __init__(self, guard: AddressGuard, deadline: Deadline, dialer: httpcore.NetworkBackend) -> None:
        self._guard = guard
        self._deadline = deadline
        self._dialer = dialer

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions = None,
    ) -> httpcore.NetworkStream:
        addresses = _within(self._guard, host, port, self._deadline.cap(timeout))
        failure: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in addresses:
            try:
                stream = self._dialer.connect_tcp(address, port, self._deadline.cap(timeout), local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = failure or error
            else:
                return DeadlineStream(stream, self._deadline)
        raise failure or httpcore.ConnectError(f"{host} has no address")

    def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: SocketOptions = None) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("unix sockets are not fetched from")


class DeadlineStream(httpcore.NetworkStream):
    """A stream whose every wait ends with the fetch's deadline: a timeout per read alone lets a dripping server hold on for ever."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.cap(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.cap(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, ssl_context: object, server_hostname: str | None = None, timeout: float | None = None) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.cap(timeout))  # type: ignore[arg-type]
        return DeadlineStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class PinnedTransport(httpx.BaseTransport):
    """HTTP/1.1 over a PinnedBackend. SNI, the certificate's name and the Host header stay those of the URL."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        target = httpcore.URL(scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path)
        answer = self._pool.handle_request(
            httpcore.Request(request.method, target, headers=request.headers.raw, content=request.stream, extensions=request.extensions)
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._answer.stream, Iterable)
        yield from self._answer.stream

    def close(self) -> None:
        self._answer.close()


def _within(guard: AddressGuard, host: str, port: int, seconds: float) -> list[str]:
    """The guard's addresses, or httpcore.ConnectTimeout: the system's resolver has no time limit of its own."""
    found: list[str] = []
    failed: list[BeaconError] = []

    def ask() -> None:
        try:
            found.extend(guard.addresses(host, port))
        except BeaconError as error:
            failed.append(error)

    asking = threading.Thread(target=ask, name="beacon-resolve", daemon=True)
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        raise httpcore.ConnectTimeout(f"the name {host} was not found in time")
    if failed:
        raise failed[0]
    if not found:
        raise UnavailableError(f"'{host}' could not be found by name. Try again later.", host=host)
    return found
