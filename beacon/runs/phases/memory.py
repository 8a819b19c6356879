"""Memory in, memory out, and the last entry of a run."""

import re
from dataclasses import replace
from typing import Any

from beacon.domain.run import ResearchState, Run
from beacon.domain.topic import MAX_KEY_FACTS, Topic, TopicMemory, merge_urls
from beacon.errors import BeaconError
from beacon.memory.fact_keeping import keep_facts
from beacon.memory.search import ambient_memories
from beacon.runs.evidence import citation_of, moment_of
from beacon.runs.in_mind import bring_to_mind
from beacon.runs.learning import learn_from_run
from beacon.runs.records_of_runs import number_of, run_event
from beacon.runs.results import PhaseResult
from beacon.runs.topic_memory import build_memory_context, read_memory, store_memory
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

MAX_SKILLS = 5
MAX_AMBIENT = 3


def recall(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """What the topic remembers, as the planner reads it. A memory that cannot be read is said so, and is merged on save."""
    data: dict[str, Any] = {"memory_loaded": True, "memory_context": ""}
    problems: list[str] = []
    with ws.records.read() as tx:
        topic = tx.topics.get(run.project_id, run.topic_id)
        data["run_number"] = number_of(tx, run, topic)
    try:
        data["memory_context"] = _context(ws, topic)
        bring_to_mind(ws, run, "planning", f"Plan the research on {'; '.join([topic.title, *topic.queries])}")
    except (BeaconError, KeyError, TypeError) as error:
        data["memory_loaded"] = False
        problems.append(f"What is remembered of this topic could not be read, and will be merged, not replaced: {error}")
    return PhaseResult(updates=ResearchState(research_data=data, errors=problems), message="memory recalled")


def _context(ws: Workspace, topic: Topic) -> str:
    with ws.records.read() as tx:
        memory = read_memory(tx, topic, ws.clock())
        skills = tx.memories.all(topic.project_id, user_id="", tiers=["procedural"], topic_id=topic.id, limit=MAX_SKILLS)
    known = {skill.text for skill in skills}
    recalled = ambient_memories(ws, " ".join([topic.title, *topic.queries]), MAX_AMBIENT)
    with ws.records.read() as tx:  # a run is everybody's: what is the user's own is brought to mind, and not written down here
        shared = [one for one in recalled if (kept := tx.memories.find(one["memory_id"])) and kept.scope == "project"]
    comes_up = [str(one["text"]) for one in shared if one["text"] not in known]
    return build_memory_context(memory, [skill.text for skill in skills], comes_up)


def remember(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """The topic's memory after this run; a run that was redone after a later one adds only the addresses it read."""
    data = state.get("research_data", {})
    urls = [str(one["url"]) for one in data.get("sources", [])]
    facts = [{"text": one["quote"], "citation": citation_of(one)} for one in data.get("key_facts", [])]
    summary = first_paragraph(state.get("final_report", ""))
    now = ws.clock()
    problems = _keep_facts(ws, run, [str(one["source_id"]) for one in data.get("sources", []) if one.get("status") != "same"])
    learned = learn_from_run(ws, run.id)

    def effects(tx: Tx) -> None:
        topic = tx.topics.get(run.project_id, run.topic_id)
        before = tx.topics.memory(topic) or TopicMemory(topic.title)
        n = number_of(tx, tx.runs.get(run.id), topic)
        merged = replace(before, seen_urls=merge_urls(before.seen_urls, urls), run_count=max(before.run_count, n), last_run_at=now)
        if n >= tx.runs.last_number(topic.id):
            known = [] if data.get("memory_loaded", False) else [one for one in before.key_facts if one not in facts]
            merged = replace(merged, key_facts=[*facts, *known][:MAX_KEY_FACTS], report_summary=summary, flagged=False)
        store_memory(tx, topic, merged, now)

    updates = ResearchState(errors=problems) if problems else ResearchState()
    return PhaseResult(updates=updates, effects=effects, outcome={"key_facts": len(facts), "learned": len(learned)}, message="memory saved")


def _keep_facts(ws: Workspace, run: Run, source_ids: list[str]) -> list[str]:
    """What went wrong in bringing the facts in step with what was read: it is said so, and does not stop the run."""
    try:
        keep_facts(ws, source_ids, topic_id=run.topic_id)
    except BeaconError as error:
        return [f"The facts were not brought in step with what was read: {error.message}"]
    return []


_MARKS = re.compile(r"^[-*] |\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)| ?\[\d+\]")  # list signs, emphasis, citation numbers


def first_paragraph(markdown: str) -> str:
    """The report's first paragraph or list as plain sentences, without headings, dateline, notes, marks and citation numbers."""
    blocks = [block.strip() for block in markdown.split("\n\n")]
    first = next((block for block in blocks if block and not block.startswith(("#", ">", "Run #"))), "")
    lines = (_MARKS.sub("", line).strip() for line in first.splitlines())
    return " ".join(line for line in lines if line)


def finish(ws: Workspace, run: Run, state: ResearchState, _index: int) -> PhaseResult:
    """The run is done and has its number."""
    at = ws.clock()

    def effects(tx: Tx) -> None:
        topic = tx.topics.get(run.project_id, run.topic_id)
        n = number_of(tx, tx.runs.get(run.id), topic)
        counts: dict[str, int] = {}
        for row in tx.runs.changes(run.id):
            counts[str(row["kind"])] = counts.get(str(row["kind"]), 0) + 1
        tx.runs.update(run.id, at, status="done", finished_at=at, n=n, error="")
        text = f"Run #{n} of '{topic.title}' is done, as of {moment_of(run).date().isoformat()}."
        task = state.get("task_id", "")
        tx.events.append(run_event(ws, run, "run_finished", text, task, n=n, changes=counts, slug=topic.slug))

    return PhaseResult(effects=effects, message="done")
