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
    kind: Literal["heading", "paragraph", "list_item", "table_row", "field", "turn", "code"]
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
