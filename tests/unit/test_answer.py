from beacon.analyst.answer import Passage, extractive_answer

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
