"""Facts kept in step with their sources: what was reckoned anew is compared with what is remembered, and the difference is one change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from beacon.analyst.claim_values import relate
from beacon.analyst.claims import Claim
from beacon.domain.event import Event
from beacon.domain.evidence import Citation
from beacon.domain.ids import make_id
from beacon.domain.memory import Contradiction, Memory
from beacon.llm.embedding import text_sha
from beacon.memory.changesets import Item, apply_changes, memory_item
from beacon.memory.check_by import check_by
from beacon.memory.claim_keeping import is_prose, point_id, read_unread, value_from, value_json
from beacon.memory.contradictions import KIND, case_item, case_of, rulings_of
from beacon.memory.forms import contradiction_json
from beacon.memory.importance import importance_from, importance_parts
from beacon.memory.life import Spell, Testimony, reckon
from beacon.memory.testimony import Library, open_library, testimonies_of, told_claim, told_testimony
from beacon.stores.records.facts import StoredClaim
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

ORIGIN = "facts"  # in the metadata of a memory that is kept in step with its sources
MAX_NEW = 300  # points that may enter memory at once; what moved or is disputed goes first
MAX_CITATIONS = 12
RETIRED = ("superseded", "retracted", "archived")


@dataclass
class Kept:
    """What keeping the facts came to."""

    changeset_id: str = ""
    points: int = 0
    new: int = 0
    retired: list[dict[str, str]] = field(default_factory=list)
    healed: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The printed form."""
        return {
            "changeset_id": self.changeset_id, "points": self.points, "new": self.new, "retired": self.retired, "healed": self.healed,
            "contradictions": self.contradictions,
        }  # fmt: skip


def keep_facts(ws: Workspace, source_ids: Sequence[str] = (), points: Sequence[str] = (), *, topic_id: str = "", read: bool = True) -> Kept:
    """What changed in memory: facts of these sources and points, and unless `read` is False of whatever was not read yet, reckoned anew.

    Every retirement has its reason and stands in one changeset, which can be undone.
    """
    touched = dict.fromkeys([*points, *(read_unread(ws) if read else ())])
    with ws.records.write() as tx:
        tx.facts.lock(ws.project_id)
        if source_ids:
            touched |= dict.fromkeys(claim.point_id for claim in tx.facts.of_sources(source_ids))
        rows = fact_rows(ws, tx)
        touched |= dict.fromkeys(_due(rows, source_ids, ws.clock()))
        return _keep(ws, tx, list(touched), rows, topic_id)


def points_of(tx: Tx, source_ids: Sequence[str]) -> list[str]:
    """The points these sources speak of: to be reckoned anew once the sources are gone."""
    return list(dict.fromkeys(claim.point_id for claim in tx.facts.of_sources(source_ids)))


def told_points(ws: Workspace, memories: Iterable[Memory]) -> list[str]:
    """The points of what people told in these memories."""
    claims = (told_claim(one) for one in memories)
    return list(dict.fromkeys(point_id(ws.project_id, claim.point) for claim in claims if claim is not None))


def fact_rows(ws: Workspace, tx: Tx) -> list[Memory]:
    """Every semantic memory of the project that may be about a point."""
    return tx.memories.all(ws.project_id, tiers=("semantic",), statuses=None)


def _due(rows: Sequence[Memory], source_ids: Sequence[str], now: datetime) -> Iterable[str]:
    """Points of facts whose end has come, and of those that cite these sources."""
    wanted = set(source_ids)
    for row in rows:
        ended = row.status == "current" and row.replaced_by and row.valid_to is not None and row.valid_to <= now
        if row.metadata.get("point_id") and (ended or any(c.get("source_id") in wanted for c in row.citations)):
            yield str(row.metadata["point_id"])


def items_for(ws: Workspace, tx: Tx, told: Memory, rows: Sequence[Memory]) -> list[Item]:
    """The items that bring in what a person told, and what it does to facts of the same point; none where it claims nothing."""
    claim = told_claim(told)
    if claim is None:
        return []
    place = point_id(ws.project_id, claim.point)
    claims = tx.facts.of_points(ws.project_id, [place])
    work = _Work(ws, tx, rows=[*rows, told], library=open_library(tx, ws.project_id, claims.get(place, [])))
    work.point(place, claims.get(place, []))
    before = {row.id: row for row in rows}
    return [memory_item(before.get(one.id), one) for one in work.rows.values() if before.get(one.id) != one] + work.cases


