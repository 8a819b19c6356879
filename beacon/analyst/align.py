"""The statements of two texts set against each other: what is equal, what is one statement reworded, what merely was split or joined."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beacon.analyst.canonical import canonical
from beacon.analyst.quantities import number_set
from beacon.analyst.similarity import Profile, TermWeights, Vector, build_profile, build_weights, likeness, word_terms
from beacon.analyst.statements import statement_key
from beacon.analyst.substance import substance
from beacon.analyst.tokens import fold, tokenize
from beacon.analyst.typed import field_value
from beacon.analyst.wording import direction, negation_count
from beacon.domain.change import Statement

ALIGNED = 0.38  # likeness from which two statements of one text, edited here and there, are one reworded
_ALIGNED_REWRITTEN = 0.52  # the same where little of the text stayed: likeness by chance is more common there
_STABLE = 0.3  # share of statements kept from which a text counts as edited, not rewritten
_NEIGHBOUR = 0.06  # what standing between the same unchanged neighbours adds
_HEADER = 0.25  # what the same first cell of a table row adds
_IN_PLACE = 0.2  # the likeness that is enough between the same unchanged neighbours, of statements that open alike
_BETWEEN = 0.25  # what standing between the same neighbours adds to certainty
_OPENING = 0.12  # what opening with the same telling word adds, for its weight
_CERTAIN = 0.75  # likeness that even a fragment may be aligned at
_FRAGMENT = 3  # fewer content terms than this say too little to be aligned loosely
_FILLER = 0.3  # how much more likeness two statements need of which one says nothing
_FULL = 0.75  # substance from which a statement needs no more
_SPOKEN = 0.06  # the same for turns of talk
_REPORTED = re.compile(
    r"^[^,.;]{0,60}?\b(?:suggest|show|indicate|report|note|find|expect|estimate|believe|confirm|state|say)(?:s|ed)?\s+that\s+", re.I
)
_MAX_POSTINGS = 400  # a term in more statements than this proposes no pairs
_PROPOSED = 12  # partners looked at for a statement, the likeliest first


@dataclass(frozen=True, slots=True)
class Side:
    """The statements of one side with what alignment needs of them."""

    statements: Sequence[Statement]
    keys: Sequence[str]
    profiles: Sequence[Profile]
    postings: Mapping[str, Sequence[int]]  # term → the statements that have it


@dataclass(frozen=True, slots=True)
class Reading:
    """Two sides read against each other."""

    old: Side
    new: Side
    weights: TermWeights
    centroid: Vector
    aligned: float  # the likeness two statements need here


@dataclass(frozen=True, slots=True)
class Openings:
    """How many of the statements left over on each side open with a word."""

    old: Counter[str]
    new: Counter[str]


@dataclass(frozen=True, slots=True)
class Aligned:
    """Pairs of indices that are one statement reworded, and the indices that only one side has."""

    pairs: Mapping[int, int]
    sure: Mapping[int, float]  # index on the old side → how surely the pair is one statement, 0-1
    gone: list[int]
    come: list[int]


def read_sides(old: Sequence[Statement], new: Sequence[Statement]) -> Reading:
    """Two texts with the weights of their common vocabulary."""
    terms = [[word_terms(canonical(fold(body(statement)))) for statement in side] for side in (old, new)]
    everything = [*terms[0], *terms[1]]
    weights = build_weights(everything)
    sides = [_side(side, mine, weights) for side, mine in zip((old, new), terms, strict=True)]
    centroid = weights.vector(term for one in everything for term in one)
    return Reading(sides[0], sides[1], weights, centroid, _needed(*sides))


def _side(statements: Sequence[Statement], terms: Sequence[Sequence[str]], weights: TermWeights) -> Side:
    profiles = [build_profile(mine, weights) for mine in terms]
    postings: dict[str, list[int]] = defaultdict(list)
    for at, profile in enumerate(profiles):
        for term in profile.vector:
            postings[term].append(at)
    return Side(statements, [_key(statement) for statement in statements], profiles, postings)


def body(statement: Statement) -> str:
    """The words of a statement: a field's value without its name."""
    return field_value(statement) if statement.kind == "field" else statement.text


def _needed(old: Side, new: Side) -> float:
    kept = (Counter(old.keys) & Counter(new.keys)).total()
    share = kept / max(1, min(len(old.keys), len(new.keys)))
    return _ALIGNED_REWRITTEN - (_ALIGNED_REWRITTEN - ALIGNED) * min(1.0, share / _STABLE)


def _key(statement: Statement) -> str:
    key = statement_key(body(statement))
    return f"{_path(statement)}={key}" if statement.kind == "field" else key


def _path(statement: Statement) -> str:
    return "/".join(part for part in statement.path if not part.isdigit())


