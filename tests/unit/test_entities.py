"""Names found in a text, and what they are merged into."""

import random
import time
from itertools import pairwise

import pytest

from beacon.domain.graph import EntityMention
from beacon.ingest.entities import EntityCatalog, entity_key, extract_document, extract_entities, read_entities
from beacon.ingest.entity_aliases import is_short_form


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
    ("She left Tidal High School & Harbour High School.", ["Tidal High School", "Harbour High School"]),
    ("many people came to us from Zephyria, KS; Quillon, MN; and Harbourne, WI.", ["Zephyria", "KS", "Quillon", "MN", "Harbourne", "WI"]),
    ("led by Vice President Al Quillon there", ["Al Quillon"]),
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
    "They list push, Built-in push, a Follow-up and Sign-ups.",
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We saw 2031 QX7 again. Then 2031 QX7 faded.", ["2031 QX7", "2031 QX7"]),
        ("the comet 4I/Quillon and C/2031 Q4 passed", ["4I/Quillon", "C/2031 Q4"]),
        ("we saw the asteroid 618 Quillona there", ["618 Quillona"]),
        ("bought an iPhone 15 with Python 3.14 on it", ["iPhone 15", "Python 3.14"]),
        ("it affects CVE-2025-1234 under ISO 27001", ["CVE-2025-1234", "ISO 27001"]),
        ("under ISO/IEC 27001:2022 we speak HTTP/2", ["ISO/IEC 27001:2022", "HTTP/2"]),
        ("during COVID-19 the A320neo flew", ["COVID-19", "A320neo"]),
        ("the 118th Congress met", ["118th Congress"]),
        ("the Very Large Telescope saw it", ["Very Large Telescope"]),
    ],
)
def test_designation_is_one_name(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_designation_goes_by_its_code_alone() -> None:
    assert names("We saw 2031 QX7. Later QX7 faded.") == ["2031 QX7", "2031 QX7"]


@pytest.mark.parametrize(
    "text",
    ["Of 433 Senators none came.", "In 2031 Quillon won. We met Quillon.", "We sent 12 Quillon engineers to Quillon.", "In 2031 CO2 rose."],
)
def test_year_or_count_before_a_name_is_not_part_of_it(text: str) -> None:
    assert not any(name[0].isdigit() for name in names(text))


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Then QHA announced a plan.", "QHA", "organization"),
        ("We asked Quillon, a company in the north.", "Quillon", "organization"),
        ("We asked Quillon (an agency).", "Quillon", "organization"),
        ("We asked Quillon's CEO.", "Quillon", "organization"),
        ("He works at Quillon now.", "Quillon", "organization"),
        ("See the Quillon telescope there.", "Quillon", "product"),
        ("We are using Quillon here.", "Quillon", "product"),
        ("we saw the asteroid Quillon", "Quillon", "place"),
        ("He was born in Quillon then.", "Quillon", "place"),
        ("They met in Quillon, Chile.", "Quillon", "place"),
        ("The strait, the Strait of Quillon, closed.", "Strait of Quillon", "place"),
        ("The office in Tucson, AZ closed.", "AZ", "place"),
        ("seen from Earth today", "Earth", "place"),
        ("went to Nairobi today", "Nairobi", "place"),
        ("vendorProject: Quillon\nIt sits below the Quillon there.", "Quillon", "organization"),
        ("we call the API twice", "API", "concept"),
        ("the Center for Tidal Studies said", "Center for Tidal Studies", "organization"),
        ("the Ines Quillon Space Telescope flew", "Ines Quillon Space Telescope", "product"),
        ("the Gulf of Quillon Security Act passed", "Gulf of Quillon Security Act", "concept"),
        ("we read about CVE-2031-1234", "CVE-2031-1234", "concept"),
        ("we run QuilLon here", "QuilLon", "product"),
        ("our Collector waits. A collector, some collector. The Collector and the Collector", "Collector", "concept"),
    ],
)
def test_type_follows_what_the_document_says(text: str, name: str, kind: str) -> None:
    assert types(text)[name] == kind


def test_votes_of_all_mentions_are_added_up() -> None:
    text = "We are using Quillon. Quillon said no, and Quillon's CEO left; Quillon's staff and Quillon's employees too."
    assert types(text)["Quillon"] == "organization"


def test_term_spelt_small_stays_a_concept() -> None:
    assert set(types("Most mean tidal ranges (MTR) rose. The agency MTR fell, agency MTR held.").values()) == {"concept"}


