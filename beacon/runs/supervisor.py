"""What the dashboard needs beside it, kept running: one worker, and the vector server of the data folder."""

import logging
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from beacon.errors import BeaconError
from beacon.processes import spawn

if TYPE_CHECKING:
    from beacon.stores.vectors.server import LocalChroma

SHORT_LIFE_S = 10.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 5.0
CHROMA_LOOK_S = 2.0
STOP_S = 8.0
LOG_BYTES = 2_000_000

log = logging.getLogger(__name__)


class Supervisor:
    """Starts a worker and Chroma for `home`, starts them again when they die, and ends them with `stop` or with this process."""

    def __init__(self, home: Path, *, worker: bool = True, chroma: bool = True, opener: str = "") -> None:
        self._home = home
        self._arguments = ["--child", *(["--open", opener] if opener else [])]
        self._stopping = threading.Event()
        self._child_lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._chroma: LocalChroma | None = None
        self.starts = 0
        self._threads = [
            threading.Thread(target=loop, daemon=True, name=f"beacon-{name}")
            for name, loop, wanted in (("worker", self._keep_worker, worker), ("chroma", self._keep_chroma, chroma))
            if wanted
        ]
        for thread in self._threads:
            thread.start()

    @property
    def worker_pid(self) -> int | None:
        """The living worker's process id."""
        child = self._child
        return child.pid if child and child.poll() is None else None

    def _keep_worker(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            started = time.monotonic()
            child = self._start()
            if child is None:
                return
            child.wait()
            lived_s = time.monotonic() - started
            pause_s = FIRST_PAUSE_S if lived_s > SHORT_LIFE_S else min(pause_s * 2, LONGEST_PAUSE_S)
            self._stopping.wait(pause_s)

    def _start(self) -> subprocess.Popen[bytes] | None:
        path = self._home / "worker.log"
        fresh = not path.exists() or path.stat().st_size > LOG_BYTES
        with self._child_lock, path.open("wb" if fresh else "ab") as output:
            if self._stopping.is_set():
                return None
            # We hold its standard input: our death is its end of file.
            self._child = spawn("beacon.runs.worker", *self._arguments, home=self._home, stdin=subprocess.PIPE, output=output)
            self.starts += 1
            return self._child

    def _keep_chroma(self) -> None:
        from beacon.stores.vectors.server import LocalChroma

        self._chroma = LocalChroma(self._home)
        down = False
        while not self._stopping.is_set():
            try:
                self._chroma.url()
                down = False
            except BeaconError as error:  # a projection that is down delays, it does not stop us
                if not down:
                    log.warning("%s", error.message)
                down = True
            self._stopping.wait(CHROMA_LOOK_S)

    def stop(self) -> None:
        """Ends the worker in order, gives the lease on Chroma back. May be called twice."""
        self._stopping.set()
        with self._child_lock:
            child = self._child
        if child and child.poll() is None:
            if child.stdin and not child.stdin.closed:
                child.stdin.close()  # end of file: please finish
            try:
                child.wait(STOP_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        for thread in self._threads:
            thread.join(STOP_S)
        if self._chroma:
            self._chroma.close()
