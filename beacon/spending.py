"""Models under their budgets: every call is routed by its task, held before it is made, and booked after it.

A hold is a row of the record store that counts as spent in full. A process that is killed in the middle of a call leaves its hold, so
whoever goes on never passes the limit, however often that happens.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time
from zoneinfo import ZoneInfo

from beacon.domain.ids import make_id
from beacon.errors import BudgetError
from beacon.llm.budgets import BudgetedModel, Hold
from beacon.llm.fallback import FallbackModel
from beacon.llm.ports import ChatModel, Usage
from beacon.llm.tasks import Route, route
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

log = logging.getLogger(__name__)

RAISED = "budget:"  # named values: what a run, a conversation or a day may spend beyond its setting


@dataclass(frozen=True, slots=True)
class Purse:
    """Whose money a call spends: a run's or a conversation's, and always the day's."""

    run_id: str = ""
    conversation_id: str = ""
    topic_id: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a scope may spend and has spent or holds. None is no limit."""

    scope: str  # run | conversation | day
    name: str  # of the run or conversation, or the date
    usd: float
    tokens: int | None
    spent_usd: float
    spent_tokens: int


def model_for(ws: Workspace, task: str, purse: Purse, *, hard: bool | None = None) -> ChatModel | None:
    """The model for a task, within every budget it spends from; None offline. `hard` is what is known of this very case."""
    metered = models_for(ws, task, purse, hard=hard)
    if not metered:
        return None
    return metered[0] if len(metered) == 1 else FallbackModel(metered)


def models_for(ws: Workspace, task: str, purse: Purse, *, hard: bool | None = None) -> list[BudgetedModel]:
    """The models that may be asked, in order, each within every budget; empty offline."""
    notice_new_settings(ws)
    router = ws.models
    if router is None:
        return []
    chosen = route(task, hard=hard)
    ledger = Ledger(ws, task, chosen, purse)
    log.info("%s: a %s model, %s", task, chosen.tier, chosen.reason)
    return [BudgetedModel(one, ledger, prices=router.prices) for one in router.all_of(chosen.tier)]


def notice_new_settings(ws: Workspace) -> None:
    """Takes up what the settings page or an editor changed in settings.toml or prices.json since this workspace last looked."""
    stamp = tuple(_changed_at(ws, name) for name in ("settings.toml", "prices.json"))
    known = ws.__dict__.get("_settings_stamp")
    if known == stamp:
        return
    ws.settings = ws.settings.refreshed()
    if known is not None:  # at the first look nothing was made from older settings: making reads them anew
        for part in ("models", "searcher"):
            ws.__dict__.pop(part, None)
    ws.__dict__["_settings_stamp"] = stamp


def _changed_at(ws: Workspace, name: str) -> int:
    try:
        return (ws.settings.home / name).stat().st_mtime_ns
    except OSError:
        return 0


class Ledger:
    """Holds and bookings of one purse in the record store."""

    def __init__(self, ws: Workspace, task: str, chosen: Route, purse: Purse) -> None:
        self._ws = ws
        self._task = task
        self._chosen = chosen
        self._purse = purse

    def hold(self, hold: Hold) -> Hold:
        now = self._ws.clock()
        with self._ws.records.write() as tx:
            tx.spend.lock()
            for limit in limits(self._ws, tx, self._purse, now):
                _check(limit, hold)
            if not hold.tokens:
                return hold
            usage_id = _next_id(tx, self._purse, self._task, now)
            half = hold.tokens // 2
            tx.spend.add(self._row(usage_id, hold, now) | {"input_tokens": hold.tokens - half, "output_tokens": half})
        return Hold(hold.tokens, hold.cost_usd, hold.model, hold.provider, usage_id)

    def settle(self, hold: Hold, usage: Usage | None, charged_usd: float) -> None:
        if not hold.id:
            return
        with self._ws.records.write() as tx:
            if usage is None:
                tx.spend.drop(hold.id)
                return
            tx.spend.book(
                hold.id,
                {
                    "model": usage.model, "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
                    "cached_tokens": usage.cached_tokens, "cost_usd": charged_usd, "priced": usage.cost_usd is not None,
                },
            )  # fmt: skip

    def _row(self, usage_id: str, hold: Hold, now: datetime) -> dict[str, object]:
        return {
            "id": usage_id, "project_id": self._ws.project_id, "run_id": self._purse.run_id,
            "conversation_id": self._purse.conversation_id, "topic_id": self._purse.topic_id, "model": hold.model,
            "provider": hold.provider, "purpose": self._task, "tier": self._chosen.tier, "reason": self._chosen.reason, "status": "held",
            "cost_usd": hold.cost_usd, "cached_tokens": 0, "priced": True, "at": now,
        }  # fmt: skip


def _next_id(tx: Tx, purse: Purse, task: str, now: datetime) -> str:
    name = f"calls:{purse.run_id or purse.conversation_id or 'others'}"
    n = int(tx.projects.value(name, {"n": 0})["n"]) + 1
    tx.projects.set_value(name, {"n": n}, now)
    return make_id("use", purse.run_id, purse.conversation_id, task, n)


def limits(ws: Workspace, tx: Tx, purse: Purse, now: datetime) -> Iterator[Limit]:
    """Every limit the purse is under, the narrowest first."""
    settings = ws.settings
    if purse.run_id:
        used = tx.spend.used(run_id=purse.run_id)
        yield _limit(tx, "run", purse.run_id, settings.run_budget_usd, settings.run_budget_tokens, used)
    if purse.conversation_id:
        used = tx.spend.used(conversation_id=purse.conversation_id)
        yield _limit(tx, "conversation", purse.conversation_id, settings.conversation_budget_usd, settings.conversation_budget_tokens, used)
    begins = day_begins(ws, now)
    yield _limit(tx, "day", begins.date().isoformat(), settings.day_budget_usd, settings.day_budget_tokens, tx.spend.used(since=begins))


def day_begins(ws: Workspace, now: datetime) -> datetime:
    """Midnight of today by the clock of the settings' time zone."""
    zone = ZoneInfo(ws.settings.timezone)
    return datetime.combine(now.astimezone(zone).date(), time(), zone)


