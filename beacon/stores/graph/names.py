"""How well a text fits an entity's names."""

import unicodedata
from collections.abc import Sequence

_PLAIN = str.maketrans({**dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-"), 0x2018: "'", 0x2019: "'", 0x00AD: None})
EXACT, BEGINNING, WORD, INSIDE = 1.0, 0.8, 0.7, 0.5
CLOSENESS = 0.1  # added in proportion to how much of the name the text covers
ALIAS_LOSS = 0.05
MIN_INSIDE = 3  # letters: shorter texts stand inside too many words to say anything
FIRST_UNSPACED = "\u0e00"  # from here on many scripts part no words, and one sign says much


def normal(text: str) -> str:
    """The text as names are compared: NFKC, casefolded, one kind of dash and apostrophe, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold().split())


def name_score(wanted: str, name: str, aliases: Sequence[str]) -> float:
    """How well `wanted` (already normal) fits the best of the names, 0 to 1; 0 is not at all."""
    return max([_score(wanted, normal(name)), *(_score(wanted, normal(alias)) - ALIAS_LOSS for alias in aliases), 0.0])


def name_match(wanted: str, name: str, aliases: Sequence[str]) -> tuple[str, str]:
    """(the name or alias that fits best, how: exact, beginning, word or inside); empty when none fits."""
    given = [(_score(wanted, normal(name)), 0, name), *((_score(wanted, normal(a)) - ALIAS_LOSS, n, a) for n, a in enumerate(aliases, 1))]
    score, place, best = max(given, key=lambda one: (one[0], -one[1]))
    if score <= 0:
        return "", ""
    fit = score + (ALIAS_LOSS if place else 0.0)
    return best, next(how for least, how in ((EXACT, "exact"), (BEGINNING, "beginning"), (WORD, "word"), (0.0, "inside")) if fit >= least)


def _score(wanted: str, name: str) -> float:
    if not wanted or wanted not in name:
        return 0.0
    if wanted == name:
        return EXACT
    closeness = CLOSENESS * len(wanted) / len(name)
    if name.startswith(wanted):
        return BEGINNING + closeness
    if any(not name[at - 1].isalnum() for at in _places(wanted, name)):
        return WORD + closeness
    if len(wanted) >= MIN_INSIDE or wanted[0] >= FIRST_UNSPACED:
        return INSIDE + closeness
    return 0.0


def _places(wanted: str, name: str) -> list[int]:
    """Where `wanted` begins inside `name`, its first letter aside."""
    found, at = [], name.find(wanted, 1)
    while at > 0:
        found.append(at)
        at = name.find(wanted, at + 1)
    return found
