"""What a question is about by category: people, topics, a stretch of time, a channel, a feeling."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from beacon.analyst.tokens import fold, tokenize
from beacon.domain.memory import Memory
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

_DATE = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = re.compile(rf"\b(?:(\d{{1,2}})\s+)?({'|'.join(_MONTHS)})(?:\s+(\d{{1,2}}))?(?:,?\s+(\d{{4}}))?\b", re.I)
_DAYS = {"today": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "tonight": 0, "yesterday": 1}
_HOURS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "tonight": (18, 24)}  # part of a day → from, to


@dataclass(frozen=True, slots=True)
class Route:
    """The categories a question names; empty where it names none."""

    people: frozenset[str] = frozenset()
    topic_ids: frozenset[str] = frozenset()
    channels: frozenset[str] = frozenset()
    emotions: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None


def build_route(ws: Workspace, tx: Tx, query: str, now: datetime, memories: Sequence[Memory]) -> Route:
    """The route of a query among these memories and the project's topics."""
    words = f" {' '.join(tokenize(query))} "
    topics = {t.id for t in tx.topics.all(ws.project_id) if _names(words, t.title)}
    people = {person for m in memories for person in m.people if _names(words, person)}
    channels = {m.channel for m in memories if _names(words, m.channel)}
    emotions = {m.emotion for m in memories if _names(words, m.emotion)}
    since, until = find_period(query, now)
    return Route(frozenset(fold(p) for p in people), frozenset(topics), frozenset(channels), frozenset(emotions), since, until)


def route_among(ws: Workspace, tx: Tx, query: str, now: datetime, names: Mapping[str, frozenset[str]]) -> Route:
    """The route of a query in which these people, channels and emotions are named."""
    words = f" {' '.join(tokenize(query))} "
    topics = frozenset(t.id for t in tx.topics.all(ws.project_id) if _names(words, t.title))
    since, until = find_period(query, now)
    return Route(names["person"], topics, names["channel"], names["emotion"], since, until)


def _names(words: str, name: str) -> bool:
    tokens = " ".join(tokenize(name))
    return bool(tokens) and f" {tokens} " in words


def fits(route: Route, memory: Memory) -> list[str]:
    """Which of the route's categories a memory belongs to."""
    reasons = []
    if route.people & {fold(p) for p in memory.people}:
        reasons.append("person")
    if memory.topic_id and memory.topic_id in route.topic_ids:
        reasons.append("topic")
    if memory.channel and memory.channel in route.channels:
        reasons.append("channel")
    if memory.emotion and memory.emotion in route.emotions:
        reasons.append("emotion")
    if route.since and route.until and route.since <= (memory.valid_from or memory.recorded_at) < route.until:
        reasons.append("period")
    return reasons


def find_period(query: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """The stretch of time a query names, from its first moment to the first after it; (None, None) where it names none."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    lowered = query.lower()
    for phrase, back in _DAYS.items():
        if re.search(rf"\b{phrase}\b", lowered):
            return _part_of_day(lowered, midnight - timedelta(days=back))
    if re.search(r"\blast week\b", lowered):
        monday = midnight - timedelta(days=midnight.weekday() + 7)
        return monday, monday + timedelta(days=7)
    if re.search(r"\bthis week\b", lowered):
        monday = midnight - timedelta(days=midnight.weekday())
        return monday, monday + timedelta(days=7)
    if found := _DATE.search(query):
        return _span(int(found[1]), int(found[2]), int(found[3] or 0))
    if found := _MONTH.search(query):
        return _month(found, now)
    return None, None


def _part_of_day(lowered: str, midnight: datetime) -> tuple[datetime, datetime]:
    named = next((name for name in _HOURS if re.search(rf"\b(?:this|yesterday|today)?\s*{name}\b", lowered)), "")
    first, last = _HOURS.get(named, (0, 24))
    return midnight + timedelta(hours=first), midnight + timedelta(hours=last)


def _month(found: re.Match[str], now: datetime) -> tuple[datetime | None, datetime | None]:
    month = _MONTHS.index(found[2].lower()) + 1
    if month == 5 and not (found[1] or found[3] or found[4] or found[2][0].isupper()):
        return None, None  # "may" as a verb
    year = int(found[4]) if found[4] else now.year if month <= now.month else now.year - 1
    return _span(year, month, int(found[1] or found[3] or 0))


def _span(year: int, month: int, day: int) -> tuple[datetime | None, datetime | None]:
    try:
        start = datetime(year, month, day or 1, tzinfo=UTC)
        end = start + timedelta(days=1) if day else datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None, None
    return start, end
