"""What any process may do about runs: start, cancel, resume, redo and delete them. Nothing is executed here."""

from dataclasses import replace
from datetime import datetime

from beacon.domain.ids import make_id
from beacon.domain.run import PHASES, Gate, Run
from beacon.domain.topic import Topic
from beacon.errors import ConflictError, InputError
from beacon.runs import durable
from beacon.runs.drafts import run_folder_name
from beacon.runs.gates import answer_gate
from beacon.runs.phases import MADE_BY
from beacon.runs.queueing import queue_again, queue_run
from beacon.runs.records_of_runs import run_event
from beacon.runs.steps import fail
from beacon.spending import raise_budget
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

__all__ = ["answer_gate", "cancel_run", "delete_run", "find_active", "redo_run", "resume_run", "start_run"]

ACTIVE = ("queued", "running", "waiting")
UNDER_WAY = ("queued", "running")  # a workflow is there, or will be
RESUMABLE = ("failed", "cancelled", "paused")


def start_run(ws: Workspace, topic: Topic, *, as_of: datetime | None = None, trigger: str = "manual") -> str:
    """The id of the topic's run, queued for an executor. The same run asked for again while it is under way is that run.

    Raises ConflictError while another run of the topic is under way, InputError for a topic that was removed.
    """
    client = durable.client_of(ws.records)
    with ws.records.write() as tx:
        tx.topics.lock(topic.id)  # two processes may ask at once
        active = find_active(tx, topic)
        if active is not None and active.as_of == as_of:
            return active.id
        if active is not None:
            raise ConflictError(
                f"A run of '{topic.title}' is {active.status} already: wait for it, answer its gate, resume it with "
                f"`beacon run {topic.slug} --resume {active.id}` or cancel it with `--cancel {active.id}`.",
                run_id=active.id,
            )
        run = new_run(ws, tx, topic, as_of=as_of, trigger=trigger)
        queue_run(ws, tx, client, run, topic.gates)
    return run.id


def find_active(tx: Tx, topic: Topic) -> Run | None:
    """The run of the topic that is under way, or None."""
    found = tx.runs.all(topic.project_id, topic.id, archived=True, statuses=ACTIVE, limit=1)
    return found[0] if found else None


def new_run(ws: Workspace, tx: Tx, topic: Topic, *, as_of: datetime | None, trigger: str, run_id: str = "") -> Run:
    """A run of the topic, not stored yet. Its id follows from the topic, the moment it looks at and how many there were before."""
    if topic.status != "active":
        raise InputError(f"The topic '{topic.title}' was removed: restore it with `beacon topic restore {topic.slug}`.", slug=topic.slug)
    if not (topic.queries or topic.feeds or topic.pages or topic.folders or tx.topics.source_ids(topic.id)):
        raise InputError(
            f"The topic '{topic.title}' has nothing to read: add a folder, page, feed or query with `beacon topic set {topic.slug}`.",
            slug=topic.slug,
        )
    now = ws.clock()
    nth = tx.runs.count(topic.id) + 1
    while not run_id:
        made = make_id("run", topic.id, as_of or now, nth)
        run_id = made if tx.runs.find(made) is None else ""
        nth += 1
    state = {"query": topic.title, "tone": topic.tone, "language": topic.language, "guidelines": list(topic.guidelines), "errors": []}
    return Run(
        id=run_id, project_id=topic.project_id, topic_id=topic.id, started_at=now, updated_at=now, state=state, as_of=as_of,
        trigger=trigger, user_id=ws.user_id, output_dir=_free_folder(tx, topic, now),
    )  # fmt: skip


def _free_folder(tx: Tx, topic: Topic, at: datetime) -> str:
    name = run_folder_name(at, topic.slug)
    n = 1
    while tx.runs.folder_taken(name if n == 1 else f"{name}_{n}"):
        n += 1
    return name if n == 1 else f"{name}_{n}"


def cancel_run(ws: Workspace, run_id: str) -> Run:
    """The run, cancelled: what it did so far stays, and it can be resumed. Raises ConflictError when it has ended."""
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        if run.status not in ACTIVE:
            raise ConflictError(f"The run {run_id} is {run.status} already: there is nothing to cancel.", run_id=run_id, status=run.status)
        at = ws.clock()
        task_id = str(run.state.get("task_id", ""))
        tx.runs.update(run_id, at, status="cancelled", finished_at=at)
        tx.events.append(run_event(ws, run, "run_cancelled", f"The run of '{run.state['query']}' was cancelled.", task_id))
        _close_gates(tx, run_id, at)
        return tx.runs.get(run_id)


def _close_gates(tx: Tx, run_id: str, at: datetime) -> None:
    for gate in tx.runs.gates(run_id=run_id, status="open"):
        tx.runs.put_gate(replace_gate(gate, at))


def replace_gate(gate: Gate, at: datetime) -> Gate:
    """The gate, closed without a decision."""
    return replace(gate, status="closed", answered_at=at)


