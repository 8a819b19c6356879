"""What a person does to a memory: add, edit, pin, forget, restore. Each is one changeset and one event that the memory cites."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from beacon.analyst.tokens import fold
from beacon.domain.event import Event
from beacon.domain.evidence import Citation
from beacon.domain.ids import make_id
from beacon.domain.memory import TIERS, Contradiction, Memory
from beacon.errors import ConflictError, InputError, NotFoundError
from beacon.llm.embedding import text_sha
from beacon.memory.changesets import Item, apply_changes, memory_item
from beacon.memory.contradictions import ruled
from beacon.memory.fact_keeping import fact_rows, items_for, items_for_ruling
from beacon.memory.facts import read_attribute, settle
from beacon.memory.importance import importance_from, importance_parts, is_forever, read_tone
from beacon.memory.search import believed, user_settings
from beacon.memory.vectors import similarities
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

MAX_TEXT = 8000  # characters


def closest_similarity(ws: Workspace, text: str, others: list[str]) -> float:
    """How close the nearest of the other texts is, 0 without any."""
    found = similarities(ws, text, others)
    return max(found, default=0.0) if found else 0.0


def add_memory(
    ws: Workspace, text: str, *, tier: str = "semantic", given: Mapping[str, Any] | None = None, actor: str = "user"
) -> tuple[Memory, str]:
    """The new memory and its changeset; an older fact about the same subject and attribute is superseded by it."""
    text = _checked(text)
    if tier not in TIERS:
        raise InputError(f"There is no tier '{tier}': use {', '.join(TIERS)}.", tier=tier)
    given, now = dict(given or {}), ws.clock()
    with ws.records.read() as tx:
        known = believed(ws, tx)
        settings = user_settings(ws, tx)
    if any(fold(m.text) == fold(text) and m.tier == tier for m in known):
        raise ConflictError("This is remembered already: edit or pin what is there.", text=text[:80])
    given.update(_importance(ws, text, given, settings, [m.text for m in known]))
    with ws.records.write() as tx:
        event = _tell(ws, tx, "memory_added", text, {"tier": tier})
        subject, attribute, value = read_attribute(text, "user") if tier == "semantic" else ("", "", "")
        named = {"subject": subject, "attribute": attribute, "value": value} | {k: v for k, v in given.items() if v is not None}
        memory = Memory(
            id=make_id("mem", ws.project_id, ws.user_id, tier, event.id),
            project_id=ws.project_id,
            tier=tier,
            text=text,
            recorded_at=now,
            last_access_at=now,
            user_id=ws.user_id,
            emotion=read_tone(text)[0],
            citations=[cite_event(event, 0, len(text))],
            channel="memory",
            text_sha256=text_sha(text),
            **{"valid_from": now, **named},
        )
        items = _items(ws, tx, memory) if tier == "semantic" else [memory_item(None, memory)]
        changeset_id = apply_changes(ws, tx, actor=actor, action="memory_added", title=f"Remembered: {shorten(text)}", items=items)
        return tx.memories.get(memory.id), changeset_id


def _items(ws: Workspace, tx: Tx, memory: Memory) -> list[Item]:
    """What a told fact does: to facts of the same point where it claims something of the world, else to what was told before."""
    return items_for(ws, tx, memory, fact_rows(ws, tx)) or settle(memory, believed(ws, tx, tiers=("semantic",)), ws.clock())


def _importance(ws: Workspace, text: str, given: Mapping[str, Any], settings: Mapping[str, Any], others: list[str]) -> dict[str, Any]:
    """What a person adds by hand was asked to be remembered."""
    parts = importance_parts(
        text,
        people=given.get("people") or (),
        by_owner=True,
        trusted=settings.get("trusted_people", []),
        goals=settings.get("goals", []),
        closest=closest_similarity(ws, text, others),
    )
    parts["marker"] = 1.0
    return {"importance_parts": parts, "importance": importance_from(parts), "pinned": bool(given.get("pinned")) or is_forever(text)}


def edit_memory(ws: Workspace, memory_id: str, changes: Mapping[str, Any], *, actor: str = "user") -> tuple[Memory, str]:
    """The memory as edited and the changeset. Its earlier wording stays in the history, and its evidence too."""
    values = dict(changes)
    with ws.records.write() as tx:
        before = own_memory(ws, tx, memory_id)
        if "text" in values:
            values["text"] = _checked(values["text"])
            values["text_sha256"] = text_sha(values["text"])
        changed = {name: value for name, value in values.items() if getattr(before, name) != value}
        if not changed:
            return before, ""
        if "text" in changed:
            event = _tell(ws, tx, "memory_edited", changed["text"], {"memory_id": memory_id})
            changed["citations"] = [cite_event(event, 0, len(changed["text"])), *before.citations]
            changed = _reread(before, changed["text"]) | changed
        return _change(ws, tx, before, "memory_edited", "Edited", actor, **changed)


def _reread(before: Memory, text: str) -> dict[str, Any]:
    """Subject, attribute and value of the new text, where those of the old text were read from it and not set by hand."""
    names = ("subject", "attribute", "value")
    told = (before.subject, before.attribute, before.value)
    if before.tier != "semantic" or told != read_attribute(before.text, "user"):
        return {}
    return dict(zip(names, read_attribute(text, "user"), strict=True))


def pin_memory(ws: Workspace, memory_id: str, pinned: bool, *, actor: str = "user") -> tuple[Memory, str]:
    """The memory, pinned (it never fades) or not, and the changeset; none where it was so already."""
    with ws.records.write() as tx:
        before = own_memory(ws, tx, memory_id)
        if before.pinned == pinned:
            return before, ""
        word = "Pinned" if pinned else "Unpinned"
        return _change(ws, tx, before, f"memory_{word.lower()}", word, actor, pinned=pinned)


def forget_memory(ws: Workspace, memory_id: str, *, actor: str = "user") -> tuple[Memory, str]:
    """The memory, archived: it no longer comes up, and can be restored."""
    with ws.records.write() as tx:
        before = own_memory(ws, tx, memory_id)
        if before.status == "archived":
            return before, ""
        return _change(ws, tx, before, "memory_forgotten", "Forgotten", actor, status="archived", retired_at=ws.clock())


def restore_memory(ws: Workspace, memory_id: str, *, actor: str = "user") -> tuple[Memory, str]:
    """The memory, current again. Raises ConflictError where another fact took its place: undo that instead."""
    with ws.records.write() as tx:
        before = own_memory(ws, tx, memory_id)
        if before.status == "current":
            return before, ""
        if before.replaced_by and (newer := tx.memories.find(before.replaced_by)) is not None and newer.status == "current":
            raise ConflictError(
                f"Another fact took its place: '{shorten(newer.text)}'. Forget that one first.", memory_id=memory_id, replaced_by=newer.id
            )
        values = {"valid_to": None} if before.status == "superseded" else {}
        return _change(ws, tx, before, "memory_restored", "Restored", actor, status="current", retired_at=None, replaced_by="", **values)


def _change(ws: Workspace, tx: Tx, before: Memory, action: str, word: str, actor: str, **values: Any) -> tuple[Memory, str]:
    after = replace(before, version=before.version + 1, **values)
    items: list[Item] = [memory_item(before, after)]
    return after, apply_changes(ws, tx, actor=actor, action=action, title=f"{word}: {shorten(after.text)}", items=items)


def own_memory(ws: Workspace, tx: Tx, memory_id: str) -> Memory:
    """The memory, if it is the user's or the project's. Raises NotFoundError."""
    memory = tx.memories.get(memory_id)
    if memory.project_id != ws.project_id or (memory.scope != "project" and memory.user_id != ws.user_id):
        raise NotFoundError(f"There is no memory {memory_id} here: `beacon memory list` shows what there is.", memory_id=memory_id)
    return memory


def _tell(ws: Workspace, tx: Tx, type_: str, text: str, payload: Mapping[str, Any]) -> Event:
    """The event that a memory made by hand cites. The same words at the same moment are told apart by the changeset's number."""
    now = ws.clock()
    event_id = make_id("evt", ws.project_id, ws.user_id, type_, now, text, payload, tx.memories.last_seq(ws.project_id))
    event = Event(event_id, ws.project_id, type_, now, now, text, dict(payload), ws.user_id, "memory", [ws.user_id])
    tx.events.append(event)
    return event


