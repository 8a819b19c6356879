"""What a simple statement says about what: subject, attribute, value. Empty where it cannot be told."""

import re
from dataclasses import dataclass

from beacon.analyst.quantities import Quantity, find_quantities
from beacon.analyst.tokens import STOP_WORDS, content_tokens, fold
from beacon.domain.change import Statement

_WORD = r"[^\W_][\w'’&/.+-]*"
_NP = rf"{_WORD}(?:\s+(?!(?:at|to|from|by|is|are|was|were|and|that|which|for|of|on)\b){_WORD}){{0,5}}"
_ADVERBIAL = re.compile(
    r"^(?:in|on|at|as of|by|since|from|during|for|after|before|today|yesterday|now|currently|however|meanwhile|this|last)\b[^,]{0,60},\s+",
    re.I,
)
_SET_AT = re.compile(
    rf"\b(?:the|its|their|a|an|his|her|our)\s+(?P<attribute>{_NP})\s+(?:for|of|on)\s+(?:the\s+|its\s+|their\s+)?(?P<subject>{_NP})\s+"
    r"(?:by\s+.{1,40}?\s+)?(?P<at>at|to|from)\s+(?=[-€$£¥\d])",
    re.I,
)
_LEVEL = (
    "is|are|was|were|remains?|remained|stands?|stood|stays?|stayed|reached|hit|totals?|totall?ed|costs?|equals?|averaged|has|have|had|=|:"
)
_MOVE = "rose|fell|grew|climbed|dropped|increased|decreased|declined|gained|lost|jumped|slipped|edged|moved|surged|plunged|"
_MOVE += "rises|falls|grows|drops|shrank"
_CLAUSE = re.compile(rf"^(?P<subject>.{{2,90}}?)\s*(?<![\w-])(?P<verb>{_LEVEL}|{_MOVE})(?![\w-])\s*(?P<rest>.+)$", re.I | re.S)
_MOVES = frozenset(_MOVE.split("|"))
_ARTICLE = re.compile(r"^(?:the|a|an|its|their|his|her|our|this|that|these|those)\s+", re.I)
_RANGE = re.compile(r"\s*(?:to|-|–|and)\s*$")
_STOP_AT = re.compile(r"[.;,](?:\s|$)|\s(?:and|but|while|because|which|who|that|although|since|when|after)\s", re.I)
_MAX_SUBJECT_WORDS = 8
_MAX_VALUE_WORDS = 6


@dataclass(frozen=True, slots=True)
class Typed:
    """A statement taken apart; `amount` is None where the value is words."""

    subject: str
    attribute: str
    value: str
    amount: float | None = None
    unit: str = ""


def type_statement(statement: Statement) -> Typed | None:
    """Subject, attribute and value of a field or a simple sentence; None where the sentence is not simple."""
    if statement.kind == "field":
        return type_field(statement)
    return type_sentence(statement.text)


def type_field(statement: Statement) -> Typed:
    """A field's path as subject and attribute, and its value without its label."""
    names = [part for part in statement.path if not part.isdigit()]
    attribute = names[-1] if names else ""
    return Typed("/".join(names[:-1]), attribute, field_value(statement))


def field_value(statement: Statement) -> str:
    """The value of a field statement: its text without a leading `label:`."""
    label, mark, value = statement.text.partition(":")
    names = {fold(part) for part in statement.path} | {fold(".".join(statement.path)), fold("/".join(statement.path))}
    if mark and _bare(label) in {_bare(name) for name in names}:
        return value.strip()
    return statement.text.strip()


def _bare(label: str) -> str:
    return re.sub(r"[\W_]", "", fold(label))


def type_sentence(text: str) -> Typed | None:
    """Subject, attribute and value of a simple sentence, else None."""
    plain = _ADVERBIAL.sub("", text.strip(), count=1)
    return _set_at(plain) or _clause(plain)


def _set_at(text: str) -> Typed | None:
    found = _SET_AT.search(text)
    if found is None:
        return None
    quantities = [one for one in find_quantities(text) if one.start >= found.end() - 1]
    if not quantities:
        return None
    value, amount, unit = _widest(text, quantities, goal=found["at"].lower() == "from")
    return Typed(_tidy(found["subject"]), _tidy(found["attribute"]), value, amount, unit)


def _widest(text: str, quantities: list[Quantity], *, goal: bool) -> tuple[str, float | None, str]:
    """The first quantity, with the end of its range; after `from`, the one it ends at."""
    first = quantities[0]
    joined = len(quantities) > 1 and _RANGE.match(text[first.end : quantities[1].start])
    if not joined:
        return first.surface, first.value, first.unit
    second = quantities[1]
    if goal:
        return second.surface, second.value, second.unit
    return text[first.start : second.end], None, second.unit


def _clause(text: str) -> Typed | None:
    found = _CLAUSE.match(text)
    if found is None:
        return None
    subject, verb, rest = _tidy(found["subject"]), found["verb"].lower(), found["rest"].strip()
    if not _is_subject(subject):
        return None
    quantities = find_quantities(rest)
    if quantities and quantities[0].start <= 60 and not _STOP_AT.search(rest[: quantities[0].start]):
        return _amount_clause(subject, verb, rest, quantities)
    if verb in ("has", "have", "had"):
        return None
    stop = _STOP_AT.search(rest)
    value = rest[: stop.start()] if stop else rest.rstrip(" .")
    if verb in _MOVES or not 1 <= len(value.split()) <= _MAX_VALUE_WORDS:
        return None
    subject, attribute = _split_subject(subject)
    return Typed(subject, attribute or "is", value)


def _amount_clause(subject: str, verb: str, rest: str, quantities: list[Quantity]) -> Typed:
    level = next((one for one in quantities if re.search(r"\b(?:to|at)\s*$", rest[: one.start])), None)
    chosen = level or quantities[0]
    value, amount, unit = _widest(rest, [one for one in quantities if one.start >= chosen.start], goal=False)
    moved = verb in _MOVES and level is None
    subject, attribute = _split_subject(subject)
    counted = re.match(rf"\s*({_WORD})", rest[chosen.end :])
    noun = counted.group(1).rstrip(".'’") if counted and not unit and counted.group(1).lower() not in STOP_WORDS else ""
    name = " ".join(part for part in (attribute or noun or unit, "change" if moved else "") if part) or "amount"
    return Typed(subject, name, f"{verb} {value}" if moved else value, amount, unit)


def _is_subject(subject: str) -> bool:
    words = subject.split()
    opener = words[0].lower() if words else ""
    if any(word.lower() in _CLAUSE_WORDS for word in words[1:]):
        return False
    return 0 < len(words) <= _MAX_SUBJECT_WORDS and "," not in subject and opener not in _NO_SUBJECT and bool(content_tokens(subject))


_CLAUSE_WORDS = frozenset("that which who whom because if when while whether although".split())
_NO_SUBJECT = frozenset(
    "it they we i you he she there this that these those which who what if when while as but and or so because how why".split()
)


def _split_subject(subject: str) -> tuple[str, str]:
    """`(subject, attribute)`: "price of the plan" and "the plan's price" name the same two."""
    attribute, mark, owner = subject.partition(" of ")
    if mark:
        return _tidy(owner), _tidy(attribute)
    owned = re.match(r"(.+?)['’]s\s+(.+)$", subject)
    return (_tidy(owned.group(1)), _tidy(owned.group(2))) if owned else (subject, "")


def _tidy(words: str) -> str:
    return _ARTICLE.sub("", words.strip(" \"'“”‘’*_")).strip()
