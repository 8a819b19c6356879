"""The dashboard as a person meets it: a real server, a real browser."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from tests import servers
from tests.app.data_folders import SLUG, two_runs

STARTS_WITHIN_S = 60.0
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'


class Desk:
    """A running dashboard."""

    def __init__(self, process: subprocess.Popen[bytes], base: str) -> None:
        self.process = process
        self.base = base


def _start(home: Path, folder: Path) -> Desk:
    port = servers.free_port()
    command = [sys.executable, "-P", "-m", "beacon", "up", "--port", str(port)]
    env = {**os.environ, "BEACON_HOME": str(home)}
    with (folder / "up.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    desk = Desk(process, f"http://127.0.0.1:{port}")
    deadline = time.monotonic() + STARTS_WITHIN_S
    while not _health(desk).get("ready"):
        assert process.poll() is None and time.monotonic() < deadline, (folder / "up.log").read_text()
        time.sleep(0.2)
    return desk


def _health(desk: Desk) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"{desk.base}/api/health", timeout=5) as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return found
    except OSError:
        return {}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A dashboard with its worker over a topic that ran twice, started from a folder that is not the checkout."""
    folder = tmp_path_factory.mktemp("desk")
    two_runs(folder / "home")
    started = _start(folder / "home", folder)
    yield started
    started.process.send_signal(signal.SIGTERM)
    started.process.wait(30)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=list(servers.CHROMIUM_ARGS))
        yield started
        started.close()


@pytest.fixture
def page(browser: Any, desk: Desk) -> Iterator[Page]:
    """A page that notes every request to another host."""
    opened: Page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=desk.base)
    foreign: list[str] = []
    opened.on("request", lambda request: foreign.append(request.url) if not request.url.startswith((desk.base, "blob:", "data:")) else None)
    yield opened
    opened.close()
    assert not foreign


def _visit(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_selector(IDLE, timeout=30_000)


def test_the_first_request_may_be_a_deep_link(page: Page) -> None:
    _visit(page, f"/topics?slug={SLUG}")
    page.get_by_role("heading", name="Lund plant").wait_for(timeout=20_000)
    assert page.get_by_role("link", name="Home").count() == 1


@pytest.mark.parametrize("path", ["/", "/topics", "/search?q=Lund", "/settings?part=Health"])
def test_a_page_opens_without_an_error(page: Page, path: str) -> None:
    _visit(page, path)
    page.locator("h1").first.wait_for(timeout=20_000)
    assert page.locator('[data-testid="stException"], [data-testid="stAlertContentError"]').count() == 0


def test_a_citation_opens_the_quote_marked_in_its_source(page: Page) -> None:
    _visit(page, f"/topics?slug={SLUG}&view=Report")
    page.locator('a[href*="#cite-"]').first.click()
    marked = page.locator("mark")
    marked.wait_for(timeout=20_000)
    assert "plant" in marked.inner_text()


def test_evidence_of_a_change_marks_both_sides(page: Page) -> None:
    _visit(page, f"/topics?slug={SLUG}")
    page.locator(".st-key-change_changes_2_1_0").get_by_role("button", name="Evidence").click()
    page.locator("mark").nth(1).wait_for(timeout=20_000)
    old, new = page.locator("mark").all_inner_texts()
    assert old != new


def test_run_now_shows_progress_and_ends_by_itself(page: Page) -> None:
    _visit(page, f"/topics?slug={SLUG}")
    page.locator(".st-key-run_now button").click()
    page.get_by_text("Run #3").first.wait_for(timeout=60_000)
    assert page.locator(".st-key-run_now button").is_enabled()


def test_the_search_box_leads_to_passages(page: Page) -> None:
    _visit(page, "/settings")
    box = page.get_by_placeholder("Search all sources")
    box.fill("people employed in Lund")
    box.press("Enter")
    page.get_by_role("heading", name="Search", exact=True).wait_for(timeout=20_000)
    page.locator(".st-key-hit_0").wait_for(timeout=20_000)


@pytest.mark.parametrize(("scheme", "ground"), [("light", "rgb(253, 252, 250)"), ("dark", "rgb(25, 23, 21)")])
def test_light_and_dark_follow_the_system(browser: Any, desk: Desk, scheme: str, ground: str) -> None:
    opened = browser.new_page(color_scheme=scheme, base_url=desk.base)
    _visit(opened, "/")
    found = opened.locator('[data-testid="stApp"]').evaluate("element => getComputedStyle(element).backgroundColor")
    opened.close()
    assert found == ground


def test_the_interface_for_other_programs_is_mounted(desk: Desk) -> None:
    client = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}).encode()
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with urllib.request.urlopen(urllib.request.Request(f"{desk.base}/api/mcp", body, headers), timeout=20) as answer:
        assert b"beacon" in answer.read()


def test_stopping_takes_the_worker_along(tmp_path: Path) -> None:
    import psutil

    started = _start(tmp_path / "home", tmp_path)
    children = psutil.Process(started.process.pid).children(recursive=True)
    started.process.send_signal(signal.SIGTERM)
    started.process.wait(30)
    _, alive = psutil.wait_procs(children, timeout=15)
    assert children and not [one for one in alive if "beacon.runs.worker" in " ".join(one.cmdline())]
