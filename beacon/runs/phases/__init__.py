"""The phases of a run: plain functions from what is known to what was found. None of them writes.

Adding one: write `work(ws, run, state, index) -> PhaseResult`, name it in STEPS, place it in `flow.research`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from beacon.domain.run import ResearchState, Run
from beacon.runs.phases.browsing import browse
from beacon.runs.phases.memory import finish, recall, remember
from beacon.runs.phases.planning import plan, settle_plan
from beacon.runs.phases.publishing import publish
from beacon.runs.phases.research import join_sections, research_section
from beacon.runs.phases.reviewing import review, revise
from beacon.runs.phases.writing import write_draft
from beacon.runs.results import PhaseResult
from beacon.workspace import Workspace

Work = Callable[[Workspace, Run, ResearchState, int], PhaseResult]


@dataclass(frozen=True, slots=True)
class Step:
    """A kind of step. `phase` is the phase it completes; `counts`: one of many that a later step joins."""

    title: str  # what a person watching reads
    work: Work
    phase: str = ""
    counts: bool = False


STEPS: Mapping[str, Step] = {
    "load_memory": Step("Recalling", recall),
    "browsing": Step("Reading sources", browse, "browsing"),
    "planning": Step("Planning", plan, "planning"),
    "plan_again": Step("Planning", settle_plan),
    "section": Step("Researching", research_section, counts=True),
    "research": Step("Researching", join_sections, "research"),
    "writing": Step("Writing", write_draft, "writing"),
    "reviewing": Step("Reviewing", review, "reviewing"),
    "revision": Step("Revising", revise, "revision"),
    "publishing": Step("Publishing", publish, "publishing"),
    "save_memory": Step("Remembering", remember),
    "finish": Step("Done", finish),
}

# Which steps and which fields of the state each phase makes: what is dropped when a run is redone from it.
MADE_BY: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "browsing": (("load_memory", "browsing"), ("research_data",)),
    "planning": (("planning", "plan_again", "gate:plan"), ("research_plan", "methodology")),
    "research": (("section", "research", "gate:findings"), ("research_sections",)),
    "writing": (("writing", "written"), ("draft_report",)),
    "reviewing": (("reviewing",), ("review_result",)),
    "revision": (("revision", "gate:report"), ("revision_notes",)),
    "publishing": (("publishing", "save_memory", "finish"), ("final_report", "translated_report", "published_files")),
}
