"""Tools that show what Beacon has, or had, in mind at a step of thinking."""

from typing import Any

from pydantic import Field

from beacon.errors import InputError
from beacon.memory.context import TOKENS, Task, build_context, find_contexts
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace


class ContextQuery(Arguments):
    """What would be asked, in which conversation, within which budget of tokens."""

    text: str = Field(min_length=1, max_length=4000)
    conversation: str = ""
    budget: int = Field(default=TOKENS, ge=1, le=200_000)


class ContextRef(Arguments):
    """A message of a conversation, or a run by id or as SLUG#N."""

    ref: str


@tool(ContextQuery)
def context_preview(ws: Workspace, args: ContextQuery) -> dict[str, Any]:
    """What Beacon would have in mind for a question: packed to the budget, with what was left out and why."""
    packed = build_context(ws, Task(args.text, conversation_id=args.conversation), budget=args.budget)
    return {"text": packed.text, "tokens": packed.tokens, "budget": packed.budget, "parts": list(packed.parts), "query": args.text}


@tool(ContextRef)
def context_show(ws: Workspace, args: ContextRef) -> list[dict[str, Any]]:
    """What Beacon had in mind when it answered a message or took the steps of a run."""
    from beacon.tools.runs import find_run

    ref = args.ref
    if "#" in ref:
        with ws.records.read() as tx:
            ref = find_run(ws, tx, ref).id
    if not ref:
        raise InputError("Name a message or a run.")
    return find_contexts(ws, ref)
