"""Bringing the tables up to date."""

import sqlalchemy as sa

from beacon.errors import StorageError
from beacon.stores.records.engine import reader
from beacon.stores.records.tables import OWN_TABLES

HEAD = "0006"
MIGRATION_LOCK = 7300  # advisory lock held on PostgreSQL while one process migrates


def current_revision(engine: sa.Engine) -> str | None:
    """The revision the tables are at, or None before the first migration."""
    with reader(engine).connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        return revision


def migrate(engine: sa.Engine) -> None:
    """Upgrade to HEAD. Alembic is imported only when there is something to do."""
    found = current_revision(engine)
    if found == HEAD:
        return
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", "beacon.stores.records:migrations")
    script = ScriptDirectory.from_config(config)
    if found is not None and found not in {known.revision for known in script.walk_revisions()}:
        raise StorageError(
            f"The tables are at revision {found}, this Beacon knows none after {HEAD}: install the newer Beacon that made them."
        )
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        with EnvironmentContext(config, script, fn=lambda rev, _context: script._upgrade_revs("head", rev)) as context:
            context.configure(connection=connection, include_name=own_name, transactional_ddl=True)
            context.run_migrations()


def own_name(name: str | None, kind: str, _parents: object) -> bool:
    """Whether a table is Beacon's: the durable engine keeps its own beside them."""
    return kind != "table" or name in OWN_TABLES
