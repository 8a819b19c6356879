"""Dates as people and exports write them."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from beacon.domain.clock import parse_when
from beacon.errors import InputError

_TIME = r"(?:,?[ T]+(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2}))?(?:\.\d+)?[ ]*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
_ZONE = r"(?:[ ]*(?:UTC|GMT)(?P<zone>[+-]\d{1,2})?|[ ]*[A-Z]{2,5})?"  # letters name no one zone (AST, IST): read as UTC
_NUMERIC = re.compile(rf"(?P<a>\d{{1,2}})(?P<sep>[/.\-])(?P<b>\d{{1,2}})(?P=sep)(?P<year>\d{{4}}){_TIME}{_ZONE}\Z")
_YEAR_NUMERIC = re.compile(rf"(?P<year>\d{{4}})(?P<sep>[/.\-])(?P<b>\d{{1,2}})(?P=sep)(?P<a>\d{{1,2}}){_TIME}{_ZONE}\Z")
_DAY, _MONTH = r"\d{1,2})(?:st|nd|rd|th)?", r"[A-Za-z]{3,9})\.?"
_NAMED = re.compile(rf"(?:(?P<d1>{_DAY}[ ]+(?P<m1>{_MONTH}|(?P<m2>{_MONTH}[ ]+(?P<d2>{_DAY}),?[ ]+(?P<year>\d{{4}})\Z")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EPOCH = re.compile(r"\d{10}(?:\d{3})?\Z")


def read_date(text: str, *, day_first: bool | None = None) -> datetime | None:
    """The UTC moment `text` names, or None; `01/02/2024` needs `day_first` to be known. A time without a zone is UTC."""
    text = text.strip()
    if not text:
        return None
    try:
        return _iso(text) or _numeric(text, day_first) or _named(text) or _mail(text)
    except (ValueError, OverflowError):
        return None


def day_comes_first(values: Iterable[str]) -> bool | None:
    """Whether the dates of one column write the day before the month; None when nothing shows it."""
    for value in values:
        if found := _NUMERIC.match(value.strip()):
            if found["sep"] == "." or int(found["a"]) > 12:
                return True
            if int(found["b"]) > 12:
                return False
    return None


def _iso(text: str) -> datetime | None:
    if _EPOCH.match(text):
        return datetime.fromtimestamp(int(text) / (1000 if len(text) == 13 else 1), UTC)
    try:
        return parse_when(text)
    except InputError:
        return None


def _numeric(text: str, day_first: bool | None) -> datetime | None:
    if found := _YEAR_NUMERIC.match(text):
        return _moment(found, int(found["a"]), int(found["b"]))
    if not (found := _NUMERIC.match(text)):
        return None
    a, b = int(found["a"]), int(found["b"])
    if found["sep"] == "." or a > 12:
        day_first = True
    elif b > 12:
        day_first = False
    if day_first is None and a != b:
        return None
    return _moment(found, a, b) if day_first else _moment(found, b, a)


def _moment(found: re.Match[str], day: int, month: int) -> datetime:
    zone = timezone(timedelta(hours=int(found["zone"] or 0)))
    return datetime(int(found["year"]), month, day, _hour(found), int(found["m"] or 0), int(found["s"] or 0), tzinfo=zone).astimezone(UTC)


def _hour(found: re.Match[str]) -> int:
    hour = int(found["h"] or 0)
    if not found["half"]:
        return hour
    return hour % 12 + (12 if found["half"][0] in "pP" else 0)


def _named(text: str) -> datetime | None:
    found = _NAMED.match(text)
    if not found:
        return None
    name = (found["m1"] or found["m2"])[:3].lower()
    if name not in _MONTHS:
        return None
    return datetime(int(found["year"]), _MONTHS.index(name) + 1, int(found["d1"] or found["d2"]), tzinfo=UTC)


def _mail(text: str) -> datetime | None:
    at = parsedate_to_datetime(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
