"""What is known by segment and month: three to five sentences of the sources themselves, each with its exact place."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from beacon.analyst.key_sentences import Candidate, rank_sentences
from beacon.analyst.sentences import split_sentences
from beacon.domain.evidence import Citation, check_quote
from beacon.domain.graph import GraphSummary
from beacon.domain.ids import make_id
from beacon.domain.source import Source, StoredChunk, Version
from beacon.stores.graph.ports import SUMMARY_KIND
from beacon.stores.records.sources import VersionEntry
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

MOST_SENTENCES = 5
FEWEST_SENTENCES = 3
WEAK_SHARE = 0.5  # of the best sentence's score: after the third, weaker ones are left out
MOST_LETTERS = 400  # of a sentence worth quoting whole
VERSIONS_READ = 200  # texts held in memory at once
SENTENCES_A_VERSION = 400  # of the longest documents, from their beginning


@dataclass(frozen=True, slots=True)
class Group:
    """A segment in a month, and the versions that speak of it."""

    segment: str
    period: str  # YYYY-MM
    versions: tuple[str, ...] = ()

    def summary_id(self, project_id: str) -> str:
        """The id its summary has, whatever it says."""
        return make_id("sum", project_id, self.segment, self.period)


def segment_of(source: Source) -> str:
    """What a source is counted under: its segment, else its series, else its kind, else `all`."""
    return source.segment or source.series or source.kind or "all"


def update_summaries(ws: Workspace, *, source_ids: Sequence[str] | None = None) -> int:
    """How many summaries were written, changed or dropped. With `source_ids`, only segments and months they touch are looked at."""
    with ws.records.read() as tx:
        sources = {source.id: source for source in tx.sources.all(ws.project_id)}
        index = tx.sources.version_index(ws.project_id)
        before = {s.id: s for s in tx.chats.summaries(ws.project_id, kind=SUMMARY_KIND)}
    groups = {group.summary_id(ws.project_id): group for group in _groups(sources, index)}
    touched = [*groups, *sorted(set(before) - set(groups))]
    if source_ids is not None:
        touched = _touched(touched, groups, before, index, set(source_ids))
    outdated = _outdated(sources, index)
    return sum(_update(ws, key, groups.get(key), before.get(key), sources, outdated) for key in touched)


def flag_summaries(tx: Tx, version_ids: Sequence[str]) -> list[str]:
    """The ids of the summaries marked because they cite one of these superseded or withdrawn versions, now or when they were superseded.

    Where there is a graph server the caller adds an outbox row for each (`tell_graph`).
    """
    versions = set(version_ids)
    found = tx.sources.versions_by_id(list(versions))
    projects = {tx.sources.get(version.source_id).project_id for version in found.values()}
    citing = [
        summary.id
        for project_id in sorted(projects)
        for summary in tx.chats.summaries(project_id, kind=SUMMARY_KIND)
        if versions & _cited(summary)
    ]
    tx.chats.flag_summaries(citing)
    return citing


def tell_graph(ws: Workspace, tx: Tx, summary_ids: Iterable[str]) -> None:
    """Queue these summaries for the graph server, if there is one."""
    if ws.settings.neo4j_url:
        tx.outbox.add(ws.project_id, "graph", "sync", "summary", summary_ids, ws.clock())


def _cited(summary: GraphSummary) -> set[str]:
    return {str(citation.get("version_id", "")) for citation in summary.citations}


def _groups(sources: Mapping[str, Source], index: Sequence[VersionEntry]) -> list[Group]:
    """Segments and months with the version of each source that closes the month; derived documents would say things twice."""
    closing: dict[tuple[str, str], dict[str, VersionEntry]] = defaultdict(dict)
    for entry in index:
        source = sources[entry.source_id]
        if not source.derived_from:
            closing[segment_of(source), f"{entry.at:%Y-%m}"][source.id] = entry
    return [
        Group(segment, period, versions)
        for (segment, period), by_source in sorted(closing.items())
        if (versions := tuple(entry.id for entry in by_source.values() if not entry.withdrawn))
    ]


def _touched(
    keys: Sequence[str],
    groups: Mapping[str, Group],
    before: Mapping[str, GraphSummary],
    index: Sequence[VersionEntry],
    source_ids: set[str],
) -> list[str]:
    versions = {entry.id for entry in index if entry.source_id in source_ids}
    return [
        key
        for key in keys
        if (key in groups and versions & set(groups[key].versions))
        or (key in before and any(str(citation.get("source_id")) in source_ids for citation in before[key].citations))
    ]


def _outdated(sources: Mapping[str, Source], index: Sequence[VersionEntry]) -> set[str]:
    """The versions that are not what their source says now."""
    newest = {entry.source_id: entry for entry in index}
    return {
        entry.id
        for entry in index
        if newest[entry.source_id].id != entry.id or entry.withdrawn or sources[entry.source_id].status != "current"
    }


def _update(
    ws: Workspace, key: str, group: Group | None, before: GraphSummary | None, sources: Mapping[str, Source], outdated: set[str]
) -> int:
    summary = None if group is None else _summarise(ws, group, sources)
    if summary is not None:
        summary = replace(summary, flagged=bool(_cited(summary) & outdated))
    if summary == before:
        return 0
    with ws.records.write() as tx:
        if summary is None:
            tx.chats.drop_summaries([key])
        else:
            tx.chats.put_summary(ws.project_id, summary, SUMMARY_KIND, ws.clock())
        tell_graph(ws, tx, [key])
    return 1


def _summarise(ws: Workspace, group: Group, sources: Mapping[str, Source]) -> GraphSummary | None:
    """The summary of a group, or None when its texts hold no sentence."""
    candidates: list[Candidate] = []
    places: dict[str, Citation] = {}
    for at in range(0, len(group.versions), VERSIONS_READ):
        part = group.versions[at : at + VERSIONS_READ]
        with ws.records.read() as tx:
            versions = tx.sources.versions_by_id(part)
            chunks = tx.sources.chunks_of(part)
        for version in (versions[key] for key in part if key in versions):
            for citation in _sentences(version, sources[version.source_id], [c for c in chunks if c.version_id == version.id]):
                name = f"{len(candidates):08d}"
                candidates.append(Candidate(name, citation.quote, version.dated, version.source_id))
                places[name] = citation
    chosen = [places[name] for name in _choose(candidates)]
    if not chosen:
        return None
    text = " ".join(f"{' '.join(citation.quote.split())} [{n}]" for n, citation in enumerate(chosen, 1))
    return GraphSummary(group.summary_id(ws.project_id), group.segment, group.period, text, tuple(c.as_json() for c in chosen))


def _choose(candidates: Sequence[Candidate]) -> list[str]:
    """The names of the best sentences in reading order: by date, then as their documents give them."""
    ranked = rank_sentences(candidates, k=MOST_SENTENCES)
    if not ranked:
        return []
    floor = WEAK_SHARE * max(one.score for one in ranked)
    kept = {one.id for n, one in enumerate(ranked) if n < FEWEST_SENTENCES or one.score >= floor}
    return [c.id for c in sorted((c for c in candidates if c.id in kept), key=lambda c: (c.date.isoformat() if c.date else "", c.id))]


def _sentences(version: Version, source: Source, chunks: Sequence[StoredChunk]) -> list[Citation]:
    """The quotable sentences of a version: those that lie whole in one passage."""
    ordered = sorted(chunks, key=lambda chunk: chunk.start)
    found: list[Citation] = []
    at = 0
    for start, end in split_sentences(version.text):
        while at < len(ordered) and ordered[at].end <= start:
            at += 1
        if at == len(ordered) or len(found) == SENTENCES_A_VERSION:
            break
        if ordered[at].start <= start and end <= ordered[at].end and end - start <= MOST_LETTERS:
            found.append(_cite(version, source, ordered[at], start, end))
    return found


def _cite(version: Version, source: Source, chunk: StoredChunk, start: int, end: int) -> Citation:
    quote = version.text[start:end]
    check_quote(version.text, start, end, quote)
    return Citation(
        quote,
        start,
        end,
        version_id=version.id,
        chunk_id=chunk.id,
        source_id=source.id,
        url=source.url,
        title=version.title or source.title,
    )
