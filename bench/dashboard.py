"""A dashboard of its own on a free port, with its children, and a browser to look at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from types import TracebackType
from typing import Self

READY_S = 60


class Dashboard:
    """`beacon up` on a data folder, stopped when the block ends."""

    def __init__(self, home: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._env = {**os.environ, "BEACON_HOME": home}
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "beacon", "up", "--port", str(self.port), "--no-open"]
        self.process = subprocess.Popen(command, env=self._env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/api/health", timeout=2):
                    return self
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the dashboard did not come up")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()


def first_page(url: str) -> float | None:
    """Seconds from asking for the page until its script has run, in a fresh browser profile; None without Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-background-networking"])
        page = browser.new_page()
        started = time.perf_counter()
        page.goto(url)
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning] h1, [data-testid=stHeading]", timeout=60_000)
        seconds = time.perf_counter() - started
        browser.close()
    return seconds
