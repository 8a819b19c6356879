"""The Insights page: themes with their quotes, opportunities, what a person makes of them, and hostile words shown as words."""

import os
import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from beacon.bootstrap import Beacon, open_beacon
from beacon.ui.text import plain
from tests.app.data_folders import HOSTILE, opened_page, words

SAID = (
    "The archive search is slow",
    "Searching the archive takes too long",
    "I can't search the archive by name",
    "Exporting invoices is difficult",
    "I can't export invoices as a table",
)


@pytest.fixture
def desk() -> Iterator[Beacon]:
    """A data folder with five short interviews that were synthesised."""
    beacon = open_beacon(home=os.environ["BEACON_HOME"])
    for n, text in enumerate((*SAID, "The archive search is slow on Mondays"), 1):
        beacon.call("ingest_text", title=f"Note {n}", text=text, kind="ticket")
    beacon.call("synthesize")
    yield beacon
    beacon.close()


def draw(tab: str) -> AppTest:
    with opened_page("insights", insights_tab=tab) as app:
        assert not app.exception
        return app


def test_an_empty_project_says_what_belongs_there() -> None:
    with opened_page("insights") as app:
        assert "No themes yet" in words(app) and not app.exception


def test_themes_show_who_says_what(desk: Beacon) -> None:
    theme = desk.call("theme_list")[0]
    shown = words(draw("Themes"))
    assert theme["title"] in shown and "documents that name nobody" in shown


def test_words_that_others_wrote_stay_words(desk: Beacon) -> None:
    desk.call("update_theme", theme_id=desk.call("theme_list")[0]["id"], patch={"title": HOSTILE})
    shown = words(draw("Themes"))
    assert not re.search(r"(?<!\\)<img", shown) and "\\<img" in shown


def test_an_opportunity_opens_with_its_parts(desk: Beacon) -> None:
    shown = words(draw("Opportunities"))
    assert plain(desk.call("opportunity_list")[0]["title"]) in shown and all(part in shown for part in ("people", "severity", "agreement"))


@pytest.mark.parametrize("tab", ["What if", "Compare", "Decisions", "Evidence"])
def test_every_tab_opens(desk: Beacon, tab: str) -> None:
    assert draw(tab).title[0].value == "Insights"


def test_a_dismissed_theme_is_set_aside_and_can_be_restored(desk: Beacon) -> None:
    theme = desk.call("theme_list")[0]
    with opened_page("insights", insights_tab="Themes") as app:
        app.button(key=f"dismiss_{theme['id']}").click().run()
        assert theme["id"] not in {one["id"] for one in desk.call("theme_list")}
        app.button(key=f"restore_{theme['id']}").click().run()
        assert theme["id"] in {one["id"] for one in desk.call("theme_list")}
