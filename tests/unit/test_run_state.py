"""What a run knows: how updates fold in, and which phase may follow which."""

import pytest

from beacon.domain.run import PHASES, ResearchState, merge_state, validate_state, validate_transition
from beacon.errors import InputError

READY: ResearchState = {"query": "Heat pumps", "tone": "objective", "language": "en"}
FULL: ResearchState = {
    **READY, "research_data": {}, "research_plan": [], "research_sections": [], "draft_report": "# R", "review_result": {"accepted": True},
}  # fmt: skip


def test_updates_win() -> None:
    assert merge_state(READY, {"tone": "wry"}) == {**READY, "tone": "wry"}


def test_a_merge_leaves_both_sides_as_they_were() -> None:
    before: ResearchState = {"errors": ["a"], "research_data": {"x": 1}}
    update: ResearchState = {"errors": ["b"], "research_data": {"y": 2}}
    merge_state(before, update)
    assert (before, update) == ({"errors": ["a"], "research_data": {"x": 1}}, {"errors": ["b"], "research_data": {"y": 2}})


@pytest.mark.parametrize("name", ["errors", "revision_notes"])
def test_lists_of_errors_and_notes_grow(name: str) -> None:
    assert merge_state({name: ["a"]}, {name: ["b"]}) == {name: ["a", "b"]}  # type: ignore[misc]


def test_other_lists_are_replaced() -> None:
    assert merge_state({"guidelines": ["a"]}, {"guidelines": ["b"]}) == {"guidelines": ["b"]}


def test_research_data_merges_key_by_key() -> None:
    assert merge_state({"research_data": {"a": 1, "b": 1}}, {"research_data": {"b": 2}}) == {"research_data": {"a": 1, "b": 2}}


@pytest.mark.parametrize("missing", ["query", "tone", "language"])
def test_a_state_without_what_every_run_needs_is_not_valid(missing: str) -> None:
    lacking: ResearchState = {**READY}
    lacking.pop(missing)  # type: ignore[misc]
    assert validate_state(READY) and not validate_state(lacking)


def test_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'colour'"):
        validate_state({**READY, "colour": "red"})  # type: ignore[typeddict-unknown-key]


@pytest.mark.parametrize(("before", "after"), list(zip(("", *PHASES), PHASES, strict=False)))
def test_each_phase_may_follow_the_one_before_it(before: str, after: str) -> None:
    assert validate_transition(before, after, FULL)


@pytest.mark.parametrize(("before", "after"), [("research", "planning"), ("writing", "writing"), ("publishing", "browsing")])
def test_no_phase_goes_back(before: str, after: str) -> None:
    assert not validate_transition(before, after, FULL)


def test_a_revision_is_reviewed_again() -> None:
    assert validate_transition("revision", "reviewing", FULL)


def test_a_run_without_need_of_revision_is_published() -> None:
    assert validate_transition("reviewing", "publishing", FULL)


@pytest.mark.parametrize(
    ("phase", "needed"),
    [
        ("browsing", "query"), ("planning", "research_data"), ("research", "research_plan"), ("writing", "research_sections"),
        ("reviewing", "draft_report"), ("revision", "review_result"), ("publishing", "draft_report"),
    ],
)  # fmt: skip
def test_a_phase_waits_for_what_it_needs(phase: str, needed: str) -> None:
    lacking: ResearchState = {**FULL}
    lacking.pop(needed)  # type: ignore[misc]
    assert validate_transition("", phase, FULL) and not validate_transition("", phase, lacking)


@pytest.mark.parametrize(("before", "after"), [("", "dreaming"), ("dreaming", "planning")])
def test_an_unknown_phase_is_refused_by_name(before: str, after: str) -> None:
    with pytest.raises(InputError, match="'dreaming'"):
        validate_transition(before, after, FULL)
