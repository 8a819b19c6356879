"""The model that memory's own work asks, within its budgets."""

from beacon.llm.ports import ChatModel
from beacon.spending import Purse, model_for
from beacon.workspace import Workspace


def memory_model(ws: Workspace, purpose: str, run_id: str = "") -> ChatModel | None:
    """The model for a purpose such as "memory_update" or "consolidate", within its budgets; None offline."""
    return model_for(ws, purpose.replace(" ", "_"), Purse(run_id=run_id))
