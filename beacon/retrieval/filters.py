"""What a search is limited to."""

from dataclasses import dataclass
from datetime import date, datetime

import numpy as np

from beacon.retrieval.passages import Mask, Passages
from beacon.stores.records.store import Tx


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is limited to. `as_of` sees the versions that were current at that moment; `since` and `until` are days that
    a passage speaks from, both included."""

    source_ids: tuple[str, ...] | None = None
    kind: str = ""
    segment: str = ""
    role: str = ""
    as_of: datetime | None = None
    since: date | None = None
    until: date | None = None

    @property
    def narrow(self) -> bool:
        """Whether anything is filtered."""
        dates = self.as_of or self.since or self.until
        return self.source_ids is not None or bool(self.kind or self.segment or self.role or dates)


def allowed_by(tx: Tx, project_id: str, passages: Passages, filters: Filters) -> Mask:
    """Which passages a search may find: of versions that are current, at the filter's moment or now, and not withdrawn."""
    found = _current(tx, project_id, passages, filters.as_of)
    if filters.source_ids is not None:
        found = found & np.isin(passages.source, [n for n, key in enumerate(passages.source_ids) if key in set(filters.source_ids)])
    if filters.kind or filters.segment or filters.role:
        found = found & np.isin(passages.source, _fitting(tx, project_id, passages, filters))
    if filters.since:
        found = found & (passages.day >= filters.since.toordinal())
    if filters.until:
        found = found & (passages.day <= filters.until.toordinal())
    return found


def _current(tx: Tx, project_id: str, passages: Passages, as_of: datetime | None) -> Mask:
    if as_of is None:
        return passages.current & ~passages.withdrawn[passages.version] if passages.count else passages.current
    at = {key: n for n, key in enumerate(passages.version_ids)}
    newest: dict[str, tuple[str, bool]] = {}
    for entry in tx.sources.version_index(project_id):
        if entry.at <= as_of:
            newest[entry.source_id] = (entry.id, entry.withdrawn)
    return np.isin(passages.version, [at[key] for key, withdrawn in newest.values() if key in at and not withdrawn])


def _fitting(tx: Tx, project_id: str, passages: Passages, filters: Filters) -> list[int]:
    at = {key: n for n, key in enumerate(passages.source_ids)}
    return [
        at[source.id]
        for source in tx.sources.all(project_id)
        if source.id in at
        and (not filters.kind or source.kind == filters.kind)
        and (not filters.segment or source.segment == filters.segment)
        and (not filters.role or source.role == filters.role)
    ]
