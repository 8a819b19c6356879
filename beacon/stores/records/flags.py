"""Summaries that rest on what no longer holds: marked in the transaction that retires it, whoever does that."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from beacon.domain.memory import Memory
from beacon.stores.records import tables as t
from beacon.stores.records.rows import PARAMETER_BATCH, batches

Place = tuple[str, int, int]  # version id, start, end
EVERYWHERE = 2**62
MANY = 40  # names in one search; each is looked for in every row


def flag_versions(connection: sa.Connection, version_ids: Sequence[str]) -> None:
    """Mark what cites these versions, which are no longer what their source says."""
    _flag(connection, [(key, 0, EVERYWHERE) for key in version_ids])


def flag_memory(connection: sa.Connection, memory: Memory) -> None:
    """Mark what cites the places a memory was read from, when it does not hold any more."""
    if memory.status != "current" or memory.retired_at is not None:
        _flag(connection, list(_places(memory.citations)))


def _flag(connection: sa.Connection, places: Sequence[Place]) -> None:
    by_version: dict[str, list[Place]] = {}
    for place in places:
        by_version.setdefault(place[0], []).append(place)
    summary, memory = t.summary.c, t.topic_memory.c
    for table, key, resting in ((t.summary, summary.id, summary.citations), (t.topic_memory, memory.topic_id, memory.key_facts)):
        found = {ref for ref, cited in _citing(connection, table, key, resting, list(by_version)) if _rests_on(cited, by_version)}
        for part in batches(sorted(found), PARAMETER_BATCH):
            connection.execute(sa.update(table).where(key.in_(part)).values(flagged=True))


def _citing(connection: sa.Connection, table: sa.Table, key: Any, resting: Any, version_ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """(id, citations) of the rows not marked yet in which one of the versions is named."""
    words = sa.cast(resting, sa.Text)
    for part in batches(version_ids, MANY):
        query = sa.select(key, resting).where(table.c.flagged.is_(False), sa.or_(*(words.contains(name) for name in part)))
        yield from ((str(row[0]), row[1]) for row in connection.execute(query))


def _rests_on(cited: Iterable[Mapping[str, Any]], by_version: Mapping[str, Sequence[Place]]) -> bool:
    for version, start, end in _places(one.get("citation", one) for one in cited):
        if any(first < end and start < last for _, first, last in by_version.get(version, ())):
            return True
    return False


def _places(citations: Iterable[Mapping[str, Any]]) -> Iterator[Place]:
    for one in citations:
        if one.get("version_id"):
            yield str(one["version_id"]), int(one.get("start") or 0), int(one.get("end") or EVERYWHERE)
