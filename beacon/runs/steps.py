"""One step of a run: never computed again once its checkpoint stands, its database effects written exactly once.

The slow work (reading the web, asking a model) is done outside any write transaction; then one short transaction holds the
checkpoint and every effect. Another attempt that comes second finds the checkpoint and writes nothing.
"""

from dataclasses import dataclass
from typing import Any

from beacon.domain.ids import make_id
from beacon.domain.run import FINISHED, PHASES, Draft, ResearchState, Run, merge_state, validate_state, validate_transition
from beacon.errors import ConflictError, InputError
from beacon.runs.conservation import conserving
from beacon.runs.drafts import write_files
from beacon.runs.phases import STEPS, Step
from beacon.runs.progress import report_progress
from beacon.runs.records_of_runs import run_event
from beacon.runs.results import NewDraft, PhaseResult, no_effects
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace


class RunStopped(Exception):
    """The run was cancelled, or another attempt has taken it over: this one ends without a trace."""


@dataclass(frozen=True, slots=True)
class StepName:
    """`kind` or `kind:index`."""

    kind: str
    index: int = 0

    @classmethod
    def parse(cls, text: str) -> "StepName":
        """The name taken apart. Raises InputError for a step that does not exist."""
        kind, _, index = text.partition(":")
        if kind not in STEPS or (index and not index.isdigit()):
            raise InputError(f"There is no step '{text}': the steps are {', '.join(STEPS)}.", step=text)
        return cls(kind, int(index or 0))


def perform(ws: Workspace, run_id: str, step: str, task_id: str = "") -> dict[str, Any]:
    """What the step decided, computed now or found in its checkpoint. `task_id` is the attempt that asks; a stale one is refused.

    Raises RunStopped, and whatever the phase raises; then nothing of the step is stored.
    """
    name = StepName.parse(step)
    with ws.records.read() as tx:
        done = tx.runs.checkpoint(run_id, step)
        run = tx.runs.get(run_id)
    if done is None:
        _refuse_stale(run, task_id)
        kind = STEPS[name.kind]
        state = _checked_state(run, kind)
        _announce(ws, run, kind)
        done = _commit(ws, run_id, step, kind, kind.work(ws, run, state, name.index), task_id)
    write_files(ws, run_id)
    return done


def _refuse_stale(run: Run, task_id: str) -> None:
    if run.status == "cancelled" or (task_id and run.state.get("task_id") != task_id):
        raise RunStopped(run.id)


def _checked_state(run: Run, kind: Step) -> ResearchState:
    state: ResearchState = ResearchState(**run.state)  # type: ignore[typeddict-item]
    if not validate_state(state):
        raise InputError(f"The run {run.id} has no query, tone or language: set them on its topic and start it again.", run_id=run.id)
    if kind.phase and run.phase != kind.phase and not validate_transition(run.phase, kind.phase, state):
        raise ConflictError(
            f"The run {run.id} cannot go from '{run.phase or 'its start'}' to '{kind.phase}': "
            f"what that phase needs is missing. Redo it from an earlier phase.",
            run_id=run.id,
        )
    return state


def _announce(ws: Workspace, run: Run, kind: Step) -> None:
    if run.status == "running" and run.progress.get("phase") == kind.title:
        return
    report_progress(ws, run.id, kind.title)


def _commit(ws: Workspace, run_id: str, step: str, kind: Step, result: PhaseResult, task_id: str) -> dict[str, Any]:
    at = ws.clock()
    outcome = dict(result.outcome)
    with ws.records.write() as tx:
        if not tx.runs.add_checkpoint(run_id, step, outcome, at):
            return tx.runs.checkpoint(run_id, step) or {}
        run = tx.runs.get(run_id)
        _refuse_stale(run, task_id)
        values = _position(tx, run, step, kind, result)
        if result.updates:
            state = merge_state(ResearchState(**run.state), result.updates)  # type: ignore[typeddict-item]
            validate_state(state)
            values["state"] = dict(state)
        tx.runs.update(run_id, at, **values)
        for draft in result.drafts:
            add_draft(tx, run_id, draft, at)
        if result.effects is not no_effects:
            with conserving(tx, run):
                result.effects(tx)
    return outcome


def _position(tx: Tx, run: Run, step: str, kind: Step, result: PhaseResult) -> dict[str, Any]:
    """Columns that say where the run is: sections only count, a phase's own step completes it."""
    if kind.counts:
        steps = tx.runs.checkpoints(run.id)
        done = sum(1 for name in steps if name.startswith(f"{StepName.parse(step).kind}:"))
        total = len(run.state.get("research_plan", []))
        return {"progress": {"phase": kind.title, "done": done, "total": total, "message": result.message}}
    progress = {"phase": kind.title, "done": 1, "total": 1, "message": result.message}
    if not kind.phase:
        return {"progress": progress}
    completed = run.completed_phases if kind.phase in run.completed_phases else [*run.completed_phases, kind.phase]
    return {"phase": kind.phase, "completed_phases": sorted(completed, key=PHASES.index), "progress": progress}


def add_draft(tx: Tx, run_id: str, draft: NewDraft, at: Any) -> Draft:
    """The draft, stored as the next version of its phase and part; the same content again is the same version."""
    earlier = [one for one in tx.runs.drafts(run_id, draft.phase) if one.part == draft.part]
    if earlier and earlier[-1].content == draft.content:
        return earlier[-1]
    n = len(earlier) + 1
    made = Draft(
        id=make_id("drf", run_id, draft.phase, draft.part, n), run_id=run_id, phase=draft.phase, part=draft.part,
        n=n, content=draft.content, at=at, metadata=dict(draft.metadata),
    )  # fmt: skip
    tx.runs.put_draft(made)
    return made


def add_problem(ws: Workspace, run_id: str, problem: str) -> None:
    """Note in the run's state what went wrong without ending it."""
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        if problem in run.state.get("errors", []):
            return
        state = merge_state(ResearchState(**run.state), ResearchState(errors=[problem]))  # type: ignore[typeddict-item]
        tx.runs.update(run_id, ws.clock(), state=dict(state))


def pause(ws: Workspace, run_id: str, step: str, reason: str, task_id: str = "") -> None:
    """The run rests at this step, through no fault of its own: what it did stays, and it goes on from here when it is resumed."""
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        if run.status in FINISHED or (task_id and run.state.get("task_id") != task_id):
            return
        at = ws.clock()
        progress = {**run.progress, "message": "paused"}
        tx.runs.update(run_id, at, status="paused", error=reason, progress=progress, finished_at=at)
        tx.events.append(run_event(ws, run, "run_paused", f"The run paused at {step}: {reason}", run.state.get("task_id", ""), step=step))


def fail(ws: Workspace, run_id: str, step: str, problem: str, task_id: str = "") -> None:
    """The run failed at this step: say so where everyone sees it. It can be resumed from there."""
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        if run.status in FINISHED or (task_id and run.state.get("task_id") != task_id):
            return
        text = f"{step}: {problem}"
        state = merge_state(ResearchState(**run.state), ResearchState(errors=[text]))  # type: ignore[typeddict-item]
        at = ws.clock()
        tx.runs.update(run_id, at, status="failed", error=problem, state=dict(state), finished_at=at)
        tx.events.append(run_event(ws, run, "run_failed", f"The run failed at {step}: {problem}", run.state.get("task_id", ""), step=step))
