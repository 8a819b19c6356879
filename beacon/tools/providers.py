"""Tools about models, search engines and what they cost."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from beacon.errors import InputError
from beacon.settings import EDITABLE, write_settings
from beacon.spending import Purse, day_begins, limits, notice_new_settings, raise_budget
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace

DAYS_SHOWN = 31


class BudgetRaise(Arguments):
    """How much more a run, a conversation or today may spend."""

    scope: Literal["run", "conversation", "day"]
    name: str = Field(default="", description="a run's id or SLUG#N, or a conversation's id; not needed for the day")
    usd: float = Field(default=0.0, ge=0, le=1000)
    tokens: int = Field(default=0, ge=0)


class SettingsChange(Arguments):
    """Settings by name with their new values; null takes one out of the file."""

    values: dict[str, str | int | float | bool | None] = Field(min_length=1)


class ProviderTest(Arguments):
    """Who is asked whether it answers."""

    name: str = Field(description="a model provider or a search engine that is set up")


@tool(NoArguments)
def spend_report(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """What models cost: by day, run, topic, conversation, model and task, and what may still be spent today."""
    now = ws.clock()
    zone = ZoneInfo(ws.settings.timezone)
    with ws.records.read() as tx:
        calls = tx.spend.calls(ws.project_id)
        today = list(limits(ws, tx, Purse(), now))[-1]
        topics = {topic.id: topic for topic in tx.topics.all(ws.project_id)}
        runs = {run.id: run for run in tx.runs.all(ws.project_id, archived=True)}
    titles = {key: topic.title for key, topic in topics.items()}
    named = {run.id: f"{topics[run.topic_id].slug}#{run.n or '?'}" for run in runs.values() if run.topic_id in topics}
    return {
        "total": _sum(calls),
        "today": {
            "from": day_begins(ws, now).isoformat(), "limit_usd": today.usd, "limit_tokens": today.tokens, "spent_usd": today.spent_usd,
            "spent_tokens": today.spent_tokens,
        },
        "days": _grouped(calls, [one["at"].astimezone(zone).date().isoformat() for one in calls], newest_first=True)[:DAYS_SHOWN],
        "runs": _titled(_grouped(calls, [one["run_id"] for one in calls]), named),
        "topics": _titled(_grouped(calls, [one["topic_id"] for one in calls]), titles),
        "conversations": _grouped(calls, [one["conversation_id"] for one in calls]),
        "models": _grouped(calls, [one["model"] for one in calls]),
        "tasks": _grouped(calls, [one["purpose"] for one in calls]),
    }  # fmt: skip


def _grouped(calls: list[dict[str, Any]], names: Iterable[str], *, newest_first: bool = False) -> list[dict[str, Any]]:
    """One sum a name, the dearest first; calls without a name are left out."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for call, name in zip(calls, names, strict=True):
        if name:
            groups.setdefault(name, []).append(call)
    found = [{"name": name, **_sum(group)} for name, group in groups.items()]
    return (
        sorted(found, key=lambda one: one["name"], reverse=True)
        if newest_first
        else sorted(found, key=lambda one: (-one["cost_usd"], one["name"]))
    )


def _titled(groups: list[dict[str, Any]], titles: dict[str, str]) -> list[dict[str, Any]]:
    return [{**one, "title": titles.get(one["name"], "")} for one in groups]


def _sum(calls: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "calls": len(calls), "cost_usd": sum(one["cost_usd"] for one in calls),
        "input_tokens": sum(one["input_tokens"] for one in calls), "output_tokens": sum(one["output_tokens"] for one in calls),
        "cached_tokens": sum(one["cached_tokens"] for one in calls), "held": sum(one["status"] == "held" for one in calls),
        "unpriced": sum(not one["priced"] for one in calls),
    }  # fmt: skip


@tool(BudgetRaise, writes=True)
def budget_raise(ws: Workspace, args: BudgetRaise) -> dict[str, Any]:
    """Lets a run, a conversation or today spend more than the settings say; a run that stopped for it can then be resumed."""
    if not args.usd and not args.tokens:
        raise InputError("Say how much more: usd, tokens, or both.")
    now = ws.clock()
    name = args.name
    if args.scope == "day":
        name = day_begins(ws, now).date().isoformat()
    elif not name:
        raise InputError(f"Say which {args.scope} may spend more.")
    elif args.scope == "run" and "#" in name:
        name = _run_id(ws, name)
    with ws.records.write() as tx:
        raise_budget(tx, args.scope, name, args.usd, args.tokens, now)
        purse = Purse(run_id=name if args.scope == "run" else "", conversation_id=name if args.scope == "conversation" else "")
        limit = next(one for one in limits(ws, tx, purse, now) if one.scope == args.scope)
    return {"scope": limit.scope, "name": name, "limit_usd": limit.usd, "limit_tokens": limit.tokens, "spent_usd": limit.spent_usd}


def _run_id(ws: Workspace, name: str) -> str:
    from beacon.tools.runs import find_run

    with ws.records.read() as tx:
        return find_run(ws, tx, name).id


@tool(NoArguments)
def provider_list(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """Which model providers and search engines are set up, with which models, prices and budgets. Keys are only said to be there or not."""
    from beacon.tools.provider_state import list_providers

    notice_new_settings(ws)
    return list_providers(ws)


@tool(ProviderTest, writes=True)
def provider_test(ws: Workspace, args: ProviderTest) -> dict[str, Any]:
    """Asks a provider or search engine one short question: whether it answers, how fast, and at what cost."""
    from beacon.tools.provider_state import try_provider

    notice_new_settings(ws)
    return try_provider(ws, args.name.lower())


@tool(SettingsChange, writes=True)
def settings_set(ws: Workspace, args: SettingsChange) -> dict[str, Any]:
    """Changes settings that hold no secret: providers, model names, budgets, search, notifications. Kept in settings.toml."""
    from beacon.tools.provider_state import hidden_by_environment

    write_settings(ws.settings, args.values)
    ws.settings = ws.settings.refreshed()
    for part in ("models", "searcher"):
        ws.__dict__.pop(part, None)
    return {"changed": sorted(args.values), "overridden": hidden_by_environment(args.values), "editable": list(EDITABLE)}


@tool(NoArguments)
def notice_list(ws: Workspace, args: NoArguments) -> list[dict[str, Any]]:
    """What was told to whom, or is to be: material changes, gates that wait, silent topics; newest first."""
    with ws.records.read() as tx:
        rows = tx.notices.all(ws.project_id)
    names = ("id", "channel", "status", "title", "body", "tries", "problem")
    return [{**{name: row[name] for name in names}, "at": _iso(row["at"]), "sent_at": _iso(row["sent_at"])} for row in rows]


@tool(NoArguments, writes=True)
def notice_send(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """Tells what is to be told now, each channel one digest; a worker does so by itself."""
    from beacon.runs.notifications import channels, tell

    notice_new_settings(ws)
    return {"channels": sorted(channels(ws)), "sent": tell(ws)}


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
