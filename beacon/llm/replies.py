"""What every adapter does with a finished reply: usable text, or the ModelError that says why not."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NoReturn, TypeVar

import pydantic

from beacon.errors import InputError, ModelError
from beacon.llm.ports import ChatRequest, ToolCall, Usage
from beacon.llm.structured import Answer
from beacon.llm.untrusted import well_formed


class Wire(pydantic.BaseModel):
    """A part of what a provider sends; fields Beacon does not read are left out."""

    model_config = pydantic.ConfigDict(extra="ignore")


W = TypeVar("W", bound=Wire)


def read_wire(shape: type[W], raw: object, model: str) -> W:
    """The provider library's object in our shape: the library itself does not check what a server sent."""
    try:
        return shape.model_validate(raw.model_dump(warnings=False) if isinstance(raw, pydantic.BaseModel) else raw)
    except (pydantic.ValidationError, AttributeError):
        unexpected(model, "it is not of the form the provider documents")


def refuse_shaped(request: ChatRequest) -> None:
    """Raises InputError for a streamed question that wants a shape."""
    if request.schema is not None:
        raise InputError("A reply of a given shape cannot be streamed: ask for it with complete.")


def finished(text: str, usage: Usage, calls: Sequence[ToolCall] = ()) -> Answer:
    """The answer; one with neither text nor a call of a tool is a ModelError."""
    if not text.strip() and not calls:
        raise ModelError(f"The reply of {usage.model} is empty.", reason="empty", usage=usage, model=usage.model)
    return Answer(well_formed(text), usage, tuple(calls))


def checked_calls(calls: Sequence[ToolCall], request: ChatRequest, usage: Usage) -> list[ToolCall]:
    """The calls, each with an id of its own; one of a tool that was not offered makes the reply a ModelError."""
    offered = {tool.name for tool in request.tools}
    for call in calls:
        if call.name not in offered:
            name = " ".join(well_formed(call.name).split())[:80]
            raise ModelError(f"{usage.model} asked for a tool '{name}' that it was not offered.", reason="tool", usage=usage, tool=name)
    return [call if call.id else replace(call, id=f"call_{n}") for n, call in enumerate(calls, 1)]


def read_arguments(text: str, usage: Usage) -> Mapping[str, object]:
    """A call's arguments as the object they must be."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ModelError(f"{usage.model} asked for a tool with arguments that are no JSON object.", reason="tool", usage=usage)
    return found


def cut(usage: Usage, max_tokens: int) -> NoReturn:
    raise ModelError(
        f"The reply of {usage.model} was cut off at {max_tokens} tokens: ask for less, or allow more.",
        reason="cut",
        usage=usage,
        model=usage.model,
    )


def refused(usage: Usage, why: str) -> NoReturn:
    detail = " ".join(well_formed(why).split())[:300]
    raise ModelError(f"{usage.model} refused to answer{f': {detail}' if detail else ''}.", reason="refused", usage=usage, model=usage.model)


def too_long(model: str, detail: str) -> NoReturn:
    raise ModelError(f"The question is longer than {model} reads: {detail}", reason="too_long", model=model)


def unexpected(model: str, what: str, usage: Usage | None = None) -> NoReturn:
    raise ModelError(f"The reply of {model} cannot be used: {what}.", reason="shape", usage=usage, model=model)
