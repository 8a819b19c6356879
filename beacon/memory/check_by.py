"""By when a fact should be looked at again: what it says itself, how often its like has changed, or what kind of value it is."""

from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from beacon.domain.clock import parse_when
from beacon.errors import InputError
from beacon.memory.life import Spell

# Days after which a value of a kind is worth another look, where nothing else tells: money and shares move soonest.
_MONEY, _SHARE, _VERSION, _WORDS, _DUTY, _COUNT, _MEASURE = 90, 60, 60, 180, 365, 180, 1825
_UNITS = {
    "$": _MONEY,
    "€": _MONEY,
    "£": _MONEY,
    "¥": _MONEY,
    "₽": _MONEY,
    "%": _SHARE,
    "m": _MEASURE,
    "m2": _MEASURE,
    "g": _MEASURE,
    "°C": _MEASURE,
}
_LEAST, _MOST = 7, 1825


def check_by(spell: Spell, changes: tuple[datetime, ...] = ()) -> datetime | None:
    """When to look whether the fact still holds; None for what is of a past day or period, or was retired.

    `changes` are the moments at which the same point had another value before: half of their usual distance is the patience then.
    """
    first = spell.testimonies[0].claim
    if spell.fate not in ("current", "contradicted") or first.about:
        return None
    if spell.valid_to is not None:
        return spell.valid_to
    if spell.value.kind == "date" and len(spell.value.key) == 10:
        try:
            return parse_when(spell.value.key) + timedelta(1)
        except InputError:
            return None
    return spell.last + timedelta(days=_patience(spell, changes))


def _patience(spell: Spell, changes: tuple[datetime, ...]) -> float:
    if len(changes) > 1:
        usual = median((later - earlier).total_seconds() / 86400 for earlier, later in pairwise(sorted(changes)))
        return min(_MOST, max(_LEAST, round(usual / 2)))
    value = spell.value
    if value.kind == "amount":
        return _UNITS.get(value.unit, _COUNT)
    return {"version": _VERSION, "force": _DUTY}.get(value.kind, _WORDS)
