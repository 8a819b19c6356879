"""Tools for facts: contradictions to rule on, and keeping what is known in step with its sources."""

from typing import Any, Literal

from pydantic import Field

from beacon.memory import keep
from beacon.memory.contradictions import contradiction_detail
from beacon.memory.fact_keeping import fact_rows, keep_facts
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace


class ContradictionList(Arguments):
    """Which contradictions."""

    status: Literal["open", "ruled", "settled", "all"] = "open"


class ContradictionRef(Arguments):
    """Names a contradiction."""

    id: str


class Ruling(ContradictionRef):
    """A person's word on a contradiction."""

    keep: str = Field(description="the id of the memory that holds")
    note: str = Field(default="", max_length=2000, description="why")


@tool(ContradictionList)
def contradiction_list(ws: Workspace, args: ContradictionList) -> list[dict[str, Any]]:
    """Where sources differ about the same time: both sides with their quotes and what rests on them, the latest first."""
    with ws.records.read() as tx:
        cases = tx.facts.contradictions(ws.project_id, statuses=None if args.status == "all" else [args.status])
        return [contradiction_detail(ws, tx, case) for case in cases]


@tool(ContradictionRef)
def contradiction_show(ws: Workspace, args: ContradictionRef) -> dict[str, Any]:
    """A contradiction with its sides, their quotes, what rests on each, and what was ruled."""
    with ws.records.read() as tx:
        return contradiction_detail(ws, tx, keep.own_contradiction(ws, tx, args.id))


@tool(Ruling, writes=True)
def contradiction_rule(ws: Workspace, args: Ruling) -> dict[str, Any]:
    """Rules that one side of a contradiction holds; later evidence for another side opens it again."""
    case, changeset_id = keep.rule(ws, args.id, args.keep, args.note)
    with ws.records.read() as tx:
        return {**contradiction_detail(ws, tx, keep.own_contradiction(ws, tx, case.id)), "changeset_id": changeset_id}


@tool(NoArguments, writes=True)
def fact_recheck(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """Reckons every known fact anew from the sources as they are, and says what changed."""
    with ws.records.read() as tx:
        points = [str(row.metadata["point_id"]) for row in fact_rows(ws, tx) if row.metadata.get("point_id")]
    return keep_facts(ws, points=list(dict.fromkeys(points))).as_json()
