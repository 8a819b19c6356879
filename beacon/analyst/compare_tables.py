"""The tables of two texts side by side: rows are found again by the column that identifies them, cells by their column's name."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from beacon.analyst.records import KNOWN, Cell, Difference, Differing, OneSided, Place, value_key
from beacon.analyst.statements import split_cells, statement_key
from beacon.analyst.tokens import tokenize
from beacon.domain.change import Statement

_LABELLED = 0.6  # share of rows that carry the same label in a place, from which the labels are column names
_COLUMNS = 0.5  # share of column names two tables need to be one table
_RENAMED = 0.7  # share of equal values from which two rows are one that was renamed
_SAME_COLUMN = 0.6  # share of equal values from which two columns are one under two names
_FEW_ROWS, _SPARSE = 3, 0.2  # rows, or share of them, up to which the values of a new column are told one by one
_MANY_ROWS = 8  # rows from which a column can differ as a whole
_MOST = 0.7  # share of the rows it differs in then
_COUNTING = 0.8  # share of rows numbered one more than the row above, in a column that counts
_NUMBERS = re.compile(r"\d+")
_LOOKED = 40  # pairs of rows looked at to judge whether a column identifies them
_CANDIDATES = 60  # columns and pairs of columns tried as what identifies a row


@dataclass(frozen=True, slots=True)
class Row:
    """A table's row by column names."""

    statement: Statement
    cells: Mapping[str, str]  # folded column name → value
    at: int  # index among the side's statements


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under one head; `names` are the columns as written, by their folded names."""

    names: Mapping[str, str]
    rows: tuple[Row, ...]
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TablesCompared:
    """What differs, and the indices of the rows on each side that were found again (or are accounted for)."""

    differences: list[Difference]
    old: frozenset[int]
    new: frozenset[int]


def compare_tables(old: Sequence[Statement], new: Sequence[Statement]) -> TablesCompared:
    """The differences of the tables of two texts, row by row; rows that nothing identifies are left to be aligned as prose is."""
    before, after = _tables(old), _tables(new)
    said = [{statement_key(one.text) for one in side} for side in (old, new)]
    found: list[Difference] = []
    done: tuple[set[int], set[int]] = (set(), set())
    for mine, other in _same_tables(before, after):
        names = [name for name in other.names if name in mine.names]
        keys = _row_keys(mine, other, names)
        if keys is None:
            continue
        pairs, left, right = _row_pairs(mine, other, keys)
        if renamed := _renamed_columns(mine, other, pairs):
            mine = _with_columns(mine, renamed)
            pairs, left, right = _row_pairs(mine, other, keys)
            names = [name for name in other.names if name in mine.names]
        found += _columns_differing(mine, other, pairs)
        found += _pairs_differing(pairs, names, mine, other)
        found += [_whole(row, "old") for row in left if statement_key(row.statement.text) not in said[1]]
        found += [_whole(row, "new") for row in right if statement_key(row.statement.text) not in said[0]]
        done[0].update(row.at for row in mine.rows)
        done[1].update(row.at for row in other.rows)
    return TablesCompared(found, frozenset(done[0]), frozenset(done[1]))


def _renamed_columns(old: Table, new: Table, pairs: list[tuple[str, Row, Row]]) -> dict[str, str]:
    """Old name → new name of the columns that hold the same values under another name."""
    gone, come = [name for name in old.names if name not in new.names], [name for name in new.names if name not in old.names]
    renamed: dict[str, str] = {}
    for name in come:
        shares = [(_equal_values(pairs, other, name), -at, other) for at, other in enumerate(gone) if other not in renamed]
        best = max(shares, default=(0.0, 0, ""))
        if best[0] >= _SAME_COLUMN:
            renamed[best[2]] = name
    return renamed


def _equal_values(pairs: list[tuple[str, Row, Row]], old: str, new: str) -> float:
    values = [(value_key(a.cells.get(old, "")), value_key(b.cells.get(new, ""))) for _, a, b in pairs]
    filled = [one for one in values if any(one)]
    return sum(before == after for before, after in filled) / max(2, len(filled))


def _with_columns(table: Table, renamed: Mapping[str, str]) -> Table:
    rows = tuple(replace(row, cells={renamed.get(name, name): value for name, value in row.cells.items()}) for row in table.rows)
    return Table({renamed.get(name, name): shown for name, shown in table.names.items()}, rows, table.path)


def _row_pairs(old: Table, new: Table, keys: tuple[list[str], list[str]]) -> tuple[list[tuple[str, Row, Row]], list[Row], list[Row]]:
    """Rows under one key, and rows that only changed what identifies them; then what only one side has."""
    where = dict(zip(keys[0], old.rows, strict=True))
    pairs = [(key, where[key], row) for key, row in zip(keys[1], new.rows, strict=True) if key in where]
    taken = ({row.at for _, row, _ in pairs}, {row.at for _, _, row in pairs})
    left, right = [row for row in old.rows if row.at not in taken[0]], [row for row in new.rows if row.at not in taken[1]]
    renamed = []
    for row in right:
        partner = max(left, key=lambda one: (_equal_cells(one, row) + _alike_key(one, row), -one.at), default=None)
        if partner is not None and _equal_cells(partner, row) + _alike_key(partner, row) >= _RENAMED:
            left.remove(partner)
            renamed.append((keys[1][new.rows.index(row)], partner, row))
    kept = {row.at for _, _, row in renamed}
    return [*pairs, *renamed], left, [row for row in right if row.at not in kept]


def _alike_key(old: Row, new: Row) -> float:
    """Up to a half, by the words that the longest differing values of two rows share: a name with another number in it is the same name."""
    pairs = [(old.cells.get(name, ""), value) for name, value in new.cells.items()]
    differing = [(set(tokenize(a)), set(tokenize(b))) for a, b in pairs if a and b and value_key(a) != value_key(b)]
    mine, other = max(differing, key=lambda pair: len(pair[0] | pair[1]), default=(set(), set()))
    return 0.5 * len(mine & other) / len(mine | other) if len(mine | other) > 2 else 0.0


def _equal_cells(old: Row, new: Row) -> float:
    """The share of values that are equal, among those that say something."""
    names = [name for name in new.cells if value_key(new.cells[name]) and name in old.cells]
    return sum(value_key(old.cells[name]) == value_key(new.cells[name]) for name in names) / max(3, len(names))


def _pairs_differing(pairs: list[tuple[str, Row, Row]], names: list[str], old: Table, new: Table) -> list[Difference]:
    """Row by row what differs; a column that differs in most rows stands apart, and one that merely counts is left out."""
    counts = {name: sum(value_key(a.cells.get(name, "")) != value_key(b.cells.get(name, "")) for _, a, b in pairs) for name in names}
    counting = {name for name in names if _counts_up(old, name) and _counts_up(new, name)}
    often = [name for name in names if name not in counting and len(pairs) >= _MANY_ROWS and counts[name] > _MOST * len(pairs)]
    single = [name for name in names if name not in counting and name not in often]
    found = [difference for key, a, b in pairs for difference in _rows_differing(a, b, single, new, key)]
    for name in often:
        rows = [difference for key, a, b in pairs for difference in _rows_differing(a, b, [name], new, key)]
        place = f"{'/'.join(new.path)}|{name}"
        found += [
            replace(one, place=replace(one.place, group=place), everywhere=f"{counts[name]} of {len(pairs)} rows", leads=at == 0)
            for at, one in enumerate(rows)
            if isinstance(one, Differing)
        ]
    return found


def _counts_up(table: Table, name: str) -> bool:
    """True for a column that numbers the rows: each value is one more than the one above, or begins a new count."""
    values = [_NUMBERS.findall(row.cells.get(name, "")) for row in table.rows]
    if len(values) < 3 or not all(values) or any(len(row.cells.get(name, "")) > 12 for row in table.rows):
        return False
    steps = [_is_step([int(n) for n in above], [int(n) for n in below]) for above, below in pairwise(values)]
    return sum(steps) >= _COUNTING * len(steps)


def _is_step(above: list[int], below: list[int]) -> bool:
    if len(above) == len(below) and above[:-1] == below[:-1]:
        return below[-1] == above[-1] + 1
    return below[-1] <= 1


def _whole(row: Row, side: Literal["old", "new"]) -> OneSided:
    title = next((value for value in row.cells.values() if value_key(value) and not value.replace(".", "").isdigit()), "")
    return OneSided(Place(f"{'/'.join(row.statement.path)}[{statement_key(row.statement.text)}]", title), "", side, row.statement, "record")


def _tables(statements: Sequence[Statement]) -> list[Table]:
    """The tables of a text: neighbouring rows under one head, or rows that label their cells alike."""
    tables: list[Table] = []
    run: list[int] = []
    for at, statement in enumerate([*statements, None]):
        if statement is not None and statement.kind == "table_row" and (not run or _goes_on(statements[run[-1]], statement)):
            run.append(at)
            continue
        if run:
            tables += _table(statements, run)
        run = [at] if statement is not None and statement.kind == "table_row" else []
    return tables


def _goes_on(above: Statement, below: Statement) -> bool:
    return above.columns == below.columns and above.path == below.path


def _table(statements: Sequence[Statement], run: list[int]) -> list[Table]:
    cells = [split_cells(statements[at].text) for at in run]
    columns = statements[run[0]].columns
    labels = _labels(cells) if not columns else ()
    if not columns and not labels:
        width = Counter(map(len, cells)).most_common(1)[0][0]
        columns = tuple(str(n) for n in range(width)) if width > 1 else ()
    if not columns and not labels:
        return []
    names = {statement_key(name): name for name in (columns or labels)}
    rows = tuple(
        Row(statements[at], _labelled_cells(mine, names) if labels else _placed(mine, columns), at)
        for at, mine in zip(run, cells, strict=True)
        if labels or len(mine) <= len(columns)
    )
    return [Table(names, rows, statements[run[0]].path)] if rows else []


def _placed(cells: list[str], columns: tuple[str, ...]) -> dict[str, str]:
    return {statement_key(name): cell for name, cell in zip(columns, cells, strict=False)}


def _labels(cells: list[list[str]]) -> tuple[str, ...]:
    """The labels that most rows' cells begin with: `column: value`."""
    counts = Counter(label for row in cells for label in {cell.partition(": ")[0] for cell in row if ": " in cell})
    kept = {label for label, count in counts.items() if count >= max(2, _LABELLED * len(cells))}
    whole = sum(all(cell.partition(": ")[0] in counts and ": " in cell for cell in row) for row in cells)
    if not kept or whole < _LABELLED * len(cells):
        return ()
    return tuple(dict.fromkeys(cell.partition(": ")[0] for row in cells for cell in row if ": " in cell))


