"""The chat page: answers with chips, honest refusals, conversations kept."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.settings import Settings
from beacon.ui.chat_answer import answer_markdown, facts, find_quote
from beacon.ui.session import open_for
from tests.app.dashboards import read_texts
from tests.app.data_folders import HOSTILE, opened_page, words

QUESTION = "How many tonnes does the crane lift?"


@pytest.fixture
def desk() -> Iterator[Beacon]:
    home = Path(os.environ["BEACON_HOME"])
    read_texts(home)
    beacon = open_beacon(home=str(home))
    yield beacon
    beacon.close()


def test_an_empty_workspace_offers_the_first_step() -> None:
    with opened_page("chat") as app:
        assert "Nothing was read yet" in words(app)


def test_an_answer_carries_chips_of_its_quotes(desk: Beacon) -> None:
    with opened_page("chat") as app:
        app.chat_input[0].set_value(QUESTION).run()
        assert "40 tonnes" in words(app) and "](#cite-" in words(app)


def test_an_answer_is_kept_in_its_conversation(desk: Beacon) -> None:
    asked = desk.call("ask", question=QUESTION)
    with opened_page("chat", c=asked["conversation_id"]) as app:
        assert QUESTION.replace("?", "") in words(app).replace("\\", "") and "1 cited" in "".join(box.label for box in app.expander)


def test_too_little_evidence_is_said_with_what_would_help(desk: Beacon) -> None:
    with opened_page("chat") as app:
        app.chat_input[0].set_value("Which opera opened in Lima yesterday?").run()
        assert "Not enough evidence for an answer" in words(app)


def test_a_new_chat_begins_empty(desk: Beacon) -> None:
    asked = desk.call("ask", question=QUESTION)
    with opened_page("chat", c=asked["conversation_id"]) as app:
        app.button(key="chat_new").click().run()
        assert "Ask about what was read" in words(app)


def test_a_question_is_asked_of_a_topic_only(desk: Beacon) -> None:
    desk.call("topic_add", title="Empty topic", queries=["x"])
    with opened_page("chat") as app:
        app.selectbox(key="chat_topic").set_value("empty-topic").run()
        app.chat_input[0].set_value(QUESTION).run()
        assert "Not enough evidence for an answer" in words(app)


def test_a_question_as_of_a_day_before_anything_was_read_finds_nothing(desk: Beacon) -> None:
    from datetime import date

    with opened_page("chat") as app:
        app.toggle(key="chat_back").set_value(True).run()
        app.date_input(key="chat_as_of").set_value(date(2001, 1, 1)).run()
        app.chat_input[0].set_value(QUESTION).run()
        assert "Not enough evidence for an answer" in words(app)


def test_a_conversation_that_is_not_there_is_said(desk: Beacon) -> None:
    with opened_page("chat", c="cnv_nowhere") as app:
        assert "not here any more" in words(app)


def test_what_is_remembered_stands_apart_from_evidence(desk: Beacon) -> None:
    desk.call("memory_add", text="The crane lifts 40 tonnes on a good day")
    asked = desk.call("ask", question="How many tonnes does the crane lift on a good day?")
    with opened_page("chat", c=asked["conversation_id"]) as app:
        assert any("not evidence" in box.label for box in app.expander)


def test_a_stopped_page_finds_the_answer_again(desk: Beacon) -> None:
    with opened_page("chat") as app:
        beacon = open_for(Settings.load())
        from beacon.ui.parts import background

        background.start("held", lambda: beacon.call("ask", question=QUESTION))
        app.session_state["chat_pending"] = {"key": "held", "question": QUESTION, "conversation": ""}
        app.run()
        assert "40 tonnes" in words(app) and "chat_pending" not in app.session_state


# Words


def test_only_numbers_of_the_pack_become_chips() -> None:
    shown = answer_markdown("One [1]. Two [7].", [1], "2")
    assert "#cite-2.1" in shown and "#cite-2.7" not in shown


def test_an_answer_cannot_smuggle_markup_in() -> None:
    shown = answer_markdown(f"{HOSTILE} [1]", [1], "2")
    assert "](http" not in shown and " <img" not in f" {shown}".replace("\\<", "") and ":red[" not in shown


def test_a_chip_leads_back_to_its_quote() -> None:
    messages = [{"n": 2, "pack": {"quotes": [{"n": 1, "quote": "a"}]}}, {"n": 4, "pack": {"quotes": [{"n": 1, "quote": "b"}]}}]
    assert (find_quote(messages, "4.1") or {}).get("quote") == "b" and find_quote(messages, "9.1") is None


def test_the_line_below_an_answer_says_what_it_cost() -> None:
    usage = {"input_tokens": 900, "output_tokens": 100, "cost_usd": 0.0123, "model": "m-1"}
    assert (
        facts({"intent": "drill_down", "confidence": 0.5, "usage": usage})
        == "A closer look · confidence 0.50 · m\\-1, 1,000 tokens ($0.0123)"
    )
