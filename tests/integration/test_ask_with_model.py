"""A model may word the answer; what it writes is held to the evidence pack."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.errors import UnavailableError
from beacon.llm.routing import Router
from tests.doubles import FailingChatModel, ScriptedChatModel

TEXT = "# Harbour\n\nThe northern ferry costs 12 euros since May. The harbour board raised the fare by 2 euros.\n"
QUESTION = "What does the northern ferry cost?"


@pytest.fixture
def beacon(tmp_path: Path) -> Iterator[Beacon]:
    (tmp_path / "note.md").write_text(TEXT)
    opened = open_beacon(home=tmp_path / "home")
    opened.call("ingest_paths", paths=[str(tmp_path / "note.md")])
    yield opened
    opened.close()


def give(beacon: Beacon, model: object) -> None:
    beacon.workspace.__dict__["models"] = Router(strong=model)  # type: ignore[arg-type]


def test_sentences_that_cite_the_pack_are_kept_and_others_dropped(beacon: Beacon) -> None:
    give(beacon, ScriptedChatModel(["It costs 12 euros [1]. Ferries are lovely. It will cost 40 euros [9]."]))
    answer = beacon.call("ask", question=QUESTION)
    assert answer["answer"] == "It costs 12 euros. [1]" and [c["n"] for c in answer["citations"]] == [1]


def test_an_invented_quote_is_dropped(beacon: Beacon) -> None:
    give(beacon, ScriptedChatModel(["The note says “the ferry is free” [1]. It costs 12 euros [1]."]))
    assert "free" not in beacon.call("ask", question=QUESTION)["answer"]


def test_document_text_reaches_the_model_fenced_as_data(beacon: Beacon) -> None:
    model = ScriptedChatModel(["It costs 12 euros [1]."])
    give(beacon, model)
    beacon.call("ask", question=QUESTION)
    asked = model.requests[0].messages[-1].content
    assert asked.startswith(f"Question: {QUESTION}") and "[data " in asked and "12 euros" not in model.requests[0].system


@pytest.mark.parametrize("model", [ScriptedChatModel(["Nothing cited here."]), FailingChatModel(UnavailableError("The provider is down."))])
def test_without_a_usable_reply_the_answer_is_made_of_quotes_and_says_why(beacon: Beacon, model: object) -> None:
    give(beacon, model)
    answer = beacon.call("ask", question=QUESTION)
    assert answer["note"].startswith("Answered without the model") and answer["citations"][0]["quote"] in TEXT


def test_what_a_model_used_is_booked(beacon: Beacon) -> None:
    give(beacon, ScriptedChatModel(["It costs 12 euros [1]."], cost_usd=0.01))
    beacon.call("ask", question=QUESTION)
    assert beacon.call("status")["spend"]["calls"] == 1


def test_what_is_asked_to_be_remembered_is_noted_not_looked_up(beacon: Beacon) -> None:
    answer = beacon.call("ask", question="Remember that my deadline is 3 March 2027.")
    assert answer["intent"] == "remember" and answer["citations"] == []
    assert any("3 March 2027" in memory["text"] for memory in beacon.call("memory_list"))
