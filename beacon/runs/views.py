"""What a topic's sources said at a moment: one version of each, with its statements."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from urllib.parse import urlsplit

from beacon.analyst.similarity import shingles
from beacon.analyst.statements import extract_statements, statement_hash
from beacon.analyst.witnesses import DERIVED
from beacon.domain.change import Statement
from beacon.domain.run import Run
from beacon.domain.source import Source, Version, unpack_blocks
from beacon.stores.records.store import Tx

COPY_CHARACTERS = 200  # a shorter text may equal another by chance
SITE_SIZE, SITE_SHARE = 5, 0.5  # what half of at least five pages of one site say is the site's furniture


@dataclass(frozen=True)
class Seen:
    """A source as it was read."""

    source: Source
    version: Version

    @property
    def id(self) -> str:
        return self.source.id

    @property
    def url(self) -> str:
        return self.source.url or self.source.key

    @property
    def day(self) -> str:
        return self.version.dated.date().isoformat()

    @property
    def order(self) -> tuple[datetime, str]:
        return (self.version.dated, self.source.id)

    @cached_property
    def all_statements(self) -> list[Statement]:
        if self.version.withdrawn:
            return []
        return extract_statements(self.version.text, unpack_blocks(self.version.blocks))

    @cached_property
    def shingles(self) -> frozenset[str]:
        return shingles(self.version.text)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a source was made from: as it says itself, or because most of it stands there word for word."""

    source_id: str
    declared: bool


@dataclass(frozen=True)
class View:
    """Source id → what it said. Withdrawn sources are in it, without statements."""

    seen: Mapping[str, Seen] = field(default_factory=dict)

    @cached_property
    def current(self) -> list[Seen]:
        """The sources that were not withdrawn, oldest first."""
        return sorted((one for one in self.seen.values() if not one.version.withdrawn), key=lambda one: one.order)

    @cached_property
    def newest(self) -> list[Seen]:
        """The current sources, of each series the newest issue only."""
        last = {one.source.series: one.id for one in self.current if one.source.series}
        return [one for one in self.current if not one.source.series or last[one.source.series] == one.id]

    @cached_property
    def _furniture(self) -> Mapping[str, frozenset[str]]:
        sites: dict[str, list[Seen]] = {}
        for one in self.current:
            if not one.source.series and (site := urlsplit(one.source.url).hostname):
                sites.setdefault(site, []).append(one)
        return {site: _repeated(pages) for site, pages in sites.items() if len(pages) >= SITE_SIZE}

    def statements(self, one: Seen) -> list[Statement]:
        """What the source states, without what its site repeats on every page."""
        furniture = self._furniture.get(urlsplit(one.source.url).hostname or "", frozenset())
        if not furniture or one.source.series:
            return one.all_statements
        return [s for s in one.all_statements if s.kind == "field" or statement_hash(s.text) not in furniture]

    @cached_property
    def origins(self) -> Mapping[str, Origin]:
        """Source id → the source it was made from, where it was made from another one here."""
        found = {one.id: Origin(other, False) for one, other in _copies(self.current)}
        for one in self.current:
            if one.source.derived_from and (other := self._named_by(one)):
                found[one.id] = Origin(other, True)
        return found

    def origin_of(self, one: Seen) -> str:
        """The id of the source it was made from, or an empty text."""
        origin = self.origins.get(one.id)
        return origin.source_id if origin else ""

    def _named_by(self, one: Seen) -> str:
        named = {part.strip() for part in one.source.derived_from.split(",") if part.strip()}
        for other in self.current:
            names = {other.id, other.source.key, other.source.url, str(other.source.metadata.get("id", ""))}
            if other.id != one.id and named & names:
                return other.id
        return ""

    def has(self, one: Seen) -> bool:
        """Whether this very version is in the view."""
        mine = self.seen.get(one.id)
        return mine is not None and mine.version.id == one.version.id

    def is_same(self, other: "View") -> bool:
        """Whether both hold the same versions of the same sources."""
        return {key: one.version.id for key, one in self.seen.items()} == {key: one.version.id for key, one in other.seen.items()}


def _copies(current: list[Seen]) -> Iterable[tuple[Seen, str]]:
    """(source, the earlier source it is mostly a copy of); issues of a series repeat themselves and are no copies."""
    holders: dict[str, list[int]] = {}
    for at, one in enumerate(current):
        runs = one.shingles if not one.source.series and len(one.version.text) >= COPY_CHARACTERS else frozenset[str]()
        shared = Counter(earlier for run in runs for earlier in holders.get(run, ()))
        nearest = [earlier for earlier in sorted(shared) if shared[earlier] >= DERIVED * min(len(runs), len(current[earlier].shingles))]
        if nearest:
            yield one, current[nearest[0]].id
        for run in runs:
            holders.setdefault(run, []).append(at)


def _repeated(pages: list[Seen]) -> frozenset[str]:
    counts = Counter(name for page in pages for name in {statement_hash(s.text) for s in page.all_statements})
    return frozenset(name for name, n in counts.items() if n >= SITE_SHARE * len(pages))


def read_view(tx: Tx, project_id: str, source_ids: Iterable[str], as_of: datetime | None) -> View:
    """What these sources said at `as_of` (default: now)."""
    sources = {one.id: one for one in tx.sources.all(project_id, list(source_ids)) if one.status != "removed"}
    versions = tx.sources.current_versions(sorted(sources), as_of)
    return View({key: Seen(sources[key], versions[key]) for key in sorted(versions)})


def view_of(tx: Tx, run: Run) -> View:
    """What a finished run had read."""
    rows = tx.runs.versions(run.id)
    sources = {one.id: one for one in tx.sources.all(run.project_id, [row[0] for row in rows])}
    versions = tx.sources.versions_by_id([row[1] for row in rows])
    return View({s: Seen(sources[s], versions[v]) for s, v, _ in rows if s in sources and v in versions})


def status_of(one: Seen, old: View | None) -> str:
    """new | changed | same | withdrawn, against what was read before."""
    before = old.seen.get(one.id) if old else None
    if one.version.withdrawn:
        return "withdrawn"
    if before is None or before.version.withdrawn:
        return "new"
    return "same" if before.version.sha256 == one.version.sha256 else "changed"
