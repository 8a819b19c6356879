"""What counts as a statement, what a fact says, and how one takes another's place."""

from datetime import UTC, datetime
from typing import Any

import pytest

from beacon.domain.event import Event
from beacon.domain.memory import Memory
from beacon.memory.facts import read_attribute, settle
from beacon.memory.said import find_said, is_said, is_trivial, speaker_of

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sentence", "namespace"),
    [
        ("My name is Ana.", "user_profile"),
        ("I work as a nurse in Oslo.", "user_profile"),
        ("Call me Ana.", "user_profile"),
        ("We sell scheduling software to clinics.", "company_profile"),
        ("Our competitors are two banks in Spain.", "company_profile"),
        ("I prefer short reports.", "user_preferences"),
        ("Please always cite the source.", "user_preferences"),
        ("Never use tables.", "user_preferences"),
        ("I bought a red car last week.", ""),
    ],
)
def test_statements_are_found_with_their_document(sentence: str, namespace: str) -> None:
    assert [(one.text, one.namespace) for one in find_said(sentence)] == [(sentence, namespace)]


@pytest.mark.parametrize(
    "sentence",
    ["Where do I find our prices?", "I think we could ask them again.", "Thanks!", "I hope it rains tomorrow.", "The sky is blue today."],
)
def test_questions_hedges_and_small_talk_are_no_statements(sentence: str) -> None:
    assert find_said(sentence) == []


def test_a_statement_is_an_exact_slice_without_the_request() -> None:
    text = "Hello! Remember that our budget is 5 million euros. Bye."
    (one,) = find_said(text)
    assert (text[one.start : one.end], one.text, one.marked) == (one.text, "our budget is 5 million euros.", True)


@pytest.mark.parametrize("text", ["Hi there!", "Thanks a lot!", "What is 2+2?", "ok", ""])
def test_small_talk_is_trivial(text: str) -> None:
    assert is_trivial(text)


@pytest.mark.parametrize("text", ["My name is Ana.", "Remember: 4 pm", "The board meets on Friday in Porto"])
def test_what_says_something_is_not_trivial(text: str) -> None:
    assert not is_trivial(text)


def event(type_: str, channel: str, **fields: Any) -> Event:
    return Event("e", "p", type_, NOW, NOW, "Some words", channel=channel, **fields)


@pytest.mark.parametrize(("type_", "channel"), [("message_received", "chat"), ("source_ingested", "ingest"), ("memory_added", "memory")])
def test_what_beacon_did_is_not_said_by_anyone(type_: str, channel: str) -> None:
    assert not is_said(event(type_, channel))


def test_a_turn_belongs_to_its_speaker() -> None:
    assert speaker_of(event("turn_said", "talk", people=["Jon"], user_id="me"), "me") == "Jon"


def test_my_speaks_of_the_speaker_and_our_of_the_company() -> None:
    assert read_attribute("My role is analyst.", "Jon") == ("jon", "role", "analyst")
    assert read_attribute("Our CRM is Salesforce now.", "user") == ("company", "crm", "Salesforce")


@pytest.mark.parametrize("sentence", ["My dog is old.", "Our customers are hospitals.", "The dashboard is slow."])
def test_what_can_have_several_values_has_no_single_one(sentence: str) -> None:
    assert read_attribute(sentence, "user") == ("", "", "")


def fact(id_: str, value: str, day: int, source: str = "", subject: str = "company", attribute: str = "crm") -> Memory:
    at = datetime(2026, 1, day, tzinfo=UTC)
    citations = [{"source_id": source}]
    return Memory(
        id_, "p", "semantic", value, at, at, subject=subject, attribute=attribute, value=value, valid_from=at, citations=citations
    )


def settled(new: Memory, *current: Memory) -> dict[str, str]:
    return {ref: str((after or {})["status"]) for _, ref, _, after in settle(new, current, NOW)}


def test_the_later_value_holds() -> None:
    assert settled(fact("b", "HubSpot", 2), fact("a", "Salesforce", 1)) == {"a": "superseded", "b": "current"}


def test_an_earlier_value_that_comes_late_is_superseded_at_once() -> None:
    assert settled(fact("b", "Salesforce", 1), fact("a", "HubSpot", 2)) == {"b": "superseded"}


def test_the_same_value_supersedes_nothing() -> None:
    assert settled(fact("b", "hubspot", 2), fact("a", "HubSpot", 1)) == {"b": "current"}


def test_two_sources_of_one_day_contradict_and_both_stay() -> None:
    items = settle(fact("b", "HubSpot", 1, "s2"), [fact("a", "Salesforce", 1, "s1")], NOW)
    found = {ref: ((after or {})["status"], (after or {})["metadata"]) for _, ref, _, after in items}
    assert found == {"a": ("current", {"contradicts": ["b"]}), "b": ("current", {"contradicts": ["a"]})}


def test_untyped_facts_never_supersede() -> None:
    assert settled(fact("b", "x", 2, subject="", attribute=""), fact("a", "y", 1, subject="", attribute="")) == {"b": "current"}