def align(reading: Reading) -> Aligned:
    """What is one statement reworded, and what came or went; what stands elsewhere unchanged, or was split or joined, is neither."""
    left, right = _without_equals(reading)
    pairs = _align_prose(reading, left, right)
    sure = {i: _certainty(reading, i, j) for i, j in pairs.items()}
    left, right = _rest(left, right, pairs)
    gone = [i for i in left if not _is_said(reading.old, i, reading.new, reading)]
    return Aligned(pairs, sure, gone, [j for j in right if not _is_said(reading.new, j, reading.old, reading)])


def _certainty(reading: Reading, i: int, j: int) -> float:
    """Likeness, and what stands on both sides: between the same neighbours a statement can change much and still be the same."""
    alike = likeness(reading.old.profiles[i], reading.new.profiles[j], reading.weights)
    return min(1.0, alike + _BETWEEN * _same_neighbours(reading, i, j) / 2)


def _without_equals(reading: Reading) -> tuple[list[int], list[int]]:
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


def _align_prose(reading: Reading, left: list[int], right: list[int]) -> dict[int, int]:
    openings = Openings(Counter(_opening(reading.old, i) for i in left), Counter(_opening(reading.new, j) for j in right))
    scored = [
        (score, i, j)
        for i, j in _candidates(reading, left, right)
        if (score := _alignment(reading, i, j, openings)) >= _enough(reading, i, j)
    ]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in sorted(scored, key=lambda one: (-one[0], one[1], one[2])):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs


def _enough(reading: Reading, i: int, j: int) -> float:
    """The likeness these two need: more where either says little, for filler is like any filler."""
    if _same_neighbours(reading, i, j) == 2 and _opening(reading.old, i) == _opening(reading.new, j):
        return _IN_PLACE
    says = min(substance(reading.old.statements[i].text), substance(reading.new.statements[j].text))
    spoken = "turn" in (reading.old.statements[i].kind, reading.new.statements[j].kind)
    return reading.aligned + _FILLER * max(0.0, _FULL - says) / _FULL + (_SPOKEN if spoken else 0.0)


def _candidates(reading: Reading, left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """For each statement left over, the few of the other side whose words weigh most in common with its own."""
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for j in right:
        for term, weight in reading.new.profiles[j].vector.items():
            postings[term].append((j, weight))
    found: list[tuple[int, int]] = []
    for i in left:
        shared: dict[int, float] = defaultdict(float)
        for term, weight in reading.old.profiles[i].vector.items():
            places = postings.get(term, ())
            if len(places) <= _MAX_POSTINGS:
                for j, other in places:
                    shared[j] += weight * other
        likeliest = sorted(shared.items(), key=lambda one: (-one[1], one[0]))[:_PROPOSED]
        found += [(i, j) for j, _ in likeliest]
    return sorted(found)


def _alignment(reading: Reading, i: int, j: int, openings: Openings) -> float:
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
        + _same_opening(reading, i, j, openings)
        + _NEIGHBOUR * _same_neighbours(reading, i, j)
        + (0.02 if number_set(old.text) == number_set(new.text) else 0.0)
    )


def _same_words(left: str, right: str) -> bool:
    mine, other = set(tokenize(left)), set(tokenize(right))
    return len(mine & other) >= 0.5 * len(mine | other)


def _opening(side: Side, index: int) -> str:
    """The first telling word of what a statement says, behind "reports suggest that" and the like."""
    said = _REPORTED.sub("", side.statements[index].text, count=1)
    terms = word_terms(said) if said != side.statements[index].text else side.profiles[index].terms
    return terms[0] if terms else ""


def _same_opening(reading: Reading, i: int, j: int, openings: Openings) -> float:
    """What the same subject adds: all of it where no other statement left over opens with it, else by how telling the word is."""
    word = _opening(reading.old, i)
    if not word or word != _opening(reading.new, j):
        return 0.0
    if openings.old[word] == openings.new[word] == 1:
        return _OPENING
    return _OPENING * reading.weights.idf.get(word, 0.0) / reading.weights.default


def _first_cell(row: str) -> str:
    for mark in ("|", "\t", ";", ","):
        if mark in row.strip("| \t"):
            return row.strip("| \t").split(mark, 1)[0]
    return row


def _same_neighbours(reading: Reading, i: int, j: int) -> int:
    old, new = reading.old.keys, reading.new.keys
    before = (old[i - 1] if i else "") == (new[j - 1] if j else "")
    after = (old[i + 1] if i + 1 < len(old) else "") == (new[j + 1] if j + 1 < len(new) else "")
    return int(before) + int(after)


def _is_said(side: Side, index: int, other: Side, reading: Reading) -> bool:
    """True when a sentence was merely split or merged: one statement of the other side holds all its terms, numbers and sense."""
    terms = side.profiles[index].vector.keys()
    if len(terms) < _FRAGMENT + 1 or side.statements[index].kind in ("field", "table_row"):
        return False
    text = side.statements[index].text
    rarest = max(sorted(terms), key=lambda term: reading.weights.idf.get(term, reading.weights.default))
    for place in other.postings.get(rarest, ()):
        others = other.profiles[place]
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
