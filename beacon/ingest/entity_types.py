"""What kind of thing a name names, by general cues of form and context."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from beacon.domain.graph import EntityType
from beacon.ingest import entity_cues as cues
from beacon.ingest.entity_gazetteer import GAZETTEER, STATE_CODES, TERMS
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
    TAKES_PREPOSITION,
    WORK_CUES,
)

Cue = tuple[str, int]  # a type, or one of the two uses below; and how much it weighs
LOCATIVE = "locative"  # after "in", "from", "near": a place where most mentions are so
MODIFIER = "modifier"  # before another noun

_VERSIONED = re.compile(r".* (?:v?\d+(?:\.\d+)+|v\d+)$")
_NUMBERED = re.compile(r"(.*) \d{1,4}[a-z]?$")
_YEAR_END = re.compile(r".* (?:19|20)\d\d$")
_INITIAL = re.compile(r"[^\W\d_]\.(?:[^\W\d_]\.)*$")
_REFERENCE = re.compile(r"[A-Z]{3,}[-‐‑]\d{2,}(?:[-‐‑]\d+)*$|[A-Z]{2,}(?:/[A-Z]+)? \d+(?:[-:]\d+)+$|GHSA-|(?:ISO|RFC|IEC|IEEE|ISO/IEC) \d")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$")
_SURNAME = re.compile(r"(?:Mc|Mac|De|Di|Du|La|Le|Van|Von|Fitz|O['’])[A-Z][a-z]+$")
_NOT_ENDS = frozenset({"act", "law", "bill", "amendment", "rule"})  # a law that is named after a place stays a law
FIXED = 12  # weight of a form that hardly errs: a gazetteer's name, "… University"
_LIKELY = 6  # weight of a form that often is right: a given name first
_HEADED = 4  # weight of a last word that tells what the thing is: what the text says of it weighs more
_WINDOW = 48  # characters looked at before a name
_AFTER = 90  # and after it
_STOPS = frozenset(
    """within into as when while because than through around about before after during of in for that which
    who whose with at on to from by and or but based made designed used built founded created developed
    published released launched written directed produced owned located de du des en que qui der die das la le un una""".split()
)
_IS_A = re.compile(
    r"(?:,? (?:which )?(?:is|was|are|were|es|est|ist) (?:an?|the|one of the|una?|une?|eine?) (?:\d+ |[A-Z][a-z]+ )?"
    r"|(?:,|,? such as| \(| [—–-]) ?(?:(?:an?|the|one of the|una?|une?|eine?) )?)(?=[a-z])"
)
_BORN = re.compile(r",? (?:who|was born|died|married)\b| ?\((?:born |b\. )\d{4}")
_LIFE = re.compile(r" ?\(\d{4}|, \d\d,")
_WORK_BEFORE = re.compile(rf"\b(?:{'|'.join(sorted(WORK_CUES))}),? [\"“‘']?$", re.IGNORECASE)
_COUNTRY = re.compile(r", ([^\W\d_]\w+(?: [^\W\d_]\w+)?)")
_STATE = re.compile(r", ([A-Z]{2})\b")
_IN_LAND = re.compile(r"(?:,| in| \() ?([^\W\d_]\w+(?: [^\W\d_]\w+)?)")
_WORD_AFTER = re.compile(r" ([a-zà-ÿа-я][\w-]*)")
_LABEL_WORD = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+")
_OWNED = re.compile(r"[’']s? ([A-Za-z]+)")


def type_of_name(name: str, form: str) -> EntityType | None:
    """What the name alone shows, or None."""
    return _typed(name, form)[0]


def weight_of_name(name: str, form: str) -> int:
    """How much the type that the name alone shows weighs against its surroundings."""
    return _typed(name, form)[1]


@lru_cache(maxsize=65_536)
def _typed(name: str, form: str) -> tuple[EntityType | None, int]:
    words = name.split(" ")
    low = [word.lower().rstrip(".,") for word in words]
    whole = name.lower().rstrip(".")
    if _REFERENCE.match(name):
        return "concept", _LIKELY
    if whole in PLACES or (whole in GAZETTEER and form not in ("acronym", "coded")):
        return "place", FIXED
    if name.rstrip("s") in TERMS or (name.upper() in TERMS and form != "word"):
        return "concept", FIXED
    if form == "coded":
        return _of_code(name)
    if len(words) == 1:
        return _of_one_word(low[0], name, form)
    return _of_words(name, words, low)


def _of_code(name: str) -> tuple[EntityType | None, int]:
    """ "118th Congress" is as "Congress" is, "HTTP/2" as "HTTP"."""
    if name.partition("/")[0] in TERMS:
        return "concept", _LIKELY
    first, _, rest = name.partition(" ")
    return _typed(rest, "multi" if " " in rest else "word") if rest and _ORDINAL.match(first) else (None, 0)


def _of_words(name: str, words: list[str], low: list[str]) -> tuple[EntityType | None, int]:
    last = low[-1]
    if last in EVENT_ENDS or (_YEAR_END.match(name) and low[-2] in EVENT_ENDS) or low[0] == "battle":
        return "event", FIXED
    if last in _NOT_ENDS:
        return "concept", FIXED
    headed = any(word in ORGANIZATION_HEADS and after in ("of", "for", "on") for word, after in pairwise(low))
    headed = headed or (low[0] in TAKES_PREPOSITION and low[0] in GENERIC and low[1] in ("for", "on"))
    if headed or ((last in ORGANIZATION_ENDS or low[0] in ORGANIZATION_HEADS) and last not in cues.PRODUCT_ENDS):
        return "organization", FIXED
    if last in cues.PRODUCT_ENDS:
        return "product", _LIKELY
    if last in CONCEPT_ENDS:
        return "concept", _LIKELY
    if last in cues.WORK_ENDS:
        return "work", _LIKELY
    if last in PLACE_ENDS or low[0] in PLACE_HEADS or "route" in low or "highway" in low:
        return "place", FIXED
    if low[0] in PLACE_ENDS and low[1] in ("of", "de", "du", "del"):
        return "place", FIXED
    if is_person_like(name):
        return "person", _LIKELY
    if cues.NOUNS.get(last) == "person":
        return "concept", _LIKELY  # a post, such as "Senior Tide Engineer"
    if any(word in ORGANIZATION_MARKS for word in low[1:]):
        return "organization", _LIKELY
    if last not in cues.LOOSE and (kind := cues.NOUNS.get(last)) is not None:
        return kind, _HEADED
    return ("product", _LIKELY) if _VERSIONED.match(name) else (None, 0)


def _of_one_word(low: str, name: str, form: str) -> tuple[EntityType | None, int]:
    if low in FIRST_NAMES and form == "word":
        return "person", _LIKELY
    if low in ORGANIZATION_ENDS:
        return "organization", _LIKELY
    if form == "camel" and name.endswith("Con"):
        return "event", _LIKELY
    return ("product", 2) if form == "camel" and low[-1:].isdigit() and not _SURNAME.match(name) else (None, 0)


def type_by_use(name: str, form: str, uses: Mapping[str, int], mentions: int, small: Counter[str]) -> EntityType:
    """The likeliest type of a name that nothing around it tells, by its form and by how the document uses its words."""
    looked, located, modifies = uses.get("looked", 0), uses.get(LOCATIVE, 0), uses.get(MODIFIER, 0)
    if form in ("word", "multi") and looked > 2 and located * 3 > looked * 4 and not modifies:
        return "place"
    numbered = _NUMBERED.match(name)
    words = (numbered.group(1) if numbered else name).split(" ")
    if form in ("word", "multi") and _is_ordinary(words, small, mentions):
        return "concept"
    if "&" in words:
        return "organization"
    if any(_is_camel(word) for word in words) or (numbered and not _YEAR_END.match(name)) or (form == "coded" and name[0].isalpha()):
        return "product"
    return "concept" if words[-1] in TERMS or (form == "acronym" and modifies > looked > 2) else "other"


def _is_ordinary(words: list[str], small: Counter[str], mentions: int) -> bool:
    """Whether the words are words of the language: the document also writes them small, or they end as abstract nouns do."""
    content = [word.lower() for word in words if word[0].isalnum() and word.lower() not in STOP]
    common = (word.endswith(cues.CONCEPT_TAILS) or _times_small(word, small) * 2 >= mentions for word in content)
    return bool(content) and all(common) and not any(word in PLACES for word in content)


def _times_small(word: str, small: Counter[str]) -> int:
    single = word.removesuffix("s")
    return sum(small[form] for form in (single, f"{single}s", f"{word},", f"{word}."))


def _is_camel(word: str) -> bool:
    """Capitals inside ("QuilLon"), or digits among small letters ("A77neo"), as products are spelt and few people."""
    if len(word) > 3 and word.isalnum() and not word.isalpha() and any(c.islower() for c in word):
        return True
    inner = word[1:].rstrip("s")
    return any(c.isupper() for c in inner) and any(c.islower() for c in inner + word[:1]) and "-" not in word and not _SURNAME.match(word)


def is_person_like(name: str) -> bool:
    """Two to four plain words beginning with a given name or holding an initial ("Maria Santos", "J. Q. Adams")."""
    words = name.split(" ")
    given = words[0].lower().partition("-")[0] in FIRST_NAMES
    if words[0].lower().rstrip(".") in PLACES:
        return False
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


def cues_around(text: str, start: int, end: int, form: str) -> Iterator[Cue]:
    """What the words before and after a mention show of its type, each with its weight."""
    before = text[max(0, start - _WINDOW) : start]
    after = text[end : end + _AFTER]
    if before[-1:] in (" ", "\u00a0", "“", '"', "(") and "\n" not in before[-2:]:
        yield from _before(before, after, text[start:end], form)
    if after[:1] in "'’" and after:
        yield from _owned(after)
    elif after[:1] in " ,(—–-\u00a0" and after:
        yield from _after(after, text[start:end], form)
        if form in ("word", "multi") and before.endswith((" at ", "At ")) and (land := _IN_LAND.match(after)) and _is_land(land.group(1)):
            yield "place", 3


def _before(before: str, after: str, surface: str, form: str) -> Iterator[Cue]:
    if before[-1] in "“\"‘'" or before[-2:-1] == ",":
        if surface in STATE_CODES and before[-3:-2].islower():
            yield "place", FIXED
        if _WORK_BEFORE.search(before):
            yield "work", 6
        return
    if before[-2:] == ": ":
        if after.partition("\n")[0].strip(" *_.") == "":
            yield from _labelled(before)
        return
    words = before.split()[-2:]
    last = words[-1].lower() if words else ""
    previous = words[0].lower() if len(words) > 1 else ""
    if not last.isalpha():
        last = last.rpartition("-")[2].strip('(“"')
    kind = cues.NOUNS.get(last)
    if kind is not None and (kind != "person" or form in ("word", "multi")) and before[-1] != "(":
        if last not in cues.LOOSE or previous in ("the", "a", "an"):
            yield kind, 4
    elif last == "of":
        yield from _of(previous)
    elif last in cues.WHERE:
        yield from _where(last, previous)
    else:
        yield from _led(last, previous, surface, form)


def _labelled(before: str) -> Iterator[Cue]:
    """ "vendor: X", "homeCountry: X": the label's noun."""
    label = before.rpartition("\n")[2][:-2].strip(" *_-")
    for word in _LABEL_WORD.findall(label)[:3] if len(label) < 30 else ():
        if (kind := cues.NOUNS.get(word.lower())) is not None:
            yield kind, 4
            return


