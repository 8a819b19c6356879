"""What an answer at a gate says of its author, in statements: found by comparing what was shown with what was made of it."""

import re
from collections.abc import Mapping, Sequence

from beacon.analyst.frameworks import find_lens
from beacon.analyst.preferences import read_preferences
from beacon.analyst.statements import statement_key
from beacon.analyst.wishes import finding_wish, plan_wish, section_wish, wording_wish

SHORTER, LONGER = 0.6, 1.6  # of a report's words, from which another verbosity was meant
MOSTLY = 0.6  # of a report's lines, from which it is made of bullets (or of prose)
MAX_NAMED = 3
_STEPS = ("low", "medium", "high")
_HEADING = re.compile(r"^##\s+(?P<name>.+?)\s*$", re.M)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+\S")
_ITEM = re.compile(r"[\w'’-]+")
_FRAMEWORKS = ("SWOT", "PESTLE", "Porter's Five Forces", "Jobs to be done")
FIXED_SECTIONS = ("What Changed", "Sources")  # the report's own promises: no wish of one reader takes them out


def plan_lessons(title: str, before: Sequence[str], after: Sequence[str], guidelines: Sequence[str], preferences: str) -> list[str]:
    """What a person's plan says of the depth, the questions and the frameworks they want."""
    old, new = {statement_key(q): q for q in before}, {statement_key(q): q for q in after}
    found = [plan_wish(title, q, wanted=False) for key, q in old.items() if key not in new]
    found += [plan_wish(title, q, wanted=True) for key, q in new.items() if key not in old]
    if after and len(after) != len(before):
        found.append(f"Plan depth: {len(after)} {'question' if len(after) == 1 else 'questions'}")
    return found + _frameworks([*(q for key, q in new.items() if key not in old), *guidelines], preferences)


def _frameworks(texts: Sequence[str], preferences: str) -> list[str]:
    known = list(read_preferences(preferences).frameworks)
    lenses = [find_lens(name) for name in known]
    named = [name for name in _FRAMEWORKS if any(_names(text, name) for text in texts) and find_lens(name) not in lenses]
    return [f"Frameworks: {', '.join([*known, *named])}"] if named else []


def _names(text: str, framework: str) -> bool:
    folded = statement_key(text)
    return statement_key(framework) in folded or ("porter" in framework.lower() and "five forces" in folded)


def rejection_lessons(title: str, what: str, shown: Sequence[str], reason: str, day: str) -> list[str]:
    """What was turned down and, in the person's words, why."""
    if reason.strip():
        return [f"Turned down the {what} about “{title}” on {day}: {' '.join(reason.split())}"]
    named = "; ".join(" ".join(one.split()) for one in shown[:MAX_NAMED])
    return [f"Turned down the {what} about “{title}” on {day}" + (f", which was: {named}" if named else "")]


def follow_up_lessons(title: str, question: str, day: str) -> list[str]:
    """A dated note of what the person wanted to know more about."""
    return [f"{day}: asked about “{title}”: {' '.join(question.split())}"]


def dismissal_lessons(title: str, findings: Sequence[str], shown: Sequence[str], reason: str, day: str) -> list[str]:
    """What does not matter to the person: the findings they named, or, named none, that what was shown drew no interest."""
    why = f" ({' '.join(reason.split())})" if reason.strip() and not findings else ""
    if findings:
        return [finding_wish(title, one) for one in findings]
    named = "; ".join(" ".join(one.split()) for one in shown[:MAX_NAMED])
    return [f"For “{title}”, of little interest on {day}: {named}{why}"] if named else []


def report_lessons(before: str, after: str, preferences: str) -> list[str]:
    """What a person's edit of a report says of sections, length, layout and wording."""
    old, new = sections_of(before), sections_of(after)
    gone = [name for name in old if name not in new and not name.startswith(FIXED_SECTIONS)]
    found = [section_wish(name, wanted=False) for name in gone]
    found += [section_wish(name, wanted=True) for name in new if name not in old and not name.startswith(FIXED_SECTIONS)]
    kept_old, kept_new = _kept(old, new), _kept(new, old)
    return [*found, *_length(kept_old, kept_new, preferences), *_layout(kept_old, kept_new), *_wording(kept_old, kept_new)]


def sections_of(markdown: str) -> dict[str, str]:
    """Heading → text of the report's parts; the sources are no part of what is written."""
    marks = list(_HEADING.finditer(markdown))
    ends = [mark.start() for mark in marks[1:]] + [len(markdown)]
    found = {mark["name"]: markdown[mark.end() : end] for mark, end in zip(marks, ends, strict=True)}
    return {name: text for name, text in found.items() if name != "Sources"}


def _kept(mine: Mapping[str, str], others: Mapping[str, str]) -> str:
    return "\n".join(text for name, text in mine.items() if name in others)


def _length(before: str, after: str, preferences: str) -> list[str]:
    old, new = len(before.split()), len(after.split())
    at = _STEPS.index(read_preferences(preferences).verbosity)
    step = -1 if new <= SHORTER * old else 1 if old and new >= LONGER * old else 0
    wanted = _STEPS[min(2, max(0, at + step))]
    return [f"Verbosity: {wanted}"] if step and wanted != _STEPS[at] else []


def _layout(before: str, after: str) -> list[str]:
    old, new = _bullets(before), _bullets(after)
    if old < 1 - MOSTLY and new >= MOSTLY:
        return ["Layout: bullet points"]
    return ["Layout: prose"] if old >= MOSTLY and new < 1 - MOSTLY else []


def _bullets(text: str) -> float:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return sum(bool(_BULLET.match(line)) for line in lines) / len(lines) if lines else 0.0


def _wording(before: str, after: str) -> list[str]:
    """Words that were put in another's place everywhere, at least twice."""
    from difflib import SequenceMatcher

    old, new = _ITEM.findall(before), _ITEM.findall(after)
    if max(len(old), len(new)) > 5000:
        return []
    swaps: dict[tuple[str, str], int] = {}
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and b - a == d - c == 1:
            pair = (old[a].lower(), new[c].lower())
            swaps[pair] = swaps.get(pair, 0) + 1
    left = {word.lower() for word in new}
    return [wording_wish(a, b) for (a, b), count in sorted(swaps.items()) if count >= 2 and a not in left and not (a + b).isdigit()]


def approval_lessons(title: str, number: int, facts: Sequence[str], day: str) -> list[str]:
    """A dated note of what the session was about and what it found."""
    quoted = "; ".join(f"“{' '.join(fact.split())}”" for fact in facts[:MAX_NAMED])
    return [f"{day}: report on “{title}” (run #{number}) approved" + (f". Key findings: {quoted}" if quoted else "")]


def without_findings(sections: Sequence[Mapping[str, object]], findings: Sequence[str]) -> list[dict[str, object]]:
    """The sections without the findings that were dismissed: single quotes, or everything under a title."""
    keys = {statement_key(one) for one in findings}
    kept = [dict(one) for one in sections if statement_key(str(one.get("title", ""))) not in keys]
    for section in kept:
        evidence = section.get("evidence")
        rows = evidence if isinstance(evidence, list) else []
        section["evidence"] = [row for row in rows if statement_key(str(row.get("quote", ""))) not in keys]
    return kept
