"""Reading versions for what they claim, once a version and method; and claims as the record store keeps them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from math import inf, isinf
from typing import Any

import sqlalchemy as sa

from beacon.analyst.claim_values import Value
from beacon.analyst.claims import Claim, read_claims
from beacon.analyst.similarity import containment, shingles
from beacon.analyst.witnesses import DERIVED
from beacon.domain.clock import parse_when
from beacon.domain.ids import make_id
from beacon.domain.source import Source, Version, unpack_blocks
from beacon.stores.records import tables as t
from beacon.stores.records.facts import Reading, StoredClaim
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

METHOD = 1  # raised when claims are read differently: every version is then read again
BATCH = 100  # versions read between two commits
COPY_CHARACTERS = 200  # a shorter text may equal another by chance
MOST_COMPARED = 4  # versions a new one is compared with, to see whether it is a copy
OWN_DRAFTS = 20  # of the newest reports, which are no evidence when they come back
TALK = "conversation"  # what people say of themselves is memory or evidence of their needs, no fact of the world


def read_unread(ws: Workspace) -> list[str]:
    """The points of everything that was not read before, in order; its claims are kept now."""
    points: dict[str, None] = {}
    while True:
        with ws.records.read() as tx:
            ids = tx.facts.unread(ws.project_id, METHOD, BATCH)
            if not ids:
                return list(points)
            versions = tx.sources.versions_by_id(ids)
            sources = {one.id: one for one in tx.sources.all(ws.project_id, sorted({v.source_id for v in versions.values()}))}
            before = tx.facts.of_versions(ids)
            own = _own_texts(tx, ws.project_id)
            heads = tx.sources.heads(sorted(sources))
        alone = {key for key, source in sources.items() if len(heads.get(key, ())) == 1 and not source.series}
        points.update(dict.fromkeys(claim.point_id for claim in before))
        read = [versions[key] for key in ids if key in versions]
        found = [(one, _read(ws, one, sources[one.source_id], own, records=one.source_id not in alone)) for one in read]
        with ws.records.write() as tx:
            for version, (claims, corrects) in found:
                made_from = _made_from(tx, ws.project_id, version, claims)
                method = -METHOD if version.source_id in alone else METHOD
                tx.facts.put_reading(Reading(version.id, method, corrects, made_from, ws.clock()), claims)
                points.update(dict.fromkeys(claim.point_id for claim in claims))


def _read(
    ws: Workspace, version: Version, source: Source, own: Sequence[frozenset[str]], *, records: bool
) -> tuple[list[StoredClaim], bool]:
    """What a version claims; nothing where Beacon or another machine wrote it, or where people speak for themselves.

    The fields and cells of a source's only version are put off: a catalogue is long, and most of it never changes.
    """
    if source.voice or source.kind == TALK or _is_own(version.text, own):
        return [], False
    read = read_claims(version.text, unpack_blocks(version.blocks), title=source.title, said=version.dated, records=records)
    exact = [claim for claim in read.claims if version.text[claim.start : claim.end] == claim.text]
    return [stored_claim(ws.project_id, version, claim) for claim in exact], read.corrects


def _own_texts(tx: Tx, project_id: str) -> list[frozenset[str]]:
    d, r = t.draft.c, t.run.c
    query = (
        sa.select(d.content)
        .select_from(t.draft.join(t.run))
        .where(r.project_id == project_id, d.phase.in_(("writing", "publishing")))
        .order_by(d.at.desc(), d.id)
        .limit(OWN_DRAFTS)
    )
    return [shingles(text) for text in tx.connection.scalars(query)]


def _is_own(text: str, own: Sequence[frozenset[str]]) -> bool:
    if not own or len(text) < COPY_CHARACTERS:
        return False
    mine = shingles(text)
    return bool(mine) and any(len(mine & other) >= DERIVED * len(mine) for other in own)


def _made_from(tx: Tx, project_id: str, version: Version, claims: Sequence[StoredClaim]) -> str:
    """The source of which this version is mostly a copy, empty where it is none. Only sources that claim the same are looked at."""
    if not claims or len(version.text) < COPY_CHARACTERS:
        return ""
    known = tx.facts.of_points(project_id, sorted({claim.point_id for claim in claims if is_prose(claim)}))
    mine = {(claim.point_id, claim.text) for claim in claims}
    others: dict[str, int] = {}
    for claim in (one for claims_there in known.values() for one in claims_there if one.source_id != version.source_id):
        others[claim.version_id] = others.get(claim.version_id, 0) + int((claim.point_id, claim.text) in mine)
    nearest = sorted((key for key, shared in others.items() if shared), key=lambda key: (-others[key], key))[:MOST_COMPARED]
    texts = tx.sources.versions_by_id(nearest)
    runs = shingles(version.text)
    copied = [
        texts[key].source_id
        for key in nearest
        if key in texts and len(texts[key].text) >= COPY_CHARACTERS and containment(runs, shingles(texts[key].text)) >= DERIVED
    ]
    return copied[0] if copied else ""


def is_prose(claim: StoredClaim) -> bool:
    """Whether a sentence claims it, and not a field of a record or a table's cell."""
    return not any(mark.startswith(("field ", "cell ")) for mark in claim.point.split("|")[1:])


# Claims as JSON and back


def point_id(project_id: str, point: str) -> str:
    """The name of a point within a project."""
    return make_id("pnt", project_id, point)


def stored_claim(project_id: str, version: Version, claim: Claim) -> StoredClaim:
    """The claim as it is kept."""
    key = make_id("clm", version.id, claim.start, claim.end, claim.point)
    place = point_id(project_id, claim.point)
    return StoredClaim(
        key, project_id, version.id, version.source_id, place, claim.start, claim.end, claim.text, claim.point, claim_json(claim)
    )


def claim_json(claim: Claim) -> dict[str, Any]:
    """What a claim holds beside its place."""
    body: dict[str, Any] = {
        name: getattr(claim, name) for name in ("subject", "attribute", "shown", "plan", "about", "changed", "second_hand")
    }
    for name in ("valid_from", "valid_to"):
        at: datetime | None = getattr(claim, name)
        body[name] = at.isoformat() if at else None
    return {**body, "value": value_json(claim.value)}


def claim_from(stored: StoredClaim) -> Claim:
    """The claim that was kept."""
    body = stored.body
    told: dict[str, Any] = {name: body[name] for name in ("subject", "attribute", "shown", "plan", "about", "changed", "second_hand")}
    told |= {name: parse_when(body[name]) if body[name] else None for name in ("valid_from", "valid_to")}
    return Claim(stored.start, stored.end, stored.text, stored.point, value=value_from(body["value"]), **told)


def value_json(value: Value) -> dict[str, Any]:
    """A value as JSON: an open end is None."""
    return {name: None if isinstance(part, float) and isinf(part) else part for name, part in asdict(value).items()}


def value_from(found: Mapping[str, Any]) -> Value:
    """The value that `value_json` gave."""
    low, high = found["low"], found["high"]
    return Value(**{**found, "low": -inf if low is None else low, "high": inf if high is None else high})
