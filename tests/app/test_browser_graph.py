"""The graph page in a real browser: a click on the canvas reaches Python and comes back as words."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.app.dashboards import IDLE, browsing, dashboard, read_texts, visit


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home: Path = tmp_path_factory.mktemp("graph") / "home"
    read_texts(home)
    with dashboard(home) as address:
        yield address


@pytest.fixture
def page(chromium: str, base: str) -> Iterator[Page]:
    with browsing(chromium, base) as opened:
        visit(opened, "/graph")
        opened.wait_for_selector(".net[data-places]", timeout=20_000)
        yield opened


def _places(page: Page) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(page.locator(".net").get_attribute("data-places") or "{}")
    return found


def _click(page: Page, name: str) -> None:
    box, at = page.locator(".net").bounding_box(), _places(page)[name]
    assert box is not None
    page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])


def test_a_click_on_a_node_shows_the_sentences_that_name_it(page: Page) -> None:
    _click(page, "Acme Shipping")
    page.get_by_text("What sources say").wait_for(timeout=15_000)
    assert page.get_by_role("heading", name="Acme Shipping").count() == 1
    assert "40 tonnes" in page.locator(".st-key-graph_side").inner_text()


def test_the_drawing_stays_where_it_is_after_a_click(page: Page) -> None:
    before = _places(page)
    _click(page, "Acme Shipping")
    page.get_by_text("What sources say").wait_for(timeout=15_000)
    page.wait_for_selector(IDLE)
    assert _places(page) == before


def test_a_quote_of_the_panel_opens_marked_in_its_source(page: Page) -> None:
    _click(page, "Acme Shipping")
    page.locator(".st-key-graph_quote_open_0 button").first.click()
    page.locator("mark").wait_for(timeout=15_000)
    assert "Acme Shipping" in page.locator("mark").inner_text()


def test_the_drawing_says_what_it_shows_to_who_cannot_see_it(page: Page) -> None:
    assert "entities" in (page.locator(".net").get_attribute("aria-label") or "")


def test_another_part_is_drawn_without_a_complaint_of_the_browser(page: Page) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if "BidiComponent" in message.text else None)
    _click(page, "Acme Shipping")
    page.get_by_role("button", name="Draw around it").click()
    page.get_by_role("button", name="Show the whole graph").click()
    page.get_by_role("button", name="Show the whole graph").wait_for(state="detached", timeout=15_000)
    page.wait_for_selector(IDLE)
    assert not said
