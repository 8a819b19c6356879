"""Lines of the documents: what differs, what is added, and what a model may not do."""

import pytest

from beacon.llm.ports import Message
from beacon.memory.documents import DEFAULTS
from beacon.memory.profiles import diff_lines
from beacon.memory.updates import Change, MemoryUpdate, find_problems, with_statements

SAID = [Message("user", "I moved to Porto."), Message("assistant", "You like Braga.")]


def test_a_diff_tells_kept_removed_and_added_lines() -> None:
    assert [(line["op"], line["text"]) for line in diff_lines("a\nb\nc", "a\nB\nc\nd")] == [
        (" ", "a"),
        ("-", "b"),
        ("+", "B"),
        (" ", "c"),
        ("+", "d"),
    ]


@pytest.mark.parametrize("namespace", DEFAULTS)
def test_the_line_that_says_nothing_is_known_goes_when_something_is(namespace: str) -> None:
    assert DEFAULTS[namespace].splitlines()[0] not in with_statements(DEFAULTS[namespace], ["The office is in Oslo."])


def test_the_default_preferences_stay_beside_a_stated_one() -> None:
    assert "- Verbosity: medium" in with_statements(DEFAULTS["user_preferences"], ["Never use tables."])


def test_a_statement_is_added_once() -> None:
    once = with_statements("- Never use tables.\n", ["never use tables"])
    assert once == "- Never use tables.\n"


def test_a_new_value_takes_the_old_lines_place() -> None:
    assert with_statements("- My role is analyst.\n- Likes tea.\n", ["My role is director."]) == "- My role is director.\n- Likes tea.\n"


def test_nothing_to_add_leaves_the_document_as_it_is() -> None:
    assert with_statements("a\n\nb", []) == "a\n\nb"


def update(content: str, *changes: Change) -> MemoryUpdate:
    return MemoryUpdate(updated_content=content, changes=list(changes))


def test_a_named_correction_is_taken() -> None:
    change = Change(text="Lives in Porto.", replaces="Lives in Lisbon.", quote="I moved to Porto.")
    assert find_problems("Lives in Lisbon.", update("Lives in Porto.", change), SAID) == []


def test_a_silent_alteration_is_refused_twice_over() -> None:
    assert len(find_problems("Lives in Lisbon.", update("Lives in Porto."), SAID)) == 2


def test_what_the_assistant_said_backs_nothing() -> None:
    assert find_problems("", update("Likes Braga.", Change(text="Likes Braga.", quote="You like Braga.")), SAID)


def test_reordering_and_reformatting_alter_nothing() -> None:
    assert find_problems("- Lives in Lisbon.\n- Likes tea.\n", update("Likes tea.\nLives in Lisbon."), SAID) == []


def test_the_placeholder_may_go_unnamed() -> None:
    change = Change(text="Lives in Porto.", quote="I moved to Porto.")
    assert find_problems(DEFAULTS["user_profile"], update("Lives in Porto.", change), SAID) == []
