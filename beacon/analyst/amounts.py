"""Amounts in one written form: number words as figures, durations, measures and hours of the day in one unit each."""

import re

_ONES = {word: n for n, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())}
_ONES |= {word: n for n, word in enumerate("thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), 13)}
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ANY = "|".join([*_ONES, *_TENS, *_SCALES])
# A lone "one" is mostly a pronoun; it counts before a scale or a unit of time, which are read with it.
_SPELLED = re.compile(
    rf"\b(?:{'|'.join([*list(_ONES)[2:], *_TENS])})(?:[\s-](?:and\s)?(?:{_ANY}))*\b|\b(?:one|an?)\s(?:{'|'.join(_SCALES)})\b"
)
_SCALED = re.compile(rf"(?<![\w.,])(\d+(?:\.\d+)?)\s(?P<scale>{'|'.join(_SCALES)})\b")
_NIL = re.compile(r"(?<![\w.,])[$€£¥]0(?:\.0+)?(?![\d.,])|\bnil\b")

_LENGTHS = {
    "year": (12, "months"), "month": (1, "months"), "week": (604800, "sec"), "day": (86400, "sec"), "hour": (3600, "sec"),
    "minute": (60, "sec"), "second": (1, "sec"), "jahr": (12, "months"), "monat": (1, "months"), "woche": (604800, "sec"),
    "tag": (86400, "sec"),
    "stunde": (3600, "sec"), "minuten": (60, "sec"), "sekunde": (1, "sec"), "hr": (3600, "sec"), "min": (60, "sec"),
}  # fmt: skip
_DURATION = re.compile(
    r"(?<![\w.,-])(\d+(?:\.\d+)?|one)[\s-](year|month|week|day|hour|hr|minuten|minute|min|second|jahr|monat|woche|tag|stunde|sekunde)(?:e?s|en?)?\b"
)
_SUM = re.compile(r"(\d+(?:\.\d+)?) (sec|months)(?: and)? (\d+(?:\.\d+)?) \2\b")
_UNITS = {
    "km": (1000, "m"), "m": (1, "m"), "cm": (0.01, "m"), "mm": (0.001, "m"), "kg": (1000, "g"), "g": (1, "g"), "mg": (0.001, "g"),
    "t": (1e6, "g"),
    "l": (1000, "ml"), "dl": (100, "ml"), "cl": (10, "ml"), "ml": (1, "ml"), "litre": (1000, "ml"), "liter": (1000, "ml"),
    "metre": (1, "m"),
    "kilometre": (1000, "m"), "kb": (1e3, "byte"), "mb": (1e6, "byte"), "gb": (1e9, "byte"), "tb": (1e12, "byte"), "ms": (0.001, "sec"),
    "kw": (1000, "w"), "mw": (1e6, "w"), "khz": (1e3, "hz"), "mhz": (1e6, "hz"), "ghz": (1e9, "hz"),
}  # fmt: skip
_MEASURE = re.compile(rf"(?<![\w.,-])(\d+(?:\.\d+)?)\s?({'|'.join(sorted(_UNITS, key=lambda unit: (-len(unit), unit)))})s?(?![\w/²³^])")
_SPAN = re.compile(r"(?<![\w.,-])(?!(?:19|20)\d{2}\s?-\s?[01]\d(?!\d))(\d+(?:\.\d+)?)\s?-\s?(\d+(?:\.\d+)?)(?![\w-]|[.,]\d)")
_HOUR = re.compile(r"(?<![\w.,:])(\d{1,2})(?:[:.](\d{2}))?\s?(a\.?m\.?|p\.?m\.?)(?!\w)|\b(noon|midnight)\b")
_OCLOCK = re.compile(r"(?<![\w.,:-])(\d{1,2})(?:[:.](\d{2}))?\s(?:uhr|o'clock)\b")
_ABOUT_ITSELF = re.compile(
    r"\b\d[\d.,]*(?=\s(?:pages?|seiten)\b)|(?<=\bread )\d[\d.,]*(?= times)|(?<=\bviewed )\d[\d.,]*(?= times)|(?<=page count )\d+"
)


def plain_amounts(folded: str) -> str:
    """`folded`, which has plain digits, with each amount in one form; a count of pages or readers, which is of the text itself, as #."""
    folded = _NIL.sub("0", _SPELLED.sub(_figure, folded))
    folded = _SCALED.sub(lambda found: f"{float(found[1]) * _SCALES[found['scale']]:.15g}", folded)
    folded = _HOUR.sub(_clock, _OCLOCK.sub(lambda found: f"{int(found[1]):02d}:{found[2] or '00'}", folded))
    folded = _SPAN.sub(r"\1 to \2", folded)
    folded = _DURATION.sub(_duration, _ABOUT_ITSELF.sub("#", folded))
    folded = _SUM.sub(lambda found: f"{float(found[1]) + float(found[3]):g} {found[2]}", folded)
    return _MEASURE.sub(_measure, folded)


def has_amount(folded: str) -> bool:
    """Whether there is anything to write otherwise."""
    return any(char.isdigit() for char in folded) or bool(_SPELLED.search(folded) or _DURATION.search(folded) or _HOUR.search(folded))


def _figure(found: re.Match[str]) -> str:
    whole, part = 0, 0
    for word in re.split(r"[\s-]+", found.group()):
        if word in _ONES or word in _TENS:
            part += _ONES.get(word, _TENS.get(word, 0))
        elif word == "hundred":
            part = max(1, part) * 100
        elif word in _SCALES:
            whole, part = whole + max(1, part) * _SCALES[word], 0
    return str(whole + part)


def _duration(found: re.Match[str]) -> str:
    times, unit = _LENGTHS[found[2]]
    return f"{(1.0 if found[1] == 'one' else float(found[1])) * times:g} {unit}"


def _measure(found: re.Match[str]) -> str:
    times, unit = _UNITS[found[2]]
    return f"{float(found[1]) * times:.6g} {unit}"


def _clock(found: re.Match[str]) -> str:
    if found[4]:
        return "12:00" if found[4] == "noon" else "00:00"
    hour = int(found[1]) % 12 + (12 if found[3].startswith("p") else 0)
    return f"{hour:02d}:{found[2] or '00'}"