def _labelled_cells(cells: list[str], names: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for cell in cells:
        label, mark, value = cell.partition(": ")
        if mark and statement_key(label) in names:
            found[statement_key(label)] = value
    return found


def _same_tables(old: list[Table], new: list[Table]) -> list[tuple[Table, Table]]:
    """Tables that share most of their columns, those under the same headings first, then in order; pieces of one table stay apart."""
    scored = []
    for i, mine in enumerate(old):
        for j, other in enumerate(new):
            share = len(mine.names.keys() & other.names.keys()) / max(1, min(len(mine.names), len(other.names)))
            if share >= _COLUMNS:
                scored.append((-_common(mine, other), -share, mine.path != other.path, abs(i - j), i, j))
    pairs: dict[int, int] = {}
    for *_, i, j in sorted(scored):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return [(old[i], new[j]) for i, j in sorted(pairs.items(), key=lambda pair: pair[1])]


def _common(mine: Table, other: Table) -> int:
    left, right = ({value for row in table.rows for value in map(value_key, row.cells.values())} for table in (mine, other))
    return len(left & right)


def _row_keys(old: Table, new: Table, names: list[str]) -> tuple[list[str], list[str]] | None:
    """What identifies the rows of both: the column, or two, whose values are all different, mostly come again, and go with equal rows."""
    candidates: list[tuple[str, ...]] = [(name,) for name in names]
    candidates += [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    candidates += [tuple(names[:width]) for width in (3, 4) if len(names) > width]
    best: tuple[float, int, int] | None = None
    chosen: tuple[list[str], list[str]] | None = None
    for at, columns in enumerate(candidates[:_CANDIDATES]):
        keys = [[" / ".join(value_key(row.cells.get(name, "")) for name in columns) for row in table.rows] for table in (old, new)]
        if any(len(set(mine)) < len(mine) or not all(key.strip(" /") for key in mine) for mine in keys):
            continue
        where = dict(zip(keys[0], old.rows, strict=True))
        same = [(where[key], row) for key, row in zip(keys[1], new.rows, strict=True) if key in where]
        share = len(same) / max(1, min(len(keys[0]), len(keys[1])))
        if share < KNOWN:
            continue
        looked = same[:: max(1, len(same) // _LOOKED)]
        alike = sum(_equal_cells(mine, other) for mine, other in looked) / len(looked)
        rank = (-round(share * alike, 6), len(columns), at)
        if best is None or rank < best:
            best, chosen = rank, (keys[0], keys[1])
    return chosen


def _rows_differing(old: Row, new: Row, names: list[str], table: Table, key: str) -> list[Difference]:
    pairs = []
    for name in names:
        before, after = old.cells.get(name, ""), new.cells.get(name, "")
        if value_key(before) != value_key(after):
            pairs.append((Cell(table.names[name], before, old.statement), Cell(table.names[name], after, new.statement)))
    if not pairs:
        return []
    return [Differing(Place(f"{'/'.join(new.statement.path)}[{key}]", _title(new, key)), tuple(pairs))]


def _title(row: Row, key: str) -> str:
    """What identifies a row, as the row writes it."""
    written = {value_key(value): value for value in row.cells.values()}
    return " ".join(written[part] for part in key.split(" / ") if written.get(part))


def _columns_differing(old: Table, new: Table, pairs: list[tuple[str, Row, Row]]) -> list[Difference]:
    """A column that only one side has: one difference; where few rows fill it, one for each of these rows."""
    found: list[Difference] = []
    for name in new.names:
        if name not in old.names and not _counts_up(new, name):
            found += _column(new, name, "new", [(key, a, b) for key, a, b in pairs if value_key(b.cells.get(name, ""))])
    for name in old.names:
        if name not in new.names and not _counts_up(old, name):
            found += _column(old, name, "old", [(key, a, b) for key, a, b in pairs if value_key(a.cells.get(name, ""))])
    return found


def _column(table: Table, name: str, side: Literal["old", "new"], filled: list[tuple[str, Row, Row]]) -> list[Difference]:
    shown = table.names[name]
    if len(filled) <= max(_FEW_ROWS, _SPARSE * len(table.rows)):
        return [
            Differing(
                Place(f"{'/'.join(b.statement.path)}[{key}]", _title(b, key)),
                ((Cell(shown, a.cells.get(name, ""), a.statement), Cell(shown, b.cells.get(name, ""), b.statement)),),
            )
            for key, a, b in filled
        ]
    rows = [(b if side == "new" else a).statement for _, a, b in filled]
    return [OneSided(Place(f"{'/'.join(table.path)}|{name}", shown), shown, side, rows[0], "column", tuple(rows[1:]))]
