"""The durable workflows: in which order the steps of a run are performed, and how an executor is started and stopped.

Only a process that executes imports this. Steps are named and ordered so that a workflow recorded by an earlier Beacon can be continued:
a step is added at the end, or behind `DBOS.patch`.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Any

from dbos import DBOS, DBOSPortableJSONSerializer

from beacon.domain.run import MAX_REVISIONS
from beacon.errors import BeaconError, BudgetError, UnavailableError
from beacon.runs import durable, gates, steps
from beacon.runs.project_jobs import run_job
from beacon.stores.records.engine import durable_engine
from beacon.workspace import Workspace

RETRIES = 4
RETRY_S = 0.5
SECTION_POLL_S = 0.03
SECTIONS_AT_ONCE = 6
RUNS_AT_ONCE = 50
PATIENT_S, QUICK_S = 0.5, 0.04  # how often the queues are looked at: by a worker, and where someone waits for one run

log = logging.getLogger(__name__)


class Host:
    """The workspaces an executor serves: one a project and user, made from the one it was started with."""

    def __init__(self, base: Workspace) -> None:
        self._made = {(base.project_id, base.user_id): base}
        self._base = base
        self._lock = Lock()

    def of(self, project_id: str, user_id: str) -> Workspace:
        with self._lock:
            key = (project_id, user_id or self._base.user_id)
            if key not in self._made:
                self._made[key] = replace(self._base, project_id=key[0], user_id=key[1], _lock=Lock())
            return self._made[key]


_host: Host | None = None


def _workspace(project_id: str, user_id: str) -> Workspace:
    if _host is None:
        raise RuntimeError("No executor runs in this process.")
    return _host.of(project_id, user_id)


def _attempt(step: str, ws: Workspace, run_id: str, task_id: str, work: Callable[[], dict[str, Any]], soft: bool = False) -> dict[str, Any]:
    """What `work` gave, or {"stopped": …} when the run cannot go on; what failed is in the run's record."""
    problem = ""
    for left in reversed(range(RETRIES)):
        try:
            return work()
        except steps.RunStopped:
            return {"stopped": "cancelled"}
        except BudgetError as error:
            steps.pause(ws, run_id, step, error.message, task_id)
            return {"stopped": "paused"}
        except UnavailableError as error:
            problem = error.message
            if left:
                time.sleep(RETRY_S * (RETRIES - left))
                continue
        except BeaconError as error:
            problem = error.message
        except Exception as error:
            log.exception("run %s, step %s", run_id, step)
            problem = f"{type(error).__name__}: {error}"
        break
    if soft:
        steps.add_problem(ws, run_id, f"{step}: {problem}")
        return {}
    steps.fail(ws, run_id, step, problem, task_id)
    return {"stopped": "failed"}


@DBOS.step()
def do_step(project_id: str, user_id: str, run_id: str, step: str, soft: bool, task_id: str) -> dict[str, Any]:
    """One phase or section."""
    ws = _workspace(project_id, user_id)
    found = _attempt(step, ws, run_id, task_id, lambda: steps.perform(ws, run_id, step, task_id), soft)
    return {name: found[name] for name in ("stopped", "sections", "needs_revision") if name in found}


@DBOS.step()
def do_open_gate(project_id: str, user_id: str, run_id: str, name: str, task_id: str) -> dict[str, Any]:
    """The gate, open."""
    ws = _workspace(project_id, user_id)
    return _attempt(f"gate:{name}", ws, run_id, task_id, lambda: gates.open_gate(ws, run_id, name, task_id))


@DBOS.step()
def do_pass_gate(project_id: str, user_id: str, run_id: str, name: str, gate_id: str, task_id: str) -> dict[str, Any]:
    """The answer, applied."""
    ws = _workspace(project_id, user_id)
    return _attempt(f"gate:{name}", ws, run_id, task_id, lambda: gates.pass_gate(ws, run_id, name, gate_id, task_id))


