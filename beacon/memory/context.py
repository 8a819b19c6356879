"""The context builder: what Beacon has in mind at one step of thinking, assembled anew each time and never stored as truth.

Fixed parts are who it is, who it speaks with and what was just said; the rest comes in by need and room. The same state and the
same question give the same pack, byte for byte.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from beacon.domain.chat import ChatMessage, ContextPack, Conversation
from beacon.domain.ids import make_id
from beacon.errors import NotFoundError
from beacon.memory.documents import DIRECTIVES, known_statements
from beacon.memory.packing import Item, Packed, Part, build_pack
from beacon.memory.profiles import close_statements, get_memory, preferences_text
from beacon.memory.search import ambient_memories
from beacon.memory.talk import ensure_summaries, recall_messages, shown_summaries
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

TOKENS = 6000  # of a pack; counted high, as `estimate_tokens` does
SMALLEST = 1200
MEMORIES = 5
OTHERS = 5  # other conversations told of
RUNS = 5  # of the work under way
LONGEST_MESSAGE = {"user": 1600, "assistant": 700}  # characters of a recent message before its middle is left out
MANY_STATEMENTS = 60  # of a document from which those close to the question come first


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done now: a question in a conversation, or a step of a run."""

    text: str
    step: str = "answer"
    conversation_id: str = ""
    run_id: str = ""
    topic: str = ""


def build_context(ws: Workspace, task: Task, *, budget: int = TOKENS) -> Packed:
    """The pack for a step. Everything in it is the user's own or the workspace's. Raises NotFoundError for another's conversation."""
    budget = max(SMALLEST, budget)
    with ws.records.read() as tx:
        conversation = _conversation(ws, tx, task.conversation_id)
        messages = tx.chats.words(conversation.id) if conversation else []
        others = _others(ws, tx, task.conversation_id)
        work = _work(ws, tx, task.run_id)
    summaries = ensure_summaries(ws, conversation.id, messages) if conversation else []
    covered = max((one.last for one in summaries if one.level == "detail"), default=0)
    older, recent = [m for m in messages if m.n <= covered], [m for m in messages if m.n > covered]
    shown = shown_summaries(summaries, covered)
    parts = [
        Part("directives", "Who you are", "fixed", _lines(DIRECTIVES, get_memory(ws, DIRECTIVES)), must=True),
        Part("task", "What is to be done", "fixed", _task(task, conversation), must=True),
        Part("preferences", "How they want it", "fixed", _document(ws, "user_preferences", preferences_text(ws), task.text), 0.15),
        Part("user", "Who they are", "fixed", _document(ws, "user_profile", get_memory(ws, "user_profile"), task.text), 0.12),
        Part("company", "Their company", "fixed", _document(ws, "company_profile", get_memory(ws, "company_profile"), task.text), 0.08),
        Part("recent", "What was just said", "fixed", tuple(_message(m) for m in reversed(recent)), 0.30),
        Part("recalled", "What was said before, word for word", "dynamic", _recalled(ws, older, task.text), 0.20),
        Part("memories", "What comes to mind", "dynamic", _memories(ws, task), 0.20),
        Part("earlier", "What the conversation was about", "dynamic", _summaries(shown), 0.30),
        Part("work", "What is under way", "dynamic", work, 0.10),
        Part("others", "Other conversations", "dynamic", others, 0.10),
        Part("episodes", "What happened lately", "dynamic", _episodes(ws), 0.10),
    ]
    return build_pack(parts, budget)


def keep_context(ws: Workspace, task: Task, packed: Packed, ref: str) -> str:
    """The id under which the pack of a message or run is kept, as it was; made again it is the same one."""
    pack_id = make_id("ctx", ws.project_id, ws.user_id, ref, task.step)
    pack = ContextPack(
        pack_id, ws.project_id, ws.user_id, task.step, ref, packed.budget, packed.tokens, task.text, list(packed.parts), ws.clock()
    )
    with ws.records.write() as tx:
        tx.chats.put_context(pack)
    return pack_id


def find_contexts(ws: Workspace, ref: str) -> list[dict[str, Any]]:
    """What was in mind for a message or run of this user, step by step, each with its text as it was packed."""
    with ws.records.read() as tx:
        found = tx.chats.contexts(ws.project_id, ws.user_id, ref)
    return [
        {"id": one.id, "step": one.step, "ref": one.ref, "budget": one.budget, "tokens": one.tokens, "query": one.query, "parts": one.parts,
         "text": pack_text(one.parts), "at": one.at.isoformat()}
        for one in found
    ]  # fmt: skip