def _of(previous: str) -> Iterator[Cue]:
    if previous in cues.OF_PLACE:
        yield "place", 4
    elif previous in cues.OF_ORGANIZATION:
        yield "organization", 4
    elif previous in cues.OF_PRODUCT:
        yield "product", 2
    elif previous in cues.OF_WORK:
        yield "work", 2


def _where(last: str, previous: str) -> Iterator[Cue]:
    if last == "in" and previous in cues.IN_PRODUCT:
        yield "product", 3
    elif last == "in" and previous in cues.IN_PLACE:
        yield "place", 4
    else:
        yield LOCATIVE, 2


def _led(last: str, previous: str, surface: str, form: str) -> Iterator[Cue]:
    if last in ("at", "for") and previous in cues.AT_PEOPLE:
        yield "organization", 4
    elif last in cues.NAMED and (kind := cues.NOUNS.get(previous)) is not None:
        yield kind, 4
    elif last == "to" and previous in cues.TO_PLACE:
        yield "place", 2
    elif last in cues.STARRING and _is_plain(surface):
        yield "person", 4
    elif last in cues.USING or (last == "to" and previous in cues.TO_PRODUCT):
        yield "product", 2
    elif last == "joined":
        yield "organization", 2
    elif _is_plain(surface) and (
        last in cues.SAYING or (last == "by" and previous in ("written", "directed", "composed", "painted", "created", "named"))
    ):
        yield "person", 4


