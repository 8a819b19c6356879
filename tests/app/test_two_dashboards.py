"""Two dashboards on one data folder share its worker and its vector server, and leave nothing behind."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from beacon.bootstrap import open_beacon
from tests import servers

WITHIN_S = 60.0


def wait_for(true: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


class Up:
    """`beacon up` with all it starts."""

    def __init__(self, home: Path) -> None:
        port = servers.free_port()
        env = {**os.environ, "BEACON_HOME": str(home)}
        command = [sys.executable, "-P", "-m", "beacon", "up", "--port", str(port), "--no-open"]
        self.process = subprocess.Popen(
            command,
            cwd=home.parent,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.health = f"http://127.0.0.1:{port}/api/health"

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.health, timeout=2) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)


def processes_of(home: Path) -> list[str]:
    """The command lines of Beacon's processes on this data folder, workers and vector servers included."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("BEACON_HOME") == str(home) and "beacon" in " ".join(process.cmdline()):
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def beating(home: Path) -> set[int]:
    """The process ids of the workers that gave a sign of life lately."""
    beacon = open_beacon(home=str(home))
    try:
        return {worker["pid"] for worker in beacon.call("status")["workers"] if worker["age_s"] < 6}
    finally:
        beacon.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home"
    open_beacon(home=str(folder)).close()
    yield folder


@pytest.mark.timeout(240)
def test_the_second_takes_over_when_the_first_leaves_and_nothing_outlives_both(home: Path) -> None:
    first, second = Up(home), Up(home)
    try:
        wait_for(lambda: first.answers() and second.answers(), "both dashboards answer")
        wait_for(lambda: beating(home), "a worker is alive")
        before = beating(home)
        servers_running = [line for line in processes_of(home) if "vectors.server" in line]
        assert len(before) == 1 and len(servers_running) <= 1
        owner, other = (first, second) if next(iter(before)) in _children(first) else (second, first)
        owner.stop()
        wait_for(lambda: beating(home) - before, "the other dashboard's worker takes over")
        assert other.answers()
    finally:
        first.stop()
        second.stop()
    wait_for(lambda: not processes_of(home), f"nothing is left: {processes_of(home)}")


def _children(up: Up) -> set[int]:
    return {child.pid for child in psutil.Process(up.process.pid).children(recursive=True)}
