"""What every record file needs: rows as values, and inserts that may meet an existing row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")
COUNTED = {"preserve_rowcount": True}  # without it PostgreSQL's driver forgets how many rows an insert of several brought
DIRECT_BATCH = 5000  # rows handed to SQLite's driver at once
PARAMETER_BATCH = 500  # rows a statement; SQLite allows 32,766 parameters


_NAMES: dict[type[Any], tuple[str, ...]] = {}


def _names(kind: type[Any]) -> tuple[str, ...]:
    if kind not in _NAMES:
        _NAMES[kind] = tuple(f.name for f in fields(kind))
    return _NAMES[kind]


def as_value(kind: type[T], row: Mapping[str, Any]) -> T:
    """The row as a dataclass whose fields carry the column names."""
    return kind(**{name: row[name] for name in _names(kind) if name in row})


class Noun:
    """Base of the record classes: bound to one connection, so that what is done together is committed together."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite (full text and a few statements differ)."""
        return self.connection.dialect.name == "sqlite"

    def one(self, kind: type[T], query: sa.Select[Any]) -> T | None:
        """The first row as a value, or None."""
        row = self.connection.execute(query).mappings().first()
        return None if row is None else as_value(kind, dict(row))

    def many(self, kind: type[T], query: sa.Select[Any]) -> list[T]:
        """All rows as values."""
        return [as_value(kind, dict(row)) for row in self.connection.execute(query).mappings()]

    def insert_new(self, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> int:
        """Insert the rows that are not there yet; how many were inserted."""
        listed = list(rows)
        if self.is_sqlite and listed and (direct := _direct_insert(table, tuple(listed[0]))):
            return self._insert_directly(direct, listed)
        statement = _insert(table, self.connection.dialect.name)
        done = 0
        for batch in batches(listed, PARAMETER_BATCH):
            done += self.connection.execute(statement, list(batch), execution_options=COUNTED).rowcount
        return done

    def _insert_directly(self, insert: "_DirectInsert", rows: Sequence[Mapping[str, Any]]) -> int:
        done = 0
        for batch in batches(rows, DIRECT_BATCH):
            values = insert.values(batch, self.connection.dialect)
            done += self.connection.exec_driver_sql(insert.statement, values, execution_options=COUNTED).rowcount
        return done

    def put(self, table: sa.Table, row: Mapping[str, Any], key: Sequence[str]) -> None:
        """Insert the row, or replace the columns it names where one with this key stands."""
        self.put_many(table, [row], key)

    def put_many(self, table: sa.Table, rows: Sequence[Mapping[str, Any]], key: Sequence[str]) -> None:
        """`put` for rows that name the same columns."""
        if not rows:
            return
        statement = _upsert(table, tuple(rows[0]), tuple(key), self.connection.dialect.name)
        for batch in batches(rows, PARAMETER_BATCH):
            self.connection.execute(statement, list(batch))


@dataclass(frozen=True, slots=True)
class _DirectInsert:
    """An insert as SQLite's driver takes it: SQLAlchemy spends more time on each row of thousands than SQLite does."""

    statement: str
    names: tuple[str, ...]
    types: tuple[sa.types.TypeEngine[Any], ...]
    defaults: tuple[Any, ...]

    def values(self, rows: Sequence[Mapping[str, Any]], dialect: sa.Dialect) -> list[tuple[Any, ...]]:
        """The rows as tuples in the order of the statement, each value as its column stores it."""
        columns = [[row[name] for row in rows] for name in self.names]
        for at, kind in enumerate(self.types):
            if stored := kind.dialect_impl(dialect).bind_processor(dialect):
                columns[at] = [stored(value) for value in columns[at]]
        return list(zip(*columns, *([value] * len(rows) for value in self.defaults), strict=True))


@cache
def _direct_insert(table: sa.Table, given: tuple[str, ...]) -> _DirectInsert | None:
    """How to insert rows of these columns, or None where a column left out has a default that only SQLAlchemy knows."""
    names = [name for name in given if name in table.c]
    missing = [column for column in table.c if column.name not in names and column.default is not None]
    if len(names) < len(given) or not all(column.default and column.default.is_scalar for column in missing):
        return None
    columns = ", ".join(f'"{name}"' for name in (*names, *(column.name for column in missing)))
    holders = ", ".join("?" * (len(names) + len(missing)))
    return _DirectInsert(
        f'INSERT INTO "{table.name}" ({columns}) VALUES ({holders}) ON CONFLICT DO NOTHING',
        tuple(names),
        tuple(table.c[name].type for name in names),
        tuple(column.default.arg for column in missing),  # type: ignore[union-attr]
    )


@cache
def _insert(table: sa.Table, dialect: str) -> Any:
    return (sqlite if dialect == "sqlite" else postgresql).insert(table).on_conflict_do_nothing()


@cache
def _upsert(table: sa.Table, names: tuple[str, ...], key: tuple[str, ...], dialect: str) -> Any:
    statement = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    updates = {name: statement.excluded[name] for name in names if name not in key}
    if not updates:
        return statement.on_conflict_do_nothing(index_elements=list(key))
    return statement.on_conflict_do_update(index_elements=list(key), set_=updates)


def as_row(value: Any) -> dict[str, Any]:
    """The dataclass as a row: its fields by name, not copied deeply."""
    return {name: getattr(value, name) for name in _names(type(value))}


def batches(rows: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    """The rows in runs of at most `size`."""
    for at in range(0, len(rows), size):
        yield rows[at : at + size]
