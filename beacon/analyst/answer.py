"""Answers made of exact sentences, and an honest word where the sentences do not answer."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from beacon.analyst.asking import ASKING, AnswerType, answer_type, has_type, held, telling_terms
from beacon.analyst.moments import Moment, find_moment, time_fit
from beacon.analyst.quantities import find_dates, find_names, find_quantities, number_set
from beacon.analyst.sentences import split_sentences
from beacon.analyst.similarity import TermWeights, build_weights
from beacon.analyst.statements import is_boilerplate, statement_key
from beacon.analyst.substance import is_meta, substance
from beacon.analyst.tokens import STOP_WORDS, content_tokens, fold, spell_out, tokenize, without_links

SUFFICIENT = 0.55  # share of the question's weighted terms that the answer and its surroundings must cover
ON_POINT = 0.5  # the same for the terms that are no names, in one sentence and those beside it
_WEIGHTS = {"coverage": 0.5, "context": 0.12, "type": 0.2, "passage": 0.08, "time": 0.1}
_PRESENT = re.compile(r"\b(?:is|are|does|do|now|today|current(?:ly)?|latest)\b", re.I)
_BY_TITLE = 0.9  # of the coverage that a line has with its title's help
_FADES_DAYS = 120.0  # how soon a statement of no stated time is outdated by half
_AS_GOOD = 0.93  # share of the best score from which a line is as good an answer
_SAME = 0.75  # share of terms in common from which two lines say the same
_EXTREMES = frozenset(
    content_tokens(
        "highest largest biggest greatest maximum peak record lowest smallest least minimum longest shortest oldest first last latest"
    )
)
_OWN_POINT = 0.34  # share of what is asked about the names that the answering sentence itself must hold
_LONG, _ENDLESS = 50, 100  # words from which a sentence says too much at once, and from which it is no sentence
_UNSURE = 0.5  # the most confidence that an insufficient answer may have
_GAP = 3  # characters between two adjacent sentences
_PAIRED = 0.6  # share of the best score that the line with the superlative needs
_LONG_NAME = 3  # words from which a name is more than what its words say
_LOOKED_AT = 120  # lines of a timeline that are looked at for figures
_FOLLOW = 0.75  # share of the best score a further sentence needs


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of evidence an answer may quote; `score` is its retrieval score."""

    id: str
    text: str
    date: datetime | None = None
    title: str = ""
    score: float = 0.0
    group: str = ""  # the series or source it belongs to: a course is told by one of them
    over: tuple[tuple[int, int], ...] = ()  # slices that say what no longer holds: no answer to a question about now


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
    moment: Moment | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    passage: Passage
    start: int
    end: int
    terms: frozenset[str]
    beside: frozenset[str]  # the terms of the line and of the one before and after it
    nearby: frozenset[str]

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


def extractive_answer(question: str, passages: Sequence[Passage], *, max_sentences: int = 3) -> Answer:
    """The sentences of `passages` that answer `question`; `sufficient` is False when its key terms are not covered."""
    asked = _read_question(question)
    lines = [line for passage in passages for line in _lines(passage, asked)]
    if not lines or not asked.terms:
        return Answer((), 0.0, False, _nothing(question, bool(passages)))
    weights = build_weights([sorted(line.terms) for line in lines])
    scored = _scored(lines, asked, weights, passages)
    chosen = _pair(scored, asked) or _choose(scored, asked, max_sentences)
    return _judge(chosen, asked, weights)


