"""Executor slots: each held by one living process, so that nobody takes a running worker's work for abandoned."""

import threading
import zlib
from typing import TYPE_CHECKING, Any

from beacon.processes import Lock, hold_lock
from beacon.runs.durable import engine_url
from beacon.settings import Settings

if TYPE_CHECKING:
    import psycopg

LOCK_CLASS = 7301  # advisory locks of executor slots on PostgreSQL
POSTGRES_SLOTS = 64
WAIT_S = 0.3


def _number(slot: str) -> int:
    return zlib.crc32(slot.encode()) - 2**31


def _connect(url: str) -> "psycopg.Connection[Any]":
    import psycopg

    return psycopg.connect(url, autocommit=True, keepalives_idle=5, keepalives_interval=2, keepalives_count=3)


class Slots:
    """File locks beside a SQLite store, which has one executor; advisory locks on PostgreSQL, which has many."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.home / "slots"
        self._postgres: psycopg.Connection[Any] | None = None
        self._held: dict[str, Lock | None] = {}
        if not settings.is_sqlite:
            self._postgres = _connect(engine_url(settings.records_url))

    @property
    def names(self) -> list[str]:
        """The slots of this store, in the order they are tried."""
        return [f"w{n}" for n in range(1, POSTGRES_SLOTS + 1 if self._postgres else 2)]

    def take(self, slot: str) -> bool:
        """Whether the slot is now held by this process and was not before."""
        if slot in self._held:
            return False
        if self._postgres:
            row = self._postgres.execute("SELECT pg_try_advisory_lock(%s, %s)", (LOCK_CLASS, _number(slot))).fetchone()
            if row and row[0]:
                self._held[slot] = None
        elif lock := hold_lock(self._folder / f"{slot}.lock"):
            self._held[slot] = lock
        return slot in self._held

    def free(self, slot: str) -> None:
        """Let another process have the slot."""
        lock = self._held.pop(slot)
        if lock:
            lock.release()
        if self._postgres:
            self._postgres.execute("SELECT pg_advisory_unlock(%s, %s)", (LOCK_CLASS, _number(slot)))

    def alive(self) -> bool:
        """Whether what is held is still held: on PostgreSQL the locks live as long as their connection."""
        if self._postgres is None:
            return True
        import psycopg

        try:
            return self._postgres.execute("SELECT 1").fetchone() == (1,)
        except psycopg.Error:
            return False

    def find_free(self) -> str | None:
        """A slot taken now, or None when all are held."""
        return next((name for name in self.names if self.take(name)), None)

    def wait_free(self, stop: threading.Event) -> str | None:
        """A slot, however long it takes; None once `stop` is set."""
        while not stop.is_set():
            if slot := self.find_free():
                return slot
            stop.wait(WAIT_S)
        return None

    def close(self) -> None:
        """Free every slot."""
        for slot in list(self._held):
            self.free(slot)
        if self._postgres:
            self._postgres.close()
