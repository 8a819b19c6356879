"""Looking: the web is searched for what a topic asks, and what was not read before is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from beacon.analyst.prompted import plan_searches_with
from beacon.analyst.searches import plan_searches
from beacon.domain.ids import make_id
from beacon.domain.topic import Topic, TopicMemory
from beacon.errors import BeaconError, BudgetError
from beacon.ingest.pages import fetch_pages
from beacon.ingest.pipeline import ingest_documents
from beacon.runs.topic_memory import read_memory
from beacon.spending import Purse, model_for
from beacon.web.addresses import canonical
from beacon.web.engines import since_of
from beacon.web.search import Searcher, SearchQuery, SearchResult
from beacon.workspace import Workspace

RESULT = "result"  # the kind of a page that a search found
RESULTS = 10  # of one search
NEW_PAGES = 20  # read in one run, taken from the searches in turn
READ_AGAIN = 20  # pages of earlier searches that are looked at again; one that did not change costs one short answer


@dataclass(slots=True)
class Looked:
    """What a search of the web came to."""

    searches: list[str] = field(default_factory=list)
    found: int = 0  # pages the engines named
    seen: int = 0  # of them, those read in an earlier run
    documents: int = 0
    problems: list[str] = field(default_factory=list)


def look(ws: Workspace, searcher: Searcher, topic: Topic, watch: Callable[[str, int, int], None], run_id: str = "") -> Looked:
    """Searches, reads what is new, and looks again at what earlier searches found. Raises BudgetError when a model may not be asked."""
    with ws.records.read() as tx:
        memory = read_memory(tx, topic, ws.clock())
        held = tx.sources.all(ws.project_id, tx.topics.source_ids(topic.id))
    looked = Looked()
    looked.searches = _choose(ws, topic, memory, run_id, looked)
    seen = {canonical(one.url) for one in held} | {canonical(url) for url in (memory.seen_urls if memory else ())}
    results = _search(ws, searcher, topic, memory, looked, watch)
    new = [one for one in results if canonical(one.url) not in seen][:NEW_PAGES]
    looked.found, looked.seen = len(results), sum(1 for one in results if canonical(one.url) in seen)
    named = {canonical(one.url) for one in results}
    earlier = [one for one in held if one.kind == RESULT and one.status == "current"]
    again = sorted(earlier, key=lambda one: (canonical(one.url) not in named, -one.created_at.timestamp(), one.id))[:READ_AGAIN]
    watch(f"{len(new)} pages found", 0, 1)
    _read(ws, topic, [canonical(one.url) for one in new] + [one.url for one in again], new, looked)
    return looked


def _choose(ws: Workspace, topic: Topic, memory: TopicMemory | None, run_id: str, looked: Looked) -> list[str]:
    """What to search for: chosen by a model where there is one, else by rules, which also stand behind the model."""
    known = known_texts(memory)
    offline = plan_searches(topic.title, topic.queries, known)
    model = model_for(ws, "queries", Purse(run_id=run_id, topic_id=topic.id))
    if model is None:
        return offline
    since = memory.last_run_at.date().isoformat() if memory and memory.last_run_at else ""
    key = make_id("ask", run_id, "queries", topic.queries, known)
    try:
        return plan_searches_with(model, topic.title, topic.queries, known, since, offline, key)
    except BudgetError:
        raise
    except BeaconError as error:
        looked.problems.append(f"The searches were chosen without a model: {error.message}")
        return offline


def known_texts(memory: TopicMemory | None) -> list[str]:
    """What a topic remembers, as texts: key facts first, then the last summary."""
    if memory is None:
        return []
    return [*(str(fact["text"]) for fact in memory.key_facts), *filter(None, [memory.report_summary])]


def _search(
    ws: Workspace, searcher: Searcher, topic: Topic, memory: TopicMemory | None, looked: Looked, watch: Callable[[str, int, int], None]
) -> list[SearchResult]:
    """The results of all searches, the best of each before the second of any, a page once."""
    since = since_of(memory.last_run_at if memory else None)
    lists: list[list[SearchResult]] = []
    for done, text in enumerate(looked.searches):
        watch(text, done, len(looked.searches))
        found = searcher.search(SearchQuery(text, RESULTS, since, topic.language))
        lists.append(found.results)
        looked.problems += [one for one in found.problems if one not in looked.problems]
    in_turn = [results[rank] for rank in range(RESULTS) for results in lists if rank < len(results)]
    return list({canonical(one.url): one for one in reversed(in_turn)}.values())[::-1]


def _read(ws: Workspace, topic: Topic, urls: Sequence[str], new: Sequence[SearchResult], looked: Looked) -> None:
    if not urls:
        return
    told = {canonical(one.url): one for one in new}
    try:
        pages = fetch_pages(ws, list(dict.fromkeys(urls)), kind=RESULT)
    except BeaconError as error:
        looked.problems.append(error.message)
        return
    documents = [
        replace(one, published_at=one.published_at or (told[one.url].published_at if one.url in told else None)) for one in pages.documents
    ]
    report = ingest_documents(ws, documents, origin="search", topic_id=topic.id)
    looked.documents += len(report.source_ids) + pages.unchanged
    looked.problems += [f"{problem.file}: {problem.message}" for problem in (*pages.problems, *report.problems)]
