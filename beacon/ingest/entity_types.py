"""What kind of thing a name names, by general cues of form and context."""

import re
from functools import lru_cache
from itertools import pairwise

from beacon.domain.graph import EntityType
from beacon.ingest.entity_words import (
    CONCEPT_ENDS,
    EVENT_ENDS,
    FIRST_NAMES,
    GENERIC,
    LABELS,
    ORGANIZATION_ENDS,
    ORGANIZATION_HEADS,
    ORGANIZATION_MARKS,
    PLACE_ENDS,
    PLACE_HEADS,
    PLACES,
    STOP,
    WORK_CUES,
)

_VERSIONED = re.compile(r".*\b(?:v?\d+(?:\.\d+)+|v\d+|\d{1,3}[a-z]?)$")
_YEAR_END = re.compile(r".* (?:19|20)\d\d$")
_INITIAL = re.compile(r"[^\W\d_]\.(?:[^\W\d_]\.)*$")
_SAYS = "said|says|told|asked|asks|wrote|writes|argued|argues|added|explained|explains|replied|testified|recalled|thinks|joked|laughed"
_IS_A = r",? (?:is|was) an? (?:[\w-]+ ){0,4}"
_PERSON_AFTER = re.compile(
    r"(?:[’']s (?:wife|husband|son|daughter|father|mother|career|childhood)"
    rf"|,? (?:{_SAYS}|was born|who|died|married)\b| ?\((?:born |b\. )?\d{{4}}|, \d\d,)"
)
_PERSON_BEFORE = re.compile(
    rf"\b(?:{_SAYS}|actor|actress|singer|author|writer|director|directed by|written by|founder|engineer|wife|husband|named|called|born"
    r"|interview with|thanks,|hi|hey)[ ,]$",
    re.IGNORECASE,
)
_PLACE_BEFORE = re.compile(
    r"\b(?:(?:born|located|based|lived?|lives|living|situated|held|headquartered) in|(?:city|town|capital|north|south|east|west) of"
    r"|moved to|near) $"
)
_WORK_BEFORE = re.compile(rf"\b(?:{'|'.join(sorted(WORK_CUES))}),? [\"“‘']?$", re.IGNORECASE)
_WORK_AFTER = re.compile(rf"[\"”’']?{_IS_A}(?:film|movie|novel|book|album|song|single|series|show|play|video game|poem)\b")
_ORGANIZATION_AFTER = re.compile(rf"{_IS_A}(?:company|organization|agency|band|club|university|bank|team|party)\b")
_PLACE_AFTER = re.compile(rf"{_IS_A}(?:city|town|village|river|county|island|country|municipality|lake|mountain)\b")
_PERSON_IS = re.compile(
    rf"{_IS_A}(?:actor|actress|singer|politician|writer|player|footballer|director|author|composer|engineer|scientist|musician)\b"
)
_PERSON_CLAUSE = re.compile(r",? (?:who|was born)\b")


@lru_cache(maxsize=65_536)
def type_of_name(name: str, form: str) -> EntityType | None:
    """What the name alone shows, or None."""
    if form == "coded":
        return "other"
    words = name.split(" ")
    low = [word.lower().rstrip(".,") for word in words]
    if name.lower().rstrip(".") in PLACES:
        return "place"
    if len(words) == 1:
        return _of_one_word(low[0], form)
    if low[-1] in EVENT_ENDS or (_YEAR_END.match(name) and low[-2] in EVENT_ENDS) or low[0] == "battle":
        return "event"
    headed = any(word in ORGANIZATION_HEADS and after == "of" for word, after in pairwise(low))
    if low[-1] in ORGANIZATION_ENDS or low[0] in ORGANIZATION_HEADS or headed:
        return "organization"
    if low[-1] in PLACE_ENDS or low[0] in PLACE_HEADS or "route" in low or "highway" in low:
        return "place"
    if low[-1] in CONCEPT_ENDS:
        return "concept"
    if is_person_like(name):
        return "person"
    if "&" in words or any(word in ORGANIZATION_MARKS for word in low[1:]):
        return "organization"
    return "product" if _VERSIONED.match(name) and not _YEAR_END.match(name) else None


def _of_one_word(low: str, form: str) -> EntityType | None:
    if low in FIRST_NAMES and form == "word":
        return "person"
    return "organization" if low in ORGANIZATION_ENDS else "product" if form == "camel" and low[-1:].isdigit() else None


def is_person_like(name: str) -> bool:
    """Two to four plain words beginning with a given name or holding an initial ("Maria Santos", "J. Q. Adams")."""
    words = name.split(" ")
    given = words[0].lower().partition("-")[0] in FIRST_NAMES
    if not given and "." not in name:
        return False
    if not 2 <= len(words) <= 4 or words[-1].lower() in GENERIC or words[-1].lower() in LABELS:
        return False
    plain = all(
        word[0].isupper() and not word[1:].isupper() and not any(c.isdigit() for c in word) for word in words if not _INITIAL.match(word)
    )
    joined = {"de", "del", "van", "von", "der", "den", "la", "di", "da", "bin", "al"}
    plain = plain or all(word[0].isupper() or word in joined for word in words)
    if not plain or any(word.isupper() and len(word) > 2 and "." not in word for word in words):
        return False
    return given or (any(_INITIAL.match(word) for word in words[:-1]) and not _INITIAL.match(words[-1]))


def type_in_context(text: str, start: int, end: int, form: str) -> EntityType | None:
    """What the words around a mention show, or None."""
    before, after = text[max(0, start - 30) : start], text[end : end + 60]
    if _WORK_BEFORE.search(before) or _WORK_AFTER.match(after):
        return "work"
    if _PERSON_IS.match(after):
        return "person"
    if _ORGANIZATION_AFTER.match(after):
        return "organization"
    if _PLACE_AFTER.match(after) or _PLACE_BEFORE.search(before):
        return "place"
    if form == "multi" and (_PERSON_AFTER.match(after) or _PERSON_BEFORE.search(before)):
        name = text[start:end].split(" ")
        return (
            "person"
            if 2 <= len(name) <= 3 and all(word[0].isupper() and word[1:].islower() and word.lower() not in STOP for word in name)
            else None
        )
    return "person" if form == "word" and _PERSON_CLAUSE.match(after) else None
