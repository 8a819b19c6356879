"""Publishing: the final report, and its translation where a model can make one."""

from pathlib import PurePosixPath

from beacon.domain.run import ResearchState, Run
from beacon.runs.prompted import translate
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace

WRITTEN_IN = "en"


def publish(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """The report as it goes out, and where its files stand."""
    folder = PurePosixPath("outputs") / run.output_dir
    files = {"markdown": str(folder / f"{run.id}.md")}
    report, language = state["draft_report"], state["language"]
    translated, problems = None, []
    if language.split("-")[0].lower() not in ("", WRITTEN_IN):
        translated, problem = translate(ws, run, report, language)
        problems = [problem] if problem else []
    updates = ResearchState(final_report=report, translated_report=translated, errors=problems)
    drafts = [NewDraft("publishing", "final", report, {"words": len(report.split())})]
    if translated:
        files["translation"] = str(folder / f"{run.id}_{_file_part(language)}.md")
        drafts.append(NewDraft("publishing", f"final_{_file_part(language)}", translated, {"language": language}))
    updates["published_files"] = files
    return PhaseResult(updates=updates, drafts=tuple(drafts), message="published")


def _file_part(language: str) -> str:
    return "".join(c for c in language if c.isalnum() or c == "-")[:16] or "xx"
