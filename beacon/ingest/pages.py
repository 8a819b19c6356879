"""Pages from the web as incoming documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from beacon.domain.event import Event
from beacon.domain.ids import digest, make_id
from beacon.domain.source import Document, IncomingDocument, Source, Version
from beacon.errors import BeaconError
from beacon.ingest.parse import parse_bytes
from beacon.ingest.rows import Problem
from beacon.ingest.substitutes import find_doubt
from beacon.stores.records.store import Tx
from beacon.web.fetch import Fetched, Wanted
from beacon.workspace import Workspace

MOVED = "moved_from"
ETAG, MODIFIED, BYTES = "etag", "last_modified", "sha256_of_bytes"  # what a version remembers of the answer it was read from


@dataclass(slots=True)
class Pages:
    """What fetching some pages gave: what is to be read, what could not be, and how many are as they were held."""

    documents: list[IncomingDocument] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class _Held:
    """The source a page is, and its newest version."""

    key: str
    version: Version | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)

    def remembered(self, name: str) -> str:
        return str(self.version.metadata.get(name, "")) if self.version else ""


def fetch_pages(ws: Workspace, urls: Sequence[str], *, kind: str = "page", moved_from: Sequence[Source] = ()) -> Pages:
    """The pages that could be read, and a problem for each that could not. A page's source is its address.

    A new address with the words of one of `moved_from` is that source, moved. A page that answers in another's place (a login, an
    error, a cut page) is a problem, and what was held stays.
    """
    found = Pages()
    with ws.records.read() as tx:
        held = {url: _find_held(tx, ws.project_id, url) for url in urls}
    wanted = [Wanted(url, held[url].remembered(ETAG), held[url].remembered(MODIFIED)) for url in urls]
    for url, answer in zip(urls, ws.fetcher.fetch_many(wanted), strict=True):
        if isinstance(answer, BeaconError):
            found.problems.append(Problem(url, 0, answer.message))
        else:
            _take(ws, found, url, answer, held[url], kind, moved_from)
    return found


def _find_held(tx: Tx, project_id: str, url: str) -> _Held:
    source = tx.sources.find_by_key(project_id, url) or _moved_here(tx, project_id, url)
    if source is None:
        return _Held(url)
    version = tx.sources.current_versions([source.id]).get(source.id)
    told = {name: value for name, value in source.metadata.items() if name == MOVED}
    return _Held(source.key, None if version is None or version.withdrawn else version, told)


def _moved_here(tx: Tx, project_id: str, url: str) -> Source | None:
    """The page that came to this address from another one."""
    return next((one for one in tx.sources.find_by_url(project_id, url) if one.key != url and one.metadata.get(MOVED)), None)


def _take(ws: Workspace, found: Pages, url: str, answer: Fetched, held: _Held, kind: str, moved_from: Sequence[Source]) -> None:
    if answer.not_modified or (held.version and held.remembered(BYTES) == digest(answer.data)):
        found.unchanged += 1
        return
    try:
        document = _parse(answer)
    except BeaconError as error:
        found.problems.append(Problem(url, 0, error.message))
        return
    if reason := _refusal(ws, answer, document, held):
        found.problems.append(Problem(url, 0, reason))
        return
    key, metadata = held.key, held.metadata
    if held.version is None and (source := _find_moved(ws, document, moved_from)):
        key, metadata = source.key, _move(ws, source, url)
    title = document.title or url
    found.documents.append(
        IncomingDocument(key, url, title, document, published_at=document.published_at, kind=kind, metadata=dict(metadata))
    )


def _parse(answer: Fetched) -> Document:
    media_type = f"{answer.media_type}; charset={answer.charset}" if answer.charset else answer.media_type
    document = parse_bytes(answer.data, name=answer.final_url, media_type=media_type)
    told = {ETAG: answer.etag, MODIFIED: answer.last_modified, BYTES: digest(answer.data)}
    return replace(document, metadata={**document.metadata, **{name: value for name, value in told.items() if value}})


def _refusal(ws: Workspace, answer: Fetched, document: Document, held: _Held) -> str:
    """Why the page is not read now, or an empty text. What is only doubted is believed when it comes a second time."""
    doubt = find_doubt(answer, document, held.version)
    name = f"doubted:{digest(f'{ws.project_id} {held.key}')[:24]}"
    sha256 = digest(document.text)
    with ws.records.read() as tx:
        before = tx.projects.value(name)
    if doubt is None or not doubt.certain:
        seen_before = before is not None and before.get("sha256") == sha256
        if before or doubt:
            with ws.records.write() as tx:
                tx.projects.set_value(name, {} if doubt is None or seen_before else {"sha256": sha256}, ws.clock())
        if doubt is None or seen_before:
            return ""
    kept = f" What was read on {held.version.fetched_at.date()} stays." if held.version else ""
    again = "" if doubt.certain else " If it says the same next time, it is taken for what it says now."
    return f"not read: {doubt.reason}.{kept}{again}"


def _find_moved(ws: Workspace, document: Document, moved_from: Sequence[Source]) -> Source | None:
    """The source whose newest version says exactly this."""
    with ws.records.read() as tx:
        heads = tx.sources.heads([source.id for source in moved_from])
    sha256 = digest(document.text)
    return next((one for one in moved_from if heads.get(one.id) and heads[one.id][-1].sha256 == sha256), None)


def _move(ws: Workspace, source: Source, url: str) -> dict[str, object]:
    """The metadata of the source, now at another address."""
    metadata: dict[str, object] = {**source.metadata, MOVED: source.url}
    now = ws.clock()
    moved = Event(
        id=make_id("evt", source.id, "source_moved", url), project_id=source.project_id, type="source_moved", at=now, recorded_at=now,
        text=f"'{source.title}' moved from {source.url} to {url}.", payload={"source_id": source.id, "from": source.url, "to": url},
        channel="ingest",
    )  # fmt: skip
    with ws.records.write() as tx:
        tx.sources.put_sources([replace(source, url=url, metadata=metadata)])
        tx.events.append(moved)
    return metadata
