"""Attempts at runs: each is one workflow of the durable engine, queued in the transaction that makes it necessary."""

from dataclasses import replace
from typing import Any

from beacon.domain.run import Run
from beacon.runs import durable
from beacon.runs.records_of_runs import run_event
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace


def queue_run(ws: Workspace, tx: Tx, client: Any, run: Run, gated: bool) -> None:
    """Store the run and queue its first attempt, both or neither."""
    task_id = next_task(tx, run.id)
    if tx.runs.add(replace(run, state={**run.state, "task_id": task_id})):
        tx.events.append(run_event(ws, run, "run_started", f"A run of '{run.state['query']}' was started.", task_id, trigger=run.trigger))
        durable.enqueue(client, tx.connection, "research", task_id, run.id, run.project_id, run.user_id, gated)


def next_task(tx: Tx, run_id: str) -> str:
    return f"{run_id}.{durable.attempts(tx.connection, run_id) + 1}"


def queue_again(ws: Workspace, tx: Tx, client: Any, run: Run, **values: Any) -> None:
    """Queue another attempt at the run: finished steps are found done. The attempt before it, if it still lives, stops."""
    task_id = next_task(tx, run.id)
    topic = tx.topics.get(run.project_id, run.topic_id)
    state = {**values.pop("state", run.state), "task_id": task_id}
    progress = {"phase": "Waiting for a worker", "done": 0, "total": 0, "message": ""}
    tx.runs.update(run.id, ws.clock(), status="queued", error="", finished_at=None, state=state, progress=progress, **values)
    durable.enqueue(client, tx.connection, "research", task_id, run.id, run.project_id, run.user_id, topic.gates)
