"""Short forms a text defines for itself: "Federal Trade Commission (FTC)", "FTC (Federal Trade Commission)", "Acme Works Ltd (“Acme”)"."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from beacon.ingest.entity_candidates import SEQUENCE, U, W, split_sequence
from beacon.ingest.entity_words import CAPITALS, PLACES

_DEFINED = re.compile(rf"[ \u00a0]?\(\s*(?:the |or )?[\"“”‘']?([{U}0-9][{W}&.\-/]{{1,11}})[\"“”’']?\s*[);,]")
_SPELT_OUT = re.compile(rf"\b([{U}][{U}&]{{1,9}}) \(([^()\n]{{5,90}})\)")
_BREAK = re.compile(r"[.!?;:()\n\"“”]\s")
_WORD = re.compile(rf"[{W}](?:[{W}'’&-]*[{W}])?")
_SMALL = frozenset({"of", "the", "and", "for", "in", "on", "to", "a", "an", "de", "la", "des", "du", "et", "y", "e", "und", "der", "&"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form, and where its long form stands."""

    short: str
    start: int
    end: int
    long: str


def find_definitions(masked: str) -> list[Definition]:
    """Every definition in the text, by offset."""
    if "(" not in masked:
        return []
    return [*_long_then_short(masked), *_short_then_long(masked)]


def _long_then_short(masked: str) -> Iterator[Definition]:
    for match in _DEFINED.finditer(masked):
        short = match.group(1).rstrip(".,")
        capitals = sum(c.isupper() for c in short)
        if short in CAPITALS:
            continue
        begin = max(0, match.start() - 120)
        for stop in _BREAK.finditer(masked, begin, match.start()):
            begin = stop.end()
        long = _spelled(short, masked, begin, match.start()) if capitals > 1 else _shortened(short, masked, begin, match.start())
        if long:
            yield Definition(_singular(short), long[0], long[1], masked[long[0] : long[1]])


def _short_then_long(masked: str) -> Iterator[Definition]:
    for match in _SPELT_OUT.finditer(masked):
        words = list(_WORD.finditer(match.group(2)))
        letters = "".join(word.group()[0] for word in words if word.group().lower() not in _SMALL).upper()
        if letters == match.group(1).replace("&", "") and len(words) > 1:
            start = match.start(2) + words[0].start()
            end = match.start(2) + words[-1].end()
            yield Definition(match.group(1), start, end, masked[start:end])


def _singular(short: str) -> str:
    return short[:-1] if short.endswith("s") and short[:-1].isupper() and len(short) > 2 else short


def _spelled(short: str, masked: str, begin: int, end: int) -> tuple[int, int] | None:
    """Where the long form stands: first letters of words, shortest first, then letters inside words (after Schwartz and Hearst, 2003)."""
    letters = [c.lower() for c in _singular(short) if c.isalnum()]
    words = list(_WORD.finditer(masked, begin, end))[-min(len(letters) + 5, len(letters) * 2) :]
    if len(letters) < 2 or len(words) < 2 or masked[words[-1].end() : end].strip():
        return None
    for first in range(len(words) - 1, -1, -1):
        taken = words[first:]
        starts = [word.group()[0].lower() for word in taken]
        big = [c for c, word in zip(starts, taken, strict=True) if word.group().lower() not in _SMALL]
        if letters in (starts, big) and len(taken) > 1 and taken[0].group().lower() not in _SMALL:
            return taken[0].start(), taken[-1].end()
    return _inside(letters, words)


def _inside(letters: list[str], words: list[re.Match[str]]) -> tuple[int, int] | None:
    """Long forms whose letters also stand inside words ("Extensible Markup Language (XML)"), only where all words are capitalised."""
    taken: list[re.Match[str]] = []
    for word in reversed(words):
        if not (word.group()[0].isupper() or word.group().lower() in _SMALL):
            break
        taken.insert(0, word)
    while taken and taken[0].group().lower() in _SMALL:
        taken = taken[1:]
    for first in range(len(taken) - 1):
        rest = taken[first:]
        joined = " ".join(word.group().lower() for word in rest)
        starts = {word.group()[0].lower() for word in rest}
        if joined[0] == letters[0] and _subsequence(letters, joined) and sum(letter in starts for letter in letters) * 2 > len(letters):
            return rest[0].start(), rest[-1].end()
    return None


def _subsequence(letters: list[str], text: str) -> bool:
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _shortened(short: str, masked: str, begin: int, end: int) -> tuple[int, int] | None:
    """The capitalised sequence just before, where `short` is one of its words."""
    last = None
    for match in SEQUENCE.finditer(masked, begin, end):
        last = match
    if last is None or masked[last.end() : end].strip(" ,.\u00a0"):
        return None
    pieces = split_sequence(last.group())
    if not pieces or pieces[-1].form != "multi" or not _is_part(short, pieces[-1].name.split(" ")):
        return None
    return last.start() + pieces[-1].start, last.start() + pieces[-1].end


def _is_part(short: str, words: list[str]) -> bool:
    """One of the words, or the first of them cut short ("Fed" of "Federal …")."""
    return short in words or (len(short) > 2 and len(words[0]) > len(short) + 1 and words[0].startswith(short))


def infer_short_forms(names: Iterable[str]) -> dict[str, str]:
    """Acronym → full name, for the acronyms that are the initials of exactly one of the other names; nothing else is said of them."""
    listed = sorted(set(names))
    short = {name for name in listed if 3 <= len(name) <= 8 and name.isalpha() and name.isupper() and name not in CAPITALS}
    if not short:
        return {}
    spelled: dict[str, set[str]] = {}
    for name in listed:
        for initials in _initials(name):
            if initials in short:
                spelled.setdefault(initials, set()).add(name)
    return {key: full.pop() for key, full in sorted(spelled.items()) if len(full) == 1}


@lru_cache(maxsize=65_536)
def _initials(name: str) -> frozenset[str]:
    words = re.split(r"[ \-‐‑]", name)
    if len(words) < 3 or not all(words):
        return frozenset()
    main = [word for word in words if word.lower() not in _SMALL]
    if not all(word[0].isupper() for word in main):
        return frozenset()
    return frozenset({"".join(word[0] for word in words).upper(), "".join(word[0] for word in main).upper()})


@lru_cache(maxsize=65_536)
def is_short_form(short: str, full: str) -> bool:
    """Whether `short` can stand for `full` anywhere in a project: by its letters, or as a designation's own part."""
    if re.fullmatch(rf"\d+ {re.escape(short)}", full):
        return True
    if sum(c.isupper() for c in short) < 2 or " " in short or len(short) > 12 or short in CAPITALS or short.lower().rstrip(".") in PLACES:
        return False
    words = list(_WORD.finditer(full))
    letters = [c.lower() for c in _singular(short) if c.isalnum()]
    return len(words) > 1 and len(letters) > 1 and (_singular(short) in _initials(full) or _spelled(short, full, 0, len(full)) is not None)
