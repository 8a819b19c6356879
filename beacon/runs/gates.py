"""Gates: where a run waits for a person, and what the answer does to it."""

import logging
from dataclasses import replace
from typing import Any

from beacon.domain.ids import make_id
from beacon.domain.run import Gate, ResearchState, Run, merge_state
from beacon.errors import BeaconError, ConflictError, InputError, NotFoundError
from beacon.memory.gate_lessons import without_findings
from beacon.runs import durable
from beacon.runs.learning import learn_from_gate
from beacon.runs.queueing import queue_again
from beacon.runs.records_of_runs import run_event
from beacon.runs.results import NewDraft
from beacon.runs.steps import RunStopped, add_draft
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

DECISIONS = ("approve", "edit", "reject", "follow_up", "dismiss")
GATES = ("plan", "findings", "report")
MAX_FOLLOW_UPS = 5
# What a person may replace at each gate.
EDITABLE = {
    "plan": ("research_plan", "methodology", "guidelines"),
    "findings": ("research_sections", "guidelines"),
    "report": ("draft_report",),
}

log = logging.getLogger(__name__)


def open_gate(ws: Workspace, run_id: str, name: str, task_id: str) -> dict[str, Any]:
    """{gate, answered}: the gate, open unless a person has answered it. A run that waits holds no thread and no workflow."""
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        _refuse_stale(run, task_id)
        gates = [gate for gate in tx.runs.gates(run_id=run_id) if gate.name == name]
        last = gates[-1] if gates else None
        if tx.runs.checkpoint(run_id, f"gate:{name}") is not None:
            return {"gate": "", "answered": True}
        if last and last.status == "answered" and not last.payload.get("passed"):
            return {"gate": last.id, "answered": True}
        at = ws.clock()
        if last is None or last.status != "open":
            last = Gate(
                id=make_id("gate", run_id, name, len(gates) + 1), run_id=run_id, name=name, opened_at=at,
                payload={"shows": EDITABLE[_plain(name)][0]},
            )  # fmt: skip
        tx.runs.put_gate(last)
        progress = {"phase": f"Waiting at the {_plain(name)} gate", "done": 0, "total": 0, "message": ""}
        tx.runs.update(run_id, at, status="waiting", progress=progress)
        tx.events.append(run_event(ws, run, "gate_opened", f"The run waits at the {_plain(name)} gate.", last.id, gate=name))
        return {"gate": last.id, "answered": False}


def _plain(name: str) -> str:
    """A gate's name without the number of its turn."""
    return name.partition("#")[0]


def _refuse_stale(run: Run, task_id: str) -> None:
    if run.status == "cancelled" or run.state.get("task_id") != task_id:
        raise RunStopped(run.id)


def pass_gate(ws: Workspace, run_id: str, name: str, gate_id: str, task_id: str) -> dict[str, Any]:
    """What the flow does next: {decision, section?}; the answer's edits are in the run's state, exactly once."""
    with ws.records.read() as tx:
        waiting = next((one for one in tx.runs.gates(run_id=run_id) if one.id == gate_id), None)
    if waiting is not None:
        learn(ws, waiting)
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        _refuse_stale(run, task_id)
        step = f"gate:{name}"
        if (done := tx.runs.checkpoint(run_id, step)) is not None:
            return done
        gate = next(one for one in tx.runs.gates(run_id=run_id) if one.id == gate_id)
        answer = gate.answer
        at = ws.clock()
        updates, outcome = _apply(run, _plain(name), answer)
        tx.runs.add_checkpoint(run_id, step, outcome, at)
        tx.runs.put_gate(replace(gate, payload={**gate.payload, "passed": True}))
        state = merge_state(ResearchState(**run.state), updates)  # type: ignore[typeddict-item]
        values: dict[str, Any] = {"state": dict(state), "status": "running"}
        if outcome["decision"] == "reject":
            values |= {"status": "cancelled", "error": f"Rejected at the {_plain(name)} gate.", "finished_at": at}
        tx.runs.update(run_id, at, **values)
        if "draft_report" in updates:
            add_draft(tx, run_id, NewDraft("revision", "edited", updates["draft_report"], {"by": "person"}), at)
        return outcome


def _apply(run: Run, gate: str, answer: dict[str, Any]) -> tuple[ResearchState, dict[str, Any]]:
    decision, payload = str(answer["decision"]), dict(answer.get("payload") or {})
    if decision == "edit":
        return ResearchState(**{name: payload[name] for name in EDITABLE[gate] if name in payload}), {"decision": decision}  # type: ignore[typeddict-item]
    if decision == "follow_up":
        return _follow_up(run, gate, str(payload["question"]))
    if decision == "dismiss" and payload.get("findings"):
        kept = without_findings(run.state.get("research_sections", []), payload["findings"])
        return ResearchState(research_sections=kept), {"decision": decision}
    return ResearchState(), {"decision": decision}