def timeline_answer(question: str, passages: Sequence[Passage], *, most: int = 8) -> Answer:
    """What was said at each date of what the question asks about, oldest first: one sentence a date, none that says the same again.

    A course is told by one series or source where one tells it at several dates, else by all together.
    """
    asked = _read_question(question)
    since = asked.moment if asked.moment and re.search(r"\bsince\b", fold(question)) else None
    asked = replace(asked, moment=None) if since else asked
    dated = [passage for passage in passages if passage.date and (not since or passage.date.date() >= since.first)]
    lines = [line for passage in dated for line in _lines(passage, asked)]
    if not lines or not asked.terms:
        return Answer((), 0.0, False, _nothing(question, bool(passages)))
    weights = build_weights([sorted(line.terms) for line in lines])
    scored = [one for one in _scored(lines, asked, weights, dated) if _on_point(asked, one[1].terms, weights)]
    scored = [one for one in scored if not _uncovered_keys(asked, [one])]
    groups: dict[str, list[tuple[float, _Line]]] = {}
    for one in scored:
        groups.setdefault(one[1].passage.group, []).append(one)
    courses = [course for name in sorted(groups) if len(course := _by_date(groups[name], most)) > 1]
    course = max(courses, key=_told_well) if courses else _by_date(scored, most) if scored else []
    return _judge(course, asked, weights) if len(course) > 1 else extractive_answer(question, passages)


def _told_well(course: Sequence[tuple[float, _Line]]) -> float:
    """How well a course is told: by how good its lines are and, less and less, how many."""
    mean = sum(score for score, _ in course) / len(course)
    alike = [len(one.terms & other.terms) / max(1, min(len(one.terms), len(other.terms))) for (_, one), (_, other) in pairwise(course)]
    return round(mean * (1 - 2.0 ** -len(course)) * (0.4 + 0.6 * (sum(alike) / len(alike) if alike else 0.0)), 6)


def _by_date(scored: Sequence[tuple[float, _Line]], most: int) -> list[tuple[float, _Line]]:
    """The best line of each date near the best of all, preferring those that give a figure; then in order of time."""
    figures = [one for one in scored[:_LOOKED_AT] if number_set(one[1].text)]
    pool = figures if len(figures) > 1 else scored
    days: dict[str, tuple[float, _Line]] = {}
    for score, line in pool:
        if score >= _FOLLOW * pool[0][0] and line.passage.date:
            days.setdefault(line.passage.date.date().isoformat(), (score, line))
    told: list[tuple[float, _Line]] = []
    for day in sorted(days):
        if not told or _differs(days[day][1], told[-1][1]):
            told.append(days[day])
    if len(told) <= most:
        return told
    kept = sorted(range(len(told)), key=lambda place: (place not in (0, len(told) - 1), -told[place][0], place))[:most]
    return [told[place] for place in sorted(kept)]


def _differs(line: _Line, other: _Line) -> bool:
    mine, theirs = number_set(line.text), number_set(other.text)
    return mine != theirs if mine and theirs else statement_key(line.text) != statement_key(other.text)


def _scored(lines: Sequence[_Line], asked: _Question, weights: TermWeights, passages: Sequence[Passage]) -> list[tuple[float, _Line]]:
    best = max((passage.score for passage in passages), default=0.0) or 1.0
    newest = max((passage.date for passage in passages if passage.date), default=None)
    scored = [(_score(line, asked, weights, best, newest), line) for line in lines]
    return sorted(scored, key=lambda one: (-one[0], one[1].passage.id, one[1].start))


def _read_question(question: str) -> _Question:
    kind = answer_type(question)
    terms = telling_terms(question)
    keys = [fold(name) for _, _, name in find_names(question) if fold(name) not in ASKING]
    keys = [re.sub(r"'s$", "", key) for key in keys]
    moment = find_moment(question)
    keys += [words for _, _, words in find_dates(question) if not moment or words != moment.words] + [
        fold(one.surface) for one in find_quantities(question) if one.surface[0].isdigit()
    ]
    timed = set(content_tokens(moment.words)) if moment else set[str]()
    terms = tuple(term for term in terms if term not in timed) or terms
    return _Question(tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(keys)), kind, question, moment)


