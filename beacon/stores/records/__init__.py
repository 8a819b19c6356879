"""The record store: the one truth, on SQLite or PostgreSQL."""
