"""A dashboard without a worker, and a browser that looks at it and notes what it asks of other hosts."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from beacon.bootstrap import Beacon, open_beacon
from tests import servers

STARTS_WITHIN_S = 60.0
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
TEXTS = {
    "Harbour report": "Maria Keller leads the harbour office in Bremen. Maria Keller met Acme Shipping about the new crane. "
    "Acme Shipping ordered a crane for Bremen because the old crane broke in March.",
    "Crane notes": "Acme Shipping says the crane lifts 40 tonnes. Maria Keller tested the crane in Bremen on Monday.",
}


def read_texts(home: Path) -> None:
    """Fill `home` with two short sources that share names."""
    beacon = open_beacon(home=str(home))
    try:
        for title, text in TEXTS.items():
            beacon.call("ingest_text", title=title, text=text)
    finally:
        beacon.close()


@contextmanager
def beacon_at(home: Path) -> Iterator[Beacon]:
    """Beacon over the data folder, beside the dashboard."""
    beacon = open_beacon(home=str(home))
    try:
        yield beacon
    finally:
        beacon.close()


@contextmanager
def dashboard(home: Path) -> Iterator[str]:
    """The address of a dashboard over `home`; it ends with the block."""
    port = servers.free_port()
    log_path = home.parent / "up.log"
    env = {**os.environ, "BEACON_HOME": str(home), "BEACON_WORKER": "off"}
    command = [sys.executable, "-P", "-m", "beacon", "up", "--port", str(port), "--no-open"]
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            command, cwd=home.parent, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
    base = f"http://127.0.0.1:{port}"
    try:
        _wait(base, process, log_path)
        yield base
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait(base: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while True:
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        try:
            with urllib.request.urlopen(f"{base}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.2)


@contextmanager
def browsing(chromium: str, base: str) -> Iterator[Page]:
    """A browser's page; whatever it asked of another host fails the test."""
    foreign: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(servers.CHROMIUM_ARGS))
        page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=base)
        page.on("request", lambda request: foreign.append(request.url) if not request.url.startswith((base, "blob:", "data:")) else None)
        yield page
        browser.close()
    assert not foreign


def visit(page: Page, path: str) -> None:
    """Open a path and wait until its script has run."""
    page.goto(path)
    page.wait_for_selector(IDLE, timeout=30_000)
