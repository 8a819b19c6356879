"""JSON text to values whose numbers stay as they were written, and values to their scalars."""

import json
from collections.abc import Iterator

from beacon.errors import InputError
from beacon.ingest.text import one_line


class Number(str):
    """A JSON number exactly as it was written."""

    __slots__ = ()


def load_json(raw: str, name: str, row: int | None = None) -> object:
    """The value a JSON text holds. Raises InputError with line and column; `row` is the line a JSON Lines value stands in."""
    try:
        return json.loads(raw, parse_float=Number, parse_int=Number, parse_constant=Number)
    except json.JSONDecodeError as error:
        place = f"line {row or error.lineno}, column {error.colno}"
        raise InputError(f"'{name}' is not valid JSON: {error.msg} in {place}.", file=name, row=row or error.lineno) from None
    except RecursionError:
        raise InputError(f"'{name}' nests its JSON too deeply to be read: flatten it.", file=name, row=row) from None


def leaves(value: object) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each scalar under `value` with its path, in the order written; list places count from 0."""
    open_values: list[tuple[tuple[str, ...], object]] = [((), value)]
    while open_values:
        path, here = open_values.pop()
        if isinstance(here, dict):
            open_values.extend(((*path, one_line(str(key))), inner) for key, inner in reversed(here.items()))
        elif isinstance(here, list):
            open_values.extend(((*path, str(at)), here[at]) for at in reversed(range(len(here))))
        else:
            yield path, scalar_text(here)


def scalar_text(value: object) -> str:
    """A JSON scalar as JSON writes it, texts without their quotes."""
    return str(value) if isinstance(value, str) else json.dumps(value)


def flat_cells(record: dict[str, object]) -> dict[str, str]:
    """One text for each column: lists of scalars joined by `; `, nested objects under dotted names, null as nothing."""
    cells: dict[str, str] = {}
    for key, value in record.items():
        if isinstance(value, list) and not any(isinstance(inner, dict | list) for inner in value):
            cells[one_line(key)] = "; ".join(scalar_text(inner) for inner in value if inner is not None)
        else:
            for path, leaf in leaves(value):
                cells[".".join((one_line(key), *path))] = "" if leaf == "null" and not isinstance(value, str) else leaf
    return cells
