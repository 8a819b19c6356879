"""How passages stand today: what in them another value has taken the place of, and what other sources dispute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from beacon.memory.claim_keeping import point_id
from beacon.memory.contradictions import case_of, rulings_of
from beacon.memory.fact_keeping import fact_rows
from beacon.memory.life import Spell, Testimony, reckon
from beacon.memory.testimony import Library, open_library, testimonies_of, told_claim, told_testimony
from beacon.stores.records.facts import StoredClaim
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

Span = tuple[int, int]
OVER = ("superseded", "archived")


@dataclass(frozen=True, slots=True)
class Side:
    """A statement of another source about the same point: the slice `[start, end)` of its version."""

    version_id: str
    source_id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """By version: the slices that no longer hold, and those that other sources dispute, with the other sides."""

    over: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    disputed: Mapping[str, Sequence[tuple[Span, tuple[Side, ...]]]] = field(default_factory=dict)

    def is_over(self, version_id: str, start: int, end: int) -> bool:
        """Whether the slice says what no longer holds."""
        return any(first < end and start < last for first, last in self.over.get(version_id, ()))

    def against(self, version_id: str, start: int, end: int) -> list[Side]:
        """What other sources say against the slice."""
        return [side for (first, last), sides in self.disputed.get(version_id, ()) if first < end and start < last for side in sides]


def read_standing(ws: Workspace, version_ids: Sequence[str], as_of: datetime | None = None) -> Standing:
    """How what these versions claim stands now, or stood at a moment by what had been written then."""
    with ws.records.read() as tx:
        mine = tx.facts.of_versions(sorted(set(version_ids)))
        if not mine:
            return Standing()
        claims = tx.facts.of_points(ws.project_id, sorted({one.point_id for one in mine}))
        library = open_library(tx, ws.project_id, [one for there in claims.values() for one in there], as_of)
        told = _told(ws, tx, as_of)
        spells = {place: _reckon(ws, tx, place, there, library, told, as_of) for place, there in sorted(claims.items())}
    over: dict[str, list[Span]] = {}
    disputed: dict[str, list[tuple[Span, tuple[Side, ...]]]] = {}
    for claim in mine:
        spell = _spell_of(spells[claim.point_id], claim, library)
        if spell is None:
            continue
        place = (claim.start, claim.end)
        if spell.fate in OVER:
            over.setdefault(claim.version_id, []).append(place)
        elif spell.fate == "contradicted":
            disputed.setdefault(claim.version_id, []).append((place, _sides(spell)))
    fine = {(c.version_id, c.start) for c in mine if (s := _spell_of(spells[c.point_id], c, library)) is None or s.fate not in OVER}
    kept = {key: [span for span in spans if (key, span[0]) not in fine] for key, spans in over.items()}
    return Standing(kept, disputed)


def _told(ws: Workspace, tx: Tx, as_of: datetime | None) -> dict[str, list[Testimony]]:
    """What people told, by point."""
    found: dict[str, list[Testimony]] = {}
    for row in fact_rows(ws, tx):
        late = as_of is not None and row.recorded_at > as_of
        claim = told_claim(row) if row.status not in ("archived", "retracted") and not late else None
        if claim is not None:
            found.setdefault(point_id(ws.project_id, claim.point), []).append(told_testimony(row, claim))
    return found


def _reckon(
    ws: Workspace,
    tx: Tx,
    place: str,
    claims: Sequence[StoredClaim],
    library: Library,
    told: Mapping[str, Sequence[Testimony]],
    as_of: datetime | None,
) -> list[Spell]:
    case = tx.facts.find_contradiction(case_of(ws.project_id, place))
    rulings = [one for one in rulings_of(case) if as_of is None or one.at <= as_of]
    return reckon([*testimonies_of(claims, library), *told.get(place, ())], as_of or ws.clock(), rulings)


def _spell_of(spells: Sequence[Spell], claim: StoredClaim, library: Library) -> Spell | None:
    """The value a claim is one of: the one that its source gave at the time of its version."""
    moments = {head.id: at for head, at in library.orders.get(claim.source_id, ())}
    at = moments.get(claim.version_id)
    if at is None:
        return None
    key = claim.body["value"]["key"]
    for spell in spells:
        for one in spell.testimonies:
            if one.source == claim.source_id and one.said_at <= at <= one.last_at and (one.ref == claim.id or one.claim.value.key == key):
                return spell
    return None


def _sides(spell: Spell) -> tuple[Side, ...]:
    return tuple(
        Side(one.version_id, one.source, one.claim.start, one.claim.end, one.claim.text)
        for other in spell.against
        for one in other.live[:1]
        if one.version_id
    )


def over_in(standing: Standing, version_id: str, start: int, end: int) -> tuple[Span, ...]:
    """What no longer holds in a chunk `[start, end)`, as slices of the chunk's text."""
    spans = ((max(first, start) - start, min(last, end) - start) for first, last in standing.over.get(version_id, ()))
    return tuple((first, last) for first, last in spans if first < last)
