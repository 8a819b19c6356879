"""Who is told when something material changed, a gate waits, or a topic went silent. Nothing is said when nothing happened.

What is to be told is put up as rows under ids of its own, so seeing it twice puts it up once. A row is claimed before it is sent and is
put back only when it surely did not arrive: nothing is told twice, at the price of a notice lost when a process dies while it sends.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from beacon.domain.ids import make_id
from beacon.domain.run import Run
from beacon.domain.topic import Topic
from beacon.errors import BeaconError, UnavailableError
from beacon.runs import telling
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

log = logging.getLogger(__name__)

MATERIAL = 0.25  # of a change; a statement that is new weighs 0.3 by itself, another wording less
CHANGES_SHOWN = 5  # of one run
MOST_TRIES = 5
FEED = "feed"
SINCE = "notices since"  # named value: when a channel began; what happened before is not told


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to tell."""

    key: str  # what happened: the same key is told once
    kind: str  # changes | gate | silent
    title: str
    at: datetime
    body: Mapping[str, Any] = field(default_factory=dict)


def tell_all(ws: Workspace) -> int:
    """How many notices went out, over all projects. Channels that fail are noted on their notices."""
    with ws.records.read() as tx:
        projects = [str(one["id"]) for one in tx.projects.all()]
    return sum(tell(ws if one == ws.project_id else replace(ws, project_id=one, _lock=Lock())) for one in projects)


def tell(ws: Workspace) -> int:
    """How many notices of the project went out, each channel's as one digest."""
    return sum(_tell_channel(ws, name, send) for name, send in channels(ws).items())


def channels(ws: Workspace) -> dict[str, Callable[[Workspace, list[dict[str, Any]]], None]]:
    """The channels that are set up; the feed always is."""
    found: dict[str, Callable[[Workspace, list[dict[str, Any]]], None]] = {FEED: telling.write_feed}
    if ws.settings.notify_email and ws.settings.smtp_host:
        found["email"] = telling.send_email
    if ws.settings.notify_webhook:
        found["webhook"] = telling.call_webhook
    return found


def _tell_channel(ws: Workspace, channel: str, send: Callable[[Workspace, list[dict[str, Any]]], None]) -> int:
    now = ws.clock()
    with ws.records.read() as tx:
        since = tx.projects.value(_since_name(ws, channel))
        notices = list(happened(ws, tx, datetime.fromisoformat(since["at"]), now)) if since else []
    with ws.records.write() as tx:
        if since is None:
            tx.projects.set_value(_since_name(ws, channel), {"at": now.isoformat()}, now)
            return 0
        tx.notices.offer([_row(ws, channel, one) for one in notices])
        claimed = tx.notices.claim(ws.project_id, channel)
    return _send(ws, channel, send, claimed) if claimed else 0


def _send(ws: Workspace, channel: str, send: Callable[[Workspace, list[dict[str, Any]]], None], rows: list[dict[str, Any]]) -> int:
    status, problem = "sent", ""
    try:
        send(ws, rows)
    except UnavailableError as error:
        surely_not = bool(error.facts.get("unsent")) and min(int(row["tries"]) for row in rows) < MOST_TRIES
        status, problem = "waiting" if surely_not else "failed", error.message
    except BeaconError as error:
        status, problem = "failed", error.message
    if problem:
        log.warning("%s: %s", channel, problem)
    with ws.records.write() as tx:
        tx.notices.finish([str(row["id"]) for row in rows], status, problem, ws.clock() if status == "sent" else None)
    return len(rows) if status == "sent" else 0


def _since_name(ws: Workspace, channel: str) -> str:
    return f"{SINCE}:{ws.project_id}:{channel}"


def _row(ws: Workspace, channel: str, one: Notice) -> dict[str, Any]:
    return {
        "id": make_id("ntc", ws.project_id, channel, one.key), "project_id": ws.project_id, "channel": channel, "status": "waiting",
        "title": one.title, "body": {"kind": one.kind, **one.body}, "tries": 0, "problem": "", "at": one.at, "sent_at": None,
    }  # fmt: skip


def happened(ws: Workspace, tx: Tx, since: datetime, now: datetime) -> Iterator[Notice]:
    """What is worth telling, of what happened after `since`."""
    for topic in tx.topics.all(ws.project_id):
        runs = tx.runs.all(ws.project_id, topic.id, statuses=("done",))
        yield from filter(None, (_changes(tx, topic, run) for run in runs if run.as_of is None and (run.finished_at or now) > since))
        if silent := _silent(ws, tx, topic, runs, since, now):
            yield silent
    yield from _gates(ws, tx, since)


def _changes(tx: Tx, topic: Topic, run: Run) -> Notice | None:
    rows = [row for row in tx.runs.changes(run.id) if row["kind"] != "confirmed" and row["materiality"] >= MATERIAL]
    if not rows:
        return None
    told = [
        {
            "kind": row["kind"],
            "text": row["text"],
            "quote": row["quote"],
            "url": (row["source"] or row["old"]["source"] or {}).get("url", ""),
        }
        for row in rows[:CHANGES_SHOWN]
    ]
    title = f"{topic.title}: {len(rows)} material change{'s' if len(rows) != 1 else ''} in run #{run.n}"
    body = {"topic": topic.slug, "run": run.id, "n": run.n, "changes": told, "more": max(0, len(rows) - CHANGES_SHOWN)}
    return Notice(f"run {run.id}", "changes", title, run.finished_at or run.updated_at, body)


def _gates(ws: Workspace, tx: Tx, since: datetime) -> Iterable[Notice]:
    slugs = {topic.id: topic for topic in tx.topics.all(ws.project_id)}
    for gate in tx.runs.gates(project_id=ws.project_id, status="open"):
        topic = slugs.get(tx.runs.get(gate.run_id).topic_id)
        if gate.opened_at > since and topic is not None:
            title = f"{topic.title}: a run waits for you ({gate.name.partition('#')[0]})"
            yield Notice(f"gate {gate.id}", "gate", title, gate.opened_at, {"topic": topic.slug, "run": gate.run_id, "gate": gate.name})


def _silent(ws: Workspace, tx: Tx, topic: Topic, runs: list[Run], since: datetime, now: datetime) -> Notice | None:
    """A topic that is still looked at and has had nothing new for too long; once for each silence."""
    ordered = sorted((run for run in runs if run.as_of is None), key=lambda run: run.n)
    if not ordered:
        return None
    with_news = [run for run in ordered if any(status in ("new", "changed") for _, _, status in tx.runs.versions(run.id))]
    last = with_news[-1] if with_news else ordered[0]
    begins = (last.finished_at or last.updated_at) + timedelta(days=ws.settings.silent_after_days)
    looked = ordered[-1].finished_at or ordered[-1].updated_at
    if ordered[-1].id == last.id or looked < begins or begins <= since:
        return None
    day = (last.finished_at or last.updated_at).date().isoformat()
    title = f"{topic.title}: nothing new since {day}"
    return Notice(f"silent {topic.id} {last.id}", "silent", title, looked, {"topic": topic.slug, "since": day})
