"""Targeted updates of a document from what was said: with a model, checked line by line; without one, by the form of what was said."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from beacon.analyst.sentences import split_sentences
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import fold
from beacon.errors import BudgetError, ModelError, UnavailableError
from beacon.llm.ports import ChatModel, ChatReply, ChatRequest, Message
from beacon.memory.facts import read_attribute
from beacon.memory.profiles import DEFAULTS, PLACEHOLDERS, ProfileChange, check_namespace, read_version, write_memory
from beacon.memory.said import find_said
from beacon.workspace import Workspace

MAX_TOKENS = 2000
MAX_NOTE = 300  # characters of a dated note
_LABEL = re.compile(r"^[-*]?\s*(?P<label>[^:\n]{2,40}):\s+(?P<value>\S.*)$")


class Change(BaseModel):
    """A statement that is new or takes another's place, and what was said to make it so."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="the new statement, exactly as it stands in updated_content; empty when the old one is only taken out")
    replaces: str = Field(default="", description="the old statement it corrects, copied letter for letter; empty for something new")
    quote: str = Field(min_length=1, description="the words of a message it rests on, copied letter for letter")


class MemoryUpdate(BaseModel):
    """The updated document with every change named. Whatever is not named must stay as it is."""

    model_config = ConfigDict(extra="forbid")

    updated_content: str = Field(description="the whole document after the update")
    changes: list[Change] = Field(description="every statement that was added, corrected or taken out")


def update_memory_with_llm(
    ws: Workspace, namespace: str, messages: Sequence[Message | Mapping[str, Any]], reason: str, *, trigger: str = ""
) -> ProfileChange:
    """The document after what the messages say was added or corrected in it; nothing else may change.

    Without a model, or when it does not answer, statements are found by their form. Raises ModelError when the model's update
    still drops or alters something it does not name after one repair: then nothing was changed.
    """
    said = [_message(m) for m in messages]
    version = read_version(ws, check_namespace(namespace))
    content, origin = _without_model(ws, namespace, version.content, said), "rules"
    model = (ws.models.fast or ws.models.strong) if ws.models is not None else None
    if model is not None and said:
        try:
            content, origin = _with_model(model, namespace, version.content, said, reason), "model"
        except (UnavailableError, BudgetError):
            origin = "rules"
    return write_memory(ws, namespace, content, reason=reason, trigger=trigger, actor="beacon", origin=origin, base_n=version.n)


async def update_memory_with_llm_async(
    ws: Workspace, namespace: str, messages: Sequence[Message | Mapping[str, Any]], reason: str, *, trigger: str = ""
) -> ProfileChange:
    """`update_memory_with_llm` without holding up the event loop."""
    return await asyncio.to_thread(update_memory_with_llm, ws, namespace, messages, reason, trigger=trigger)


def _message(given: Message | Mapping[str, Any]) -> Message:
    if isinstance(given, Message):
        return given
    role = "assistant" if given.get("role") == "assistant" else "user"
    return Message(role, str(given.get("content", "")))  # type: ignore[arg-type]


# By the form of what was said


def _without_model(ws: Workspace, namespace: str, content: str, said: Sequence[Message]) -> str:
    """What the assistant said is no evidence."""
    theirs = [m.content for m in said if m.role == "user" and m.content.strip()]
    if namespace == "episodic_memory":
        return with_statements(content, [f"{ws.clock().date().isoformat()}: {_note(text)}" for text in theirs])
    return with_statements(content, [one.text for text in theirs for one in find_said(text) if one.namespace == namespace])


def _note(text: str) -> str:
    ends = [end for _, end in split_sentences(text) if end <= MAX_NOTE]
    return " ".join((text[: ends[-1]] if ends else text[:MAX_NOTE]).split())


