"""Contradictions as cases: both sides with their quotes, what rests on them, and a person's ruling that later evidence opens again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from beacon.domain.clock import parse_when
from beacon.domain.ids import make_id
from beacon.domain.memory import Contradiction
from beacon.memory.changesets import Item
from beacon.memory.claim_keeping import value_from, value_json
from beacon.memory.forms import contradiction_json
from beacon.memory.life import Ruling, Spell
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

KIND = "contradiction"


def case_of(project_id: str, place: str) -> str:
    """The id of the one contradiction a point can have."""
    return make_id("con", project_id, place)


def rulings_of(case: Contradiction | None) -> list[Ruling]:
    """What was ruled on the case, oldest first."""
    if case is None:
        return []
    given = [*case.ruling.get("earlier", []), *([case.ruling] if case.ruling.get("value") else [])]
    return [Ruling(value_from(one["value"]), tuple(value_from(v) for v in one["against"]), parse_when(one["at"])) for one in given]


def case_item(ws: Workspace, case: Contradiction | None, place: str, disputed: Sequence[tuple[str, Spell]], now: datetime) -> Item | None:
    """What becomes of the case of a point now that these values are disputed; None where nothing does."""
    if not disputed and case is None:
        return None
    if not disputed:
        assert case is not None
        status = "ruled" if case.ruling.get("value") and case.status != "settled" else "settled"
        after = replace(case, status=status)
    else:
        sides = [
            {"memory_id": ref, "value": value_json(one.value), "shown": one.testimonies[0].claim.shown, "witnesses": one.witnesses()}
            for ref, one in disputed
        ]
        claim = disputed[0][1].testimonies[0].claim
        key = case_of(ws.project_id, place)
        known = case or Contradiction(key, ws.project_id, place, claim.subject, claim.attribute, "open", sides, now, now)
        after = replace(known, status="open", sides=sides)
    if case is not None and after == case:
        return None
    after = replace(after, updated_at=now)
    return (KIND, after.id, contradiction_json(case) if case else None, contradiction_json(after))


def contradiction_detail(ws: Workspace, tx: Tx, case: Contradiction) -> dict[str, Any]:
    """The case as doors show it: each side with its quotes and what rests on it."""
    return {**contradiction_json(case), "sides": [_side(ws, tx, side) for side in case.sides]}


def _side(ws: Workspace, tx: Tx, side: Mapping[str, Any]) -> dict[str, Any]:
    memory = tx.memories.find(str(side["memory_id"]))
    citations = memory.citations if memory else []
    spots = {(str(c.get("version_id") or c.get("event_id")), int(c["start"]), int(c["end"])) for c in citations}
    return {
        "memory_id": side["memory_id"],
        "value": side["shown"],
        "witnesses": side["witnesses"],
        "status": memory.status if memory else "removed",
        "text": memory.text if memory else "",
        "quotes": citations,
        "rests_on_it": resting_on(ws, tx, spots),
    }


def resting_on(ws: Workspace, tx: Tx, spots: Collection[tuple[str, int, int]]) -> dict[str, list[str]]:
    """What cites one of these places: summaries, answers (messages), topics by their key facts; ids, or slugs."""
    topics = [one for removed in (False, True) for one in tx.topics.all(ws.project_id, removed=removed)]
    kept = {one.slug: memory.key_facts for one in topics if (memory := tx.topics.memory(one)) is not None}
    return {
        "summaries": [one.id for one in tx.chats.summaries(ws.project_id) if any(_meets(dict(c), spots) for c in one.citations)],
        "answers": [key for key, cited in tx.facts.answers(ws.project_id) if any(_meets(c, spots) for c in cited)],
        "topics": sorted(slug for slug, facts in kept.items() if any(_meets(one.get("citation", {}), spots) for one in facts)),
    }


def _meets(citation: Mapping[str, Any], spots: Collection[tuple[str, int, int]]) -> bool:
    where = str(citation.get("version_id") or citation.get("event_id") or "")
    first, last = int(citation.get("start", 0)), int(citation.get("end", 0))
    return any(where == key and first < end and start < last for key, start, end in spots)


def ruled(case: Contradiction, memory_id: str, note: str, by: str, at: datetime) -> Contradiction:
    """The case with a ruling for one of its sides; an earlier one stays on record."""
    kept = next(side for side in case.sides if side["memory_id"] == memory_id)
    earlier = [
        *case.ruling.get("earlier", []),
        *([{k: v for k, v in case.ruling.items() if k != "earlier"}] if case.ruling.get("value") else []),
    ]
    ruling = {
        "keep": memory_id,
        "value": kept["value"],
        "against": [side["value"] for side in case.sides if side["memory_id"] != memory_id],
        "at": at.astimezone(UTC).isoformat(),
        "by": by,
        "note": note,
        "earlier": earlier,
    }
    return replace(case, status="ruled", ruling=ruling, updated_at=at)
