"""Sentences that say what something means, and sentences that say what is still to come."""

import re
from datetime import date

from beacon.analyst.moments import read_day
from beacon.analyst.quantities import find_dates, find_names, find_quantities
from beacon.analyst.tokens import content_tokens

# Links between a thing and its reason or consequence, in the languages whose sentences are told apart.
_MEANS = re.compile(
    r"\b(?:means?|meaning|meant|because|therefore|thus|hence|consequently|so that|as a result|result(?:s|ed|ing)? in|due to|owing to|"
    r"rul(?:es|ed) out|suggests?|indicates?|implies|implying|reflects?|leads? to|led to|"
    r"bedeutet|weil|deshalb|daher|dadurch|sodass|somit|folglich|"
    r"signifie|parce que|donc|par conséquent|"
    r"significa|porque|por (?:lo )?tanto|debido a|"
    r"perché|quindi|pertanto|dovuto)\b",
    re.I,
)
_AHEAD = re.compile(
    r"\b(?:will|shall|going to|is to|are to|planned|plans? to|planning to|schedul(?:es|ed)|upcoming|forthcoming|"
    r"next (?:week|month|year|quarter|meeting|release|version|close|look)|deadline|due (?:by|on|date)|prepared to|"
    r"wird|werden|soll|sollen|geplant|voraussichtlich|künftig|"
    r"sera|seront|prévu\w*|d'ici|prochain\w*|"
    r"será|serán|previst\w+|próxim\w+|se espera|"
    r"sarà|saranno|prossim\w+)\b",
    re.I,
)


def tells_meaning(text: str) -> bool:
    """True for a sentence that ties what it says to a reason or a consequence."""
    return bool(_MEANS.search(text))


def is_concrete(text: str, asked: str, *, named: bool = True) -> bool:
    """True for a sentence with a figure, a date or a name that `asked` does not have; a name is enough only where `named`."""
    known = set(content_tokens(asked))
    found = [one.surface for one in find_quantities(text)] + [words for _, _, words in find_dates(text)]
    figures = [one for one in found if any(map(str.isdigit, one))]
    names = [name for start, _, name in find_names(text) if start and named]
    return any(set(content_tokens(one)) - known for one in [*figures, *names])


def days_ahead(text: str, today: str) -> int | None:
    """Days from `today` (ISO) to the first later day or month that `text` names; None where it names none."""
    now = _day(today)
    ahead = [(day - now).days for _, _, words in find_dates(text) if now and (day := read_day(words)) and day > now]
    return min(ahead, default=None)


def tells_ahead(text: str) -> bool:
    """True for a sentence that speaks of what is expected or planned."""
    return bool(_AHEAD.search(text))


def _day(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:
        return None
