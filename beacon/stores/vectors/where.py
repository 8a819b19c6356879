"""Filters over metadata in the form Chroma takes: one field or one operator a level, and no empty lists."""

from collections.abc import Mapping, Sequence

from beacon.errors import InputError
from beacon.stores.vectors.ports import Where

Clause = dict[str, object]
COMPARISONS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")
EVERYTHING: Clause = {}
NOTHING: Clause = {"$or": []}


def build_where(where: Where | None) -> Clause:
    """The clause to send; EVERYTHING or NOTHING where no clause is needed to know. Raises InputError naming what is misshapen."""
    return _all([_clause(name, value) for name, value in (where or {}).items()])


def _clause(name: str, value: object) -> Clause:
    if name in ("$and", "$or"):
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(part, Mapping) for part in value):
            raise InputError(f"The filter '{name}' takes a list of filters, not {value!r}.", where=value)
        parts = [build_where(part) for part in value]
        return _all(parts) if name == "$and" else _any(parts)
    if name.startswith("$"):
        raise InputError(f"There is no filter '{name}': combine with $and or $or.", where=name)
    if isinstance(value, Mapping):
        return _all([_comparison(name, str(operator), operand) for operator, operand in value.items()])
    return _comparison(name, "$eq", value)


def _comparison(name: str, operator: str, operand: object) -> Clause:
    if operator in ("$in", "$nin") and isinstance(operand, (list, tuple, set, frozenset)):
        values = sorted(operand) if isinstance(operand, (set, frozenset)) else list(operand)
        if not values:
            return NOTHING if operator == "$in" else EVERYTHING
        return {name: {operator: values}}
    if operator in COMPARISONS and isinstance(operand, (str, int, float)):
        return {name: {operator: operand}}
    raise InputError(f"The filter on '{name}' cannot be used: {operator} {operand!r}.", where=name)


def _all(parts: list[Clause]) -> Clause:
    if NOTHING in parts:
        return NOTHING
    kept = [part for part in parts if part != EVERYTHING]
    return {"$and": kept} if len(kept) > 1 else kept[0] if kept else EVERYTHING


def _any(parts: list[Clause]) -> Clause:
    if EVERYTHING in parts:
        return EVERYTHING
    kept = [part for part in parts if part != NOTHING]
    return {"$or": kept} if len(kept) > 1 else kept[0] if kept else NOTHING
