"""The loopback Chroma server of a data folder: started by whoever needs it first, shared by all, gone when nobody is left.

Everybody who uses it holds a lease. A process may look for the server, start it or end it only under `start.lock`; the server
holds `owner.lock` as long as it lives, and its address file counts only while that lock is held. So the death of any process at
any moment leaves neither an orphan nor two servers on one folder, nor an address that has since become somebody else's.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from beacon.errors import StorageError, UnavailableError
from beacon.processes import Lease, Lock, count_leases, hold_lock, spawn
from beacon.stores.vectors.files import discard_indexes, keep_log, vacuum

START_S = 30.0  # a server is ready after about 0.4 s; the rest is for a loaded machine
DECIDE_S = 60.0  # longer than START_S: who waits here waits for another's start
HEARTBEAT_S = 2.0
POLL_S = 0.03
IDLE_S = 3  # seconds without a lease after which the server ends
ATTEMPTS = 3  # another program may take the free port first
LOG_BYTES = 1_000_000
SUSPECT_S = 40.0  # how long before its end an index may have been written and yet not be on disk: 30 s in the page cache, and some
YOUNG_S = 10.0  # a server started after a kill that ends so soon itself may have ended by an index that crashes it
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class Folder:
    """Where the files of one data folder's Chroma are."""

    def __init__(self, home: Path) -> None:
        self.path = home / "chroma"
        self.data = self.path / "data"
        self.leases = self.path / "leases"
        self.start_lock = self.path / "start.lock"
        self.owner_lock = self.path / "owner.lock"
        self.address = self.path / "address.json"
        self.beat = self.path / "beat"  # touched every second while a server lives, gone after an orderly end
        self.log = self.path / "server.log"

    def find_answering(self) -> str | None:
        """The address of the server that owns this folder, if it answers there."""
        url = self._read_address().get("url")
        return str(url) if url and answers(str(url)) else None

    def find_pid(self) -> int | None:
        """The process of the server that owns this folder, once it has answered."""
        pid = self._read_address().get("pid")
        return int(pid) if pid else None

    def _read_address(self) -> dict[str, Any]:
        try:
            return dict(json.loads(self.address.read_text()))
        except (OSError, ValueError, TypeError):
            return {}

    def is_owned(self) -> bool:
        """Whether a server process lives. Meaningful under `start.lock` only, where no new one can appear."""
        if free := hold_lock(self.owner_lock):
            free.release()
        return free is None


def answers(url: str) -> bool:
    """Whether a Chroma server answers at `url`."""
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{url}/api/v2/heartbeat", timeout=HEARTBEAT_S) as reply:
            return b"nanosecond heartbeat" in reply.read(200)
    except (OSError, ValueError):
        return False


class LocalChroma:
    """One process's use of the server that belongs to `home`."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._folder = Folder(home)
        self._lease: Lease | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._mutex = threading.Lock()

    def __str__(self) -> str:
        return f"the local Chroma server of {self._home}"

    def url(self) -> str:
        """The running server's address; starts one when there is none. After a connection error, ask again. Raises UnavailableError."""
        with self._mutex, self._deciding():
            self._lease = self._lease or Lease(self._folder.leases)
            url = self._find_running() or self._start()
            keep_log(self._folder.data)
            return url

    def close(self) -> None:
        """Gives the lease back: without any, the server ends itself after IDLE_S seconds."""
        with self._mutex:
            if self._lease:
                self._lease.release()
            self._lease = None

    @contextmanager
    def _deciding(self) -> Iterator[None]:
        lock = hold_lock(self._folder.start_lock, DECIDE_S)
        if lock is None:
            message = f"Another process has held {self._folder.start_lock} for {DECIDE_S:.0f} s: see {self._folder.log} and try again."
            raise UnavailableError(message, path=self._folder.start_lock)
        with lock:
            yield

    def compact(self) -> bool:
        """True, once the files hold nothing of deleted rows and dropped collections. Stops the server; the next `url` starts it."""
        with self._mutex, self._deciding():
            self._stop()
            vacuum(self._folder.data)
        return True

    def _stop(self) -> None:
        deadline = time.monotonic() + START_S
        while self._folder.is_owned():
            if time.monotonic() > deadline:
                raise self._failure("The Chroma server does not stop")
            with suppress(ProcessLookupError):
                if pid := self._folder.find_pid():
                    os.kill(pid, KILL)  # at any moment harmless, where a polite request waits for idle connections
            time.sleep(POLL_S)

    def _find_running(self) -> str | None:
        deadline = time.monotonic() + START_S
        while self._folder.is_owned():  # booting, busy, or about to end
            if url := self._folder.find_answering():
                return url
            if time.monotonic() > deadline:
                raise self._failure("The running Chroma server does not answer")
            time.sleep(POLL_S)
        return None

    def _start(self) -> str:
        deadline = time.monotonic() + START_S
        for _ in range(ATTEMPTS):
            self._folder.address.unlink(missing_ok=True)
            child = self._spawn()
            while child.poll() is None and time.monotonic() < deadline:
                if url := self._folder.find_answering():
                    return url
                time.sleep(POLL_S)
            child.kill()
        raise self._failure("Chroma does not start")

    def _spawn(self) -> subprocess.Popen[bytes]:
        if self._child:
            self._child.poll()  # a server that died must not stay behind as a zombie
        log = self._folder.log
        fresh = not log.exists() or log.stat().st_size > LOG_BYTES
        with log.open("wb" if fresh else "ab") as output:
            self._child = spawn(__name__, "0", "--home", str(self._home), home=self._home, env={"RUST_LOG": "error"}, output=output)
        return self._child

    def _failure(self, what: str) -> UnavailableError:
        return UnavailableError(f"{what}: see {self._folder.log}, then try again.", path=self._folder.log)