def with_statements(content: str, statements: Sequence[str]) -> str:
    """The document with the statements added, each on a line of its own.

    One that is there already is not added; one about the same single-valued thing takes the old line's place.
    """
    lines = content.splitlines()
    keys = [statement_key(line) for line in lines]
    for plain in (" ".join(statement.split()) for statement in statements):
        if statement_key(plain) in keys:
            continue
        kept = [n for n, key in enumerate(keys) if key not in PLACEHOLDERS]
        lines, keys = [lines[n] for n in kept], [keys[n] for n in kept]
        topic = _topic(plain)
        at = next((n for n, line in enumerate(lines) if _topic(line) == topic), len(lines)) if topic else len(lines)
        lines[at : at + 1], keys[at : at + 1] = [f"- {plain}"], [statement_key(plain)]
    changed = "\n".join(lines)
    return content if changed == "\n".join(content.splitlines()) else changed + "\n"


def _topic(line: str) -> str:
    """What a line gives the one value of: its label, or the attribute of its sentence; empty where it can have several."""
    plain = line.lstrip("-* ").strip()
    if re.match(r"\d{4}-\d{2}-\d{2}", plain):
        return ""
    _, attribute, _ = read_attribute(plain, "user")
    label = _LABEL.match(plain)
    return attribute or (fold(label["label"]) if label else "")


# With a model


def _with_model(model: ChatModel, namespace: str, content: str, said: Sequence[Message], reason: str) -> str:
    """The model's document, when every statement it drops, alters or adds is named and quoted; repaired once."""
    from beacon.llm.prompts import load_prompt
    from beacon.llm.untrusted import data_section

    told = "\n\n".join(data_section(f"message {n}, {m.role}", m.content) for n, m in enumerate(said, 1))
    question = f"{data_section(f'document {namespace}', content)}\n\n{told}\n\nWhy it is updated now: {reason}"
    request = ChatRequest(load_prompt("memory_update").text, (Message("user", question),), MemoryUpdate, MAX_TOKENS)
    reply = model.complete(request)
    problems = find_problems(content, _update(reply), said)
    if problems:
        repair = f"That update is refused: {' '.join(problems)} Reply again with the whole update."
        messages = (*request.messages, Message("assistant", reply.text), Message("user", repair))
        reply = model.complete(ChatRequest(request.system, messages, MemoryUpdate, MAX_TOKENS))
        problems = find_problems(content, _update(reply), said)
    if problems:
        raise ModelError(
            f"The update of '{namespace}' was refused, and nothing was changed: {' '.join(problems)}", reason="shape", namespace=namespace
        )
    return _update(reply).updated_content


def _update(reply: ChatReply) -> MemoryUpdate:
    if not isinstance(reply.data, MemoryUpdate):
        raise ModelError("The reply has no update in it.", reason="shape")
    return reply.data


def find_problems(content: str, update: MemoryUpdate, said: Sequence[Message]) -> list[str]:
    """Why an update cannot be taken: statements it loses or adds without naming them, and quotes nobody said."""
    old, new = _statements(content), _statements(update.updated_content)
    replaced = {key for c in update.changes for key in _statements(c.replaces)}
    named = {key for c in update.changes for key in _statements(c.text)}
    spoken = [m.content for m in said if m.role == "user"]
    problems = [
        f"'{old[key]}' is missing or altered without being named in `replaces`." for key in old if key not in new and key not in replaced
    ]
    problems += [f"'{new[key]}' is new without being named in `changes`." for key in new if key not in old and key not in named]
    problems += [f"'{c.quote}' was not said by the person." for c in update.changes if not any(c.quote in text for text in spoken)]
    return [problem for problem in problems if not _is_placeholder_problem(problem, old)]


def _is_placeholder_problem(problem: str, old: Mapping[str, str]) -> bool:
    """Only the lines that say that nothing is known may go unnamed."""
    return any(problem.startswith(f"'{old[key]}' is missing") for key in old if key in _PLACEHOLDER_KEYS)


def _statements(text: str) -> dict[str, str]:
    """key → wording of every statement of a document, in order."""
    return {statement_key(text[start:end]): text[start:end] for start, end in split_sentences(text)}


_PLACEHOLDER_KEYS = frozenset(key for text in DEFAULTS.values() for key in list(_statements(text.splitlines()[0])))
