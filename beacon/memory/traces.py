"""What something to be erased left behind: its ids and its words, and how to take them out of values, rows and files."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from re import compile as pattern
from typing import Any

import sqlalchemy as sa

from beacon.analyst.sentences import split_sentences

ERASED = "[erased]"
SHORTEST = 12  # characters: shorter words may be anybody's
_ID = pattern(r"\b[a-z]{2,5}_[0-9a-f]{24}\b")
GONE: Any = object()


@dataclass(frozen=True, slots=True)
class Traces:
    """The ids, and the words as they were said, longest first."""

    ids: frozenset[str]
    quotes: tuple[str, ...]
    _escaped: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, ids: Iterable[str], quotes: Iterable[str]) -> "Traces":
        """Traces of these; words too short to tell are left out."""
        kept = sorted({q for q in quotes if len(q) >= SHORTEST}, key=lambda q: (-len(q), q))
        return cls(frozenset(i for i in ids if i), tuple(kept), tuple(json.dumps(q)[1:-1] for q in kept))

    def named_in(self, text: str) -> bool:
        """Whether a text names one of the ids."""
        return any(found in self.ids for found in _ID.findall(text))

    def clean(self, text: str) -> str:
        """The text without the words and ids."""
        for said, escaped in zip(self.quotes, self._escaped, strict=True):
            if said in text:
                text = text.replace(said, ERASED)
            elif escaped in text:
                text = text.replace(escaped, ERASED)
        return _ID.sub(lambda found: ERASED if found[0] in self.ids else found[0], text)

    def clean_value(self, value: Any) -> Any:
        """A JSON value without what rests on it: entries of lists that name an id go, words become a mark."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, Mapping):
            return {self.clean(str(name)): self.clean_value(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.clean_value(one) for one in value if not self._rests(one)]
        return value

    def _rests(self, entry: Any) -> bool:
        if isinstance(entry, str):
            return entry in self.ids
        return isinstance(entry, Mapping) and any(isinstance(one, str) and one in self.ids for one in entry.values())

    def counted_in(self, data: bytes) -> int:
        """How many of the words and ids stand in these bytes."""
        wanted = [*(q.encode("utf-8", "surrogatepass") for q in self.quotes), *(one.encode() for one in sorted(self.ids))]
        return sum(one in data for one in wanted)


def words_of(texts: Iterable[str], others: Sequence[str]) -> list[str]:
    """The sentences and lines of these texts that none of the others says too."""
    found: dict[str, None] = {}
    for text in texts:
        for start, end in split_sentences(text):
            found.update(dict.fromkeys(line.strip() for line in [text[start:end], *text[start:end].splitlines()]))
    said = [one for one in found if len(one) >= SHORTEST]
    return [one for one in said if not any(one in other for other in others)]


def sweep(connection: sa.Connection, traces: Traces, skipped: frozenset[str]) -> dict[str, int]:
    """table → rows that were cleaned, in every table of the database but the skipped ones."""
    known = sa.MetaData()
    known.reflect(connection)
    counts: dict[str, int] = {}
    for name in sorted(known.tables):
        if (
            name not in skipped
            and not name.startswith(("chunk_fts", "sqlite_"))
            and (n := _sweep_table(connection, known.tables[name], traces))
        ):
            counts[name] = n
    return counts


def _sweep_table(connection: sa.Connection, table: sa.Table, traces: Traces) -> int:
    keys = list(table.primary_key.columns)
    columns = [c for c in table.columns if isinstance(c.type, (sa.String, sa.JSON)) or c.type.__class__.__name__ == "JSONB"]
    if not keys or not columns:
        return 0
    done = 0
    for row in connection.execute(sa.select(*keys, *[sa.cast(c, sa.Text) for c in columns])).all():
        held, texts = row[: len(keys)], row[len(keys) :]
        changed = {c.name: new for c, old in zip(columns, texts, strict=True) if old and (new := _cleaned(c, old, traces)) is not GONE}
        if changed:
            here = sa.and_(*(key == value for key, value in zip(keys, held, strict=True)))
            own = {name: value for name, value in changed.items() if name not in {key.name for key in keys}}
            connection.execute(sa.update(table).where(here).values(own) if own else sa.delete(table).where(here))
            done += 1
    return done


def _cleaned(column: "sa.Column[Any]", old: str, traces: Traces) -> Any:
    if isinstance(column.type, sa.String) and not _is_json(old):
        new: Any = traces.clean(old)
        return GONE if new == old else new
    if traces.clean(old) == old:
        return GONE
    value = traces.clean_value(json.loads(old))
    return json.dumps(value, ensure_ascii=False) if isinstance(column.type, sa.String) else value


def _is_json(text: str) -> bool:
    if text[:1] not in "{[":
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def files_under(folder: Path) -> Iterator[Path]:
    """Every file of a folder, by name; links are not followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path
