"""Alembic revisions of the record store."""
