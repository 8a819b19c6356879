"""Tools for project state, conversation state, events and projects."""

from typing import Any

from pydantic import Field

from beacon.domain.chat import Conversation
from beacon.domain.event import SHARED_CHANNELS, Event
from beacon.domain.ids import make_id
from beacon.errors import ConflictError, NotFoundError
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace


class Patch(Arguments):
    """A JSON merge patch: null removes a key."""

    patch: dict[str, Any]


class ConversationRef(Arguments):
    """Names a conversation."""

    conversation_id: str


class ConversationPatch(ConversationRef):
    """A merge patch for a conversation."""

    patch: dict[str, Any]


class LogEvent(Arguments):
    """Something that happened."""

    type: str = Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9_]*$")
    payload: dict[str, Any] = Field(default_factory=dict)
    text: str = ""
    channel: str = ""
    people: list[str] = Field(default_factory=list)


class EventList(Arguments):
    """Which events."""

    limit: int = Field(default=100, ge=1, le=5000)
    type: str | None = None


class ProjectAdd(Arguments):
    """A new project."""

    name: str = Field(min_length=1, max_length=80, pattern=r"^[\w][\w.-]*$")
    title: str = ""


@tool(NoArguments)
def get_project_state(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """The project's ICP, segments, definitions, constraints, success metrics and strategy."""
    with ws.records.read() as tx:
        return dict(tx.projects.get(ws.project_id)["state"])


@tool(Patch, writes=True)
def patch_project_state(ws: Workspace, args: Patch) -> dict[str, Any]:
    """Merges a patch into the project's state (null removes a key) and returns the state."""
    now = ws.clock()
    with ws.records.write() as tx:
        before = dict(tx.projects.get(ws.project_id)["state"])
        state: dict[str, Any] = merge_patch(before, args.patch)
        tx.projects.set_state(ws.project_id, state)
        if state != before:
            event_id = make_id("evt", ws.project_id, "project_state_changed", now, args.patch)
            text = f"The project state was changed: {', '.join(sorted(args.patch))}."
            tx.events.append(
                Event(event_id, ws.project_id, "project_state_changed", now, now, text, {"patch": args.patch}, ws.user_id, "settings")
            )
    return state


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396: objects merge key by key, null removes, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


@tool(ConversationRef)
def get_conversation_state(ws: Workspace, args: ConversationRef) -> dict[str, Any]:
    """A conversation's goal, open questions, last cited ids and cache keys."""
    with ws.records.read() as tx:
        return _own(ws, tx.chats.get(args.conversation_id)).state


@tool(ConversationPatch, writes=True)
def patch_conversation_state(ws: Workspace, args: ConversationPatch) -> dict[str, Any]:
    """Merges a patch into a conversation's state and returns the state."""
    with ws.records.write() as tx:
        state: dict[str, Any] = merge_patch(_own(ws, tx.chats.get(args.conversation_id)).state, args.patch)
        tx.chats.update(args.conversation_id, ws.clock(), state=state)
    return state


def _own(ws: Workspace, conversation: Conversation) -> Conversation:
    if (conversation.project_id, conversation.user_id) != (ws.project_id, ws.user_id):
        raise NotFoundError(f"There is no conversation {conversation.id} here.", conversation_id=conversation.id)
    return conversation


@tool(LogEvent, writes=True)
def log_event(ws: Workspace, args: LogEvent) -> dict[str, str]:
    """Adds an event to the log and returns its id."""
    now = ws.clock()
    event = Event(
        id=make_id("evt", ws.project_id, args.type, now, args.text, args.payload),
        project_id=ws.project_id,
        type=args.type,
        at=now,
        recorded_at=now,
        text=args.text,
        payload=args.payload,
        user_id=ws.user_id,
        channel=args.channel,
        people=args.people,
    )
    with ws.records.write() as tx:
        tx.events.append(event)
    return {"event_id": event.id}


@tool(EventList)
def event_list(ws: Workspace, args: EventList) -> list[dict[str, Any]]:
    """The newest events first."""
    with ws.records.read() as tx:
        types = [args.type] if args.type else None
        events = tx.events.all(ws.project_id, types=types, user_id=ws.user_id, shared=SHARED_CHANNELS, newest_first=True, limit=args.limit)
    return [event_json(event) for event in events]


def event_json(event: Event) -> dict[str, Any]:
    """An event as tools print it."""
    return {
        "id": event.id,
        "type": event.type,
        "at": event.at.isoformat(),
        "recorded_at": event.recorded_at.isoformat(),
        "text": event.text,
        "payload": event.payload,
        "user": event.user_id,
        "channel": event.channel,
        "people": event.people,
        "tone": event.tone,
    }


@tool(ProjectAdd, writes=True)
def project_add(ws: Workspace, args: ProjectAdd) -> dict[str, Any]:
    """Adds a workspace with topics, sources and memory of its own."""
    with ws.records.write() as tx:
        if tx.projects.find(args.name):
            raise ConflictError(f"There is a project '{args.name}' already.", name=args.name)
        row = tx.projects.add(args.name, args.title, ws.clock())
    return {"id": row["id"], "name": row["name"], "title": row["title"]}


@tool(NoArguments)
def project_list(ws: Workspace, args: NoArguments) -> list[dict[str, Any]]:
    """The workspaces of this data folder."""
    with ws.records.read() as tx:
        return [{"id": p["id"], "name": p["name"], "title": p["title"], "current": p["id"] == ws.project_id} for p in tx.projects.all()]
