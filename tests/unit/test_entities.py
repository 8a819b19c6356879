"""Names found in a text, and what they are merged into."""

import random
import time
from itertools import pairwise

import pytest

from beacon.domain.graph import EntityMention
from beacon.ingest.entities import EntityCatalog, entity_key, extract_document, extract_entities


def names(text: str, title: str = "") -> list[str]:
    return [mention.name for mention in extract_entities(text, title=title)]


def types(text: str) -> dict[str, str]:
    return {mention.name: mention.type for mention in extract_entities(text)}


FOUND = [
    ("officials of the Bank of England met.", ["Bank of England"]),
    ("He joined the Department of Health and Human Services.", ["Department of Health and Human Services"]),
    ("It was cleared by the Food and Drug Administration.", ["Food and Drug Administration"]),
    ("We use Johnson & Johnson soap.", ["Johnson & Johnson"]),
    ("They compared Zephyr and Quillon yesterday.", ["Zephyr", "Quillon"]),
    ("Then Zephyr in Quillon fell.", ["Zephyr", "Quillon"]),
    ("the Center for Tidal Studies said", ["Center for Tidal Studies"]),
    ("work by Ludwig van Beethoven endures", ["Ludwig van Beethoven"]),
    ("a move to New York and Los Angeles", ["New York", "Los Angeles"]),
    ("it affects CVE-2031-12345 only", ["CVE-2031-12345"]),
    ("we upgraded to Windows 11 and GPT-4", ["Windows 11", "GPT-4"]),
    ("an eBPF probe for Node.js", ["eBPF", "Node.js"]),
    ("the U.S. economy", ["U.S."]),
    ("saw Zephyr’s plan and the Quillon's plan", ["Zephyr", "Quillon"]),
    ("the Zephyr-led plan, Zephyr-if it works", ["Zephyr", "Zephyr"]),
    ("it was World War II by then", ["World War II"]),
    ("shares of Alphabet, Inc. rose", ["Alphabet Inc"]),
]
NOTHING = [
    "Inflation rose. Prices fell. However, nothing changed.",
    "On Monday, March 3, 2031, it rained. In June it did not.",
    "Table 3 and Section 4.2 show this. See Figure 7 and Appendix B.",
    "He said that I'm late. She isn't. We've gone.",
    "the Chair and the President, a CEO",
    "It was American and French.",
    "There were Three or Four of them, at 10 AM.",
    "see https://example.org/Some/Great/Page and Someone@Example.org",
    "call the SOME_CONSTANT value",
    "[Music] and then [Applause]",
    "",
    "   \n\n ",
    "1234 5678",
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_name_is_found(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_no_name_is_found(text: str) -> None:
    assert names(text) == []


def test_sentence_start_alone_proves_nothing() -> None:
    assert names("Rainfall was heavy.") == []


def test_sentence_start_counts_when_the_name_stands_elsewhere() -> None:
    assert names("Quillon was late. We met Quillon.") == ["Quillon", "Quillon"]


def test_common_word_with_a_stray_capital_is_no_name() -> None:
    assert names("The collector runs. A collector stops. Our Collector waits.") == []


def test_title_before_a_name_makes_a_person() -> None:
    assert types("We asked Dr. Quillon.") == {"Quillon": "person"}


def test_role_is_not_part_of_the_name() -> None:
    assert names("the Harbour Board Chair Ines Quillon spoke") == ["Harbour Board", "Ines Quillon"]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("by Ines Quillon today", "Ines Quillon", "person"),
        ("by Zorblax Quillon, who sang", "Zorblax Quillon", "person"),
        ("at Quillon University today", "Quillon University", "organization"),
        ("near the Quillon River today", "Quillon River", "place"),
        ("in the Quillon Olympics today", "Quillon Olympics", "event"),
        ("people in France today", "France", "place"),
        ("he read “The Long Quiet Tide” twice", "The Long Quiet Tide", "work"),
        ("the film Quillon ran", "Quillon", "work"),
        ("runs on Quillon 4.2 now", "Quillon 4.2", "product"),
        ("the Quillon Theorem says", "Quillon Theorem", "concept"),
        ("some Quillon there", "Quillon", "other"),
    ],
)
def test_type_follows_general_cues(text: str, name: str, kind: str) -> None:
    assert types(text) == {name: kind}


def test_short_form_takes_the_full_name() -> None:
    found = names("The Quillon Harbour Authority (QHA) met. Later the QHA voted.")
    assert found == ["Quillon Harbour Authority"] * 3


def test_short_form_before_its_full_name() -> None:
    assert set(names("We asked the QHA (Quillon Harbour Authority) about it.")) == {"Quillon Harbour Authority"}


def test_short_form_of_a_term_spelt_small() -> None:
    assert names("We track mean tidal range (MTR) daily; MTR rose.") == ["mean tidal range"] * 3


def test_parenthesis_that_does_not_fit_defines_nothing() -> None:
    assert "Quillon Harbour" in names("the Quillon Harbour (XYZ) met") and "XYZ" in names("the Quillon Harbour (XYZ) met")


