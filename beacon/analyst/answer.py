"""Answers made of exact sentences, and an honest word where the sentences do not answer."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from beacon.analyst.asking import ASKING, STEMMED_ASKING, AnswerType, answer_type, has_type, held
from beacon.analyst.quantities import find_dates, find_names, find_quantities
from beacon.analyst.sentences import split_sentences
from beacon.analyst.similarity import TermWeights, build_weights
from beacon.analyst.statements import is_boilerplate, statement_key
from beacon.analyst.tokens import STOP_WORDS, content_tokens, fold, tokenize

SUFFICIENT = 0.55  # share of the question's weighted terms that the answer and its surroundings must cover
ON_POINT = 0.5  # the same for the terms that are no names, in the answer itself
_WEIGHTS = {"coverage": 0.55, "context": 0.15, "type": 0.2, "passage": 0.1}
_FOLLOW = 0.62  # share of the best score a further sentence needs


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of evidence an answer may quote; `score` is its retrieval score."""

    id: str
    text: str
    date: datetime | None = None
    title: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """An exact sentence: `passage.text[start:end] == text`."""

    text: str
    passage_id: str
    start: int
    end: int
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The sentences that answer, how sure that is, and what is missing where it is not enough."""

    sentences: tuple[AnswerSentence, ...]
    confidence: float
    sufficient: bool
    missing: str = ""


@dataclass(frozen=True, slots=True)
class _Question:
    terms: tuple[str, ...]
    keys: tuple[str, ...]  # names, numbers and dates, folded: an answer that never mentions them is about something else
    type: AnswerType
    text: str


@dataclass(frozen=True, slots=True)
class _Line:
    passage: Passage
    start: int
    end: int
    terms: frozenset[str]
    nearby: frozenset[str]

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


def extractive_answer(question: str, passages: Sequence[Passage], *, max_sentences: int = 4) -> Answer:
    """The sentences of `passages` that answer `question`; `sufficient` is False when its key terms are not covered."""
    asked = _read_question(question)
    lines = [line for passage in passages for line in _lines(passage)]
    if not lines or not asked.terms:
        return Answer((), 0.0, False, _nothing(question, bool(passages)))
    weights = build_weights([sorted(line.terms) for line in lines])
    best_passage = max((passage.score for passage in passages), default=0.0) or 1.0
    scored = sorted(
        ((_score(line, asked, weights, best_passage), line) for line in lines), key=lambda one: (-one[0], one[1].passage.id, one[1].start)
    )
    chosen = _choose(scored, asked, max_sentences)
    return _judge(chosen, asked, weights)


def _read_question(question: str) -> _Question:
    kind = answer_type(question)
    terms = [term for term in content_tokens(question) if term not in STEMMED_ASKING]
    keys = [fold(name) for _, _, name in find_names(question) if fold(name) not in ASKING]
    keys = [re.sub(r"'s$", "", key) for key in keys]
    keys += [words for _, _, words in find_dates(question)] + [
        fold(one.surface) for one in find_quantities(question) if one.surface[0].isdigit()
    ]
    return _Question(tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(keys)), kind, question)


def _lines(passage: Passage) -> list[_Line]:
    spans = [(start, end) for start, end in split_sentences(passage.text) if not is_boilerplate(passage.text[start:end], "turn")]
    terms = [frozenset(content_tokens(passage.text[start:end])) for start, end in spans]
    title = frozenset(content_tokens(passage.title)) if passage.title else frozenset[str]()
    whole = frozenset[str]().union(*terms) | title if terms else title
    return [_Line(passage, start, end, terms[i], whole) for i, (start, end) in enumerate(spans)]


def _coverage(asked: Sequence[str], terms: frozenset[str], weights: TermWeights) -> float:
    whole = sum(weights.idf.get(term, weights.default) for term in asked)
    found = sum(held(term, terms) * weights.idf.get(term, weights.default) for term in asked)
    return found / whole if whole else 0.0


def _score(line: _Line, asked: _Question, weights: TermWeights, best_passage: float) -> float:
    parts = {
        "coverage": _coverage(asked.terms, line.terms, weights),
        "context": _coverage(asked.terms, line.nearby, weights),
        "type": 1.0 if has_type(line.text, asked.text, asked.type) else 0.0,
        "passage": max(0.0, line.passage.score / best_passage),
    }
    score = sum(_WEIGHTS[name] * value for name, value in parts.items())
    if line.text.rstrip(" \"'”)")[-1:] in "?？؟":
        score *= 0.5
    if parts["coverage"] == 0:
        score *= 0.3
    return round(score, 6)


def _choose(scored: Sequence[tuple[float, _Line]], asked: _Question, most: int) -> list[tuple[float, _Line]]:
    best = scored[0][0]
    if best <= 0:
        return []
    chosen: list[tuple[float, _Line]] = []
    keys: set[str] = set()
    covered: set[str] = set()
    for score, line in scored:
        if len(chosen) >= most or score < _FOLLOW * best:
            break
        key = statement_key(line.text)
        fresh = {term for term in asked.terms if held(term, line.terms)} - covered
        if key in keys or not (fresh or not chosen or score >= 0.85 * best):
            continue
        keys.add(key)
        covered |= fresh
        chosen.append((score, line))
    return chosen


def _judge(chosen: list[tuple[float, _Line]], asked: _Question, weights: TermWeights) -> Answer:
    if not chosen:
        return Answer((), 0.0, False, _nothing(asked.text, True))
    said = frozenset[str]().union(*(line.terms for _, line in chosen))
    around = frozenset[str]().union(*(line.nearby for _, line in chosen))
    direct, context = _coverage(asked.terms, said, weights), _coverage(asked.terms, said | around, weights)
    uncovered = _uncovered_keys(asked, chosen)
    typed = any(has_type(line.text, asked.text, asked.type) for _, line in chosen)
    confidence = 0.5 * direct + 0.25 * context + (0.25 if typed else 0.0)
    confidence *= 0.4 if uncovered else 1.0
    sufficient = not uncovered and typed and _on_point(asked, said, weights) and 0.6 * direct + 0.4 * context >= SUFFICIENT
    sentences = tuple(AnswerSentence(line.text, line.passage.id, line.start, line.end, score) for score, line in chosen)
    missing = "" if sufficient else _missing(asked, uncovered, around, typed)
    return Answer(sentences, round(min(1.0, confidence), 4), sufficient, missing)


def _on_point(asked: _Question, said: frozenset[str], weights: TermWeights) -> bool:
    """True when the sentences speak of what is asked about the names, not only of the names."""
    named = {term for key in asked.keys for term in content_tokens(key)}
    rest = [term for term in asked.terms if term not in named]
    return not rest or _coverage(rest, said, weights) >= ON_POINT


def _uncovered_keys(asked: _Question, chosen: Sequence[tuple[float, _Line]]) -> list[str]:
    """Names, dates and numbers of the question that neither the chosen passages nor their titles mention."""
    places = [_bare_words(f"{line.passage.title} {line.passage.text} {line.passage.date or ''}") for _, line in chosen]
    return [key for key in asked.keys if not any(_mentions(there, key) for there in places)]


def _bare_words(text: str) -> set[str]:
    """The words of `text` without accents, and the pieces of hyphenated ones."""
    plain = (
        "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn") if not text.isascii() else text
    )
    words = set(tokenize(plain))
    return words | {piece for word in words for piece in re.split(r"[-/.,]", word) if piece}


def _mentions(there: set[str], key: str) -> bool:
    words = [word for word in sorted(_bare_words(key)) if (len(word) > 1 or word.isdigit()) and word not in STOP_WORDS]
    missing = [word for word in words if word not in there]
    return len(missing) <= (0 if len(words) < 3 else len(words) // 3)


def _missing(asked: _Question, uncovered: Sequence[str], around: frozenset[str], typed: bool) -> str:
    if uncovered:
        names = _listed([_as_written(key, asked.text) for key in uncovered])
        return f"Nothing that was found mentions {names}: a source about {names} would help."
    lacking = [term for term in asked.terms if not held(term, around)]
    if lacking:
        names = _listed([_as_written(term, asked.text) for term in lacking[:3]])
        return f"What was found does not speak of {names}: a source that does would help."
    wanted = {
        "number": "a figure",
        "date": "a date",
        "person": "a person's name",
        "place": "a place",
        "reason": "a reason",
        "name": "a name",
    }
    if not typed and asked.type in wanted:
        kind = wanted[asked.type]
        return f"What was found is on the subject but gives no {kind.partition(' ')[2]}: a source with {kind} would help."
    return "What was found touches the question without answering it: a source that treats it directly would help."


def _as_written(key: str, question: str) -> str:
    words = [found.group() for found in re.finditer(r"[\w'’&./-]+", question)]
    place = fold(question).find(key)
    if place >= 0 and len(fold(question)) == len(question) and (" " in key or not any(fold(word) == key for word in words)):
        end = place + len(key)
        while end < len(question) and question[end].isalnum():
            end += 1
        return question[place:end]
    return next((word for word in words if fold(word) == key or key in content_tokens(word)), key)


def _listed(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} or {unique[-1]}"


def _nothing(question: str, had_passages: bool) -> str:
    if not had_passages:
        return "Nothing was found to answer from: add a source on the subject, or run a topic about it."
    return (
        "The question names nothing that could be looked for: say what it is about."
        if not content_tokens(question)
        else ("Nothing that was found speaks of this: a source on the subject would help.")
    )
