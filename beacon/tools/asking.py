"""Tools that answer questions and show conversations."""

from typing import Any

from pydantic import Field

from beacon.chat.ask import Question
from beacon.chat.ask import ask as answer_question
from beacon.domain.clock import parse_when
from beacon.errors import NotFoundError
from beacon.memory.triggers import learn_from_message
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace


class Ask(Arguments):
    """A question."""

    question: str = Field(min_length=1)
    conversation: str = ""
    as_of: str | None = None
    slug: str | None = Field(default=None, description="answer from the sources of this topic only")


class ConversationId(Arguments):
    """Names a conversation."""

    id: str


@tool(Ask, writes=True)
def ask(ws: Workspace, args: Ask) -> dict[str, Any]:
    """Answers from exact quotes of what was read, or says what is missing; the exchange is kept."""
    source_ids: tuple[str, ...] | None = None
    if args.slug:
        with ws.records.read() as tx:
            source_ids = tuple(tx.topics.source_ids(tx.topics.get(ws.project_id, args.slug).id))
    as_of = parse_when(args.as_of, end_of_day=True) if args.as_of else None
    answer = answer_question(ws, Question(args.question, args.conversation, as_of, source_ids))
    _remember(ws, [str(memory["memory_id"]) for memory in answer["memories"]])
    return {**answer, "learned": learn_from_message(ws, args.question, answer["question_id"])}


def _remember(ws: Workspace, shown: list[str]) -> None:
    """What an answer showed was recalled; what was said and asked to be remembered becomes memory at once."""
    from beacon.memory.consolidate import consolidate, due
    from beacon.memory.search import deliver

    deliver(ws, shown)
    if (reason := due(ws)) == "remember":
        consolidate(ws, trigger=reason)


@tool(NoArguments)
def conversation_list(ws: Workspace, args: NoArguments) -> list[dict[str, Any]]:
    """The user's conversations, last used first."""
    with ws.records.read() as tx:
        found = tx.chats.all(ws.project_id, ws.user_id)
    return [
        {"id": c.id, "title": c.title, "created_at": c.created_at.isoformat(), "updated_at": c.updated_at.isoformat(), "state": c.state}
        for c in found
    ]


@tool(ConversationId)
def conversation_show(ws: Workspace, args: ConversationId) -> dict[str, Any]:
    """A conversation with its messages, citations and evidence packs."""
    with ws.records.read() as tx:
        conversation = tx.chats.get(args.id)
        messages = tx.chats.messages(args.id)
    if conversation.project_id != ws.project_id or conversation.user_id != ws.user_id:
        raise NotFoundError(f"There is no conversation {args.id} here.")
    return {
        "id": conversation.id,
        "title": conversation.title,
        "state": conversation.state,
        "messages": [
            {"id": m.id, "n": m.n, "role": m.role, "content": m.content, "at": m.at.isoformat(), "metadata": m.metadata, "pack": m.pack}
            for m in messages
        ],
    }
