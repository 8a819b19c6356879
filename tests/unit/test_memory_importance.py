"""How much a memory matters, and why."""

import pytest

from beacon.memory.importance import has_marker, importance_from, importance_parts, is_forever, read_tone


def test_a_request_to_remember_alone_makes_it_important() -> None:
    assert importance_from({"marker": 1.0}) >= 0.7


def test_nothing_special_matters_nothing() -> None:
    assert importance_from({}) == 0.0


def test_every_part_raises_the_importance() -> None:
    base = {"who": 0.5, "novelty": 0.5, "emotion": 0.2, "goals": 0.2, "marker": 0.0}
    assert all(importance_from({**base, name: 1.0}) > importance_from(base) for name in base)


def test_someone_trusted_counts_more_than_the_owner() -> None:
    owner = importance_parts("We met.", by_owner=True)["who"]
    assert importance_parts("We met.", people=["Zoë"], trusted=["zoë"])["who"] > owner > importance_parts("We met.")["who"]


def test_a_trusted_name_in_the_text_counts() -> None:
    assert importance_parts("Lunch with Li Wei today", trusted=["Li Wei"])["who"] == 1.0


def test_a_part_of_another_word_is_not_the_trusted_name() -> None:
    assert importance_parts("An animal", trusted=["An ima"])["who"] == 0.0


def test_what_was_said_before_is_not_new() -> None:
    assert importance_parts("x", closest=1.0)["novelty"] == 0.0


def test_goals_count_by_the_words_they_share() -> None:
    assert importance_parts("Growth in Asia doubled", goals=["asia growth", "hire"])["goals"] == 1.0


@pytest.mark.parametrize(
    "text", ["Remember this: 4 pm", "please don’t forget the keys", "This is important", "記住这个。记住", "Merk dir das"]
)
def test_requests_to_remember_are_found(text: str) -> None:
    assert has_marker(text)


@pytest.mark.parametrize("text", ["I remember Lisbon", "Do you remember?", "It matters little"])
def test_remembering_oneself_is_no_request(text: str) -> None:
    assert not has_marker(text)


def test_forever_needs_the_request() -> None:
    assert is_forever("Remember this forever: blue") and not is_forever("It took forever")


@pytest.mark.parametrize(("text", "tone"), [("I love it!", "positive"), ("This outage is terrible", "negative"), ("Meeting at 4", "")])
def test_the_tone_is_read_from_plain_cues(text: str, tone: str) -> None:
    assert read_tone(text)[0] == tone