def test_initials_of_one_full_name_are_its_short_form() -> None:
    found = names("The Quillon Open Harbour Board met. Then the QOHB voted.")
    assert found == ["Quillon Open Harbour Board"] * 2


def test_initials_of_two_full_names_stay_alone() -> None:
    assert "QHA" in names("The Quillon Harbour Authority met the Quota Holder Alliance. Then the QHA voted.")


def test_short_forms_that_hold_beyond_the_document_are_told() -> None:
    read = read_entities("The Quillon Harbour Authority (QHA) met. We met Ines Zephyr. Zephyr left.")
    assert dict(read.short_forms) == {"QHA": "Quillon Harbour Authority"}


@pytest.mark.parametrize(
    ("short", "full", "holds"),
    [
        ("QHA", "Quillon Harbour Authority", True),
        ("QX7", "2031 QX7", True),
        ("Committee", "Quillon Tide Committee", False),
        ("Zephyr", "Ines Zephyr", False),
        ("US", "Union Station", False),
        ("XYZ", "Quillon Harbour Authority", False),
    ],
)
def test_short_form_holds_in_a_project_by_its_letters(short: str, full: str, holds: bool) -> None:
    assert is_short_form(short, full) is holds


def test_first_word_cut_short_is_a_short_form_where_it_is_defined() -> None:
    assert set(names("the Quillonian Reserve (the “Quill”) met. Then the Quill voted.")) == {"Quillonian Reserve"}


def test_guess_is_not_told() -> None:
    read = read_entities("We run QuilLon here. We asked Zephyr, a company.")
    assert read.told == {"Zephyr"}


def test_title_that_only_heads_the_text_is_no_mention() -> None:
    assert names("Tidal therapy notes\n\nThe coast was calm.", title="Tidal therapy notes") == []


def test_word_that_only_begins_sentences_is_cut_off() -> None:
    assert names("- Redeem Quillon paper.\n- Redeem Quillon notes.\nThe Quillon rose; a Quillon fell.") == ["Quillon"] * 4


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("They met at Quillon in Chile.", "Quillon", "place"),
        ("They planned a space telescope named Quillon there.", "Quillon", "product"),
        ("The Quillon Injection Vulnerability spread.", "Quillon Injection Vulnerability", "concept"),
        ("Our Quillon team and their Quillon team met the Quillon vendor.", "Quillon", "other"),
    ],
)
def test_type_needs_more_than_a_loose_noun(text: str, name: str, kind: str) -> None:
    assert types(text)[name] == kind


def test_body_with_a_dash_gone_short_stays_the_body() -> None:
    assert names("the Quillon Tide Committee-colleagues who met") == ["Quillon Tide Committee"]


def test_type_is_not_taken_from_a_word_further_on() -> None:
    assert types("We saw Quillon there. Then Quillon was first introduced within the agency.")["Quillon"] == "other"


@pytest.mark.parametrize("said", ["a 1973 horror film", "a British film", "an 80 minute film"])
def test_year_or_people_before_the_noun_does_not_hide_what_a_thing_is(said: str) -> None:
    assert types(f"Then Tar Hollow is {said}.")["Tar Hollow"] == "work"


def test_full_name_once_given_a_short_form_is_whole_wherever_it_stands() -> None:
    text = "We read Web Shared Dredging and Sounding (WSDS). Later Web Shared Dredging and Sounding failed."
    assert names(text) == ["Web Shared Dredging and Sounding"] * 3


@pytest.mark.parametrize("name", ["Zephyrine", "Jordan"])
def test_who_speaks_is_a_person(name: str) -> None:
    found = read_entities(f"Yes, we saw {name} there.", people=[name]).mentions
    assert [(mention.name, mention.type) for mention in found] == [(name, "person")]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("We went to the Quillon Harbour Stadium there.", "Quillon Harbour Stadium", "place"),
        ("It asked the Quillon Legislature there.", "Quillon Legislature", "organization"),
        ("It is a comedy starring Zerk Quillon again.", "Zerk Quillon", "person"),
        ("people of Zephyria, KS who came", "Zephyria", "place"),
        ("They wrote to the Office of the Secretary again.", "Office of the Secretary", "organization"),
    ],
)
def test_what_stands_beside_or_ends_a_name_tells_its_type(text: str, name: str, kind: str) -> None:
    assert types(text)[name] == kind


def test_long_title_of_the_thing_itself_is_one_name() -> None:
    assert names("The Tide, the Sand and the Gull was read. It won.", title="The Tide, the Sand and the Gull (novel)") == [
        "The Tide, the Sand and the Gull"
    ]
