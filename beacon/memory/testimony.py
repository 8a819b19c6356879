"""Who says what of a point: stored claims, and what people told, as testimonies with a beginning and an end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from beacon.analyst.claim_values import relate
from beacon.analyst.claims import Claim, read_statement
from beacon.domain.change import Statement
from beacon.domain.memory import Memory
from beacon.domain.source import Source, VersionHead
from beacon.memory.claim_keeping import claim_from
from beacon.memory.facts import is_own_matter
from beacon.memory.life import Gone, Testimony
from beacon.stores.records.facts import Reading, StoredClaim
from beacon.stores.records.store import Tx

MICRO = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Library:
    """The sources of some claims, with the order of their versions. `as_of` hides what was written later."""

    sources: Mapping[str, Source]
    orders: Mapping[str, Sequence[tuple[VersionHead, datetime]]]  # oldest first, with the moment each speaks of
    readings: Mapping[str, Reading]
    groups: Mapping[str, str]  # what a source is called by others → its group


def open_library(tx: Tx, project_id: str, claims: Sequence[StoredClaim], as_of: datetime | None = None) -> Library:
    """What is needed to weigh these claims. Sources that were removed are not in it."""
    ids = sorted({claim.source_id for claim in claims})
    sources = {one.id: one for one in tx.sources.all(project_id, ids) if one.status != "removed"}
    heads = tx.sources.heads(sorted(sources))
    orders = {key: _in_order(heads.get(key, []), as_of) for key in sources}
    readings = tx.facts.readings(sorted({claim.version_id for claim in claims} | {h.id for known in heads.values() for h in known}))
    names: dict[str, str] = {}
    for one in sources.values():
        for name in (one.id, one.key, one.url, str(one.metadata.get("id", ""))):
            if name:
                names.setdefault(name, group_of(one))
    return Library(sources, orders, readings, names)


def group_of(source: Source) -> str:
    """Whose voice a source is: its series', or its own."""
    return f"series {source.series}" if source.series else source.id


def _in_order(heads: Sequence[VersionHead], as_of: datetime | None) -> list[tuple[VersionHead, datetime]]:
    """Versions by their dates; one without a date was read after the one before it, whatever the clock said."""
    placed: list[tuple[VersionHead, datetime]] = []
    last: datetime | None = None
    for head in sorted(heads, key=lambda one: one.n):
        at = head.version_date or head.published_at or head.fetched_at
        if head.version_date is None and head.published_at is None and last is not None and at <= last:
            at = last + MICRO
        last = at
        placed.append((head, at))
    return [(head, at) for head, at in sorted(placed, key=lambda one: (one[1], one[0].n)) if as_of is None or at <= as_of]


def testimonies_of(claims: Sequence[StoredClaim], library: Library) -> list[Testimony]:
    """What the sources say of one point, source by source."""
    by_source: dict[str, dict[str, list[StoredClaim]]] = {}
    for claim in claims:
        by_source.setdefault(claim.source_id, {}).setdefault(claim.version_id, []).append(claim)
    return [one for key in sorted(by_source) if key in library.sources for one in _of_source(library, key, by_source[key])]


def _of_source(library: Library, source_id: str, said: Mapping[str, Sequence[StoredClaim]]) -> list[Testimony]:
    """One testimony for each value a source gives, for as long as version after version gives it."""
    source = library.sources[source_id]
    running: list[Testimony] = []
    done: list[Testimony] = []
    for head, at in library.orders[source_id]:
        corrects = head.id in library.readings and library.readings[head.id].corrects
        fresh: list[Testimony] = []
        for stored in said.get(head.id, ()):
            claim = claim_from(stored)
            before = next((one for one in running if relate(one.claim.value, claim.value) == "same" and _same_start(one, claim)), None)
            if before is None:
                fresh.append(_new(library, source, stored, claim, head, at))
            else:
                running.remove(before)
                fresh.append(replace(before, last_at=at, version_id=head.id, claim=replace(claim, valid_from=before.claim.valid_from)))
        heir = fresh[0].ref if fresh else ""
        done += [_ended(one, head, at, heir, corrects=corrects) for one in running]
        running = fresh
    if library.orders[source_id] and library.orders[source_id][-1][0].withdrawn:
        at = library.orders[source_id][-1][1]
        return [replace(one, gone="withdrawn", gone_at=at) for one in done]
    return [*done, *running]


def _same_start(one: Testimony, claim: Claim) -> bool:
    return one.claim.valid_from == claim.valid_from or claim.valid_from is None


def _new(library: Library, source: Source, stored: StoredClaim, claim: Claim, head: VersionHead, at: datetime) -> Testimony:
    return Testimony(
        ref=stored.id,
        source=source.id,
        group=group_of(source),
        claim=claim,
        said_at=at,
        last_at=at,
        order=(at, head.n),
        recorded_at=head.fetched_at,
        version_id=stored.version_id,
        origin=_origin(library, source, stored.version_id),
    )


def _origin(library: Library, source: Source, version_id: str) -> str:
    """The group that a source was made from: as it says itself, or as its words show."""
    for name in (part.strip() for part in source.derived_from.split(",") if part.strip()):
        return library.groups.get(name, name)
    reading = library.readings.get(version_id)
    return library.groups.get(reading.made_from, reading.made_from) if reading and reading.made_from else ""


def _ended(one: Testimony, head: VersionHead, at: datetime, heir: str, *, corrects: bool) -> Testimony:
    gone: Gone = "withdrawn" if head.withdrawn else "corrected" if corrects else "replaced" if heir else "left"
    return replace(one, gone=gone, gone_at=at, next=heir)


# What people told


def told_claim(memory: Memory) -> Claim | None:
    """What a memory in someone's own words claims of the world; None for what it says of themselves."""
    if memory.tier != "semantic" or not memory.citations or not memory.citations[0].get("event_id") or is_own_matter(memory.text):
        return None
    found = read_statement(Statement(0, len(memory.text), memory.text), said=memory.valid_from or memory.recorded_at)
    return found[0] if found else None


def told_testimony(memory: Memory, claim: Claim) -> Testimony:
    """A person's word on a point."""
    at = memory.valid_from if memory.valid_from and claim.valid_from is None else memory.recorded_at
    return Testimony(
        ref=memory.id,
        source=f"person {memory.user_id}",
        group=f"person {memory.user_id}",
        claim=claim,
        said_at=at,
        last_at=at,
        order=(at, memory.recorded_at.microsecond),
        recorded_at=memory.recorded_at,
        told=True,
        pinned=memory.pinned,
    )
