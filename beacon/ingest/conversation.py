"""Conversations as JSON Lines: one turn a line."""

from dataclasses import dataclass
from datetime import datetime

from beacon.errors import InputError
from beacon.ingest.json_values import load_json, scalar_text
from beacon.ingest.limits import DEFAULT, ParseLimits, check_size
from beacon.ingest.rows import Problem
from beacon.ingest.text import clean, decode, one_line, tidy
from beacon.ingest.when import read_date

_TEXTS = ("id", "conversation", "speaker", "text", "at")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one person said at one time. `id` is unique within the file; `at` is None where the line gave no time."""

    id: str
    conversation: str
    speaker: str
    text: str
    at: datetime | None
    line: int


@dataclass(frozen=True, slots=True)
class ConversationReading:
    """The turns in the order written, and the lines that could not be read."""

    turns: tuple[Turn, ...]
    problems: tuple[Problem, ...]


def read_conversation(data: bytes, name: str, *, limits: ParseLimits = DEFAULT) -> ConversationReading:
    """The turns of a JSON Lines file `{id, conversation, speaker, text, at}`. Raises InputError when no line can be used."""
    check_size(len(data), name, limits)
    raw, _ = decode(data, name)
    turns: dict[str, Turn] = {}
    problems: list[Problem] = []
    for line, text in enumerate(clean(raw).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            turn = _turn(text, line, name)
            if turn.id in turns:
                raise InputError(f"the id '{turn.id}' is already used in line {turns[turn.id].line}")
            turns[turn.id] = turn
        except InputError as error:
            problems.append(Problem(name, line, error.message))
    if not turns:
        first = f" The first problem: line {problems[0].row}: {problems[0].message}" if problems else ""
        raise InputError(f"'{name}' has no turn that can be read.{first}", file=name)
    return ConversationReading(tuple(turns.values()), tuple(problems))


def _turn(raw: str, line: int, name: str) -> Turn:
    value = load_json(raw, name, line)
    if not isinstance(value, dict):
        raise InputError("the line is not a JSON object with id, conversation, speaker, text and at")
    found = {key: scalar_text(value[key]) for key in _TEXTS if value.get(key) is not None and not isinstance(value[key], dict | list)}
    text = tidy(found.get("text", ""))
    if not text:
        raise InputError("the line has no text")
    at = read_date(found.get("at", ""))
    if at is None and found.get("at"):
        raise InputError(f"at '{found['at']}' is not a time: write one such as 2026-01-31T09:00:00+00:00")
    conversation = one_line(found.get("conversation", "")) or name
    return Turn(one_line(found.get("id", "")) or f"{conversation}:{line}", conversation, one_line(found.get("speaker", "")), text, at, line)
