"""Which tier of model a task is for, and why."""

from dataclasses import dataclass
from typing import Literal

Tier = Literal["fast", "strong"]


@dataclass(frozen=True, slots=True)
class Route:
    """A tier, and the reason that is logged with every call."""

    tier: Tier
    reason: str


_CHECKED = "short, and checked against the text by rules"
_READ = "reads much and judges little"
_LAST = "written for a reader, from evidence that is already chosen"
_WEIGHS = "weighs sources against each other"

TASKS: dict[str, Route] = {
    "plan": Route("fast", _CHECKED),
    "queries": Route("fast", _CHECKED),
    "intent": Route("fast", _CHECKED),
    "extract": Route("fast", _READ),
    "entities": Route("fast", _READ),
    "summary": Route("fast", _READ),
    "consolidate": Route("fast", _READ),
    "memory_update": Route("fast", _CHECKED),
    "themes": Route("fast", _READ),
    "compare": Route("strong", _WEIGHS),
    "contradictions": Route("strong", _WEIGHS),
    "opportunities": Route("strong", _WEIGHS),
    "challenge": Route("strong", _WEIGHS),
    "review": Route("strong", _WEIGHS),
    "report": Route("strong", _LAST),
    "revise": Route("strong", _LAST),
    "translate": Route("strong", _LAST),
    "answer": Route("strong", _LAST),
    "test": Route("fast", "only whether it answers"),
}
_UNKNOWN = Route("strong", "a task without a rule of its own")


def route(task: str, *, hard: bool | None = None) -> Route:
    """The tier for a task. `hard` is what the caller knows of this very case, and wins over the rule."""
    found = TASKS.get(task, _UNKNOWN)
    if hard is None or (found.tier == "strong") == hard:
        return found
    return Route("strong", "sides disagree, or much is at stake") if hard else Route("fast", "an easy case of its kind")
