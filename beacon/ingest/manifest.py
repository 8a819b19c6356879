"""Folders and files to incoming documents: which source each is, and of when."""

import html
import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from beacon.domain.clock import parse_when
from beacon.domain.source import IncomingDocument, Role, Voice
from beacon.errors import InputError, NotFoundError, RefusedError
from beacon.ingest.limits import DEFAULT, ParseLimits, check_size
from beacon.ingest.parse import READABLE, SUFFIXES, parse_bytes
from beacon.ingest.rows import Problem, Row, parse_rows
from beacon.ingest.text import clean, decode, one_line

__all__ = ["FolderDefaults", "FolderReading", "Problem", "read_folder", "read_path"]

MANIFEST = "manifest.jsonl"
_SCRIPT = re.compile(r"\s*(?:javascript|vbscript|data)\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FolderDefaults:
    """What holds for every document that does not say otherwise itself."""

    kind: str = ""
    role: Role = "source"
    voice: Voice = ""
    segment: str = ""
    participant: str = ""
    series: str = ""
    date: datetime | None = None  # version date of documents that have none
    mapping: Mapping[str, str] = field(default_factory=dict)  # columns of row files, as parse_rows takes them
    limits: ParseLimits = DEFAULT


@dataclass(slots=True)
class FolderReading:
    """The documents, read from disk one by one as they are asked for, and the problems.

    `problems` is complete only once `documents` is exhausted; `skipped` names files of kinds Beacon does not read.
    """

    documents: Iterator[IncomingDocument]
    problems: list[Problem]
    skipped: tuple[str, ...] = ()


def _optional_text(value: object) -> object:
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_optional_text)]


class _Entry(BaseModel):
    """One manifest row as it is written; what it holds besides these fields is kept as metadata."""

    model_config = ConfigDict(extra="allow")

    file: Text = ""
    id: Text = ""
    url: Text = ""
    title: Text = ""
    date: Text = ""
    version_date: Text = ""
    supersedes: Text = ""
    withdrawn: bool | None = False
    series: Text = ""
    kind: Text = ""
    role: Literal["source", "context", ""] | None = ""
    voice: Literal["customer", "observer", "machine", ""] | None = ""
    participant: Text = ""
    segment: Text = ""
    derived_from: Annotated[str | list[str], BeforeValidator(_optional_text)] = Field(default="")


@dataclass(frozen=True, slots=True)
class _Item:
    """A manifest row that can be used as far as the manifest alone can tell."""

    line: int
    id: str
    entry: _Entry
    published_at: datetime | None
    version_date: datetime | None
    key: str = ""
    depth: int = 0  # how many rows it supersedes, one after the other


def read_folder(folder: Path, *, defaults: FolderDefaults | None = None) -> FolderReading:
    """What a folder holds: by its manifest if it has one, else every readable file under it, in a fixed order.

    Raises NotFoundError for no folder and InputError for one without any document.
    """
    defaults = defaults or FolderDefaults()
    if not folder.is_dir():
        raise NotFoundError(f"There is no folder '{folder.name}': check the path.", path=str(folder))
    if (folder / MANIFEST).is_file():
        return _read_manifest(folder, defaults)
    found, skipped = _files(folder)
    if not found:
        seen = f" It holds {len(skipped)} files of other kinds, such as '{skipped[0]}'." if skipped else ""
        raise InputError(f"The folder '{folder.name}' has nothing to read:{seen} put {READABLE} files into it, or a {MANIFEST}.")
    problems: list[Problem] = []
    return FolderReading(_read_files(folder, found, defaults, problems), problems, tuple(skipped))


def read_path(path: Path, *, defaults: FolderDefaults | None = None) -> FolderReading:
    """What one file or folder holds; a file's key is its place on this machine. Raises InputError for a single file that cannot be read."""
    defaults = defaults or FolderDefaults()
    if path.is_dir():
        return read_folder(path, defaults=defaults)
    if not path.is_file():
        raise NotFoundError(f"There is no file '{path.name}': check the path.", path=str(path))
    problems: list[Problem] = []
    base = _incoming(_Item(0, path.name, _Entry(), None, None, key=_place(path)), defaults)
    documents = list(_documents(path, path.name, base, defaults, problems))
    return FolderReading(iter(documents), problems)


