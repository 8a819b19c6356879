"""Research: for each question the sentences that answer it; then what all sections found together."""

from typing import Any

from beacon.analyst.markdown import link, plain, quoted
from beacon.domain.run import ResearchState, Run
from beacon.runs.evidence import answers, key_facts, views_of
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace


def research_section(ws: Workspace, run: Run, state: ResearchState, index: int) -> PhaseResult:
    """One question of the plan with its evidence, best first."""
    entry = state["research_plan"][index]
    section = answer_question(ws, run, entry)
    draft = NewDraft(
        "research", f"section_{index + 1}", _draft(section), {"question": section["question"], "quotes": len(section["evidence"])}
    )
    return PhaseResult(drafts=(draft,), outcome={"section": section}, message=section["title"])


def answer_question(ws: Workspace, run: Run, entry: dict[str, Any]) -> dict[str, Any]:
    """{title, question, evidence, …} for an entry of a plan."""
    title, question = str(entry.get("title") or entry["question"]), str(entry["question"])
    with ws.records.read() as tx:
        new, old = views_of(tx, run)
    strict = entry.get("origin", "standing") != "standing"
    evidence = answers(new, old, question, strict=strict)
    return {"title": title, "question": question, "origin": entry.get("origin", "standing"), "evidence": evidence}


def join_sections(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """All sections in the plan's order, and the topic's key facts."""
    questions = [str(one["question"]) for one in state["research_plan"] if one.get("origin") != "standing"]
    with ws.records.read() as tx:
        found = [tx.runs.checkpoint(run.id, f"section:{n}") for n in range(len(state["research_plan"]))]
        new, old = views_of(tx, run)
        before = tx.runs.find(str(state["research_data"].get("previous_run", "")))
    sections = [one["section"] for one in found if one]
    asked = {"title": state["query"], "questions": questions}
    earlier = before.state.get("research_data", {}) if before and old and old.is_same(new) else {}
    facts = earlier["key_facts"] if earlier.get("key_facts_for") == asked else key_facts(new, state["query"], questions)
    updates = ResearchState(research_sections=sections, research_data={"key_facts": facts, "key_facts_for": asked})
    return PhaseResult(updates=updates, message=f"{sum(len(one['evidence']) for one in sections)} quotes")


def _draft(section: dict[str, Any]) -> str:
    lines = [f"# {plain(section['title'])}", "", plain(section["question"]), ""]
    lines += [f"- {quoted(one['quote'])} ({link(one['title'], one['url'])}, {one['date']})" for one in section["evidence"]]
    return "\n".join(lines if section["evidence"] else [*lines, "No evidence was found."]) + "\n"
