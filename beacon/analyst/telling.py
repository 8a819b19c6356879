"""Which changes a report tells and how often: parts under their lead, steps of one value as one, the same news from several places once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from beacon.analyst.key_sentences import clarity, stands_alone
from beacon.analyst.quantities import bare_numbers
from beacon.analyst.shapes import figures, is_prose, label_words, pieces
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import content_tokens, tokenize
from beacon.domain.change import CHANGE_KINDS, Change, ChangeSide

_ECHO = 0.8  # share of content words in common from which two changes tell the same
_SAME_MATTER = 0.4  # share of the shorter one's content words from which two changes with the same amounts are of one thing
_MOST_COMPARED = 200
_LONG_VALUE = 0.8  # of its weight, for a change that takes two long texts to tell
_NEW_WORDS, _GONE_WORDS = 0.4, 0.2  # how much of the weight of what came or went hangs on whether its words stand alone
_LEANS = 0.7  # of its weight, for what came or went and points to a sentence before it
_LEADS_ON = 0.5  # of its weight, for words that only lead to others
_LONG = 240  # characters of both sides from which it does
_CLEAR = 0.6  # clarity from which a statement stands alone
_OWN = frozenset("i we us me my our ours wir uns unser nous notre nosotros nuestro nuestra noi nostro nostra".split())
_LEANS_ON_SPEAKER = 0.35  # of its weight, for a disagreement of sources that each speak of themselves
_YEAR = re.compile(r"(?:19|20)\d{2}")
_WHOLE_ENTRY = ("new", "retracted")


@dataclass(frozen=True, slots=True)
class Told:
    """A change as it is told: `parts` more of it stand under it, `also` are the same news elsewhere, `steps` the values on the way."""

    change: Change
    weight: float
    parts: int = 0
    also: tuple[Change, ...] = ()
    steps: tuple[str, ...] = ()


def tell(changes: Iterable[Change]) -> list[Told]:
    """The changes to tell, weightiest first; confirmations are no news."""
    news = [one for one in changes if one.kind != "confirmed"]
    folded = _fold(news)
    chained = _chain(folded)
    return _without_echoes(sorted(chained, key=_order))


def _order(told: Told) -> tuple[float, int, str, str, int]:
    source = told.change.shown().source
    return (-round(told.weight, 6), CHANGE_KINDS.index(told.change.kind), source.version_date, source.source_id, source.start)


def reading_weight(change: Change) -> float:
    """The change's materiality, less where its words do not stand alone or two long texts must be read to see it."""
    quote = change.shown().quote
    if change.kind == "contradicted":
        clear = min(_unambiguous(side.quote) for side in (change.old, change.new) if side)
        return change.materiality * clear
    if quote.rstrip()[-1:] == ":":
        return change.materiality * _LEADS_ON
    if change.kind == "changed":
        long = sum(len(side.quote) for side in (change.old, change.new) if side) > _LONG and not (change.old_value and change.new_value)
        return change.materiality * (_LONG_VALUE if long or _is_long_value(change) else 1.0)
    share = _NEW_WORDS if change.kind == "new" else _GONE_WORDS
    return change.materiality * (1 - share + share * clarity(quote)) * (1.0 if stands_alone(quote) else _LEANS)


def _unambiguous(quote: str) -> float:
    """How far a quote is a statement that another can contradict: a question or a scrap is none."""
    if _OWN & set(tokenize(quote)):
        return _LEANS_ON_SPEAKER
    labelled = any(piece.label for piece in pieces(quote))
    return 1.0 if labelled else min(1.0, 1.25 * clarity(quote))


def _is_long_value(change: Change) -> bool:
    return len(change.old_value) + len(change.new_value) > _LONG


def _fold(changes: Sequence[Change]) -> list[Told]:
    groups: dict[tuple[str, ...], list[Change]] = {}
    for n, change in enumerate(changes):
        groups.setdefault(_entry(change) or (str(n),), []).append(change)
    return [_led(members) for members in groups.values()]


def _entry(change: Change) -> tuple[str, ...]:
    """What the change is a part of: its group, or the entry that came or went with it."""
    if change.kind in _WHOLE_ENTRY and change.attribute and not change.subject:
        return ("entry", change.kind, change.shown().source.source_id)
    return ("group", change.group) if change.group else ()


