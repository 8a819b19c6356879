"""Tools for runs, reports, changes, drafts, gates and schedules."""

import base64
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from beacon.domain.clock import parse_when
from beacon.domain.run import Run, Schedule
from beacon.domain.topic import Topic
from beacon.errors import InputError, NotFoundError
from beacon.stores.records.store import Tx
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace

HOUR_S = 3600


class RunStart(Arguments):
    """A run to start."""

    slug: str
    as_of: str | None = Field(default=None, description="see only what was current on this date")
    trigger: str = "manual"


class RunRef(Arguments):
    """A run by id, or as SLUG#N."""

    run: str


class RunWait(RunRef):
    """A run to wait for."""

    timeout_s: float = Field(default=600, gt=0, le=HOUR_S)


class RunHistory(Arguments):
    """A history to build."""

    slug: str
    dates: list[str] = Field(default_factory=list, description="as of these dates instead of those of the material")
    every: Literal["date", "month", "quarter", "year"] = Field(default="date", description="the last date of each of these")


class RunList(Arguments):
    """Which runs."""

    slug: str | None = None
    archived: bool = False


class RunResume(RunRef):
    """A run to go on with."""

    budget: float = Field(default=0, ge=0, description="dollars it may spend beyond what it could so far")
    tokens: int = Field(default=0, ge=0, description="tokens it may spend beyond what it could so far")


class RunRedo(RunRef):
    """A run to do again from a phase."""

    from_phase: str


class ReportShow(Arguments):
    """A report of a topic; the newest, or that of Run #n."""

    slug: str
    run: int | None = None
    format: Literal["md", "html", "docx", "pdf"] = "md"
    published: bool = Field(default=False, description="as it was published, whatever the reader's preferences")


class ChangeList(Arguments):
    """Which changes: of one run, since a date, or between two dates or runs."""

    slug: str
    run: int | None = None
    since: str | None = Field(default=None, description="a date, or #N for Run #N")
    start: str | None = Field(default=None, description="a date, or #N for Run #N")
    end: str | None = Field(default=None, description="a date, or #N for Run #N")
    confirmed: bool = False


class DraftShow(Arguments):
    """A draft by id, or the newest of a phase of a run."""

    run: str
    draft: str | None = None
    phase: str | None = None


class GateList(Arguments):
    """Which gates."""

    status: Literal["open", "answered"] | None = "open"


class GateAnswer(RunRef):
    """What a person decides at a gate."""

    decision: Literal["approve", "edit", "reject", "follow_up", "dismiss"]
    gate: str = ""
    payload: dict[str, Any] = Field(default_factory=dict)


class ScheduleAdd(Arguments):
    """When a job is due."""

    kind: Literal["research", "consolidation"]
    every: str = Field(description="'mon 08:00', 'daily 07:30', 'weekdays 9:00', 'hourly', 'every 15 min', or a cron line")
    slug: str | None = None


class ScheduleRef(Arguments):
    """Names a schedule."""

    id: str


def find_run(ws: Workspace, tx: Tx, ref: str) -> Run:
    """The project's run with this id or SLUG#N. Raises NotFoundError."""
    slug, _, number = ref.rpartition("#")
    if slug and number.isdigit():
        topic = tx.topics.get(ws.project_id, slug)
        run = tx.runs.by_number(topic.id, int(number))
        if run is None:
            raise NotFoundError(f"'{topic.title}' has no finished run #{number}: `beacon runs list {slug}` shows what there is.")
        return run
    run = tx.runs.get(ref)
    if run.project_id != ws.project_id:
        raise NotFoundError(f"There is no run '{ref}' in this project.")
    return run


def _id(ws: Workspace, ref: str) -> str:
    with ws.records.read() as tx:
        return find_run(ws, tx, ref).id


def run_json(ws: Workspace, run: Run) -> dict[str, Any]:
    """A run with SessionState's fields."""
    with ws.records.read() as tx:
        topic = tx.topics.get(run.project_id, run.topic_id)
        kinds = tx.runs.kinds(run.id)
        usage = tx.runs.spend(run.project_id, run.id)
        statuses = [status for _, _, status in tx.runs.versions(run.id)]
    return {
        "id": run.id,
        "session_id": run.id,
        "query": run.state.get("query", topic.title),
        "topic": topic.title,
        "slug": topic.slug,
        "n": run.n,
        "status": run.status,
        "current_phase": run.phase,
        "completed_phases": run.completed_phases,
        "research_state": run.state,
        "start_time": run.started_at.isoformat(),
        "last_update": run.updated_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "as_of": run.as_of.isoformat() if run.as_of else None,
        "error": run.error,
        "progress": run.progress,
        "usage": usage,
        "output_dir": run.output_dir,
        "change_counts": kinds,
        "sources": {name: statuses.count(name) for name in ("new", "changed", "same", "withdrawn")},
        "archived": run.archived,
        "trigger": run.trigger,
    }