def serve(home: Path, port: int) -> None:
    """Runs the server on loopback until nobody holds a lease. Port 0 takes a free one.

    The Rust server is run without the chromadb package (50 MB of memory, not 115). It releases the interpreter's lock, so threads
    run beside it; Python's signal handlers do not, so the signals keep their defaults.
    """
    import chromadb_rust_bindings

    folder = Folder(home)
    owner = hold_lock(folder.owner_lock, timeout_s=10)
    if owner is None:
        sys.exit(f"another Chroma server owns {folder.path}")
    restarted = _repair(folder)
    folder.beat.write_text(json.dumps({"started": time.time(), "restarted": restarted}))
    port = port or _free_port()
    threading.Thread(target=_announce, args=(folder, f"http://127.0.0.1:{port}"), daemon=True).start()
    threading.Thread(target=_guard, args=(folder,), daemon=True).start()
    chromadb_rust_bindings.cli(["chroma", "run", "--path", str(folder.data), "--host", "127.0.0.1", "--port", str(port)])


def _repair(folder: Folder) -> bool:
    """Whether the last server was killed. The indexes it may have been writing are then discarded, to be built anew from the log."""
    try:
        ended = folder.beat.stat().st_mtime
        last = dict(json.loads(folder.beat.read_text()))
    except FileNotFoundError:
        return False
    except ValueError:  # killed while writing the file
        last = {}
    crashing = last.get("restarted", True) and ended - last.get("started", ended) < YOUNG_S
    if discarded := discard_indexes(folder.data, 0.0 if crashing else ended - SUSPECT_S):
        print(f"The last server was killed: building {len(discarded)} vector indexes anew from the log.", flush=True)
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _announce(folder: Folder, url: str) -> None:
    while not answers(url):
        time.sleep(POLL_S)
    draft = folder.address.with_suffix(".new")
    draft.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    os.replace(draft, folder.address)


def _guard(folder: Folder) -> None:
    idle = 0
    while True:
        time.sleep(1)
        if not folder.owner_lock.exists():  # a data folder that was removed must not come back by our locking in it
            break
        try:
            folder.beat.touch()
            if start := hold_lock(folder.start_lock):
                idle = _end_or_count(folder, idle, start)
        except (StorageError, OSError):
            break
    os._exit(1)


def _end_or_count(folder: Folder, idle: int, start: Lock) -> int:
    with start:
        idle = 0 if count_leases(folder.leases) else idle + 1
        if idle >= IDLE_S:
            folder.address.unlink(missing_ok=True)
            folder.beat.unlink(missing_ok=True)
            os._exit(0)  # under start.lock: no client can be looking at this server now
        return idle


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m beacon.stores.vectors.server", description="The Chroma server of a data folder.")
    parser.add_argument("port", type=int, help="0 takes a free one")
    parser.add_argument("--home", type=Path, required=True, help="the data folder")
    given = parser.parse_args()
    serve(given.home, given.port)


if __name__ == "__main__":
    main()
