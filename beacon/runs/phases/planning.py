from beacon.domain.run import ResearchState, Run
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace


def plan(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    return PhaseResult(
        updates=ResearchState(research_plan=[{"question": str(i)} for i in range(4)]),
        outcome={"sections": 4},
        drafts=(NewDraft("planning", "x", "planning"),),
    )


def settle_plan(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    return PhaseResult(outcome={"sections": len(state["research_plan"])})