@tool(RunStart, writes=True)
def run_start(ws: Workspace, args: RunStart) -> dict[str, str]:
    """Queues a run of a topic for a worker and returns its id."""
    from beacon.runs.jobs import start_run

    as_of = parse_when(args.as_of, end_of_day=True) if args.as_of else None
    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, args.slug)
    return {"run_id": start_run(ws, topic, as_of=as_of, trigger=args.trigger)}


@tool(RunWait, writes=True)
def run_wait(ws: Workspace, args: RunWait) -> dict[str, Any]:
    """Waits until a run ends or stops at a gate, doing its work in this process when no worker is there."""
    from beacon.runs.here import run_here
    from beacon.synthesis.refresh import settle

    run = run_here(ws, _id(ws, args.run), args.timeout_s)
    settle(ws)
    return run_json(ws, run)


@tool(RunHistory, writes=True)
def run_history(ws: Workspace, args: RunHistory) -> list[dict[str, Any]]:
    """Builds a topic's history: a run as of each date of its material (or each date given), oldest first; those that are there stay."""
    from beacon.runs.history import find_dates, parse_dates, replay
    from beacon.synthesis.refresh import settle

    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, args.slug)
    moments = parse_dates(args.dates) if args.dates else find_dates(ws, topic, args.every)
    runs = list(replay(ws, topic, moments))
    settle(ws)
    return [{key: value for key, value in run_json(ws, run).items() if key != "research_state"} for run in runs]


@tool(RunList)
def run_list(ws: Workspace, args: RunList) -> list[dict[str, Any]]:
    """Runs, newest first, without their states."""
    with ws.records.read() as tx:
        topic_id = tx.topics.get(ws.project_id, args.slug).id if args.slug else None
        runs = tx.runs.all(ws.project_id, topic_id, archived=args.archived)
    return [{key: value for key, value in run_json(ws, run).items() if key != "research_state"} for run in runs]


@tool(RunRef)
def run_show(ws: Workspace, args: RunRef) -> dict[str, Any]:
    """One run with its whole state."""
    with ws.records.read() as tx:
        run = find_run(ws, tx, args.run)
    return run_json(ws, run)


@tool(RunRef, writes=True)
def run_cancel(ws: Workspace, args: RunRef) -> dict[str, Any]:
    """Stops a run after the step in hand; what it did stays and it can be resumed."""
    from beacon.runs.jobs import cancel_run

    return run_json(ws, cancel_run(ws, _id(ws, args.run)))


@tool(RunResume, writes=True)
def run_resume(ws: Workspace, args: RunResume) -> dict[str, Any]:
    """Goes on with a failed, cancelled or paused run after its last finished step, with more to spend where that is given."""
    from beacon.runs.jobs import resume_run

    return run_json(ws, resume_run(ws, _id(ws, args.run), more_usd=args.budget, more_tokens=args.tokens))


@tool(RunRedo, writes=True)
def run_redo(ws: Workspace, args: RunRedo) -> dict[str, Any]:
    """Does a run again from a phase on, keeping what earlier phases found."""
    from beacon.runs.jobs import redo_run

    return run_json(ws, redo_run(ws, _id(ws, args.run), args.from_phase))


@tool(RunRef, writes=True)
def run_archive(ws: Workspace, args: RunRef) -> dict[str, Any]:
    """Hides a run from the lists; its number, report and changes stay."""
    run_id = _id(ws, args.run)
    with ws.records.write() as tx:
        tx.runs.update(run_id, ws.clock(), archived=True)
    return run_show(ws, RunRef(run=run_id))


@tool(RunRef, writes=True)
def run_delete(ws: Workspace, args: RunRef) -> dict[str, str]:
    """Deletes a run with its drafts and files; the sources it read stay."""
    from beacon.runs.jobs import delete_run

    run_id = _id(ws, args.run)
    delete_run(ws, run_id)
    return {"deleted": run_id}


