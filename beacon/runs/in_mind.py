"""What a run has in mind at a step: packed as for an answer, and kept beside the run so that it can be looked at."""

import logging

from beacon.domain.run import Run
from beacon.errors import BeaconError
from beacon.memory.context import Task, build_context, keep_context
from beacon.workspace import Workspace

log = logging.getLogger(__name__)


def bring_to_mind(ws: Workspace, run: Run, step: str, text: str) -> str:
    """The pack's text for a step of a run; empty where memory cannot be read, which never ends a run."""
    task = Task(text, step=step, run_id=run.id, topic=str(run.state.get("query", "")))
    try:
        packed = build_context(ws, task)
        keep_context(ws, task, packed, run.id)
    except BeaconError as error:
        log.warning("run %s, step %s: nothing was brought to mind: %s", run.id, step, error.message)
        return ""
    return packed.text
