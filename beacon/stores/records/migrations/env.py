"""Alembic's entry: Beacon configures the context itself, in `schema.migrate`."""
