"""The words that turn a claim around: negations, obligations, hedges, directions."""

import re
from collections import Counter

from beacon.analyst.tokens import fold

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nobody|nothing|nicht|kein\w*|nie|pas|jamais|aucune?|sans|"
    r"nunca|ningun\w*|ningún|sin|"
    r"não|non|mai|niet|geen|inte|ikke|nie|не|нет|без)\b|n't\b|不|没|沒|未|無|ない|ません|\bلا\b|\bليس\b|\bलेकिन नहीं\b|\bनहीं\b"
)
_OBLIGATION = re.compile(
    r"\b(?:will|shall|must|should|would|can|plans? to|intends? to|expects? to|required?|optional|allowed|forbidden|prohibited|mandatory)\b"
)
# How strongly a thing is asked for, from the words of standards and laws: forbidden 4, required 3, advised 2, allowed 1.
_FORBIDDEN = re.compile(
    r"^\W*(?:do not|don't|never)\b|\b(?:must not|shall not|may not|cannot|can not|mustn't|can't|prohibited|"
    r"forbidden|not (?:be )?(?:allowed|"
    r"permitted)|(?:darf|dürfen|muss) nicht|"
    r"verboten|unzulässig|ne (?:doit|peut) pas|interdite?s?|prohibid[oa]s?|no (?:debe|puede)n?|vietato)\b"
)
_MODAL = {
    3: re.compile(
        r"\b(?:must|shall|required|requires?|mandatory|compulsory|obliged|obligatory|(?:has|have|needs?) to|muss|müssen|"
        r"verpflichtet|pflicht|"
        r"doit|doivent|obligatoire|deben?|obligatorio|deve|devono)\b|必须|必須|应当|なければならない"
    ),
    2: re.compile(
        r"\b(?:should|ought|recommended|advised|encouraged|soll|sollen|sollte|sollten|empfohlen|devraient|devrait|debería|dovrebbe)\b|应该|建议"
    ),
    1: re.compile(
        r"\b(?:may|can|optional|optionally|voluntary|allowed|permitted|kann|können|darf|dürfen|freiwillig|peut|peuvent|pueden?|può)\b|可以|可选"
    ),
}
_DAYS_AND_SHARES = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|"
    r"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|"
    r"half|halves|thirds?|quarters?|hälfte|drittel|viertel|moitié|tiers|quarts?|mitad|tercio|"
    r"treize|quatorze|quinze|seize|quarante|cinquante|soixante|once|quince|veinte|treinta|cuarenta|cincuenta)\b"
)
# What widens, narrows or binds a claim.
_QUALIFIER = re.compile(
    r"\b(?:except|excepting|unless|only|solely|exclusively|including|excluding|without|other than|provided|"
    r"subject to|notwithstanding|or|either|both|any|"
    r"all|every|everyone|some|most|at least|at most|up to|more than|fewer than|less than|automatically|manually|"
    r"außer|sofern|nur|ausschließlich|einschließlich|ausgenommen|ohne|oder|alle|jede[rsnm]?|mindestens|höchstens|automatisch|"
    r"sauf|uniquement|seulement|y compris|hors|sans|tous|toutes|excepto|salvo|solo|incluid[oa]s?|sin|todos|todas)\b"
)
_STATE = re.compile(
    r"\b(?:grant|refus|approv|reject|accept|den(?=ied|ies|y)|suspend|resum|terminat|revok|withdraw|deprecat|remov|"
    r"discontinu|unsupported|support(?=ed\b)|"
    r"enabl|disabl|open(?=ed\b|s?\b)|clos(?=ed\b|es?\b)|inactiv|activ(?=e\b|ated)|invalid|valid\b|repeal|supersed|"
    r"replac|mandator|optional|voluntar|"
    r"compulsor|automatic|manual|free\b|paid\b|public\b|private\b|confidential|precise|approximate|exact\b|final\b|"
    r"draft\b|provisional|permanent|"
    r"temporar|unavailable|available|unknown|unresolved|resolved|cancel|postpon|delay|pass(?=ed\b)|fail|against|in favou?r|abstain|award|"
    r"genehmig|abgelehn|ausgesetzt|aufgehob|ungültig|gültig|vorläufig|endgültig|verfügbar|pflicht|freiwillig|präzis|ungefähr)\w*"
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibly|perhaps|likely|unlikely|probably|apparently|somewhat|generally|broadly|roughly|"
    r"about|around|approximately|nearly|"
    r"almost|largely|mostly|slightly|modestly|relatively|fairly|rather|quite|partly|suggests?|appears?|seems?)\b"
)
_UP = re.compile(
    r"\b(?:increas\w+|rais\w+|ris(?:e|es|ing|en)|rose|gr[eo]w\w*|higher|expand\w*|gain\w*|accelerat\w+|"
    r"strengthen\w*|tighten\w*|add(?:s|ed|ing)?|"
    r"enabl\w+|allow\w*|accept\w*|approv\w+|open(?:s|ed|ing)?|improv\w+|climb\w*|jump\w*|up|more|above|faster|"
    r"introduc\w+|start\w*|supported)\b"
)
_DOWN = re.compile(
    r"\b(?:decreas\w+|lower\w*|fall\w*|fell|shr[aiu]nk\w*|contract(?:ed|s|ing)|los(?:e|es|t|ing)|slow\w*|"
    r"decelerat\w+|weaken\w*|eas(?:e|es|ed|ing)|"
    r"remov\w+|disabl\w+|den(?:y|ies|ied)|reject\w*|clos(?:e|es|ed|ing)|worsen\w*|declin\w+|drop\w*|down|less|fewer|"
    r"below|slower|reduc\w+|cut(?:s|ting)?|"
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


def modality(text: str) -> tuple[int, ...]:
    """How strongly `text` asks for what it asks: 4 forbidden, 3 required, 2 advised, 1 allowed, for each time it does, sorted."""
    folded = fold(text)
    found = [4] * len(_FORBIDDEN.findall(folded))
    rest = _FORBIDDEN.sub(" ", folded)
    for level, words in _MODAL.items():
        found += [level] * len(words.findall(rest))
    return tuple(sorted(found))


def weekdays(text: str) -> frozenset[str]:
    """The days of the week `text` names, and the fractions it gives in words."""
    return frozenset(_DAYS_AND_SHARES.findall(fold(text)))


def qualifiers(text: str) -> Counter[str]:
    """The words of `text` that widen, narrow or bind what it says."""
    return Counter(_QUALIFIER.findall(fold(text)))


def states(text: str) -> frozenset[str]:
    """The words of `text` that say in which state a thing is."""
    return frozenset(_STATE.findall(fold(text)))


def hedges(text: str) -> frozenset[str]:
    """The hedging words in `text`."""
    return frozenset(_HEDGE.findall(fold(text)))


def direction(text: str) -> int:
    """1 when `text` speaks of more, -1 when of less, 0 when of neither or both."""
    folded = fold(text)
    up, down = bool(_UP.search(folded)), bool(_DOWN.search(folded))
    return int(up) - int(down)
