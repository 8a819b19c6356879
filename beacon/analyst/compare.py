"""What changed between two versions of a source, or two issues of a series, statement by statement."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from beacon.analyst.asking import question_terms
from beacon.analyst.materiality import (
    CENTRALITY,
    STAMP,
    Difference,
    confidence,
    difference,
    focus_part,
    join_parts,
    length_part,
    presence,
    scale_parts,
)
from beacon.analyst.quantities import find_quantities, number_set
from beacon.analyst.similarity import Profile, TermWeights, Vector, build_profile, build_weights, cosine, likeness, word_terms
from beacon.analyst.statements import statement_key
from beacon.analyst.substance import substance
from beacon.analyst.tokens import tokenize
from beacon.analyst.typed import Typed, field_value, type_field, type_statement
from beacon.analyst.wording import direction, negation_count
from beacon.domain.change import ChangeKind, Statement, StatementChange

ALIGNED = 0.38  # likeness from which two statements of one text, edited here and there, are one reworded
_ALIGNED_REWRITTEN = 0.52  # the same where little of the text stayed: likeness by chance is more common there
_STABLE = 0.3  # share of statements kept from which a text counts as edited, not rewritten
_NEIGHBOUR = 0.06  # what standing between the same unchanged neighbours adds
_HEADER = 0.25  # what the same first cell of a table row adds
_OPENING = 0.12  # what opening with the same telling word adds, for its weight
_CERTAIN = 0.75  # likeness that even a fragment may be aligned at
_FRAGMENT = 3  # fewer content terms than this say too little to be aligned loosely
_STRETCH = 30  # characters: numbers further apart are no one value
_FILLER = 0.3  # how much more likeness two statements need of which one says nothing
_FULL = 0.75  # substance from which a statement needs no more
_SPOKEN = 0.06  # the same for turns of talk
_PARAGRAPH = 12  # words from which a field is prose, whose rewriting tells less sharply than another value
_REWRITTEN = 0.75
_OWN_TIME = 0.4  # of a date's weight where each issue of a series has its own
_WHOLE = 0.5  # of the reader's focus, for a statement that came or went whole
_MAX_POSTINGS = 400  # a term in more statements than this proposes no pairs


@dataclass(frozen=True, slots=True)
class _Side:
    """The statements of one side with what alignment needs of them."""

    statements: Sequence[Statement]
    keys: Sequence[str]
    profiles: Sequence[Profile]


@dataclass(frozen=True, slots=True)
class _Reading:
    """Two sides read against each other."""

    old: _Side
    new: _Side
    weights: TermWeights
    centroid: Vector
    focus: tuple[tuple[str, ...], ...]  # the reader's questions, as terms
    aligned: float  # the likeness two statements need here
    days: tuple[str, str]  # ISO dates of the two sides, empty where unknown
    moving: bool  # issues of a series: each speaks of its own time


def compare_versions(
    old: Sequence[Statement],
    new: Sequence[Statement],
    *,
    mode: Literal["version", "series"],
    focus: str = "",
    days: tuple[str, str] = ("", ""),
) -> list[StatementChange]:
    """The changes from `old` to `new`, most material first; `focus` (titles or questions, one a line) raises what speaks of one.

    `days` are the ISO dates of the two sides: a field that merely carries them is a stamp and of no weight. In mode "version" a statement
    that is gone was retracted; in mode "series" the next issue merely dropped it.
    """
    reading = _read(old, new, focus, days, moving=mode == "series")
    left, right = _without_equals(reading)
    pairs = _align_fields(reading, left, right)
    left, right = _rest(left, right, pairs)
    pairs |= _align_prose(reading, left, right)
    left, right = _rest(left, right, pairs)
    changes = [change for i, j in sorted(pairs.items()) if (change := _changed(reading, i, j)) is not None]
    gone: ChangeKind = "retracted" if mode == "version" else "dropped"
    changes += [_came_or_went(reading, gone, reading.old.statements[i]) for i in left if not _is_said(reading, reading.old, i, reading.new)]
    changes += [
        _came_or_went(reading, "new", reading.new.statements[j]) for j in right if not _is_said(reading, reading.new, j, reading.old)
    ]
    return sorted(changes, key=_order)


def _order(change: StatementChange) -> tuple[float, int, int]:
    side = change.new or change.old
    assert side is not None
    return (-change.materiality, side.start, 0 if change.new else 1)


def _read(old: Sequence[Statement], new: Sequence[Statement], focus: str, days: tuple[str, str], *, moving: bool) -> _Reading:
    terms = [[word_terms(_body(statement)) for statement in side] for side in (old, new)]
    everything = [*terms[0], *terms[1]]
    weights = build_weights(everything)
    sides = [
        _Side(side, [_key(statement) for statement in side], [build_profile(one, weights) for one in mine])
        for side, mine in zip((old, new), terms, strict=True)
    ]
    centroid = weights.vector(term for one in everything for term in one)
    return _Reading(
        sides[0],
        sides[1],
        weights,
        centroid,
        tuple(question_terms(line) for line in focus.splitlines() if line.strip()),
        _needed(*sides),
        days,
        moving,
    )


def _needed(old: _Side, new: _Side) -> float:
    kept = (Counter(old.keys) & Counter(new.keys)).total()
    share = kept / max(1, min(len(old.keys), len(new.keys)))
    return _ALIGNED_REWRITTEN - (_ALIGNED_REWRITTEN - ALIGNED) * min(1.0, share / _STABLE)


def _body(statement: Statement) -> str:
    return field_value(statement) if statement.kind == "field" else statement.text


def _key(statement: Statement) -> str:
    key = statement_key(_body(statement))
    return f"{_path(statement)}={key}" if statement.kind == "field" else key


def _path(statement: Statement) -> str:
    return "/".join(part for part in statement.path if not part.isdigit())


def _without_equals(reading: _Reading) -> tuple[list[int], list[int]]:
    """Indices of what has no equal on the other side, wherever it stands there."""
    spare = Counter(reading.old.keys) & Counter(reading.new.keys)
    return _unmatched(reading.old.keys, Counter(spare)), _unmatched(reading.new.keys, Counter(spare))


def _unmatched(keys: Sequence[str], spare: Counter[str]) -> list[int]:
    left = []
    for index, key in enumerate(keys):
        if spare[key] > 0:
            spare[key] -= 1
        elif key:
            left.append(index)
    return left


def _rest(left: list[int], right: list[int], pairs: Mapping[int, int]) -> tuple[list[int], list[int]]:
    taken = set(pairs.values())
    return [i for i in left if i not in pairs], [j for j in right if j not in taken]


def _align_fields(reading: _Reading, left: list[int], right: list[int]) -> dict[int, int]:
    waiting: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for j in right:
        if reading.new.statements[j].kind == "field":
            waiting[_field_place(reading.new.statements[j])].append(j)
    pairs = {}
    for i in left:
        statement = reading.old.statements[i]
        if statement.kind == "field" and waiting[_field_place(statement)]:
            pairs[i] = waiting[_field_place(statement)].pop(0)
    return pairs


def _field_place(statement: Statement) -> tuple[str, ...]:
    return tuple(part for part in statement.path if not part.isdigit())


def _align_prose(reading: _Reading, left: list[int], right: list[int]) -> dict[int, int]:
    scored = [(score, i, j) for i, j in _candidates(reading, left, right) if (score := _alignment(reading, i, j)) >= _enough(reading, i, j)]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in sorted(scored, key=lambda one: (-one[0], one[1], one[2])):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs


def _enough(reading: _Reading, i: int, j: int) -> float:
    """The likeness these two need: more where either says little, for filler is like any filler."""
    says = min(substance(reading.old.statements[i].text), substance(reading.new.statements[j].text))
    spoken = "turn" in (reading.old.statements[i].kind, reading.new.statements[j].kind)
    return reading.aligned + _FILLER * max(0.0, _FULL - says) / _FULL + (_SPOKEN if spoken else 0.0)


def _candidates(reading: _Reading, left: list[int], right: list[int]) -> list[tuple[int, int]]:
    postings: dict[str, list[int]] = defaultdict(list)
    for j in right:
        if reading.new.statements[j].kind != "field":
            for term in reading.new.profiles[j].vector:
                postings[term].append(j)
    found: set[tuple[int, int]] = set()
    for i in left:
        if reading.old.statements[i].kind != "field":
            found.update((i, j) for term in reading.old.profiles[i].vector for j in postings.get(term, ())[:_MAX_POSTINGS])
    return sorted(found)


def _alignment(reading: _Reading, i: int, j: int) -> float:
    old, new = reading.old.statements[i], reading.new.statements[j]
    if (old.kind == "table_row") != (new.kind == "table_row"):
        return 0.0
    score = likeness(reading.old.profiles[i], reading.new.profiles[j], reading.weights)
    if old.kind == "table_row":
        same = statement_key(_first_cell(old.text)) == statement_key(_first_cell(new.text))
        return score + _HEADER if same else score - _HEADER
    if min(len(reading.old.profiles[i].vector), len(reading.new.profiles[j].vector)) < _FRAGMENT:
        return score if score >= _CERTAIN and _same_words(old.text, new.text) else 0.0
    return (
        score
        + _same_opening(reading, i, j)
        + _NEIGHBOUR * _same_neighbours(reading, i, j)
        + (0.02 if number_set(old.text) == number_set(new.text) else 0.0)
    )


def _same_words(left: str, right: str) -> bool:
    mine, other = set(tokenize(left)), set(tokenize(right))
    return len(mine & other) >= 0.5 * len(mine | other)


def _same_opening(reading: _Reading, i: int, j: int) -> float:
    mine, other = reading.old.profiles[i].terms, reading.new.profiles[j].terms
    if mine[:1] != other[:1]:
        return 0.0
    return _OPENING * reading.weights.idf.get(mine[0], 0.0) / reading.weights.default


def _first_cell(row: str) -> str:
    for mark in ("|", "\t", ";", ","):
        if mark in row.strip("| \t"):
            return row.strip("| \t").split(mark, 1)[0]
    return row


def _same_neighbours(reading: _Reading, i: int, j: int) -> int:
    old, new = reading.old.keys, reading.new.keys
    before = (old[i - 1] if i else "") == (new[j - 1] if j else "")
    after = (old[i + 1] if i + 1 < len(old) else "") == (new[j + 1] if j + 1 < len(new) else "")
    return int(before) + int(after)


def _changed(reading: _Reading, i: int, j: int) -> StatementChange | None:
    old, new = reading.old.statements[i], reading.new.statements[j]
    found = difference(_body(old), _body(new), reading.weights, whole_value=old.kind == "field")
    if not found.parts:
        return None
    score = min(1.0, likeness(reading.old.profiles[i], reading.new.profiles[j], reading.weights))
    parts = _weighed(reading, old, new, found, score)
    subject, attribute, before, after = _typed_pair(old, new)
    return StatementChange("changed", old, new, round(score, 4), subject, attribute, before, after, join_parts(parts), parts, found.reason)


def _weighed(reading: _Reading, old: Statement, new: Statement, found: Difference, score: float) -> dict[str, float]:
    """The parts of a difference by how sure the pair is; a stamp weighs next to nothing."""
    if new.kind == "field":
        parts = dict(found.parts) | _standing(reading, new)
        rewritten = min(len(_body(old).split()), len(_body(new).split())) > _PARAGRAPH
        return {"stamp": STAMP} if _is_stamp(reading, old, new) else scale_parts(parts, _REWRITTEN if rewritten else 1.0)
    if new.kind == "table_row":
        return dict(found.parts) | _standing(reading, new)
    parts = dict(found.parts)
    if reading.moving and "dates" in parts:
        parts["dates"] *= _OWN_TIME
    return scale_parts(parts | _standing(reading, new), confidence(score, old.text, new.text))


def _is_stamp(reading: _Reading, old: Statement, new: Statement) -> bool:
    """True when each side of a field carries the date of its own version and nothing else."""
    return all(
        day and field_value(side).strip().startswith(day) and len(field_value(side).split()) <= 2
        for side, day in zip((old, new), reading.days, strict=True)
    )


def _standing(reading: _Reading, statement: Statement) -> dict[str, float]:
    parts = {"centrality": round(CENTRALITY * _centrality(reading, statement), 4), "length": length_part(statement.text)}
    if reading.focus:
        parts["focus"] = focus_part(_body(statement), reading.focus, reading.weights)
    return parts


def _centrality(reading: _Reading, statement: Statement) -> float:
    return cosine(reading.weights.vector(word_terms(_body(statement))), reading.centroid)


def _typed_pair(old: Statement, new: Statement) -> tuple[str, str, str, str]:
    if new.kind == "field":
        typed = type_field(new)
        return typed.subject, typed.attribute, field_value(old), typed.value
    before, after = type_statement(old), type_statement(new)
    if before and after and _same_but_value(before, after):
        return after.subject, after.attribute, before.value, after.value
    gone, come = _own_numbers(old.text, new.text), _own_numbers(new.text, old.text)
    return ("", "", gone, come) if gone and come else ("", "", "", "")


def _same_but_value(before: Typed, after: Typed) -> bool:
    return _same(before.subject, after.subject) and _same(before.attribute, after.attribute) and not _same(before.value, after.value)


def _same(left: str, right: str) -> bool:
    return statement_key(left) == statement_key(right)


def _own_numbers(text: str, other: str) -> str:
    """The stretch with the numbers the other text lacks, when they stand together."""
    there = number_set(other)
    missing = [one for one in find_quantities(text) if not number_set(one.surface) <= there]
    stretch = text[missing[0].start : missing[-1].end] if missing else ""
    return stretch if len(stretch) <= _STRETCH else ""


def _came_or_went(reading: _Reading, kind: ChangeKind, statement: Statement) -> StatementChange:
    parts = dict(presence(kind, _body(statement), centrality=_centrality(reading, statement)))
    if reading.focus:
        parts["focus"] = round(_WHOLE * focus_part(_body(statement), reading.focus, reading.weights), 4)
    typed = type_statement(statement)
    change = StatementChange(kind, None, statement, 0.0, materiality=join_parts(parts), parts=parts, reason=_REASONS[kind])
    if kind != "new":
        change = replace(change, old=statement, new=None)
    if typed is None:
        return change
    gone, come = ("", typed.value) if kind == "new" else (typed.value, "")
    return replace(change, subject=typed.subject, attribute=typed.attribute, old_value=gone, new_value=come)


_REASONS: Mapping[str, str] = {
    "new": "not said before",
    "dropped": "the next issue no longer says it",
    "retracted": "gone from the newer version",
}


def _is_said(reading: _Reading, side: _Side, index: int, other: _Side) -> bool:
    """True when a sentence was merely split or merged: one statement of the other side holds all its terms, numbers and sense."""
    terms = side.profiles[index].vector.keys()
    if len(terms) < _FRAGMENT + 1 or side.statements[index].kind in ("field", "table_row"):
        return False
    text = side.statements[index].text
    for place, others in enumerate(other.profiles):
        if not terms <= others.vector.keys():
            continue
        if _same_sense(text, other.statements[place].text) and _runs_shared(side.profiles[index].terms, others.terms) >= 0.6:
            return True
    return False


def _same_sense(text: str, longer: str) -> bool:
    return (
        number_set(text) <= number_set(longer)
        and negation_count(text) == negation_count(longer)
        and direction(text) * direction(longer) >= 0
    )


def _runs_shared(terms: Sequence[str], others: Sequence[str]) -> float:
    runs = {(terms[n], terms[n + 1]) for n in range(len(terms) - 1)}
    theirs = {(others[n], others[n + 1]) for n in range(len(others) - 1)}
    return len(runs & theirs) / len(runs) if runs else 0.0