def items_for_ruling(ws: Workspace, tx: Tx, before: Contradiction, after: Contradiction) -> list[Item]:
    """The items of a ruling: the contradiction itself, and what it makes of the facts."""
    rows = fact_rows(ws, tx)
    claims = tx.facts.of_points(ws.project_id, [before.point_id])
    work = _Work(ws, tx, rows=rows, library=open_library(tx, ws.project_id, claims.get(before.point_id, [])))
    tx.facts.put_contradiction(after)
    work.point(before.point_id, claims.get(before.point_id, []))
    tx.facts.put_contradiction(before)  # the changeset stores what the ruling made of it
    known = {row.id: row for row in rows}
    items = [memory_item(known[one.id], one) for one in work.rows.values() if one.id in known and known[one.id] != one]
    return [(KIND, before.id, contradiction_json(before), contradiction_json(after)), *items]


def _keep(ws: Workspace, tx: Tx, points: Sequence[str], rows: Sequence[Memory], topic_id: str) -> Kept:
    claims = tx.facts.of_points(ws.project_id, points)
    library = open_library(tx, ws.project_id, [one for there in claims.values() for one in there])
    work = _Work(ws, tx, rows=rows, library=library, topic_id=topic_id)
    for place in _chosen(points, claims, work.known_points):
        work.point(place, claims.get(place, []))
    before = {row.id: row for row in rows}
    changed = [one for one in work.rows.values() if before.get(one.id) != one]
    items = [memory_item(before.get(one.id), one) for one in changed] + work.cases
    kept = _told_of(before, changed, work)
    if items:
        kept.changeset_id = apply_changes(ws, tx, actor="facts", action="facts_kept", title=_title(kept), items=items)
        _note(ws, tx, kept)
    return kept


def _chosen(points: Sequence[str], claims: Mapping[str, Sequence[StoredClaim]], known: set[str]) -> list[str]:
    """What is known already, and of the rest the points that most is said of; records only where something changed in them."""
    fresh = [place for place in points if place not in known and any(is_prose(one) for one in claims.get(place, ()))]
    taken = {*known, *fresh}
    fresh += [place for place in points if place not in taken and _moves(claims.get(place, ()))]
    order = sorted(fresh, key=lambda place: (not _moves(claims[place]), -len({one.source_id for one in claims[place]}), place))
    chosen = {*known, *order[:MAX_NEW]}
    return [place for place in points if place in chosen]


def _moves(claims: Sequence[StoredClaim]) -> bool:
    values = [value_from(one.body["value"]) for one in claims]
    return any(relate(values[0], other) != "same" for other in values[1:])


