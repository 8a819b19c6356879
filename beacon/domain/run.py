"""Runs: one pass of research over a topic, phase by phase."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict, cast

from beacon.errors import InputError

PHASES = ("browsing", "planning", "research", "writing", "reviewing", "revision", "publishing")
RunStatus = Literal["queued", "running", "waiting", "done", "failed", "cancelled", "paused"]
FINISHED: frozenset[str] = frozenset({"done", "failed", "cancelled", "paused"})  # no worker is on it; all but done can be resumed
MAX_REVISIONS = 2


class ResearchState(TypedDict, total=False):
    """What a run knows so far. Phases return updates; `merge_state` folds them in."""

    query: str
    tone: str
    language: str
    guidelines: list[str]
    research_plan: list[dict[str, Any]]
    methodology: str
    research_sections: list[dict[str, Any]]
    research_data: dict[str, Any]
    draft_report: str
    final_report: str
    published_files: dict[str, str]
    translated_report: str | None
    review_result: dict[str, Any]
    revision_notes: list[str]
    task_id: str
    output_dir: str
    errors: list[str]


REQUIRED: tuple[str, ...] = ("query", "tone", "language")
REQUIRED_BY_PHASE: dict[str, tuple[str, ...]] = {
    "browsing": REQUIRED,
    "planning": ("query", "tone", "research_data"),
    "research": ("research_plan",),
    "writing": ("research_sections",),
    "reviewing": ("draft_report",),
    "revision": ("draft_report", "review_result"),
    "publishing": ("draft_report",),
}
_KNOWN = frozenset(ResearchState.__annotations__)


def merge_state(state: ResearchState, updates: ResearchState) -> ResearchState:
    """A new state: updates win, lists of errors and revision notes grow, `research_data` merges key by key."""
    before: dict[str, Any] = dict(state)
    merged: dict[str, Any] = {**state, **updates}
    for name in ("errors", "revision_notes"):
        if name in updates:
            merged[name] = [*before.get(name, []), *merged[name]]
    if "research_data" in updates:
        merged["research_data"] = {**state.get("research_data", {}), **updates["research_data"]}
    return cast(ResearchState, merged)


def validate_state(state: ResearchState) -> bool:
    """Whether the state has what every run needs. Raises InputError for a field that does not exist."""
    if unknown := sorted(set(state) - _KNOWN):
        raise InputError(f"A research state has no field '{unknown[0]}'.", field=unknown[0])
    return all(state.get(name) for name in REQUIRED)


def validate_transition(from_phase: str, to_phase: str, state: ResearchState) -> bool:
    """Whether `to_phase` may follow: it comes later (revision and reviewing may alternate) and its required fields are there."""
    if to_phase not in PHASES or (from_phase and from_phase not in PHASES):
        raise InputError(f"There is no phase '{to_phase if to_phase not in PHASES else from_phase}': the phases are {', '.join(PHASES)}.")
    back = (from_phase, to_phase) == ("revision", "reviewing")
    onward = not from_phase or PHASES.index(to_phase) > PHASES.index(from_phase)
    return (onward or back) and all(name in state for name in REQUIRED_BY_PHASE[to_phase])


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `n` counts the finished runs of its topic ("Run #n"); 0 while it is not done."""

    id: str
    project_id: str
    topic_id: str
    started_at: datetime
    updated_at: datetime
    n: int = 0
    status: str = "queued"
    phase: str = ""
    completed_phases: list[str] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    progress: dict[str, Any] = field(default_factory=dict)
    as_of: datetime | None = None
    trigger: str = ""
    user_id: str = ""
    finished_at: datetime | None = None
    error: str = ""
    output_dir: str = ""
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """What a phase wrote, kept as a version."""

    id: str
    run_id: str
    phase: str
    part: str
    n: int
    content: str
    at: datetime
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gate:
    """A point where a run waits for a person."""

    id: str
    run_id: str
    name: str
    opened_at: datetime
    status: str = "open"  # open | answered
    payload: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)
    answered_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job is due. `kind` is research (target: a topic id) or consolidation."""

    id: str
    project_id: str
    kind: str
    target: str
    cron: str
    tz: str
    next_at: datetime
    enabled: bool = True
    grace_s: int = 86_400
    last_at: datetime | None = None
    last_job: str = ""
    user_id: str = ""
