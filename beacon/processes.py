"""Child processes, and locks that the system frees however their holder dies."""

import os
import subprocess
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from filelock import FileLock, Timeout

from beacon.errors import StorageError

IMPORT_ROOT = Path(__file__).resolve().parents[1]  # the checkout, or the site-packages folder of an installed wheel


def spawn(
    module: str,
    *args: str,
    home: Path,
    env: Mapping[str, str] | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    output: int | IO[bytes] | None = None,
    errors: int | IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """A started `python -m module args`, in a process group of its own, with BEACON_HOME set to `home`.

    The group keeps Ctrl-C from reaching it before its parent has stopped it in order; `-P` keeps the working directory off its
    import path. `output` takes both its streams (None: the parent's), unless `errors` takes the second.
    """
    environ = {**os.environ, **(env or {})}
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(IMPORT_ROOT), environ.get("PYTHONPATH")]))
    environ["BEACON_HOME"] = str(home)
    environ.setdefault("MALLOC_ARENA_MAX", "2")  # glibc gives each of many threads a heap of its own, mostly empty
    command = [sys.executable, "-P", "-m", module, *args]
    errors = output if errors is None else errors
    if sys.platform == "win32":
        group = subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen(command, env=environ, stdin=stdin, stdout=output, stderr=errors, creationflags=group)
    return subprocess.Popen(command, env=environ, stdin=stdin, stdout=output, stderr=errors, start_new_session=True)


class Lock:
    """A held lock on a file: until `release`, or until its process dies."""

    def __init__(self, held: FileLock) -> None:
        self._held = held

    def release(self) -> None:
        self._held.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


def hold_lock(path: Path, timeout_s: float = 0.0) -> Lock | None:
    """The lock on `path`, or None when another holds it for longer than `timeout_s`. Raises StorageError when the file cannot be made."""
    held = FileLock(path, thread_local=False)  # released by another thread than the one that took it
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        held.acquire(timeout=timeout_s, poll_interval=0.02)
    except Timeout:
        return None
    except OSError as error:
        raise StorageError(
            f"The lock file {path} cannot be made ({error.strerror}): check the rights of the data folder.", path=path
        ) from error
    return Lock(held)


class Lease:
    """One process's claim on something shared: it counts until `release`, or until the process dies."""

    def __init__(self, folder: Path) -> None:
        """Takes the lease. Whoever takes or counts leases holds one lock meanwhile: else a lease just being taken may be removed."""
        self._path = folder / uuid.uuid4().hex
        lock = hold_lock(self._path)
        if lock is None:
            raise StorageError(
                f"The lease {self._path} is held by another process: remove the folder {folder} and try again.", path=self._path
            )
        self._lock = lock

    def release(self) -> None:
        self._lock.release()


def count_leases(folder: Path) -> int:
    """How many leases in `folder` are held by living processes; those of the dead are removed."""
    alive = 0
    for path in sorted(folder.glob("*")):
        dead = hold_lock(path)
        if dead is None:
            alive += 1
        else:
            path.unlink(missing_ok=True)
            dead.release()
    return alive
