"""Conversations: opened, continued, and kept word for word."""

from typing import Any

from beacon.domain.chat import ChatMessage, Conversation
from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.errors import NotFoundError
from beacon.workspace import Workspace

TITLE_LENGTH = 80


def open_conversation(ws: Workspace, conversation_id: str, first_words: str) -> Conversation:
    """The conversation with this id, or a new one named after its first question. Raises NotFoundError."""
    now = ws.clock()
    if conversation_id:
        with ws.records.read() as tx:
            found = tx.chats.get(conversation_id)
        if found.project_id != ws.project_id or found.user_id != ws.user_id:
            raise NotFoundError(f"There is no conversation {conversation_id} here.")
        return found
    with ws.records.read() as tx:
        nth = tx.chats.count(ws.project_id, ws.user_id)
    title = first_words if len(first_words) <= TITLE_LENGTH else first_words[: TITLE_LENGTH - 1].rstrip() + "…"
    return Conversation(make_id("cnv", ws.project_id, ws.user_id, now, nth, first_words), ws.project_id, ws.user_id, title, now, now)


def save_exchange(ws: Workspace, conversation: Conversation, question: str, result: dict[str, Any]) -> dict[str, Any]:
    """The result with the ids of conversation, answer and question, both turns stored together with the evidence pack."""
    now = ws.clock()
    with ws.records.write() as tx:
        tx.chats.add(conversation)
        n = tx.chats.count_messages(conversation.id) + 1
        asked = ChatMessage(make_id("msg", conversation.id, n), conversation.id, n, "user", question, now)
        metadata = {key: value for key, value in result.items() if key not in ("answer", "evidence_pack")}
        answered = ChatMessage(
            make_id("msg", conversation.id, n + 1),
            conversation.id,
            n + 1,
            "assistant",
            result["answer"],
            now,
            metadata,
            result["evidence_pack"],
        )
        for message in (asked, answered):
            tx.chats.add_message(message)
        tx.events.append(_event(ws, "message_sent", asked), _event(ws, "message_received", answered))
        state = {**conversation.state, "goal": question, "last_cited_ids": result["cited_chunk_ids"] + result["cited_event_ids"]}
        state["open_questions"] = [*conversation.state.get("open_questions", []), *([] if result["sufficient"] else [question])][-10:]
        tx.chats.update(conversation.id, now, state=state)
    return {**result, "conversation_id": conversation.id, "message_id": answered.id, "question_id": asked.id}


def _event(ws: Workspace, type_: str, message: ChatMessage) -> Event:
    return Event(
        id=make_id("evt", ws.project_id, type_, message.id),
        project_id=ws.project_id,
        type=type_,
        at=message.at,
        recorded_at=message.at,
        text=message.content,
        payload={"conversation_id": message.conversation_id, "message_id": message.id},
        user_id=ws.user_id,
        channel="chat",
        people=[ws.user_id] if message.role == "user" else [],
    )
