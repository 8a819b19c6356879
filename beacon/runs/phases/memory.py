"""Memory in, memory out, and the last entry of a run."""

from typing import Any

from beacon.domain.run import ResearchState, Run
from beacon.runs.results import PhaseResult
from beacon.workspace import Workspace


def recall(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    return PhaseResult(updates=ResearchState(research_data={"run_number": 1}))


def remember(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    return PhaseResult()


def finish(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    at = ws.clock()

    def effects(tx: Any) -> None:
        tx.runs.update(run.id, at, status="done", finished_at=at, n=1)

    return PhaseResult(effects=effects)