def cite_event(event: Event, start: int, end: int) -> dict[str, Any]:
    """A citation of a slice of an event's text."""
    citation = Citation(event.text[start:end], start, end, event_id=event.id, title=event.channel or event.type)
    return {**citation.as_json(), "at": event.at.isoformat()}


def shorten(text: str, limit: int = 80) -> str:
    """The text on one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _checked(text: str) -> str:
    text = text.strip()
    if not text:
        raise InputError("There is no text to remember.")
    if len(text) > MAX_TEXT:
        raise InputError(f"The text has {len(text)} characters: a memory has at most {MAX_TEXT}.")
    return text


def own_contradiction(ws: Workspace, tx: Tx, contradiction_id: str) -> Contradiction:
    """The project's contradiction. Raises NotFoundError."""
    case = tx.facts.find_contradiction(contradiction_id)
    if case is None or case.project_id != ws.project_id:
        raise NotFoundError(
            f"There is no contradiction {contradiction_id} here: `beacon memory contradictions` lists them.", id=contradiction_id
        )
    return case


def rule(ws: Workspace, contradiction_id: str, memory_id: str, note: str = "", *, actor: str = "user") -> tuple[Contradiction, str]:
    """The contradiction as ruled for one of its sides, and the changeset. Later evidence for another side opens it again."""
    with ws.records.write() as tx:
        tx.facts.lock(ws.project_id)
        case = own_contradiction(ws, tx, contradiction_id)
        if memory_id not in {side["memory_id"] for side in case.sides}:
            sides = ", ".join(f"{side['memory_id']} ({side['shown']})" for side in case.sides)
            raise InputError(f"The memory {memory_id} is no side of this contradiction: choose one of {sides}.", memory_id=memory_id)
        decided = ruled(case, memory_id, note, ws.user_id, ws.clock())
        shown = next(side["shown"] for side in case.sides if side["memory_id"] == memory_id)
        _tell(ws, tx, "contradiction_ruled", f"Ruled on {case.subject} {case.attribute}: {shown}", {"id": case.id, "keep": memory_id})
        items = items_for_ruling(ws, tx, case, decided)
        title = f"Ruled: {shorten(f'{case.subject} {case.attribute} is {shown}')}"
        return decided, apply_changes(ws, tx, actor=actor, action="contradiction_ruled", title=title, items=items)
