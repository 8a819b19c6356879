"""The record store: one truth, opened for reading or for writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, OperationalError

from beacon.errors import StorageError, UnavailableError
from beacon.stores.records import schema
from beacon.stores.records.chats import Chats
from beacon.stores.records.engine import open_engine, reader
from beacon.stores.records.entities import Entities
from beacon.stores.records.events import Events
from beacon.stores.records.facts import Facts
from beacon.stores.records.insights import Insights
from beacon.stores.records.memories import Memories
from beacon.stores.records.notices import Notices
from beacon.stores.records.outbox import Outbox
from beacon.stores.records.postings import Postings
from beacon.stores.records.projects import Projects
from beacon.stores.records.runs import Runs
from beacon.stores.records.sources import Sources
from beacon.stores.records.spend import Spend
from beacon.stores.records.topics import Topics


class Tx:
    """One transaction, seen as the nouns it can read and write."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection

    @cached_property
    def projects(self) -> Projects:
        """Workspaces, users, named values."""
        return Projects(self.connection)

    @cached_property
    def topics(self) -> Topics:
        """Topics and their memory."""
        return Topics(self.connection)

    @cached_property
    def sources(self) -> Sources:
        """Sources, versions, chunks."""
        return Sources(self.connection)

    @cached_property
    def events(self) -> Events:
        """The event log."""
        return Events(self.connection)

    @cached_property
    def memories(self) -> Memories:
        """Memories, profiles, changesets."""
        return Memories(self.connection)

    @cached_property
    def facts(self) -> Facts:
        """Claims, and contradictions between them."""
        return Facts(self.connection)

    @cached_property
    def runs(self) -> Runs:
        """Runs, drafts, gates, changes, schedules."""
        return Runs(self.connection)

    @cached_property
    def chats(self) -> Chats:
        """Conversations, summaries."""
        return Chats(self.connection)

    @cached_property
    def insights(self) -> Insights:
        """Syntheses, themes, opportunities, decisions."""
        return Insights(self.connection)

    @cached_property
    def entities(self) -> Entities:
        """Entities, mentions, relations."""
        return Entities(self.connection)

    @cached_property
    def postings(self) -> Postings:
        """What search reads in bulk."""
        return Postings(self.connection)

    @cached_property
    def notices(self) -> Notices:
        """What was told, or is to be."""
        return Notices(self.connection)

    @cached_property
    def spend(self) -> Spend:
        """What models cost."""
        return Spend(self.connection)

    @cached_property
    def outbox(self) -> Outbox:
        """Work for the projections."""
        return Outbox(self.connection)


class Records:
    """The record store on SQLite or PostgreSQL."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = open_engine(url)
        self._reader = reader(self.engine)

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A transaction that only reads and never waits for a writer."""
        with _translated(self.url), self._reader.connect() as connection:
            yield Tx(connection)

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """A transaction that is committed when the block ends and rolled back when it raises. Keep it short: there is one writer."""
        with _translated(self.url), self.engine.begin() as connection:
            yield Tx(connection)

    def migrate(self) -> None:
        """Bring the tables up to date; safe when several processes start at once."""
        with _translated(self.url):
            schema.migrate(self.engine)

    def backup_to(self, path: Path) -> None:
        """Write a consistent copy of a SQLite store. Raises StorageError on PostgreSQL, which has its own tools."""
        if self.engine.dialect.name != "sqlite":
            raise StorageError("The records are on PostgreSQL: back them up with pg_dump, and the data folder beside it.")
        raw = self.engine.raw_connection()
        try:
            raw.cursor().execute("VACUUM INTO ?", (str(path),))
        finally:
            raw.close()

    def compact(self) -> None:
        """Leave nothing of deleted rows in the store's files."""
        if self.engine.dialect.name != "sqlite":
            with _translated(self.url), self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql("VACUUM")
            return
        raw = self.engine.raw_connection()
        try:
            cursor = raw.cursor()
            cursor.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('rebuild')")
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            raw.close()

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


@contextmanager
def _translated(url: str) -> Iterator[None]:
    where = sa.make_url(url).render_as_string(hide_password=True)
    try:
        yield
    except OperationalError as error:
        reason = str(error.orig)
        if "locked" in reason or "connection" in reason.lower() or "timeout" in reason.lower():
            raise UnavailableError(f"The record store {where} does not answer: {reason.strip()}.") from error
        raise StorageError(
            f"The record store {where} cannot be used: {reason.strip()}. Check the disk's space and the folder's rights."
        ) from error
    except DatabaseError as error:
        if "malformed" in str(error.orig) or "not a database" in str(error.orig):
            raise StorageError(f"The record store {where} is damaged: restore a backup with `beacon restore`.") from error
        raise
