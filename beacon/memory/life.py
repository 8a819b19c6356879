"""The life of a fact: from all that was ever said of one point to what holds, since when, and what became of the rest.

Nothing is carried over from an earlier reckoning: a source that is withdrawn is simply no longer heard, and what it had retired holds
again; a version that arrives late takes its place in time. What is set side by side is always of one point (see analyst.claims).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from beacon.analyst.claim_values import Value, relate
from beacon.analyst.claims import Claim

SAME_TIME = timedelta(days=14)  # two independent sources that differ within this speak of the same time: neither wins by its date
Fate = Literal["current", "superseded", "contradicted", "retracted", "archived"]
Gone = Literal["", "replaced", "left", "corrected", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Testimony:
    """What one source says of a point, from its first version that says so to its last."""

    ref: str
    source: str
    group: str  # the source, or the series it is an issue of
    claim: Claim
    said_at: datetime
    last_at: datetime
    order: tuple[datetime, int]  # of the first version
    recorded_at: datetime
    version_id: str = ""
    origin: str = ""  # the group it was copied or made from
    gone: Gone = ""  # why its source no longer says it
    gone_at: datetime | None = None
    next: str = ""  # ref of what the same source says instead
    told: bool = False  # by a person
    pinned: bool = False

    @property
    def live(self) -> bool:
        """Whether its source says so now."""
        return not self.gone

    @property
    def start(self) -> datetime:
        """From when it says that this holds."""
        return self.claim.valid_from or self.said_at


@dataclass(frozen=True, slots=True)
class Ruling:
    """A person's word on a contradiction: which value holds, and which do not."""

    keep: Value
    drop: tuple[Value, ...]
    at: datetime


@dataclass(slots=True)
class Spell:
    """One value of a point over one stretch of time, with everyone who said so."""

    value: Value
    valid_from: datetime
    testimonies: list[Testimony] = field(default_factory=list)
    valid_to: datetime | None = None
    fate: Fate = "current"
    reason: str = ""
    by: "Spell | None" = None
    against: "list[Spell]" = field(default_factory=list)

    @property
    def live(self) -> list[Testimony]:
        """Those who say so now."""
        return [one for one in self.testimonies if one.live]

    @property
    def last(self) -> datetime:
        """When it was last said."""
        return max((one.last_at for one in self.live or self.testimonies), default=self.valid_from)

    @property
    def announced(self) -> bool:
        """Whether its beginning was stated, and is not merely the date of what says so."""
        return any(one.claim.valid_from is not None and one.start == self.valid_from for one in self.testimonies)

    @property
    def pinned(self) -> bool:
        """Whether a person pinned it."""
        return any(one.pinned for one in self.testimonies)

    def witnesses(self) -> int:
        """How many independent sources say so: issues of a series and copies count once, hearsay not beside one who knows."""
        first_hand = [one for one in self.live if not one.claim.second_hand] or self.live[:1]
        groups = {one.group for one in first_hand}
        return len({one.origin if one.origin and one.origin in groups else one.group for one in first_hand})

    def said_by(self, group: str) -> bool:
        """Whether only this source or series says so."""
        return all(one.group == group for one in self.live)


def reckon(testimonies: Sequence[Testimony], now: datetime, rulings: Sequence[Ruling] = ()) -> list[Spell]:
    """Every value the point ever had, in order of time, each with its fate."""
    ordered = sorted(testimonies, key=lambda one: (one.start, one.order, one.told, one.ref))
    spells: list[Spell] = []
    for one in (one for one in ordered if one.live):
        _hear(spells, one, ordered)
    _add_former(spells, [one for one in ordered if not one.live])
    _rule(spells, rulings)
    for spell in spells:
        _end(spell, now)
    return sorted(spells, key=lambda one: (one.valid_from, one.testimonies[0].order, one.testimonies[0].ref))


def _hear(spells: list[Spell], new: Testimony, everyone: Sequence[Testimony]) -> None:
    standing = [one for one in spells if one.fate in ("current", "contradicted")]
    alike = [one for one in standing if relate(one.value, new.claim.value) == "same"]
    if alike:
        alike[0].testimonies.append(new)
        _meet(alike[0], [one for one in standing if one is not alike[0] and _clash(one, new)], new, everyone, joined=True)
        return
    spell = Spell(new.claim.value, new.start, [new], new.claim.valid_to)
    _meet(spell, [one for one in standing if _clash(one, new)], new, everyone)
    spells.append(spell)


def _clash(spell: Spell, new: Testimony) -> bool:
    return relate(spell.value, new.claim.value) == "conflict"


def _meet(spell: Spell, others: Sequence[Spell], new: Testimony, everyone: Sequence[Testimony], *, joined: bool = False) -> None:
    """Set a value against those that cannot hold beside it."""
    for other in others:
        if joined and other in spell.against:
            if new.told or other.said_by(new.group):
                _settle(spell, other)
                _retire(other, spell, new.start)
            continue
        verdict = _verdict(other, new, everyone)
        if verdict == "replaces":
            _retire(other, spell, new.start)
        elif verdict == "disputes":
            _dispute(spell, other)


