"""Answers and tickets: CSV and JSON Lines read as one document a row."""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from beacon.domain.ids import digest
from beacon.domain.source import Block, Document
from beacon.errors import InputError
from beacon.ingest.json_values import flat_cells, load_json
from beacon.ingest.limits import DEFAULT, ParseLimits, check_chars, check_size
from beacon.ingest.plain import find_blocks
from beacon.ingest.text import TextBuilder, clean, decode, one_line, tidy
from beacon.ingest.turns import mark_turns
from beacon.ingest.when import day_comes_first, read_date

FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "answer_id", "response_id", "ticket_id", "record_id", "row_id", "uuid", "key"),
    "text": (
        "text",
        "answer",
        "body",
        "comment",
        "comments",
        "description",
        "content",
        "message",
        "feedback",
        "response",
        "review",
        "verbatim",
        "notes",
        "note",
    ),
    "title": ("title", "subject", "question", "headline", "summary", "prompt"),
    "date": (
        "date",
        "created_at",
        "created",
        "submitted_at",
        "submitted",
        "timestamp",
        "datetime",
        "created_on",
        "date_created",
        "published_at",
        "published",
        "at",
        "time",
    ),
    "participant": (
        "participant",
        "respondent",
        "user",
        "author",
        "customer",
        "participant_id",
        "respondent_id",
        "user_id",
        "customer_id",
        "speaker",
    ),
    "segment": ("segment", "plan", "tier", "cohort", "persona", "customer_type", "account_type"),
    "url": ("url", "link", "permalink", "href"),
}  # what a column is called, the likeliest name first
_DELIMITERS = ",;\t|"
_MAX_RESTARTS = 50  # records with broken quotes before a CSV is given up
_NAME_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file or row was not read (`refused`), or what to know about one that was; rows count lines from 1."""

    file: str
    row: int | None
    message: str
    refused: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as columns and texts, each with the line it begins in."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, str]], ...]
    problems: tuple[Problem, ...]
    media_type: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One answer or ticket. `id` is its own, or drawn from its content, and unique within its file."""

    line: int
    id: str
    document: Document
    title: str = ""
    date: datetime | None = None
    participant: str = ""
    segment: str = ""
    url: str = ""
    metadata: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowReading:
    """The rows that could be read, and what was wrong with the others."""

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


def parse_rows(data: bytes, *, name: str, mapping: Mapping[str, str] | None = None, limits: ParseLimits = DEFAULT) -> RowReading:
    """One document a row. Raises InputError when the file has no usable row at all.

    `mapping` says which column holds a field: `{"text": "What would you improve?"}`; fields are the keys of FIELDS.
    Without a text column every column becomes a line `column: value`. Other columns go to the row's metadata.
    """
    check_size(len(data), name, limits)
    table = read_table(data, name=name, limits=limits)
    columns = map_columns(table.columns, mapping or {}, name)
    order = day_comes_first(cells.get(columns.get("date", ""), "") for _, cells in table.rows)
    reader = _RowReader(name, columns, _text_columns(table.columns, columns), order, table.media_type, list(table.problems))
    rows = tuple(row for line, cells in table.rows if (row := reader.read(line, cells)))
    if not rows:
        first = f" The first problem: line {reader.problems[0].row}: {reader.problems[0].message}" if reader.problems else ""
        raise InputError(f"'{name}' has no row that can be read.{first}", file=name)
    return RowReading(rows, tuple(sorted(reader.problems, key=lambda problem: problem.row or 0)))


def read_table(data: bytes, *, name: str, charset: str = "", limits: ParseLimits = DEFAULT) -> Table:
    """The cells of a CSV or JSON Lines file, told apart by content; rows that cannot be read are in `problems`."""
    raw, warnings = decode(data, name, charset)
    check_chars(len(raw), name, limits)
    text = clean(raw) if "\t" not in raw else "\t".join(clean(part) for part in raw.split("\t"))
    if not text.strip():
        raise InputError(f"'{name}' has no rows: it holds only white space.", file=name)
    table = _json_lines(text, name, limits) if text.lstrip().startswith("{") else _csv(text, name, limits)
    if not table.rows and not table.problems:
        raise InputError(f"'{name}' has a header and no rows: check the export.", file=name)
    return Table(table.columns, table.rows, table.problems, table.media_type, warnings)


