"""What changed between two versions of a source, or two issues of a series: fields and rows by their records, prose by its statements."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from beacon.analyst.align import Reading, align, body, read_sides
from beacon.analyst.asking import question_terms
from beacon.analyst.compare_fields import compare_fields
from beacon.analyst.compare_tables import compare_tables
from beacon.analyst.grouping import group_changes, without_restated
from beacon.analyst.materiality import (
    CENTRALITY,
    STAMP,
    Difference,
    confidence,
    difference,
    focus_part,
    is_saving_mark,
    is_stamp,
    join_parts,
    length_part,
    presence,
    scale_parts,
)
from beacon.analyst.quantities import find_quantities, number_set
from beacon.analyst.records import Cell, Differing, OneSided
from beacon.analyst.sentences import split_sentences
from beacon.analyst.similarity import cosine, word_terms
from beacon.analyst.statements import statement_key
from beacon.analyst.typed import Typed, type_statement
from beacon.domain.change import ChangeKind, Statement, StatementChange

_STRETCH = 30  # characters: numbers further apart are no one value
_PARAGRAPH = 12  # words from which a value is prose, whose rewriting tells less sharply than another value
_LONG = 120  # words from which two values are compared sentence by sentence
_REWRITTEN = 0.75
_OWN_TIME = 0.4  # of a date's weight where each issue of a series has its own
_WHOLE = 0.5  # of the reader's focus, for a statement that came or went whole
_BESIDE = 0.05  # what each further value of a row that differs adds
_MANY_RECORDS, _MOST_RECORDS = 8, 0.7  # records, and share of them, in which a field differs when it is no news of any
_EVERYWHERE = 0.1  # of its weight, for one row of a column that differs in most
_COLUMN = 0.5  # of its weight, for a column of values that came or went: one decision about a table, not news of its rows


@dataclass(frozen=True, slots=True)
class _Task:
    """One comparison: the two sides' prose, and what bears on the weight of a change."""

    reading: Reading
    focus: tuple[tuple[str, ...], ...]  # the reader's questions, as terms
    days: tuple[str, str]  # ISO dates of the two sides, empty where unknown
    moving: bool  # issues of a series: each speaks of its own time

    @property
    def gone(self) -> ChangeKind:
        return "dropped" if self.moving else "retracted"


def compare_versions(
    old: Sequence[Statement],
    new: Sequence[Statement],
    *,
    mode: Literal["version", "series"],
    focus: str = "",
    days: tuple[str, str] = ("", ""),
) -> list[StatementChange]:
    """The changes from `old` to `new`, most material first; `focus` (titles or questions, one a line) raises what speaks of one.

    `days` are the ISO dates of the two sides: a field that merely carries them is a stamp and of no weight. In mode "version" a statement
    that is gone was retracted; in mode "series" the next issue merely dropped it. Parts of one change share a `group` and stand behind
    the one that leads it.
    """
    tables = compare_tables(old, new)
    records = [*_fields(old, new), *tables.differences]
    sides = [
        [statement for at, statement in enumerate(side) if statement.kind != "field" and at not in done]
        for side, done in ((old, tables.old), (new, tables.new))
    ]
    stamped = _version_dates(records)
    records = _counters_apart([one for one in records if one not in stamped], new)
    long = [one for one in records if isinstance(one, Differing) and _is_long(one)]
    for one in long:
        for side, cell in zip(sides, one.cells[0], strict=True):
            side += _sentences(cell)
    for side in sides:
        side.sort(key=lambda one: (one.start, one.end))
    terms = tuple(question_terms(line) for line in focus.splitlines() if line.strip())
    task = _Task(read_sides(sides[0], sides[1]), terms, days, moving=mode == "series")
    changes = [change for one in records if one not in long for change in _of_record(task, one)]
    changes += _of_prose(task)
    return sorted(group_changes(without_restated(changes), old, new), key=_order)


