"""The value of a claim in one form, and whether two values say the same, fit together, or cannot both hold."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from beacon.analyst.claim_times import read_day
from beacon.analyst.quantities import Quantity, find_quantities
from beacon.analyst.tokens import content_tokens, fold

Relation = Literal["same", "fits", "conflict"]
INFINITE = float("inf")
_NEAR = 0.1  # relative difference that "about" covers
_EXACT = 1e-9
MOST_WORDS = 8

# Unit words and what one of them is in the unit its kind is counted in.
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("min", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hour", "hours"), ("s", 3600.0)),
    **dict.fromkeys(("day", "days"), ("s", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("s", 604800.0)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("s", 0.001)),
    **dict.fromkeys(("month", "months"), ("month", 1.0)),
    **dict.fromkeys(("year", "years"), ("month", 12.0)),
    **dict.fromkeys(("kb", "kilobytes"), ("B", 1e3)), **dict.fromkeys(("mb", "megabytes"), ("B", 1e6)),
    **dict.fromkeys(("gb", "gigabytes"), ("B", 1e9)), **dict.fromkeys(("tb", "terabytes"), ("B", 1e12)),
    **dict.fromkeys(("byte", "bytes"), ("B", 1.0)),
    "kib": ("B", 1024.0), "mib": ("B", 1024.0**2), "gib": ("B", 1024.0**3),
    **dict.fromkeys(("mm", "millimetres", "millimeters"), ("m", 0.001)), **dict.fromkeys(("cm", "centimetres", "centimeters"), ("m", 0.01)),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), ("m", 1.0)),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), ("m", 1000.0)),
    **dict.fromkeys(("mile", "miles"), ("m", 1609.344)),
    **dict.fromkeys(("km2", "square kilometres", "square kilometers"), ("m2", 1e6)),
    **dict.fromkeys(("m2", "square metres", "square meters"), ("m2", 1.0)), **dict.fromkeys(("hectares", "ha"), ("m2", 1e4)),
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("g", 0.001)),
    **dict.fromkeys(("µg", "mcg", "microgram", "micrograms"), ("g", 1e-6)),
    **dict.fromkeys(("g", "gram", "grams"), ("g", 1.0)), **dict.fromkeys(("kg", "kilogram", "kilograms"), ("g", 1000.0)),
    **dict.fromkeys(("tonne", "tonnes"), ("g", 1e6)),
    **dict.fromkeys(("ml", "millilitres", "milliliters"), ("l", 0.001)),
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters"), ("l", 1.0)),
    "mah": ("Ah", 0.001), "ah": ("Ah", 1.0), "w": ("W", 1.0), "kw": ("W", 1e3), "mw": ("W", 1e6), "gw": ("W", 1e9),
    "kwh": ("Wh", 1e3), "mwh": ("Wh", 1e6), "gwh": ("Wh", 1e9), "v": ("V", 1.0), "kv": ("V", 1e3), "°c": ("°C", 1.0), "°f": ("°F", 1.0),
    "hz": ("Hz", 1.0), "khz": ("Hz", 1e3), "mhz": ("Hz", 1e6), "ghz": ("Hz", 1e9),
    **dict.fromkeys(("euro", "euros", "eur"), ("€", 1.0)), **dict.fromkeys(("dollar", "dollars", "usd"), ("$", 1.0)),
    **dict.fromkeys(("pound", "pounds", "gbp"), ("£", 1.0)), **dict.fromkeys(("yen", "jpy", "円"), ("¥", 1.0)),
    **dict.fromkeys(("ruble", "rubles", "рублей", "рубля", "руб"), ("₽", 1.0)),
}  # fmt: skip
_SIGNS = {"%": ("%", 1.0), "basis point": ("%", 0.01), "percentage point": ("pp", 1.0)}
_UNIT = re.compile(r"\s?(square\s+[^\W\d_]+|[µ°]?[^\W\d_]+[²2]?)")
_JOIN = re.compile(r"\s*(?:to|-|–|—|and|bis|à|a)\s*$")
_SPAN = re.compile(r"^([^\d,;.]{0,24}\d[\d.,]*)[-–](\d[\d.,]*)(?![\w/-]*\d)")
_ABOUT = re.compile(r"\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|some|estimated at)\s*$", re.I)
_LEAST = re.compile(r"\b(?:more than|over|at least|no less than|above|from|minimum of)\s*$", re.I)
_MOST = re.compile(r"\b(?:less than|under|at most|no more than|below|up to|maximum of|fewer than)\s*$", re.I)
_LEAD = re.compile(
    r"^(?:(?:now|currently|set|at|to|about|around|approximately|approx\.?|roughly|nearly|almost|circa|some|more than|over|at least|"
    r"no less than|above|less than|under|at most|no more than|below|up to|fewer than|only|just|between|estimated|de|di|bei|еще)\s+)*$",
    re.I,
)
_VERSION = re.compile(r"^v?(\d+(?:\.\d+)+(?:[-.]?[a-z]+\d*)?)$", re.I)
_VAGUE = re.compile(
    r"^(?:to|like|only|one of|pretty|really|actually|just|very|quite|so|too|more|less|being|going|here|there|true|possible|clear|"
    r"likely|important)\b",
    re.I,
)


_END_OF_WORDS = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bMrs)(?<!\bProf)[.;,!](?:\s|$)|[(—]|"
    r"\s(?:and|but|while|because|which|who|that|although|since|when|after|for|with|not)\s"
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it is compared: an interval of one unit, a day or period, or words. `denied` says that it is not this one."""

    key: str
    kind: Literal["amount", "date", "words", "version", "force"]
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    approximate: bool = False
    denied: bool = False
    step: float = 0.0  # the last digit's worth where the number is written round ("1.2 million")


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount read from the start of a text: its value, where its words end, and where they begin."""

    value: Value
    start: int
    end: int


def read_amount(text: str) -> Amount | None:
    """The amount that `text` opens with, None where it opens with something else."""
    if (span := _SPAN.match(text)) and (amount := _read_amount(f"{span[1]} to {span[2]}{text[span.end() :]}")):
        return replace(amount, end=amount.end - 3)
    return _read_amount(text)


def _read_amount(text: str) -> Amount | None:
    found = [one for one in find_quantities(text) if one.value is not None and one.surface.lower() != "one"]
    if not found or not _LEAD.match(text[: found[0].start]):
        return None
    first = found[0]
    unit, factor, end = _unit_after(text, first)
    if unit == "" and re.match(r"[-–:/.]\w", text[end:]) and not _JOIN.match(text[end : end + 1]):
        return None  # an identifier, a time, a date
    assert first.value is not None
    low, high, step = first.value * factor, first.value * factor, _step(first) * factor
    before = text[: first.start]
    if len(found) > 1 and _JOIN.match(text[end : found[1].start]) and found[1].value is not None:
        unit2, factor2, end = _unit_after(text, found[1])
        if unit in ("", unit2) or not unit2:
            factor = factor2 if unit == "" else factor
            low, high, unit = first.value * factor, found[1].value * factor2, unit2 or unit
            scale = _scale(found[1].surface)
            low = low * scale if low < high / scale else low
    if high < low:
        return Amount(Value(f"{low:.12g} to {high:.12g}", "words"), first.start, end)
    return Amount(_bounded(before, low, high, unit, step), first.start, end)


def _bounded(before: str, low: float, high: float, unit: str, step: float) -> Value:
    if low == high and _LEAST.search(before):
        high = INFINITE
    elif low == high and _MOST.search(before):
        low = -INFINITE
    approximate = bool(_ABOUT.search(before))
    name = f"{low:.12g}{unit}" if low == high else f"{low:.12g}..{high:.12g}{unit}"
    return Value(f"~{name}" if approximate else name, "amount", low, high, unit, approximate, step=step)


def _unit_after(text: str, quantity: Quantity) -> tuple[str, float, int]:
    """The unit, its factor, and where it ends."""
    if quantity.unit in _SIGNS:
        unit, factor = _SIGNS[quantity.unit]
        return unit, factor, quantity.end
    found = _UNIT.match(text, quantity.end)
    word = " ".join(fold(found.group(1)).replace("²", "2").split()) if found else ""
    if found and word in _UNITS and not quantity.unit:
        unit, factor = _UNITS[word]
        return unit, factor, found.end()
    return quantity.unit, 1.0, quantity.end


def _scale(surface: str) -> float:
    low = fold(surface)
    for word, factor in (("thousand", 1e3), ("million", 1e6), ("billion", 1e9), ("trillion", 1e12)):
        if word in low:
            return factor
    return 1.0


def _step(quantity: Quantity) -> float:
    """What the last digit of a number is worth; 0 for a whole number without a scale word, of which every digit counts."""
    scale = _scale(quantity.surface)
    digits = re.search(r"\d+(?:\.(\d+))?", quantity.surface.replace(",", ""))
    decimals = len(digits.group(1) or "") if digits else 0
    return scale * 10.0**-decimals if scale > 1 or decimals else 0.0


def read_value(text: str) -> tuple[Value, str, str] | None:
    """`(value, its words, what stands after it)` for the text after a verb or colon; None where it is no plain value."""
    lead = re.match(r"\s*(?:(?:now|currently|again|still|also)\s+)*", text)
    body = text[lead.end() if lead else 0 :]
    if day := read_day(body):
        key, end = day
        return Value(key, "date"), body[:end], body[end:]
    first = body.split()[0].strip(",;.") if body.split() else ""
    if (version := _VERSION.match(first)) and (version.group(1).count(".") > 1 or first[:1] in "vV" or not read_amount(body)):
        return Value(version.group(1).lower(), "version"), first, body[body.index(first) + len(first) :]
    if amount := read_amount(body):
        return amount.value, body[: amount.end].strip(), body[amount.end :]
    return _words(body)


def _words(body: str) -> tuple[Value, str, str] | None:
    stop = _END_OF_WORDS.search(body)
    words = body[: stop.start()] if stop else body.strip()
    plain = re.sub(r"^(?:the|a|an)\s+", "", words.strip(" \"'“”"), flags=re.I)
    if not 1 <= len(plain.split()) <= MOST_WORDS or _VAGUE.match(plain) or re.search(r"[?:]", plain):
        return None
    terms = [term for term in content_tokens(plain) if any(char.isalnum() for char in term)]
    return (Value(" ".join(terms), "words"), words.strip(), "") if terms else None


def deny(value: Value) -> Value:
    """The value, denied."""
    return replace(value, denied=not value.denied, key=value.key if value.denied else f"not {value.key}")


def relate(left: Value, right: Value) -> Relation:
    """Whether two values of one point say the same, fit together, or cannot both hold."""
    if left.denied or right.denied:
        return _relate_denied(left, right)
    if left.kind != right.kind:
        return "same" if left.key == right.key else "conflict"
    if left.kind == "amount":
        return _relate_amounts(left, right)
    if left.key == right.key:
        return "same"
    if left.kind == "date" and (left.key.startswith(right.key) or right.key.startswith(left.key)):
        return "fits"
    if left.kind == "words":
        mine, other = set(left.key.split()), set(right.key.split())
        return "same" if mine <= other or other <= mine else "conflict"
    return "conflict"


def _relate_denied(left: Value, right: Value) -> Relation:
    keys = left.key.removeprefix("not "), right.key.removeprefix("not ")
    if left.denied and right.denied:
        return "same" if keys[0] == keys[1] else "fits"
    return "conflict" if keys[0] == keys[1] else "fits"


def _relate_amounts(left: Value, right: Value) -> Relation:
    if left.unit != right.unit and left.unit and right.unit:
        return "fits"  # counted in something else: no other value of the same thing
    if left.low == right.low and left.high == right.high:
        return "same"
    size = max(abs(left.low), abs(right.low), _EXACT)
    if left.low == left.high and right.low == right.high:
        apart = abs(left.low - right.low)
        rounded = max(left.step, right.step) / 2 * (1 - _EXACT)  # half a step may be rounded either way
        near = apart <= _EXACT * size or apart < rounded or ((left.approximate or right.approximate) and apart <= _NEAR * size)
        return "same" if near else "conflict"
    inside = (left.low <= right.low and right.high <= left.high) or (right.low <= left.low and left.high <= right.high)
    return "fits" if inside else "conflict"
