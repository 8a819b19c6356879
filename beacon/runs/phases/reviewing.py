"""Review and revision: every claim is checked against its source; what fails is taken out."""

from typing import Any

from beacon.analyst.markdown import plain
from beacon.analyst.review import ReviewFinding, review_report, revise_report
from beacon.domain.run import MAX_REVISIONS, ResearchState, Run
from beacon.runs.evidence import texts_of
from beacon.runs.phases.research import answer_question
from beacon.runs.reports import build_input, report_from, report_json, write
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace

MENDED = ("uncited", "inexact", "boilerplate")  # what a revision takes out; the rest is for the reader to know


def review(ws: Workspace, run: Run, state: ResearchState, index: int) -> PhaseResult:
    """What is wrong with the draft, and whether a revision would mend it. A person's own edits are marked, never taken out."""
    report, edited = report_from(state)
    with ws.records.read() as tx:
        texts = texts_of(tx, sorted({one.version_id for s in report.sentences for one in s.evidence if one.version_id}))
    findings = review_report(report, build_input(ws, run, state), texts)
    faults = [one for one in findings if one.kind in MENDED]
    needs = bool(faults) and not edited
    result: dict[str, Any] = {
        "needs_revision": needs, "claims": len(report.sentences), "edited": edited,
        "findings": [{"kind": one.kind, "message": one.message, "sentence": one.sentence, "part": one.part} for one in findings],
    }  # fmt: skip
    draft = NewDraft("reviewing", "review", _draft(result), {"findings": len(findings), "needs_revision": needs})
    message = f"{len(findings)} findings" if findings else "nothing to mend"
    return PhaseResult(updates=ResearchState(review_result=result), drafts=(draft,), outcome={"needs_revision": needs}, message=message)


def revise(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """The report without its faults, and with an answer to what a person asked for at the gate."""
    updates = ResearchState(research_data={})
    problems: list[str] = []
    asked = [one for one in state.get("revision_notes", []) if one not in {s["question"] for s in state["research_sections"]}]
    follow_ups = [one for one in asked if not one.startswith(("uncited:", "inexact:", "boilerplate:"))]
    if follow_ups:
        added = [answer_question(ws, run, {"question": one, "origin": "follow_up"}) for one in follow_ups]
        updates["research_sections"] = [*state["research_sections"], *added]
        state = ResearchState(**{**state, "research_sections": updates["research_sections"]})
    given = build_input(ws, run, state)
    if follow_ups:
        report, problems = write(ws, run, state, given)
    else:
        report, _ = report_from(state)
        report = revise_report(report, given, [_finding(one) for one in state["review_result"]["findings"]])
        updates["revision_notes"] = [
            f"{one['kind']}: {one['message']}" for one in state["review_result"]["findings"] if one["kind"] in MENDED
        ]
    updates["draft_report"] = report.markdown
    updates["research_data"] = {"report": report_json(report)}
    updates["errors"] = problems
    draft = NewDraft("revision", "revised", report.markdown, {"claims": len(report.sentences)})
    return PhaseResult(updates=updates, drafts=(draft,), message=f"{len(report.sentences)} claims")


def _finding(found: dict[str, Any]) -> ReviewFinding:
    return ReviewFinding(found["kind"], found["message"], found["sentence"], found["part"])


def _draft(result: dict[str, Any]) -> str:
    lines = ["# Review", "", f"{result['claims']} claims were checked; at most {MAX_REVISIONS} revisions follow.", ""]
    lines += [f"- {one['kind']}: {plain(one['message'])}" for one in result["findings"]] or ["Nothing to mend."]
    return "\n".join(lines) + "\n"