def _led(members: Sequence[Change]) -> Told:
    whole = len(members) > 1 and all(one.kind in _WHOLE_ENTRY and _is_field(one) for one in members)
    led = [one for one in members if not one.part] or list(members)
    if whole:
        led = list(members)
    came = len(members) > 1 and not whole and all(one.kind == "new" and not one.attribute for one in members)
    led = list(members) if came else led
    order = {id(one): -_tells(one) if whole else -_tells_alone(one) if came else 0.0 for one in led}
    best = min(led, key=lambda one: (order[id(one)], -one.materiality, CHANGE_KINDS.index(one.kind), _at(one)))
    top = max(one.materiality for one in members)
    weight = reading_weight(replace(best, materiality=top))
    return Told(best, weight, len(members) - 1)


def _tells_alone(change: Change) -> float:
    """How well one of many new statements stands for them all: the one that leads, where it stands alone, else by weight and clarity."""
    quote = change.shown().quote
    clear = clarity(quote) if stands_alone(quote) else 0.0
    return 1.0 if not change.part and clear >= _CLEAR else round(change.materiality * clear, 6)


def _is_field(change: Change) -> bool:
    return bool(change.attribute) and any(piece.label for piece in pieces(change.shown().quote))


def _tells(change: Change) -> int:
    """How much the change says of what an entry is: the words of its title in a text of its own; a score or an address says nothing."""
    quote = change.shown().quote
    texts = [quote[piece.start : piece.end] for piece in pieces(quote)]
    about = set(content_tokens(change.shown().source.title))
    return max((1 + len(about & set(content_tokens(text))) for text in texts if is_prose(text)), default=0)


def _at(change: Change) -> tuple[str, int]:
    source = change.shown().source
    return (source.source_id, source.start)


def _place(side: ChangeSide) -> tuple[str, str, int]:
    return (side.source.source_id, side.source.version_id, side.source.start)


def _chain(told: Sequence[Told]) -> list[Told]:
    """Changes of which one begins where another ended, as one from the first words to the last."""
    by_old = {_place(one.change.old): n for n, one in enumerate(told) if one.change.kind == "changed" and one.change.old}
    follows: dict[int, int] = {}
    for n, one in enumerate(told):
        after = by_old.get(_place(one.change.new)) if one.change.kind == "changed" and one.change.new else None
        if after is not None and after != n:
            follows[n] = after
    later = set(follows.values())
    return [_joined([told[at] for at in _path(n, follows)]) for n in range(len(told)) if n not in later]


def _path(start: int, follows: Mapping[int, int]) -> list[int]:
    path = [start]
    while (after := follows.get(path[-1])) is not None and after not in path:
        path.append(after)
    return path


def _joined(links: Sequence[Told]) -> Told:
    if len(links) == 1:
        return links[0]
    first, last = links[0].change, links[-1].change
    values = [first.old_value, *(one.change.new_value for one in links)]
    named = all(values)
    change = replace(
        last, old=first.old, old_value=first.old_value if named else "", new_value=last.new_value if named else "",
        materiality=max(one.change.materiality for one in links), id=first.id,
    )  # fmt: skip
    weight = max(one.weight for one in links)
    return Told(change, weight, sum(one.parts for one in links), (), tuple(values[1:-1]) if named else ())


@dataclass(slots=True)
class _Heard:
    """What was told so far, looked up in several ways."""

    first: dict[tuple[object, ...], int] = field(default_factory=dict)
    worded: list[tuple[frozenset[str], int]] = field(default_factory=list)


def _without_echoes(ranked: Sequence[Told]) -> list[Told]:
    """The changes without those that tell again, from another place, what a weightier one told; the teller knows of them."""
    heard = _Heard()
    kept: list[Told] = []
    for told in ranked:
        teller = _teller(told.change, heard, kept)
        if teller is None:
            _note(told.change, heard, len(kept))
            kept.append(told)
        else:
            kept[teller] = replace(kept[teller], also=(*kept[teller].also, told.change))
    return kept


def _note(change: Change, heard: _Heard, at: int) -> None:
    for name in _names(change):
        heard.first.setdefault(name, at)
    if len(heard.worded) < _MOST_COMPARED and (words := _new_words(change)):
        heard.worded.append((words, at))


