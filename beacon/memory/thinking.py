"""The model that keeps memory, where there is one: within a run's budget, and everything it uses booked."""

from beacon.domain.ids import make_id
from beacon.llm.budgets import Budget
from beacon.llm.ports import ChatModel, Usage
from beacon.workspace import Workspace


def memory_model(ws: Workspace, purpose: str, run_id: str = "") -> ChatModel | None:
    """The fast model (the strong one where there is no other), or None offline."""
    if ws.models is None:
        return None
    spent, limit = 0.0, None
    if run_id:
        with ws.records.read() as tx:
            spent, limit = float(tx.runs.spend(ws.project_id, run_id)["cost_usd"]), ws.settings.run_budget_usd
    router = ws.models.within(Budget(limit_usd=limit, spent_usd=spent), lambda usage: _book(ws, purpose, run_id, usage))
    return router.fast or router.strong


def _book(ws: Workspace, purpose: str, run_id: str, usage: Usage) -> None:
    at = ws.clock()
    with ws.records.write() as tx:
        calls = int(tx.runs.spend(ws.project_id)["calls"])
        tx.runs.add_usage(
            {
                "id": make_id("use", ws.project_id, at, calls, purpose), "project_id": ws.project_id, "run_id": run_id,
                "model": usage.model, "purpose": purpose, "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
                "cost_usd": usage.cost_usd or 0.0, "at": at,
            }
        )  # fmt: skip
