"""Jobs of a project that are no runs, by name."""

from collections.abc import Callable
from typing import Any

from beacon.errors import InputError
from beacon.workspace import Workspace

Job = Callable[[Workspace, dict[str, Any]], dict[str, Any]]


def _consolidate(ws: Workspace, arguments: dict[str, Any]) -> dict[str, Any]:
    from beacon.memory.consolidate import consolidate

    found = consolidate(ws, trigger=str(arguments.get("trigger", "schedule")))
    return {name: value for name, value in found.items() if isinstance(value, int | float | bool) or name == "changeset_id"}


JOBS: dict[str, Job] = {"consolidation": _consolidate}


def run_job(ws: Workspace, kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the job did: counts and ids only, because the durable engine keeps it. Raises InputError for an unknown job."""
    if kind not in JOBS:
        raise InputError(f"There is no job '{kind}': the jobs are {', '.join(sorted(JOBS))}.", kind=kind)
    return JOBS[kind](ws, arguments)
