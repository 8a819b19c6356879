"""Planning: the questions this run asks, from the topic's queries and from what is remembered."""

from typing import Any

from beacon.analyst.markdown import plain
from beacon.analyst.plan import MOST, plan_questions
from beacon.analyst.statements import statement_key
from beacon.analyst.wishes import Wishes, read_wishes, same_title
from beacon.domain.run import ResearchState, Run
from beacon.memory.profiles import preferences_text
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
    entries = obey_wishes(
        [
            {"title": one.title, "question": one.question, "origin": "query" if _is_asked(one.title, asked) else "standing"}
            for one in sections
        ],
        topic.title,
        read_wishes(preferences_text(ws)),
    )
    draft = NewDraft("planning", "plan", _draft(entries, context), {"questions": len(entries)})
    updates = ResearchState(research_plan=entries, methodology=METHOD)
    return PhaseResult(updates=updates, drafts=(draft,), outcome={"sections": len(entries)}, message=f"{len(entries)} questions")


def obey_wishes(entries: list[dict[str, Any]], title: str, wishes: Wishes) -> list[dict[str, Any]]:
    """The plan as the reader's earlier plans say: without what they took out, with what they added, about as long. Never empty."""
    unwanted = {statement_key(question) for about, question in wishes.not_asked if same_title(about, title)}
    kept = [one for one in entries if statement_key(one["question"]) not in unwanted] or entries
    there = {statement_key(one["question"]) for one in kept}
    added = [q for about, q in wishes.asked if same_title(about, title) and statement_key(q) not in there]
    titles = {statement_key(one["title"]) for one in kept}
    parts = [(name, f"What do the sources say about {name}?") for name in wishes.sections if statement_key(name) not in titles]
    kept = [*kept, *({"title": name, "question": q, "origin": "preference"} for name, q in [*((q, q) for q in added), *parts])]
    standing = [n for n, one in enumerate(kept) if one["origin"] == "standing"]
    spare = standing[max(0, len(standing) - max(0, len(kept) - wishes.depth)) :] if wishes.depth else []
    return [one for n, one in enumerate(kept) if n not in spare][:MOST] or kept[:1]


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
