"""The time a question asks about, and how well a dated sentence speaks of it."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime

from beacon.analyst.quantities import find_dates

_MONTHS = {name[:3].lower(): number for number, name in enumerate(calendar.month_name) if name}
_SOON_DAYS = 45  # a report on a month may be this much younger than its end
_HALF_LIFE_DAYS = 30.0  # how soon what was written before a moment stops speaking of it
_LATER = 0.25  # fit of what was written after a moment without naming it


@dataclass(frozen=True, slots=True)
class Moment:
    """A day or a month a question names, first and last day included; `words` are its own words, folded."""

    first: date
    last: date
    words: str

    def holds(self, day: datetime | None) -> bool:
        """True when `day` falls within it."""
        return day is not None and self.first <= day.date() <= self.last


def find_moment(question: str) -> Moment | None:
    """The first day or month with a year that `question` names; a bare year names a subject as often as a time, and is none."""
    for _, _, words in find_dates(question):
        if moment := _read(words):
            return moment
    return None


def read_day(words: str) -> date | None:
    """The first day of the day, month or year that `words` name, as `find_dates` gives them."""
    if re.fullmatch(r"(?:19|20)\d{2}", words):
        return date(int(words), 1, 1)
    moment = _read(words)
    return moment.first if moment else None


def _read(words: str) -> Moment | None:
    iso = re.fullmatch(r"(\d{4})-(\d{2})(?:-(\d{2}))?", words)
    if iso:
        return _moment(int(iso[1]), int(iso[2]), int(iso[3] or 0), words)
    year = re.search(r"\b(\d{4})\b", words)
    month = next((_MONTHS[found] for found in re.findall(r"[a-z]{3}", words) if found in _MONTHS), 0)
    day = re.search(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)", words)
    return _moment(int(year[1]), month, int(day[1]) if day else 0, words) if year and month else None


def _moment(year: int, month: int, day: int, words: str) -> Moment | None:
    try:
        last = calendar.monthrange(year, month)[1]
        return Moment(date(year, month, day or 1), date(year, month, day or last), words)
    except ValueError:
        return None


def time_fit(moment: Moment, text: str, written: datetime | None) -> float:
    """0-1: 1 for a sentence that names the moment or was written in it; then by how soon before it was written."""
    if _names(moment, text, written):
        return 1.0
    if written is None:
        return 0.5
    if moment.holds(written):
        return 1.0
    if written.date() > moment.last:
        return _LATER
    return max(_LATER, float(2 ** (-(moment.first - written.date()).days / _HALF_LIFE_DAYS)) * 0.9)


def _names(moment: Moment, text: str, written: datetime | None) -> bool:
    """True when the text names the day or month; one named without its year is that of the year it was written in."""
    whole_month = moment.first != moment.last
    for _, _, words in find_dates(text):
        found = _read(words)
        if found is None and written is not None and not re.search(r"\d{4}", words):
            found = _read(f"{words} {written.year}")
        if found and (found.first, found.last) == (moment.first, moment.last):
            return True
        if found and whole_month and moment.first <= found.first <= moment.last:
            return True
    if not whole_month or written is None:
        return False
    named = re.search(rf"\b{calendar.month_name[moment.first.month]}\b", text) is not None
    return named and moment.first <= written.date() and (written.date() - moment.last).days <= _SOON_DAYS
