"""Targeted updates of a document from what was said: with a model, checked line by line; without one, by the form of what was said."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from beacon.analyst.preferences import preference_topic
from beacon.analyst.sentences import split_sentences
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import fold
from beacon.errors import BudgetError, ModelError, UnavailableError
from beacon.llm.ports import ChatModel, ChatReply, ChatRequest, Message
from beacon.memory.documents import DEFAULTS, PLACEHOLDERS, check_namespace, line_key
from beacon.memory.facts import read_attribute
from beacon.memory.profiles import ProfileChange, read_version, write_memory
from beacon.memory.said import find_namespace, find_said
from beacon.spending import Purse, model_for
from beacon.workspace import Workspace

MAX_TOKENS = 2000
MAX_NOTE = 300  # characters of a dated note
MAX_PROMPTED = 40_000  # characters of a document that a model is asked to write again; a longer one is added to by rules
_LABEL = re.compile(r"^[-*]?\s*(?P<label>[^:\n“\"]{2,40}):\s+(?P<value>\S.*)$")
_SHORTEST_QUOTE = 4  # letters; in scripts of syllables or signs, two


class Change(BaseModel):
    """A statement that is new or takes another's place, and what was said to make it so."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, description="the new statement, exactly as it stands in updated_content")
    replaces: str = Field(default="", description="the one old statement it corrects, copied letter for letter; empty for something new")
    quote: str = Field(min_length=1, description="the words of a message it rests on, copied letter for letter")


class MemoryUpdate(BaseModel):
    """The updated document with every change named. Whatever is not named must stay as it is."""

    model_config = ConfigDict(extra="forbid")

    updated_content: str = Field(description="the whole document after the update")
    changes: list[Change] = Field(description="every statement that was added or corrected")


def update_memory_with_llm(
    ws: Workspace,
    namespace: str,
    messages: Sequence[Message | Mapping[str, Any]],
    reason: str,
    *,
    trigger: str = "",
    cause: str = "",
    found: Sequence[str] | None = None,
    run_id: str = "",
) -> ProfileChange:
    """The document after what the messages say was added or corrected in it; nothing else may change.

    Without a model, or when it does not answer, statements are found by their form; `found` gives them where the caller knows
    better. `cause` is the message, gate or run it came from. Raises ModelError when the model's reply cannot be used, or still
    drops or alters something it does not name after one repair: then nothing was changed.
    """
    said = [_message(m) for m in messages]
    version = read_version(ws, check_namespace(namespace))
    content, origin = "", "rules"
    model = model_for(ws, "memory_update", Purse(run_id=run_id)) if said and len(version.content) <= MAX_PROMPTED else None
    if model is not None:
        try:
            content, origin = _with_model(model, namespace, version.content, said, reason), "model"
        except (UnavailableError, BudgetError):
            model = None
    if model is None:
        content = _without_model(ws, namespace, version.content, said) if found is None else with_statements(version.content, found)
    return write_memory(
        ws, namespace, content, reason=reason, trigger=trigger, actor="beacon", origin=origin, cause=cause, base_n=version.n
    )


async def update_memory_with_llm_async(
    ws: Workspace,
    namespace: str,
    messages: Sequence[Message | Mapping[str, Any]],
    reason: str,
    *,
    trigger: str = "",
    cause: str = "",
) -> ProfileChange:
    """`update_memory_with_llm` without holding up the event loop."""
    return await asyncio.to_thread(update_memory_with_llm, ws, namespace, messages, reason, trigger=trigger, cause=cause)


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
        return with_statements(content, [f"{ws.clock().date().isoformat()}: {shorten_note(text)}" for text in theirs])
    return with_statements(content, [one.text for text in theirs for one in find_said(text) if namespace in one.namespaces])


def shorten_note(text: str) -> str:
    """The text's first sentences on one line, as many as a dated note may hold."""
    ends = [end for _, end in split_sentences(text) if end <= MAX_NOTE]
    return " ".join((text[: ends[-1]] if ends else text[:MAX_NOTE]).split())


def with_statements(content: str, statements: Sequence[str]) -> str:
    """The document with the statements added, each on a line of its own.

    One that is there already is not added; one about the same single-valued thing takes the old line's place.
    """
    lines = content.splitlines()
    keys = [line_key(line) for line in lines] if statements else []
    for plain in (" ".join(statement.split()) for statement in statements):
        if not plain or line_key(plain) in keys:
            continue
        kept = [n for n, key in enumerate(keys) if key not in PLACEHOLDERS]
        lines, keys = [lines[n] for n in kept], [keys[n] for n in kept]
        topic = line_topic(plain)
        at = next((n for n, line in enumerate(lines) if _may_be_about(line, topic) and line_topic(line) == topic), len(lines))
        lines[at : at + 1], keys[at : at + 1] = [f"- {plain}"], [line_key(plain)]
    changed = "\n".join(lines)
    return content if changed == "\n".join(content.splitlines()) else changed + "\n"