def _json_lines(text: str, name: str, limits: ParseLimits) -> Table:
    columns: dict[str, None] = {}
    rows: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    for line, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        _check_rows(len(rows), name, limits)
        try:
            value = load_json(raw, name, line)
        except InputError as error:
            problems.append(Problem(name, line, error.message))
            continue
        if isinstance(value, dict):
            rows.append((line, flat_cells(value)))
            columns.update(dict.fromkeys(rows[-1][1]))
        else:
            problems.append(Problem(name, line, "this line is not a JSON object with named columns"))
    return Table(tuple(columns), tuple(rows), tuple(problems), "application/x-ndjson")


def _csv(text: str, name: str, limits: ParseLimits) -> Table:
    csv.field_size_limit(limits.max_chars)
    lines = text.splitlines(keepends=True)
    problems: list[Problem] = []
    records = _records(lines, _delimiter(lines, name), name, problems)
    header = _header(next(((line, cells) for line, cells in records if any(cells)), (1, []))[1])
    rows: list[tuple[int, dict[str, str]]] = []
    for line, cells in records:
        _check_rows(len(rows), name, limits)
        if any(cell.strip() for cell in cells[len(header) :]):
            problems.append(
                Problem(name, line, f"the row has {len(cells)} cells, the header {len(header)}: a cell with a separator needs quotes")
            )
        elif any(cell.strip() for cell in cells):
            rows.append((line, dict(zip(header, cells, strict=False))))
    return Table(tuple(header), tuple(rows), tuple(problems), "text/csv")


def _check_rows(count: int, name: str, limits: ParseLimits) -> None:
    if count >= limits.max_rows:
        raise InputError(f"'{name}' has more than {limits.max_rows:,} rows: split it into smaller files.", file=name)


def _delimiter(lines: list[str], name: str) -> str:
    """The separator that splits the first records into the most columns of equal number; a comma when none does."""
    sample = lines[:60]

    def columns(delimiter: str) -> tuple[float, int]:
        widths = [len(cells) for cells in _lenient(sample, delimiter) if cells]
        same = sum(1 for width in widths if width == widths[0]) / len(widths) if widths else 0.0
        return (same * (widths[0] > 1) if widths else 0.0, widths[0] if widths else 0)

    if name.lower().endswith(".tsv"):
        return "\t"
    best = max(_DELIMITERS, key=columns)
    return best if columns(best)[1] > 1 else ","


