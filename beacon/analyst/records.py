"""Where records of two versions differ: the values, and what only one side has."""

from dataclasses import dataclass
from typing import Literal

from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import fold
from beacon.domain.change import Statement

KNOWN = 0.5  # share of the shorter list whose identities must come again, or they identify nothing
_NOTHING = frozenset({"", "-", "–", "—", "n/a", "na", "none", "null", "tbd", "tba", "?", "./."})


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a record, and the statement it stands in."""

    name: str
    value: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a collection a difference is: `group` is one for all differences of a record, `title` what a reader calls it."""

    group: str
    title: str


@dataclass(frozen=True, slots=True)
class Differing:
    """Values of one record that differ: pairs of cells under one name. A row is one statement, so it carries all its cells."""

    place: Place
    cells: tuple[tuple[Cell, Cell], ...]
    everywhere: str = ""  # for a column that differs in most rows: "190 of 200 rows"
    leads: bool = True  # the first of those rows


@dataclass(frozen=True, slots=True)
class OneSided:
    """A record, value or column that only one side has; `statement` quotes it."""

    place: Place
    name: str
    side: Literal["old", "new"]
    statement: Statement
    what: Literal["record", "value", "column"]
    rest: tuple[Statement, ...] = ()  # what belongs to it beyond the quote


Difference = Differing | OneSided


def value_key(value: str) -> str:
    """The form in which two values are one; empty for the marks of a value that is not there."""
    key = statement_key(value)
    return "" if key in _NOTHING or fold(value).strip() in _NOTHING else key
