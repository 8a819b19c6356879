"""Parts of one change: the values of a record, the statements of a section that came or went, one wording replaced in many places."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from beacon.analyst.materiality import join_parts, scale_parts
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import tokenize
from beacon.domain.change import Statement, StatementChange

_PARTS = re.compile(r"\s*[|;\n]\s*")  # between the values of a record
_PART = 0.4  # of its weight, for what another change of its group leads
_RUN = 4  # neighbouring statements that came or went together from which they are one change
_EVERYWHERE = 3  # places in which the same words gave way to the same words
_REPLACED = "everywhere:"
_STRONG = frozenset({"numbers", "dates", "negation"})  # what makes even a repeated wording matter
_FEW = 6  # words that give way, at most, where it is one replacement


def without_restated(changes: Sequence[StatementChange]) -> list[StatementChange]:
    """The changes without those that only give a record another form: a row told as a sentence of labels, an entry as a row."""
    waiting: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, change in enumerate(changes):
        if change.kind not in ("changed", "new") and change.old and (values := _values(change.old)):
            waiting[values].append(at)
    dropped: set[int] = set()
    for at, change in enumerate(changes):
        if change.kind == "new" and change.new and (values := _values(change.new)) and waiting[values]:
            dropped |= {at, waiting[values].pop(0)}
    return [change for at, change in enumerate(changes) if at not in dropped]


def _values(statement: Statement) -> tuple[str, ...]:
    """The values of a record however it is written, without their labels; empty where it is no record."""
    parts = [part.rpartition(": ")[2] for part in _PARTS.split(statement.text)]
    keys = sorted(key for key in map(statement_key, parts) if key)
    return tuple(keys) if len(keys) > 1 else ()


def group_changes(changes: Sequence[StatementChange], old: Sequence[Statement], new: Sequence[Statement]) -> list[StatementChange]:
    """The changes with a `group` where they are parts of one; all but the most material of a group weigh less."""
    named = _replacements(_sections(changes, old, new))
    groups: dict[str, list[int]] = defaultdict(list)
    for at, change in enumerate(named):
        if change.group:
            groups[change.group].append(at)
    led = list(named)
    for members in groups.values():
        if len(members) == 1:
            led[members[0]] = replace(led[members[0]], group="")
        lead = min(members, key=lambda at: (-named[at].materiality, _place(named[at])))
        for at in members:
            wording = members and named[at].group.startswith(_REPLACED) and not _STRONG & named[at].parts.keys()
            if at != lead or wording:
                parts = scale_parts(named[at].parts, _PART)
                led[at] = replace(named[at], parts=parts, materiality=join_parts(parts), part=at != lead)
    return led


def _place(change: StatementChange) -> tuple[int, int]:
    side = change.new or change.old
    assert side is not None
    return (0 if change.new else 1, side.start)


def _sections(changes: Sequence[StatementChange], old: Sequence[Statement], new: Sequence[Statement]) -> list[StatementChange]:
    """Whole sections that came or went, and long runs of neighbours that did, each as one group."""
    headings = [{statement_key(one.path[-1]) for one in side if one.path and one.kind != "field"} for side in (old, new)]
    order = [{(one.start, one.end): at for at, one in enumerate(side)} for side in (old, new)]
    grouped = list(changes)
    for side in (0, 1):
        mine = [at for at, change in enumerate(grouped) if not change.group and _side(change) == side]
        mine.sort(key=lambda at: _place(grouped[at])[1])
        for members in _runs([(at, order[side].get(_span(grouped[at]), -2 * at - 9)) for at in mine]):
            path = _statement(grouped[members[0]]).path
            whole = bool(path) and statement_key(path[-1]) not in headings[1 - side] and len(members) > 1
            if whole or len(members) >= _RUN:
                name = f"{'came' if side else 'went'}:{_place(grouped[members[0]])[1]}"
                for at in members:
                    grouped[at] = replace(grouped[at], group=name)
    return grouped


def _side(change: StatementChange) -> int | None:
    """0 for what only the old side says, 1 for what only the new one does."""
    if change.kind == "changed":
        return None
    return 1 if change.new else 0


def _statement(change: StatementChange) -> Statement:
    side = change.new or change.old
    assert side is not None
    return side


def _span(change: StatementChange) -> tuple[int, int]:
    return _statement(change).start, _statement(change).end


def _runs(places: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Stretches of changes whose statements follow on each other."""
    runs: list[list[int]] = []
    last = -9
    for at, place in places:
        if place == last + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
        last = place
    return runs


def _replacements(changes: list[StatementChange]) -> list[StatementChange]:
    """The same few words replaced by the same few in several places, as one group."""
    signs = [_replaced(change) for change in changes]
    often = {sign for sign, count in Counter(sign for sign in signs if sign).items() if count >= _EVERYWHERE}
    return [
        replace(change, group=f"{_REPLACED}{sign}") if sign in often and not change.group else change
        for change, sign in zip(changes, signs, strict=True)
    ]


def _replaced(change: StatementChange) -> str:
    if change.kind != "changed" or change.old is None or change.new is None or change.new.kind in ("field", "table_row"):
        return ""
    before, after = Counter(tokenize(change.old.text)), Counter(tokenize(change.new.text))
    gone, come = before - after, after - before
    if (not gone and not come) or max(gone.total(), come.total()) > _FEW:
        return ""
    return f"{' '.join(sorted(gone))} > {' '.join(sorted(come))}"