def resume_run(ws: Workspace, run_id: str, *, more_usd: float = 0.0, more_tokens: int = 0) -> Run:
    """The run, going on after its last finished step, with so much more to spend. One that is under way only gets that.

    Raises ConflictError when it is done.
    """
    client = durable.client_of(ws.records)
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        stuck = run.status in UNDER_WAY and durable.status_of(tx.connection, str(run.state.get("task_id", ""))) not in durable.LIVE
        if run.status in RESUMABLE or stuck:
            queue_again(ws, tx, client, run)
            tx.events.append(
                run_event(ws, run, "run_resumed", f"The run of '{run.state['query']}' was resumed.", run.state.get("task_id", ""))
            )
        elif run.status == "done":
            raise ConflictError(f"The run {run_id} is done: redo it from a phase with `--redo {run_id} --from PHASE`.", run_id=run_id)
        if more_usd or more_tokens:
            raise_budget(tx, "run", run_id, more_usd, more_tokens, ws.clock())
        return tx.runs.get(run_id)


def redo_run(ws: Workspace, run_id: str, from_phase: str) -> Run:
    """The run, queued to be done again from this phase on; the earlier phases' results stay and are not computed again.

    Raises InputError for a phase that does not exist or was not reached, ConflictError while the run is under way.
    """
    if from_phase not in PHASES:
        raise InputError(f"There is no phase '{from_phase}': the phases are {', '.join(PHASES)}.", phase=from_phase)
    phase = "reviewing" if from_phase == "revision" else from_phase  # a revision answers a review
    client = durable.client_of(ws.records)
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        if run.status in ACTIVE:
            raise ConflictError(f"The run {run_id} is {run.status}: cancel it before it is redone.", run_id=run_id)
        earlier = PHASES[: PHASES.index(phase)]
        if missing := [name for name in earlier if name not in run.completed_phases and name != "revision"]:
            raise InputError(f"The run {run_id} has not reached '{phase}': redo it from '{missing[0]}'.", phase=phase)
        again = PHASES[PHASES.index(phase) :]
        completed = [name for name in run.completed_phases if name in earlier]
        _drop(tx, run_id, again)
        fields = {name for made in again for name in MADE_BY[made][1]}
        state = {name: value for name, value in run.state.items() if name not in fields}
        queue_again(ws, tx, client, run, state=state, phase=completed[-1] if completed else "", completed_phases=completed)
        tx.events.append(
            run_event(ws, run, "run_redone", f"The run was started again from {phase}.", run.state.get("task_id", ""), phase=phase)
        )
        return tx.runs.get(run_id)


def _drop(tx: Tx, run_id: str, phases: tuple[str, ...]) -> None:
    kinds = {kind for phase in phases for kind in MADE_BY[phase][0]}
    steps = tx.runs.checkpoints(run_id)
    tx.runs.drop_checkpoints(run_id, [s for s in steps if s.partition("#")[0] in kinds or s.partition(":")[0] in kinds])


def delete_run(ws: Workspace, run_id: str) -> list[str]:
    """The files of the run's folder that were removed with it. Raises ConflictError while it is under way."""
    import shutil

    from beacon.runs.drafts import output_folder

    client = durable.client_of(ws.records)
    with ws.records.read() as tx:
        run = tx.runs.get(run_id)
    if run.status in ACTIVE:
        raise ConflictError(f"The run {run_id} is {run.status}: cancel it before it is deleted.", run_id=run_id)
    files: list[str] = []
    if run.output_dir:
        folder = output_folder(ws, run)
        files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder, ignore_errors=True)
    with ws.records.write() as tx:
        tx.runs.delete(run_id)
        tx.events.append(run_event(ws, run, "run_deleted", f"A run of '{run.state.get('query', '')}' was deleted."))
        tasks = [f"{run_id}.{n}" for n in range(1, durable.attempts(tx.connection, run_id) + 1)]
    client.delete_workflows(tasks, delete_children=True)
    return files


def mark_broken(ws: Workspace) -> list[str]:
    """The runs that were under way in a workflow that has ended without them: marked as failed, so that they can be resumed."""
    with ws.records.read() as tx:
        broken = [run for run in _under_way(tx) if _is_broken(tx, run)]
    for run in broken:
        fail(
            ws,
            run.id,
            run.progress.get("phase") or "start",
            "The worker could not go on with it: resume the run.",
            str(run.state.get("task_id")),
        )
    return [run.id for run in broken]


def _under_way(tx: Tx) -> list[Run]:
    return [run for project in tx.projects.all() for run in tx.runs.all(str(project["id"]), archived=True, statuses=UNDER_WAY)]


def _is_broken(tx: Tx, run: Run) -> bool:
    status = durable.status_of(tx.connection, str(run.state.get("task_id", "")))
    return bool(status) and status not in durable.LIVE
