"""What is wrong with a report, and the mending that needs no new words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from beacon.analyst.markdown import plain
from beacon.analyst.report import (
    IN_BRIEF,
    KEY_FACTS,
    LIMITS,
    SOURCES,
    WHAT_CHANGED,
    CitedSource,
    Evidence,
    ReportInput,
    ReportSentence,
    ReportText,
    evidence_key,
    write_report,
)
from beacon.analyst.sentences import split_sentences
from beacon.analyst.statements import is_boilerplate, statement_key
from beacon.analyst.tokens import content_tokens

FindingKind = Literal["uncited", "inexact", "repetition", "boilerplate", "unanswered", "preference"]
_REPEATED = 0.9  # share of content words in common from which two claims are one
_MARK = re.compile(r"\[\^?(\d{1,3})\](?!\()|\(\[[^\]]*\]\((https?://[^)\s]+)\)\)")
_LEADING_MARKS = re.compile(rf"(?:\s*(?:{_MARK.pattern}))+")
_QUOTE = re.compile(r"“([^”]{3,})”|\"([^\"]{3,})\"")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
_META = re.compile(
    r"^(?:Run #\d|Nothing changed since|Nothing new was read|"
    r"And \d+ smaller|Insufficient evidence|\d+ statements? (?:was|were) confirmed|>|\||\*\*[^*]+\*\*$)"
)


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """One fault; `sentence` is its place in `ReportText.sentences`, -1 where it concerns a part or the whole."""

    kind: FindingKind
    message: str
    sentence: int = -1
    part: str = ""


def review_report(report: ReportText, given: ReportInput, texts: Mapping[str, str]) -> list[ReviewFinding]:
    """The faults of a report, in reading order; `texts` holds the text of each version (or source) by id."""
    findings = [
        finding
        for place, sentence in enumerate(report.sentences)
        for finding in (_uncited(place, sentence), _inexact(place, sentence, texts), _boilerplate(place, sentence))
        if finding is not None
    ]
    findings += _repetitions(report.sentences)
    findings += _unanswered(report, given)
    findings += _preferences(report, given)
    return sorted(findings, key=lambda one: (one.sentence < 0, one.sentence, one.kind, one.part))


def _uncited(place: int, sentence: ReportSentence) -> ReviewFinding | None:
    if sentence.citations:
        return None
    return ReviewFinding("uncited", f"“{sentence.text[:80]}” cites nothing.", place, sentence.part)


def _inexact(place: int, sentence: ReportSentence, texts: Mapping[str, str]) -> ReviewFinding | None:
    for quote in dict.fromkeys(one.quote for one in sentence.evidence):
        places = [one for one in sentence.evidence if one.quote == quote]
        known = [(one, text) for one in places if (text := texts.get(one.version_id, texts.get(one.source_id))) is not None]
        if known and not any(_stands_in(one, text) for one, text in known):
            return ReviewFinding("inexact", f"“{quote[:80]}” is not the exact text of its source.", place, sentence.part)
    return None


def _stands_in(one: Evidence, text: str) -> bool:
    if one.start < 0:
        return plain(one.quote) in plain(text)
    return bool(one.quote) and text[one.start : one.end] == one.quote


def _boilerplate(place: int, sentence: ReportSentence) -> ReviewFinding | None:
    if any(is_boilerplate(one.quote, "turn") for one in sentence.evidence):
        return ReviewFinding("boilerplate", f"“{sentence.text[:80]}” is page furniture, not content.", place, sentence.part)
    return None


def _repetitions(sentences: Sequence[ReportSentence]) -> list[ReviewFinding]:
    """Claims made twice; the brief and the list of changes may tell ahead what a section then tells in its place."""
    seen: list[tuple[str, frozenset[str]]] = []
    findings = []
    for place, sentence in enumerate(sentences):
        if sentence.part.startswith((WHAT_CHANGED, IN_BRIEF)):
            continue
        key, words = statement_key(sentence.text), frozenset(content_tokens(sentence.text))
        again = any(key == other or len(words & others) >= _REPEATED * max(1, len(words | others)) for other, others in seen)
        if again:
            findings.append(ReviewFinding("repetition", f"“{sentence.text[:80]}” was said before.", place, sentence.part))
        seen.append((key, words))
    return findings


def _unanswered(report: ReportText, given: ReportInput) -> list[ReviewFinding]:
    said = {sentence.part for sentence in report.sentences}
    return [
        ReviewFinding("unanswered", f"“{section.question}” has no answer, though evidence for it was found.", part=section.title)
        for section in given.sections
        if section.title not in said and section.evidence and not _stands_elsewhere(report, section.evidence)
    ]


def _stands_elsewhere(report: ReportText, evidence: Sequence[Evidence]) -> bool:
    said = {statement_key(one.quote) for sentence in report.sentences for one in sentence.evidence}
    return any(statement_key(one.quote) in said for one in evidence)


def _preferences(report: ReportText, given: ReportInput) -> list[ReviewFinding]:
    limits, findings = LIMITS[given.preferences.verbosity], []
    counts: dict[str, int] = {}
    for sentence in report.sentences:
        counts[sentence.part] = counts.get(sentence.part, 0) + 1
    for part, most in [(section.title, limits.per_section) for section in given.sections] + [
        (IN_BRIEF, limits.brief),
        (KEY_FACTS, limits.facts),
    ]:
        if counts.get(part, 0) > most:
            findings.append(
                ReviewFinding("preference", f"“{part}” has {counts[part]} statements; the reader wants at most {most}.", part=part)
            )
    style = given.preferences.citation_style
    wrong = {"footnotes": r"\[\d+\](?!\()", "numbered": r"\[\^\d+\]", "inline": r"\[\^\d+\]"}[style]
    if re.search(wrong, report.markdown):
        findings.append(ReviewFinding("preference", f"Citations are not in the reader's style ({style})."))
    return findings


def revise_report(report: ReportText, given: ReportInput, findings: Sequence[ReviewFinding]) -> ReportText:
    """The report written again without the quotes that were found inexact, repeated, uncited or furniture."""
    bad = {one.sentence for one in findings if one.sentence >= 0 and one.kind in ("uncited", "inexact", "boilerplate")}
    without = frozenset(evidence_key(one) for place in sorted(bad) for one in report.sentences[place].evidence)
    return write_report(given, without=without)


def read_report(markdown: str, sources: Sequence[CitedSource]) -> ReportText:
    """A report someone else wrote or edited, taken apart so that it can be reviewed; quotes are looked up by text, not place."""
    numbers: dict[str, list[int]] = {str(one.n): [one.n] for one in sources}
    for one in sources:
        numbers.setdefault(one.source.url, []).append(one.n)
    by_number = {one.n: one.source.source_id for one in sources}
    sentences: list[ReportSentence] = []
    part = ""
    for line in markdown.splitlines():
        if line.startswith("#"):
            part = line.lstrip("# ").strip() if line.startswith("## ") else part
        elif line.strip() and part and part != SOURCES and not _META.match(line):
            for claim in _claims(line):
                sentences.append(_read_claim(claim, part, numbers, by_number))
    return ReportText(markdown, tuple(sentences), tuple(sources))


def _claims(line: str) -> list[str]:
    """The claims of a line: a bullet is one; a paragraph has one a sentence, a quotation counting as part of its sentence."""
    if _BULLET.match(line):
        return [_BULLET.sub("", line)]
    masked = _QUOTE.sub(lambda found: "“" + "x" * (len(found.group()) - 3) + found.group()[-2] + "”", line)
    masked = _MARK.sub(lambda found: "[" + "0" * (len(found.group()) - 2) + "]", masked)
    claims: list[str] = []
    for start, end in _with_marks(split_sentences(masked), line):
        claims.append(line[start:end])
    return claims


def _with_marks(spans: Sequence[tuple[int, int]], line: str) -> list[tuple[int, int]]:
    """Spans in which citation marks after a full stop belong to the sentence before."""
    out: list[tuple[int, int]] = []
    for start, end in spans:
        marks = _LEADING_MARKS.match(line, start)
        if marks and out:
            out[-1] = (out[-1][0], marks.end())
            start = marks.end()
        if line[start:end].strip(" .“”"):
            out.append((start, end))
    return out


def _read_claim(claim: str, part: str, numbers: Mapping[str, Sequence[int]], by_number: Mapping[int, str]) -> ReportSentence:
    marks = [(found.start(), [n for n in numbers.get(found[1] or found[2], ()) if n in by_number]) for found in _MARK.finditer(claim)]
    quotes: list[Evidence] = []
    for found in _QUOTE.finditer(claim):
        following = next((ns for at, ns in marks if at >= found.end() and ns), [])
        quotes += [Evidence(found[1] or found[2], by_number[n], -1, -1) for n in following]
    text = " ".join(_MARK.sub("", claim).split())
    return ReportSentence(text, tuple(dict.fromkeys(n for _, ns in marks for n in ns)), part, tuple(quotes))
