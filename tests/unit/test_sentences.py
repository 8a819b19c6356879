from itertools import pairwise

import pytest

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import content_tokens, fold, tokenize


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The U.S. economy grew. It was quick.", ["The U.S. economy grew.", "It was quick."]),
        ("It moved to Washington, D.C. The rest stayed.", ["It moved to Washington, D.C.", "The rest stayed."]),
        ("Dr. J. Ruiz agreed, e.g. in part.", ["Dr. J. Ruiz agreed, e.g. in part."]),
        ("It rose 3.1 percent on Jan. 5, 2024. See No. 5 there.", ["It rose 3.1 percent on Jan. 5, 2024.", "See No. 5 there."]),
        ("went home. then i slept", ["went home.", "then i slept"]),
        ("Cited here.[12] And here.[3][4]", ["Cited here.[12]", "And here.[3][4]"]),
        ("Waiting... and then... Nothing.", ["Waiting... and then...", "Nothing."]),
    ],
)
def test_abbreviations_and_decimals_do_not_end_a_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_quotation_keeps_its_closing_mark() -> None:
    assert sentences('He asked: "Why?" she said. “It is done.” Then he left.') == [
        'He asked: "Why?" she said.',
        "“It is done.”",
        "Then he left.",
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("今日は天気がいい。明日は雨です！「そうですか。」と彼は言った。", 3),
        ("यह एक वाक्य है। दूसरा वाक्य।", 2),
        ("هل هذا صحيح؟ نعم. هذا جيد.", 3),
        ("Das sind z.B. Äpfel bzw. Birnen. Am Ende sind es fünf.", 2),
    ],
)
def test_other_scripts_have_sentences_too(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_list_items_and_blank_lines_are_boundaries_and_bullets_are_trimmed() -> None:
    assert sentences("Heading\n\n- first item\n- second item. And more\n1. third") == [
        "Heading",
        "first item",
        "second item.",
        "And more",
        "third",
    ]


def test_a_wrapped_line_of_prose_is_one_sentence() -> None:
    assert len(sentences("This is a long line of prose that wraps at the end of\nthe line and goes on.")) == 1


def test_every_letter_outside_white_space_stays_in_some_sentence() -> None:
    text = "Ärger im Büro! 東京で。  हिन्दी? Yes... \n\n«Oui.» 3.5 % more (see Fig. 2). End"
    kept = "".join(sentences(text))
    assert [c for c in text if c.isalnum() and c not in kept] == []


def test_spans_are_ordered_and_never_overlap() -> None:
    text = "A. B? C! D... E.\nF\n\n• G • H. 1. I. J"
    spans = split_sentences(text)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_numbers_and_identifiers_are_whole_tokens() -> None:
    assert tokenize("3.1% to 3-1/2 on 2024-09-18, €1,200 at 14:30 in CVE-2025-5777") == [
        "3.1%", "to", "3-1/2", "on", "2024-09-18", "€1,200", "at", "14:30", "in", "cve-2025-5777",
    ]  # fmt: skip


def test_a_vulgar_fraction_reads_as_the_written_one() -> None:
    assert tokenize("4½ percent") == tokenize("4-1/2 percent")


def test_dashes_and_apostrophes_are_folded() -> None:
    assert fold("Mortgage‑backed isn’t") == "mortgage-backed isn't"


def test_indic_words_keep_their_vowel_signs_and_han_becomes_bigrams() -> None:
    assert tokenize("हिन्दी 東京都") == ["हिन्दी", "東京", "京都"]


def test_forms_of_a_word_share_a_stem() -> None:
    assert len(set(content_tokens("reducing reduced reduces reduce"))) == 1


def test_stop_words_never_empty_a_text() -> None:
    assert content_tokens("to be or so") == ["to", "be", "or", "so"]


def test_lines_of_a_record_do_not_run_together() -> None:
    text = "vulnerabilityName: A name that is rather longer than forty letters\ndateAdded: 2026-07-07"
    assert [text[a:b] for a, b in split_sentences(text)] == text.split("\n")
