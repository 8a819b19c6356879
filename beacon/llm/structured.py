"""Replies of a given shape: validated, and repaired once when they do not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pydantic

from beacon.errors import BeaconError, ModelError
from beacon.llm.ports import ChatReply, ChatRequest, Message, ToolCall, Usage

_FENCE = re.compile(r"\A\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_PROBLEMS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply as a provider gave it, complete but not yet validated."""

    text: str
    usage: Usage
    tool_calls: tuple[ToolCall, ...] = ()


def complete(ask: Callable[[ChatRequest], Answer], request: ChatRequest) -> ChatReply:
    """The reply to the request; one that does not fit the schema is sent back once with what is wrong, then is a ModelError."""
    answer = ask(request)
    if request.schema is None:
        return ChatReply(answer.text, None, answer.usage, "tools" if answer.tool_calls else "end", answer.tool_calls)
    try:
        return ChatReply(answer.text, _validated(request.schema, answer.text), answer.usage)
    except pydantic.ValidationError as error:
        second = _ask_again(ask, request, answer, error)
    try:
        return ChatReply(second.text, _validated(request.schema, second.text), second.usage)
    except pydantic.ValidationError as error:
        raise ModelError(
            f"The reply of {second.usage.model} does not have the asked shape, even after a repair: {_problems(error)}",
            reason="shape",
            usage=second.usage,
            model=second.usage.model,
        ) from None


def _validated(schema: type[pydantic.BaseModel], text: str) -> pydantic.BaseModel:
    """The reply as the schema's model. Some servers wrap JSON in a code fence, which is taken off."""
    fenced = _FENCE.match(text)
    return schema.model_validate_json(fenced.group(1) if fenced else text)


def _ask_again(ask: Callable[[ChatRequest], Answer], request: ChatRequest, first: Answer, error: pydantic.ValidationError) -> Answer:
    """The second reply, with the usage of both."""
    correction = f"That reply does not fit the required schema: {_problems(error)}. Reply again with nothing but one JSON object that does."
    key = request.idempotency_key and f"{request.idempotency_key}:repair"
    messages = (*request.messages, Message("assistant", first.text), Message("user", correction))
    try:
        second = ask(replace(request, messages=messages, idempotency_key=key))
    except BeaconError as failure:
        spent = failure.facts.get("usage")
        failure.facts["usage"] = first.usage + spent if isinstance(spent, Usage) else first.usage
        raise
    return replace(second, usage=first.usage + second.usage)


def _problems(error: pydantic.ValidationError) -> str:
    """Where and what, without the values: they are the model's text and no part of a message."""
    shown = error.errors(include_url=False, include_input=False, include_context=False)[:_PROBLEMS_SHOWN]
    return "; ".join(f"{'.'.join(str(part) for part in problem['loc']) or 'reply'}: {problem['msg']}" for problem in shown)
