"""What a run will ask: three to six questions, from the topic's own queries first."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from beacon.analyst.quantities import find_names
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import content_tokens, without_links

FEWEST, MOST = 3, 6
_ASKED_FOR = re.compile(
    r"\b(?:focus(?:es)? on|cover|include|look (?:at|into)|compare|track|follow|watch|pay attention to|"
    r"emphasi[sz]e|report on)\s+(?P<what>[^.;\n]{3,80})",
    re.I,
)
_QUESTION_WORD = re.compile(
    r"^(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|has|have|can|will|should)\b", re.I
)
_VOICES = frozenset("survey interview transcript ticket feedback review forum conversation response".split())


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: its heading and the question its evidence must answer."""

    title: str
    question: str


def plan_questions(
    title: str, queries: Sequence[str] = (), guidelines: Sequence[str] = (), memory_context: str = "", source_kinds: Sequence[str] = ()
) -> list[Section]:
    """Three to six sections: the queries, then what the guidelines ask for, then recurring subjects, then standing questions."""
    sections: list[Section] = []
    for query in queries:
        _add(sections, _section_of(query))
    for guideline in guidelines:
        for found in _ASKED_FOR.finditer(guideline):
            _add(sections, _section_of(found["what"]))
    if len(sections) < FEWEST:
        for subject in _recurring(memory_context, title)[: MOST - 2] if not queries else ():
            _add(sections, Section(subject, f"What is new about {subject}, and what does it mean for {title}?"))
    for section in _standing(title, source_kinds):
        if len(sections) >= FEWEST:
            break
        _add(sections, section)
    return sections[:MOST]


def _add(sections: list[Section], section: Section) -> None:
    mine = set(content_tokens(section.title))
    for other in sections:
        theirs = set(content_tokens(other.title))
        if statement_key(section.title) == statement_key(other.title) or len(mine & theirs) >= 0.8 * max(1, len(mine | theirs)):
            return
    if section.title:
        sections.append(section)


def _section_of(query: str) -> Section:
    plain = " ".join(query.split()).rstrip("?.!; ")
    heading = plain[:1].upper() + plain[1:]
    if _QUESTION_WORD.match(plain):
        return Section(heading + "?", heading + "?")
    return Section(heading, f"What do the sources say about {plain}?")


def _recurring(memory_context: str, title: str) -> list[str]:
    """Names that come up at least twice in what is remembered, most often first, without the topic's own."""
    own = set(content_tokens(title))
    counts = Counter(name for _, _, name in find_names(without_links(memory_context)) if not set(content_tokens(name)) <= own)
    return [name for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if count >= 2 and len(name) > 2]


def _standing(title: str, source_kinds: Sequence[str]) -> list[Section]:
    voices = any(word in kind.lower() for kind in source_kinds for word in _VOICES)
    sections = [Section("Where things stand", f"What is the present state of {title}?")]
    if voices:
        sections.append(Section("What people say", f"What do people say they need, like or struggle with in {title}?"))
    return [
        *sections,
        Section("What drives it", f"What reasons and causes do the sources give in {title}?"),
        Section("What comes next", f"What is expected, planned or uncertain in {title}?"),
    ]
