"""Episodes: what happened together, told in the words it was said in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from beacon.analyst.sentences import split_sentences
from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.domain.memory import Memory
from beacon.errors import UnavailableError
from beacon.llm.embedding import text_sha
from beacon.memory.importance import importance_from, importance_parts, is_forever, read_tone
from beacon.memory.keep import cite_event
from beacon.memory.said import is_trivial, speaker_of
from beacon.memory.vectors import text_vectors
from beacon.retrieval.passages import QUESTION_MARKS
from beacon.workspace import Workspace

GAP = timedelta(hours=2)  # of silence, after which another episode begins
MAX_EVENTS = 6  # in one episode
MAX_QUOTE = 400  # characters told of one event
WORTH_KEEPING = 0.2  # importance: below it a group of events is routine
_BLOCK = 512


@dataclass(frozen=True, slots=True)
class Weighed:
    """An event with its importance."""

    event: Event
    parts: Mapping[str, float]
    importance: float


def weigh(ws: Workspace, events: Sequence[Event], known: Sequence[str], settings: Mapping[str, Any], goals: Sequence[str]) -> list[Weighed]:
    """The events with their importance, in order; what was known or said before is less novel."""
    closest = _closest(ws, [e.text for e in events], known)
    weighed = []
    for event, nearest in zip(events, closest, strict=True):
        owner = speaker_of(event, ws.user_id) == "user"
        parts = importance_parts(
            event.text, people=event.people, by_owner=owner, trusted=settings.get("trusted_people", []), goals=goals, closest=nearest
        )
        weighed.append(Weighed(event, parts, importance_from(parts)))
    return weighed


def _closest(ws: Workspace, texts: Sequence[str], known: Sequence[str]) -> list[float]:
    """For each text the closeness of the nearest one known or said before it; 0 where vectors cannot be had."""
    if not texts:
        return []
    try:
        vectors = text_vectors(ws, [*known, *texts])
    except UnavailableError:
        return [0.0] * len(texts)
    said = np.stack([vectors[text_sha(text)] for text in texts])
    before = np.stack([vectors[text_sha(text)] for text in known]) if known else np.zeros((0, said.shape[1]), dtype=np.float32)
    found: list[float] = []
    for start in range(0, len(texts), _BLOCK):
        block = said[start : start + _BLOCK]
        past = np.concatenate([before, said[: start + len(block)]])
        scores = block @ past.T
        for row in range(len(block)):
            earlier = scores[row, : len(before) + start + row]
            found.append(float(earlier.max()) if earlier.size else 0.0)
    return found


def place_of(event: Event) -> str:
    """Where an event took place: its conversation, or its channel."""
    return str(event.payload.get("conversation_id") or event.payload.get("conversation") or event.channel or event.type)


def group(weighed: Sequence[Weighed]) -> list[list[Weighed]]:
    """The events of one place and day, without long silences between them, a few at a time, by time."""
    places: dict[tuple[str, str], list[Weighed]] = {}
    for one in sorted(weighed, key=lambda w: (w.event.at, w.event.seq, w.event.id)):
        places.setdefault((place_of(one.event), one.event.at.date().isoformat()), []).append(one)
    groups: list[list[Weighed]] = []
    for members in places.values():
        current: list[Weighed] = []
        for one in members:
            if current and (len(current) >= MAX_EVENTS or one.event.at - current[-1].event.at > GAP):
                groups.append(current)
                current = []
            current.append(one)
        groups.append(current)
    return groups


def build_episodes(ws: Workspace, weighed: Sequence[Weighed], now: datetime) -> list[Memory]:
    """The episodes worth remembering; what is trivial makes none."""
    notable = _notable(weighed)
    return [_episode(ws, members, now) for members in group(notable) if max(m.importance for m in members) >= WORTH_KEEPING]


def _notable(weighed: Sequence[Weighed]) -> list[Weighed]:
    """What is not trivial; a short answer belongs to the question before it, if that was worth asking."""
    kept: list[Weighed] = []
    asked: dict[str, bool] = {}
    for one in weighed:
        place, text = place_of(one.event), one.event.text
        if not is_trivial(text) or asked.get(place, False):
            kept.append(one)
        asked[place] = not is_trivial(text) and text.rstrip().endswith(QUESTION_MARKS)
    return kept


def _episode(ws: Workspace, members: Sequence[Weighed], now: datetime) -> Memory:
    strongest = max(members, key=lambda w: (w.importance, w.event.id))
    first, last = members[0].event, members[-1].event
    citations = [cite_event(w.event, *first_words(w.event.text)) for w in members]
    told = [f"{_name(w.event, ws.user_id)}: “{c['quote']}”" for w, c in zip(members, citations, strict=True)]
    people = list(dict.fromkeys(p for w in members for p in [*w.event.people, *_speaker(w.event, ws.user_id)] if p != ws.user_id))
    tone = next((w.event.tone for w in members if w.event.tone), "") or read_tone(" ".join(w.event.text for w in members))[0]
    text = f"{first.at.date().isoformat()}: {' '.join(told)}"
    return Memory(
        id=make_id("mem", ws.project_id, ws.user_id, "episodic", first.id, last.id),
        project_id=ws.project_id,
        tier="episodic",
        text=text,
        recorded_at=now,
        last_access_at=now,
        user_id=ws.user_id,
        importance=strongest.importance,
        importance_parts=dict(strongest.parts),
        pinned=any(is_forever(w.event.text) for w in members),
        valid_from=first.at,
        citations=citations,
        people=people,
        channel=first.channel,
        emotion=tone,
        text_sha256=text_sha(text),
        topic_id=str(strongest.event.payload.get("topic_id", "")),
        metadata={
            "who": [_name(w.event, ws.user_id) for w in members],
            "where": place_of(first),
            "from": first.at.isoformat(),
            "to": last.at.isoformat(),
            "tone": tone,
            "why": why_it_mattered(strongest.parts),
            "what": citations[members.index(strongest)]["quote"],
        },
    )


def _speaker(event: Event, user_id: str) -> list[str]:
    speaker = speaker_of(event, user_id)
    return [] if speaker == "user" else [speaker]


def _name(event: Event, user_id: str) -> str:
    speaker = speaker_of(event, user_id)
    return "You" if speaker == "user" else speaker


def first_words(text: str) -> tuple[int, int]:
    """Where the whole text stands without its blank edges, or its first sentences where it is long."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if end - start <= MAX_QUOTE:
        return start, end
    stops = [stop for _, stop in split_sentences(text) if stop - start <= MAX_QUOTE]
    return start, stops[-1] if stops else start + len(text[start : start + MAX_QUOTE].rstrip())


def why_it_mattered(parts: Mapping[str, float]) -> str:
    """In words, which parts made it important."""
    reasons = [
        ("asked to be remembered", parts.get("marker", 0) >= 1),
        ("bears on a goal", parts.get("goals", 0) >= 0.5),
        ("someone trusted took part", parts.get("who", 0) >= 1),
        ("strong feeling", parts.get("emotion", 0) >= 0.4),
        ("not known before", parts.get("novelty", 0) >= 0.5),
    ]
    return ", ".join(reason for reason, holds in reasons if holds) or "part of the day"