def _may_be_about(line: str, topic: str) -> bool:
    """A quick look before `line_topic`: most lines of a long document do not even hold the word."""
    if topic.startswith("preference ") or topic == "preferred name":
        return True
    return bool(topic) and ("“" in line if topic.startswith("wish ") else topic.split()[-1] in fold(line))


@lru_cache(maxsize=50_000)
def line_topic(line: str) -> str:
    """What a line gives the one value of: its label, or the attribute of its sentence; empty where it can have several."""
    plain = line.lstrip("-* ").strip()
    if re.match(r"\d{4}-\d{2}-\d{2}", plain):
        return ""
    label = _LABEL.match(plain)
    if (label or find_namespace(plain) in ("", "user_preferences")) and (settled := preference_topic(plain)):
        return settled
    return fold(label["label"]) if label else read_attribute(plain, "user")[1]


# With a model


def _with_model(model: ChatModel, namespace: str, content: str, said: Sequence[Message], reason: str) -> str:
    """The model's document, when every statement it drops, alters or adds is named and quoted; repaired once."""
    from beacon.llm.prompts import load_prompt
    from beacon.llm.untrusted import data_section

    told = "\n\n".join(data_section(f"message {n}, {m.role}", m.content) for n, m in enumerate(said, 1))
    question = f"{data_section(f'document {namespace}', content)}\n\n{told}\n\nWhy it is updated now: {reason}"
    request = ChatRequest(load_prompt("profile_update").text, (Message("user", question),), MemoryUpdate, _room(content))
    reply = model.complete(request)
    problems = find_problems(content, _update(reply), said)
    if problems:
        repair = f"That update is refused: {' '.join(problems)} Reply again with the whole update."
        messages = (*request.messages, Message("assistant", reply.text), Message("user", repair))
        reply = model.complete(ChatRequest(request.system, messages, MemoryUpdate, _room(content)))
        problems = find_problems(content, _update(reply), said)
    if problems:
        raise ModelError(
            f"The update of '{namespace}' was refused, and nothing was changed: {' '.join(problems)}", reason="shape", namespace=namespace
        )
    return _update(reply).updated_content.rstrip() + "\n"


def _room(content: str) -> int:
    """Tokens for a reply that repeats the document: half its bytes, and room for what is new."""
    return MAX_TOKENS + len(content.encode()) // 2


def _update(reply: ChatReply) -> MemoryUpdate:
    if not isinstance(reply.data, MemoryUpdate):
        raise ModelError("The reply has no update in it.", reason="shape")
    return reply.data


def find_problems(content: str, update: MemoryUpdate, said: Sequence[Message]) -> list[str]:
    """Why an update cannot be taken: what it loses or adds without naming it, and corrections that nobody's words bear out."""
    old, new = _statements(content), _statements(update.updated_content)
    named = {key for c in update.changes for key in _statements(c.text)}
    replaced = {key for c in update.changes for key in _statements(c.replaces)}
    lost = [key for key in old if key not in new and key not in replaced and key not in _PLACEHOLDER_KEYS]
    problems = [f"'{old[key]}' is missing or altered without being named in `replaces`." for key in lost]
    problems += [f"'{new[key]}' is new without being named in `changes`." for key in new if key not in old and key not in named]
    spoken = [m.content for m in said if m.role == "user"]
    problems += [f"'{c.quote}' was not said by the person." for c in update.changes if not _was_said(c.quote, spoken)]
    return problems + _faulty_corrections(update.changes, old, new)


def _was_said(quote: str, spoken: Sequence[str]) -> bool:
    letters = sum(char.isalnum() for char in quote)
    long_enough = letters >= _SHORTEST_QUOTE or (letters >= 2 and any(char >= "\u0e00" for char in quote))
    return any(long_enough and quote in text for text in spoken) or quote in spoken


def _faulty_corrections(changes: Sequence[Change], old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """A correction takes one old statement's place by one new one, for words of its own: a document cannot be emptied that way."""
    problems: list[str] = []
    put: list[str] = []
    quotes: list[str] = []
    for change in (c for c in changes if c.replaces):
        before, after = list(_statements(change.replaces)), list(_statements(change.text))
        if len(before) != 1 or before[0] not in old:
            problems.append(f"'{change.replaces}' is not one statement of the document.")
        if len(after) != 1 or after[0] not in new or after[0] in put:
            problems.append(f"'{change.text}' does not stand in the document once, in the place of '{change.replaces}'.")
        if any(change.quote in other or other in change.quote for other in quotes):
            problems.append(f"'{change.quote}' cannot correct two statements: quote what corrects each.")
        put += after
        quotes.append(change.quote)
    return problems


def _statements(text: str) -> dict[str, str]:
    """key → wording of every statement of a document, in order."""
    return {key: text[a:b] for a, b in split_sentences(text) if (key := statement_key(text[a:b]))}


_PLACEHOLDER_KEYS = frozenset(key for text in DEFAULTS.values() for key in list(_statements(text.splitlines()[0])))
