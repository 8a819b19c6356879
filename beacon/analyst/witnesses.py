"""Which sources bear each other out, and which disagree: only independent ones count."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import combinations, product

from beacon.analyst.claim_values import relate
from beacon.analyst.claims import Claim, read_statement
from beacon.analyst.quantities import date_set, number_set
from beacon.analyst.similarity import Profile, TermWeights, build_profile, build_weights, containment, likeness, shingles, word_terms
from beacon.analyst.statements import statement_key
from beacon.analyst.typed import Typed, type_statement
from beacon.analyst.wording import negation_count
from beacon.domain.change import Statement

DERIVED = 0.6  # share of the shorter text's five-word runs from which it is taken for a copy
CONFIRMS = 0.9  # likeness from which two statements say the same
_ALIKE = 0.55  # likeness two typed statements need to speak of the same case
_SAME_BUT = 0.85  # likeness two untyped statements need to differ in one point only
SAME_TIME_DAYS = 45
_MOVING_DAYS = 1  # the same for what one publication has given another value before
_ROUNDED = 0.1  # relative difference that "about" covers
_RARE = 3  # the rarest terms of a statement by which a like one is looked for
_CROWD = 40_000  # pairs of statements of two sources with one rare term in common: then it is rare in neither
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|approx|roughly|nearly|almost|more than|over|at least|up to|close to|estimated|less than|under)\b",
    re.I,
)
_NUMBERS = re.compile(r"#[#.,/ -]*")
_FORECAST = re.compile(r"\b(?:project\w*|forecast\w*|expect\w*|predict\w*|median|target\w*|goal|by 20\d\d)\b", re.I)


@dataclass(frozen=True, slots=True)
class SourceStatements:
    """What one source says now; `at` is its version's date, `text` its whole text where copies should be noticed."""

    source_id: str
    statements: Sequence[Statement]
    at: datetime | None = None
    text: str = ""
    derived_from: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements of two independent sources; a disagreement names the point they differ in."""

    left: Statement
    left_source: str
    right: Statement
    right_source: str
    similarity: float
    subject: str = ""
    attribute: str = ""
    left_value: str = ""
    right_value: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    source: SourceStatements
    statement: Statement
    key: str
    profile: Profile
    typed: Typed | None
    forecasts: bool
    dates: frozenset[str]


def is_derived(text: str, other: str) -> bool:
    """True when the shorter of two texts is mostly a copy of the other: five-word runs contained to 0.6."""
    return containment(shingles(text), shingles(other)) >= DERIVED


def find_confirmations(sources: Sequence[SourceStatements]) -> list[Pair]:
    """Statements that an independent source says too, ordered by source and place; each statement once per other source."""
    entries, weights = _entries(sources)
    found: dict[tuple[str, int, str], Pair] = {}
    for left, right in _like_pairs(entries, weights, sources):
        score = 1.0 if left.key == right.key else likeness(left.profile, right.profile, weights)
        if score < CONFIRMS or not _same_sense(left, right) or len(left.profile.vector) < 3:
            continue
        place = (left.source.source_id, left.statement.start, right.source.source_id)
        if place not in found or found[place].similarity < score:
            found[place] = _pair(left, right, score)
    return [found[place] for place in sorted(found)]


def find_disagreements(sources: Sequence[SourceStatements], histories: Sequence[Sequence[SourceStatements]] = ()) -> list[Pair]:
    """Statements of independent sources about the same subject, attribute and time that cannot both hold.

    `histories` holds the issues of each series: a point to which one series gave another value from issue to issue moves with
    time, so that sources of different days do not disagree on it.
    """
    if len(sources) < 2:
        return []
    entries, weights = _entries(sources)
    found = [
        (pair, left, right)
        for left, right in _like_pairs(entries, weights, sources)
        if (pair := _disagree(left, right, weights)) is not None
    ]
    apart = {point for _, left, right in found if _days_apart(left, right) > _MOVING_DAYS for point in _points(left.statement, left.typed)}
    moving = _moving(histories, apart)
    pairs = [
        pair
        for pair, left, right in found
        if _days_apart(left, right) <= _MOVING_DAYS
        or not moving & {*_points(left.statement, left.typed), *_points(right.statement, right.typed)}
    ]
    return sorted(pairs, key=lambda one: (-one.similarity, one.left_source, one.left.start, one.right_source, one.right.start))


def _days_apart(left: _Entry, right: _Entry) -> int:
    if left.source.at is None or right.source.at is None:
        return 0
    return abs((left.source.at - right.source.at).days)


def _points(statement: Statement, typed: Typed | None) -> list[str]:
    """What a statement gives a value to: its typed subject and attribute, and its words without their numbers."""
    words = "".join("#" if char.isdigit() else char for char in statement_key(statement.text))
    names = [f"words {_NUMBERS.sub('#', words)}"]
    if typed is not None:
        names.append(f"point {statement_key(typed.subject)} {statement_key(typed.attribute)}")
    return names


def _moving(histories: Sequence[Sequence[SourceStatements]], wanted: set[str]) -> set[str]:
    """The points among `wanted` to which the issues of one series gave different values."""
    moving: set[str] = set()
    for issues in histories if wanted else ():
        values: dict[str, set[frozenset[str]]] = defaultdict(set)
        for issue in issues:
            for statement in issue.statements:
                amounts = number_set(statement.text)
                if amounts:
                    for point in wanted.intersection(_points(statement, type_statement(statement))):
                        values[point].add(amounts)
        moving |= {point for point, given in values.items() if len(given) > 1}
    return moving


def _entries(sources: Sequence[SourceStatements]) -> tuple[list[_Entry], TermWeights]:
    ordered = sorted(sources, key=lambda one: one.source_id)
    terms = [[word_terms(statement.text) for statement in source.statements] for source in ordered]
    weights = build_weights(one for mine in terms for one in mine)
    entries = [
        _entry(source, statement, build_profile(words, weights))
        for source, mine in zip(ordered, terms, strict=True)
        for statement, words in zip(source.statements, mine, strict=True)
        if statement.kind != "field"
    ]
    return entries, weights


def _entry(source: SourceStatements, statement: Statement, profile: Profile) -> _Entry:
    text = statement.text
    return _Entry(
        source, statement, statement_key(text), profile, type_statement(statement), bool(_FORECAST.search(text)), frozenset(date_set(text))
    )


def _like_pairs(entries: list[_Entry], weights: TermWeights, sources: Sequence[SourceStatements]) -> Iterator[tuple[_Entry, _Entry]]:
    if len(sources) < 2:
        return
    dependent = _dependent(sources)
    shelves: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, entry in enumerate(entries):
        for name in _shelves(entry, weights):
            shelves[name][entry.source.source_id].append(index)
    seen: set[tuple[int, int]] = set()
    for by_source in shelves.values():
        for left, right in combinations(by_source, 2):
            if frozenset((left, right)) not in dependent and len(by_source[left]) * len(by_source[right]) <= _CROWD:
                seen.update(product(by_source[left], by_source[right]))
    for i, j in sorted((min(pair), max(pair)) for pair in seen):
        yield entries[i], entries[j]


def _shelves(entry: _Entry, weights: TermWeights) -> list[str]:
    rare = sorted(entry.profile.vector, key=lambda term: (-weights.idf.get(term, weights.default), term))[:_RARE]
    names = [f"term {term}" for term in rare]
    if entry.typed:
        names.append(f"subject {statement_key(entry.typed.subject)} {statement_key(entry.typed.attribute)}")
    return [*names, f"key {entry.key}"]


def _dependent(sources: Sequence[SourceStatements]) -> set[frozenset[str]]:
    """Pairs of sources of which one is a copy of the other, declared or found."""
    runs = {one.source_id: shingles(one.text) for one in sources if one.text}
    pairs = set()
    for left, right in combinations(sorted(sources, key=lambda one: one.source_id), 2):
        declared = left.derived_from == right.source_id or right.derived_from == left.source_id
        kin = bool(left.derived_from) and left.derived_from == right.derived_from
        copied = containment(runs.get(left.source_id, frozenset()), runs.get(right.source_id, frozenset())) >= DERIVED
        if declared or kin or copied:
            pairs.add(frozenset((left.source_id, right.source_id)))
    return pairs


def _same_sense(left: _Entry, right: _Entry) -> bool:
    mine, other = left.statement.text, right.statement.text
    return (
        number_set(mine) == number_set(other)
        and date_set(mine) == date_set(other)
        and negation_count(mine) % 2 == negation_count(other) % 2
    )


def _disagree(left: _Entry, right: _Entry, weights: TermWeights) -> Pair | None:
    if not _same_time(left, right) or left.key == right.key:
        return None
    score = likeness(left.profile, right.profile, weights)
    claims = _claim(left.statement.text), _claim(right.statement.text)
    if claims[0] is not None and claims[1] is not None:
        return _claims_clash(left, right, claims[0], claims[1], score)
    if _comparable(left, right):
        clash = score >= _ALIKE and _values_clash(left, right)
        return _pair(left, right, score, "the same point, another value") if clash else None
    if score < _SAME_BUT or len(left.profile.vector) < 3:
        return None
    mine, other = number_set(left.statement.text), number_set(right.statement.text)
    if len(mine - other) == len(other - mine) == 1 and not _is_rounded(left.statement.text, right.statement.text):
        return _pair(left, right, score, "the same words, another number")
    turned = negation_count(left.statement.text) % 2 != negation_count(right.statement.text) % 2
    return _pair(left, right, score, "one denies what the other says") if turned and mine == other else None


@lru_cache(maxsize=16384)
def _claim(text: str) -> Claim | None:
    """What a sentence claims, where it gives one thing one value."""
    found = read_statement(Statement(0, len(text), text))
    return found[0] if found else None


def _claims_clash(left: _Entry, right: _Entry, mine: Claim, other: Claim, score: float) -> Pair | None:
    """Claims of different points (another region, edition, period, a plan) never clash; those of one do where both cannot hold."""
    if mine.point != other.point or relate(mine.value, other.value) != "conflict":
        return None
    pair = _pair(left, right, score, "the same point, another value")
    named = (mine.subject, mine.attribute, mine.shown, other.shown)
    return replace(pair, subject=named[0], attribute=named[1], left_value=named[2], right_value=named[3])


def _same_time(left: _Entry, right: _Entry) -> bool:
    mine, other = left.dates, right.dates
    if (mine != other and mine and other) or left.forecasts != right.forecasts:
        return False
    if left.source.at is None or right.source.at is None or (mine and mine == other):
        return True
    return abs((left.source.at - right.source.at).days) <= SAME_TIME_DAYS


def _typed_alike(left: _Entry, right: _Entry) -> bool:
    if left.typed is None or right.typed is None:
        return False
    same_subject = statement_key(left.typed.subject) == statement_key(right.typed.subject)
    return same_subject and statement_key(left.typed.attribute) == statement_key(right.typed.attribute)


def _comparable(left: _Entry, right: _Entry) -> bool:
    if not _typed_alike(left, right) or left.typed is None or right.typed is None:
        return False
    return left.typed.unit == right.typed.unit and bool(number_set(left.typed.value) and number_set(right.typed.value))


def _values_clash(left: _Entry, right: _Entry) -> bool:
    assert left.typed is not None and right.typed is not None
    mine, other = left.typed, right.typed
    if mine.amount is None or other.amount is None:
        return number_set(mine.value).isdisjoint(number_set(other.value))
    return mine.amount != other.amount and not _is_close(mine, other, left.statement.text + " " + right.statement.text)


def _is_close(mine: Typed, other: Typed, texts: str) -> bool:
    assert mine.amount is not None and other.amount is not None
    apart = abs(mine.amount - other.amount) / max(abs(mine.amount), abs(other.amount))
    return _rounds_to(mine, other) or _rounds_to(other, mine) or (apart <= _ROUNDED and bool(_ABOUT.search(texts)))


def _rounds_to(fine: Typed, coarse: Typed) -> bool:
    """True when the coarser number is the finer one rounded to its own decimals."""
    assert fine.amount is not None and coarse.amount is not None
    decimals = len(coarse.value.rpartition(".")[2].split()[0].rstrip("%")) if "." in coarse.value else 0
    return decimals > 0 and round(fine.amount, decimals) == coarse.amount


def _is_rounded(left: str, right: str) -> bool:
    return bool(_ABOUT.search(left)) or bool(_ABOUT.search(right))


def _pair(left: _Entry, right: _Entry, score: float, reason: str = "") -> Pair:
    subject, attribute, mine, other = "", "", "", ""
    if _typed_alike(left, right) and left.typed and right.typed:
        subject, attribute, mine, other = left.typed.subject, left.typed.attribute, left.typed.value, right.typed.value
    return Pair(
        left.statement,
        left.source.source_id,
        right.statement,
        right.source.source_id,
        round(score, 4),
        subject,
        attribute,
        mine,
        other,
        reason,
    )