def raise_budget(tx: Tx, scope: str, name: str, usd: float, tokens: int, now: datetime) -> None:
    """Lets a run, a conversation or a day spend so much more than its setting says."""
    key = f"{RAISED}{scope}:{name}"
    before = tx.projects.value(key, {})
    more = {"usd": float(before.get("usd", 0.0)) + usd, "tokens": int(before.get("tokens", 0)) + tokens}
    tx.projects.set_value(key, more, now)


def _limit(tx: Tx, scope: str, name: str, usd: float, tokens: int | None, used: tuple[float, int]) -> Limit:
    more = tx.projects.value(f"{RAISED}{scope}:{name}", {})
    allowed = None if tokens is None else tokens + int(more.get("tokens", 0))
    return Limit(scope, name, usd + float(more.get("usd", 0.0)), allowed, *used)


def _check(limit: Limit, hold: Hold) -> None:
    too_dear = hold.cost_usd > limit.usd - limit.spent_usd
    too_long = limit.tokens is not None and hold.tokens > limit.tokens - limit.spent_tokens
    if not too_dear and not too_long:
        return
    whose = {"run": "The run's", "conversation": "This conversation's", "day": "Today's"}[limit.scope]
    allowed, spent = (f"${limit.usd:.2f}", f"${limit.spent_usd:.4f}") if too_dear else (f"{limit.tokens} tokens", f"{limit.spent_tokens}")
    what = {
        "run": "give the run more and resume it",
        "conversation": "give it more, or begin another",
        "day": "raise it, or wait for tomorrow",
    }
    raise BudgetError(
        f"{whose} budget of {allowed} does not bear another call ({spent} spent or held): {what[limit.scope]}.",
        scope=limit.scope, name=limit.name, limit_usd=limit.usd, limit_tokens=limit.tokens, spent_usd=limit.spent_usd,
        spent_tokens=limit.spent_tokens,
    )  # fmt: skip
