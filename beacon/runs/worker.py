"""A worker: executes runs and jobs, starts what is due, brings the projections up to date, takes over from dead workers.

`python -m beacon.runs.worker` runs one; with `--child` it ends when the process that holds its standard input does.
"""

import argparse
import importlib
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable

from beacon.errors import BeaconError
from beacon.runs import durable
from beacon.runs.slots import Slots
from beacon.workspace import Workspace

REMEMBER_S = 60.0
SWEEP_S = 15.0
BEAT_S = 2.0
REAP_S = 2.0
DRAIN_S = 1.0
EMBED_S = 5.0
ARCHIVE_S = 3600.0
TELL_S = 20.0
ENDING_S = 8.0  # a worker never outlives its parent for longer
LEASE_LOST = 3  # exit code

log = logging.getLogger(__name__)


class Parent:
    """The process that holds the other end of our standard input: when it ends, so do we."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self.launched = threading.Event()
        threading.Thread(target=self._watch, daemon=True, name="beacon-parent").start()

    def _watch(self) -> None:
        while os.read(0, 1):
            pass
        self._stop.set()
        if self.launched.is_set():
            time.sleep(ENDING_S)
        os._exit(0)


def run_worker(ws: Workspace, *, child: bool = False, once_ready: Callable[[str], None] | None = None) -> None:
    """Works until told to stop (SIGTERM, SIGINT, or the parent's end); waits for a slot when all are held. Ends the process."""
    stop = threading.Event()
    parent = Parent(stop) if child else None
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    slots = Slots(ws.settings)
    slot = slots.wait_free(stop)  # before the launch: nobody may think our work abandoned
    if slot is None:
        return
    from beacon.runs import flow
    from beacon.runs.schedule import offer_consolidation

    flow.launch(ws, slot)
    if parent:
        parent.launched.set()
    offer_consolidation(ws)
    clock = _start_clock(ws, slots, slot)
    if once_ready:
        once_ready(slot)
    while not stop.wait(0.5):
        pass
    clock.shutdown(wait=False)
    flow.shut_down(1)
    logging.shutdown()
    os._exit(0)  # a step in flight runs again next time: its thread is not waited for


def _start_clock(ws: Workspace, slots: Slots, slot: str):  # type: ignore[no-untyped-def]
    """The scheduler of the worker's own chores."""
    from apscheduler.schedulers.background import BackgroundScheduler

    def beat() -> None:
        if not slots.alive():
            os._exit(LEASE_LOST)  # others may be running our work by now
        with ws.records.write() as tx:
            tx.runs.beat(slot, os.getpid(), socket.gethostname(), ws.clock())

    clock = BackgroundScheduler(timezone="UTC", job_defaults={"max_instances": 1, "coalesce": True, "misfire_grace_time": None})
    chores: list[tuple[str, float, Callable[[], object]]] = [
        ("beat", BEAT_S, beat),
        ("sweep", SWEEP_S, lambda: _sweep(ws)),
        ("remember", REMEMBER_S, lambda: _remember(ws)),
        ("reap", REAP_S, lambda: reap(ws, slots, slot)),
        ("drain", DRAIN_S, lambda: _drain(ws)),
        ("embed", EMBED_S, lambda: _embed(ws)),
        ("archive", ARCHIVE_S, lambda: _archive(ws)),
        ("tell", TELL_S, lambda: _tell(ws)),
    ]
    for name, every_s, chore in chores:
        clock.add_job(_guarded(name, chore), "interval", seconds=every_s, id=name)
    clock.start()
    for name, _, chore in chores:
        if name in ("beat", "sweep", "archive", "tell"):
            _guarded(name, chore)()
    return clock


def _guarded(name: str, chore: Callable[[], object]) -> Callable[[], None]:
    def once() -> None:
        try:
            chore()
        except BeaconError as error:
            log.warning("worker, %s: %s", name, error.message)
        except Exception:
            log.exception("worker, %s", name)

    return once


def _sweep(ws: Workspace) -> None:
    from beacon.runs.schedule import sweep

    for job in sweep(ws):
        log.info("started %s", job)


def _remember(ws: Workspace) -> None:
    from beacon.memory.consolidate import consolidate, due

    if reason := due(ws):
        consolidate(ws, trigger=reason)


def _drain(ws: Workspace) -> None:
    from beacon.projections import drain
    from beacon.synthesis.refresh import refresh_all

    while drain(ws):
        pass
    refresh_all(ws)


def _embed(ws: Workspace) -> None:
    from beacon.projections import fill_vectors

    while fill_vectors(ws):
        pass


def _archive(ws: Workspace) -> None:
    from beacon.runs.topic_memory import archive_expired

    archive_expired(ws)


def _tell(ws: Workspace) -> None:
    from beacon.runs.notifications import tell_all
    from beacon.spending import notice_new_settings

    notice_new_settings(ws)
    tell_all(ws)


def reap(ws: Workspace, slots: Slots, own: str) -> int:
    """How many unfinished workflows of dead workers now go on here; runs whose workflow broke off are marked as failed."""
    from beacon.runs import flow
    from beacon.runs.jobs import mark_broken

    with ws.records.read() as tx:
        others = [name for name in durable.executors_with_work(tx.connection) if name != own]
    adopted = 0
    for name in others:
        if slots.take(name):
            try:
                adopted += flow.adopt(name)
            finally:
                slots.free(name)
    mark_broken(ws)
    return adopted


def main() -> None:
    """One worker of the data folder that BEACON_HOME names."""
    parser = argparse.ArgumentParser(prog="python -m beacon.runs.worker", description="Executes Beacon's runs and jobs.")
    parser.add_argument("--child", action="store_true", help="end when standard input is closed")
    parser.add_argument("--open", default="beacon.bootstrap:open_beacon", help="module:function that opens Beacon")
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    module, _, function = str(given.open).partition(":")
    try:
        opened = getattr(importlib.import_module(module), function)()  # by name: the room above this one picks the backends
        run_worker(opened.workspace, child=given.child, once_ready=lambda slot: print(f"worker {slot} is ready", flush=True))
    except BeaconError as error:
        print(f"beacon worker: {error.message}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
