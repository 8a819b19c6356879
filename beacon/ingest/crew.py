"""Child processes that work out documents while this one writes the records.

A child reads jobs from its input and writes outcomes to its output; it ends when its input does, however its parent died. Whatever
a child did not take, or was taken from it by its death, is worked out here: the outcome is the same, only later.
"""

import os
import pickle
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from beacon.ingest.work import Work, Worked, work_out
from beacon.processes import spawn

CHILD = "beacon.ingest.hand"
DOCUMENTS_A_JOB = 10
CHARACTERS_A_JOB = 60_000
IN_FLIGHT = 2  # jobs a child holds: the one it works on and the next
MOST_CHILDREN = 2  # writing the records keeps no more busy, and each takes 75 MB
END_S = 5.0  # a child ends within a job of its input's end


class Job:
    """Some documents to be worked out, and what came of them once `done` is set; None where a child failed."""

    __slots__ = ("done", "outcome", "works")

    def __init__(self, works: Sequence[Work]) -> None:
        self.works = tuple(works)
        self.outcome: list[Worked] | None = None
        self.done = threading.Event()


class Crew:
    """Works out documents in the order they are asked for, with the help of `children` processes (0: alone)."""

    def __init__(self, home: Path, known_aliases: Mapping[str, str], children: int | None = None) -> None:
        self._home, self._known = home, known_aliases
        self._wanted = count_children() if children is None else children
        self._children: list[_Child] = []
        self._waiting: deque[Job] = deque()
        self._change = threading.Condition()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._change:
            self._closed = True
            self._waiting.clear()
            self._change.notify_all()
        for child in self._children:
            child.end()

    def hire(self, space: str = "") -> None:
        """Start the children, if there are to be any and they are not there.

        `space` names the embedder whose vectors are wanted; a child that has another one gives none.
        """
        while len(self._children) < self._wanted:
            self._children.append(_Child(self._home, self._take, pickle.dumps((dict(self._known), space))))

    def submit(self, works: Sequence[Work]) -> list[Job]:
        """The jobs these documents make, in order; a child may begin with them at once."""
        jobs = [Job(part) for part in _parts(works)]
        with self._change:
            self._waiting.extend(jobs)
            self._change.notify_all()
        return jobs

    def finish(self, jobs: Sequence[Job]) -> list[Worked]:
        """What the documents of these jobs came to, in order. What no child has begun is done here, the last first."""
        for job in reversed(jobs):
            if self._take_back(job):
                self._do(job)
        for job in jobs:
            while not job.done.is_set():
                other = self._take_last()  # rather than wait
                if other is None:
                    job.done.wait()
                else:
                    self._do(other)
            if job.outcome is None:
                self._do(job)
        return [worked for job in jobs for worked in job.outcome or ()]

    def _do(self, job: Job) -> None:
        job.outcome = [work_out(work, self._known) for work in job.works]
        job.done.set()

    def _take(self) -> Job | None:
        """The next job for a child, once there is one; None when there will be none."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._closed)
            return self._waiting.popleft() if self._waiting else None

    def _take_back(self, job: Job) -> bool:
        with self._change:
            if job not in self._waiting:
                return False
            self._waiting.remove(job)
            return True

    def _take_last(self) -> Job | None:
        with self._change:
            return self._waiting.pop() if self._waiting else None


def count_children() -> int:
    """How many processes beside this one a crew may have: the machine's other cores, within reason."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores - 1, MOST_CHILDREN)


def _parts(works: Sequence[Work]) -> list[list[Work]]:
    parts: list[list[Work]] = []
    size = 0
    for work in works:
        if not parts or len(parts[-1]) >= DOCUMENTS_A_JOB or size >= CHARACTERS_A_JOB:
            parts.append([])
            size = 0
        parts[-1].append(work)
        size += len(work.text)
    return parts


class _Child:
    """One process, with a thread that hands it jobs and one that receives what came of them."""

    def __init__(self, home: Path, take: Callable[[], Job | None], greeting: bytes) -> None:
        self._take = take
        self._held: deque[Job] = deque()
        self._mutex = threading.Lock()
        self._room = threading.Semaphore(0)  # none until it is there: meanwhile others may have its jobs
        self._gone = False
        self._process = spawn(
            CHILD,
            home=home,
            env={"TOKENIZERS_PARALLELISM": "false"},
            stdin=subprocess.PIPE,
            output=subprocess.PIPE,
            errors=subprocess.DEVNULL,
        )
        self._threads = [
            threading.Thread(target=self._hand_over, args=(self._process.stdin, greeting), daemon=True),
            threading.Thread(target=self._receive, args=(self._process.stdout,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Close the child's input, which ends it; one that does not end is killed."""
        self._room.release()
        self._threads[0].join(END_S)
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._threads[1].join(END_S)

    def _hand_over(self, pipe: IO[bytes], greeting: bytes) -> None:
        with suppress(OSError), pipe:  # it died: who receives from it notices, and gives back what it held
            pipe.write(greeting)
            pipe.flush()
            while (job := self._next()) is not None:
                pickle.dump(job.works, pipe, pickle.HIGHEST_PROTOCOL)
                pipe.flush()

    def _next(self) -> Job | None:
        self._room.acquire()
        job = None if self._gone else self._take()
        if job is None:
            return None
        with self._mutex:
            if not self._gone:
                self._held.append(job)
                return job
        job.done.set()
        return None

    def _receive(self, pipe: IO[bytes]) -> None:
        with suppress(EOFError, OSError, pickle.UnpicklingError), pipe:
            pickle.load(pipe)  # it is there
            self._room.release(IN_FLIGHT)
            while True:
                outcome = pickle.load(pipe)
                with self._mutex:
                    job = self._held.popleft()
                job.outcome = outcome
                job.done.set()
                self._room.release()
        with self._mutex:
            self._gone = True
        for job in self._held:
            job.done.set()
        self._room.release()
