"""Tools that search."""

from typing import Any, Literal

from pydantic import Field

from beacon.domain.clock import parse_when
from beacon.errors import NotFoundError
from beacon.retrieval.artifacts import find_artifacts
from beacon.retrieval.search import Filters, explain
from beacon.retrieval.search import search as find_passages
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace

RecipeName = Literal["default", "newest", "briefing", "varied", "unlinked", "plain"]


class SearchFilters(Arguments):
    """What a search is limited to."""

    topic: str | None = Field(default=None, description="slug of a topic: only the sources it reads")
    kind: str = ""
    segment: str = ""
    role: str = ""
    as_of: str | None = Field(default=None, description="see the texts that were current on this date")
    since: str | None = Field(default=None, description="first day that a passage may speak from, YYYY-MM-DD")
    until: str | None = Field(default=None, description="last day, included")
    source_ids: list[str] | None = None


class Search(Arguments):
    """A search."""

    query: str
    k: int = Field(default=10, ge=1, le=200)
    mode: Literal["hybrid", "lexical", "dense", "graph"] = "hybrid"
    slug: str | None = None
    recipe: RecipeName = "default"
    filters: SearchFilters = SearchFilters()


class Explain(Search):
    """A search, and the passages whose score is asked for."""

    chunk_ids: list[str] = Field(min_length=1, max_length=50)


class ChunkIds(Arguments):
    """Which chunks."""

    chunk_ids: list[str] = Field(max_length=200)
    query: str = Field(default="", description="say also how each of them fits this query")


class ArtifactQuery(Arguments):
    """A search over what Beacon made of its sources."""

    query: str
    k: int = Field(default=10, ge=1, le=100)
    kinds: list[Literal["event", "summary"]] | None = None


class ArtifactId(Arguments):
    """Which artifact."""

    artifact_id: str


@tool(Search)
def search(ws: Workspace, args: Search) -> list[dict[str, Any]]:
    """The passages that fit a query best, each with its place in its source and a receipt of its score."""
    found = find_passages(ws, args.query, args.k, mode=args.mode, filters=_filters(ws, args), recipe=args.recipe)
    return [hit.as_json() for hit in found]


@tool(Search)
def search_chunks(ws: Workspace, args: Search) -> list[dict[str, Any]]:
    """Ids and scores of the passages that fit a query best, with the receipt of each score."""
    return [{"chunk_id": hit["chunk_id"], "score": hit["score"], "receipt": hit["receipt"]} for hit in search(ws, args)]


@tool(Explain)
def search_explain(ws: Workspace, args: Explain) -> list[dict[str, Any]]:
    """Why these passages stand where they do for a query, found or not: rank, parts of the score, and what the last hit above them had."""
    limits = _filters(ws, args)
    best = find_passages(ws, args.query, args.k, mode=args.mode, filters=limits, recipe=args.recipe)
    asked = explain(ws, args.query, args.chunk_ids, mode=args.mode, filters=limits, recipe=args.recipe)
    last = best[-1] if best else None
    return [
        {
            "chunk_id": hit.chunk.id,
            "score": round(hit.score, 6),
            "receipt": hit.receipt,
            "short_by": round(max(last.score - hit.score, 0.0), 6) if last else None,
            "last_hit": {"chunk_id": last.chunk.id, "receipt": last.receipt} if last else None,
        }
        for hit in asked
    ]


def _filters(ws: Workspace, args: Search) -> Filters:
    return to_filters(ws, args.filters.model_copy(update={"topic": args.slug}) if args.slug else args.filters)


@tool(ChunkIds)
def fetch_chunks(ws: Workspace, args: ChunkIds) -> list[dict[str, Any]]:
    """The text of passages by id, with their source and place."""
    with ws.records.read() as tx:
        chunks = tx.sources.chunks_by_id(args.chunk_ids)
        sources = {s.id: s for s in tx.sources.all(ws.project_id, list({c.source_id for c in chunks.values()}))}
    fits = {hit.chunk.id: hit for hit in explain(ws, args.query, list(chunks))} if args.query.strip() and chunks else {}
    found = []
    for chunk_id in args.chunk_ids:
        chunk = chunks.get(chunk_id)
        if chunk is None or chunk.source_id not in sources:
            raise NotFoundError(f"There is no passage {chunk_id} in this project.", chunk_id=chunk_id)
        source = sources[chunk.source_id]
        metadata = {
            "url": source.url,
            "title": source.title,
            "version_id": chunk.version_id,
            "start": chunk.start,
            "end": chunk.end,
            "heading": chunk.heading,
            "speaker": chunk.speaker,
        }
        told = {"score": round(fits[chunk_id].score, 6), "receipt": fits[chunk_id].receipt} if chunk_id in fits else {}
        found.append({"chunk_id": chunk.id, "content": chunk.text, "source_id": chunk.source_id, "metadata": metadata, **told})
    return found


@tool(ArtifactQuery)
def search_artifacts(ws: Workspace, args: ArtifactQuery) -> list[dict[str, Any]]:
    """Events and summaries whose words fit a query, by id and score, with the words that fit."""
    return [
        {found.kind: found.id, "score": found.score, "receipt": found.receipt}
        for found in find_artifacts(ws, args.query, args.k, args.kinds)
    ]


@tool(ArtifactId)
def fetch_artifact(ws: Workspace, args: ArtifactId) -> dict[str, Any]:
    """One event, summary, theme or opportunity with its citations."""
    from beacon.tools.insights import find_insight
    from beacon.tools.state import event_json

    if (insight := find_insight(ws, args.artifact_id)) is not None:
        return insight
    with ws.records.read() as tx:
        for summary in tx.chats.own_summaries(ws.project_id, ws.user_id):
            if summary.id == args.artifact_id:
                return {
                    "artifact": {
                        "id": summary.id,
                        "segment": summary.segment,
                        "period": summary.period,
                        "text": summary.text,
                        "flagged": summary.flagged,
                    },
                    "citations": list(summary.citations),
                }
        event = tx.events.get(args.artifact_id)
    if event.project_id != ws.project_id or not event.visible_to(ws.user_id):
        raise NotFoundError(f"There is no artifact {args.artifact_id} in this project.")
    return {"artifact": event_json(event), "citations": []}


def to_filters(ws: Workspace, given: SearchFilters) -> Filters:
    """The filters of a search, with a topic's slug turned into its sources."""
    ids: tuple[str, ...] | None = tuple(given.source_ids) if given.source_ids is not None else None
    if given.topic:
        with ws.records.read() as tx:
            ids = tuple(tx.topics.source_ids(tx.topics.get(ws.project_id, given.topic).id))
    as_of = parse_when(given.as_of, end_of_day=True) if given.as_of else None
    since, until = (parse_when(day).date() if day else None for day in (given.since, given.until))
    return Filters(ids, given.kind, given.segment, given.role, as_of, since, until)
