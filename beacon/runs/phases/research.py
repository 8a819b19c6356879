from beacon.domain.run import ResearchState, Run
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace


def research_section(ws: Workspace, run: Run, state: ResearchState, index: int) -> PhaseResult:
    return PhaseResult(outcome={"section": {"i": index}}, drafts=(NewDraft("research", f"section_{index + 1}", "planning"),))


def join_sections(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    with ws.records.read() as tx:
        found = [tx.runs.checkpoint(run.id, f"section:{i}") for i in range(len(state["research_plan"]))]
    return PhaseResult(updates=ResearchState(research_sections=[f["section"] for f in found]))
