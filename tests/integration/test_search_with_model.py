"""A model chooses what a run searches for, over real HTTP; what it may not say is taken out, and rules stand behind it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from tests.contract.scripted_providers import AnthropicHandler, Fail, Say, ScriptedProvider, Step, serve
from tests.integration.test_search_loop import Days, Web, run, web

__all__ = ["web"]

GOOD = Say(json.dumps({"searches": ["northern ferry fare now", "new pier opening"]}))
MADE_UP = Say(json.dumps({"searches": ["northern ferry fare", "ferry accident 1987 compensation", "  "]}))
ELSEWHERE = Say(json.dumps({"searches": ["best pizza in town"]}))
SECTION = Say("Insufficient evidence.")


@pytest.fixture
def days() -> Days:
    return Days()


class Desk:
    def __init__(self, beacon: Beacon, provider: ScriptedProvider) -> None:
        self.beacon, self.provider = beacon, provider

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The questions about searches."""
        return [seen.body for seen in self.provider.seen if "search engine" in str(seen.body["system"])]


def opened(tmp_path: Path, web: Web, days: Days, *steps: Step) -> Iterator[Desk]:
    with serve(AnthropicHandler, *steps) as provider:
        beacon = open_beacon(
            home=tmp_path / "home", clock=days, allow_private_addresses=True, search="searxng", search_base_url=web.base,
            provider="anthropic", anthropic_api_key="sk-test", anthropic_base_url=provider.url,
        )  # fmt: skip
        beacon.call("topic_add", title="Harbour", queries=["What does the ferry cost?"])
        try:
            yield Desk(beacon, provider)
        finally:
            beacon.close()


def test_the_models_searches_are_made_and_booked(tmp_path: Path, web: Web, days: Days) -> None:
    for desk in opened(tmp_path, web, days, GOOD, SECTION):
        run(desk.beacon)
        assert web.searches[:2] == ["northern ferry fare now", "new pier opening"]
        tasks = {task["name"]: task["calls"] for task in desk.beacon.call("spend_report")["tasks"]}
        assert tasks["queries"] == 1


def test_what_is_known_reaches_the_model_as_data(tmp_path: Path, web: Web, days: Days) -> None:
    for desk in opened(tmp_path, web, days, GOOD, SECTION, SECTION, SECTION):
        run(desk.beacon)
        days.days = 7
        desk.provider.steps[:] = [GOOD, SECTION]
        run(desk.beacon)
        told = desk.asked[-1]["messages"][0]["content"]
        assert "Halvorsen" in told.partition("[data ")[2] and "Last look: 2" in told


def test_a_search_with_a_figure_that_was_made_up_is_left_out(tmp_path: Path, web: Web, days: Days) -> None:
    for desk in opened(tmp_path, web, days, MADE_UP, SECTION):
        run(desk.beacon)
        assert web.searches == ["northern ferry fare"]


def test_a_question_the_model_forgot_is_searched_for_anyway(tmp_path: Path, web: Web, days: Days) -> None:
    for desk in opened(tmp_path, web, days, ELSEWHERE, SECTION):
        run(desk.beacon)
        assert web.searches == ["What does the ferry cost", "best pizza in town"]


@pytest.mark.parametrize("step", [Say("{"), Fail(400, "bad request", "invalid_request_error"), Say("", end="refused")])
def test_where_the_model_fails_the_rules_choose_and_it_is_said(tmp_path: Path, web: Web, days: Days, step: Step) -> None:
    for desk in opened(tmp_path, web, days, step):
        found = run(desk.beacon)
        assert web.searches == ["What does the ferry cost"]
        assert any("chosen without a model" in line for line in found["research_state"]["research_data"]["problems"])
