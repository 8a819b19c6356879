"""Tools for decisions: what was decided, on what evidence, and what has come up since."""

from typing import Any, Literal

from pydantic import Field

from beacon.domain.insight import Decision
from beacon.errors import InputError
from beacon.synthesis.decisions import decide, settle_decision
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace


class DecisionAdd(Arguments):
    """What was decided and what it rests on."""

    title: str = Field(min_length=1, max_length=500)
    reason: str = ""
    theme_ids: list[str] = Field(default_factory=list)
    opp_ids: list[str] = Field(default_factory=list)


class DecisionList(Arguments):
    """Which decisions."""

    status: Literal["standing", "reopened", "closed", "all"] = "all"


class DecisionSettle(Arguments):
    """What becomes of a decision that was opened again, or that is over."""

    decision_id: str
    status: Literal["standing", "closed"]
    reason: str = ""


@tool(DecisionAdd, writes=True)
def decision_add(ws: Workspace, args: DecisionAdd) -> dict[str, Any]:
    """Keeps a decision as an event with the themes and opportunities it rests on; later evidence opens it again."""
    if not args.title.strip():
        raise InputError("A decision needs words that say what was decided.")
    return decision_json(decide(ws, args.title, args.reason, args.theme_ids, args.opp_ids))


@tool(DecisionList)
def decision_list(ws: Workspace, args: DecisionList) -> list[dict[str, Any]]:
    """The decisions, newest first, with their evidence and what has come up since."""
    with ws.records.read() as tx:
        return [decision_json(one) for one in tx.insights.decisions(ws.project_id) if args.status in (one.status, "all")]


@tool(DecisionSettle, writes=True)
def decision_settle(ws: Workspace, args: DecisionSettle) -> dict[str, Any]:
    """Upholds a decision on today's evidence, or closes it."""
    return decision_json(settle_decision(ws, args.decision_id, args.status, args.reason))


def decision_json(one: Decision) -> dict[str, Any]:
    """A decision as tools print it."""
    rests = one.evidence.get("rests_on", {})
    quotes = [quote for part in rests.values() for quote in part["quotes"]]
    return {
        "id": one.id,
        "event_id": one.event_id,
        "title": one.title,
        "reason": one.reason,
        "status": one.status,
        "decided_at": one.decided_at.isoformat(),
        "user": one.user_id,
        "themes": one.evidence.get("themes", []),
        "opportunities": one.evidence.get("opportunities", []),
        "people": len({who for part in rests.values() for who in part["people"]}),
        "quotes": list({(quote["chunk_id"], quote["start"]): quote for quote in quotes}.values()),
        "reopened": one.reopened,
    }
