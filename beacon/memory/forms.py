"""Memories as JSON and back: what changesets keep and tools print."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from beacon.domain.clock import parse_when
from beacon.domain.memory import Contradiction, Memory

_TIMES = ("recorded_at", "last_access_at", "check_by", "valid_from", "valid_to", "retired_at")
_NAMES = frozenset(f.name for f in fields(Memory))
USAGE = ("access_count", "last_access_at")  # what reading alters: no part of a change


def memory_json(memory: Memory) -> dict[str, Any]:
    """Every field of the memory, times in ISO."""
    found = asdict(memory)
    for name in _TIMES:
        at: datetime | None = found[name]
        found[name] = None if at is None else at.astimezone(UTC).isoformat()
    return found


def memory_from_json(found: Mapping[str, Any]) -> Memory:
    """The memory that `memory_json` printed."""
    values = {name: value for name, value in found.items() if name in _NAMES}
    for name in _TIMES:
        if isinstance(values.get(name), str):
            values[name] = parse_when(values[name])
    return Memory(**values)


def contradiction_json(case: Contradiction) -> dict[str, Any]:
    """Every field of the contradiction, times in ISO."""
    return {
        **asdict(case),
        "opened_at": case.opened_at.astimezone(UTC).isoformat(),
        "updated_at": case.updated_at.astimezone(UTC).isoformat(),
    }


def contradiction_from_json(found: Mapping[str, Any]) -> Contradiction:
    """The contradiction that `contradiction_json` printed."""
    return Contradiction(**{**found, "opened_at": parse_when(found["opened_at"]), "updated_at": parse_when(found["updated_at"])})
