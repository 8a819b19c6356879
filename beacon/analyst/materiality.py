"""How much a change matters, 0-1, in parts that open: numbers, dates, negation, direction, names, modality, wording."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from beacon.analyst.canonical import canonical
from beacon.analyst.quantities import bare_numbers, date_set, find_dates, find_names, find_quantities, number_set
from beacon.analyst.similarity import TermWeights, word_terms
from beacon.analyst.style import STYLE
from beacon.analyst.substance import substance
from beacon.analyst.tokens import fold, spell_out, tokenize, without_links
from beacon.analyst.wording import direction, hedges, holds_still, modality, negation_count, obligations, qualifiers, states, weekdays

# What each kind of difference weighs before it is joined with the rest. A judgement of order, not fitted to any set.
NUMBERS, DATES, NEGATION, DIRECTION, NAMES, OBLIGATION, INTENT, HEDGE, WORDING = 0.6, 0.4, 0.5, 0.4, 0.3, 0.5, 0.2, 0.08, 0.35
STATE, SCOPE = 0.35, 0.3
SHORT_VALUE, LINKS, LENGTH, CENTRALITY, FOCUS = 0.5, 0.1, 0.05, 0.15, 0.3
PRESENCE = {"new": 0.3, "dropped": 0.22, "retracted": 0.4}
STAMP = 0.04  # a date that only says when its version was made
_SURE, _UNSURE = 0.75, 0.3  # likeness at which a pair is surely one statement reworded, and at which it is none
_LEAST_SURE = 0.25
_FEW_WORDS = 4  # telling words that narrow or widen a claim
_LEAST = 0.03  # a field whose value differs at all
_SHORT_VALUE_WORDS = 6
_UNITLESS = re.compile(r"-?[\d.]+(?:e[+-]?\d+)?")
_ACRONYM = re.compile(r"[A-Z]{3,6}")
_NO_NAME = re.compile(r"[TZ\d:.+-]+|(?:MUST|SHALL|SHOULD|MAY|NOT|REQUIRED|RECOMMENDED|OPTIONAL|CAN|CANNOT|\s)+")
_URL = re.compile(r"\b(?:https?://|www\.)\S+")


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two aligned statements; `parts` is empty when nothing of substance does."""

    parts: Mapping[str, float]
    reason: str


def join_parts(parts: Mapping[str, float]) -> float:
    """The noisy-or of the parts: 1 - Π(1 - part)."""
    rest = 1.0
    for name in sorted(parts):
        rest *= 1.0 - parts[name]
    return round(1.0 - rest, 4)


def confidence(likeness: float, old: str, new: str) -> float:
    """0-1: how surely two statements are one reworded, by how alike they are and how much either says."""
    alike = min(1.0, max(_LEAST_SURE, (likeness - _UNSURE) / (_SURE - _UNSURE)))
    return round(alike * (0.3 + 0.7 * min(substance(old), substance(new))), 4)


def scale_parts(parts: Mapping[str, float], factor: float) -> dict[str, float]:
    """The parts, each times `factor`: they still join to the whole."""
    return {name: round(value * factor, 4) for name, value in parts.items()}


def is_saving_mark(name: str, values: tuple[str, str]) -> bool:
    """True for the moment a text was saved, by its name: no reader's change."""
    words = set(tokenize(spell_out(name.rpartition("/")[2])))
    if _MAKER & set(tokenize(spell_out(name.replace("/", " ")))):
        return True
    return bool(words & _SAVED) and all(len(value.split()) <= 2 and any(char.isdigit() for char in value) for value in values)


def is_stamp(name: str, values: tuple[str, str], days: tuple[str, str]) -> bool:
    """True for a value that only says which version it stands in: the version's own date, its count, a checksum."""
    if all(day and value.strip().startswith(day) and len(value.split()) <= 2 for value, day in zip(values, days, strict=True)):
        return True
    if all(_OPAQUE.fullmatch(value.strip()) for value in values):
        return True
    words = set(tokenize(spell_out(name.rpartition("/")[2])))
    counted = bool(words & _COUNTER_NAMES) and all(value.strip().isdecimal() for value in values)
    return counted and int(values[1]) == int(values[0]) + 1


_OPAQUE = re.compile(
    r"(?=.*\d)(?:[0-9a-fA-F]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/_-]{22,}={0,2})"
)
_COUNTER_NAMES = frozenset("version revision number serial issue edition".split())
_MAKER = frozenset({"generator"})  # the program that wrote the file, and its own dates
_SAVED = frozenset("updated modified generated retrieved accessed fetched saved printed exported timestamp etag".split())


