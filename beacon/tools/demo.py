"""The sample workspace, run from end to end on this machine."""

import json
import time
from pathlib import Path
from typing import Any

from beacon.domain.clock import parse_when
from beacon.domain.ids import slugify
from beacon.domain.run import Run
from beacon.errors import BeaconError
from beacon.synthesis.refresh import settle
from beacon.workspace import Workspace

SAMPLE = Path(__file__).parent / "sample"
SHOWN_CHANGES = 5


def run_demo(ws: Workspace) -> dict[str, Any]:
    """What changed in each round of the sample topic, an answer, an honest refusal, and what memory made of it.

    Rounds that were run before are shown again, not repeated.
    """
    started = time.perf_counter()
    plan = json.loads((SAMPLE / "rounds.json").read_text(encoding="utf-8"))
    slug = _add_topic(ws, plan["topic"])
    voices = {**_ingest_voices(ws), **_synthesize(ws)}
    rounds = [_round(ws, slug, row) for row in plan["rounds"]]
    questions = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    answers = [_answer(ws, slug, questions[kind][0]["question"]) for kind in ("answerable", "unanswerable")]
    consolidated = _consolidate(ws)
    waiting = settle(ws)
    return {
        "slug": slug,
        "title": plan["topic"]["title"],
        "rounds": rounds,
        "answers": answers,
        "voices": voices,
        "consolidated": consolidated,
        "waiting": waiting,
        "seconds": round(time.perf_counter() - started, 2),
    }


def _add_topic(ws: Workspace, topic: dict[str, Any]) -> str:
    from beacon.tools.topics import TopicAdd, topic_add

    slug = slugify(topic["title"])
    with ws.records.read() as tx:
        if tx.topics.find(ws.project_id, slug):
            return slug
    folder = str(SAMPLE / "topic")
    topic_add(ws, TopicAdd(title=topic["title"], queries=topic["queries"], guidelines=topic["guidelines"], folders=[folder]))
    return slug


def _ingest_voices(ws: Workspace) -> dict[str, Any]:
    from beacon.tools.sources import Ingest, ingest_paths

    report = ingest_paths(ws, Ingest(paths=[str(SAMPLE / "voices")]))
    return {name: report[name] for name in ("sources", "chunks")}


def _synthesize(ws: Workspace) -> dict[str, Any]:
    """What the voices ask for: how many themes and opportunities stand, and the first of each."""
    from beacon.tools.insights import Synthesize, current_insights, synthesize

    with ws.records.read() as tx:
        themes, opportunities = current_insights(tx, ws, "theme"), current_insights(tx, ws, "opportunity")
    if not themes:
        found = synthesize(ws, Synthesize(trigger="sample"))
        themes, opportunities = found["themes"], found["opportunities"]
    return {"themes": [one["title"] for one in themes], "opportunities": [one["title"] for one in opportunities]}


def _round(ws: Workspace, slug: str, row: dict[str, Any]) -> dict[str, Any]:
    from beacon.runs.here import run_here
    from beacon.runs.jobs import start_run
    from beacon.tools.runs import change_json

    as_of = parse_when(row["as_of"], end_of_day=True)
    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, slug)
        done = next(
            (run for run in tx.runs.all(ws.project_id, topic.id, archived=True) if run.as_of == as_of and run.status == "done"), None
        )
    run: Run = done or run_here(ws, start_run(ws, topic, as_of=as_of, trigger="sample"), 120)
    if run.status != "done":
        raise BeaconError(f"The sample's run as of {row['as_of']} is {run.status}: {run.error or 'see `beacon runs list`'}.", run_id=run.id)
    with ws.records.read() as tx:
        changes = [change_json(found) for found in tx.runs.changes(run.id)]
    shown = [change for change in changes if change["kind"] != "confirmed"]
    return {
        "run": run.n,
        "run_id": run.id,
        "as_of": row["as_of"],
        "note": row["note"],
        "changes": shown[:SHOWN_CHANGES],
        "total": len(shown),
    }


def _answer(ws: Workspace, slug: str, question: str) -> dict[str, Any]:
    from beacon.tools.asking import Ask, ask

    answer = ask(ws, Ask(question=question, slug=slug))
    return {"question": question, **{name: answer[name] for name in ("answer", "sufficient", "missing", "citations")}}


def _consolidate(ws: Workspace) -> dict[str, Any]:
    from beacon.memory.consolidate import consolidate

    found = consolidate(ws, trigger="sample")
    return {name: found[name] for name in ("episodes", "facts", "skills", "processed")}