def _lines(passage: Passage, asked: _Question) -> list[_Line]:
    spans = [(start, end) for start, end in split_sentences(passage.text) if not is_boilerplate(passage.text[start:end], "turn")]
    spans = [(start, end) for start, end in spans if not any(first < end and start < last for first, last in passage.over)]
    terms = [_terms(passage.text[start:end], asked) for start, end in spans]
    title = frozenset(content_tokens(passage.title)) if passage.title else frozenset[str]()
    whole = frozenset[str]().union(*terms) | title if terms else title
    return [
        _Line(passage, start, end, terms[i], frozenset[str]().union(*terms[max(0, i - 1) : i + 2]), whole)
        for i, (start, end) in enumerate(spans)
    ]


def _terms(text: str, asked: _Question) -> frozenset[str]:
    """The terms of `text`; a long name's words count only where the question means that name: a "Very Large Array" tells no size."""
    named = {term for key in asked.keys for term in content_tokens(key)}
    bare = text = without_links(text)
    for start, end, name in reversed(find_names(text)):
        words = frozenset(content_tokens(name))
        if len(name.split()) >= _LONG_NAME and not words & named and len(words & set(asked.terms)) * 2 < len(words):
            bare = bare[:start] + " " + bare[end:]
    return frozenset((*content_tokens(bare), *content_tokens(spell_out(bare))))


def _coverage(asked: Sequence[str], terms: frozenset[str], weights: TermWeights) -> float:
    whole = sum(weights.idf.get(term, weights.default) for term in asked)
    found = sum(held(term, terms) * weights.idf.get(term, weights.default) for term in asked)
    return found / whole if whole else 0.0


def _score(line: _Line, asked: _Question, weights: TermWeights, best_passage: float, newest: datetime | None) -> float:
    own = _coverage(asked.terms, line.terms, weights)
    parts = {
        "coverage": max(own, _BY_TITLE * _coverage(asked.terms, line.terms | _title(line), weights)) if own else 0.0,
        "context": _coverage(asked.terms, line.nearby, weights),
        "type": 1.0 if has_type(line.text, asked.text, asked.type) else 0.0,
        "passage": max(0.0, line.passage.score / best_passage),
        "time": _timeliness(line, asked, newest),
    }
    score = sum(_WEIGHTS[name] * value for name, value in parts.items()) * (0.5 + 0.5 * substance(line.text))
    if asked.moment:
        score *= 0.4 + 0.6 * parts["time"]
    elif _PRESENT.search(asked.text):
        score *= 0.8 + 0.2 * parts["time"]
    if line.text.rstrip(" \"'”)")[-1:] in "?？؟":
        score *= 0.5
    score *= min(1.0, max(0.4, _LONG / max(1, len(line.text.split()))))
    if is_meta(line.text):
        score *= 0.5
    if parts["coverage"] == 0:
        score *= 0.3
    return round(score, 6)


def _title(line: _Line) -> frozenset[str]:
    """The terms of the title above a line: they say what all its lines are about."""
    return frozenset(content_tokens(line.passage.title)) if line.passage.title else frozenset()


def _timeliness(line: _Line, asked: _Question, newest: datetime | None) -> float:
    """0-1: how well a line speaks of the time asked about, which is now unless the question names another."""
    if asked.moment:
        return time_fit(asked.moment, line.text, line.passage.date)
    if line.passage.date is None or newest is None:
        return 0.5
    return float(2 ** (-(newest - line.passage.date).days / _FADES_DAYS))


def _pair(scored: Sequence[tuple[float, _Line]], asked: _Question) -> list[tuple[float, _Line]]:
    """Two adjacent lines that answer only together: one says that something is the highest or first, the other what it is."""
    superlative = [term for term in asked.terms if term in _EXTREMES]
    if not superlative or asked.type == "any":
        return []
    for score, line in scored[:_LOOKED_AT]:
        if not all(held(term, line.terms) for term in superlative) or has_type(line.text, asked.text, asked.type):
            continue
        beside = [
            (other_score, other)
            for other_score, other in scored
            if other.passage.id == line.passage.id
            and (0 <= line.start - other.end <= _GAP or 0 <= other.start - line.end <= _GAP)
            and has_type(other.text, asked.text, asked.type)
        ]
        if beside and score >= _PAIRED * scored[0][0]:
            return sorted([(score, line), beside[0]], key=lambda one: one[1].start)
    return []


