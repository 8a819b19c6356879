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
    page.get_by_text("Search the sources").wait_for(timeout=10_000)


def test_stopping_an_answer_loses_nothing(page: Page, home: Path) -> None:
    ports = ", ".join(f"berth {n}" for n in range(1, 36))
    with beacon_at(home) as beacon:
        beacon.call("ingest_text", title="Winter berths", text=f"The winter berths reserved for tugboats are {ports} and the old pier.")
        before = {conversation["id"] for conversation in beacon.call("conversation_list")}
        _ask(page, "What are the winter berths reserved for?")
        page.locator('[data-testid="stChatInputStopButton"]').click(timeout=20_000)
        page.wait_for_selector(IDLE, timeout=30_000)
        page.wait_for_timeout(3_000)
        (kept,) = [c["id"] for c in beacon.call("conversation_list") if c["id"] not in before]
        assert "berth 28" in beacon.call("conversation_show", id=kept)["messages"][1]["content"]
    visit(page, f"/chat?c={kept}")
    page.get_by_text("berth 28").first.wait_for(timeout=20_000)
