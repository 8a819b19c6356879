"""What any process may tell the durable engine: start a workflow, ask how one is. No workflow code here.

The engine (DBOS) keeps its own tables beside the records. It decides when a step runs and how often it is tried; what a step did
is decided by the checkpoints of `beacon.runs.steps`. Only ids pass through the engine's tables, never text.
"""

import logging
import threading
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from beacon.stores.records.engine import durable_engine

if TYPE_CHECKING:
    from dbos import DBOSClient

    from beacon.stores.records.store import Records

NAME = "beacon"
VERSION = "beacon-1"  # raised only when recorded steps can no longer be continued by the code
RUNS, SECTIONS = "runs", "sections"
LIVE = ("ENQUEUED", "PENDING", "DELAYED")
NOTICE_S = 0.2  # how often the engine looks for messages

_lock = threading.Lock()
_clients: "dict[str, DBOSClient]" = {}


def engine_url(records_url: str) -> str:
    """The record store's URL as the engine takes it."""
    return records_url.replace("postgresql+psycopg://", "postgresql://", 1)


class _CutOff(logging.Filter):
    """Keeps back the traces of steps that were still under way when this process stopped executing: the next executor does them."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return "before DBOS was launched" not in str(error)


_cut_off = _CutOff()


def quiet() -> None:
    """The engine logs warnings only, and no trace of what was cancelled on purpose."""
    logging.getLogger("dbos").setLevel(logging.WARNING)
    logging.getLogger("dbos").addFilter(_cut_off)  # the same one twice is one
    logging.getLogger("apscheduler").setLevel(logging.WARNING)


def client_of(records: "Records") -> "DBOSClient":
    """The process's client on this record store.

    Get it before a write transaction begins: its first use migrates on a connection of its own, which would wait for that transaction.
    """
    with _lock:  # two threads at once must not make two
        if records.url not in _clients:
            _clients[records.url] = _make_client(records.url)
        return _clients[records.url]


def _make_client(url: str) -> "DBOSClient":
    from dbos import DBOSClient, DBOSPortableJSONSerializer

    quiet()
    client = DBOSClient(
        system_database_url=engine_url(url),
        system_database_engine=durable_engine(url),
        application_name=NAME,
        serializer=DBOSPortableJSONSerializer(),
    )
    client._sys_db.run_migrations()  # not DBOS.migrate(url): it opens the file with a second SQLite library
    return client


def enqueue(client: "DBOSClient", connection: sa.Connection, workflow: str, workflow_id: str, *args: object) -> None:
    """Queue a workflow in the caller's transaction; an id that was queued before is left as it is."""
    options: Any = {"workflow_name": workflow, "queue_name": RUNS, "workflow_id": workflow_id, "app_version": VERSION}
    client.enqueue_in_transaction(connection, options, *args)


def table(connection: sa.Connection) -> str:
    """The engine's table of workflows."""
    return "workflow_status" if connection.dialect.name == "sqlite" else "dbos.workflow_status"


def status_of(connection: sa.Connection, workflow_id: str) -> str:
    """ENQUEUED, PENDING, SUCCESS, ERROR, …; empty when there is no such workflow."""
    query = sa.text(f"SELECT status FROM {table(connection)} WHERE workflow_uuid = :id")
    return str(connection.scalar(query, {"id": workflow_id}) or "")


def attempts(connection: sa.Connection, prefix: str) -> int:
    """How many workflows have an id of the form `prefix.N`."""
    query = sa.text(f"SELECT workflow_uuid FROM {table(connection)} WHERE workflow_uuid LIKE :like")
    tails = [str(row[0]).removeprefix(prefix + ".") for row in connection.execute(query, {"like": prefix + ".%"})]
    return max((int(tail) for tail in tails if tail.isdigit()), default=0)


def executors_with_work(connection: sa.Connection) -> list[str]:
    """The ids of the executors that have unfinished workflows."""
    query = sa.text(f"SELECT DISTINCT executor_id FROM {table(connection)} WHERE status = 'PENDING' AND executor_id IS NOT NULL")
    return sorted(str(row[0]) for row in connection.execute(query))
