"""What is worked out from the sources and may lag behind them: facts, summaries by segment and month, and the graph page's drawing."""

from dataclasses import replace
from datetime import timedelta
from threading import Lock

from beacon.memory.fact_keeping import keep_facts
from beacon.projections import drain_all
from beacon.retrieval.graph_view import lay_out
from beacon.synthesis.summaries import flag_summaries, tell_graph, update_summaries
from beacon.workspace import Workspace

TARGET = "derived"
QUIET = timedelta(seconds=5)  # a worker waits until reading has paused: a folder being read would be summarised at every batch
MOST_ROWS = 100_000


def refresh(ws: Workspace, *, when_quiet: bool = False) -> int:
    """How many changed versions the facts, the summaries and the drawing now know of."""
    with ws.records.read() as tx:
        rows = [row for row in tx.outbox.take(TARGET, MOST_ROWS) if row["project_id"] == ws.project_id]
        if not rows or (when_quiet and ws.clock() - max(row["at"] for row in rows) < QUIET):
            return 0
        versions = tx.sources.versions_by_id([str(row["ref"]) for row in rows])
    source_ids = sorted({version.source_id for version in versions.values()})
    keep_facts(ws, source_ids)
    with ws.records.write() as tx:
        tell_graph(ws, tx, flag_summaries(tx, list(versions)))
    update_summaries(ws, source_ids=source_ids)
    lay_out(ws)
    with ws.records.write() as tx:
        tx.outbox.done([int(row["seq"]) for row in rows])
    return len(rows)


def refresh_all(ws: Workspace) -> int:
    """`refresh` for every project in which reading has paused."""
    with ws.records.read() as tx:
        projects = list(dict.fromkeys(str(row["project_id"]) for row in tx.outbox.take(TARGET, MOST_ROWS)))
    others = (ws if project == ws.project_id else replace(ws, project_id=project, _lock=Lock()) for project in projects)
    return sum(refresh(other, when_quiet=True) for other in others)


def settle(ws: Workspace) -> int:
    """How many rows the projections could not take; everything else that follows from the sources is up to date."""
    drain_all(ws)
    refresh(ws)
    return drain_all(ws)