@DBOS.step()
def do_job(project_id: str, user_id: str, kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """One job of a project, such as consolidation."""
    ws = _workspace(project_id, user_id)
    try:
        return run_job(ws, kind, arguments)
    except BeaconError as error:
        log.warning("%s of project %s: %s", kind, project_id, error.message)
        return {"error": error.message}


class _Stop(Exception):
    """The workflow has nothing more to do; why is in the run's record."""


class _Course:
    """One attempt at a run, as the workflow walks it. Everything it decides by comes out of recorded steps."""

    def __init__(self, run_id: str, project_id: str, user_id: str, task_id: str) -> None:
        self.run_id, self.project_id, self.user_id, self.task_id = run_id, project_id, user_id, task_id

    def do(self, step: str, *, soft: bool = False) -> dict[str, Any]:
        return self._checked(do_step(self.project_id, self.user_id, self.run_id, step, soft, self.task_id))

    @staticmethod
    def _checked(found: dict[str, Any]) -> dict[str, Any]:
        if "stopped" in found:
            raise _Stop(found["stopped"])
        return found

    def research(self, numbers: list[int], join: int) -> None:
        """Sections in parallel, each a workflow of its own, then what they found together."""
        common = (self.run_id, self.project_id, self.user_id, self.task_id)
        handles = [DBOS.enqueue_workflow(durable.SECTIONS, section, *common, number) for number in numbers]
        for found in [handle.get_result(polling_interval_sec=SECTION_POLL_S) for handle in handles]:
            self._checked(found)
        self.do(f"research:{join}")

    def gate(self, name: str) -> dict[str, Any]:
        """What was decided. Undecided, the workflow ends here: the answer queues the next one, which finds everything before it done."""
        ids = (self.project_id, self.user_id, self.run_id, name)
        gate = self._checked(do_open_gate(*ids, self.task_id))
        if not gate["answered"]:
            raise _Stop("waiting")
        decided = self._checked(do_pass_gate(*ids, str(gate["gate"]), self.task_id))
        if decided.get("decision") == "reject":
            raise _Stop("rejected")
        return decided

    def ask(self, name: str) -> int | None:
        """Pass a gate; the number of the section a follow-up asked for, once it asks no more None."""
        decided = self.gate(name)
        return int(decided["section"]) if "section" in decided else (-1 if decided.get("decision") == "follow_up" else None)

    def write(self, first: int) -> int:
        """Review and revise until nothing needs revision, at most MAX_REVISIONS times; the next free number."""
        for turn in range(first, first + MAX_REVISIONS + 1):
            if not self.do(f"reviewing:{turn}").get("needs_revision") or turn == first + MAX_REVISIONS:
                return turn + 1
            self.do(f"revision:{turn}")
        return first + MAX_REVISIONS + 1


@DBOS.workflow()
def section(run_id: str, project_id: str, user_id: str, task_id: str, number: int) -> dict[str, Any]:
    """One section of a run's research."""
    return do_step(project_id, user_id, run_id, f"section:{number}", False, task_id)


@DBOS.workflow()
def research(run_id: str, project_id: str, user_id: str, gated: bool) -> str:
    """One run, from memory to memory; how it ended."""
    course = _Course(run_id, project_id, user_id, str(DBOS.workflow_id))
    try:
        _gather_and_research(course, gated)
        _write_and_publish(course, gated)
    except _Stop as stop:
        return str(stop)
    return "done"


def _gather_and_research(course: _Course, gated: bool) -> None:
    course.do("load_memory", soft=True)
    course.do("browsing")
    planned = int(course.do("planning").get("sections", 0))
    if gated:
        for turn in range(1, gates.MAX_FOLLOW_UPS + 1):
            if course.ask("plan" if turn == 1 else f"plan#{turn}") is None:
                break
        planned = int(course.do("plan_again").get("sections", 0))
    course.research(list(range(planned)), 1)
    if gated:
        for turn in range(1, gates.MAX_FOLLOW_UPS + 1):
            added = course.ask("findings" if turn == 1 else f"findings#{turn}")
            if added is None:
                break
            course.research([added], turn + 1)


def _write_and_publish(course: _Course, gated: bool) -> None:
    course.do("writing")
    turn = course.write(1)
    if gated:
        for again in range(1, gates.MAX_FOLLOW_UPS + 1):
            if course.ask("report" if again == 1 else f"report#{again}") is None:
                break
            course.do(f"revision:{turn}")
            turn = course.write(turn + 1)
    course.do("publishing")
    course.do("save_memory", soft=True)
    course.do("finish")


@DBOS.workflow()
def project_job(kind: str, project_id: str, user_id: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """One job of a project."""
    return do_job(project_id, user_id, kind, arguments)


def launch(ws: Workspace, slot: str, *, quick: bool = False) -> None:
    """Start executing in this process under `slot`, which the caller holds: unfinished work of this slot goes on."""
    global _host
    durable.quiet()
    _host = Host(ws)
    poll_s = QUICK_S if quick else PATIENT_S
    client = durable.client_of(ws.records)  # queues that are there before the launch are served at once, not a second later
    client.register_queue(durable.RUNS, worker_concurrency=RUNS_AT_ONCE, polling_interval_sec=poll_s)
    client.register_queue(durable.SECTIONS, worker_concurrency=SECTIONS_AT_ONCE, polling_interval_sec=min(poll_s, 0.1))
    DBOS(
        config={
            "name": durable.NAME,
            "system_database_url": durable.engine_url(ws.settings.records_url),
            "system_database_engine": durable_engine(ws.settings.records_url),
            "application_version": durable.VERSION,
            "executor_id": slot,
            "log_level": "WARNING",
            "serializer": DBOSPortableJSONSerializer(),
            "notification_listener_polling_interval_sec": QUICK_S if quick else durable.NOTICE_S,
        }
    )
    DBOS.launch()


def adopt(executor_id: str) -> int:
    """How many unfinished workflows of a dead executor, whose slot the caller holds, now go on here."""
    return len(DBOS._recover_pending_workflows([executor_id]))


def shut_down(timeout_s: int = 0) -> None:
    """Stop executing; a step in flight runs again at the next launch."""
    global _host
    logging.getLogger("dbos").setLevel(logging.CRITICAL)  # a workflow cut off here goes on later: that is no error
    DBOS.destroy(workflow_completion_timeout_sec=timeout_s)
    _host = None
