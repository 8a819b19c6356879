"""Work that a page starts and does not wait for: one thread a task, its end kept for whoever looks."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from beacon.errors import BeaconError


@dataclass(slots=True)
class Task:
    """A piece of work under way or ended. `problem` is what went wrong, in words."""

    started: float
    done: bool = False
    result: Any = None
    problem: str = ""

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.started


_tasks: dict[str, Task] = {}
_lock = threading.Lock()


def start(key: str, work: Callable[[], Any]) -> Task:
    """The task of that key, started now unless it is under way already."""
    with _lock:
        known = _tasks.get(key)
        if known is not None and not known.done:
            return known
        task = _tasks[key] = Task(time.monotonic())
    threading.Thread(target=_do, args=(task, work), daemon=True, name=f"beacon-{key}").start()
    return task


def find(key: str) -> Task | None:
    """The task of that key, under way or ended, or None."""
    return _tasks.get(key)


def forget(key: str) -> None:
    """Let go of an ended task."""
    with _lock:
        task = _tasks.get(key)
        if task is not None and task.done:
            del _tasks[key]


def _do(task: Task, work: Callable[[], Any]) -> None:
    try:
        task.result = work()
    except BeaconError as error:
        task.problem = error.message
    except Exception as error:  # noqa: BLE001  the thread's edge: without it the page would wait for ever
        task.problem = f"It ended unexpectedly: {error}"
    finally:
        task.done = True
