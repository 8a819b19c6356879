"""One run, waited for: executed in this process when no worker is there, otherwise by the worker."""

import threading
import time

from beacon.domain.run import FINISHED, Run
from beacon.errors import UnavailableError
from beacon.runs import durable
from beacon.runs.slots import Slots
from beacon.workspace import Workspace

LOOK_S = 0.03
END_S = 0.5
SETTLED = FINISHED | {"waiting"}
_one_executor = threading.Lock()  # a process has one durable engine


def run_here(ws: Workspace, run_id: str, timeout_s: float = 600.0) -> Run:
    """The run once it is done, failed, cancelled, or waits at a gate. Raises UnavailableError when that takes longer."""
    deadline = time.monotonic() + timeout_s
    slots = Slots(ws.settings)
    try:
        while (run := _look(ws, run_id)).status not in SETTLED:
            if time.monotonic() > deadline:
                raise _late(run, timeout_s)
            if _one_executor.acquire(blocking=False):
                try:
                    slot = slots.find_free()
                    if slot:
                        return _execute(ws, slot, run_id, deadline, timeout_s)
                finally:
                    _one_executor.release()
            time.sleep(LOOK_S)
        return run
    finally:
        slots.close()


def wait_run(ws: Workspace, run_id: str, timeout_s: float) -> Run:
    """The run once it is done, failed, cancelled or waits at a gate, or as it is when the time is up. Executes nothing."""
    deadline = time.monotonic() + timeout_s
    while (run := _look(ws, run_id)).status not in SETTLED and time.monotonic() < deadline:
        time.sleep(LOOK_S)
    return run


def _look(ws: Workspace, run_id: str) -> Run:
    with ws.records.read() as tx:
        return tx.runs.get(run_id)


def _late(run: Run, timeout_s: float) -> UnavailableError:
    phase = run.progress.get("phase") or run.status
    return UnavailableError(
        f"The run {run.id} is not done after {timeout_s:.0f} s (now: {phase}); it goes on with the next worker.", run_id=run.id
    )


def _execute(ws: Workspace, slot: str, run_id: str, deadline: float, timeout_s: float) -> Run:
    from beacon.runs import flow

    flow.launch(ws, slot, quick=True)
    try:
        while (run := _look(ws, run_id)).status not in SETTLED:
            if time.monotonic() > deadline:
                raise _late(run, timeout_s)
            time.sleep(LOOK_S)
        _let_end(ws, run)
        return run
    finally:
        flow.shut_down()


def _let_end(ws: Workspace, run: Run) -> None:
    """Wait a moment until the engine has noted that the workflow is over: else the next executor would look at it once more."""
    deadline = time.monotonic() + END_S
    while time.monotonic() < deadline:
        with ws.records.read() as tx:
            if durable.status_of(tx.connection, str(run.state.get("task_id", ""))) not in durable.LIVE:
                return
        time.sleep(LOOK_S)
