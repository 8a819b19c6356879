"""Facts: what they say about what, and how a newer one takes an older one's place."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from beacon.analyst.tokens import fold, tokenize
from beacon.analyst.typed import Typed, type_sentence
from beacon.domain.memory import Memory
from beacon.memory.changesets import Item, memory_item

_OWN = re.compile(r"^(?:(?:and|so|also|now|by the way),?\s+)*(?P<whose>my|our)\s+(?P<what>.+)$", re.I | re.S)
_FIRST_PERSON = re.compile(r"^(?:(?:and|so|also|now|by the way),?\s+)*(?:I|my|our|we|I['’]m|we['’]re)\b", re.I)
_ASIDE = re.compile(r"[,\s]+(?:now|today|currently|instead|at the moment|again|too|as well)(?=[.!…]*$)", re.I)
_PLURAL = re.compile(r"\b(?:are|were)\s*$", re.I)
_NAMED = re.compile(r"^(?:call me|i am called|i['’]m called|i go by)\s+(?P<value>\S.{0,60}?)[.!]?$", re.I)
# What one holder has one of at a time: only these, and amounts, are taken over by a newer value.
_SINGLE = frozenset(
    "name role title job position profession email address phone number age birthday employer company manager boss deadline budget "
    "price headquarters hq office language timezone location city country plan status owner lead ceo cto cfo founder provider vendor "
    "crm tool goal target date version stage size".split()
)
_SINGLE_MARK = frozenset("favourite favorite preferred main primary current default next".split())


def read_attribute(sentence: str, speaker: str) -> tuple[str, str, str]:
    """Subject, attribute and value of a fact that can only have one value at a time; three empty texts where that cannot be told.

    "My X is Y" speaks of the speaker, "our X is Y" of the company.
    """
    plain = _ASIDE.sub("", sentence.strip())
    if named := _NAMED.match(plain):
        return fold(speaker), "preferred name", named["value"].strip()
    own = _OWN.match(plain)
    typed = type_sentence(own["what"] if own else plain)
    if typed is None or not typed.value:
        return "", "", ""
    subject, attribute = _owned(typed, own["whose"], speaker) if own else (typed.subject, typed.attribute)
    if not _is_single(typed, attribute, plain):
        return "", "", ""
    return fold(subject), fold(attribute), typed.value.strip(" .!…")


def is_own_matter(sentence: str) -> bool:
    """Whether a sentence speaks of who says it, or of their company: no document says that in the same words."""
    return bool(_FIRST_PERSON.search(sentence.strip()) or _NAMED.match(sentence.strip()))


def _owned(typed: Typed, whose: str, speaker: str) -> tuple[str, str]:
    attribute = typed.subject if typed.attribute == "is" else f"{typed.subject} {typed.attribute}"
    return speaker if whose.lower() == "my" else "company", attribute


def _is_single(typed: Typed, attribute: str, plain: str) -> bool:
    if typed.amount is not None:
        return True
    before = plain[: plain.find(typed.value)] if typed.value in plain else ""
    words = tokenize(attribute)
    return bool(words) and not _PLURAL.search(before) and (words[-1] in _SINGLE or bool(_SINGLE_MARK & set(words)))


BELIEVED = ("current", "superseded", "contradicted")  # what is or was true; retracted and archived facts are not held to have been


def holds_at(memory: Memory, at: datetime) -> bool:
    """Whether what is remembered is true of the world at a moment, by what is believed."""
    begun = memory.valid_from is None or memory.valid_from <= at
    return memory.status in BELIEVED and begun and (memory.valid_to is None or at < memory.valid_to)


def has_ended(memory: Memory, now: datetime) -> bool:
    """Whether what is remembered was true until a day that has passed."""
    return memory.valid_to is not None and memory.valid_to <= now


def is_from(memory: Memory, source_ids: Collection[str]) -> bool:
    """Whether one of these sources says it."""
    return any(c.get("source_id") in source_ids for c in memory.citations)


def holds_now(memory: Memory, now: datetime) -> bool:
    """Whether it may be stated as it stands: current, begun unless merely dated later than the clock, not ended, not disputed."""
    return memory.status == "current" and holds_at(memory, now if memory.metadata.get("announced") else max(now, memory.valid_from or now))


def settle(new: Memory, current: Sequence[Memory], now: datetime) -> list[Item]:
    """The items that bring a fact in: of two values for one subject and attribute the later holds and the earlier is superseded.

    Two sources that give different values for the same moment contradict each other: both stay, each naming the other.
    """
    rivals = [m for m in current if new.subject and (m.subject, m.attribute) == (new.subject, new.attribute) and m.id != new.id]
    items: list[Item] = []
    for old in sorted(rivals, key=lambda m: m.id):
        if fold(old.value) == fold(new.value):
            continue
        began, begins = old.valid_from or old.recorded_at, new.valid_from or new.recorded_at
        if began == begins and _from_elsewhere(old, new):
            items.append(memory_item(old, _disputed(old, new)))
            new = _disputed(new, old, version=new.version)
        elif begins >= began:
            items.append(memory_item(old, replace(_over(old, new, begins, now), version=old.version + 1)))
        else:
            new = _over(new, old, began, now)
    return [*items, memory_item(None, new)]


def _over(old: Memory, by: Memory, at: datetime, now: datetime) -> Memory:
    told = {**old.metadata, "reason": "another value of the same took its place"}
    return replace(old, status="superseded", valid_to=at, retired_at=now, replaced_by=by.id, metadata=told)


def _from_elsewhere(old: Memory, new: Memory) -> bool:
    """Whether the two rest on different sources (not on what one person said twice)."""
    left, right = ({c.get("source_id", "") for c in m.citations} for m in (old, new))
    return "" not in left | right and left.isdisjoint(right)


def _disputed(memory: Memory, other: Memory, version: int | None = None) -> Memory:
    named = sorted({*memory.metadata.get("contradicts", []), other.id})
    return replace(memory, metadata={**memory.metadata, "contradicts": named}, version=memory.version + 1 if version is None else version)
