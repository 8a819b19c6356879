"""How much a memory matters, 0-1, and why: who, novelty, emotion, goals, and what was asked to be remembered. No model."""

import re
from collections.abc import Iterable, Mapping, Sequence

from beacon.analyst.tokens import content_tokens, fold, tokenize

# Parts join as independent reasons (noisy-or): none is needed, each one raises what the others leave.
PART_WEIGHTS: Mapping[str, float] = {"who": 0.25, "novelty": 0.25, "emotion": 0.25, "goals": 0.35, "marker": 0.70}
OWNER, TRUSTED = 0.5, 1.0
DIGITS = 4

_MARKER = re.compile(
    r"\b(?:remember (?:this|that|my|our|to|:)|please remember|don['’]t forget|do not forget|never forget|keep in mind|make a note|"
    r"take note|note that|"
    r"for the record|(?:this|it|that) is (?:very |really |so )?important|important:|n['’]oublie(?:z)? pas|retiens|recuerda|no olvides|"
    r"merk(?:e)? dir|nicht vergessen|lembre-se|ricorda(?:ti)?)|记住|請記住|覚えて|忘れないで|기억해|запомни|تذكر|याद रख",
    re.I,
)
_FOREVER = re.compile(r"\b(?:forever|always remember|never forget|permanently)\b", re.I)
_POSITIVE = frozenset(
    "love loved amazing wonderful fantastic excellent awesome thrilled excited exciting delighted happy proud celebrate celebrated "
    "won wedding "
    "married engaged promoted birthday grateful brilliant breakthrough congratulations relieved".split()
)
_NEGATIVE = frozenset(
    "hate hated terrible horrible awful angry furious upset sad devastated worried anxious afraid scared crisis disaster urgent "
    "emergency failed "
    "failure fired lost died death crash outage broken frustrated frustrating disappointed disappointing unacceptable argument "
    "conflict".split()
)
_SURPRISE = frozenset("surprised surprising unexpected unexpectedly shocked shocking suddenly unbelievable wow incredible".split())
_CUE = {"word": 0.4, "exclamation": 0.2, "capitals": 0.2}  # small: words are weak evidence of feeling


def importance_from(parts: Mapping[str, float]) -> float:
    """The importance its parts make."""
    left = 1.0
    for name, weight in PART_WEIGHTS.items():
        left *= 1.0 - weight * min(1.0, max(0.0, parts.get(name, 0.0)))
    return round(1.0 - left, DIGITS)


def importance_parts(
    text: str,
    *,
    people: Iterable[str] = (),
    by_owner: bool = False,
    trusted: Sequence[str] = (),
    goals: Sequence[str] = (),
    closest: float = 0.0,
) -> dict[str, float]:
    """The parts, each 0-1; `closest` is how close the nearest thing already remembered is."""
    return {
        "who": _who(text, people, by_owner, trusted),
        "novelty": round(1.0 - min(1.0, max(0.0, closest)), DIGITS),
        "emotion": read_tone(text)[1],
        "goals": round(max((_share(goal, text) for goal in goals), default=0.0), DIGITS),
        "marker": 1.0 if has_marker(text) else 0.0,
    }


def _who(text: str, people: Iterable[str], by_owner: bool, trusted: Sequence[str]) -> float:
    present = {fold(person) for person in people}
    words = f" {' '.join(tokenize(text))} "
    for person in trusted:
        if fold(person) in present or (tokenize(person) and f" {' '.join(tokenize(person))} " in words):
            return TRUSTED
    return OWNER if by_owner else 0.0


def _share(goal: str, text: str) -> float:
    wanted, found = set(content_tokens(goal)), set(content_tokens(text))
    return len(wanted & found) / len(wanted) if wanted else 0.0


def has_marker(text: str) -> bool:
    """Whether the text asks to be remembered."""
    return _MARKER.search(text) is not None


def is_forever(text: str) -> bool:
    """Whether it is to be kept for good."""
    return has_marker(text) and _FOREVER.search(text) is not None


def read_tone(text: str) -> tuple[str, float]:
    """The tone (positive, negative, surprised, or empty for neutral) and its strength, 0-1, from plain cues."""
    words = tokenize(text)
    counts = {
        name: sum(word in cues for word in words)
        for name, cues in (("negative", _NEGATIVE), ("positive", _POSITIVE), ("surprised", _SURPRISE))
    }
    shouted = sum(1 for word in re.findall(r"[^\W\d_]{4,}", text) if word.isupper())
    marks = text.count("!") + text.count("！")
    strength = min(1.0, _CUE["word"] * sum(counts.values()) + _CUE["exclamation"] * min(marks, 3) + _CUE["capitals"] * min(shouted, 2))
    label = max(counts, key=lambda name: counts[name]) if any(counts.values()) else ""
    return label, round(strength, DIGITS)
