"""The chat page in a real browser: a question, its answer with chips, the quote marked in its source, and Stop."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.app.dashboards import IDLE, beacon_at, browsing, dashboard, read_texts, visit

BOX = "Ask about what was read"
QUESTION = "How many tonnes does the crane lift?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("chat") / "home"
    read_texts(folder)
    return folder


@pytest.fixture(scope="module")
def base(home: Path) -> Iterator[str]:
    with dashboard(home) as address:
        yield address


@pytest.fixture
def page(chromium: str, base: str) -> Iterator[Page]:
    with browsing(chromium, base) as opened:
        visit(opened, "/chat")
        yield opened


def _ask(page: Page, question: str) -> None:
    box = page.get_by_placeholder(BOX)
    box.fill(question)
    box.press("Enter")


def test_a_chip_of_an_answer_opens_the_exact_quote_in_its_source(page: Page) -> None:
    _ask(page, QUESTION)
    page.get_by_text("cited").first.wait_for(timeout=30_000)
    page.locator('a[href^="#cite-"]').first.click()
    page.locator("mark").wait_for(timeout=15_000)
    assert "40 tonnes" in page.locator("mark").inner_text()


def test_a_conversation_has_an_address_of_its_own(page: Page) -> None:
    _ask(page, QUESTION)
    page.get_by_text("cited").first.wait_for(timeout=30_000)
    visit(page, page.url)
    page.get_by_text("cited").first.wait_for(timeout=30_000)
    assert "c=cnv" in page.url


def test_a_question_without_evidence_is_answered_honestly(page: Page) -> None:
    _ask(page, "Which opera opened in Lima yesterday?")
    page.get_by_text("Not enough evidence for an answer").wait_for(timeout=30_000)
    assert page.get_by_text("Search the sources").count() == 1


def test_stopping_an_answer_loses_nothing(page: Page, home: Path) -> None:
    with beacon_at(home) as beacon:
        before = len(beacon.call("conversation_list"))
        _ask(page, QUESTION)
        page.locator('[data-testid="stChatInputSubmitButton"]').click(timeout=10_000)
        page.wait_for_selector(IDLE, timeout=30_000)
        page.wait_for_timeout(2_000)
        assert len(beacon.call("conversation_list")) == before + 1