def _teller(change: Change, heard: _Heard, kept: Sequence[Told]) -> int | None:
    known = next((heard.first[name] for name in _names(change) if name in heard.first), None)
    if known is not None:
        return known
    if change.kind == "changed":
        return next((at for at, told in enumerate(kept) if told.change.kind == "changed" and _same_step(change, told.change)), None)
    words = _new_words(change)
    alike = next((at for theirs, at in heard.worded if kept[at].change.kind == change.kind and is_alike(words, theirs)), None)
    if alike is not None or change.kind == "contradicted":
        return alike
    return next((at for at, told in enumerate(kept) if _says_again(change, told.change)), None)


def _new_words(change: Change) -> frozenset[str]:
    return frozenset(content_tokens(change.shown().quote)) if not change.subject or change.kind != "changed" else frozenset()


def is_alike(words: frozenset[str], others: frozenset[str], share: float = _ECHO) -> bool:
    """True where two sets of content words have that share in common."""
    return len(words & others) >= share * max(1, len(words | others))


def _names(change: Change) -> list[tuple[object, ...]]:
    """The keys under which the same news would come again."""
    quotes = tuple(statement_key(side.quote) if side else "" for side in (change.old, change.new))
    names: list[tuple[object, ...]] = [(change.kind, *quotes)]
    if change.kind == "changed" and change.old_value and change.new_value:
        plain = tuple(statement_key(value) for value in (change.old_value, change.new_value))
        if _is_field(change):
            names.append(("field", _called(change), plain))
        elif change.subject and any(_values(change)):
            names.append(("subject", statement_key(change.subject), statement_key(change.attribute), _values(change)))
    return names


def _called(change: Change) -> str:
    """What a field or a cell is a value of: its own name, or its row's where the column is merely one of values."""
    label = statement_key(label_words(change.attribute))
    row = next((piece.label for piece in pieces(change.shown().quote)), "")
    return statement_key(row) if row and statement_key(row) == statement_key(change.subject) else label


def _values(change: Change) -> tuple[frozenset[float], frozenset[float]]:
    return bare_numbers(change.old_value), bare_numbers(change.new_value)


def _same_step(change: Change, told: Change) -> bool:
    """True where two sources came to the same telling amount, or two sentences give the same two amounts of one thing by its words."""
    if _gives_field(change, told) or _gives_field(told, change):
        return True
    if change.subject and told.subject:
        return False
    come = _come(change)
    if come and come == _come(told) and change.shown().source.source_id != told.shown().source.source_id:
        return True
    mine, theirs = ((figures(one.old_value), figures(one.new_value)) for one in (change, told))
    words, others = (frozenset(content_tokens(one.shown().quote)) for one in (change, told))
    alike = len(words & others) >= _SAME_MATTER * max(1, min(len(words), len(others)))
    return alike and all(mine) and mine == theirs and any(map(is_telling_figure, mine[0] | mine[1]))


def _gives_field(change: Change, told: Change) -> bool:
    """True where a sentence gives a field's two values under the field's name: "rated 3 on the scale" of "scale: 3"."""
    values = _values(told)
    if not _is_field(told) or _is_field(change) or not all(values) or values != _values(change):
        return False
    called = set(content_tokens(label_words(told.attribute)))
    return bool(called) and called <= set(content_tokens(change.shown().quote))


def _come(change: Change) -> frozenset[str]:
    """The telling figures that a change brings."""
    quotes = [figures(side.quote) if side else frozenset[str]() for side in (change.old, change.new)]
    return frozenset(one for one in figures(change.new_value) or quotes[1] - quotes[0] if is_telling_figure(one))


def is_telling_figure(figure: str) -> bool:
    """True for a figure with a fraction, or of four digits or more that are no year."""
    return "." in figure or (len(figure) >= 4 and not _YEAR.fullmatch(figure))


def _says_again(change: Change, told: Change) -> bool:
    """True where what came or went, perhaps in another language, has no figures but those of a told change, a telling one among them."""
    side = told.new if change.new else told.old
    if side is None or told.kind not in ("changed", change.kind):
        return False
    mine = figures(change.shown().quote)
    value = told.new_value if change.new else told.old_value
    common = mine & figures(value if told.kind == "changed" else side.quote)
    return mine <= figures(side.quote) and any(map(is_telling_figure, common))