def _version_dates(records: Sequence[Differing | OneSided]) -> list[Differing | OneSided]:
    """Document-level dates of which several moved from one same day to one other: they say when the versions were made."""
    moved: dict[tuple[str, str], list[Differing | OneSided]] = defaultdict(list)
    for one in records:
        if isinstance(one, Differing) and not one.place.group and one.cells[0][0].statement.kind == "field":
            days = [_DAY.match(cell.value.strip()) for cell in one.cells[0]]
            if days[0] and days[1]:
                moved[days[0].group(), days[1].group()].append(one)
    return [one for same in moved.values() if len(same) > 1 for one in same]


def _counters_apart(records: list[Differing | OneSided], new: Sequence[Statement]) -> list[Differing | OneSided]:
    """Fields of one name that differ in most records, as a counter of visits does: one leads, none is news of its record."""
    standing = Counter(_field_name(one) for one in new if one.kind == "field")
    moved: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, one in enumerate(records):
        if isinstance(one, Differing) and one.place.group and one.cells[0][1].statement.kind == "field":
            moved[_field_name(one.cells[0][1].statement)].append(at)
    for name, places in moved.items():
        if len(places) >= _MANY_RECORDS and len(places) > _MOST_RECORDS * standing[name]:
            for nth, at in enumerate(places):
                one = records[at]
                if isinstance(one, Differing):
                    where = replace(one.place, group=f"field:{'/'.join(name)}")
                    records[at] = replace(one, place=where, everywhere=f"{len(places)} of {standing[name]} entries", leads=nth == 0)
    return records


def _field_name(statement: Statement) -> tuple[str, ...]:
    return tuple(part for part in statement.path if not part.isdecimal())


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _fields(old: Sequence[Statement], new: Sequence[Statement]) -> list[Differing | OneSided]:
    before, after = ([one for one in side if one.kind == "field"] for side in (old, new))
    return compare_fields(before, after) if before or after else []


def _is_long(one: Differing) -> bool:
    """True for a field whose value is a text on both sides: its sentences are compared, not the whole."""
    before, after = one.cells[0]
    return len(one.cells) == 1 and before.statement.kind == "field" and min(len(before.value.split()), len(after.value.split())) >= _LONG


def _sentences(cell: Cell) -> Iterator[Statement]:
    statement = cell.statement
    lead = statement.text.rfind(cell.value)
    for start, end in split_sentences(cell.value):
        begin = statement.start + lead + start
        yield Statement(begin, begin + end - start, cell.value[start:end], "sentence", statement.path)


def _order(change: StatementChange) -> tuple[float, int, int]:
    side = change.new or change.old
    assert side is not None
    return (-change.materiality, side.start, 0 if change.new else 1)


# Records


def _of_record(task: _Task, one: Differing | OneSided) -> Iterator[StatementChange]:
    if isinstance(one, OneSided):
        yield _one_sided(task, one)
        return
    found = [(cells, difference(*_own_words(*cells), task.reading.weights, whole_value=True)) for cells in one.cells]
    found = [(cells, diff) for cells, diff in found if diff.parts and not is_saving_mark(cells[1].name, (cells[0].value, cells[1].value))]
    weighed = [(cells, diff, _weighed_value(task, cells, diff)) for cells, diff in found]
    if not weighed:
        return
    weighed.sort(key=lambda each: -join_parts(each[2]))
    cells, _, parts = weighed[0]
    if len(weighed) > 1:
        parts["beside"] = round(_BESIDE * min(3, len(weighed) - 1), 4)
    reasons = [_named(each, shown.reason, alone=len(weighed) == 1) for each, shown, _ in weighed[:3]]
    subject, attribute = _of_what(one, cells[1])
    if one.everywhere:
        reasons = [f"{cells[1].name} differs in {one.everywhere}"]
        parts = parts if one.leads else scale_parts(parts, _EVERYWHERE)
    yield StatementChange(
        "changed", cells[0].statement, cells[1].statement, 1.0, subject, attribute, cells[0].value, cells[1].value, join_parts(parts),
        parts, "; ".join(reasons), group=one.place.group,
    )  # fmt: skip


