"""An answer in its reader's form: how long, in prose or bullets, how cited, under which headings. The quotes stay exact."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from beacon.analyst.frameworks import find_lens
from beacon.analyst.headings import translate
from beacon.analyst.preferences import Preferences
from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import content_tokens

SHORT = 2  # sentences for a reader who wants little
FURTHER = 3  # sentences beyond the answer for one who wants much
LONGEST = 300  # characters of such a sentence
_ANALYSIS = re.compile(r"\b(?:analy[sz]e|analysis|assess\w*|evaluat\w*|strengths?|weakness\w*|swot|five forces|pestle?)\b", re.I)
Quote = Mapping[str, Any]


def shape_answer(
    question: str, answering: Sequence[Quote], others: Sequence[Quote], preferences: Preferences, *, dated: bool = False
) -> tuple[str, list[Quote]]:
    """(the answer's text, the quotes it cites): every sentence keeps the number of its quote. `dated` sets each behind its date."""
    told = list(answering[:SHORT] if preferences.verbosity == "low" and not dated else answering)
    lines = [_line(quote, str(quote["quote"]), preferences) for quote in told]
    if dated:
        text = "\n".join(f"- {quote['date']}: {line}" for quote, line in zip(told, lines, strict=True))
    elif grouped := _grouped(question, told, preferences):
        text = grouped
    else:
        text = "\n".join(f"- {line}" for line in lines) if preferences.layout == "bullets" else " ".join(lines)
    further = _further(question, told, others) if preferences.verbosity == "high" else []
    if further:
        more = "\n".join(f"- {_line(quote, sentence, preferences)}" for quote, sentence in further)
        text = f"{text}\n\n{translate('Further evidence', preferences.language)}:\n{more}"
    cited = [*told, *(quote for quote, _ in further)]
    if preferences.citation_style == "footnotes":
        notes = "\n".join(f"[{quote['n']}] {_source(quote)}" for quote in cited)
        text = f"{text}\n\n{translate('Sources', preferences.language)}:\n{notes}"
    return text, cited


def _line(quote: Quote, words: str, preferences: Preferences) -> str:
    if preferences.citation_style == "inline":
        return f"{words} ({_source(quote)}) [{quote['n']}]"
    return f"{words} [{quote['n']}]"


def _source(quote: Quote) -> str:
    """A quote's source in words: its title, its date and, where it has one, its address."""
    return ", ".join(str(part) for part in (quote.get("title"), quote.get("date"), quote.get("url")) if part)


def _grouped(question: str, told: Sequence[Quote], preferences: Preferences) -> str:
    """The sentences under the headings of the reader's framework, where an analysis is asked for and at least two fit."""
    lens = next((found for name in preferences.frameworks if (found := find_lens(name))), ())
    if not lens or not _ANALYSIS.search(question):
        return ""
    placed: dict[str, list[Quote]] = {}
    for quote in told:
        heading = next((name for name, cues in lens if cues.search(str(quote["quote"]))), "")
        placed.setdefault(heading, []).append(quote)
    if len([name for name in placed if name]) < 1 or len(told) < 2:
        return ""
    blocks = []
    for name in [*(name for name, _ in lens), ""]:
        lines = "\n".join(f"- {_line(quote, str(quote['quote']), preferences)}" for quote in placed.get(name, []))
        if lines:
            blocks.append(f"{name}:\n{lines}" if name else lines)
    return "\n\n".join(blocks)


def _further(question: str, told: Sequence[Quote], others: Sequence[Quote]) -> list[tuple[Quote, str]]:
    """(quote, its sentence that speaks of the question most) of the passages beside the answer, best first."""
    asked, said = frozenset(content_tokens(question)), {str(quote["quote"]) for quote in told}
    found: list[tuple[Quote, str]] = []
    for quote in others:
        text = str(quote["quote"])
        spans = [(a, b) for a, b in split_sentences(text) if b - a <= LONGEST and text[a:b] not in said]
        best = max(spans, key=lambda span: (len(asked & set(content_tokens(text[span[0] : span[1]]))), -span[0]), default=None)
        if best and asked & set(content_tokens(text[best[0] : best[1]])):
            found.append((quote, text[best[0] : best[1]]))
            said.add(found[-1][1])
    return found[:FURTHER]
