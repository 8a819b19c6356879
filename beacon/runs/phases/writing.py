"""Writing: the report, extractive without a model, by the model section by section where there is one."""

from beacon.analyst.report import write_report
from beacon.domain.ids import digest
from beacon.domain.run import ResearchState, Run
from beacon.memory.profiles import preferences_text
from beacon.runs.reports import build_input, report_json, write
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace

__all__ = ["write_draft"]


def write_draft(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """The first draft of the report."""
    given = build_input(ws, run, state)
    report, problems = write(ws, run, state, given)
    worded = ws.models is not None and report.markdown != write_report(given).markdown
    data = {"report": report_json(report), "written_for": digest(preferences_text(ws)), "worded": worded}
    updates = ResearchState(draft_report=report.markdown, research_data=data, errors=problems)
    draft = NewDraft("writing", "draft", report.markdown, {"claims": len(report.sentences), "sources": len(report.sources)})
    return PhaseResult(updates=updates, drafts=(draft,), message=f"{len(report.sentences)} claims")
