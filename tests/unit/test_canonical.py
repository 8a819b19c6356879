"""What is written in two ways and is one; what looks alike and is not."""

import pytest

from beacon.analyst.sentences import split_sentences
from beacon.analyst.statements import statement_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Valid from 4 March 2026.", "Valid from 2026-03-04"),
        ("Valid from March 4, 2026.", "Valid from 4 March 2026."),
        ("Gültig ab 4. März 2026", "Gültig ab 04.03.2026"),
        ("V2.5 and prior", "<= V2.5"),
        ("Versions prior to 3.1", "versions < 3.1"),
        ("3.1 or later", ">= 3.1"),
        ("A period of 24 hours", "a period of one day"),
        ("kept for two years", "kept for 24 months"),
        ("Thirty-one studies", "31 studies"),
        ("one million euros", "1 million euros"),
        ("1.5 litres a day", "1500 ml a day"),
        ("The gate opens at 18:00.", "The gate opens at 6 pm."),
        ("7.5 hours", "7 hours 30 minutes"),
        ("EUR 1,200", "€1200"),
        ("1 000 boats", "1,000 boats"),
        ("50 percent", "50 %"),
        ("as Section 4.2 says", "as Section 5.1 says"),
        ("(b) The fee is due.", "(c) The fee is due."),
        ("organised colour", "organized color"),
        ("z. B. Lampen", "zum Beispiel Lampen"),
        ("Last updated: 3 May 2031 The board meets.", "Last updated: 9 June 2032 The board meets."),
        ("本馆\n开放", "本馆开放"),
        ("ages 1–6", "ages 1 to 6"),
    ],
)
def test_two_ways_to_write_one_thing_have_one_key(one: str, other: str) -> None:
    assert statement_key(one) == statement_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Valid from 4 March 2026", "Valid from 5 March 2026"),
        ("V2.5 and prior", "V2.5 and later"),
        ("< 2.5", "<= 2.5"),
        ("18 months", "two years"),
        ("1.5 litres", "1500 litres"),
        ("6 pm", "6 am"),
        ("€1,200", "$1,200"),
        ("The fee is 1.5.", "The fee is 15."),
        ("ages 1-6", "ages 1-8"),
        ("step 4 takes 3 minutes", "step 4 takes 5 minutes"),
    ],
)
def test_what_differs_keeps_two_keys(one: str, other: str) -> None:
    assert statement_key(one) != statement_key(other)


def test_a_version_range_is_found_again_in_a_sentence() -> None:
    assert statement_key("It affects Gate V2.5 and prior.") == statement_key("It affects Gate <= V2.5.")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Sie gilt seit dem 1. Mai 2031 für alle. Sie ersetzt die alte.", 2),
        ("A ramp is shown in Annex D. Plasterboard may be used.", 2),
        ("The bus stops early, i.e.\nthe one after nine.", 1),
        ("J. Smith spoke. He left.", 2),
    ],
)
def test_full_stops_that_end_no_sentence_end_none(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count
