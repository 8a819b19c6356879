"""Tools about Beacon itself: status, checks, rebuild, backup, the home page's feed, the sample."""

from pathlib import Path
from typing import Any

from pydantic import Field

from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace


class BackupTo(Arguments):
    """Where a backup goes; empty: into the data folder's backups."""

    path: str = ""


class HomeFeed(Arguments):
    """How much the home page shows."""

    limit: int = Field(default=12, ge=1, le=100)
    mark: bool = Field(default=False, description="a person looks now: what changes from here on is new the next time")


@tool(NoArguments)
def status(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """What runs, what waits, which providers have a key, and how much is stored."""
    from beacon.tools.health import collect_status

    return collect_status(ws)


@tool(NoArguments, writes=True)
def rebuild(ws: Workspace, args: NoArguments) -> dict[str, int]:
    """Makes vectors and graph anew from the records, beside the old ones, then swaps them."""
    from beacon.projections import rebuild as rebuild_projections

    return rebuild_projections(ws)


@tool(NoArguments)
def verify(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """Checks every guarantee on this data folder: exact quotes, chunks that are slices, citations, projections in step."""
    from beacon.tools.verify import verify_all

    return verify_all(ws)


@tool(NoArguments)
def doctor(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """Checks the installation: SQLite, Chroma, graph, embedder, the graph page's library, disk and rights."""
    from beacon.tools.health import examine

    return examine(ws)


@tool(BackupTo, writes=True)
def backup(ws: Workspace, args: BackupTo) -> dict[str, Any]:
    """Writes one archive with the records and outputs as they are at this moment."""
    from beacon.tools.backups import write_backup

    return write_backup(ws, Path(args.path).expanduser() if args.path else None)


@tool(HomeFeed)
def home_feed(ws: Workspace, args: HomeFeed) -> dict[str, Any]:
    """What changed lately over all topics, gates that wait, runs under way, and the topics themselves."""
    from beacon.tools.health import collect_feed

    return collect_feed(ws, args.limit, mark=args.mark)


@tool(NoArguments, writes=True)
def demo(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """Brings the sample workspace in and runs its rounds: what changed in each, a question answered, memory consolidated."""
    from beacon.tools.demo import run_demo

    found: dict[str, Any] = run_demo(ws)
    return found
