"""Bringing the tables up to date, and what tables alone cannot say: full text and the append-only log."""

import sqlalchemy as sa

from beacon.errors import StorageError
from beacon.stores.records.sources import FTS_COLUMNS, POSTGRES_DOCUMENT
from beacon.stores.records.tables import APPEND_ONLY, OWN_TABLES

HEAD = "0001"
MIGRATION_LOCK = 7300  # advisory lock held on PostgreSQL while one process migrates


def current_revision(engine: sa.Engine) -> str | None:
    """The revision the tables are at, or None before the first migration."""
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        return revision


def migrate(engine: sa.Engine) -> None:
    """Upgrade to HEAD. Alembic is imported only when there is something to do."""
    if current_revision(engine) == HEAD:
        return
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", "beacon.stores.records:migrations")
    script = ScriptDirectory.from_config(config)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        with EnvironmentContext(config, script, fn=lambda rev, _context: script._upgrade_revs("head", rev)) as context:
            context.configure(connection=connection, include_name=own_name, transactional_ddl=True)
            context.run_migrations()
    if (found := current_revision(engine)) != HEAD:
        raise StorageError(f"The tables are at revision {found}, this Beacon needs {HEAD}: install the newer Beacon that made them.")


def own_name(name: str | None, kind: str, _parents: object) -> bool:
    """Whether a table is Beacon's: the durable engine keeps its own beside them."""
    return kind != "table" or name in OWN_TABLES


def create_extras(connection: sa.Connection) -> None:
    """Full-text index over chunks and the triggers that keep the event log append-only."""
    if connection.dialect.name == "sqlite":
        _sqlite_extras(connection)
    else:
        _postgres_extras(connection)


def _sqlite_extras(connection: sa.Connection) -> None:
    columns = ", ".join(FTS_COLUMNS)
    new, old = (", ".join(f"{which}.{name}" for name in FTS_COLUMNS) for which in ("new", "old"))
    run = connection.exec_driver_sql
    gone = f"INSERT INTO chunk_fts(chunk_fts, rowid, {columns}) VALUES ('delete', old.no, {old});"
    come = f"INSERT INTO chunk_fts(rowid, {columns}) VALUES (new.no, {new});"
    options = "content='chunk', content_rowid='no', tokenize='porter unicode61 remove_diacritics 2'"
    run(f"CREATE VIRTUAL TABLE chunk_fts USING fts5({columns}, {options})")
    run(f"CREATE TRIGGER chunk_fts_insert AFTER INSERT ON chunk BEGIN {come} END")
    run(f"CREATE TRIGGER chunk_fts_delete AFTER DELETE ON chunk BEGIN {gone} END")
    run(f"CREATE TRIGGER chunk_fts_update AFTER UPDATE OF {columns} ON chunk BEGIN {gone} {come} END")
    for table in APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            run(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                "WHEN NOT EXISTS (SELECT 1 FROM setting WHERE name = 'erasing') BEGIN SELECT RAISE(ABORT, 'events are append-only'); END"
            )


def _postgres_extras(connection: sa.Connection) -> None:
    run = connection.exec_driver_sql
    run(f"CREATE INDEX ix_chunk_fts ON chunk USING gin (({POSTGRES_DOCUMENT}))")
    run(
        "CREATE FUNCTION beacon_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT 1 FROM setting WHERE name = 'erasing') THEN RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END IF; "
        "RAISE EXCEPTION 'events are append-only'; END $$"
    )
    for table in APPEND_ONLY:
        run(f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION beacon_append_only()")