class _Work:
    """Memory as it will be, point after point."""

    def __init__(self, ws: Workspace, tx: Tx, *, rows: Sequence[Memory], library: Library, topic_id: str = "") -> None:
        self._ws, self._tx, self._library, self._topic_id = ws, tx, library, topic_id
        self._now = ws.clock()
        self.rows = {row.id: row for row in rows}
        self.cases: list[Item] = []
        self.opened: list[str] = []
        self._by_point: dict[str, list[str]] = {}
        self._told: dict[str, list[tuple[Memory, Claim]]] = {}
        for row in rows:
            claim = told_claim(row) if row.status not in ("archived", "retracted") else None
            if claim is not None:
                self._told.setdefault(point_id(ws.project_id, claim.point), []).append((row, claim))
            elif row.metadata.get("point_id"):
                self._by_point.setdefault(str(row.metadata["point_id"]), []).append(row.id)
        self.known_points = {*self._by_point, *self._told}

    def point(self, place: str, claims: Sequence[StoredClaim]) -> None:
        """Reckon one point anew."""
        told = self._told.get(place, [])
        heard = self._pinned(place, testimonies_of(claims, self._library))
        case = self._tx.facts.find_contradiction(case_of(self._ws.project_id, place))
        spells = reckon([*heard, *(told_testimony(row, claim) for row, claim in told)], self._now, rulings_of(case))
        names = self._names(place, spells)
        changes = tuple(one.valid_from for one in spells if one.fate in ("current", "superseded"))
        for spell in spells:
            self._put(place, spell, names, changes)
        gone = [ref for ref in self._by_point.get(place, []) if ref not in set(names.values())]
        for ref in gone:
            self._forget(ref)
        item = case_item(self._ws, case, place, [(names[id(one)], one) for one in spells if one.fate == "contradicted"], self._now)
        if item is not None:
            self.cases.append(item)
            if (item[3] or {}).get("status") == "open":
                self.opened.append(item[1])

    def _pinned(self, place: str, heard: Sequence[Testimony]) -> list[Testimony]:
        """Testimonies with the pins of the facts they stand for; what a person set aside is not heard again."""
        rows = [self.rows[ref] for ref in self._by_point.get(place, [])]
        pins = {_spot(c) for row in rows if row.pinned for c in row.citations}
        aside = {_spot(c) for row in rows if _is_set_aside(row) for c in row.citations}
        kept = [one for one in heard if (one.version_id, one.claim.start) not in aside]
        return [replace(one, pinned=(one.version_id, one.claim.start) in pins) for one in kept]

    def _names(self, place: str, spells: Sequence[Spell]) -> dict[int, str]:
        """Which memory each value is: the one a person told, one that cites the same, or a new one."""
        names: dict[int, str] = {}
        free = [ref for ref in self._by_point.get(place, []) if not _is_set_aside(self.rows[ref])]
        for spell in spells:
            told = next((one.ref for one in spell.testimonies if one.told), "")
            spots = {(one.version_id, one.claim.start) for one in spell.testimonies}
            match = told or next((ref for ref in free if spots & {_spot(c) for c in self.rows[ref].citations}), "")
            if not match:
                match = next((ref for ref in free if self._gives(ref, spell)), "")
            if match in free:
                free.remove(match)
            first = spell.testimonies[0]
            names[id(spell)] = match or make_id(
                "mem", self._ws.project_id, "fact", place, first.version_id, first.claim.start, first.claim.end
            )
        return names

    def _gives(self, ref: str, spell: Spell) -> bool:
        kept = self.rows[ref].metadata.get("value")
        return kept is not None and value_from(kept).key == spell.value.key

    def _put(self, place: str, spell: Spell, names: Mapping[int, str], changes: tuple[datetime, ...]) -> None:
        before = self.rows.get(names[id(spell)])
        told = any(one.told for one in spell.testimonies)
        made = self._told_row(before, spell) if told and before else self._row(place, spell, names[id(spell)], before)
        retired = spell.fate in RETIRED
        since = before.retired_at if before and before.status in RETIRED and before.retired_at else self._now
        against = sorted(names[id(one)] for one in spell.against)
        witnesses = 0 if told and spell.witnesses() < 2 else spell.witnesses()  # a person's own word is left as it stands
        found = {"reason": spell.reason, "contradicts": against, "witnesses": witnesses, "announced": spell.announced}
        metadata = {name: value for name, value in {**made.metadata, **found}.items() if value not in ("", [], False, 0)}
        after = replace(
            made,
            status=spell.fate,
            valid_from=made.valid_from if told and spell.testimonies[0].told else spell.valid_from,
            valid_to=spell.valid_to,
            retired_at=since if retired else None,
            replaced_by=names[id(spell.by)] if spell.by is not None else "",
            check_by=made.check_by if told else check_by(spell, changes),
            metadata=metadata,
        )
        if before is not None and after != before:
            after = replace(after, version=before.version + 1)
        self.rows[after.id] = after

    def _told_row(self, before: Memory, spell: Spell) -> Memory:
        claim = next(one.claim for one in spell.testimonies if one.told)
        named = (before.subject or claim.subject, before.attribute or claim.attribute, before.value or claim.shown)
        if len(spell.testimonies) == 1:
            return before
        own = [c for c in before.citations if c.get("event_id")]
        others = self._citations([one for one in spell.testimonies if not one.told])
        return replace(before, citations=[*own, *others], subject=named[0], attribute=named[1], value=named[2])

    def _row(self, place: str, spell: Spell, ref: str, before: Memory | None) -> Memory:
        speaking = spell.live or spell.testimonies
        first = speaking[0]
        citations = self._citations(speaking)
        edited = bool(before and before.citations and before.citations[0].get("event_id"))
        metadata = {
            "origin": ORIGIN, "point_id": place, "value": value_json(spell.value), **({"plan": True} if first.claim.plan else {}),
        }  # fmt: skip
        text = before.text if before and any(c["quote"] == before.text for c in citations) else first.claim.text
        if before is not None:
            kept = {**{k: v for k, v in before.metadata.items() if k not in ("reason", "contradicts", "plan", "announced")}, **metadata}
            return before if edited else replace(
                before, text=text, text_sha256=text_sha(text), citations=citations, metadata=kept, value=first.claim.shown,
            )  # fmt: skip
        parts = importance_parts(text)
        return Memory(
            ref, self._ws.project_id, "semantic", text, self._now, self._now, user_id=self._ws.user_id, scope="project",
            subject=first.claim.subject, attribute=first.claim.attribute, value=first.claim.shown, importance=importance_from(parts),
            importance_parts=parts, citations=citations, topic_id=self._topic_id, channel="run",
            metadata=metadata, text_sha256=text_sha(text),
        )  # fmt: skip

    def _citations(self, testimonies: Sequence[Testimony]) -> list[dict[str, Any]]:
        """One exact quote a source, the earliest first."""
        found = []
        for one in testimonies[:MAX_CITATIONS]:
            source = self._library.sources[one.source]
            claim = one.claim
            cited = Citation(
                claim.text, claim.start, claim.end, version_id=one.version_id, source_id=one.source, url=source.url, title=source.title
            )
            found.append({**cited.as_json(), "at": one.said_at.isoformat()})
        return found

    def _forget(self, ref: str) -> None:
        """A fact none of whose sources is left is no longer believed."""
        before = self.rows[ref]
        if before.status in RETIRED and before.metadata.get("reason") != "another value of the same took its place":
            return
        metadata = {**before.metadata, "reason": "its source was removed", "witnesses": 0}
        metadata.pop("contradicts", None)
        retired = before.retired_at or self._now
        self.rows[ref] = replace(
            before, status="retracted", retired_at=retired, replaced_by="", metadata=metadata, version=before.version + 1
        )


