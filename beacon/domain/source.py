"""Sources, their versions, and the chunks that evidence points into."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Role = Literal["source", "context"]
Voice = Literal["customer", "observer", "machine", ""]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a document's text that belongs together: `[start, end)` are offsets into that text."""

    start: int
    end: int
    kind: Literal["heading", "paragraph", "list_item", "table_head", "table_row", "field", "turn", "code"]
    path: tuple[str, ...] = ()  # headings above it, or the field's path
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """What a parser made of one file or page: its plain text and the blocks inside it.

    `text` is what every quote is a slice of: NFC, newlines only `\\n`, no control characters.
    """

    text: str
    title: str
    media_type: str
    blocks: tuple[Block, ...]
    published_at: datetime | None = None
    language: str = ""
    metadata: dict[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrievable passage. Its text is exactly `version.text[start:end]`."""

    start: int
    end: int
    text: str
    ordinal: int
    heading: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class IncomingDocument:
    """One document on its way in: what it is, where it came from, and its text.

    `key` names the source inside its project (manifest id chain, URL or path); documents with one key are versions
    of one source. `document` is None for a withdrawal.
    """

    key: str
    url: str
    title: str
    document: Document | None
    version_date: datetime | None = None
    published_at: datetime | None = None
    kind: str = ""
    role: Role = "source"
    voice: Voice = ""
    participant: str = ""
    segment: str = ""
    series: str = ""
    derived_from: str = ""
    withdrawn: bool = False
    metadata: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """Something Beacon reads: a page, a file, a row. Its texts are its versions."""

    id: str
    project_id: str
    key: str
    url: str
    title: str
    created_at: datetime
    kind: str = ""
    role: str = "source"
    voice: str = ""
    participant: str = ""
    segment: str = ""
    series: str = ""
    derived_from: str = ""
    status: str = "current"  # current | withdrawn | removed
    metadata: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Version:
    """One text of a source. `version_date` is when it was current; a withdrawn version has no text."""

    id: str
    source_id: str
    n: int
    sha256: str
    text: str
    title: str
    media_type: str
    fetched_at: datetime
    language: str = ""
    blocks: list[list[object]] = field(default_factory=list)
    metadata: dict[str, object] = field(default_factory=dict)
    version_date: datetime | None = None
    published_at: datetime | None = None
    withdrawn: bool = False

    @property
    def dated(self) -> datetime:
        """The moment that places this version in time."""
        return self.version_date or self.published_at or self.fetched_at


@dataclass(frozen=True, slots=True)
class VersionHead:
    """A version without its text: what decides whether a document is new."""

    id: str
    source_id: str
    n: int
    sha256: str
    fetched_at: datetime
    version_date: datetime | None = None
    published_at: datetime | None = None
    withdrawn: bool = False

    @property
    def dated(self) -> datetime:
        """The moment that places this version in time."""
        return self.version_date or self.published_at or self.fetched_at


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as the record store keeps it: `text` is the version's slice `[start, end)`."""

    id: str
    project_id: str
    version_id: str
    source_id: str
    ordinal: int
    start: int
    end: int
    text: str
    heading: str
    speaker: str
    label: str
    bigrams: str
    text_sha256: str
    current: bool = True


@dataclass(frozen=True, slots=True)
class PassageRef:
    """A stored chunk without its text: what its vector is found and filed by."""

    id: str
    version_id: str
    source_id: str
    text_sha256: str
    current: bool


def pack_blocks(blocks: tuple[Block, ...]) -> list[list[object]]:
    """Blocks as they are stored: [start, end, kind, path, speaker]."""
    return [[b.start, b.end, b.kind, list(b.path), b.speaker] for b in blocks]


def unpack_blocks(rows: list[list[object]]) -> tuple[Block, ...]:
    """The blocks of a stored version."""
    return tuple(Block(int(str(r[0])), int(str(r[1])), r[2], tuple(r[3]), str(r[4])) for r in rows)  # type: ignore[arg-type]
