"""Tools for what is remembered: memories, consolidation, changesets, and what weighs in their score."""

from typing import Any, Literal

from pydantic import Field

from beacon.domain.clock import parse_when
from beacon.domain.memory import Memory
from beacon.errors import InputError
from beacon.memory import changesets, keep
from beacon.memory import search as recall
from beacon.memory.facts import has_ended, holds_at, is_from
from beacon.memory.forms import memory_json
from beacon.memory.score import SITUATIONS, build_tuning, why_kept
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace

TierName = Literal["episodic", "semantic", "procedural"]
Status = Literal["current", "superseded", "contradicted", "retracted", "archived", "all"]


class MemoryList(Arguments):
    """Which memories."""

    tier: TierName | None = None
    status: Status = "current"
    topic: str | None = Field(default=None, description="a topic's slug")
    as_of: str | None = Field(default=None, description="what was believed at that moment")
    valid_at: str | None = Field(default=None, description="what was true in the world at that moment, by what is believed")
    limit: int = Field(default=200, ge=1, le=10_000)


class MemoryFields(Arguments):
    """What can be said of a memory; None leaves it as it is."""

    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    people: list[str] | None = None
    scope: Literal["user", "project"] | None = None
    check_by: str | None = Field(default=None, description="when to look whether it still holds")
    valid_from: str | None = None
    valid_to: str | None = None


class MemoryAdd(MemoryFields):
    """A new memory."""

    text: str = Field(min_length=1)
    tier: TierName = "semantic"
    topic: str | None = Field(default=None, description="a topic's slug")
    pinned: bool = False


class MemoryEdit(MemoryFields):
    """Changes to a memory."""

    id: str
    text: str | None = Field(default=None, min_length=1)


class MemoryRef(Arguments):
    """Names a memory."""

    id: str


class MemoryPin(MemoryRef):
    """Whether a memory is pinned."""

    pinned: bool = True


class MemorySearch(Arguments):
    """A search among memories."""

    query: str = Field(min_length=1)
    k: int = Field(default=10, ge=1, le=500)
    situation: Literal["question", "reflection", "ambient"] = "question"
    as_of: str | None = None
    tiers: list[TierName] | None = None


class AmbientQuery(Arguments):
    """What is being talked about."""

    text: str
    n: int = Field(default=3, ge=1, le=5)


class Consolidate(Arguments):
    """Whether to show only what would change."""

    preview: bool = False


class ChangesetList(Arguments):
    """How many changesets."""

    limit: int = Field(default=100, ge=1, le=5000)


class ChangesetRef(Arguments):
    """Names a changeset."""

    id: str


class SituationWeights(Arguments):
    """The weights of one situation; they are scaled to add up to 1."""

    recency: float | None = Field(default=None, ge=0)
    importance: float | None = Field(default=None, ge=0)
    relevance: float | None = Field(default=None, ge=0)


class UserSettings(Arguments):
    """What the user sets; None leaves it as it is."""

    trusted_people: list[str] | None = None
    goals: list[str] | None = None
    weights: dict[str, SituationWeights] | None = None
    half_life_days: float | None = Field(default=None, gt=0)


# Memories


@tool(MemoryList)
def memory_list(ws: Workspace, args: MemoryList) -> list[dict[str, Any]]:
    """What is remembered, newest first; `as_of` a moment of Beacon's belief, `valid_at` a moment in the world, or both."""
    as_of = parse_when(args.as_of, end_of_day=True) if args.as_of else None
    valid_at = parse_when(args.valid_at, end_of_day=True) if args.valid_at else None
    statuses = None if args.status == "all" or valid_at is not None else (args.status,)
    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, args.topic) if args.topic else None
        sources = frozenset(tx.topics.source_ids(topic.id)) if topic else frozenset()
        found = recall.believed(ws, tx, as_of=as_of, tiers=[args.tier] if args.tier else None, statuses=statuses)
    if valid_at is not None:
        found = [m for m in found if holds_at(m, valid_at)]
    elif args.status == "current":
        found = [m for m in found if not has_ended(m, as_of or ws.clock())]
    return [_shown(m) for m in found if topic is None or m.topic_id == topic.id or is_from(m, sources)][: args.limit]


@tool(MemoryAdd, writes=True)
def memory_add(ws: Workspace, args: MemoryAdd) -> dict[str, Any]:
    """Remembers a text; an older fact about the same subject and attribute is superseded."""
    given = _fields(args)
    if args.topic:
        with ws.records.read() as tx:
            given["topic_id"] = tx.topics.get(ws.project_id, args.topic).id
    memory, changeset_id = keep.add_memory(ws, args.text, tier=args.tier, given={**given, "pinned": args.pinned})
    return {**_shown(memory), "changeset_id": changeset_id}


@tool(MemoryRef)
def memory_show(ws: Workspace, args: MemoryRef) -> dict[str, Any]:
    """A memory with its importance's parts, its evidence and what took its place."""
    with ws.records.read() as tx:
        return _shown(keep.own_memory(ws, tx, args.id))


@tool(MemoryEdit, writes=True)
def memory_edit(ws: Workspace, args: MemoryEdit) -> dict[str, Any]:
    """Changes a memory; its earlier form stays in its history."""
    values = _fields(args) | ({"text": args.text} if args.text is not None else {})
    if not values:
        raise InputError(
            "Say what to change: text, subject, attribute, value, people, scope, check_by, valid_from or valid_to.", id=args.id
        )
    return _changed(keep.edit_memory(ws, args.id, values))