def _spot(citation: Mapping[str, Any]) -> tuple[str, int]:
    return str(citation.get("version_id", "")), int(citation.get("start", 0))


def _is_set_aside(row: Memory) -> bool:
    """Whether a person forgot it: not what a ruling or the sources retired."""
    return row.status == "archived" and row.metadata.get("reason") != "ruled out"


def _told_of(before: Mapping[str, Memory], changed: Sequence[Memory], work: _Work) -> Kept:
    kept = Kept(points=len({str(one.metadata.get("point_id", one.id)) for one in changed}), contradictions=work.opened)
    for one in changed:
        old = before.get(one.id)
        kept.new += old is None
        was_held = old is None or old.status not in RETIRED
        if one.status in RETIRED and was_held and old is not None:
            kept.retired.append(
                {"memory_id": one.id, "text": one.text, "reason": str(one.metadata.get("reason", "")), "by": one.replaced_by}
            )
        if old is not None and old.status in RETIRED and one.status not in RETIRED:
            kept.healed.append(one.id)
    return kept


def _title(kept: Kept) -> str:
    parts = [
        f"{count} {word}"
        for count, word in (
            (kept.new, "new"), (len(kept.retired), "retired"), (len(kept.healed), "hold again"), (len(kept.contradictions), "disputed"),
        )
        if count
    ]  # fmt: skip
    return f"Facts: {', '.join(parts) or 'other witnesses'}"


def _note(ws: Workspace, tx: Tx, kept: Kept) -> None:
    """The event of what was retired or opened: never silent."""
    if not (kept.retired or kept.healed or kept.contradictions):
        return
    lines = [f"No longer held: {one['text']} ({one['reason']})" for one in kept.retired]
    lines += [f"{len(kept.healed)} facts hold again."] if kept.healed else []
    lines += [f"{len(kept.contradictions)} contradictions wait for a ruling."] if kept.contradictions else []
    text, now = "\n".join(lines), ws.clock()
    payload = {"changeset_id": kept.changeset_id, "retired": kept.retired, "healed": kept.healed, "contradictions": kept.contradictions}
    key = make_id("evt", ws.project_id, "facts_kept", kept.changeset_id)
    tx.events.append(Event(key, ws.project_id, "facts_kept", now, now, text, payload, ws.user_id, "memory"))