@tool(ReportShow)
def report_show(ws: Workspace, args: ReportShow) -> dict[str, Any]:
    """The report of a topic's newest run, or of Run #n."""
    with ws.records.read() as tx:
        topic, run = _topic_run(ws, tx, args.slug, args.run)
    from beacon.runs.reports import report_for

    published = str(run.state.get("final_report") or run.state.get("draft_report") or "")
    markdown, as_published = (published, True) if args.published else report_for(ws, run)
    path = next(iter(run.state.get("published_files", {}).values()), "")
    shown = {
        "markdown": markdown,
        "run": run.n,
        "run_id": run.id,
        "title": topic.title,
        "as_published": as_published,
        "path": path,
        "files": run.state.get("published_files", {}),
    }
    if args.format in ("docx", "pdf"):
        shown[f"{args.format}_base64"] = base64.b64encode(_printed(markdown, topic.title, args.format)).decode()
    if args.format == "html":
        from beacon.tools.exports import markdown_to_html

        shown["html"] = markdown_to_html(markdown, topic.title)
    return shown


def _printed(markdown: str, title: str, form: str) -> bytes:
    if form == "pdf":
        from beacon.tools.pdf import markdown_to_pdf

        return markdown_to_pdf(markdown, title)
    from beacon.tools.exports import markdown_to_docx

    return markdown_to_docx(markdown, title)


def _topic_run(ws: Workspace, tx: Tx, slug: str, n: int | None) -> tuple[Topic, Run]:
    topic = tx.topics.get(ws.project_id, slug)
    run = tx.runs.by_number(topic.id, n) if n is not None else tx.runs.last_done(topic.id)
    if run is None:
        which = f"run #{n}" if n is not None else "run"
        raise NotFoundError(f"'{topic.title}' has no finished {which} yet: start one with `beacon run {topic.slug}`.", slug=slug)
    return topic, run


def change_json(row: dict[str, Any]) -> dict[str, Any]:
    """A stored change in the stable JSON shape."""
    names = ("kind", "subject", "attribute", "text", "quote", "source", "old", "materiality", "reason", "parts", "id")
    source, old = row["source"], row["old"] or {}
    return {
        **{name: row[name] for name in names},
        "old_value": old.get("value", ""),
        "new_value": source.get("value", "") if row["quote"] is not None else "",
        "group": source.get("group", ""),
        "part": source.get("part", False),
    }


@tool(ChangeList)
def change_list(ws: Workspace, args: ChangeList) -> list[dict[str, Any]]:
    """What changed in a topic, claim by claim, best first: in its newest run, in Run #n, since a date, or between two dates or runs."""
    if args.since or args.start or args.end:
        if args.run is not None or (args.since and (args.start or args.end)):
            raise InputError("Ask for the changes of a run, since a date, or between two dates: one of the three.")
        found = _between(ws, args)
    else:
        with ws.records.read() as tx:
            _, run = _topic_run(ws, tx, args.slug, args.run)
            found = [change_json(row) for row in tx.runs.changes(run.id)]
    return [change for change in found if args.confirmed or change["kind"] != "confirmed"]


def _between(ws: Workspace, args: ChangeList) -> list[dict[str, Any]]:
    from beacon.runs.changes import changes_between

    first = args.since or args.start
    if not first:
        raise InputError("Two dates need a first one: add --from DATE.")
    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, args.slug)
        start = _point(tx, topic, first)
        end = _point(tx, topic, args.end) if args.end else ws.clock()
    if _moment(start) >= _moment(end):
        raise InputError(f"The first date ({_moment(start).date()}) must come before the second ({_moment(end).date()}).")
    return [change_json(row) for row in changes_between(ws, topic.id, start, end)]


def _point(tx: Tx, topic: Topic, text: str) -> datetime | Run:
    """The run that `#N` names, or the end of a date. Raises InputError, NotFoundError."""
    number = text.strip().removeprefix("#")
    if number == text.strip():
        return parse_when(text, end_of_day=True)
    run = tx.runs.by_number(topic.id, int(number)) if number.isdigit() else None
    if run is None:
        raise NotFoundError(f"'{topic.title}' has no finished run #{number}: `beacon runs list {topic.slug}` shows what there is.")
    return run