def _files(folder: Path) -> tuple[list[str], list[str]]:
    """Relative paths of readable files and of others, sorted; hidden ones and links that leave the folder are not looked at."""
    found: list[str] = []
    skipped: list[str] = []
    root = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if name.startswith(".") or not path.is_file() or not path.resolve().is_relative_to(root):
                continue
            relative = path.relative_to(folder).as_posix()
            (found if path.suffix.lower() in SUFFIXES else skipped).append(relative)
    return sorted(found), sorted(skipped)


def _read_files(folder: Path, found: list[str], defaults: FolderDefaults, problems: list[Problem]) -> Iterator[IncomingDocument]:
    for relative in found:
        base = _incoming(_Item(0, relative, _Entry(), None, None, key=_place(folder / relative)), defaults)
        try:
            yield from _documents(folder / relative, relative, base, defaults, problems)
        except InputError as error:
            problems.append(Problem(relative, None, error.message))


def _read_manifest(folder: Path, defaults: FolderDefaults) -> FolderReading:
    problems: list[Problem] = []
    items = _linked(_items(folder, defaults.limits, problems), problems)
    if not items and not problems:
        raise InputError(f"The {MANIFEST} of '{folder.name}' has no rows: write one JSON object a line, with file, id, title and date.")
    return FolderReading(_read_items(folder, _in_order(items), defaults, problems), problems)


