"""Numbers, dates and names in a text: what a change of substance most often turns on."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from beacon.analyst.tokens import STOP_WORDS, fold

_MONTH_NAMES = (
    "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_DATE = re.compile(
    rf"\b\d{{4}}-\d{{2}}(?:-\d{{2}})?\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}\b"
    rf"|\b(?:{_MONTH_NAMES})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTH_NAMES})\b(?:,?\s+\d{{4}})?"
    rf"|\b(?:{_MONTH_NAMES})\.?,?\s+\d{{4}}\b|\bq[1-4]\s*(?:of\s+)?\d{{4}}\b|(?<![A-Za-z]-)\b(?:19|20)\d{{2}}\b(?![.,]\d|%|-\d{{3}})"
)
_NUMBER = re.compile(
    r"(?<![\w.,/-])(?P<sign>[-+](?=[\d$€£¥]))?(?P<currency>[€$£¥₹₩]|usd |eur |gbp )?\s?"
    r"(?P<digits>\d*[¼-¾⅐-⅞]|\d+-\d+/\d+|\d+/\d+(?![/\d])|\d+(?:[.,]\d+)*)"
    r"(?:\s?(?P<scale>thousand|million|billion|trillion|mn|bn|[km](?![a-z])))?"
    r"(?P<unit>\s?(?:%|percentage points?|percent|per cent|basis points?|bps?\b))?(?![\d])"
)
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_ONE_DASH = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-")
_WORDS = {w: float(n) for n, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())}
_WORDS |= {w: float(n) for n, w in enumerate("thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), 13)}
_WORDS |= {w: 10.0 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety hundred".split(), 2)}
_WORDS |= {w: float(n) for n, w in enumerate("zwei drei vier fünf sechs sieben acht neun zehn".split(), 2)} | {"zwölf": 12.0}
_WORDS |= {w: 10.0 * n for n, w in enumerate("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert".split(), 2)}
_WORDS |= {"deux": 2.0, "trois": 3.0, "quatre": 4.0, "cinq": 5.0, "huit": 8.0, "dix": 10.0, "douze": 12.0, "vingt": 20.0, "trente": 30.0}
_WORDS |= {w: float(n) for n, w in enumerate("dos tres cuatro cinco seis siete ocho nueve diez".split(), 2)}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b")
_NAME_WORD = r"[^\W\d_a-zà-öø-ÿ][\w'’.&-]*\w|[A-Z]"
_NAME = re.compile(rf"(?<![^\W\d_])(?:[a-z](?=[A-Z]))?(?:{_NAME_WORD})(?:\s+(?:(?:of|the|de|la|von|van|del)\s+)?(?:{_NAME_WORD}))*")
_CAPITALS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: `text[start:end] == surface`; `value` is None where its digits name no amount."""

    start: int
    end: int
    surface: str
    value: float | None
    unit: str


def find_dates(text: str) -> list[tuple[int, int, str]]:
    """The dates, months and years `text` names, as `(start, end, folded words)`."""
    low = text.lower()
    return [
        (found.start(), found.end(), " ".join(found.group().replace(",", " ").replace(".", ". ").split())) for found in _DATE.finditer(low)
    ]


def find_quantities(text: str) -> list[Quantity]:
    """The numbers of `text` that are no dates, in order; number words up to twelve among them."""
    low = _same_length_fold(text)
    taken = [(start, end) for start, end, _ in find_dates(text)]
    found = []
    for match in _NUMBER.finditer(low):
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        if any(start < end and begin < match.end() for begin, end in taken):
            continue
        found.append(Quantity(start, match.end(), text[start : match.end()], _value(match), _unit(match)))
    for match in _NUMBER_WORD.finditer(low):
        found.append(Quantity(match.start(), match.end(), text[match.start() : match.end()], _WORDS[match.group()], ""))
    return sorted(found, key=lambda one: (one.start, one.end))


def _same_length_fold(text: str) -> str:
    plain = text.translate(_ONE_DASH)
    low = plain.lower()
    return low if len(low) == len(text) else "".join(one if len(one := char.lower()) == 1 else char for char in plain)


def _value(match: re.Match[str]) -> float | None:
    digits = match["digits"]
    try:
        whole = _fraction(digits) if "/" in digits or not digits[-1].isdecimal() else float(_decimal(digits))
    except (ValueError, ZeroDivisionError):
        return None
    sign = -1.0 if match["sign"] == "-" else 1.0
    return sign * whole * _SCALES.get(match["scale"] or "", 1.0)


def _fraction(digits: str) -> float:
    if not digits[-1].isdecimal():
        return float(digits[:-1] or 0) + unicodedata.numeric(digits[-1])
    whole, _, part = digits.rpartition("-")
    above, below = part.split("/")
    return float(whole or 0) + float(above) / float(below)


def _decimal(digits: str) -> str:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return digits.replace(",", "")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)", digits) or re.fullmatch(r"\d+,\d{1,2}", digits):
        return digits.replace(".", "").replace(",", ".")
    return digits


def _unit(match: re.Match[str]) -> str:
    unit = (match["unit"] or "").strip()
    if unit.startswith("percentage"):
        return "percentage point"
    if unit.startswith(("b", "B")):
        return "basis point"
    if unit:
        return "%"
    currency = (match["currency"] or "").strip()
    return {"usd": "$", "eur": "€", "gbp": "£"}.get(currency, currency)


@lru_cache(maxsize=16384)
def number_set(text: str) -> frozenset[str]:
    """The amounts of `text` in one written form each, so that 1,200 and 1200 are one."""
    return frozenset(f"{one.value:g}{one.unit}" if one.value is not None else fold(one.surface) for one in find_quantities(text))


def bare_numbers(text: str) -> frozenset[float]:
    """The amounts of `text` without their units."""
    return frozenset(one.value for one in find_quantities(text) if one.value is not None)


@lru_cache(maxsize=16384)
def date_set(text: str) -> frozenset[str]:
    """The dates of `text`, folded."""
    return frozenset(words for _, _, words in find_dates(text))


def find_names(text: str) -> list[tuple[int, int, str]]:
    """Runs of capitalised words `(start, end, surface)`; a lone first word that is merely a sentence's start is not one."""
    found = []
    for match in _NAME.finditer(text):
        surface = match.group()
        first_of_sentence = not text[: match.start()].strip(" \"'“‘(*_") or text[: match.start()].rstrip(" \"'“‘(")[-1:] in ".!?:\n"
        words = surface.split()
        start = match.start()
        if first_of_sentence and words[0].lower() in STOP_WORDS | _OPENERS:
            start += len(words[0])
            start += len(text[start:]) - len(text[start:].lstrip())
            words = words[1:]
        elif first_of_sentence and len(words) == 1 and not _is_marked(surface):
            continue
        surface = text[start : match.end()]
        if words and surface and re.split("['’]", surface)[0].lower() not in _NO_NAMES:
            found.append((start, match.end(), surface))
    return found


_OPENERS = frozenset(
    "in on at for since while although after before during despite however some many most several no not one both each all".split()
)


_NO_NAMES = STOP_WORDS | frozenset(_MONTH_NAMES.split("|")) | frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


def _is_marked(word: str) -> bool:
    """True for acronyms and identifiers, which are names even at a sentence's start."""
    return len(word) > 1 and (word.isupper() or any(char.isdigit() or char.isupper() for char in word[1:]))
