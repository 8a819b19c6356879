"""Where a run is, for whoever looks at it now."""

from beacon.workspace import Workspace


def report_progress(ws: Workspace, run_id: str, title: str, done: int = 0, total: int = 0, message: str = "") -> None:
    """Store the progress; a cancelled run stays cancelled."""
    progress = {"phase": title, "done": done, "total": total, "message": message}
    with ws.records.write() as tx:
        if tx.runs.get(run_id).status != "cancelled":
            tx.runs.update(run_id, ws.clock(), status="running", progress=progress)
