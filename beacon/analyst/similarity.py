"""How alike two texts are: IDF-weighted word vectors, containment, shingles."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from beacon.analyst.tokens import content_tokens, tokenize

Vector = Mapping[str, float]
_COSINE_SHARE = 0.65  # the rest is containment, so that a shortened sentence still finds its longer self
_TELLING = 4  # shared terms from which containment is taken at its word
_SHINGLE = 5  # words


@dataclass(frozen=True, slots=True)
class TermWeights:
    """Inverse document frequencies over a set of texts; an unseen term weighs as the rarest."""

    idf: Mapping[str, float]
    default: float

    def vector(self, tokens: Iterable[str]) -> dict[str, float]:
        """The unit vector of `tokens` (log term frequency times IDF), terms in sorted order."""
        counts = Counter(tokens)
        raw = {term: (1 + math.log(counts[term])) * self.idf.get(term, self.default) for term in sorted(counts)}
        norm = math.sqrt(sum(value * value for value in raw.values()))
        return {term: value / norm for term, value in raw.items()} if norm else {}

    def weight(self, terms: Iterable[str]) -> float:
        """The sum of the weights of `terms`."""
        return sum(self.idf.get(term, self.default) for term in sorted(terms))


def build_weights(texts: Iterable[Sequence[str]]) -> TermWeights:
    """Weights from tokenised texts: log(1 + N / df)."""
    frequencies: Counter[str] = Counter()
    count = 0
    for tokens in texts:
        frequencies.update(set(tokens))
        count += 1
    idf = {term: math.log(1 + count / frequency) for term, frequency in sorted(frequencies.items())}
    return TermWeights(idf, math.log(1 + max(count, 1)))


def word_terms(text: str) -> list[str]:
    """The content terms of `text` without bare numbers, unless it has nothing else."""
    terms = content_tokens(text)
    words = [term for term in terms if not (term[0].isdigit() or term[0] in "€$£¥₹₩₽-" or term in ("not", "no"))]
    return words or terms


def cosine(left: Vector, right: Vector) -> float:
    """The dot product of two unit vectors, 0-1."""
    if len(left) > len(right):
        left, right = right, left
    return min(1.0, sum(value * right[term] for term, value in left.items() if term in right))


@dataclass(frozen=True, slots=True)
class Profile:
    """A text as it is compared: its terms in order, their vector and their whole weight."""

    terms: tuple[str, ...]
    vector: Vector
    weight: float


def build_profile(terms: Sequence[str], weights: TermWeights) -> Profile:
    """The profile of a list of terms."""
    return Profile(tuple(terms), weights.vector(terms), weights.weight(set(terms)))


def likeness(left: Profile, right: Profile, weights: TermWeights) -> float:
    """0-1: mostly the cosine of two texts, partly how much of the shorter stands in the longer."""
    same = cosine(left.vector, right.vector)
    if same == 0:
        return 0.0
    shared = left.vector.keys() & right.vector.keys()
    if len(shared) < 2:
        return _COSINE_SHARE * same if len(left.vector.keys() | right.vector.keys()) > 2 else same
    inside = weights.weight(shared) / max(min(left.weight, right.weight), 1e-9)
    telling = min(1.0, len(shared) / _TELLING)
    return _COSINE_SHARE * same + (1 - _COSINE_SHARE) * (telling * min(1.0, inside) + (1 - telling) * same)


def shingles(text: str) -> frozenset[str]:
    """The five-word runs of `text`; a shorter text is one run."""
    tokens = tokenize(text)
    if len(tokens) <= _SHINGLE:
        return frozenset({" ".join(tokens)}) if tokens else frozenset()
    return frozenset(" ".join(tokens[i : i + _SHINGLE]) for i in range(len(tokens) - _SHINGLE + 1))


def containment(left: frozenset[str], right: frozenset[str]) -> float:
    """How much of the smaller set of shingles stands in the other, 0-1."""
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0