def _moment(point: datetime | Run) -> datetime:
    return (point.as_of or point.started_at) if isinstance(point, Run) else point


@tool(RunRef)
def draft_list(ws: Workspace, args: RunRef) -> list[dict[str, Any]]:
    """The drafts of a run in the order they were written."""
    with ws.records.read() as tx:
        drafts = tx.runs.drafts(find_run(ws, tx, args.run).id)
    return [
        {
            "id": d.id,
            "phase": d.phase,
            "part": d.part,
            "n": d.n,
            "at": d.at.isoformat(),
            "metadata": d.metadata,
            "characters": len(d.content),
        }
        for d in drafts
    ]


@tool(DraftShow)
def draft_show(ws: Workspace, args: DraftShow) -> dict[str, Any]:
    """One draft with its content."""
    with ws.records.read() as tx:
        drafts = tx.runs.drafts(find_run(ws, tx, args.run).id, args.phase)
    found = [d for d in drafts if args.draft in (None, d.id)]
    if not found:
        raise NotFoundError(f"The run {args.run} has no such draft: `beacon draft list {args.run}` shows what there is.")
    draft = found[-1]
    return {
        "id": draft.id,
        "phase": draft.phase,
        "part": draft.part,
        "n": draft.n,
        "at": draft.at.isoformat(),
        "metadata": draft.metadata,
        "content": draft.content,
    }


@tool(GateList)
def gate_list(ws: Workspace, args: GateList) -> list[dict[str, Any]]:
    """Points where runs wait, or waited, for a person."""
    with ws.records.read() as tx:
        gates = tx.runs.gates(project_id=ws.project_id, status=args.status)
    return [
        {
            "id": g.id,
            "run_id": g.run_id,
            "name": g.name,
            "status": g.status,
            "opened_at": g.opened_at.isoformat(),
            "payload": {name: value for name, value in g.payload.items() if name != "before"},
            "answer": g.answer,
        }
        for g in gates
    ]


@tool(GateAnswer, writes=True)
def gate_answer(ws: Workspace, args: GateAnswer) -> dict[str, Any]:
    """Tells a waiting run what a person decided."""
    from beacon.runs.jobs import answer_gate

    gate = answer_gate(ws, _id(ws, args.run), args.decision, args.payload, args.gate)
    return {"id": gate.id, "run_id": gate.run_id, "name": gate.name, "status": gate.status, "answer": gate.answer}


@tool(NoArguments)
def schedule_list(ws: Workspace, args: NoArguments) -> list[dict[str, Any]]:
    """When research and consolidation are due."""
    with ws.records.read() as tx:
        titles = {topic.id: topic.title for topic in tx.topics.all(ws.project_id, removed=True)}
        return [_schedule_json(s, titles) for s in tx.runs.schedules(ws.project_id)]


def _schedule_json(s: Schedule, titles: dict[str, str]) -> dict[str, Any]:
    return {
        "id": s.id,
        "kind": s.kind,
        "target": s.target,
        "title": titles.get(s.target, ""),
        "cron": s.cron,
        "tz": s.tz,
        "enabled": s.enabled,
        "next_at": s.next_at.isoformat(),
        "last_at": s.last_at.isoformat() if s.last_at else None,
        "last_job": s.last_job,
    }


@tool(ScheduleAdd, writes=True)
def schedule_add(ws: Workspace, args: ScheduleAdd) -> dict[str, Any]:
    """Sets when a topic is researched, or when memory is consolidated."""
    from beacon.runs.schedule import set_schedule

    target = ""
    if args.kind == "research":
        if not args.slug:
            raise InputError("A research schedule needs a topic: give its slug.")
        with ws.records.read() as tx:
            target = tx.topics.get(ws.project_id, args.slug).id
    schedule = set_schedule(ws, args.kind, target, args.every)
    return _schedule_json(schedule, {}) if schedule else {"removed": True}


@tool(ScheduleRef, writes=True)
def schedule_remove(ws: Workspace, args: ScheduleRef) -> dict[str, str]:
    """Forgets a schedule."""
    with ws.records.write() as tx:
        if args.id not in {s.id for s in tx.runs.schedules(ws.project_id)} or not tx.runs.remove_schedule(args.id):
            raise NotFoundError(f"There is no schedule {args.id}: `beacon schedule list` shows what there is.")
    return {"removed": args.id}
