"""From a run's state to its report and back."""

import json
from dataclasses import asdict, replace
from typing import Any

from beacon.analyst.headings import translate_headings
from beacon.analyst.obeying import obey_wishes
from beacon.analyst.preferences import read_preferences
from beacon.analyst.report import (
    CitedSource,
    Evidence,
    ReportInput,
    ReportSentence,
    ReportSource,
    ReportText,
    SectionEvidence,
    write_report,
)
from beacon.analyst.review import read_report, review_report, revise_report
from beacon.analyst.wishes import read_wishes
from beacon.domain.ids import digest
from beacon.domain.run import ResearchState, Run
from beacon.errors import BeaconError, BudgetError
from beacon.llm.ports import ChatModel
from beacon.memory.profiles import preferences_text
from beacon.runs.changes import change_from_row
from beacon.runs.evidence import evidence_from, moment_of, texts_of
from beacon.runs.in_mind import bring_to_mind
from beacon.runs.prompted import strong_model, write_section
from beacon.runs.records_of_runs import number_of
from beacon.workspace import Workspace

MAX_NOTES = 5
WRITTEN = "written"  # a section by a model, as a step


def build_input(ws: Workspace, run: Run, state: ResearchState) -> ReportInput:
    """All that this run's report is written from."""
    data = state["research_data"]
    with ws.records.read() as tx:
        topic = tx.topics.get(run.project_id, run.topic_id)
        number = number_of(tx, tx.runs.get(run.id), topic)
        changes = [change_from_row(row) for row in tx.runs.changes(run.id)]
    sources = [one for one in data.get("sources", []) if one["status"] != "withdrawn"]
    wanted = preferences_text(ws)
    given = ReportInput(
        title=state["query"], run_number=number, date=moment_of(run).date().isoformat(), since=str(data.get("since", "")),
        sections=_sections(state), key_facts=tuple(evidence_from(one) for one in data.get("key_facts", [])), changes=tuple(changes),
        disagreements=tuple(change_from_row(row) for row in data.get("disagreements", [])),
        sources=tuple(ReportSource(one["source_id"], one["title"], one["url"], one["date"]) for one in sources),
        sources_checked=len(sources), preferences=read_preferences(wanted), notes=_notes(state),
    )  # fmt: skip
    return obey_wishes(given, read_wishes(wanted))


def _sections(state: ResearchState) -> tuple[SectionEvidence, ...]:
    """The sections; where nothing new was there to read, those without evidence are left out: "nothing changed" says it."""
    sections = state.get("research_sections", [])
    nothing_new = bool(state["research_data"].get("since")) and not state["research_data"].get("fresh")
    shown = [one for one in sections if one["evidence"] or not nothing_new]
    return tuple(SectionEvidence(one["title"], one["question"], tuple(evidence_from(e) for e in one["evidence"])) for one in shown)


def _notes(state: ResearchState) -> tuple[str, ...]:
    problems = [str(one) for one in state["research_data"].get("problems", [])]
    notes = [f"Not read: {one}" for one in problems[:MAX_NOTES]]
    if len(problems) > MAX_NOTES:
        notes.append(f"And {len(problems) - MAX_NOTES} more that could not be read: see the run's draft of its sources.")
    if not state["research_data"].get("memory_loaded", False):
        notes.append("What is remembered of this topic could not be read for this run.")
    return tuple(notes)


def write(ws: Workspace, run: Run, state: ResearchState, given: ReportInput) -> tuple[ReportText, list[str]]:
    """(the report, what went wrong). A model writes the sections where there is one; what it cannot do is made of quotes."""
    report = write_report(given)
    model = strong_model(ws, run)
    problems: list[str] = []
    in_mind = bring_to_mind(ws, run, "writing", f"Write the report on {given.title}: {'; '.join(one.question for one in given.sections)}")
    if model is None:
        return report, problems
    wishes = "\n".join(filter(None, [in_mind or preferences_text(ws), *state.get("guidelines", [])]))
    for section in given.sections:
        try:
            report = _prompted(ws, model, run, state, report, section, wishes)
        except BudgetError:
            raise  # the run pauses; what is written is kept
        except BeaconError as error:
            problems.append(f"'{section.title}' was written without a model: {error.message}")
    return report, problems


