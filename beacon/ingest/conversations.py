"""Recorded conversations: every turn an event, every conversation a source whose passages are its turns."""

from collections.abc import Sequence
from pathlib import Path

from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.domain.source import Block, Document, IncomingDocument
from beacon.errors import InputError
from beacon.ingest.conversation import Turn, read_conversation
from beacon.ingest.pipeline import CONVERSATION as KIND
from beacon.ingest.pipeline import IngestReport, ingest_documents
from beacon.ingest.rows import Problem
from beacon.workspace import Workspace


def ingest_conversation(ws: Workspace, path: Path) -> tuple[IngestReport, tuple[Problem, ...]]:
    """What became of a JSON Lines file of turns `{id, conversation, speaker, text, at}`. Raises InputError when none can be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", file=str(path)) from None
    reading = read_conversation(data, path.name)
    by_name: dict[str, list[Turn]] = {}
    for turn in reading.turns:
        by_name.setdefault(turn.conversation or path.stem, []).append(turn)
    with ws.records.write() as tx:
        for name, turns in by_name.items():
            tx.events.append(*(_event(ws, name, turn) for turn in turns))
    documents = [_document(ws, name, turns) for name, turns in by_name.items()]
    return ingest_documents(ws, documents, origin=KIND), reading.problems


def event_id(ws: Workspace, conversation: str, turn: Turn) -> str:
    """The id of a turn's event."""
    return make_id("evt", ws.project_id, "turn_said", conversation, turn.id)


def _event(ws: Workspace, conversation: str, turn: Turn) -> Event:
    return Event(
        id=event_id(ws, conversation, turn),
        project_id=ws.project_id,
        type="turn_said",
        at=turn.at or ws.clock(),
        recorded_at=ws.clock(),
        text=turn.text,
        payload={"conversation": conversation, "turn": turn.id, "speaker": turn.speaker},
        user_id=ws.user_id,
        channel=conversation,
        people=[turn.speaker] if turn.speaker else [],
    )


def conversation_document(name: str, turns: Sequence[Turn]) -> Document:
    """A conversation as one text: each turn a block and a line under its speaker's name."""
    parts, blocks, at = [], [], 0
    for turn in turns:
        head = f"{turn.speaker}: " if turn.speaker else ""
        date = (turn.at.strftime("%Y-%m-%d %B %Y"),) if turn.at else ()
        blocks.append(Block(at + len(head), at + len(head) + len(turn.text), "turn", date, turn.speaker))
        parts.append(f"{head}{turn.text}\n")
        at += len(parts[-1])
    return Document("".join(parts), name, "application/jsonl", tuple(blocks))


def _document(ws: Workspace, name: str, turns: Sequence[Turn]) -> IncomingDocument:
    document = conversation_document(name, turns)
    dated = [turn.at for turn in turns if turn.at]
    return IncomingDocument(
        f"{KIND}:{name}",
        "",
        name,
        document,
        version_date=max(dated, default=None),
        kind=KIND,
        metadata={"events": [event_id(ws, name, t) for t in turns]},
    )
