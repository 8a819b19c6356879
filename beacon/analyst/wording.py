"""The words that turn a claim around: negations, obligations, hedges, directions."""

import re

from beacon.analyst.tokens import fold

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nobody|nothing|nicht|kein\w*|nie|pas|jamais|aucune?|sans|nunca|ningun\w*|ningún|sin|"
    r"não|non|mai|niet|geen|inte|ikke|nie|не|нет|без)\b|n't\b|不|没|沒|未|無|ない|ません|\bلا\b|\bليس\b|\bलेकिन नहीं\b|\bनहीं\b"
)
_OBLIGATION = re.compile(
    r"\b(?:will|shall|must|should|would|can|plans? to|intends? to|expects? to|required?|optional|allowed|forbidden|prohibited|mandatory)\b"
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibly|perhaps|likely|unlikely|probably|apparently|somewhat|generally|broadly|roughly|about|around|approximately|nearly|"
    r"almost|largely|mostly|slightly|modestly|relatively|fairly|rather|quite|partly|suggests?|appears?|seems?)\b"
)
_UP = re.compile(
    r"\b(?:increas\w+|rais\w+|ris(?:e|es|ing|en)|rose|gr[eo]w\w*|higher|expand\w*|gain\w*|accelerat\w+|strengthen\w*|tighten\w*|add(?:s|ed|ing)?|"
    r"enabl\w+|allow\w*|accept\w*|approv\w+|open(?:s|ed|ing)?|improv\w+|climb\w*|jump\w*|up|more|above|faster|introduc\w+|start\w*|supported)\b"
)
_DOWN = re.compile(
    r"\b(?:decreas\w+|lower\w*|fall\w*|fell|shr[aiu]nk\w*|contract(?:ed|s|ing)|los(?:e|es|t|ing)|slow\w*|decelerat\w+|weaken\w*|eas(?:e|es|ed|ing)|"
    r"remov\w+|disabl\w+|den(?:y|ies|ied)|reject\w*|clos(?:e|es|ed|ing)|worsen\w*|declin\w+|drop\w*|down|less|fewer|below|slower|reduc\w+|cut(?:s|ting)?|"
    r"stop\w*|end(?:s|ed|ing)|deprecat\w+|unsupported|withdr[ae]w\w*|discontinu\w+)\b"
)
_STILL = re.compile(
    r"\b(?:maintain(?:s|ed|ing)?|unchanged|steady|stabili[sz]ed|stable|paus(?:e|es|ed|ing)|on hold|hold(?:s|ing)?|held|keep(?:s|ing)?|kept|"
    r"leav(?:e|es|ing)|left|remain(?:s|ed|ing)?)\b"
)


def holds_still(text: str) -> bool:
    """True when `text` says of something that it stays as it is."""
    return bool(_STILL.search(fold(text)))


def negation_count(text: str) -> int:
    """How many negations `text` has."""
    return len(_NEGATION.findall(fold(text)))


def obligations(text: str) -> frozenset[str]:
    """The words of obligation, permission and intent in `text`."""
    return frozenset(_OBLIGATION.findall(fold(text)))


def hedges(text: str) -> frozenset[str]:
    """The hedging words in `text`."""
    return frozenset(_HEDGE.findall(fold(text)))


def direction(text: str) -> int:
    """1 when `text` speaks of more, -1 when of less, 0 when of neither or both."""
    folded = fold(text)
    up, down = bool(_UP.search(folded)), bool(_DOWN.search(folded))
    return int(up) - int(down)
