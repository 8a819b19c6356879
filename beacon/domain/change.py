"""What changed between two readings: statements, their differences, and the change a reader is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ChangeKind = Literal["new", "changed", "dropped", "contradicted", "retracted", "confirmed"]
StatementKind = Literal["sentence", "list_item", "table_row", "field", "turn"]

# The order in which kinds are shown, and the one icon and word each has everywhere.
CHANGE_KINDS: tuple[ChangeKind, ...] = ("contradicted", "changed", "retracted", "new", "dropped", "confirmed")
CHANGE_ICONS: Mapping[ChangeKind, str] = {
    "new": "+",
    "changed": "→",
    "dropped": "○",
    "contradicted": "≠",
    "retracted": "✕",
    "confirmed": "✓",
}
CHANGE_WORDS: Mapping[ChangeKind, str] = {
    "new": "New",
    "changed": "Changed",
    "dropped": "No longer said",
    "contradicted": "Sources disagree",
    "retracted": "Retracted",
    "confirmed": "Confirmed",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim as its source words it: `text` is the slice `[start, end)` of the version's text."""

    start: int
    end: int
    text: str
    kind: StatementKind = "sentence"
    path: tuple[str, ...] = ()  # headings above it, or the field's path
    speaker: str = ""
    columns: tuple[str, ...] = ()  # of a table row: the names at the head of its columns


@dataclass(frozen=True, slots=True)
class StatementChange:
    """How one statement differs between two versions or issues; `parts` add up (noisy-or) to `materiality`, 0-1."""

    kind: ChangeKind
    old: Statement | None
    new: Statement | None
    similarity: float
    subject: str = ""
    attribute: str = ""
    old_value: str = ""
    new_value: str = ""
    materiality: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    group: str = ""  # shared by the parts of one change
    part: bool = False  # another change of the group leads it


@dataclass(frozen=True, slots=True)
class SourceRef:
    """Where a quote stands: a version of a source, and offsets into its text."""

    source_id: str
    url: str
    title: str
    version_date: str  # ISO date
    start: int
    end: int
    version_id: str = ""

    def as_json(self) -> dict[str, object]:
        """The printed form."""
        return {
            "source_id": self.source_id,
            "url": self.url,
            "title": self.title,
            "version_date": self.version_date,
            "start": self.start,
            "end": self.end,
            "version_id": self.version_id,
        }


@dataclass(frozen=True, slots=True)
class ChangeSide:
    """One side of a change: its words, exactly, and where they stand."""

    text: str
    quote: str
    source: SourceRef
    head: str = ""  # of a table's row: the names of its columns, ' | ' between them


@dataclass(frozen=True, slots=True)
class Change:
    """A change as every door shows it. Dropped and retracted have no `new`; contradicted keeps the other side in `old`."""

    kind: ChangeKind
    new: ChangeSide | None
    old: ChangeSide | None
    subject: str = ""
    attribute: str = ""
    old_value: str = ""
    new_value: str = ""
    materiality: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    id: str = ""
    group: str = ""  # shared by the parts of one change
    part: bool = False  # another change of the group leads it

    def shown(self) -> ChangeSide:
        """The side that speaks first: the new one where there is one."""
        side = self.new or self.old
        if side is None:
            raise ValueError("A change has at least one side.")
        return side

    def as_json(self) -> dict[str, object]:
        """The stable JSON shape of `beacon changes`."""
        first = self.shown()
        old = self.old
        return {
            "kind": self.kind,
            "subject": self.subject,
            "attribute": self.attribute,
            "text": first.text,
            "quote": self.new.quote if self.new else None,
            "source": first.source.as_json(),
            "old": {"text": old.text, "quote": old.quote, "source": old.source.as_json()} if old else None,
            "materiality": round(self.materiality, 4),
            "old_value": self.old_value,
            "new_value": self.new_value,
            "parts": {name: round(value, 4) for name, value in self.parts.items()},
            "reason": self.reason,
            "id": self.id,
            "group": self.group,
            "part": self.part,
        }
