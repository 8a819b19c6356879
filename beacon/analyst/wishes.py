"""Wishes about one topic's plans, findings and reports: lines of the preferences document that a program can write and read again."""

import re
from dataclasses import dataclass

from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import content_tokens

_PLAN = re.compile(r"^In plans about “(?P<title>[^”]*)”, (?P<what>leave out|also ask): (?P<text>.+)$")
_FINDING = re.compile(r"^For “(?P<title>[^”]*)”, not relevant: (?P<text>.+)$")
_SECTION = re.compile(r"^In reports, (?P<what>leave out|include) the section “(?P<text>[^”]+)”")
_WORDS = re.compile(r"^In reports, write “(?P<new>[^”]+)”, not “(?P<old>[^”]+)”")
_DEPTH = re.compile(r"^Plan depth: (?P<n>\d{1,2}) questions?\b", re.I)
_SHORT = 4  # words up to which a dismissed finding names a subject; a longer one is that very statement
_BULLET = re.compile(r"^[\s*+•-]*")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a reader asked for by what they did: (title, question) of plans, (title, finding), names of sections, (old, new) words."""

    asked: tuple[tuple[str, str], ...] = ()
    not_asked: tuple[tuple[str, str], ...] = ()
    dismissed: tuple[tuple[str, str], ...] = ()
    no_sections: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    depth: int = 0  # questions a plan should have; 0: nothing was said


def plan_wish(title: str, question: str, *, wanted: bool) -> str:
    """The wish that plans about a topic ask a question, or leave it out."""
    return f"In plans about “{_bare(title)}”, {'also ask' if wanted else 'leave out'}: {_line(question)}"


def finding_wish(title: str, finding: str) -> str:
    """The wish not to be told of a finding."""
    return f"For “{_bare(title)}”, not relevant: {_line(finding)}"


def section_wish(name: str, *, wanted: bool) -> str:
    """The wish that reports have a section, or do without it."""
    return f"In reports, {'include' if wanted else 'leave out'} the section “{_bare(name)}”"


def wording_wish(old: str, new: str) -> str:
    """The wish that reports use one word for another."""
    return f"In reports, write “{_bare(new)}”, not “{_bare(old)}”"


def _bare(text: str) -> str:
    return _line(text).replace("“", "").replace("”", "")


def _line(text: str) -> str:
    return " ".join(text.split())


def wish_topic(line: str) -> str:
    """What a wish decides, so that a newer one takes its place; empty for a line that is none."""
    plain = _BULLET.sub("", line)
    if found := _PLAN.match(plain):
        return f"wish plan {statement_key(found['title'])}: {statement_key(found['text'])}"
    if found := _SECTION.match(plain):
        return f"wish section {statement_key(found['text'])}"
    return f"wish word {statement_key(found['old'])}" if (found := _WORDS.match(plain)) else ""


def read_wishes(text: str) -> Wishes:
    """The wishes of a preferences document, in its order."""
    lines = [_BULLET.sub("", line).strip() for line in text.splitlines()]
    parts = [found for line in lines if (found := _SECTION.match(line))]
    plans = [found for line in lines if (found := _PLAN.match(line))]
    return Wishes(
        asked=tuple((found["title"], found["text"]) for found in plans if found["what"] == "also ask"),
        not_asked=tuple((found["title"], found["text"]) for found in plans if found["what"] == "leave out"),
        dismissed=tuple((found["title"], found["text"]) for line in lines if (found := _FINDING.match(line))),
        no_sections=tuple(found["text"] for found in parts if found["what"] == "leave out"),
        sections=tuple(found["text"] for found in parts if found["what"] == "include"),
        words=tuple((found["old"], found["new"]) for line in lines if (found := _WORDS.match(line))),
        depth=max((int(found["n"]) for line in lines if (found := _DEPTH.match(line))), default=0),
    )


def same_title(one: str, other: str) -> bool:
    """Whether two titles name the same topic."""
    return statement_key(_bare(one)) == statement_key(_bare(other))


def is_dismissed(quote: str, title: str, wishes: Wishes) -> bool:
    """Whether the reader said of a topic that this is not relevant: the very statement, or a subject it speaks of."""
    key, words = statement_key(quote), frozenset(content_tokens(quote))
    for about, finding in wishes.dismissed:
        named = frozenset(content_tokens(finding))
        if same_title(about, title) and (statement_key(finding) == key or (named and len(named) <= _SHORT and named <= words)):
            return True
    return False
