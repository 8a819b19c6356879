"""The score of a memory and its receipt."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from beacon.domain.memory import Memory
from beacon.errors import InputError
from beacon.memory.score import HALF_LIFE_DAYS, KEPT_RECENCY, SITUATIONS, build_receipt, build_tuning, recency, recompute, relevance

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def memory(age_days: float = 0, **fields: Any) -> Memory:
    at = NOW - timedelta(days=age_days)
    return Memory(**{"id": "mem_1", "project_id": "p", "tier": "semantic", "text": "t", "recorded_at": at, "last_access_at": at, **fields})


def test_recency_halves_every_half_life() -> None:
    assert [recency(memory(n * HALF_LIFE_DAYS), NOW, HALF_LIFE_DAYS)["value"] for n in (0, 1, 2)] == [1.0, 0.5, 0.25]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"pinned": True}, "pinned"),
        ({"importance": 0.8}, "important"),
        ({"access_count": 5}, "often used"),
        ({"subject": "user", "attribute": "name"}, "core identity"),
    ],
)
def test_what_must_not_fade_keeps_its_recency(fields: dict[str, Any], why: str) -> None:
    part = recency(memory(3650, **fields), NOW, HALF_LIFE_DAYS)
    assert (part["value"], part["kept"]) == (KEPT_RECENCY, why)


def test_an_access_after_the_moment_does_not_count_at_the_moment() -> None:
    later = memory(HALF_LIFE_DAYS, last_access_at=NOW + timedelta(days=1))
    assert recency(later, NOW, HALF_LIFE_DAYS)["value"] == 0.5


def test_the_weights_of_every_situation_add_up_to_one() -> None:
    assert {name: round(w.recency + w.importance + w.relevance, 9) for name, w in SITUATIONS.items()} == dict.fromkeys(SITUATIONS, 1.0)


def test_relevance_weighs_most_for_a_question_and_recency_for_a_reflection() -> None:
    question, reflection = SITUATIONS["question"], SITUATIONS["reflection"]
    assert question.relevance > max(question.recency, question.importance) and reflection.recency > max(
        reflection.relevance, reflection.importance
    )


def test_a_score_is_the_weighted_sum_of_its_parts() -> None:
    tuning = build_tuning({"weights": {"question": {"recency": 1, "importance": 1, "relevance": 2}}})
    receipt = build_receipt(memory(HALF_LIFE_DAYS, importance=0.4), "question", tuning, NOW, relevance(1.0, 1.0, 1.0))
    assert receipt["score"] == recompute(receipt) == pytest.approx(0.25 * 0.5 + 0.25 * 0.4 + 0.5 * 1.0)


def test_without_vectors_the_words_take_their_share() -> None:
    assert relevance(None, 1.0, 1.0)["value"] == 1.0


def test_an_opposite_direction_is_no_negative_relevance() -> None:
    assert relevance(-0.5, 0.0, 0.0)["value"] == 0.0


@pytest.mark.parametrize(
    "settings",
    [
        {"weights": {"dream": {"recency": 1}}},
        {"weights": {"question": {"speed": 1}}},
        {"weights": {"question": {"recency": -1}}},
        {"weights": {"question": {"recency": 0, "importance": 0, "relevance": 0}}},
        {"half_life_days": -3},
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        build_tuning(settings)
