"""Tools for topics."""

from typing import Any

from pydantic import Field, field_validator

from beacon.domain.clock import iso
from beacon.domain.event import Event
from beacon.domain.ids import make_id, slugify
from beacon.domain.topic import Topic
from beacon.errors import ConflictError, InputError
from beacon.stores.records.store import Tx
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace


class TopicFields(Arguments):
    """What can be set on a topic; None leaves it as it is."""

    queries: list[str] | None = None
    feeds: list[str] | None = None
    pages: list[str] | None = None
    folders: list[str] | None = None
    every: str | None = Field(default=None, description="when to run: 'mon 08:00', 'daily 07:30', a cron line, or '' for never")
    gates: bool | None = None
    tone: str | None = None
    language: str | None = None
    guidelines: list[str] | None = None
    retention_days: int | None = Field(default=None, ge=1, le=3650)

    @field_validator("feeds", "pages")
    @classmethod
    def _addresses(cls, urls: list[str] | None) -> list[str] | None:
        for url in urls or []:
            if not url.lower().startswith(("http://", "https://")):
                raise ValueError(f"'{url}' is not a web address: it must start with http:// or https://")
        return urls


class TopicAdd(TopicFields):
    """A new topic."""

    title: str = Field(min_length=1, max_length=300)


class TopicRef(Arguments):
    """Names a topic."""

    slug: str = Field(description="the topic's slug or id")


class TopicSet(TopicFields):
    """Changes to a topic."""

    slug: str


class TopicList(Arguments):
    """Which topics."""

    removed: bool = False


_COLUMNS = ("queries", "feeds", "pages", "folders", "gates", "tone", "language", "guidelines", "retention_days")


@tool(TopicAdd, writes=True)
def topic_add(ws: Workspace, args: TopicAdd) -> dict[str, Any]:
    """Adds a topic to watch and returns it."""
    now = ws.clock()
    slug = slugify(args.title)
    given = {name: value for name in _COLUMNS if (value := getattr(args, name)) is not None}
    folders = _folders(given.pop("folders", []))
    topic = Topic(
        id=make_id("top", ws.project_id, slug),
        project_id=ws.project_id,
        slug=slug,
        title=args.title,
        created_at=now,
        updated_at=now,
        folders=folders,
        **given,
    )
    with ws.records.write() as tx:
        same = tx.topics.find(ws.project_id, slug)
        if same is not None and same.title == args.title and same.status == "active":
            raise ConflictError(f"The topic '{args.title}' is there already (slug '{slug}').", slug=slug)
        tx.topics.add(topic)
        _note(ws, tx, topic, "topic_added", f"The topic '{topic.title}' was added.")
    if args.every:
        _set_schedule(ws, topic, args.every)
    return topic_json(ws, topic)


@tool(TopicSet, writes=True)
def topic_set(ws: Workspace, args: TopicSet) -> dict[str, Any]:
    """Changes a topic's queries, sources, schedule or style and returns it."""
    values = {name: value for name in _COLUMNS if (value := getattr(args, name)) is not None}
    if "folders" in values:
        values["folders"] = _folders(values["folders"])
    with ws.records.write() as tx:
        topic = tx.topics.get(ws.project_id, args.slug)
        if values:
            tx.topics.update(topic.id, ws.clock(), **values)
            _note(ws, tx, topic, "topic_changed", f"The topic '{topic.title}' was changed: {', '.join(values)}.")
    if args.every is not None:
        _set_schedule(ws, topic, args.every)
    return topic_show(ws, TopicRef(slug=topic.id))


@tool(TopicList)
def topic_list(ws: Workspace, args: TopicList) -> list[dict[str, Any]]:
    """The project's topics by title, with what each remembers and when it last ran."""
    with ws.records.read() as tx:
        topics = tx.topics.all(ws.project_id, removed=args.removed)
    return [topic_json(ws, topic) for topic in topics]


@tool(TopicRef)
def topic_show(ws: Workspace, args: TopicRef) -> dict[str, Any]:
    """One topic, with what it remembers."""
    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, args.slug)
    return topic_json(ws, topic)


