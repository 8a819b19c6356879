"""Pages from the web as incoming documents."""

from collections.abc import Sequence

from beacon.domain.source import IncomingDocument
from beacon.errors import BeaconError
from beacon.ingest.parse import parse_bytes
from beacon.ingest.rows import Problem
from beacon.workspace import Workspace


def fetch_pages(ws: Workspace, urls: Sequence[str], *, kind: str = "page") -> tuple[list[IncomingDocument], list[Problem]]:
    """The pages that could be read, and a problem for each that could not. A page's source is its address."""
    documents: list[IncomingDocument] = []
    problems: list[Problem] = []
    for url, answer in zip(urls, ws.fetcher.fetch_many(list(urls)), strict=True):
        if isinstance(answer, BeaconError):
            problems.append(Problem(url, 0, answer.message))
            continue
        try:
            document = parse_bytes(answer.data, name=answer.final_url, media_type=answer.media_type)
        except BeaconError as error:
            problems.append(Problem(url, 0, error.message))
            continue
        documents.append(IncomingDocument(url, url, document.title or url, document, published_at=document.published_at, kind=kind))
    return documents, problems