def _own_words(before: Cell, after: Cell) -> tuple[str, str]:
    """The sentences only one of two values has, where both are texts; else the values."""
    sides = [[cell.value[start:end] for start, end in split_sentences(cell.value)] for cell in (before, after)]
    if max(map(len, sides)) < 2:
        return before.value, after.value
    keys = [{statement_key(sentence) for sentence in side} for side in sides]
    left = [" ".join(one for one in side if statement_key(one) not in keys[1 - at]) for at, side in enumerate(sides)]
    return (left[0], left[1]) if any(left) else (before.value, after.value)


def _named(cells: tuple[Cell, Cell], reason: str, *, alone: bool) -> str:
    return reason if alone and cells[0].statement.kind == "field" else f"{cells[1].name}: {reason}"


def _of_what(one: Differing, cell: Cell) -> tuple[str, str]:
    """Subject and attribute of a value: the record and the value's name in it."""
    outer, _, name = cell.name.rpartition("/")
    if cell.statement.kind != "field":
        return one.place.title, cell.name
    return "/".join(part for part in (one.place.title, outer) if part), name


def _weighed_value(task: _Task, cells: tuple[Cell, Cell], found: Difference) -> dict[str, float]:
    before, after = cells
    if is_stamp(after.name, (before.value, after.value), task.days):
        return {"stamp": STAMP}
    parts = dict(found.parts) | _standing(task, after.value)
    prose = min(len(before.value.split()), len(after.value.split())) > _PARAGRAPH
    return scale_parts(parts, _REWRITTEN if prose else 1.0)


def _one_sided(task: _Task, one: OneSided) -> StatementChange:
    kind: ChangeKind = "new" if one.side == "new" else task.gone
    if one.what == "column":
        reason = f"the column {one.name} {'is new' if kind == 'new' else 'is gone'}"
    elif one.what == "record":
        reason = "a new entry" if kind == "new" else "the entry is gone"
    else:
        reason = _REASONS[kind]
    change = _came_or_went(task, kind, one.statement, reason)
    if one.what == "column":
        change = replace(change, parts=(parts := scale_parts(change.parts, _COLUMN)), materiality=join_parts(parts))
    outer, _, name = one.name.rpartition("/")
    subject = "/".join(part for part in (one.place.title, outer) if part)
    return replace(change, subject=subject or change.subject, attribute=name or change.attribute, group=one.place.group)


# Prose


def _aside(change: StatementChange) -> StatementChange:
    """The change, of less weight where it is in no sentence: a line of a mast or a foot, an entry in a list of references."""
    factor = min(_ASIDE.get(_line_kind(side.text), 1.0) for side in (change.old, change.new) if side and side.kind != "table_row")
    return change if factor == 1.0 else replace(change, parts=(parts := scale_parts(change.parts, factor)), materiality=join_parts(parts))


def _line_kind(text: str) -> str:
    if _REFERENCE_ENTRY.match(text):
        return "reference"
    ended = text.rstrip(" \"'”’»)]*_")[-1:] in _ENDS or not text.isascii()
    return "sentence" if ended or len(text.split()) > _LINE or _LABELLED.match(text) else "line"


_REFERENCE_ENTRY = re.compile(r"\[[\w.:-]{1,24}\]\s+\S")
_LABELLED = re.compile(r"[^:]{2,60}:\s+\S")
_ENDS = tuple(".!?:;…")
_LINE = 14  # words: longer is a sentence whatever it ends with
_ASIDE = {"line": 0.5, "reference": 0.2}


def _of_prose(task: _Task) -> Iterator[StatementChange]:
    for change in _prose(task):
        side = change.new or change.old
        yield _aside(change) if side and side.kind == "sentence" else change


