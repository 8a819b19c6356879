"""Numbers and events of runs, as their records keep them."""

from typing import Any

from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.domain.run import Run
from beacon.domain.topic import Topic
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace


def number_of(tx: Tx, run: Run, topic: Topic) -> int:
    """The number the run has, or will have when it is done. Deleted runs keep theirs: the count goes on."""
    memory = tx.topics.memory(topic)
    following = 1 + max(tx.runs.last_number(topic.id), memory.run_count if memory else 0)
    wanted = run.n or int(run.state.get("research_data", {}).get("run_number", 0)) or following
    holder = tx.runs.by_number(topic.id, wanted)
    return wanted if holder is None or holder.id == run.id else following


def run_event(ws: Workspace, run: Run, kind: str, text: str, key: object = "", **payload: Any) -> Event:
    """An event about a run; the same key gives the same event, which is stored once."""
    at = ws.clock()
    return Event(
        id=make_id("evt", run.id, kind, key), project_id=run.project_id, type=kind, at=at, recorded_at=at, text=text,
        payload={"run_id": run.id, "topic_id": run.topic_id, **payload}, user_id=run.user_id, channel="run",
    )  # fmt: skip