def difference(old: str, new: str, weights: TermWeights, *, whole_value: bool = False) -> Difference:
    """What differs in substance between two wordings; `whole_value` when both are values of one field."""
    parts: dict[str, float] = {}
    reasons: list[str] = []
    short = whole_value and max(len(old.split()), len(new.split())) <= _SHORT_VALUE_WORDS
    if _links(old) != _links(new):
        parts["links"] = LINKS
    old, new = without_links(old), without_links(new)
    plain = canonical(fold(old)), canonical(fold(new))
    _add_figures(old, new, plain, parts, reasons)
    if weekdays(old) != weekdays(new):
        parts["days"] = DATES
        reasons.append(f"{_listed(weekdays(old) - weekdays(new))} became {_listed(weekdays(new) - weekdays(old))}")
    share = _share_moved(*plain, weights)
    _turning_words(old, new, parts, reasons, 1.0 if whole_value else 1.0 - share)
    _add_names(old, new, parts, reasons)
    if not (short and parts):
        _add_wording(share, parts, reasons)
    if short and (parts or share):
        parts["value"] = SHORT_VALUE
        reasons.insert(0, f"{old.strip()} became {new.strip()}")
    elif parts.keys() == {"links"}:
        reasons.append("the links differ")
    elif whole_value and not parts and plain[0] != plain[1]:
        parts["wording"] = _LEAST
        reasons.append("the wording was touched up")
    return Difference(parts, reasons[0] if short and reasons else "; ".join(reasons[:2]))


def _links(text: str) -> list[str]:
    return sorted({link.rstrip(".,;)") for link in _URL.findall(text)})


def _add_figures(old: str, new: str, plain: tuple[str, str], parts: dict[str, float], reasons: list[str]) -> None:
    """`plain` are the canonical forms of both: a figure merely written otherwise does not differ."""
    for name, weight, find in (("numbers", NUMBERS, number_set), ("dates", DATES, date_set)):
        before, after = find(plain[0]), find(plain[1])
        if before != after and not (name == "numbers" and _same_amounts(*plain)):
            replaced = bool(before - after) and bool(after - before)
            parts[name] = weight if replaced else weight / 2
            reasons.append(_number_reason(old, new) if name == "numbers" else "the dates differ")


def _same_amounts(old: str, new: str) -> bool:
    """True when only a unit was left out, or a bare "one" came or went, which counts nothing."""
    differing = sorted(number_set(old) ^ number_set(new))
    if differing == ["1"] and not re.search(r"(?<!\d)1(?!\d)", old + new):
        return True
    bare = bare_numbers(old)
    return bool(bare) and bare == bare_numbers(new) and any(_UNITLESS.fullmatch(one) for one in differing)


def _turning_words(old: str, new: str, parts: dict[str, float], reasons: list[str], kept: float) -> None:
    """`kept` is the share of words that stayed: a negation in a sentence otherwise rewritten turns nothing around."""
    before, after = negation_count(old), negation_count(new)
    if (before % 2) != (after % 2):
        parts["negation"] = round(NEGATION * kept, 4)
        reasons.append("a negation was added" if after > before else "a negation was taken out")
    _add_direction(old, new, parts, reasons)
    _add_obligation(old, new, parts, reasons, kept)
    if states(old) != states(new):
        parts["state"] = round(STATE * kept, 4)
    if qualifiers(old) != qualifiers(new) or _only_added(old, new):
        parts["scope"] = round(SCOPE * kept, 4)
    if hedges(old) != hedges(new):
        parts["hedging"] = HEDGE


def _only_added(old: str, new: str) -> bool:
    """True when one wording is the other and a few telling words more: what it is said of got narrower or wider."""
    before, after = Counter(word_terms(old)), Counter(word_terms(new))
    more, less = after - before, before - after
    added = more or less
    return bool(more) != bool(less) and added.total() <= _FEW_WORDS and not set(added) <= STYLE


def _add_obligation(old: str, new: str, parts: dict[str, float], reasons: list[str], kept: float) -> None:
    before, after = modality(old), modality(new)
    if set(before) != set(after):
        strongest = max(before, default=0), max(after, default=0)
        parts["obligation"] = round(OBLIGATION * _STEP[strongest[0] != strongest[1], 4 in strongest, 0 in strongest] * max(kept, 0.5), 4)
        reasons.append(f"{_FORCE[strongest[0]]} became {_FORCE[strongest[1]]}" if strongest[0] != strongest[1] else _PUT)
    elif before != after or obligations(old) != obligations(new):
        parts["obligation"] = INTENT
        reasons.append(_PUT)


# (the strongest word differs, one side forbids, one side asks for nothing) → share of OBLIGATION
_STEP = {
    (True, True, False): 1.0, (True, True, True): 0.9, (True, False, False): 0.9, (True, False, True): 0.5,
    (False, True, False): 0.5, (False, False, False): 0.5,
}  # fmt: skip
_FORCE = {4: "forbidden", 3: "required", 2: "advised", 1: "allowed", 0: "stated"}
_PUT = "what will or may be done is put differently"