def pack_text(parts: Sequence[dict[str, Any]]) -> str:
    """The text of a kept pack, as it was."""
    return "\n\n".join("\n".join([f"## {part['title']}", *(item["text"] for item in part["items"])]) for part in parts if part["items"])


def _conversation(ws: Workspace, tx: Tx, conversation_id: str) -> Conversation | None:
    if not conversation_id:
        return None
    found = tx.chats.get(conversation_id)
    if (found.project_id, found.user_id) != (ws.project_id, ws.user_id):
        raise NotFoundError(f"There is no conversation {conversation_id} here.", conversation_id=conversation_id)
    return found


# The parts


def _lines(namespace: str, content: str) -> tuple[Item, ...]:
    return tuple(Item(f"{namespace}:{n}", f"- {text}", n) for n, text in enumerate(known_statements(namespace, content), 1))


def _document(ws: Workspace, namespace: str, content: str, query: str) -> tuple[Item, ...]:
    """A document's statements; of many, those that bear on what is asked come first, then the first ones, which say who it is."""
    lines = _lines(namespace, content)
    if len(lines) <= MANY_STATEMENTS:
        return lines
    close = set(close_statements(ws, query, [item.text for item in lines]))
    first = lines[: MANY_STATEMENTS // 4]
    return tuple(dict.fromkeys([*first, *(item for item in lines if item.text in close), *lines]))[: MANY_STATEMENTS * 4]


def _message(message: ChatMessage) -> Item:
    who = "You" if message.role == "user" else "Beacon"
    return Item(message.id, f"[{message.n}] {who}: {_shortened(message)}", message.n)


def _shortened(message: ChatMessage) -> str:
    text, most = message.content.strip(), LONGEST_MESSAGE.get(message.role, 700)
    return text if len(text) <= most else f"{text[: most * 2 // 3].rstrip()} … {text[-most // 4 :].lstrip()}"


def _recalled(ws: Workspace, older: Sequence[ChatMessage], text: str) -> tuple[Item, ...]:
    return tuple(_message(one.message) for one in recall_messages(ws, older, text)) if older else ()


def _memories(ws: Workspace, task: Task) -> tuple[Item, ...]:
    wanted = f"{task.topic} {task.text}".strip()
    return tuple(Item(str(m["memory_id"]), f"- {m['text']}") for m in ambient_memories(ws, wanted, MEMORIES))


def _summaries(shown: Sequence[Any]) -> tuple[Item, ...]:
    """The newest stretch first: where room is short, the oldest is told of least."""
    return tuple(Item(one.id, f"[{one.first}-{one.last}] {one.text}", one.first) for one in reversed(shown))


def _others(ws: Workspace, tx: Tx, conversation_id: str) -> tuple[Item, ...]:
    found = [one for one in tx.chats.all(ws.project_id, ws.user_id, limit=OTHERS + 1) if one.id != conversation_id][:OTHERS]
    return tuple(Item(one.id, f"- {one.updated_at.date().isoformat()}: {_about(one)}") for one in found)


def _about(conversation: Conversation) -> str:
    goal = " ".join(str(conversation.state.get("goal") or "").split())[:120]
    asked = conversation.state.get("open_questions") or []
    extra = f"; last asked: {goal}" if goal and goal != conversation.title else ""
    return f"{conversation.title}{extra}{f'; still open: {len(asked)}' if asked else ''}"


def _work(ws: Workspace, tx: Tx, run_id: str) -> tuple[Item, ...]:
    titles = {topic.id: topic.title for topic in tx.topics.all(ws.project_id)}
    under_way = tx.runs.all(ws.project_id, statuses=("queued", "running", "waiting"), limit=RUNS)
    found = [one for one in under_way if one.id != run_id]
    return tuple(
        Item(run.id, f"- Research on {titles.get(run.topic_id, 'a topic')}: {run.status}, {run.progress.get('phase') or 'not begun'}")
        for run in found
    )


def _task(task: Task, conversation: Conversation | None) -> tuple[Item, ...]:
    items = [Item("task", f"- {'Question' if task.step == 'answer' else 'Step'}: {' '.join(task.text.split())[:1600]}")]
    if task.topic:
        items.append(Item("topic", f"- Topic: {task.topic}", 1))
    questions = list((conversation.state if conversation else {}).get("open_questions") or [])[-3:]
    return (*items, *(Item(f"open:{n}", f"- Still open: {' '.join(str(q).split())[:200]}", 2) for n, q in enumerate(questions)))


def _episodes(ws: Workspace) -> tuple[Item, ...]:
    lines = _lines("episodic_memory", get_memory(ws, "episodic_memory"))
    return lines[::-1][:MANY_STATEMENTS]
