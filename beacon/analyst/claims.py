"""What a text claims: of a point (a subject, its attribute, and all that narrows it) a value, from when, and as fact or plan.

A point is the set of words that say *of what* a value is. Only claims of one point are ever set against each other: a word more, a
region, an edition, a period makes another point. What cannot be read so is no claim and retires nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from beacon.analyst.claim_forms import Form, read_form
from beacon.analyst.claim_times import Times, read_times
from beacon.analyst.claim_values import Value, read_value
from beacon.analyst.statements import extract_statements
from beacon.analyst.tokens import content_tokens, fold, stem, tokenize
from beacon.analyst.typed import field_value
from beacon.domain.change import Statement
from beacon.domain.source import Block

MAX_POINT = 12  # words of a point: more is a story
MAX_TAIL = 10  # words after a value that can still narrow it
MAX_SENTENCE = 60  # words: a longer sentence says too much at once
MAX_FIELD = 160  # characters of a field's value that is no prose

_PLAN = re.compile(
    r"\b(?i:expect(?:s|ed|ing)?|forecasts?|forecasted|projects to|projected|predict(?:s|ed)?|plans? to|planned|planning to|"
    r"propos(?:es|ed|al)|targets?(?! (?:range|rate|audience|group|market))|targeted|goals?|aims? to|intends?|hopes to|"
    r"consider(?:s|ed|ing)|could|might|would|likely|outlook|guidance)\b|\bmay\b(?!\s+\d)"
)
_WILL = re.compile(r"\b(?:will|shall|is to|are to|is set to|are set to)\b", re.I)
_HEARSAY = re.compile(
    r"^(?:according to|as reported by|as stated by|per|quoting|citing)\s[^,]{2,80},\s+|"
    r"^[^,.]{2,60}?\b(?:said|says|reported|reports|announced|wrote|writes|claimed|claims)\s+that\s+",
    re.I,
)
_CORRECTS = re.compile(
    r"^\W*(?:correction|corrected|erratum|errata|corrigendum)\b|\b(?:was|is|has been) corrected\b|\bmisstated\b|\bcorrected from\b|"
    r"\bearlier version\b.{0,60}\b(?:said|stated|gave|misstated|wrong)\b",
    re.I,
)
_TELLS_ERROR = re.compile(r"^\W*(?:correction|erratum|errata|corrigendum|corrected)\b", re.I)
_ASKS = re.compile(r"[?？؟]\s*[\"'”’)]*$")
_OPENER = re.compile(
    r"^(?:and|but|so|also|now|today|currently|however|meanwhile|still|in addition|in total|overall|note that|please note)\b,?\s+", re.I
)
_LEAD = re.compile(r"^[^:.;,]{2,40}:\s+(?=[a-z])")  # "Good news: the …"
_RELATIVE = re.compile(
    r",?\s+\b(?:today|yesterday|recently|now|already|so far|at present|at the moment|currently|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:earlier )?(?:this|last|past) (?:week|month|year|quarter|spring|summer|autumn|fall|winter))\b",
    re.I,
)
_TURNED = re.compile(r"\b(?:no longer|now|instead of|used to be|previously|formerly|any ?more)\b", re.I)
_PER = re.compile(r"(?:/|\b(?:per|a|an|each|every)\s+)(second|minute|hour|day|week|month|quarter|year|seat|user|person|head)\b", re.I)
_OFTEN = {"monthly": "month", "yearly": "year", "annually": "year", "daily": "day", "weekly": "week", "hourly": "hour"}
_STOP_AT = re.compile(r"[.;,!](?:\s|$)|[(—]|\s(?:and|but|while|because|which|who|that|although|since|when|after|than|compared|not)\s", re.I)
_SAYS_NOTHING = frozenset(
    stem(word)
    for word in "current currently new now present today latest number amount level figure value target forecast expected projected "
    "planned proposed total stand analyst company's".split()
) - {"total"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: `text` is the slice `[start, end)` of its version, `point` what it is of, `value` what it says."""

    start: int
    end: int
    text: str
    point: str
    subject: str
    attribute: str
    value: Value
    shown: str
    plan: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    about: str = ""  # a day or period the value is of: claims about one day disagree whenever they were written
    changed: bool = False  # it says itself that it replaces another value
    second_hand: bool = False  # it tells what another source said


@dataclass(frozen=True, slots=True)
class Claims:
    """What a text claims, and whether it says of itself that it corrects an error."""

    claims: tuple[Claim, ...]
    corrects: bool = False


def read_claims(text: str, blocks: Sequence[Block] = (), *, title: str = "", said: datetime | None = None, records: bool = True) -> Claims:
    """The claims of a text in order. `title` is the subject of labels and fields that name none; `said` is when it was written.

    Without `records`, fields and table cells are left out.
    """
    statements = [one for one in extract_statements(text, blocks) if records or one.kind != "field"]
    found: list[Claim] = []
    corrects = False
    for statement in statements:
        corrects = corrects or (bool(_CORRECTS.search(statement.text)) and len(statement.text) < 400)
        found += read_statement(statement, title=title, said=said)
    found += _of_tables(text, blocks, title) if records else ()
    once = {(claim.start, claim.point): claim for claim in sorted(found, key=lambda one: (one.start, one.end, one.point))}
    return Claims(tuple(once.values()), corrects)


def read_statement(statement: Statement, *, title: str = "", said: datetime | None = None) -> list[Claim]:
    """The claims of one statement: at most one, but for a table row, which is read with its table."""
    if statement.kind == "field":
        claim = _of_field(statement, title)
    elif statement.kind == "table_row":
        claim = None
    else:
        claim = _of_sentence(statement, title, said)
    return [] if claim is None else [claim]


