"""The parts of a search, on columns made by hand."""

import numpy as np
import pytest

from beacon.retrieval.context import dated, named_sources, named_speakers, neighbours, recency, spread, telling
from beacon.retrieval.lexical import Words, bm25, parent_bm25
from beacon.retrieval.passages import Passages, Posting
from beacon.retrieval.recipes import RECIPES, recipe_for


def passages(
    parents: list[int], speakers: list[str] | None = None, days: list[int] | None = None, asks: list[bool] | None = None
) -> Passages:
    """Passages in one version; `parents` gives their number."""
    count = len(parents)
    said = speakers or [""] * count
    names = list(dict.fromkeys(name for name in said if name))
    return Passages(
        state=(0, 0), numbers=np.arange(1, count + 1), ids=np.array([f"chk_{n}".encode() for n in range(count)], dtype="S64"),
        version=np.zeros(count, dtype=np.int32), source=np.array(parents, dtype=np.int32), ordinal=np.arange(count, dtype=np.int32),
        parent=np.array(parents, dtype=np.int32), speaker=np.array([names.index(n) if n else -1 for n in said], dtype=np.int32),
        day=np.array(days or [0] * count, dtype=np.int32), length=np.full(count, 10, dtype=np.float32),
        current=np.ones(count, dtype=np.bool_), asks=np.array(asks or [False] * count), version_ids=["v"], source_ids=["s"], titles=["T"],
        withdrawn=np.zeros(1, dtype=np.bool_), speakers=names, source_names={"harbour times": (1,)},
    )  # fmt: skip


def column(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, dtype=np.float32)


def posting(*at: int) -> Posting:
    return Posting(np.array(at, dtype=np.int32), np.ones(len(at), dtype=np.float32))


def test_a_turn_gets_shares_of_the_turns_beside_it() -> None:
    got = neighbours(passages([0, 0, 0, 0], ["A", "B", "A", "B"]), column(1, 0, 0, 0), 0.5, 0.25, 0)
    assert got.tolist() == [0, 0.5, 0.25, 0]


def test_a_turn_gets_nothing_from_another_session() -> None:
    assert neighbours(passages([0, 0, 1, 1], ["A", "B", "A", "B"]), column(0, 1, 0, 0), 0.5, 0.25, 0).tolist() == [0.5, 0, 0, 0]


def test_a_turn_gets_more_from_a_question_it_follows() -> None:
    got = neighbours(passages([0, 0, 0], ["A", "B", "A"], asks=[False, True, False]), column(0, 1, 0), 0.5, 0, 0.25)
    assert got.tolist() == [0.5, 0, 0.75]


def test_written_passages_get_nothing_from_each_other() -> None:
    assert neighbours(passages([0, 0, 0]), column(0, 1, 0), 0.5, 0.25, 0.25).tolist() == [0, 0, 0]


def test_a_score_is_spread_over_the_best_and_zero_below() -> None:
    assert spread(column(1, 5, 3, 0), 2).tolist() == [0, 1, 0, 0] and spread(column(4, 0), 10).tolist() == [1, 0]


def test_equal_scores_are_all_the_best_and_none_is_none() -> None:
    assert spread(column(2, 2)).tolist() == [1, 1] and spread(column(0, 0)).tolist() == [0, 0]


def test_bm25_prefers_the_rarer_word() -> None:
    p = passages([0, 1, 2, 3])
    scores = bm25(p, Words(("common", "rare"), (posting(0, 1, 2), posting(3))), p.current)
    assert scores[3] > scores[0] == scores[1] > 0


def test_bm25_counts_only_what_is_allowed() -> None:
    p = passages([0, 1])
    assert bm25(p, Words(("word",), (posting(0, 1),)), np.array([True, False])).tolist()[1] == 0


def test_the_parent_that_holds_all_words_is_best() -> None:
    p = passages([0, 0, 1, 1])
    assert parent_bm25(p, Words(("a", "b"), (posting(0, 2), posting(1))), p.current).tolist()[:2] == [1, 1]


def test_one_document_alone_has_no_parent_score() -> None:
    p = passages([0, 0])
    assert parent_bm25(p, Words(("a",), (posting(0),)), p.current).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What did Ilja say?", [False, True]),
        ("what did ilja say?", [False, True]),
        ("Did mara berg agree?", [True, False]),
        ("Did Mara agree?", [True, False]),
        ("did somebody called mara agree?", [False, False]),
        ("Who agreed?", [False, False]),
    ],
)
def test_speakers_are_named_in_full_or_by_a_first_name_written_large(query: str, named: list[bool]) -> None:
    assert named_speakers(passages([0, 0], ["Mara Berg", "Ilja"]), query).tolist() == named


def test_a_source_is_named_by_its_publisher_word_for_word() -> None:
    p = passages([0, 1])
    assert named_sources(p, "What does the Harbour Times say?").tolist() == [False, True]
    assert named_sources(p, "What times does the harbour open?").tolist() == [False, False]


def test_every_time_a_query_names_counts() -> None:
    days = [np.datetime64(day).astype("datetime64[D]").astype(int) + 719163 for day in ("2024-05-03", "2025-01-09", "2023-07-01")]
    found = dated(passages([0, 1, 2], days=days), np.ones(3, dtype=np.bool_), "In May 2024 and again in 2025?")
    assert [value > 0 for value in found.tolist()] == [True, True, False]


def test_a_number_that_is_no_year_names_no_time() -> None:
    assert not dated(passages([0], days=[738000]), np.ones(1, dtype=np.bool_), "Is 2024.5 or 1,999 more than 20240?").any()


def test_recency_is_a_rank_and_nothing_where_all_is_of_one_day() -> None:
    everything = np.ones(3, dtype=np.bool_)
    assert recency(passages([0, 0, 0], days=[5, 900, 7]), everything).tolist() == pytest.approx([1 / 3, 1, 2 / 3])
    assert recency(passages([0, 0, 0], days=[5, 5, 5]), everything).tolist() == [0, 0, 0]


def test_what_holds_for_all_tells_nothing() -> None:
    assert telling(np.array([True, True]), np.array([True, True])) == 0


def test_a_question_about_now_takes_the_newest_recipe_in_any_of_the_languages_known() -> None:
    assert [recipe_for(q).name for q in ("the latest price", "aktuelle Preise", "the price")] == ["newest", "newest", "default"]


def test_recipes_go_by_their_names() -> None:
    assert all(name == recipe.name and recipe.says for name, recipe in RECIPES.items())