def _add_direction(old: str, new: str, parts: dict[str, float], reasons: list[str]) -> None:
    before, after = direction(old), direction(new)
    if abs(after - before) == 2:
        parts["direction"] = DIRECTION
        reasons.append("the direction turned")
    elif before and not after and holds_still(new) and not holds_still(old):
        parts["direction"] = DIRECTION
        reasons.append("what moved is held now")
    elif after and not before and holds_still(old) and not holds_still(new):
        parts["direction"] = DIRECTION
        reasons.append("what was held moves now")
    elif before != after:
        parts["direction"] = DIRECTION / 3


def _add_names(old: str, new: str, parts: dict[str, float], reasons: list[str]) -> None:
    gone, come = _names_missing(old, new), _names_missing(new, old)
    if gone or come:
        parts["names"] = NAMES if gone and come else NAMES / 2
        reasons.append(_name_reason(gone, come))


def _names_missing(text: str, other: str) -> list[str]:
    """Names of `text` that have a word the other text lacks, as written."""
    there = set(tokenize(other))
    dated = {word for _, _, words in find_dates(text) for word in tokenize(words)}
    names = [re.sub(r"['’]s$", "", surface) for _, _, surface in find_names(text)]
    missing = [name for name in names if not set(tokenize(name)) - dated <= there and not _NO_NAME.fullmatch(name)]
    return [name for name in missing if not _abbreviated(name, other)]


def _abbreviated(name: str, text: str) -> bool:
    """True when `text` has the initials of a name, or writes out the name its capitals stand for."""
    words = [word for word in re.split(r"[\s-]+", name) if word[:1].isupper()]
    initials = [(len(words) - at, "".join(word[0] for word in words[at:])) for at in range(len(words) - 2)]
    if any(count > 2 and re.search(rf"\b{re.escape(short)}\b", text) for count, short in initials):
        return True
    return bool(_ACRONYM.fullmatch(name)) and bool(re.search(r"\b" + r"\w+[\s-]+(?:of |and |the |for )?".join(name) + r"\w+", text))


def _name_reason(gone: list[str], come: list[str]) -> str:
    if gone and come:
        return f"{gone[0]} gave way to {come[0]}"
    return f"{come[0]} is named now" if come else f"{gone[0]} is no longer named"


def _number_reason(old: str, new: str) -> str:
    gone = [one.surface for one in find_quantities(old) if not number_set(one.surface) <= number_set(new)]
    come = [one.surface for one in find_quantities(new) if not number_set(one.surface) <= number_set(old)]
    if not gone or not come:
        return f"{come[0]} is given now" if come else f"{gone[0]} is no longer given" if gone else "the numbers differ"
    if len(gone) == len(come) <= 2:
        return f"{' and '.join(gone)} became {' and '.join(come)}"
    return "the numbers differ"


def _listed(words: Iterable[str]) -> str:
    return " and ".join(sorted(words)) or "nothing"


def _share_moved(old: str, new: str, weights: TermWeights) -> float:
    """The weighted share of words that only one of two wordings has; words of mere style count little."""
    before, after = set(word_terms(old)), set(word_terms(new))
    moved = (before ^ after) - (_NEGATIONS if negation_count(old) % 2 != negation_count(new) % 2 else frozenset())
    if not moved:
        return 0.0
    styled = moved & STYLE
    return (weights.weight(moved - styled) + _STYLED * weights.weight(styled)) / max(weights.weight(before | after), 1e-9)


_STYLED = 0.3  # of its weight, for a word that a plainer or a stiffer one can stand in for
_NEGATIONS = frozenset({"not", "no"})  # a part of their own weighs them


def _add_wording(share: float, parts: dict[str, float], reasons: list[str]) -> None:
    if not share:
        return
    parts["wording"] = round(max(_LEAST, WORDING * share), 4)
    if not reasons:
        reasons.append("reworded in substance" if share > 0.25 else "reworded")


def presence(kind: str, text: str, *, centrality: float) -> Mapping[str, float]:
    """The parts of a statement that came or went whole."""
    parts = {"presence": PRESENCE[kind], "centrality": round(CENTRALITY * centrality, 4), "length": length_part(text)}
    said = without_links(text)
    if find_quantities(said):
        parts["numbers"] = 0.2
    if date_set(said):
        parts["dates"] = 0.1
    if find_names(said):
        parts["names"] = 0.12
    return scale_parts(parts, 0.3 + 0.7 * substance(text))


def length_part(text: str) -> float:
    """Up to LENGTH for a statement of thirty words or more."""
    return round(LENGTH * min(1.0, len(tokenize(text)) / 30), 4)


def focus_part(text: str, focus: Iterable[Sequence[str]], weights: TermWeights) -> float:
    """Up to FOCUS by how much of one of the reader's questions, given as terms, the statement speaks of."""
    said = set(word_terms(spell_out(text)))
    shares = [weights.weight(set(wanted) & said) / max(weights.weight(set(wanted)), 1e-9) for wanted in focus]
    return round(FOCUS * max(shares, default=0.0), 4)
