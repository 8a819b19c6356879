"""What a synthesis reads: the project's sources with their current texts and passages, and what people said of who speaks."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from beacon.domain.source import Source, StoredChunk
from beacon.errors import InputError
from beacon.synthesis.evidence import Evidence, Material, gather
from beacon.workspace import Workspace

READ_AT_ONCE = 300  # sources


def load_evidence(ws: Workspace, *, segment: str = "", source_ids: Collection[str] = (), without: Collection[str] = ()) -> Evidence:
    """The project's evidence: of one segment, of some sources, or without some. Raises InputError for a segment nobody is in."""
    with ws.records.read() as tx:
        sources = [s for s in tx.sources.all(ws.project_id) if s.status == "current" and s.kind != "conversation"]
    if segment:
        known = sorted({s.segment for s in sources if s.segment})
        wanted = [s for s in sources if s.segment.casefold() == segment.casefold()]
        if not wanted:
            there = f"there are {', '.join(known)}" if known else "no source has one yet: map segments on the Insights page"
            raise InputError(f"No source is of the segment '{segment}': {there}.", segment=segment)
        sources = wanted
    chosen = [s for s in sources if (not source_ids or s.id in source_ids) and s.id not in without]
    return gather(load_materials(ws, chosen))


def load_materials(ws: Workspace, sources: Sequence[Source]) -> list[Material]:
    """The sources that have a current text, by id."""
    found: list[Material] = []
    ordered = sorted(sources, key=lambda s: s.id)
    for at in range(0, len(ordered), READ_AT_ONCE):
        part = ordered[at : at + READ_AT_ONCE]
        ids = [source.id for source in part]
        with ws.records.read() as tx:
            versions = tx.sources.current_versions(ids)
            chunks: dict[str, list[StoredChunk]] = defaultdict(list)
            for chunk in tx.sources.chunks_of([v.id for v in versions.values()]):
                chunks[chunk.version_id].append(chunk)
            said = tx.insights.speakers(ids)
            watched = tx.topics.watched(ids)
        for source in part:
            version = versions.get(source.id)
            if version is not None and not version.withdrawn:
                spoken = said.get(source.id, {})
                roles = {name: role for name, (role, _) in spoken.items() if role}
                people = {name: who for name, (_, who) in spoken.items() if who}
                nobodys = source.id in watched and not (source.voice or source.participant or source.segment or people or roles)
                found.append(Material(source, version, chunks[version.id], roles, people, nobodys))
    return found
