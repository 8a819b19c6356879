"""When a sentence says that something holds: from when, until when, of which day or period."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_MONTHS = "january february march april may june july august september october november december".split()
_SHORT = {name[:3]: n for n, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
DAY = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\.?,?\s+\d{{4}}"
    rf"|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{1,2}}\.\d{{1,2}}\.\d{{4}})"
)
_WIDE = rf"(?:{_MONTH}\.?,?\s+\d{{4}}|\d{{4}}-\d{{2}}"
_WIDE += r"|(?:fiscal\s+(?:year\s+)?|calendar\s+year\s+|fy\s?|the\s+year\s+)?(?:19|20)\d{2}(?:/\d{2})?"
_WIDE += r"|q[1-4]\s*(?:of\s+)?\d{4}|(?:the\s+)?(?:first|second|third|fourth)\s+quarter\s+(?:of\s+)?\d{4})"
_ANY = rf"(?:{DAY}|{_WIDE})"
_FROM = re.compile(
    rf"\b(?:from|effective(?:\s+(?:from|on))?|starting(?:\s+(?:on|from|in))?|beginning(?:\s+(?:on|in))?|since|with effect from|"
    rf"in force from|ab|à partir du|desde)\s+"
    rf"({_ANY})(?:\s+on(?:wards?)?)?(?!\w)",
    re.I,
)
_AS_OF = re.compile(rf"\b(?:as of|as at|per|stand)\s+({_ANY})(?!\w)", re.I)
_UNTIL = re.compile(rf"\b(?:until|till|through|up to|valid to|to the end of|bis|jusqu'au|hasta)\s+({_ANY})(?!\w)", re.I)
_PERIOD = re.compile(rf"\b(?:in|for|during|over|of)\s+({_WIDE})(?![\w-])", re.I)
_BARE = re.compile(
    rf"\b(?:(?:[Bb]eginning |[Ss]tarting )?[Ii]n|[Ff]or|[Dd]uring)\s+((?:{'|'.join(name.capitalize() for name in _MONTHS)})|"
    r"(?:the\s+)?(?:first|second|third|fourth)\s+quarter)(?!\s+(?:of\s+)?\d)(?![\w-])"
)
_DAYS = re.compile(rf"^\s*(?:on\s+)?({DAY}|{_MONTH}\.?,?\s+\d{{4}})(?!\w)", re.I)
_OPENS = re.compile(r"(?:in|on|for|during|from|effective|starting|beginning|since|as of|as at|until|through|with effect)\b", re.I)
_CLAUSE_END = re.compile(rf"[;(—]|,(?!\d)(?!\s*\d{{4}})\s|\s(?:while|whereas|although|because|which)\s|\sand\s(?!{_MONTH})", re.I)
_QUARTER = {"first": 1, "second": 2, "third": 3, "fourth": 4}


@dataclass(frozen=True, slots=True)
class Times:
    """`rest` is the sentence without its times. `about` names a day or period that the value is of; periods are part of the point."""

    rest: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    about: str = ""
    period: str = ""
    named: str = ""  # the period in the sentence's words


def read_day(text: str) -> tuple[str, int] | None:
    """`(ISO day or month, where it ends)` for a text that opens with a date."""
    found = _DAYS.match(text)
    span = _span(found.group(1)) if found else None
    if found is None or span is None:
        return None
    first, after = span
    key = first.isoformat() if after - first == timedelta(1) else first.isoformat()[:7]
    return key, found.end()


def read_times(text: str, said: datetime | None = None) -> Times:
    """When a sentence says that it holds, and the sentence without that. A month without a year is the last one before `said`."""
    cut = _main_clause(text)
    rest, beyond, start, end, about, period, named = text[:cut], text[cut:], None, None, "", "", ""
    if (found := _UNTIL.search(rest)) and (span := _span(found.group(1))):
        end, rest = _moment(span[1]), _cut(rest, found)
    if (found := _FROM.search(rest)) and (span := _span(found.group(1))):
        start, rest = _moment(span[0]), _cut(rest, found)
    elif (found := _AS_OF.search(rest)) and (span := _span(found.group(1))):
        start, about, rest = _moment(span[0]), span[0].isoformat(), _cut(rest, found)
    if (found := _PERIOD.search(rest)) and (span := _span(found.group(1))):
        fiscal = bool(re.search(r"fiscal|fy", found.group(1), re.I))
        period = f"{'fiscal ' if fiscal else ''}{span[0].isoformat()}..{span[1].isoformat()}"
        rest, named = _cut(rest, found), found.group(1)
    elif said is not None and (found := _BARE.search(rest)) and (span := _last_before(found.group(1), said)):
        period, rest, named = f"{span[0].isoformat()}..{span[1].isoformat()}", _cut(rest, found), f"{found.group(1)} {span[0].year}"
    return Times(rest + beyond, start, end, about, period, named)


def _main_clause(text: str) -> int:
    """Where the first clause ends: what follows tells of other times."""
    opener = re.match(r"[^,]{0,48},\s", text)
    found = _CLAUSE_END.search(text, opener.end() if opener and _OPENS.match(text) else 0)
    return found.start() if found else len(text)


def _last_before(words: str, said: datetime) -> tuple[date, date] | None:
    """The last such month or quarter that had begun when it was written."""
    spans = [_span(f"{words} {year}") for year in (said.year, said.year - 1)]
    return next((span for span in spans if span is not None and span[0] <= said.date()), None)


def _cut(text: str, found: re.Match[str]) -> str:
    """The text without the match; an opener's comma goes with it."""
    left, right = text[: found.start()], text[found.end() :]
    if not left.strip():
        return right.lstrip(" ,")
    return f"{left.rstrip()} {right.lstrip()}" if right[:1] not in ".,;" else left.rstrip() + right