def _items(folder: Path, limits: ParseLimits, problems: list[Problem]) -> list[_Item]:
    """The rows of the manifest that are well formed, each id once."""
    path = folder / MANIFEST
    check_size(path.stat().st_size, MANIFEST, limits)
    raw, _ = decode(path.read_bytes(), MANIFEST)
    items: dict[str, _Item] = {}
    for line, text in enumerate(clean(raw).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            item = _item(text, line)
        except InputError as error:
            problems.append(Problem(MANIFEST, line, error.message))
            continue
        if item.id in items:
            problems.append(
                Problem(MANIFEST, line, f"the id '{item.id}' is already used in line {items[item.id].line}: give each row its own")
            )
        else:
            items[item.id] = item
    return list(items.values())


def _item(text: str, line: int) -> _Item:
    try:
        value = json.loads(text)
        entry = _Entry.model_validate(value)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"the row is not valid JSON ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the row"
        raise InputError(f"{where}: {first['msg'].lower()}; write one JSON object a line") from error
    row_id = entry.id or entry.file
    if not row_id:
        raise InputError("the row has neither id nor file: give it at least one")
    if not entry.file and not entry.withdrawn:
        raise InputError(f"the row '{row_id}' names no file: name one, or say withdrawn: true")
    published_at = _when(entry.date, "date")
    return _Item(line, _nfc(row_id), entry, published_at, _when(entry.version_date, "version_date") or published_at)


def _when(text: str, name: str) -> datetime | None:
    try:
        return parse_when(text) if text else None
    except InputError as error:
        raise InputError(f"{name}: {error.message}") from None


def _linked(items: list[_Item], problems: list[Problem]) -> list[_Item]:
    """The rows with the key of the source they are versions of; rows of a circle are left out."""
    by_id = {item.id: item for item in items}
    linked: list[_Item] = []
    for item in items:
        root, depth, seen = item, 0, {item.id}
        while root.entry.supersedes:
            before = by_id.get(_nfc(root.entry.supersedes))
            if before is None or before.id in seen:
                break
            root, depth = before, depth + 1
            seen.add(root.id)
        linked += _placed(item, root, depth, by_id, problems)
    return linked


def _placed(item: _Item, root: _Item, depth: int, by_id: dict[str, _Item], problems: list[Problem]) -> list[_Item]:
    earlier = _nfc(root.entry.supersedes)
    if earlier in by_id:
        problems.append(
            Problem(MANIFEST, item.line, f"'{item.id}' supersedes '{item.entry.supersedes}' in a circle: one row must be first")
        )
        return []
    if earlier and root is item:
        message = f"supersedes '{earlier}', which no row here has: read as a further version of source '{earlier}'"
        problems.append(Problem(MANIFEST, item.line, message, refused=False))
    before = by_id.get(_nfc(item.entry.supersedes))
    if before and before.version_date and item.version_date and item.version_date < before.version_date:
        when = f"{item.version_date.date()} is before {before.version_date.date()}"
        message = f"its version_date {when} of '{before.id}' (line {before.line}), which it supersedes: correct one of them"
        problems.append(Problem(MANIFEST, item.line, message))
        return []
    return [replace(item, key=earlier or root.id, depth=depth + bool(earlier))]


def _in_order(items: list[_Item]) -> list[_Item]:
    """Manifest order, save that the versions of one source come oldest first in the places they have."""
    versions: dict[str, list[_Item]] = {}
    for item in items:
        versions.setdefault(item.key, []).append(item)
    for group in versions.values():
        dated = all(item.version_date for item in group)
        group.sort(key=lambda item: (item.version_date.timestamp() if dated and item.version_date else 0.0, item.depth, item.line))
    queues = {key: iter(group) for key, group in versions.items()}
    return [next(queues[item.key]) for item in items]


def _read_items(folder: Path, items: list[_Item], defaults: FolderDefaults, problems: list[Problem]) -> Iterator[IncomingDocument]:
    for item in items:
        base = _incoming(item, defaults)
        if _SCRIPT.match(item.entry.url):
            problems.append(
                Problem(MANIFEST, item.line, f"the url of '{item.id}' is a script, not an address: it was left out", refused=False)
            )
            base = replace(base, url="")
        if item.entry.withdrawn:
            yield replace(base, document=None, withdrawn=True)
            continue
        try:
            path = _inside(folder, item.entry.file)
            yield from _documents(path, item.entry.file, base, defaults, problems)
        except InputError as error:
            problems.append(Problem(MANIFEST, item.line, error.message))


def _inside(folder: Path, name: str) -> Path:
    """The file a manifest names. Raises RefusedError if it is outside the folder, NotFoundError if it is not there."""
    parts = PurePosixPath(name.replace("\\", "/"))
    leaves = parts.is_absolute() or ".." in parts.parts or (parts.parts and ":" in parts.parts[0]) or "\0" in name
    if leaves or not (folder / parts).resolve().is_relative_to(folder.resolve()):
        raise RefusedError(f"the file '{name}' is outside the folder: name files inside it", file=name)
    if not (folder / parts).is_file():
        raise NotFoundError(f"the file '{name}' does not exist: correct its name, or say withdrawn: true", file=name)
    return folder / parts


def _incoming(item: _Item, defaults: FolderDefaults) -> IncomingDocument:
    """All that is known of a document before its file is read."""
    entry = item.entry
    derived = entry.derived_from if isinstance(entry.derived_from, str) else ", ".join(entry.derived_from)
    metadata: dict[str, object] = dict(entry.model_extra or {})
    if item.line:
        metadata |= {"manifest_id": item.id} | ({"file": entry.file} if entry.file else {})
    return IncomingDocument(
        key=item.key,
        url=entry.url.strip(),
        title=one_line(html.unescape(entry.title)),
        document=None,
        version_date=item.version_date or defaults.date,
        published_at=item.published_at,
        kind=entry.kind or defaults.kind,
        role=entry.role or defaults.role,
        voice=entry.voice or defaults.voice,
        participant=entry.participant or defaults.participant,
        segment=entry.segment or defaults.segment,
        series=entry.series or defaults.series,
        derived_from=derived,
        metadata=metadata,
    )


def _documents(
    path: Path, name: str, base: IncomingDocument, defaults: FolderDefaults, problems: list[Problem]
) -> Iterator[IncomingDocument]:
    """The document of one file, or of each of its rows."""
    check_size(path.stat().st_size, name, defaults.limits)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"'{name}' cannot be opened ({error.strerror}): check its permissions.", file=name) from error
    if SUFFIXES.get(path.suffix.lower()) == "rows":
        reading = parse_rows(data, name=name, mapping=defaults.mapping, limits=defaults.limits)
        problems += reading.problems
        yield from (_row_document(base, row) for row in reading.rows)
        return
    document = parse_bytes(data, name=name, limits=defaults.limits)
    published_at = base.published_at or document.published_at
    yield replace(base, document=document, title=base.title or document.title, published_at=published_at)


def _row_document(base: IncomingDocument, row: Row) -> IncomingDocument:
    title = row.title or f"{base.title or PurePosixPath(base.key).stem}, {row.id}"
    metadata = {**base.metadata, **row.metadata, "row": row.line, "row_id": row.id}
    url = "" if _SCRIPT.match(row.url) else row.url
    return replace(
        base,
        key=f"{base.key}#{row.id}",
        url=url or base.url,
        title=title,
        document=replace(row.document, title=title),
        version_date=row.date or base.version_date,
        published_at=row.date or base.published_at,
        participant=row.participant or base.participant,
        segment=row.segment or base.segment,
        metadata=metadata,
    )


def _place(path: Path) -> str:
    """What a file without a manifest is known by: two folders may hold files of one name."""
    return _nfc(path.resolve().as_posix())


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
