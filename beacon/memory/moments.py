"""What was said, found turn by turn: a long talk is remembered as episodes, and a question is answered by the moments in them.

What left recall stays out: a turn comes up while an episode or fact that rests on it holds, or while it waits to be consolidated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from beacon.domain.event import Event
from beacon.domain.memory import Memory
from beacon.memory.index import MemoryIndex, reading
from beacon.memory.keep import cite_event
from beacon.memory.score import DIGITS, build_receipt
from beacon.memory.search import MemoryHit, read_tuning, search_memories
from beacon.retrieval.search import Filters, Hit, search
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

DEPTH = 4  # turns looked at for each one asked for
CONVERSATION = "conversation"
BUFFER = "buffer"  # the tier of what was not consolidated yet


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn that was found: what remembers it, and how strongly search speaks for it, the best 1."""

    event: Event
    memory: Memory
    share: float
    found: Hit


def recall(
    ws: Workspace,
    query: str,
    k: int = 10,
    *,
    situation: str = "question",
    as_of: datetime | None = None,
    tiers: Sequence[str] | None = None,
) -> list[MemoryHit]:
    """The k best of memories and moments. A moment tells its words, cites its event alone, and names the memory it belongs to."""
    hits = search_memories(ws, query, k, situation=situation, as_of=as_of, tiers=tiers)
    if as_of is not None or situation != "question" or (tiers is not None and "episodic" not in tiers):
        return hits
    moments = find_moments(ws, query, k * DEPTH)
    if not moments:
        return hits
    told = _as_hits(ws, query, moments, situation)
    others = [one for hit in hits if (one := _beside(hit, {m.event.id: m for m in moments}, told)) is not None]
    return _without_echo(sorted([*told, *others], key=lambda hit: (-hit.score, hit.memory.id, hit.memory.text)))[:k]


def _beside(hit: MemoryHit, moments: Mapping[str, Moment], told: Sequence[MemoryHit]) -> MemoryHit | None:
    """A memory among moments: an episode is told by its moments, and a fact that was told in one is as close as that moment."""
    found = [moments[key] for key in _events(hit.memory) if key in moments]
    if not found:
        return hit if not _is_talk(hit.memory) else None
    if hit.memory.tier == "episodic":
        return None
    best = max(found, key=lambda one: (one.share, one.event.id))
    moment = next(one for one in told if _events(one.memory) == [best.event.id])
    score = min(hit.score, moment.score)
    return replace(hit, score=score, receipt={**hit.receipt, "not_above": {"event_id": best.event.id, "score": moment.score}})


def _is_talk(memory: Memory) -> bool:
    """Whether it rests on recorded conversations alone, where search reads every turn."""
    return bool(memory.citations) and all(c.get("event_id") and c.get("title") == memory.channel for c in memory.citations)


def find_moments(ws: Workspace, query: str, most: int) -> list[Moment]:
    """Turns of conversations by what search makes of them, best first, as far as they may be recalled."""
    hits = search(ws, query, most, filters=Filters(kind=CONVERSATION))
    if not hits:
        return []
    with ws.records.read() as tx:
        events = {key: tx.events.get(key) for hit in hits for key in _turns(hit)}
        resting = _resting(ws, tx, events)
        cursor = int(tx.projects.value(f"consolidated:{ws.project_id}:{ws.user_id}", {}).get("seq", 0))
    best, low = max(hit.score for hit in hits), min(hit.score for hit in hits)
    reach = best - low or 1.0
    moments = []
    for hit in hits:
        for key in _turns(hit):
            memory = resting.get(key) or (_waiting(events[key]) if events[key].seq > cursor else None)
            if memory is not None and events[key].user_id in ("", ws.user_id):
                moments.append(Moment(events[key], memory, round((hit.score - low) / reach, DIGITS), hit))
    return moments


def _turns(hit: Hit) -> list[str]:
    return list(hit.as_json().get("event_ids", []))


def _resting(ws: Workspace, tx: Tx, events: Mapping[str, Event]) -> dict[str, Memory]:
    """event → the episode it is part of, or the first fact that rests on it, of what the user holds to be true."""
    with reading(ws, tx) as index:
        cited = index.citing(list(events))
        around = {key: _before(index, event) for key, event in events.items()}
    memories = tx.memories.by_ids(sorted(cited | {one for one in around.values() if one}))
    mine = {m.id: m for m in memories.values() if m.status == "current" and (m.scope == "project" or m.user_id == ws.user_id)}
    found: dict[str, Memory] = {}
    for memory in sorted(mine.values(), key=lambda m: (m.tier != "episodic", m.id)):
        for key in _events(memory):
            found.setdefault(key, memory)
    for key, event in events.items():
        near = mine.get(around[key])
        if key not in found and near is not None and event.at.isoformat() <= str(near.metadata.get("to", "")):
            found[key] = near  # said in the midst of what is remembered
    return found


def _before(index: MemoryIndex, event: Event) -> str:
    """The episode of the event's channel that began last before it, or empty."""
    mask = index.alive[: index.count] & index.mask("tier", ["episodic"])
    rows = index.rows("channel", event.channel)
    begun = index.numbers["begun"][rows]
    rows = rows[mask[rows] & (begun <= event.at.timestamp())]
    return index.ids[int(rows[np.argmax(index.numbers["begun"][rows])])] if len(rows) else ""


def _events(memory: Memory) -> list[str]:
    return list(dict.fromkeys(str(c["event_id"]) for c in memory.citations if c.get("event_id")))


def _waiting(event: Event) -> Memory:
    """What was not consolidated yet, as something to be found: it is nobody's memory, and has its event's id."""
    return Memory(
        event.id, event.project_id, BUFFER, event.text, event.recorded_at, event.at, user_id=event.user_id, valid_from=event.at,
        citations=[cite_event(event, 0, len(event.text))], people=list(event.people), channel=event.channel, emotion=event.tone,
    )  # fmt: skip


def _as_hits(ws: Workspace, query: str, moments: Sequence[Moment], situation: str) -> list[MemoryHit]:
    """Moments keep the order that search gave them, at the height of the one that fits the question best."""
    now = ws.clock()
    with ws.records.read() as tx:
        tuning = read_tuning(ws, tx)
    height = _height(ws, query, moments)
    hits = []
    for one in moments:
        part: Mapping[str, Any] = {
            "value": round(height * one.share, DIGITS),
            "height": height,
            "share": one.share,
            "search": one.found.receipt,
        }
        receipt = build_receipt(one.memory, situation, tuning, now, part)
        told = f"{one.found.chunk.speaker}: {one.event.text}" if one.found.chunk.speaker else one.event.text
        citation = {**cite_event(one.event, 0, len(one.event.text)), "source_id": one.found.source.id, "url": one.found.source.url}
        hits.append(MemoryHit(replace(one.memory, text=told, citations=[citation]), receipt["score"], receipt))
    return hits


def _height(ws: Workspace, query: str, moments: Sequence[Moment]) -> float:
    """How close the closest of the moments is to the question, 0-1."""
    from beacon.memory.vectors import similarities

    found = similarities(ws, query, [one.event.text for one in moments[:10]])
    return round(min(1.0, max(found, default=0.0)), DIGITS) if found else 0.5


def _without_echo(hits: Sequence[MemoryHit]) -> list[MemoryHit]:
    """The hits without those that rest only on turns already told."""
    told: set[str] = set()
    kept = []
    for hit in hits:
        events = set(_events(hit.memory))
        if not events or events - told:
            kept.append(hit)
        told |= events
    return kept