def _moment(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _span(words: str) -> tuple[date, date] | None:
    """The first day, and the day after the last; None for what is no date."""
    low = " ".join(words.lower().replace(",", " ").replace(" of ", " ").split())
    try:
        return _day(low) or _month(low) or _quarter(low) or _year(low)
    except (ValueError, OverflowError):
        return None


def _day(low: str) -> tuple[date, date] | None:
    if found := re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", low):
        day = date(*(int(part) for part in found.groups()))
    elif found := re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", low):
        day = date(int(found[3]), int(found[2]), int(found[1]))
    elif found := re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)? ([a-z]+)\.? (\d{4})", low):
        day = date(int(found[3]), _number(found[2]), int(found[1]))
    elif found := re.fullmatch(r"([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)? (\d{4})", low):
        day = date(int(found[3]), _number(found[1]), int(found[2]))
    else:
        return None
    return day, day + timedelta(1)


def _month(low: str) -> tuple[date, date] | None:
    if found := re.fullmatch(r"([a-z]+)\.? (\d{4})", low):
        if found[1][:3] not in _SHORT:
            return None
        year, month = int(found[2]), _number(found[1])
    elif found := re.fullmatch(r"(\d{4})-(\d{2})", low):
        year, month = int(found[1]), int(found[2])
    else:
        return None
    first = date(year, month, 1)
    return first, first + timedelta(monthrange(year, month)[1])


def _quarter(low: str) -> tuple[date, date] | None:
    found = re.search(r"(?:q([1-4])|(first|second|third|fourth) quarter) ?(\d{4})", low)
    if found is None:
        return None
    n = int(found[1]) if found[1] else _QUARTER[found[2]]
    year = int(found[3])
    after = date(year + 1, 1, 1) if n == 4 else date(year, 3 * n + 1, 1)
    return date(year, 3 * n - 2, 1), after


def _year(low: str) -> tuple[date, date] | None:
    found = re.search(r"(\d{4})(?:/\d{2})?$", low)
    if found is None:
        return None
    return date(int(found[1]), 1, 1), date(int(found[1]) + 1, 1, 1)


def _number(month: str) -> int:
    if month[:3] not in _SHORT:
        raise ValueError(month)
    return _SHORT[month[:3]]