def _prose(task: _Task) -> Iterator[StatementChange]:
    reading = task.reading
    aligned = align(reading)
    for i, j in sorted(aligned.pairs.items()):
        if change := _changed(task, i, j, aligned.sure[i]):
            yield change
    for i in aligned.gone:
        yield _came_or_went(task, task.gone, reading.old.statements[i], _REASONS[task.gone])
    for j in aligned.come:
        yield _came_or_went(task, "new", reading.new.statements[j], _REASONS["new"])


def _changed(task: _Task, i: int, j: int, sure: float) -> StatementChange | None:
    reading = task.reading
    old, new = reading.old.statements[i], reading.new.statements[j]
    found = difference(body(old), body(new), reading.weights)
    if not found.parts:
        return None
    parts = _weighed(task, old, new, found, sure)
    subject, attribute, before, after = _typed_pair(old, new)
    return StatementChange("changed", old, new, round(sure, 4), subject, attribute, before, after, join_parts(parts), parts, found.reason)


def _weighed(task: _Task, old: Statement, new: Statement, found: Difference, score: float) -> dict[str, float]:
    """The parts of a difference by how sure the pair is."""
    parts = dict(found.parts)
    if new.kind == "table_row":
        return parts | _standing(task, new.text)
    if task.moving and "dates" in parts:
        parts["dates"] *= _OWN_TIME
    return scale_parts(parts | _standing(task, new.text), confidence(score, old.text, new.text))


def _standing(task: _Task, text: str) -> dict[str, float]:
    parts = {"centrality": round(CENTRALITY * _centrality(task, text), 4), "length": length_part(text)}
    if task.focus:
        parts["focus"] = focus_part(text, task.focus, task.reading.weights)
    return parts


def _centrality(task: _Task, text: str) -> float:
    return cosine(task.reading.weights.vector(word_terms(text)), task.reading.centroid)


def _typed_pair(old: Statement, new: Statement) -> tuple[str, str, str, str]:
    before, after = type_statement(old), type_statement(new)
    if before and after and _same_but_value(before, after):
        return after.subject, after.attribute, before.value, after.value
    gone, come = _own_numbers(old.text, new.text), _own_numbers(new.text, old.text)
    return ("", "", gone, come) if gone and come else ("", "", "", "")


def _same_but_value(before: Typed, after: Typed) -> bool:
    return _same(before.subject, after.subject) and _same(before.attribute, after.attribute) and not _same(before.value, after.value)


def _same(left: str, right: str) -> bool:
    return statement_key(left) == statement_key(right)


def _own_numbers(text: str, other: str) -> str:
    """The stretch with the numbers the other text lacks, when they stand together."""
    there = number_set(other)
    missing = [one for one in find_quantities(text) if not number_set(one.surface) <= there]
    stretch = text[missing[0].start : missing[-1].end] if missing else ""
    return stretch if len(stretch) <= _STRETCH else ""


def _came_or_went(task: _Task, kind: ChangeKind, statement: Statement, reason: str) -> StatementChange:
    text = body(statement)
    parts = dict(presence(kind, text, centrality=_centrality(task, text)))
    if task.focus:
        parts["focus"] = round(_WHOLE * focus_part(text, task.focus, task.reading.weights), 4)
    change = StatementChange(kind, None, statement, 0.0, materiality=join_parts(parts), parts=parts, reason=reason)
    if kind != "new":
        change = replace(change, old=statement, new=None)
    typed = type_statement(statement) if "\n" not in statement.text else None
    if typed is None:
        return change
    gone, come = ("", typed.value) if kind == "new" else (typed.value, "")
    return replace(change, subject=typed.subject, attribute=typed.attribute, old_value=gone, new_value=come)


_REASONS: Mapping[str, str] = {
    "new": "not said before",
    "dropped": "the next issue no longer says it",
    "retracted": "gone from the newer version",
}
