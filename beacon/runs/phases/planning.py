"""Planning: the questions this run asks, from the topic's queries and from what is remembered."""

from typing import Any

from beacon.analyst.markdown import plain
from beacon.analyst.plan import plan_questions
from beacon.domain.run import ResearchState, Run
from beacon.runs.results import NewDraft, PhaseResult
from beacon.workspace import Workspace

METHOD = (
    "Each question is answered with exact sentences of the sources that are new or changed since the last run, "
    "ranked by how central, relevant, informative and recent they are."
)


def plan(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """Three to six questions."""
    with ws.records.read() as tx:
        topic = tx.topics.get(run.project_id, run.topic_id)
    data = state["research_data"]
    kinds = sorted({str(one["kind"]) for one in data["sources"] if one["kind"]})
    context = str(data.get("memory_context", ""))
    sections = plan_questions(topic.title, topic.queries, state.get("guidelines", []), context, kinds)
    asked = set(topic.queries)
    entries: list[dict[str, Any]] = [
        {"title": one.title, "question": one.question, "origin": "query" if _is_asked(one.title, asked) else "standing"} for one in sections
    ]
    draft = NewDraft("planning", "plan", _draft(entries, context), {"questions": len(entries)})
    updates = ResearchState(research_plan=entries, methodology=METHOD)
    return PhaseResult(updates=updates, drafts=(draft,), outcome={"sections": len(entries)}, message=f"{len(entries)} questions")


def _is_asked(title: str, queries: set[str]) -> bool:
    plain_title = title.rstrip("?").casefold()
    return any(" ".join(query.split()).rstrip("?.!; ").casefold() == plain_title for query in queries)


def settle_plan(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """The plan as it stands after the gate, every entry with a title."""
    entries = [
        {**one, "title": one.get("title") or one["question"], "origin": one.get("origin", "person")} for one in state["research_plan"]
    ]
    draft = NewDraft(
        "planning", "plan", _draft(entries, str(state.get("research_data", {}).get("memory_context", ""))), {"questions": len(entries)}
    )
    return PhaseResult(updates=ResearchState(research_plan=entries), drafts=(draft,), outcome={"sections": len(entries)})


def _draft(entries: list[dict[str, Any]], context: str) -> str:
    lines = ["# Plan", "", *(f"{n}. **{plain(one['title'])}**: {plain(one['question'])}" for n, one in enumerate(entries, 1))]
    if context:
        lines += ["", "## What is known", "", context]
    return "\n".join(lines) + "\n"
