from datetime import UTC, datetime

from beacon.analyst.asking import split_question
from beacon.analyst.key_sentences import Candidate, clarity, rank_sentences, spread, stands_alone
from beacon.analyst.plan import plan_questions

TEXTS = [
    "The port handled 4.2 million containers in 2025, a record for the city of Rotterdam.",
    "Container volumes at the port rose 6 percent in 2025 as Rotterdam added two cranes.",
    "The port's container business in Rotterdam grew despite a strike in March.",
    "A bakery near the station sells excellent plum cake.",
    "Why is that?",
    "This was seen by many.",
]


def candidates(texts: list[str] = TEXTS, date: datetime | None = None) -> list[Candidate]:
    return [Candidate(f"s{i}", text, date, "a") for i, text in enumerate(texts)]


def test_the_central_informative_sentence_leads_and_the_stray_ones_trail() -> None:
    ids = [one.id for one in rank_sentences(candidates(), k=6)]
    assert ids[0] in ("s0", "s1") and ids.index("s4") > ids.index("s2") and ids.index("s5") > ids.index("s1")


def test_a_query_brings_what_it_speaks_of() -> None:
    assert rank_sentences(candidates(), query="plum cake bakery", k=1)[0].id == "s3"


def test_the_same_sentence_in_other_dress_is_chosen_once() -> None:
    found = rank_sentences(candidates([TEXTS[0], TEXTS[0].upper(), TEXTS[0].replace("record", "“record”")]), k=3)
    assert len(found) == 1


def test_the_newer_of_two_alike_leads() -> None:
    old = Candidate("a", "The port handled 4.2 million containers last year in Rotterdam.", datetime(2024, 1, 1, tzinfo=UTC))
    new = Candidate("b", "The port handled 4.9 million barrels last season in Antwerp.", datetime(2026, 1, 1, tzinfo=UTC))
    assert rank_sentences([old, new], k=1)[0].id == "b"


def test_order_of_input_does_not_matter() -> None:
    assert rank_sentences(candidates(), k=4) == rank_sentences(candidates()[::-1], k=4)


def test_every_score_opens_into_its_parts() -> None:
    best = rank_sentences(candidates(), query="port containers", k=1)[0]
    weights = {"centrality": 0.25, "relevance": 0.5, "information": 0.15, "recency": 0.1}
    assert abs(best.score - sum(weights[n] * best.parts[n] for n in weights) * best.parts["clarity"]) < 1e-5


def test_nothing_to_rank_is_an_empty_list() -> None:
    assert rank_sentences([], k=3) == [] and rank_sentences(candidates(), k=0) == []


def test_a_question_and_a_dangling_sentence_stand_badly_alone() -> None:
    assert clarity("Why did the port of Rotterdam close for a week?") < clarity("The port of Rotterdam closed for one whole week.")
    assert clarity("This closed the port of Rotterdam for a week.") < clarity("A strike closed the port of Rotterdam for a week.")


def test_other_scripts_are_ranked_too() -> None:
    assert len(rank_sentences(candidates(["港は2025年に420万個のコンテナを扱った。", "市場は閉まっている。"]), k=2)) == 2


def test_queries_become_the_first_sections() -> None:
    sections = plan_questions("Ports", ["container volumes", "Why did rates fall?", "container volumes "])
    assert [s.title for s in sections[:2]] == ["Container volumes", "Why did rates fall?"]


def test_a_plan_has_three_to_six_sections() -> None:
    assert len(plan_questions("Ports")) == 3
    assert len(plan_questions("Ports", [f"subject {n} of trade route {n}" for n in "abcdefghij"])) == 6


def test_guidelines_and_recurring_names_add_sections() -> None:
    memory = "Port of Antwerp grew. The Port of Antwerp hired. Nothing else."
    sections = plan_questions("Shipping", [], ["Please focus on fuel prices."], memory)
    assert [s.title for s in sections[:2]] == ["Fuel prices", "Port of Antwerp"]


def test_customer_voices_bring_the_question_what_people_say() -> None:
    assert "What people say" in [s.title for s in plan_questions("Tool", source_kinds=["survey"])]


def test_what_was_said_of_an_earlier_time_gives_way() -> None:
    old = Candidate("old", "The ferry costs 12 dollars a day.", datetime(2026, 1, 1, tzinfo=UTC), "a")
    new = Candidate("new", "The ferry costs 15 dollars a day.", datetime(2026, 3, 1, tzinfo=UTC), "b")
    assert [one.id for one in rank_sentences([old, new], k=5)] == ["new"]


def test_talk_of_oneself_and_of_the_document_stands_badly() -> None:
    plain = clarity("The harbour fund paid for twelve new lamps on the pier.")
    assert clarity("I've devoted more time and attention to this than anything.") < 0.5 * plain
    assert clarity("Summary of the notice that the harbour fund published in May.") < 0.5 * plain


def test_words_that_only_ask_bring_nothing() -> None:
    pool = [Candidate("a", "That is not for the board to say."), Candidate("b", "The board expects prices to rise.")]
    assert rank_sentences(pool, query="What does the board say about prices?", k=1)[0].id == "b"


def test_one_source_does_not_speak_alone() -> None:
    assert spread(["1", "2", "3", "4"], ["a", "a", "a", "b"]) == ["1", "2", "4", "3"]


def test_a_question_of_two_parts_is_two_questions() -> None:
    assert split_question("What is the fare and how did the board vote?") == ["What is the fare", "how did the board vote"]


def test_a_label_is_read_as_its_words() -> None:
    pool = [Candidate("a", "ransomUse: Known"), Candidate("b", "The pier is closed.")]
    assert rank_sentences(pool, query="ransom use", k=1)[0].id == "a"


def test_a_sentence_that_goes_on_about_it_after_a_date_does_not_stand_alone() -> None:
    assert not stands_alone("In February 2026 it nevertheless followed a faint asteroid.")
    assert stands_alone("In February 2026 Webb nevertheless followed a faint asteroid.") and stands_alone(
        "In 2024 it was decided to rebuild."
    )