def _lenient(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    except csv.Error:
        return


def _records(lines: list[str], delimiter: str, name: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins in; one with broken quotes is reported, and reading goes on in the next line."""
    start, restarts = 0, 0
    while start < len(lines) and restarts <= _MAX_RESTARTS:
        reader = csv.reader(lines[start:], delimiter=delimiter, strict=True, skipinitialspace=True)
        begun = 0
        try:
            for cells in reader:
                yield start + begun + 1, cells
                begun = reader.line_num
            return
        except csv.Error as error:
            problems.append(
                Problem(name, start + begun + 1, f"the row's quotes are broken ({error}): double the quotes inside a quoted cell")
            )
            start, restarts = start + begun + 1, restarts + 1
    if start < len(lines):
        problems.append(Problem(name, start + 1, f"more than {_MAX_RESTARTS} rows have broken quotes: the rest was not read"))


def _header(cells: list[str]) -> list[str]:
    """The columns' names, each once: an empty one is named by its place, a repeated one numbered."""
    names: dict[str, int] = {}
    for place, cell in enumerate(cells, start=1):
        base = name = one_line(cell) or f"column {place}"
        while name in names:
            names[base] += 1
            name = f"{base} ({names[base]})"
        names[name] = 1
    return list(names)


def map_columns(columns: tuple[str, ...], mapping: Mapping[str, str], name: str) -> dict[str, str]:
    """Which column holds which field: the user's mapping first, then by name. Raises InputError for an unknown field or column."""
    found: dict[str, str] = {}
    for key, column in mapping.items():
        if key not in FIELDS:
            raise InputError(f"'{key}' is no field a column can be mapped to: use {', '.join(FIELDS)}.", file=name)
        match = next((own for own in columns if own == column or _plain(own) == _plain(column)), None)
        if match is None:
            raise InputError(f"'{name}' has no column '{column}' (mapped to {key}); it has: {', '.join(columns)}.", file=name)
        found[key] = match
    plain = {_plain(column): column for column in reversed(columns) if column not in found.values()}
    for key, names in FIELDS.items():
        known = next((plain[known] for known in names if known in plain), None)
        if key not in found and known is not None:
            found[key] = known
    return found


def _text_columns(columns: tuple[str, ...], mapped: Mapping[str, str]) -> tuple[str, ...]:
    """The mapped text column, then the other columns that hold texts."""
    if "text" not in mapped:
        return ()
    taken = set(mapped.values())
    return (mapped["text"], *(column for column in columns if column not in taken and _plain(column) in FIELDS["text"]))


def _plain(column: str) -> str:
    return _NAME_MARKS.sub("_", column.casefold()).strip("_")


@dataclass(slots=True)
class _RowReader:
    name: str
    columns: dict[str, str]
    text_columns: tuple[str, ...]
    day_first: bool | None
    media_type: str
    problems: list[Problem]
    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)

    def read(self, line: int, cells: dict[str, str]) -> Row | None:
        """The row, or None after reporting why not."""
        values = {key: one_line(cells.get(column, "")) for key, column in self.columns.items() if key != "text"}
        title = values.get("title", "")
        document = self._document(cells, title)
        if document is None:
            self.problems.append(Problem(self.name, line, f"the row has no text{self._where()}: it was skipped"))
            return None
        row_id = self._id(
            line, values.get("id", ""), f"{title}\n{document.text}\n{values.get('participant', '')}\n{values.get('date', '')}"
        )
        if row_id is None:
            return None
        at = read_date(values.get("date", ""), day_first=self.day_first)
        metadata = self._metadata(cells)
        if at is None and values.get("date"):
            metadata[self.columns["date"]] = values["date"]
            self.problems.append(
                Problem(self.name, line, f"the date '{values['date']}' was not understood: write YYYY-MM-DD", refused=False)
            )
        people = {key: values.get(key, "") for key in ("participant", "segment", "url")}
        return Row(line=line, id=row_id, document=document, title=title, date=at, metadata=metadata, **people)

    def _where(self) -> str:
        return f" in its column '{self.text_columns[0]}'" if self.text_columns else ""

    def _metadata(self, cells: dict[str, str]) -> dict[str, object]:
        shown = set(self.text_columns) | set(self.columns.values())
        if not self.text_columns:
            return {}
        return {column: one_line(value) for column, value in cells.items() if column not in shown and value.strip()}

    def _document(self, cells: dict[str, str], title: str) -> Document | None:
        if not self.text_columns:
            return self._fields(cells, title)
        texts = [(column, text) for column in self.text_columns if (text := tidy(cells.get(column, "")))]
        if not texts:
            return None
        parts: list[str] = []
        blocks: list[Block] = []
        length = 0
        for column, text in texts:
            path = (title,) if title else ()
            path = path if len(texts) == 1 else (*path, column)
            blocks += [
                Block(b.start + length, b.end + length, b.kind, (*path, *b.path), b.speaker)
                for b in mark_turns(text, list(find_blocks(text)))
            ]
            parts.append(text)
            length += len(text) + 2
        return Document("\n\n".join(parts), title, self.media_type, tuple(blocks))

    def _fields(self, cells: dict[str, str], title: str) -> Document | None:
        builder = TextBuilder(self.name)
        known = {column for key, column in self.columns.items() if key in {"id", "url", "date"}}
        for column, value in cells.items():
            if column not in known and (shown := one_line(value)):
                builder.add("field", f"{column}: {shown}", path=(column,))
        return builder.build(self.media_type, title=title, turns=False) if builder.size() else None

    def _id(self, line: int, given: str, content: str) -> str | None:
        """The row's id; None for a row that repeats another to the letter under one id of its own."""
        mark = digest(content)[:12]
        first = self.seen.setdefault((given, mark), line)
        if given and first != line:
            self.problems.append(Problem(self.name, line, f"the row repeats line {first} (id '{given}'): it was skipped"))
            return None
        base = given or f"row-{mark}"
        count = self.ids[base] = self.ids.get(base, 0) + 1
        if count == 1:
            return base
        return f"{base}-{mark}" if given else f"{base}-{count}"