@tool(TopicRef, writes=True)
def topic_remove(ws: Workspace, args: TopicRef) -> dict[str, Any]:
    """Takes a topic out of sight and stops its schedule; `topic_restore` brings it back with all it knows."""
    return _set_status(ws, args.slug, "removed")


@tool(TopicRef, writes=True)
def topic_restore(ws: Workspace, args: TopicRef) -> dict[str, Any]:
    """Brings a removed topic back, and its archived memory with it."""
    return _set_status(ws, args.slug, "active")


def _set_status(ws: Workspace, slug: str, status: str) -> dict[str, Any]:
    from dataclasses import replace
    from datetime import timedelta

    now = ws.clock()
    with ws.records.write() as tx:
        topic = tx.topics.get(ws.project_id, slug)
        tx.topics.update(topic.id, now, status=status)
        for schedule in tx.runs.schedules(ws.project_id):
            if schedule.kind == "research" and schedule.target == topic.id:
                tx.runs.put_schedule(replace(schedule, enabled=status == "active"))
        memory = tx.topics.memory(topic)
        if status == "active" and memory is not None and memory.archived_at is not None:
            tx.topics.save_memory(topic.id, replace(memory, archived_at=None, expires_at=now + timedelta(days=topic.retention_days)))
        _note(
            ws,
            tx,
            topic,
            f"topic_{'removed' if status == 'removed' else 'restored'}",
            f"The topic '{topic.title}' was {'removed' if status == 'removed' else 'restored'}.",
        )
    return topic_show(ws, TopicRef(slug=topic.id))


def _folders(folders: list[str]) -> list[str]:
    from pathlib import Path

    paths = [Path(folder).expanduser().resolve() for folder in folders]
    for path in paths:
        if not path.is_dir():
            raise InputError(f"The folder {path} is not there: give the path of a folder that exists.", folder=str(path))
    return [str(path) for path in paths]


def _set_schedule(ws: Workspace, topic: Topic, every: str) -> None:
    from beacon.runs.schedule import set_schedule

    set_schedule(ws, "research", topic.id, every)


def _note(ws: Workspace, tx: Tx, topic: Topic, type_: str, text: str) -> None:
    now = ws.clock()
    tx.events.append(
        Event(
            id=make_id("evt", ws.project_id, type_, topic.id, now),
            project_id=ws.project_id,
            user_id=ws.user_id,
            type=type_,
            at=now,
            recorded_at=now,
            text=text,
            channel="topics",
            payload={"topic_id": topic.id, "slug": topic.slug},
        )
    )


def topic_json(ws: Workspace, topic: Topic) -> dict[str, Any]:
    """A topic as tools print it."""
    with ws.records.read() as tx:
        memory = tx.topics.memory(topic)
        sources = len(tx.topics.source_ids(topic.id))
        last = next(iter(tx.runs.all(ws.project_id, topic.id, limit=1)), None)
        schedule = next((s for s in tx.runs.schedules(ws.project_id) if s.kind == "research" and s.target == topic.id), None)
    return {
        "id": topic.id,
        "slug": topic.slug,
        "title": topic.title,
        **{name: getattr(topic, name) for name in _COLUMNS},
        "status": topic.status,
        "run_count": memory.run_count if memory else 0,
        "last_run_at": iso(memory.last_run_at) if memory else None,
        "sources": sources,
        "memory": {
            "seen_urls": memory.seen_urls,
            "key_facts": memory.key_facts,
            "last_run_at": iso(memory.last_run_at),
            "run_count": memory.run_count,
            "report_summary": memory.report_summary,
            "flagged": memory.flagged,
            "expires_at": iso(memory.expires_at),
            "archived": memory.archived_at is not None,
        }
        if memory
        else None,
        "schedule": {
            "id": schedule.id,
            "cron": schedule.cron,
            "tz": schedule.tz,
            "next_at": iso(schedule.next_at),
            "enabled": schedule.enabled,
        }
        if schedule
        else None,
        "last_run": {"id": last.id, "n": last.n, "status": last.status, "phase": last.phase} if last else None,
        "created_at": iso(topic.created_at),
    }
