"""A question under way: asked in a thread of its own, so that stopping the page or closing the tab loses nothing."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import streamlit as st

from beacon.ui.chat_answer import Message, answer_markdown
from beacon.ui.parts import background
from beacon.ui.session import beacon
from beacon.ui.text import count, plain

PENDING = "chat_pending"
LOOK_EVERY_S = 0.05
WORDS_A_SECOND = 90


def begin(question: str, conversation_id: str, scope: dict[str, Any]) -> None:
    """Start answering; the answer is kept in the conversation whatever becomes of this page."""
    opened = beacon()
    asked = {"question": question, "conversation": conversation_id or None, **scope}
    number = int(st.session_state.get("chat_asked", 0)) + 1
    st.session_state["chat_asked"] = number
    key = f"ask-{id(st.session_state)}-{opened.workspace.clock().isoformat()}-{number}"
    st.session_state[PENDING] = {"key": key, "question": question, "conversation": conversation_id}
    background.start(key, lambda: opened.call("ask", **asked))


def pending() -> dict[str, Any] | None:
    """The question under way in this visit, or None."""
    found: dict[str, Any] | None = st.session_state.get(PENDING)
    return found


def forget() -> None:
    """Wait no longer; the answer still comes into its conversation."""
    st.session_state.pop(PENDING, None)


def finish(asked: dict[str, Any], opened: Callable[[str], None]) -> bool:
    """Waits for the answer, gives its conversation's id to `opened`, and writes it as it would be spoken; whether it went well."""
    with st.chat_message("assistant", avatar=":material/lightbulb:"):
        task = _wait(asked["key"])
        forget()
        background.forget(asked["key"])
        if task is None or task.problem:
            st.error(
                plain(task.problem if task else "The question was lost when Beacon was restarted: ask it again."), icon=":material/error:"
            )
            return False
        result = task.result
        opened(str(result["conversation_id"]))  # before the words: a stop in the middle finds it open
        if result["sufficient"]:
            numbers = [quote["n"] for quote in result["evidence_pack"]["quotes"]]
            st.write_stream(_words(answer_markdown(result["answer"], numbers, "new")), cursor="▍")
        return True


def _wait(key: str) -> background.Task | None:
    task = background.find(key)
    if task is None:
        return None
    with st.status(":shimmer[Reading what bears on the question]", type="compact") as status:
        while not task.done:
            time.sleep(LOOK_EVERY_S)
            status.update(
                label=":shimmer[Reading what bears on the question]"
                if task.seconds < 4
                else f":shimmer[Still reading, {task.seconds:.0f} s]"
            )
        if task.problem:
            status.update(label=f"Stopped after {task.seconds:.1f} s", state="error")
        else:
            quotes = count(len(task.result["evidence_pack"]["quotes"]), "exact quote")
            status.update(label=f"Read {quotes} in {task.seconds:.1f} s", state="complete")
    return task


def _words(markdown: str) -> Iterator[str]:
    """The answer a word at a time; a chip is one word."""
    for word in markdown.split(" "):
        yield word + " "
        time.sleep(1 / WORDS_A_SECOND)


def with_questions(messages: list[dict[str, Any]]) -> list[Message]:
    """The messages, each answer with the question before it."""
    last = ""
    found: list[Message] = []
    for message in messages:
        last = message["content"] if message["role"] == "user" else last
        found.append({**message, "question": last})
    return found
