from beacon.domain.run import ResearchState, Run
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace


def publish(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    return PhaseResult(
        updates=ResearchState(research_data={"publishing": 1}, draft_report="x"), drafts=(NewDraft("publishing", "x", "publishing"),)
    )
