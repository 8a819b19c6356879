"""Tools that search."""

from typing import Any, Literal

from pydantic import Field

from beacon.domain.clock import parse_when
from beacon.errors import NotFoundError
from beacon.retrieval.search import Filters
from beacon.retrieval.search import search as find_passages
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace


class SearchFilters(Arguments):
    """What a search is limited to."""

    topic: str | None = Field(default=None, description="slug of a topic: only the sources it reads")
    kind: str = ""
    segment: str = ""
    role: str = ""
    as_of: str | None = Field(default=None, description="see the texts that were current on this date")
    source_ids: list[str] | None = None


class Search(Arguments):
    """A search."""

    query: str
    k: int = Field(default=10, ge=1, le=200)
    mode: Literal["hybrid", "lexical", "dense", "graph"] = "hybrid"
    slug: str | None = None
    filters: SearchFilters = SearchFilters()


class ChunkIds(Arguments):
    """Which chunks."""

    chunk_ids: list[str] = Field(max_length=200)


class ArtifactQuery(Arguments):
    """A search over what Beacon made of its sources."""

    query: str
    k: int = Field(default=10, ge=1, le=100)


class ArtifactId(Arguments):
    """Which artifact."""

    artifact_id: str


@tool(Search)
def search(ws: Workspace, args: Search) -> list[dict[str, Any]]:
    """The passages that fit a query best, each with its place in its source and a receipt of its score."""
    wanted = args.filters.model_copy(update={"topic": args.slug}) if args.slug else args.filters
    return [hit.as_json() for hit in find_passages(ws, args.query, args.k, mode=args.mode, filters=to_filters(ws, wanted))]


@tool(Search)
def search_chunks(ws: Workspace, args: Search) -> list[dict[str, Any]]:
    """Ids and scores of the passages that fit a query best."""
    return [{"chunk_id": hit["chunk_id"], "score": hit["score"]} for hit in search(ws, args)]


@tool(ChunkIds)
def fetch_chunks(ws: Workspace, args: ChunkIds) -> list[dict[str, Any]]:
    """The text of passages by id, with their source and place."""
    with ws.records.read() as tx:
        chunks = tx.sources.chunks_by_id(args.chunk_ids)
        sources = {s.id: s for s in tx.sources.all(ws.project_id, list({c.source_id for c in chunks.values()}))}
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
        found.append({"chunk_id": chunk.id, "content": chunk.text, "source_id": chunk.source_id, "metadata": metadata})
    return found


@tool(ArtifactQuery)
def search_artifacts(ws: Workspace, args: ArtifactQuery) -> list[dict[str, Any]]:
    """Events and summaries whose words fit a query, by id and score."""
    from beacon.analyst.tokens import content_tokens

    wanted = set(content_tokens(args.query))
    with ws.records.read() as tx:
        events = tx.events.all(ws.project_id, newest_first=True, limit=1000)
        summaries = tx.chats.summaries(ws.project_id)
    texts = [("event_id", e.id, e.text) for e in events if e.text] + [
        ("summary_id", s.id, f"{s.segment} {s.period} {s.text}") for s in summaries
    ]
    scored = [(len(wanted & set(content_tokens(text))) / max(len(wanted), 1), kind, key) for kind, key, text in texts]
    best = sorted((row for row in scored if row[0] > 0), key=lambda row: (-row[0], row[2]))[: args.k]
    return [{kind: key, "score": round(score, 4)} for score, kind, key in best]


@tool(ArtifactId)
def fetch_artifact(ws: Workspace, args: ArtifactId) -> dict[str, Any]:
    """One event or summary with its citations."""
    from beacon.tools.state import event_json

    with ws.records.read() as tx:
        for summary in tx.chats.summaries(ws.project_id):
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
    if event.project_id != ws.project_id:
        raise NotFoundError(f"There is no artifact {args.artifact_id} in this project.")
    return {"artifact": event_json(event), "citations": []}


def to_filters(ws: Workspace, given: SearchFilters) -> Filters:
    """The filters of a search, with a topic's slug turned into its sources."""
    ids: tuple[str, ...] | None = tuple(given.source_ids) if given.source_ids is not None else None
    if given.topic:
        with ws.records.read() as tx:
            ids = tuple(tx.topics.source_ids(tx.topics.get(ws.project_id, given.topic).id))
    as_of = parse_when(given.as_of, end_of_day=True) if given.as_of else None
    return Filters(source_ids=ids, kind=given.kind, segment=given.segment, role=given.role, as_of=as_of)