def test_last_name_is_the_one_person_of_that_name() -> None:
    assert names("We met Ines Quillon. Mr. Quillon said so. Quillon left.") == ["Ines Quillon"] * 3


def test_last_name_shared_by_two_people_stays_alone() -> None:
    assert "Quillon" in names("We met Ines Quillon and Otto Quillon; then Quillon left.")


def test_merging_ends_with_the_document() -> None:
    extract_document("We met Ines Quillon. Then Quillon left.")
    assert names("then Quillon left") == ["Quillon"]


def test_full_name_takes_the_one_without_initials() -> None:
    assert set(names("We met Ines H. Quillon. Then Ines Quillon left.")) == {"Ines H. Quillon"}


def test_general_word_is_the_body_named_in_full() -> None:
    assert set(names("The Quillon Tide Committee met. Then the Committee voted.")) == {"Quillon Tide Committee"}


def test_general_word_alone_names_nothing() -> None:
    assert names("Then the Committee voted.") == []


def test_spellings_in_other_case_are_one() -> None:
    assert set(names("we run QuilLon, QuilLon and Quillon here")) == {"QuilLon"}


def test_capitalised_line_shows_only_what_prose_confirms() -> None:
    text = "Vulnerability name: Zephyr Quillon Improper Control Of Paths\nThe flaw is in Zephyr Quillon itself."
    assert names(text) == ["Zephyr Quillon", "Zephyr Quillon"]


def test_title_named_in_the_first_words_is_an_entity() -> None:
    assert names("tidal therapy is a practice of the coast", title="Tidal therapy (medicine)") == ["Tidal therapy"]


def test_repeated_quoted_words_in_japanese() -> None:
    assert names("「風の塔」が公開された。「風の塔」は長い。") == ["風の塔", "風の塔"]


def test_chinese_title_brackets_are_a_work() -> None:
    assert types("他写了《星海》。") == {"星海": "work"}


def test_latin_name_inside_japanese_is_cut_out() -> None:
    assert names("これはOpenQuillonの話です") == ["OpenQuillon"]


@pytest.mark.parametrize(
    "text", ["قال إن «نهر النور» مهم، «نهر النور»", "он сказал, что Квиллон пришёл в Тарту", "ο Κουίλον ήρθε στην Ζέφυρ"]
)
def test_other_scripts_give_names(text: str) -> None:
    assert names(text)


def test_german_common_nouns_are_no_names() -> None:
    assert names("Der Hund und die Katze sahen das Haus. Die Frau und der Mann kauften das Haus der Familie.") == []


def test_chunks_keep_only_whole_mentions() -> None:
    text = "we met Ines Quillon and Otto Zephyr"
    assert [mention.surface for mention in extract_document(text, [(0, 19), (19, 28)])] == ["Ines Quillon"]


def test_known_alias_comes_from_elsewhere() -> None:
    found = extract_document("then the QHA voted", known_aliases={"QHA": "Quillon Harbour Authority"})
    assert [mention.name for mention in found] == ["Quillon Harbour Authority"]


def test_catalog_follows_aliases_to_the_fullest_name() -> None:
    mention = EntityMention(0, 3, "QHA", "QHA", "other")
    catalog = EntityCatalog([mention], {"QHA": "Quillon Harbour Authority"})
    assert catalog.canonical("QHA") == "Quillon Harbour Authority"
    assert catalog.aliases("Quillon Harbour Authority") == ("QHA",)


def test_aliases_in_a_circle_end() -> None:
    assert EntityCatalog([], {"Aaa": "Bbb", "Bbb": "Aaa"}).canonical("Aaa") in ("Aaa", "Bbb")


@pytest.mark.parametrize("pair", [("The Quillon’s", "quillon"), ("Open-Quillon", "Open Quillon"), ("U.S.", "US"), ("Ｑuillon", "Quillon")])
def test_key_folds_spellings(pair: tuple[str, str]) -> None:
    assert entity_key(pair[0]) == entity_key(pair[1])


def test_surfaces_are_exact_and_apart_on_any_text() -> None:
    pieces = ["The ", "Ines ", "QHA ", "(QHA)", "“Tide Song” ", "of ", "and ", "the ", "İstanbul ", "ß", "\n", ": ", ". ", "’s ", "ﬁ"]
    pieces += ["東京", "「塔」", "\u0301", "🌊", "-", "U.S. ", "12 ", "Mr. ", "& ", "\x00"]
    chance = random.Random(7)
    for _ in range(400):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 40)))
        found = extract_document(text, title="Tide Song")
        assert all(text[mention.start : mention.end] == mention.surface for mention in found)
        assert all(left.end <= right.start for left, right in pairwise(found))


def test_long_text_without_breaks_takes_no_longer_than_it_should() -> None:
    began = time.process_time()
    extract_entities("Quillon of the " * 20_000)
    extract_entities("A(" * 20_000)
    extract_entities("Aa-" * 20_000)
    extract_entities("“A " * 20_000)
    extract_entities("a.b-" * 20_000 + "@")
    assert time.process_time() - began < 4
