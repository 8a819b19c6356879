"""Whose turn it is at a host: so many connections at a time, a pause between two, and no call while it asked to be left alone."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from beacon.web.transport import Deadline


class Turns:
    """At most `size` holders a host; waiting for a turn does not use up the fetch's time."""

    def __init__(
        self, size: int, pause_s: float = 0.0, *, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._lock = threading.Lock()
        self._gates: dict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(max(1, size)))
        self._pause_s = pause_s
        self._pauses: dict[str, float] = {}
        self._next: dict[str, float] = {}  # when a host may be called again
        self._now, self._sleep = now, sleep

    @contextmanager
    def at(self, host: str, deadline: Deadline) -> Iterator[None]:
        """A turn at the host."""
        with self._lock:
            gate = self._gates[host.lower()]
        asked = self._now()
        with gate:
            self._sleep_until(self._take_slot(host.lower()))
            deadline.extend(self._now() - asked)
            yield

    def slow(self, host: str, pause_s: float) -> None:
        """The host wants at least this pause between two calls."""
        with self._lock:
            self._pauses[host.lower()] = max(pause_s, self._pauses.get(host.lower(), 0.0))

    def leave(self, host: str, seconds: float) -> None:
        """Nobody calls the host for so long."""
        with self._lock:
            self._next[host.lower()] = max(self._next.get(host.lower(), 0.0), self._now() + seconds)

    def _take_slot(self, host: str) -> float:
        """When the caller may begin; the next one may a pause later."""
        with self._lock:
            begins = max(self._now(), self._next.get(host, 0.0))
            self._next[host] = begins + max(self._pause_s, self._pauses.get(host, 0.0))
            return begins

    def _sleep_until(self, moment: float) -> None:
        if (wait := moment - self._now()) > 0:
            self._sleep(wait)
