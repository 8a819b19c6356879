"""What a topic remembers from run to run: seen URLs, key facts, the last summary, how often it ran.

Requirement 000's functions under their names. Retention is reckoned by the injected clock, never by a replay's date.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from beacon.domain.topic import MAX_KEY_FACTS, MAX_SEEN_URLS, Topic, TopicMemory, merge_urls
from beacon.errors import BeaconError
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

__all__ = ["archive_expired", "build_memory_context", "filter_seen_urls", "load_memory", "merge_urls", "read_memory", "save_memory"]

log = logging.getLogger(__name__)


def read_memory(tx: Tx, topic: Topic, now: datetime) -> TopicMemory | None:
    """What the topic remembers, None before its first run or once the memory is archived or expired."""
    memory = tx.topics.memory(topic)
    if memory is None or memory.archived_at or (memory.expires_at and memory.expires_at <= now):
        return None
    return memory


def load_memory(ws: Workspace, topic: Topic) -> TopicMemory | None:
    """What the topic remembers, or None. Never raises: a store that does not answer is as a first run, and is logged."""
    try:
        with ws.records.read() as tx:
            return read_memory(tx, topic, ws.clock())
    except BeaconError as error:
        log.warning("The memory of '%s' was not loaded: %s", topic.slug, error.message)
        return None


def save_memory(ws: Workspace, topic: Topic, memory: TopicMemory) -> bool:
    """Whether the memory was stored, for another `retention_days`. Never raises."""
    try:
        with ws.records.write() as tx:
            store_memory(tx, topic, memory, ws.clock())
    except BeaconError as error:
        log.warning("The memory of '%s' was not saved: %s", topic.slug, error.message)
        return False
    return True


def store_memory(tx: Tx, topic: Topic, memory: TopicMemory, now: datetime) -> None:
    """Replace the topic's memory in the caller's transaction; its retention starts anew."""
    expires = now + timedelta(days=topic.retention_days) if topic.retention_days > 0 else None
    kept = replace(memory, key_facts=memory.key_facts[:MAX_KEY_FACTS], seen_urls=memory.seen_urls[-MAX_SEEN_URLS:])
    tx.topics.save_memory(topic.id, replace(kept, expires_at=expires, archived_at=None))


def build_memory_context(memory: TopicMemory | None, skills: Sequence[str] = (), comes_up: Sequence[str] = ()) -> str:
    """The block a planner reads: what is known, since when, what need not be looked for again. Empty when nothing is remembered.

    `skills` paid off before; `comes_up` are memories that the topic calls to mind unasked.
    """
    parts = [_known(memory) if memory else "", _listed("What paid off before:", skills), _listed("What else comes to mind:", comes_up)]
    return "\n\n".join(part for part in parts if part)


def _listed(heading: str, texts: Sequence[str]) -> str:
    return "\n".join([heading, *(f"- {' '.join(text.split())}" for text in texts)]) if texts else ""


def _known(memory: TopicMemory) -> str:
    when = memory.last_run_at.date().isoformat() if memory.last_run_at else "an unknown date"
    lines = [f"This topic was researched {memory.run_count} time{'s' if memory.run_count != 1 else ''}, last on {when}."]
    if memory.report_summary:
        lines += ["", "The last report in short:", memory.report_summary]
    if memory.flagged:
        lines += ["", "Some of this no longer stands in its source as it was read: look at it again."]
    if memory.key_facts:
        lines += ["", "Known already; look for what changed, not for this again:", *(f"- {fact['text']}" for fact in memory.key_facts)]
    if memory.seen_urls:
        lines += ["", f"{len(memory.seen_urls)} addresses were read before; those that did not change are left out."]
    return "\n".join(lines)


def filter_seen_urls(results: Iterable[Mapping[str, Any]], seen_urls: Iterable[str]) -> list[dict[str, Any]]:
    """The results that are worth reading: those at a new URL, and those whose content changed (`status` is not "same")."""
    seen = set(seen_urls)
    return [dict(one) for one in results if one.get("url") not in seen or one.get("status", "same") != "same"]


def archive_expired(ws: Workspace) -> int:
    """How many topics' memories were archived now because their time has passed. What they hold stays, and can be restored."""
    now = ws.clock()
    with ws.records.write() as tx:
        count = 0
        for project in tx.projects.all():
            for topic in tx.topics.all(str(project["id"]), removed=True):
                memory = tx.topics.memory(topic)
                if memory and not memory.archived_at and memory.expires_at and memory.expires_at <= now:
                    tx.topics.save_memory(topic.id, replace(memory, archived_at=now))
                    count += 1
    return count


def restore_memory(ws: Workspace, topic: Topic) -> bool:
    """Whether an archived memory is in use again, for another `retention_days`."""
    with ws.records.write() as tx:
        memory = tx.topics.memory(topic)
        if memory is None:
            return False
        store_memory(tx, topic, memory, ws.clock())
    return True
