"""A conversation of three hundred messages: always within the budget, nothing lost, originals brought back."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.chat import ChatMessage, Conversation
from beacon.domain.event import Event
from beacon.errors import BeaconError, ModelError, NotFoundError
from beacon.llm.routing import Router
from beacon.memory.context import TOKENS, Task, build_context, find_contexts
from beacon.memory.talk import TAIL, ensure_summaries, event_of, shown_summaries
from beacon.workspace import Workspace
from tests.doubles import FailingChatModel, ScriptedChatModel

START = datetime(2026, 4, 1, 8, 0, tzinfo=UTC)
ID = "cnv_long"
EARLY = "The launch budget is 48,000 euros and Ines signs it off."
SUBJECTS = "harbour bakery orchard museum quarry ferry tannery school bridge station".split()


def fill(ws: Workspace, count: int) -> None:
    """A conversation with something of its own in every message, its third one said at the very start."""
    with ws.records.write() as tx:
        tx.chats.add(Conversation(ID, ws.project_id, ws.user_id, "Planning", START, START, {"goal": "plan the launch"}))
        for n in range(1, count + 1):
            subject = f"{SUBJECTS[n % 10]} {n}"
            text = f"What about the {subject}?" if n % 2 else f"The {subject} opens at {n % 24}:00 and seats {n * 3} people."
            role = "user" if n % 2 else "assistant"
            message = ChatMessage(f"msg_{n}", ID, n, role, EARLY if n == 3 else text, START + timedelta(minutes=n))
            tx.chats.add_message(message)
            kind = "message_sent" if role == "user" else "message_received"
            payload = {"conversation_id": ID, "message_id": message.id}
            tx.events.append(
                Event(event_of(ws, message), ws.project_id, kind, message.at, message.at, message.content, payload, ws.user_id, "chat")
            )


@pytest.fixture
def beacon(tmp_path: Path) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home", clock=lambda: START + timedelta(days=1))
    fill(opened.workspace, 300)
    yield opened
    opened.close()


def summaries(ws: Workspace) -> list[Any]:
    with ws.records.read() as tx:
        messages = tx.chats.words(ID)
    return ensure_summaries(ws, ID, messages)


def test_the_pack_of_a_long_conversation_keeps_to_its_budget(beacon: Beacon) -> None:
    packed = build_context(beacon.workspace, Task("And the ferry?", conversation_id=ID))
    assert packed.tokens <= TOKENS and "[300] Beacon:" in packed.text


def test_every_older_message_is_told_of_by_a_summary_and_the_newest_word_for_word(beacon: Beacon) -> None:
    found = summaries(beacon.workspace)
    covered = max(one.last for one in found if one.level == "detail")
    shown = shown_summaries(found, covered)
    stretches = [n for one in shown for n in range(one.first, one.last + 1)]
    assert stretches == list(range(1, covered + 1)) and 300 - covered >= TAIL
    assert len({one.level for one in shown}) > 1 and shown[0].level != "detail" and shown[-1].level == "detail"


def test_every_sentence_of_a_summary_is_an_exact_quote_of_a_message(beacon: Beacon) -> None:
    with beacon.workspace.records.read() as tx:
        texts = {m.id: m.content for m in tx.chats.words(ID)}
    cited = [c for one in summaries(beacon.workspace) for c in one.citations]
    assert cited and all(texts[c["message_id"]][c["start"] : c["end"]] == c["quote"] for c in cited)


def test_summaries_are_written_once_and_never_over(beacon: Beacon) -> None:
    first = summaries(beacon.workspace)
    assert summaries(beacon.workspace) == first


def test_a_figure_from_the_start_outlives_every_level(beacon: Beacon) -> None:
    holding = {one.level for one in summaries(beacon.workspace) if "48,000 euros" in one.text}
    assert holding == {"detail", "outline", "era"}


@pytest.mark.parametrize(
    "question",
    [
        "What did I say about the launch budget at the beginning?",
        "Remind me what I said about the budget.",
        "Who did I say signs it off?",
        "Was habe ich am Anfang zum budget gesagt: launch?",
    ],
)
def test_what_was_said_at_the_beginning_is_answered_with_the_very_message(beacon: Beacon, question: str) -> None:
    answer = beacon.call("ask", question=question, conversation=ID)
    assert EARLY in answer["answer"] and answer["sufficient"] and answer["intent"] == "recall"
    with beacon.workspace.records.read() as tx:
        event = tx.events.get(answer["cited_event_ids"][0])
    assert event.text == EARLY and event.at == START + timedelta(minutes=3)


def test_the_original_stands_in_the_context_word_for_word(beacon: Beacon) -> None:
    packed = build_context(beacon.workspace, Task("What did I say about the launch budget?", conversation_id=ID))
    recalled = next(part for part in packed.parts if part["name"] == "recalled")
    assert any(EARLY in item["text"] for item in recalled["items"])


def test_what_was_never_said_is_not_made_up(beacon: Beacon) -> None:
    answer = beacon.call("ask", question="What did I say about the zeppelin hangar?", conversation=ID)
    assert not answer["sufficient"]


def test_asking_goes_on_through_a_long_conversation(beacon: Beacon) -> None:
    for n in range(3):
        answer = beacon.call("ask", question=f"How long is pier {n}?", conversation=ID)
        [pack] = find_contexts(beacon.workspace, answer["message_id"])
        assert pack["tokens"] <= pack["budget"]
    assert len(beacon.call("conversation_show", id=ID)["messages"]) == 306


def test_a_kept_context_is_the_one_that_was_packed_byte_for_byte(beacon: Beacon) -> None:
    answer = beacon.call("ask", question="How long is the pier?", conversation=ID)
    [pack] = find_contexts(beacon.workspace, answer["message_id"])
    beacon.call("memory_add", text="The pier is made of oak.")
    [again] = find_contexts(beacon.workspace, answer["message_id"])
    assert again == pack and pack["text"].startswith("## Who you are\n- Name: Beacon")


def test_the_same_state_gives_the_same_pack(beacon: Beacon) -> None:
    task = Task("And the ferry?", conversation_id=ID)
    assert build_context(beacon.workspace, task) == build_context(beacon.workspace, task)


def test_another_users_conversation_is_not_there(beacon: Beacon) -> None:
    with pytest.raises(NotFoundError):
        build_context(beacon.workspace.as_user("other"), Task("What was said?", conversation_id=ID))


def test_a_models_summary_is_kept_where_it_cites_the_messages(beacon: Beacon) -> None:
    beacon.workspace.__dict__["models"] = Router(fast=ScriptedChatModel(["The budget was named [3]. Nobody said this."] * 60))
    first = summaries(beacon.workspace)[0]
    assert (first.text, first.origin) == ("The budget was named. [3]", "model")
    assert first.citations[0]["message_id"] == "msg_3"


@pytest.mark.parametrize("failure", [ModelError("cut", reason="cut"), ModelError("empty", reason="empty"), "Nothing cited.", ""])
def test_without_a_usable_summary_the_quotes_stand(beacon: Beacon, failure: BeaconError | str) -> None:
    model = FailingChatModel(failure) if isinstance(failure, BeaconError) else ScriptedChatModel([failure] * 60)
    beacon.workspace.__dict__["models"] = Router(fast=model)
    assert {one.origin for one in summaries(beacon.workspace)} == {"rules"}


def test_directives_preferences_and_profile_are_always_there(beacon: Beacon) -> None:
    beacon.call("write_memory", namespace="user_profile", content="- Role: head of pricing\n")
    beacon.call("write_memory", namespace="user_preferences", content="- Verbosity: low\n")
    packed = build_context(beacon.workspace, Task("And the ferry?", conversation_id=ID), budget=1200)
    assert all(words in packed.text for words in ("Name: Beacon", "Role: head of pricing", "Verbosity: low", "Question: And the ferry?"))


def test_other_conversations_and_work_under_way_are_told_in_short(beacon: Beacon) -> None:
    packed = build_context(beacon.workspace, Task("Hello there, how are things?"))
    assert "Planning" in next(part for part in packed.parts if part["name"] == "others")["items"][0]["text"]
