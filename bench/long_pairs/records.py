"""Tables whose records were edited: the rows of both versions and the changelog."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.long_pairs.build import Entry, Place

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Edit:
    """One record's change: other `values`, or None where the record went; `row` where one came."""

    n: int
    mark: str  # ! important, ? minor
    summary: str
    key: str = ""
    values: Mapping[str, str] | None = None
    row: Row | None = None
    after: str = ""  # the record a new one stands behind; "" puts it first


def named(edits: Iterable[Edit]) -> list[Edit]:
    """The edits with their record's key put into the summary."""
    return [replace(edit, summary=edit.summary.format(edit.key)) for edit in edits]


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as a CSV file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@dataclass
class Edited:
    """Rows of both versions, and the entries."""

    old: list[Row]
    new: list[Row] = field(default_factory=list)
    entries: tuple[Entry, ...] = ()


def apply_edits(rows: Sequence[Row], key: str, edits: Iterable[Edit], shown: Sequence[str] = ()) -> Edited:
    """The edited table; `shown` names the columns that, with those that changed, find a row again (default: all)."""
    edits = list(edits)
    by_key = {edit.key: edit for edit in edits if edit.row is None}
    missing = set(by_key) - {row[key] for row in rows}
    assert not missing, f"no such records: {sorted(missing)}"
    result = Edited([dict(row) for row in rows])
    places: dict[int, tuple[list[Place], list[Place]]] = {edit.n: ([], []) for edit in edits}
    for row in result.old:
        edit = by_key.get(row[key])
        changed = {**row, **(edit.values or {})} if edit else dict(row)
        if edit:
            assert changed != row or edit.values is None, f"{edit.key} does not change"
            names = [*shown, *(name for name in edit.values or () if name not in shown)] if shown else []
            places[edit.n][0].append(_place(row, names))
            if edit.values is not None:
                places[edit.n][1].append(_place(changed, names))
        if edit is None or edit.values is not None:
            result.new.append(changed)
    for edit in edits:
        if edit.row is not None:
            at = next((i for i, row in enumerate(result.new) if row[key] == edit.after), -1) + 1
            result.new.insert(at, {name: edit.row[name] for name in rows[0]})
            places[edit.n][1].append(_place(edit.row, shown))
    summaries = {edit.n: edit for edit in reversed(edits)}
    result.entries = tuple(
        Entry(n, "important" if edit.mark == "!" else "minor", edit.summary, tuple(places[n][0]), tuple(places[n][1]))
        for n, edit in sorted(summaries.items())
    )
    return result


def _place(row: Row, shown: Sequence[str]) -> Place:
    return tuple(row[name] for name in (shown or row) if row[name])