@tool(MemorySearch)
def memory_search(ws: Workspace, args: MemorySearch) -> list[dict[str, Any]]:
    """Memories by recency, importance and relevance, each with the parts of its score."""
    as_of = parse_when(args.as_of, end_of_day=True) if args.as_of else None
    from beacon.memory.moments import recall as recall_moments

    hits = recall_moments(ws, args.query, args.k, situation=args.situation, as_of=as_of, tiers=args.tiers)
    return [hit.as_json() for hit in hits]


@tool(AmbientQuery)
def memory_ambient(ws: Workspace, args: AmbientQuery) -> list[dict[str, Any]]:
    """The few memories that come up unasked with a text, or none."""
    return recall.ambient_memories(ws, args.text, args.n)


@tool(MemoryPin, writes=True)
def memory_pin(ws: Workspace, args: MemoryPin) -> dict[str, Any]:
    """Pins a memory, so that it never fades, or unpins it."""
    return _changed(keep.pin_memory(ws, args.id, args.pinned))


@tool(MemoryRef, writes=True)
def memory_forget(ws: Workspace, args: MemoryRef) -> dict[str, Any]:
    """Sets a memory aside: it no longer comes up, and can be restored."""
    return _changed(keep.forget_memory(ws, args.id))


@tool(MemoryRef, writes=True)
def memory_restore(ws: Workspace, args: MemoryRef) -> dict[str, Any]:
    """Brings back a memory that was set aside."""
    return _changed(keep.restore_memory(ws, args.id))


@tool(MemoryRef)
def memory_history(ws: Workspace, args: MemoryRef) -> list[dict[str, Any]]:
    """Everything that was done to a memory, oldest first, each with its form before and after."""
    with ws.records.read() as tx:
        keep.own_memory(ws, tx, args.id)
        found = tx.memories.changes_of(ws.project_id, "memory", ref=args.id)
    return [
        {
            "n": n,
            "changeset_id": c.id,
            "action": c.action,
            "actor": c.actor,
            "title": c.title,
            "at": c.at.isoformat(),
            "status": c.status,
            "version": (item.after or item.before or {}).get("version"),
            "text": (item.after or item.before or {}).get("text", ""),
            "before": item.before,
            "after": item.after,
        }
        for n, (c, item) in enumerate(found, 1)
    ]


@tool(Consolidate, writes=True)
def consolidate(ws: Workspace, args: Consolidate) -> dict[str, Any]:
    """Turns what happened since the last time into episodes, facts and skills, as one change; `preview` only shows it."""
    from beacon.memory.consolidate import consolidate as run

    return run(ws, trigger="on demand", preview=args.preview)


def _fields(args: MemoryFields) -> dict[str, Any]:
    given = {name: value for name in MemoryFields.model_fields if (value := getattr(args, name)) is not None}
    return {name: parse_when(value) if name in ("check_by", "valid_from", "valid_to") else value for name, value in given.items()}


def _shown(memory: Memory) -> dict[str, Any]:
    return {**memory_json(memory), "never_fades": why_kept(memory)}


def _changed(found: tuple[Memory, str]) -> dict[str, Any]:
    memory, changeset_id = found
    return {**_shown(memory), "changed": bool(changeset_id), "changeset_id": changeset_id}


# Changesets


@tool(ChangesetList)
def changeset_list(ws: Workspace, args: ChangesetList) -> list[dict[str, Any]]:
    """Every change to what is remembered, newest first."""
    return changesets.changeset_list(ws, args.limit)


@tool(ChangesetRef)
def changeset_show(ws: Workspace, args: ChangesetRef) -> dict[str, Any]:
    """A change with the before and after of everything it altered."""
    return changesets.changeset_detail(ws, args.id)


@tool(ChangesetRef, writes=True)
def changeset_undo(ws: Workspace, args: ChangesetRef) -> dict[str, Any]:
    """Undoes a change as a whole; undoing the undoing does it again."""
    return changesets.changeset_detail(ws, changesets.undo(ws, args.id))


# What weighs in the score


@tool(NoArguments)
def get_user_settings(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """Trusted people, goals, the weights of each situation and the half-life."""
    with ws.records.read() as tx:
        return _settings_json(recall.user_settings(ws, tx))


@tool(UserSettings, writes=True)
def set_user_settings(ws: Workspace, args: UserSettings) -> dict[str, Any]:
    """Sets trusted people, goals, weights or the half-life; what is left out stays."""
    given = args.model_dump(exclude_none=True)
    with ws.records.write() as tx:
        before = recall.user_settings(ws, tx)
        after = {**before, **given}
        if "weights" in given:
            after["weights"] = {**before.get("weights", {}), **given["weights"]}
        build_tuning(after)
        if after != before:
            title = f"Settings: {', '.join(sorted(given)).replace('_', ' ')}"
            changesets.apply_changes(
                ws, tx, actor="user", action="settings_changed", title=title, items=[("settings", ws.user_id, before, after)]
            )
        return _settings_json(after)


def _settings_json(settings: dict[str, Any]) -> dict[str, Any]:
    tuning = build_tuning(settings)
    weights = {
        name: {part: getattr(tuning.situations[name], part) for part in ("recency", "importance", "relevance")} for name in SITUATIONS
    }
    return {
        "trusted_people": settings.get("trusted_people", []),
        "goals": settings.get("goals", []),
        "weights": weights,
        "half_life_days": tuning.half_life_days,
    }
