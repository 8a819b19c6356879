"""What a question asks: the terms that carry it, the kind of answer it wants, and the questions it is made of."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

from beacon.analyst.quantities import date_set, find_names, find_quantities
from beacon.analyst.tokens import content_tokens, fold, is_stop_word, stem, tokenize

AnswerType = Literal["number", "date", "person", "place", "reason", "yes_no", "name", "any"]

ASKING = frozenset(
    "what who whom whose when where why how which much many long often far old tell explain describe list name give show say says said "
    "change changed changes changing evolve evolved since over history timeline course "
    "mention mentioned mentions see sees seen saw view views viewed regard regards feel feels think thinks thought "
    "know known happen happens happened happening mean means please year date develop develops developing developed going "
    "time number amount percentage reason kind type sort way current currently".split()
)
_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|long|often|far|old|high|low|big|large|fast)\b|"
            r"\bwhat (?:\w+ )?(?:percentage|number|share|amount|price|rate|level|probability|chance|cost|range|size)\b|"
            r"\bwhat (?:is|was|are|were) the (?:\w+ ){0,3}"
            r"(?:percentage|number|share|amount|price|rate|level|probability|chance|odds|cost|range)\b"
        ),
    ),
    ("date", re.compile(r"^when\b|\b(?:what|which) (?:year|date|day|month)\b|\bsince when\b|\bhow recently\b")),
    ("person", re.compile(r"\bwho(?:m|se)?\b")),
    ("place", re.compile(r"^where\b|\b(?:what|which) (?:country|city|place|region|state|town)\b")),
    ("reason", re.compile(r"\bwhy\b|\bwhat (?:caused|causes|is the reason|are the reasons|led)\b|\bhow come\b")),
    ("name", re.compile(r"^which\b|\bwhat is the name\b|\bwhat (?:company|person|product|film|book|band|team|organi[sz]ation)\b")),
    ("yes_no", re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\b")),
)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|reflect\w*|as a result|result(?:s|ed|ing) (?:of|from)|so that|therefore|"
    r"driven by|caused?|thanks to|in light of|weil|parce que|porque)\b",
    re.I,
)
_PREFIX = 5  # letters from which two words of one beginning count as related
_RELATED = 0.7
# "How large?" asks for a size: the noun stands for the adjective, and any word of its group answers to it.
_MEASURES = {
    "size": "large big wide small size diameter width across area",
    "height": "tall high height",
    "length": "long length duration lasts",
    "age": "old age",
    "weight": "heavy weight mass",
    "distance": "far distance away",
    "speed": "fast speed velocity",
}
_ASKED_MEASURE = {word: noun for noun, words in _MEASURES.items() for word in words.split()}
_MEASURE_TERMS = {content_tokens(noun)[0]: frozenset(content_tokens(words)) for noun, words in _MEASURES.items()}
_HOW = re.compile(r"\bhow (large|big|wide|small|tall|heavy|far|fast)\b", re.I)
# Whom a question asks about when it asks what was said: their words seldom name themselves.
_CROWD = re.compile(
    r"\b(do|did|does|have|has|can|could|should|would|of|say)\s+(?:the\s+|all\s+|most\s+|some\s+|any\s+)?(?:end[ -])?"
    r"(?:users|people|respondents|participants|customers|teams|organi[sz]ations|companies|developers|anyone|anybody|somebody|someone|they)\b",
    re.I,
)
_COMING = re.compile(
    r"\b(?:(?:what|which|who|when|where|how)\b.{0,40}?\bwill|next|upcoming|planned|expected|wird|werden|nächste\w*|prochaine?s?|próxim\w+|prossim\w+)\b",
    re.I,
)
_PARTS = re.compile(r"\?\s+|[,;]?\s+and\s+(?=(?:what|who|whom|when|where|why|how|which)\b)", re.I)


def answer_type(question: str) -> AnswerType:
    """The kind of thing that would answer `question`."""
    folded = fold(question).strip()
    return next((name for name, pattern in _TYPES if pattern.search(folded)), "any")


@lru_cache(maxsize=4096)
def telling_terms(question: str) -> tuple[str, ...]:
    """The content terms of `question` without the words that only ask."""
    measured = _CROWD.sub(r"\1 ", _HOW.sub(lambda found: _ASKED_MEASURE[found[1].lower()], question))
    return tuple(dict.fromkeys(stem(word) for word in tokenize(measured) if not is_stop_word(word) and word not in ASKING))


def question_terms(question: str) -> tuple[str, ...]:
    """The telling terms of `question`; all its content terms where it only asks."""
    return telling_terms(question) or tuple(dict.fromkeys(content_tokens(question)))


def split_question(question: str) -> list[str]:
    """The questions that `question` is made of: "What is X, and who decided Y?" asks two."""
    parts = [part.strip(" ?.,;") for part in _PARTS.split(question)]
    return [part for part in parts if telling_terms(part)] or [question]


def asks_on(part: str, first: str) -> bool:
    """True for a part of a question that asks of nothing which its first part does not name."""
    return set(telling_terms(part)) <= set(telling_terms(first))


def asks_ahead(question: str) -> bool:
    """True for a question about what is still to come."""
    return bool(_COMING.search(question))


def has_type(text: str, question: str, kind: AnswerType) -> bool:
    """True when `text` holds something of the kind asked for that the question does not already name."""
    known = fold(question)
    if kind == "number":
        return any(fold(one.surface) not in known for one in find_quantities(text))
    if kind == "date":
        return bool(date_set(text) - date_set(question))
    if kind in ("person", "place", "name"):
        return any(fold(name) not in known for _, _, name in find_names(text))
    if kind == "reason":
        return bool(_REASON.search(text))
    return True


def has_figure(text: str, question: str) -> bool:
    """True when `text` holds an amount in figures that the question does not name."""
    known = fold(question)
    return any(fold(one.surface) not in known and any(map(str.isdigit, one.surface)) for one in find_quantities(text))


def _related(term: str, other: str) -> bool:
    """True when the shorter of two words begins the longer, but for a last letter that endings change."""
    short, long = sorted((term, other), key=len)
    if len(short) < _PREFIX or short[:-1] != long[: len(short) - 1]:
        return False
    return short[-1] == long[len(short) - 1] or short[-1] in "eiy"


def held(term: str, terms: Collection[str]) -> float:
    """1 when `term` is among `terms`, less when only a word of the same beginning is."""
    if term in terms:
        return 1.0
    if len(term) >= _PREFIX and term.isalpha() and any(_related(term, other) for other in terms):
        return _RELATED
    group = _MEASURE_TERMS.get(term)
    return _RELATED if group and any(other in group for other in terms) else 0.0