def _follow_up(run: Run, gate: str, question: str) -> tuple[ResearchState, dict[str, Any]]:
    if gate == "report":
        return ResearchState(revision_notes=[question]), {"decision": "follow_up"}
    plan = [*run.state.get("research_plan", []), {"question": question, "origin": "follow_up"}]
    return ResearchState(research_plan=plan), {"decision": "follow_up", "section": len(plan) - 1}


def answer_gate(ws: Workspace, run_id: str, decision: str, payload: dict[str, Any] | None = None, gate: str = "") -> Gate:
    """The gate, answered: the run goes on. `gate` (plan, findings, report) may be left out when one is open.

    Raises InputError for what cannot be decided there, NotFoundError without an open gate, ConflictError when it was answered before.
    """
    payload = dict(payload or {})
    _check(decision, payload)
    client = durable.client_of(ws.records)
    with ws.records.write() as tx:
        run = tx.runs.get(run_id)
        open_one = _open_one(tx, run, gate)
        _check_fields(_plain(open_one.name), decision, payload)
        at = ws.clock()
        answer = {"decision": decision, "payload": payload, "user_id": ws.user_id}
        answered = Gate(
            id=open_one.id, run_id=run_id, name=open_one.name, opened_at=open_one.opened_at, status="answered",
            payload={**open_one.payload, "before": _shown(run, _plain(open_one.name), decision)}, answer=answer, answered_at=at,
        )  # fmt: skip
        tx.runs.put_gate(answered)
        tx.events.append(_answer_event(ws, run, answered))
        queue_again(ws, tx, client, run)
    if ws.models is None:
        learn(ws, answered)
    return answered


def _shown(run: Run, gate: str, decision: str) -> dict[str, Any]:
    """What the gate showed, kept beside the answer where memory compares the two."""
    names = EDITABLE[gate] if decision == "edit" else EDITABLE[gate][:1] if decision in ("reject", "dismiss") and gate != "report" else ()
    return {name: run.state.get(name) for name in names if name in run.state}


def learn(ws: Workspace, gate: Gate) -> list[dict[str, Any]]:
    """What an answer taught whoever gave it: at once by rules; where a model reads it, by the executor. Nothing here ends a run."""
    try:
        return learn_from_gate(ws.as_user(str(gate.answer.get("user_id") or ws.user_id)), gate.id)
    except BeaconError as error:
        log.warning("Nothing was learned from gate %s: %s", gate.id, error.message)
        return []


def _answer_event(ws: Workspace, run: Run, gate: Gate) -> Any:
    words = str(gate.answer["payload"].get("question") or gate.answer["payload"].get("reason") or "")
    text = f"{gate.answer['decision']} at the {_plain(gate.name)} gate" + (f": {words}" if words else ".")
    event = run_event(
        ws, run, "gate_answered", text, gate.id, gate=gate.name, decision=gate.answer["decision"], answer=gate.answer["payload"]
    )
    return event


def _check(decision: str, payload: dict[str, Any]) -> None:
    if decision not in DECISIONS:
        raise InputError(f"'{decision}' is no decision: use {', '.join(DECISIONS)}.", decision=decision)
    if decision == "follow_up" and not str(payload.get("question", "")).strip():
        raise InputError("A follow-up needs a question: give one as `question`.")
    findings = payload.get("findings", [])
    if decision == "dismiss" and not (isinstance(findings, list) and all(isinstance(one, str) and one.strip() for one in findings)):
        raise InputError("'findings' must be a list of quotes or titles of sections.", field="findings")


def _check_fields(gate: str, decision: str, payload: dict[str, Any]) -> None:
    if decision != "edit":
        return
    if unknown := sorted(set(payload) - set(EDITABLE[gate])):
        raise InputError(f"'{unknown[0]}' cannot be edited at the {gate} gate: edit {', '.join(EDITABLE[gate])}.", field=unknown[0])
    if not payload:
        raise InputError(f"Nothing is edited: give {', '.join(EDITABLE[gate])}.")
    for name, value in payload.items():
        texts = value if isinstance(value, list) else [value]
        wanted = str if name in ("draft_report", "methodology", "guidelines") else dict
        if isinstance(value, list) != (name in ("research_plan", "research_sections", "guidelines")) or not all(
            isinstance(one, wanted) for one in texts
        ):
            raise InputError(f"'{name}' has the wrong form for an edit at the {gate} gate.", field=name)
        if name == "research_plan" and not all(str(one.get("question", "")).strip() for one in texts):
            raise InputError("Every entry of 'research_plan' needs a question.", field=name)


def _open_one(tx: Tx, run: Run, name: str) -> Gate:
    gates = [one for one in tx.runs.gates(run_id=run.id) if not name or name in (one.id, one.name, _plain(one.name))]
    waiting = [one for one in gates if one.status == "open"]
    if waiting and run.status == "waiting":
        return waiting[-1]
    if gates and gates[-1].status == "answered":
        raise ConflictError(f"The {_plain(gates[-1].name)} gate of this run was answered already.", run_id=run.id)
    raise NotFoundError(
        f"The run {run.id} waits at no{' ' + name if name else ''} gate: `beacon gate list` shows what waits.", run_id=run.id
    )