def _owned(after: str) -> Iterator[Cue]:
    match = _OWNED.match(after)
    noun = match.group(1).lower() if match else ""
    if noun in cues.STAFF:
        yield "organization", 4
    elif noun in cues.KIN:
        yield "person", 4
    elif noun in cues.LAND:
        yield "place", 2


def _after(after: str, surface: str, form: str) -> Iterator[Cue]:
    if form in ("word", "multi") and (_BORN.match(after) or (_LIFE.match(after) and _is_plain(surface))):
        yield "person", 5
        return
    if form == "word" and (state := _STATE.match(after)) and state.group(1) in STATE_CODES:
        yield "place", 8
    word = match.group(1).lower() if (match := _WORD_AFTER.match(after)) else ""
    if word:
        yield from _followed(word, surface, form)
    elif form in ("word", "multi") and (place := _COUNTRY.match(after)) and _is_land(place.group(1)):
        yield "place", 2
    if (is_a := _IS_A.match(after)) and (kind := _head(after[is_a.end() :])) is not None:
        yield kind, 6


def _is_land(name: str) -> bool:
    return name.lower() in PLACES or name.lower().partition(" ")[0] in PLACES


def _followed(word: str, surface: str, form: str) -> Iterator[Cue]:
    """Cues of the small word that comes next."""
    kind = cues.NOUNS.get(word)
    if word in cues.SAYING and _is_plain(surface):
        yield "person", 4
    elif word in cues.ANNOUNCING:
        if form != "word" and not _is_plain(surface):
            yield "organization", 4
        elif form == "word" and word not in cues.SAYING:
            yield "organization", 2
    elif word in cues.STAFF:
        yield "organization", 2
    elif kind == "person":
        yield "organization", 1
    elif kind is not None and word not in cues.LOOSE:
        yield kind, 2
    elif word not in STOP and not word.endswith(("ed", "ly")):
        yield MODIFIER, 2


def _head(phrase: str) -> EntityType | None:
    """The type of a noun phrase's head: the last word before it is qualified."""
    head = ""
    for word in phrase.split(" ", 8)[:8]:
        bare = word.rstrip(".,;:)—\n")
        low = bare.partition("\n")[0].lower()
        if low in _STOPS or not low or (head and low.endswith("ed")):
            break
        head = low
        if bare != word or "\n" in word:
            break
    return cues.NOUNS.get(head) or cues.NOUNS.get(head.removesuffix("s"))


@lru_cache(maxsize=16_384)
def _is_plain(name: str) -> bool:
    """Two or three words as people's names are written."""
    words = name.split(" ")
    return 2 <= len(words) <= 3 and all(word[:1].isupper() and word[1:].islower() and word.lower() not in STOP for word in words)
