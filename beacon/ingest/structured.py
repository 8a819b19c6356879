"""JSON, JSON Lines and CSV: fields and rows as readable lines that quotes can be slices of."""

from datetime import datetime

from beacon.domain.source import Document
from beacon.ingest.json_values import Number, leaves, load_json
from beacon.ingest.limits import DEFAULT, ParseLimits, check_chars
from beacon.ingest.rows import Table, read_table
from beacon.ingest.text import TextBuilder, decode, one_line
from beacon.ingest.when import read_date

_TITLES = ("title", "name", "headline", "subject")
_DATES = ("published_at", "date_published", "datepublished", "published", "date", "created_at")


def parse_json(data: bytes, *, name: str, charset: str = "", limits: ParseLimits = DEFAULT) -> Document:
    """One `field` block for every scalar, as the line `path.to.field: value`; empty texts, lists and objects are left out."""
    raw, warnings = decode(data, name, charset)
    check_chars(len(raw), name, limits)
    value = load_json(raw, name)
    builder = TextBuilder(name, limits)
    for path, leaf in leaves(value):
        if shown := one_line(leaf):
            builder.add("field", f"{'.'.join(path)}: {shown}" if path else shown, path=path)
    title, published_at = _json_facts(value)
    return builder.build("application/json", title=title, published_at=published_at, warnings=warnings, turns=False)


def _json_facts(value: object) -> tuple[str, datetime | None]:
    if not isinstance(value, dict):
        return "", None
    lowered = {str(key).lower(): inner for key, inner in value.items() if isinstance(inner, str) and not isinstance(inner, Number)}
    title = next((lowered[key] for key in _TITLES if lowered.get(key)), "")
    return title, next((at for key in _DATES if (at := read_date(lowered.get(key, "")))), None)


def parse_table(data: bytes, *, name: str, charset: str = "", limits: ParseLimits = DEFAULT) -> Document:
    """A CSV or JSON Lines file as one document: a `table_row` block for each row, `column: value | column: value`."""
    table = read_table(data, name=name, charset=charset, limits=limits)
    builder = TextBuilder(name, limits)
    for _, cells in table.rows:
        builder.add("table_row", " | ".join(f"{column}: {one_line(value)}" for column, value in cells.items() if value.strip()))
    return builder.build(
        table.media_type, metadata={"columns": list(table.columns), "rows": len(table.rows)}, warnings=_warnings(table), turns=False
    )


def _warnings(table: Table) -> tuple[str, ...]:
    return (*table.warnings, *(f"line {problem.row}: {problem.message}" for problem in table.problems))
