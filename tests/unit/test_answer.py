from datetime import datetime

from beacon.analyst.answer import Passage, extractive_answer, timeline_answer
from beacon.analyst.asking import held, telling_terms
from beacon.analyst.moments import find_moment, time_fit

HARBOUR = Passage(
    "p1",
    "The Marlin Bay ferry opened in 1987. It carries about 3,200 passengers a day. "
    "The night service was stopped because the pier was unsafe. Captain Rosa Lind runs the company.",
    title="Marlin Bay ferry",
    score=1.0,
)
OTHER = Passage("p2", "The orchard grows plums and pears. Its cider won a prize in Ghent.", title="Orchard", score=0.4)


def test_every_answer_sentence_is_an_exact_slice() -> None:
    answer = extractive_answer("When did the Marlin Bay ferry open?", [HARBOUR, OTHER])
    texts = {"p1": HARBOUR.text, "p2": OTHER.text}
    assert answer.sentences and all(texts[s.passage_id][s.start : s.end] == s.text for s in answer.sentences)


def test_the_kind_of_answer_asked_for_comes_first() -> None:
    asked = {
        "When did the Marlin Bay ferry open?": "1987",
        "How many passengers does the ferry carry a day?": "3,200",
        "Why was the night service stopped?": "unsafe",
        "Who runs the Marlin Bay ferry company?": "Rosa Lind",
    }
    for question, wanted in asked.items():
        answer = extractive_answer(question, [HARBOUR, OTHER])
        assert answer.sufficient and wanted in answer.sentences[0].text, question


def test_a_name_nobody_mentions_is_not_answered() -> None:
    answer = extractive_answer("When did the Falcon Point tram open?", [HARBOUR, OTHER])
    assert not answer.sufficient and "Falcon Point" in answer.missing


def test_a_year_nobody_mentions_is_not_answered() -> None:
    assert not extractive_answer("How many passengers did the Marlin Bay ferry carry in 2019?", [HARBOUR]).sufficient


def test_another_question_about_a_known_name_is_not_answered() -> None:
    answer = extractive_answer("What engine supplier does the Marlin Bay ferry use?", [HARBOUR, OTHER])
    assert not answer.sufficient and answer.missing


def test_no_passages_say_what_would_help() -> None:
    answer = extractive_answer("What changed in tariffs?", [])
    assert not answer.sufficient and not answer.sentences and "add a source" in answer.missing


def test_an_empty_question_is_not_answered() -> None:
    assert not extractive_answer("???", [HARBOUR]).sufficient


def test_no_more_sentences_than_asked_for() -> None:
    assert len(extractive_answer("Tell me about the Marlin Bay ferry", [HARBOUR], max_sentences=2).sentences) <= 2


def test_confidence_is_lower_where_the_evidence_is() -> None:
    known = extractive_answer("When did the Marlin Bay ferry open?", [HARBOUR])
    unknown = extractive_answer("When did the Falcon Point tram open?", [HARBOUR])
    assert unknown.confidence < known.confidence <= 1


def test_other_scripts_are_answered() -> None:
    passage = Passage("p", "港の年間取扱量は420万個です。市場は閉まっています。", score=1.0)
    answer = extractive_answer("港の年間取扱量は？", [passage])
    assert answer.sentences[0].text == "港の年間取扱量は420万個です。"


def dated(id: str, day: str, text: str, group: str = "") -> Passage:
    return Passage(id, text, datetime.fromisoformat(f"{day}T00:00:00+00:00"), "Bulletin", 1.0, group)


LEVELS = [
    dated("a", "2026-01-10", "The dam stands at 31 metres. Visitors may walk the crest.", "dam"),
    dated("b", "2026-02-18", "The dam stands at 34 metres. The gates were opened.", "dam"),
    dated("c", "2026-03-20", "The dam stands at 29 metres. The road is open again.", "dam"),
    dated("d", "2026-03-21", "Readers ask how high the dam stands; the desk counts 40 letters.", "letters"),
]


def test_now_is_answered_from_the_newest() -> None:
    assert "29 metres" in extractive_answer("At how many metres does the dam stand?", LEVELS).sentences[0].text


def test_a_day_in_the_question_is_answered_from_that_day() -> None:
    answer = extractive_answer("At how many metres did the dam stand on 18 February 2026?", LEVELS)
    assert answer.sufficient and "34 metres" in answer.sentences[0].text


def test_a_month_before_anything_was_written_takes_no_later_word_for_it() -> None:
    moment = find_moment("What was the level in January 2026?")
    assert moment and time_fit(moment, "The dam stands at 29 metres.", LEVELS[2].date) < time_fit(moment, LEVELS[0].text, LEVELS[0].date)


def test_a_course_is_told_in_order_of_time_by_one_series() -> None:
    answer = timeline_answer("How did the metres at which the dam stands change?", LEVELS)
    assert [one.passage_id for one in answer.sentences] == ["a", "b", "c"]


def test_a_value_that_did_not_change_is_told_once() -> None:
    again = dated("bb", "2026-02-25", "The dam stands at 34 metres.", "dam")
    assert len(timeline_answer("How did the metres at which the dam stands change?", [*LEVELS, again]).sentences) == 3


def test_name_and_key_word_must_meet_in_one_place() -> None:
    passages = [
        Passage("p", "The Bank of Velm held its rate at 2 percent.", score=1.0),
        Passage("q", "The governor of the island, Ines Roe, opened the fair.", score=0.9),
    ]
    answer = extractive_answer("Who is the governor of the Bank of Velm?", passages)
    assert not answer.sufficient and answer.confidence <= 0.5 and "governor" in answer.missing


def test_what_adds_nothing_is_left_out() -> None:
    again = Passage("p3", "The Marlin Bay ferry opened in 1987, as the town remembers.", title="Marlin Bay ferry", score=0.9)
    assert len(extractive_answer("When did the Marlin Bay ferry open?", [HARBOUR, again, OTHER]).sentences) == 1


def test_a_superlative_takes_the_sentence_beside_it() -> None:
    text = "The level at the gate was 34 metres. It is the highest level ever recorded at the gate."
    answer = extractive_answer("What was the highest level recorded at the gate?", [Passage("p", text, score=1.0)])
    assert [one.text[:3] for one in answer.sentences] == ["The", "It "]


def test_how_large_asks_for_a_size_and_not_for_a_name() -> None:
    text = "The Very Large Telescope saw rock Kora on 3 nights. Kora is 40 metres wide."
    assert extractive_answer("How large is Kora?", [Passage("p", text, score=1.0)]).sentences[0].text == "Kora is 40 metres wide."


def test_a_record_answers_by_its_labels_under_its_title() -> None:
    text = "entryID: X-2031\ndueDate: 2026-07-16\nnotes: the pump was replaced in the spring of that year"
    answer = extractive_answer("What is the due date of X-2031?", [Passage("p", text, title="X-2031: pump fault", score=1.0)])
    assert answer.sufficient and [one.text for one in answer.sentences] == ["dueDate: 2026-07-16"]


def test_a_word_of_the_same_beginning_is_no_other_word() -> None:
    assert held("discov", {"discoveri"}) and held("configur", {"configuration"}) and not held("discov", {"discontinu"})


def test_whom_a_question_asks_is_not_looked_for() -> None:
    assert telling_terms("Do users deploy the gateway?") == telling_terms("Deploy the gateway?")


def test_an_endless_stretch_of_talk_answers_nothing() -> None:
    talk = "so the pump " + "and then we went on about the weather and the road " * 12 + "and the fault"
    assert not extractive_answer("What is the fault of the pump?", [Passage("p", talk, score=1.0)]).sufficient