def _prompted(
    ws: Workspace, model: ChatModel, run: Run, state: ResearchState, report: ReportText, section: SectionEvidence, wishes: str
) -> ReportText:
    """The report with one section in the model's words, citing the quotes that the section cited before."""
    mine = [one for one in report.sentences if one.part == section.title]
    evidence = [e for one in mine for e in one.evidence]
    heading = f"\n## {section.title}\n"
    if not evidence or heading not in report.markdown:
        return report
    written = _written(ws, model, run, state, section, evidence, wishes)
    numbers = {one.source.source_id: one.n for one in report.sources}
    sentences = [
        ReportSentence(
            words, tuple(dict.fromkeys(numbers[evidence[p].source_id] for p in places)), section.title, tuple(evidence[p] for p in places)
        )
        for words, places in written
    ]
    text = " ".join(f"{one.text} {''.join(f'[{n}]' for n in one.citations)}" for one in sentences)
    before, _, rest = report.markdown.partition(heading)
    _, mark, after = rest.partition("\n## ")
    at = report.sentences.index(mine[0])
    others = [one for one in report.sentences if one.part != section.title]
    kept = (*report.sentences[:at], *sentences, *others[at:])
    return replace(report, markdown=f"{before}{heading}\n{text}\n{mark}{after}", sentences=kept)


def _written(
    ws: Workspace, model: ChatModel, run: Run, state: ResearchState, section: SectionEvidence, evidence: list[Evidence], wishes: str
) -> list[tuple[str, list[int]]]:
    """The section's sentences and their evidence, kept as soon as they are paid for: the next attempt does not ask again."""
    asked = [model.name, section.title, section.question, wishes, state["tone"], *(one.quote for one in evidence)]
    step = f"{WRITTEN}:{digest(json.dumps(asked))[:24]}"
    with ws.records.read() as tx:
        kept = tx.runs.checkpoint(run.id, step)
    if kept is None:
        kept = {"sentences": write_section(model, run, state, section.title, section.question, evidence, wishes)}
        with ws.records.write() as tx:
            tx.runs.add_checkpoint(run.id, step, kept, ws.clock())
    return [(str(words), [int(place) for place in places]) for words, places in kept["sentences"]]


def report_for(ws: Workspace, run: Run) -> tuple[str, bool]:
    """(the run's report as this reader wants it, whether that is the one that was published).

    From the same quotes it is written again where the reader's preferences are others than those it was written for. What a person
    edited or a model worded stays as it is; only Beacon's own headings follow the reader's language.
    """
    state = ResearchState(**run.state)  # type: ignore[typeddict-item]
    published = str(state.get("final_report") or state.get("draft_report") or "")
    wanted = preferences_text(ws)
    data, language = state.get("research_data", {}), read_preferences(wanted).language
    if not published or data.get("written_for", digest(wanted)) == digest(wanted):
        return translate_headings(published, language), not language
    _, edited = report_from(state)
    if edited or data.get("worded"):
        return translate_headings(published, language), not language
    given = build_input(ws, run, state)
    written = write_report(given)
    with ws.records.read() as tx:
        texts = texts_of(tx, sorted({one.version_id for s in written.sentences for one in s.evidence if one.version_id}))
    mended = revise_report(written, given, review_report(written, given, texts))
    return translate_headings(mended.markdown, language), False


def report_json(report: ReportText) -> dict[str, Any]:
    """The report's claims and sources as the state keeps them beside its text."""
    return {
        "sha256": digest(report.markdown),
        "sentences": [asdict(one) for one in report.sentences],
        "sources": [{"n": one.n, **asdict(one.source)} for one in report.sources],
    }


def report_from(state: ResearchState) -> tuple[ReportText, bool]:
    """(the draft as a report, whether a person has altered it since it was written)."""
    found = state["research_data"].get("report", {"sha256": "", "sentences": [], "sources": []})
    sources = tuple(
        CitedSource(one["n"], ReportSource(one["source_id"], one["title"], one["url"], one["date"])) for one in found["sources"]
    )
    markdown = state["draft_report"]
    if digest(markdown) != found["sha256"]:
        return read_report(markdown, sources), True
    sentences = tuple(
        ReportSentence(one["text"], tuple(one["citations"]), one["part"], tuple(Evidence(**e) for e in one["evidence"]))
        for one in found["sentences"]
    )
    return ReportText(markdown, sentences, sources), False
