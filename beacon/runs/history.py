"""A topic's history from dated material: one run for each date, oldest first, those that are there already left as they are."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Literal

from beacon.domain.clock import parse_when
from beacon.domain.run import Run
from beacon.domain.topic import Topic
from beacon.errors import InputError
from beacon.runs.gather import gather
from beacon.runs.here import run_here
from beacon.runs.jobs import start_run
from beacon.workspace import Workspace

Step = Literal["date", "month", "quarter", "year"]
_PERIODS: dict[Step, Callable[[datetime], tuple[int, ...]]] = {
    "date": lambda at: (at.year, at.month, at.day),
    "month": lambda at: (at.year, at.month),
    "quarter": lambda at: (at.year, (at.month - 1) // 3),
    "year": lambda at: (at.year,),
}
RUN_S = 3600.0


def find_dates(ws: Workspace, topic: Topic, step: Step) -> list[datetime]:
    """The last moment of each date (or of the last date in each month, quarter or year) on which a source of the topic changed.

    Reads what the topic names first. Raises InputError when nothing it reads carries a date in the past.
    """
    gather(ws, topic, lambda *_: None)
    with ws.records.read() as tx:
        ids = set(tx.topics.source_ids(topic.id))
        found = sorted({entry.at for entry in tx.sources.version_index(ws.project_id) if entry.source_id in ids and entry.at <= ws.clock()})
    dates = [list(group)[-1] for _, group in groupby(found, _PERIODS[step])]
    if not dates:
        raise InputError(f"Nothing that '{topic.title}' reads has a date: name the dates with --as-of.", slug=topic.slug)
    return [_end_of_day(at) for at in dates]


def parse_dates(texts: Sequence[str]) -> list[datetime]:
    """The last moments of these dates, each once, oldest first. Raises InputError."""
    return sorted({parse_when(text, end_of_day=True) for text in texts})


def _end_of_day(at: datetime) -> datetime:
    return parse_when(at.astimezone(UTC).date().isoformat(), end_of_day=True)


def replay(ws: Workspace, topic: Topic, moments: Sequence[datetime]) -> Iterator[Run]:
    """The topic's run as of each moment, in order: the one that is there, or a new one. Stops behind one that does not end well."""
    for moment in moments:
        with ws.records.read() as tx:
            run = tx.runs.done_as_of(topic.id, moment)
        if run is None:
            run = run_here(ws, start_run(ws, topic, as_of=moment, trigger="history"), RUN_S)
        yield run
        if run.status != "done":
            return
