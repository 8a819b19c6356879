"""Browsing's hands: everything a topic names is read into the records. What cannot be read is a problem; the rest goes on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from beacon.domain.topic import Topic
from beacon.errors import BeaconError, BudgetError, StorageError
from beacon.ingest.manifest import FolderDefaults, Problem, read_folder
from beacon.ingest.pages import fetch_pages
from beacon.ingest.pipeline import ingest_documents
from beacon.runs.looking import look
from beacon.web.feeds import FeedEntry, read_feed
from beacon.web.fetch import Fetched
from beacon.web.search import Searcher
from beacon.web.sitemaps import is_sitemap, read_sitemap
from beacon.workspace import Workspace

PAGE = "page"
FEED_ENTRIES = 30  # newest entries of a feed or sitemap that are read in one run
SITEMAPS = 5  # newest sitemaps of an index that are read in one run
Watcher = Callable[[str, int, int], None]


@dataclass(slots=True)
class Gathered:
    """How many documents were read, and what could not be."""

    documents: int = 0
    problems: list[str] = field(default_factory=list)


def gather(ws: Workspace, topic: Topic, watch: Watcher, *, search: bool = True, run_id: str = "") -> Gathered:
    """Reads the topic's folders, pages and feeds, and searches the web where an engine is set.

    Reading the same again changes nothing. Raises StorageError when nothing can be kept.
    """
    found = Gathered()
    total = len(topic.folders) + len(topic.feeds) + bool(topic.pages)
    jobs: list[tuple[str, Callable[[], None]]] = [(folder, _reader(_read_folder, ws, topic, folder, found)) for folder in topic.folders]
    jobs += [(feed, _reader(_read_feed, ws, topic, feed, found)) for feed in topic.feeds]
    if topic.pages:
        jobs.append((f"{len(topic.pages)} pages", lambda: _read_pages(ws, topic, topic.pages, found)))
    if search and (topic.queries or not jobs) and (searcher := ws.searcher) is not None:
        jobs.append(("searching", lambda: _search(ws, searcher, topic, watch, found, run_id)))
    if not jobs and topic.queries:
        found.problems.append(
            "The topic has queries and nothing to look in: add folders, pages or feeds to it, or set a search engine (BEACON_SEARCH)."
        )
    for done, (name, job) in enumerate(jobs):
        watch(Path(name).name if name in topic.folders else name, done, total)
        try:
            job()
        except (StorageError, BudgetError):
            raise
        except BeaconError as error:
            found.problems.append(f"{name}: {error.message}")
    return found


def _search(ws: Workspace, searcher: Searcher, topic: Topic, watch: Watcher, found: Gathered, run_id: str) -> None:
    looked = look(ws, searcher, topic, watch, run_id)
    found.documents += looked.documents
    found.problems += looked.problems


def _reader(
    read: Callable[[Workspace, Topic, str, Gathered], None], ws: Workspace, topic: Topic, name: str, found: Gathered
) -> Callable[[], None]:
    return lambda: read(ws, topic, name, found)


def _read_folder(ws: Workspace, topic: Topic, folder: str, found: Gathered) -> None:
    from beacon.ingest.limits import ParseLimits

    defaults = FolderDefaults(limits=ParseLimits(max_bytes=ws.settings.ingest_max_bytes))
    reading = read_folder(Path(folder), defaults=defaults)
    report = ingest_documents(ws, reading.documents, origin="folder", topic_id=topic.id)
    found.documents += len(report.source_ids)
    found.problems += [_line(problem) for problem in (*reading.problems, *report.problems)]


def _read_pages(ws: Workspace, topic: Topic, urls: Sequence[str], found: Gathered) -> None:
    with ws.records.read() as tx:
        known = tx.sources.all(ws.project_id, tx.topics.source_ids(topic.id))
    left = [one for one in known if one.kind == PAGE and one.url not in urls]
    pages = fetch_pages(ws, urls, kind=PAGE, moved_from=left)
    report = ingest_documents(ws, pages.documents, origin="web", topic_id=topic.id)
    found.documents += len(report.source_ids) + pages.unchanged
    found.problems += [_line(problem) for problem in (*pages.problems, *report.problems)]


def _read_feed(ws: Workspace, topic: Topic, url: str, found: Gathered) -> None:
    entries = {entry.url: entry for entry in _newest(_entries(ws, url))}
    pages = fetch_pages(ws, list(entries), kind="article")
    dated = [
        replace(
            one,
            title=one.title if one.title != one.url else entries[one.url].title,
            published_at=one.published_at or entries[one.url].published_at,
        )
        for one in pages.documents
        if one.url in entries
    ]
    report = ingest_documents(ws, dated, origin="feed", topic_id=topic.id)
    found.documents += len(report.source_ids) + pages.unchanged
    found.problems += [_line(problem) for problem in (*pages.problems, *report.problems)]


def _entries(ws: Workspace, url: str) -> list[FeedEntry]:
    """What the feed, or the sitemap, at that address lists; of an index its newest sitemaps are read."""
    page = ws.fetcher.fetch(url)
    if not is_sitemap(page.data):
        return list(read_feed(page.data, page.final_url).entries)
    sitemap = read_sitemap(page.data, page.final_url)
    if not sitemap.is_index:
        return [FeedEntry(one.url, one.url, one.changed_at, "") for one in sitemap.entries]
    listed = _newest([FeedEntry(one.url, one.url, one.changed_at, "") for one in sitemap.entries])[:SITEMAPS]
    pages = [page for page in ws.fetcher.fetch_many([one.url for one in listed]) if isinstance(page, Fetched)]
    parts = [read_sitemap(page.data, page.final_url) for page in pages]
    return [FeedEntry(one.url, one.url, one.changed_at, "") for part in parts if not part.is_index for one in part.entries]


def _newest(entries: Sequence[FeedEntry]) -> list[FeedEntry]:
    order = sorted(range(len(entries)), key=lambda n: (-(entries[n].published_at.timestamp() if entries[n].published_at else 0.0), n))  # type: ignore[union-attr]
    return [entries[n] for n in order[:FEED_ENTRIES]]


def _line(problem: Problem) -> str:
    return f"{problem.file}{f', row {problem.row}' if problem.row else ''}: {problem.message}"
