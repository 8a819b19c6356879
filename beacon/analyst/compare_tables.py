"""The tables of two texts side by side: rows are found again by the column that identifies them, cells by their column's name."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from beacon.analyst.records import KNOWN, Cell, Difference, Differing, OneSided, Place, value_key
from beacon.analyst.statements import split_cells, statement_key
from beacon.domain.change import Statement

_LABELLED = 0.6  # share of rows that carry the same label in a place, from which the labels are column names
_COLUMNS = 0.5  # share of column names two tables need to be one table
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
    found: list[Difference] = []
    done: tuple[set[int], set[int]] = (set(), set())
    for mine, other in _same_tables(before, after):
        names = [name for name in other.names if name in mine.names]
        keys = _row_keys(mine, other, names)
        if keys is None:
            continue
        found += _columns_differing(mine, other)
        where = {key: row for key, row in zip(keys[0], mine.rows, strict=True) if key}
        for key, row in zip(keys[1], other.rows, strict=True):
            if key and key in where:
                partner = where[key]
                done[0].add(partner.at)
                done[1].add(row.at)
                found += _rows_differing(partner, row, names, other, key)
    return TablesCompared(found, frozenset(done[0]), frozenset(done[1]))


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
    """What identifies the rows of both: the leftmost column, or two, whose values are all different and mostly come again."""
    candidates = [(name,) for name in names] + [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    best: tuple[float, int, int] | None = None
    chosen: tuple[list[str], list[str]] | None = None
    for at, columns in enumerate(candidates[:_CANDIDATES]):
        keys = [[" / ".join(value_key(row.cells.get(name, "")) for name in columns) for row in table.rows] for table in (old, new)]
        if any(len(set(mine)) < len(mine) or not all(key.strip(" /") for key in mine) for mine in keys):
            continue
        share = len(set(keys[0]) & set(keys[1])) / max(1, min(len(keys[0]), len(keys[1])))
        if share >= KNOWN and (best is None or (-share, len(columns), at) < best):
            best, chosen = (-share, len(columns), at), (keys[0], keys[1])
    return chosen


def _rows_differing(old: Row, new: Row, names: list[str], table: Table, key: str) -> list[Difference]:
    pairs = []
    for name in names:
        before, after = old.cells.get(name, ""), new.cells.get(name, "")
        if value_key(before) != value_key(after):
            pairs.append((Cell(table.names[name], before, old.statement), Cell(table.names[name], after, new.statement)))
    if not pairs:
        return []
    title = next((value for value in new.cells.values() if value_key(value) == key.partition(" / ")[0]), "")
    more = key.partition(" / ")[2]
    title = f"{title} {next((value for value in new.cells.values() if value_key(value) == more), '')}".strip() if more else title
    return [Differing(Place(f"{'/'.join(new.statement.path)}[{key}]", title), tuple(pairs))]


def _columns_differing(old: Table, new: Table) -> list[Difference]:
    found: list[Difference] = []
    sides: tuple[tuple[Literal["old", "new"], Table, Table], ...] = (("new", new, old), ("old", old, new))
    for side, mine, other in sides:
        for name in mine.names:
            filled = [row.statement for row in mine.rows if value_key(row.cells.get(name, ""))]
            if name not in other.names and filled:
                place = Place(f"{'/'.join(mine.path)}|{name}", mine.names[name])
                found.append(OneSided(place, mine.names[name], side, filled[0], "column", tuple(filled[1:])))
    return found
