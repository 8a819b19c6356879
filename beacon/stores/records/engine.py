"""Engines on the record store: SQLite with one writer at a time, or PostgreSQL.

On SQLite the pool has no limit, and must not have one: the holder of the write lock may ask for a second connection
(the durable engine checks that it still owns its step), so a pool emptied by threads that wait for that lock deadlocks.
"""

import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

BUSY_TIMEOUT_MS = 30_000
PRAGMAS = (f"busy_timeout={BUSY_TIMEOUT_MS}", "synchronous=FULL", "foreign_keys=ON")
_SWITCH_PAUSE_S = 0.02  # between tries to turn a new file to WAL while another process does the same


def sqlite_library() -> Any:
    """The SQLite module to use: pysqlite3 carries a SQLite without the WAL-reset fault that the standard library's may have."""
    try:
        import pysqlite3 as library
    except ImportError:
        import sqlite3 as library
    return library


def _sqlite_engine(url: str, isolation: str | None) -> sa.Engine:
    engine = sa.create_engine(url, module=sqlite_library(), pool_size=0)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = isolation
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        _write_ahead(connection)

    return engine


def _write_ahead(connection: Any) -> None:
    """Turn the file to WAL. Two that do so at once do not wait for each other by themselves: SQLite refuses one at once."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite_library().OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(_SWITCH_PAUSE_S)


def open_engine(url: str) -> sa.Engine:
    """The application's engine. On SQLite a transaction takes the write lock at its start unless opened by `reader`."""
    if not url.startswith("sqlite"):
        return sa.create_engine(url, pool_pre_ping=True, pool_size=20, max_overflow=20)
    engine = _sqlite_engine(url, None)

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        options = connection.get_execution_options()
        serializable = options.get("isolation_level") == "SERIALIZABLE"
        connection.exec_driver_sql("BEGIN " + ("IMMEDIATE" if serializable else options.get("sqlite_begin", "IMMEDIATE")))

    return engine


def reader(engine: sa.Engine) -> sa.Engine:
    """The same pool with transactions that never wait for a writer."""
    return engine.execution_options(sqlite_begin="DEFERRED")


def durable_engine(url: str) -> sa.Engine | None:
    """The engine the durable runs use on SQLite: their library issues BEGIN itself. None on PostgreSQL, where it makes its own."""
    return _sqlite_engine(url, "IMMEDIATE") if url.startswith("sqlite") else None