def _choose(scored: Sequence[tuple[float, _Line]], asked: _Question, most: int) -> list[tuple[float, _Line]]:
    """The best line, then only such as add to it: a term of the question it lacks, or as good a one that says something else."""
    best = scored[0][0]
    if best <= 0:
        return []
    chosen: list[tuple[float, _Line]] = []
    covered: set[str] = set()
    for score, line in scored:
        if len(chosen) >= most or score < _FOLLOW * best:
            break
        fresh = {term for term in asked.terms if held(term, line.terms)} - covered
        if chosen and (any(_repeats(line, other) for _, other in chosen) or not (fresh or score >= _AS_GOOD * best)):
            continue
        covered |= fresh | (_title(line) & set(asked.terms))
        chosen.append((score, line))
    return chosen


def _repeats(line: _Line, other: _Line) -> bool:
    """True when a line says little that the other does not, or the same of an earlier time."""
    shared = len(line.terms & other.terms)
    if shared >= _SAME * max(1, min(len(line.terms), len(other.terms))):
        return True
    earlier = line.passage.date is not None and other.passage.date is not None and line.passage.date < other.passage.date
    return earlier and shared >= 0.5 * max(1, min(len(line.terms), len(other.terms)))


def _judge(chosen: list[tuple[float, _Line]], asked: _Question, weights: TermWeights) -> Answer:
    if not chosen:
        return Answer((), 0.0, False, _nothing(asked.text, True))
    said = frozenset[str]().union(*(line.terms for _, line in chosen))
    around = frozenset[str]().union(*(line.nearby for _, line in chosen))
    direct, context = _coverage(asked.terms, said, weights), _coverage(asked.terms, said | around, weights)
    uncovered = _uncovered_keys(asked, chosen)
    to_the_point = [one for one in chosen if _answers(asked, one[1], weights)]
    near = any(not _uncovered_keys(asked, [one]) for one in to_the_point)
    typed = any(has_type(line.text, asked.text, asked.type) for _, line in chosen)
    confidence = 0.5 * direct + 0.25 * context + (0.25 if typed else 0.0)
    confidence *= 0.4 if uncovered else 1.0
    sufficient = not uncovered and typed and near and 0.6 * direct + 0.4 * context >= SUFFICIENT
    sentences = tuple(AnswerSentence(line.text, line.passage.id, line.start, line.end, score) for score, line in chosen)
    named = [line for _, line in chosen if not _uncovered_keys(asked, [(0.0, line)])]
    spoken = around if near or not named else frozenset[str]().union(*(line.beside for line in named))
    missing = "" if sufficient else _missing(asked, uncovered, spoken, typed)
    return Answer(sentences, round(min(1.0 if sufficient else _UNSURE, confidence), 4), sufficient, missing)


def _on_point(asked: _Question, said: frozenset[str], weights: TermWeights, least: float = ON_POINT) -> bool:
    """True when the sentences speak of what is asked about the names, not only of the names."""
    named = {term for key in asked.keys for term in content_tokens(key)}
    rest = [term for term in asked.terms if term not in named]
    return not rest or _coverage(rest, said, weights) >= least


def _answers(asked: _Question, line: _Line, weights: TermWeights) -> bool:
    """True when a line speaks of what is asked, with the help of the lines beside it; an endless one speaks of anything."""
    own = _on_point(asked, line.terms, weights, least=_OWN_POINT)
    return own and _on_point(asked, line.beside, weights) and len(line.text.split()) <= _ENDLESS


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
