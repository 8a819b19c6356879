"""Names that begin with a number or hold a stroke: "2031 QX7", "4I/Quillon", "618 Quillona", "XSO/YEC 90210"."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from beacon.ingest.entity_candidates import SMALL, SPACE, Found, U, W
from beacon.ingest.entity_cues import NOUNS
from beacon.ingest.entity_words import GENERIC, LABELS, MONTHS, NUMBER_WORDS, ORGANIZATION_ENDS, PEOPLES, ROLES, SEASONS, STOP, WEEKDAYS

_DASH = "–—‐‑-"
_DIGIT = re.compile(r"\d")
_APART = rf"[{SPACE}]"
_STROKED = re.compile(
    rf"(?<![\w./{_DASH}])(?:[ACDPXI]/(?:1[5-9]|20)\d\d{_APART}[A-Z]{{1,2}}\d{{0,3}}|\d{{1,4}}[A-Z]/[{U}ʻ][{W}]+(?:[{_DASH}][{U}][{W}]+)*"
    rf"|[A-Z]{{2,6}}(?:/[A-Z]{{2,6}})+{_APART}\d{{3,}}(?:[-:.]\d+)*|[A-Z]{{2,6}}/\d(?:\.\d)?)(?![\w/])"
)
# The look behind stands after the first digit: a pattern that begins with a digit is searched for several times faster.
_DATED = re.compile(rf"([12](?<![\w./{_DASH}].)\d{{3}}){_APART}([A-Z]{{2}}\d{{1,3}})(?!\w)")
_ORDINAL = re.compile(rf"\d(?<![\w.].)\d{{0,2}}(?:st|nd|rd|th){_APART}([{U}][{SMALL}]+(?:{_APART}[{U}][{SMALL}]+){{0,3}})(?!\w)")
_NUMBERED = re.compile(rf"(\d(?<![\w.,$€£#/{_DASH}].)\d{{0,5}}){_APART}([{U}][{SMALL}]{{3,}})(?![\w{_DASH}])")
_BEFORE = re.compile(rf"([{SMALL}-]+){_APART}\(?$")
_SINGULAR = re.compile(r",? (?:is|was|has) |, (?:an?|the) |[’']s\b|\)")
_NO_NAME = STOP | MONTHS | WEEKDAYS | SEASONS | NUMBER_WORDS | PEOPLES | ROLES | LABELS | GENERIC
_CELESTIAL = frozenset("asteroid planet comet moon star asteroide flight route highway unit locomotive ship submarine".split())


@dataclass(frozen=True, slots=True)
class Designations:
    """Where designations stand, and the short forms they go by in the same document."""

    found: tuple[Found, ...]
    short_forms: dict[str, str]


def find_designations(masked: str, names: Iterable[str]) -> Designations:
    """The designations of a text. `names` are the single words that the text is known to use as names."""
    if not _DIGIT.search(masked):
        return Designations((), {})
    found = [_found(match) for match in _STROKED.finditer(masked)] if "/" in masked else []
    short_forms: dict[str, str] = {}
    for mention, short in (*_dated(masked), *_numbered(masked, frozenset(names))):
        found.append(mention)
        short_forms[short] = mention.name
    found += [_found(match) for match in _ORDINAL.finditer(masked) if match.group(1).split()[-1].lower() in ORGANIZATION_ENDS]
    return Designations(tuple(found), short_forms)


def _found(match: re.Match[str]) -> Found:
    return Found(match.start(), match.end(), " ".join(match.group().split()), "coded", None)


def _dated(masked: str) -> list[tuple[Found, str]]:
    """A year and a code, where the document knows the code with this one year only and mostly names the two together or the code alone."""
    years: dict[str, set[str]] = defaultdict(set)
    matches = list(_DATED.finditer(masked))
    for match in matches:
        years[match.group(2)].add(match.group(1))
    return [(_found(match), match.group(2)) for match in matches if len(years[match.group(2)]) == 1 and _stands_so(masked, match)]


def _stands_so(masked: str, match: re.Match[str]) -> bool:
    """Not a measure after a date ("in 2031 CO2 rose"): a determiner, a noun or the line's beginning leads to it, or it is repeated."""
    before = masked[max(0, match.start() - 12) : match.start()].split()
    return masked.count(match.group()) > 1 or not before or before[-1].lower() not in ("in", "since", "by", "until", "during")


def _numbered(masked: str, names: frozenset[str]) -> list[tuple[Found, str]]:
    """A number and a name, where they stand together again or the words around show one thing and no count."""
    matches = [match for match in _NUMBERED.finditer(masked) if match.group(2).lower() not in _NO_NAME]
    pairs = Counter((match.group(1), match.group(2)) for match in matches)
    numbers: dict[str, set[str]] = defaultdict(set)
    for number, name in pairs:
        numbers[name].add(number)
    return [
        (_found(match), match.group(2))
        for match in matches
        if len(numbers[match.group(2)]) == 1 and _is_one(masked, match, pairs[match.group(1), match.group(2)], names)
    ]


def _is_one(masked: str, match: re.Match[str], times: int, names: frozenset[str]) -> bool:
    number, name = match.groups()
    before = _BEFORE.search(masked, max(0, match.start() - 30), match.start())
    noun = before.group(1) if before else ""
    if noun in _CELESTIAL or (noun in NOUNS and NOUNS[noun] in ("place", "product") and len(number) > 1):
        return True
    single = name.removesuffix("s")
    counted = single != name and (single in names or single.lower() in _NO_NAME)
    if counted or name not in names or (len(number) == 4 and number[:2] in ("18", "19", "20")) or number.startswith("0"):
        return False
    return len(number) > 2 and (times > 1 or _SINGULAR.match(masked, match.end()) is not None)