def _of_sentence(statement: Statement, title: str, said: datetime | None) -> Claim | None:
    whole = " ".join(statement.text.split())
    if _ASKS.search(whole) or len(whole.split()) > MAX_SENTENCE or _TELLS_ERROR.match(whole):
        return None
    hearsay = _HEARSAY.match(whole)
    plain = _RELATIVE.sub("", _LEAD.sub("", whole[hearsay.end() :] if hearsay else whole))
    times = read_times(_OPENER.sub("", plain), said)
    form = read_form(_OPENER.sub("", times.rest).rstrip(" .!"))
    if form is None or (statement.kind == "turn" and form.kind in ("duty", "does")):
        return None
    if form.label:
        place = statement.path[-1] if statement.path else title
        form = replace(form, words=f"{place} {form.words}", subject=form.subject or place)
    plan = _is_plan(form, times, plain)
    point = _point(form, times, plan)
    if not point:
        return None
    return Claim(
        statement.start, statement.end, statement.text, point, form.subject, _named(form, times), form.value, form.shown, plan,
        times.valid_from, times.valid_to, _about(times, said), form.changed or bool(_TURNED.search(whole)), bool(hearsay),
    )  # fmt: skip


def _is_plan(form: Form, times: Times, plain: str) -> bool:
    if form.force:
        return False
    told = plain[: len(plain) - len(form.tail)] if form.tail else plain
    told = told[told.rfind(",", 0, max(0, told.find(form.subject))) + 1 :]  # an opener tells of something else
    if _PLAN.search(told):
        return True
    return bool(_WILL.search(plain)) and times.valid_from is None


def _about(times: Times, said: datetime | None) -> str:
    """The day a value is of; a day still to come is when it starts, not what it is about."""
    if times.period:
        return times.period
    ahead = said is not None and times.valid_from is not None and times.valid_from > said
    return "" if ahead else times.about


def _named(form: Form, times: Times) -> str:
    plain = form.attribute if form.attribute != form.subject else "is" if form.value.kind == "words" else "level"
    return f"{plain}, {times.named}" if times.named else plain


def _point(form: Form, times: Times, plan: bool) -> str:
    words = _words(form.words) | _scope(form.tail)
    if not words or len(words) > MAX_POINT or not any(len(word) > 1 or not word.isascii() for word in words):
        return ""
    marks = (["plan"] if plan else []) + ([times.period] if times.period else [])
    return "|".join([" ".join(sorted(words)), form.kind, *marks])


def _words(text: str) -> set[str]:
    terms = {term for term in content_tokens(_PLAN.sub(" ", text)) if any(char.isalnum() for char in term)}
    kept = terms - _SAYS_NOTHING
    return {_SAME_WORD.get(term, term) for term in kept}


_SAME_WORD = {
    stem(word): stem(other) for word, other in (("cost", "price"), ("costs", "price"), ("headcount", "employees"), ("staff", "employees"))
}


def _scope(tail: str) -> set[str]:
    """What stands after a value and narrows it; a tail that runs on is cut at the end of its clause."""
    stop = _STOP_AT.search(tail)
    near = tail[: stop.start()] if stop else tail
    for often, unit in _OFTEN.items():
        near = re.sub(rf"\b{often}\b", f"per {unit}", near, flags=re.I)
    rates = {f"per {found.lower()}" for found in _PER.findall(near)}
    words = _words(_PER.sub(" ", near)) if content_words(_PER.sub(" ", near)) else set()
    return rates | (words if len(words) <= MAX_TAIL else {"…"})


def content_words(text: str) -> bool:
    """Whether a text holds more than stop words and signs."""
    from beacon.analyst.tokens import is_stop_word

    return any(not is_stop_word(token) and any(char.isalnum() for char in token) for token in tokenize(text))


# Fields and tables: what they are of is told by where they stand


def _of_field(statement: Statement, title: str) -> Claim | None:
    path = [part for part in statement.path if not part.isdigit()]
    if not path or statement.path[-1].isdigit() or any(part.isdigit() for part in statement.path):
        return None  # one of several
    shown = field_value(statement).strip()
    value = _cell(shown)
    if value is None:
        return None
    subject = " ".join([title, *path[:-1]]).strip()
    point = f"{' '.join(sorted(_words(f'{subject} {path[-1]}')))}|field {'/'.join(fold(part) for part in path)}"
    return Claim(statement.start, statement.end, statement.text, point, subject, path[-1], value, shown)


_MEASURED = re.compile(r"[^\W\d_]{0,3}[\s$€£¥~<>≤≥+-]*\d")


def _cell(shown: str) -> Value | None:
    if not shown or len(shown) > MAX_FIELD:
        return None
    read = read_value(shown) if _MEASURED.match(shown) else None
    if read and not content_words(read[2]):
        return read[0]
    return Value(" ".join(tokenize(shown)), "words") if tokenize(shown) else None


def _of_tables(text: str, blocks: Sequence[Block], title: str) -> Iterator[Claim]:
    head: list[str] = []
    for block in blocks:
        row = text[block.start : block.end]
        if str(block.kind) == "table_head":
            head = _cells(row)
        elif block.kind != "table_row":
            head = []
        elif len(head) > 1 and len(cells := _cells(row)) == len(head) and cells[0]:
            place = block.path[-1] if block.path else title
            for name, shown in zip(head[1:], cells[1:], strict=True):
                value = _cell(shown)
                if value is not None and name and content_words(cells[0]):
                    words = " ".join(sorted(_words(f"{place} {cells[0]} {name}")))
                    point = f"{words}|cell {fold(cells[0])}/{fold(name)}"
                    yield Claim(block.start, block.end, row, point, cells[0], name, value, shown)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("| ").split("|")] if "|" in row else []
