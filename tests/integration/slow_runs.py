"""Beacon as a worker process opens it in these tests: its steps take time, and each start is written down."""

import os
import time
from dataclasses import replace
from pathlib import Path

from beacon.bootstrap import Beacon
from beacon.bootstrap import open_beacon as open_real
from beacon.runs import phases
from beacon.runs.phases import Step

STEP_S = float(os.environ.get("BEACON_TEST_STEP_S", "0.12"))
LOG = "starts.log"


def _slow(kind: str, step: Step, log: Path) -> Step:
    def work(ws, run, state, index):  # type: ignore[no-untyped-def]
        with log.open("a") as file:
            file.write(f"{time.time()} {run.id} {kind} {index}\n")
        time.sleep(STEP_S)
        return step.work(ws, run, state, index)

    return replace(step, work=work)


def open_beacon() -> Beacon:
    """Beacon over BEACON_HOME with slow steps."""
    opened = open_real()
    log = opened.workspace.settings.home / LOG
    steps = {kind: _slow(kind, step, log) for kind, step in phases.STEPS.items()}
    from beacon.runs import steps as performing

    performing.STEPS = steps
    return opened