def _verdict(old: Spell, new: Testimony, everyone: Sequence[Testimony]) -> Literal["replaces", "disputes", "beside"]:
    """What a later word makes of an older value."""
    if new.told:
        return "replaces"
    if old.pinned:
        return "disputes"
    if old.said_by(new.group):
        later = (new.start, new.order) > (old.valid_from, old.testimonies[0].order)
        return "replaces" if (later and new.order != old.testimonies[0].order) or new.start > old.valid_from else "beside"
    if new.claim.about and any(one.claim.about == new.claim.about for one in old.live):
        return "disputes"
    if new.start > new.said_at and new.start > old.last:
        return "replaces"
    turned = new.claim.changed or any(
        one.source == new.source and not one.live and relate(one.claim.value, old.value) == "same" for one in everyone
    )
    return "replaces" if new.start - old.last > (timedelta(0) if turned else SAME_TIME) else "disputes"


def _retire(old: Spell, by: Spell, at: datetime) -> None:
    for other in list(old.against):
        _settle(old, other)
    old.fate, old.by, old.valid_to = "superseded", by, at
    old.reason = "another value of the same took its place"


def _dispute(spell: Spell, other: Spell) -> None:
    for one, against in ((spell, other), (other, spell)):
        one.fate, one.reason = "contradicted", "sources differ about the same time"
        if against not in one.against:
            one.against.append(against)


def _settle(spell: Spell, other: Spell) -> None:
    for one, against in ((spell, other), (other, spell)):
        one.against = [each for each in one.against if each is not against]
        if one.fate == "contradicted" and not one.against:
            one.fate, one.reason = "current", ""


# What is no longer said


def _add_former(spells: list[Spell], former: Sequence[Testimony]) -> None:
    mine: dict[str, Spell] = {one.ref: spell for spell in spells for one in spell.testimonies}
    made: list[tuple[Spell, Testimony]] = []
    for one in former:
        spell = _still_said(spells, one)
        if spell is None:
            spell = Spell(one.claim.value, one.start, [one], one.claim.valid_to, "retracted")
            spells.append(spell)
            made.append((spell, one))
        else:
            spell.testimonies.append(one)
            spell.valid_from = min(spell.valid_from, one.start)
        mine[one.ref] = spell
    for spell, one in made:
        _bury(spell, one, mine, spells)


def _still_said(spells: Sequence[Spell], former: Testimony) -> Spell | None:
    """The value that others still say, if nothing else was said in between; or the same buried value."""
    for spell in spells:
        if relate(spell.value, former.claim.value) != "same":
            continue
        if not spell.live:
            if spell.testimonies[0].source == former.source and former.gone == spell.testimonies[0].gone == "withdrawn":
                return spell
            continue
        between = [
            s for s in spells if s.live and former.start < s.valid_from < spell.valid_from and relate(s.value, spell.value) == "conflict"
        ]
        if not between and former.gone != "withdrawn" and (former.gone_at is None or spell.valid_from <= former.gone_at):
            return spell
    return None


def _bury(spell: Spell, one: Testimony, mine: dict[str, Spell], spells: Sequence[Spell]) -> None:
    heir = mine.get(one.next)
    if one.gone == "replaced" and heir is not None and heir is not spell:
        later = [
            s
            for s in spells
            if s is not spell and spell.valid_from < s.valid_from <= heir.valid_from and s.fate != "retracted" and _apart(s, spell)
        ]
        earliest = min(later, key=lambda s: s.valid_from, default=heir)
        spell.fate, spell.by, spell.valid_to, spell.reason = (
            "superseded",
            earliest,
            earliest.valid_from,
            "its source says another value now",
        )
        if heir.valid_from <= spell.valid_from:
            spell.by, spell.valid_to = heir, heir.valid_from
        return
    spell.valid_to = one.gone_at or spell.valid_to
    if one.gone == "corrected":
        spell.by, spell.reason = (heir if heir is not spell else None), "its source corrected it: it was never so"
    else:
        spell.reason = "its source was withdrawn" if one.gone == "withdrawn" else "its source no longer says it"


def _apart(left: Spell, right: Spell) -> bool:
    return relate(left.value, right.value) == "conflict"


# What a person ruled


def _rule(spells: Sequence[Spell], rulings: Sequence[Ruling]) -> None:
    for ruling in sorted(rulings, key=lambda one: one.at):
        for kept in [one for one in spells if one.fate == "contradicted" and relate(one.value, ruling.keep) == "same"]:
            for lost in list(kept.against):
                if any(relate(lost.value, value) == "same" for value in ruling.drop) and not _heard_since(lost, ruling.at):
                    _settle(kept, lost)
                    lost.fate, lost.by, lost.reason = "archived", kept, "ruled out"


def _heard_since(spell: Spell, at: datetime) -> bool:
    """Whether an independent source said so after the ruling."""
    before = {one.group for one in spell.testimonies if one.recorded_at <= at}
    return any(
        one.recorded_at > at and not one.claim.second_hand and one.group not in before and one.origin not in before for one in spell.live
    )


def _end(spell: Spell, now: datetime) -> None:
    """What will be replaced on a day to come still holds until then; what says its own end, ends."""
    coming = spell.by is not None and spell.by.announced and spell.valid_to is not None and spell.valid_to > now
    if spell.fate == "superseded" and coming and spell.live:
        spell.fate, spell.reason = "current", ""
    ends = [one.claim.valid_to for one in spell.testimonies if one.claim.valid_to]
    if ends and spell.valid_to is None:
        spell.valid_to = max(ends)
