from beacon.domain.run import ResearchState, Run
from beacon.runs.results import PhaseResult
from beacon.workspace import Workspace


def review(ws: Workspace, run: Run, state: ResearchState, index: int) -> PhaseResult:
    return PhaseResult(updates=ResearchState(review_result={"needs_revision": index == 1}), outcome={"needs_revision": index == 1})


def revise(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    return PhaseResult(updates=ResearchState(draft_report="y"))
