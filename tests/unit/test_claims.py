"""What sentences claim: of which point, which value, from when, and what is no claim."""

from datetime import UTC, datetime

import pytest

from beacon.analyst.claim_times import read_times
from beacon.analyst.claim_values import read_value, relate
from beacon.analyst.claims import Claim, read_claims
from beacon.domain.source import Block
from beacon.ingest.parse import parse_bytes

SAID = datetime(2026, 4, 10, tzinfo=UTC)


def claim(text: str) -> Claim:
    (found,) = read_claims(text, said=SAID).claims
    return found


def relation(left: str, right: str) -> str:
    mine, other = read_value(left), read_value(right)
    assert mine and other
    return relate(mine[0], other[0])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The Harbor plan costs $20 per month.", "The price of the Harbor plan is $26 a month."),
        ("The CEO of Brightwell is Mara Lind.", "Brightwell's CEO is Oskar Tamm."),
        ("Mara Lind is no longer the CEO of Brightwell.", "The CEO of Brightwell is Mara Lind."),
        ("The base rate of Norland is 4.5%.", "The base rate of Norland was cut from 4.5% to 4.25%."),
        ("The Kestrel API supports streaming.", "The Kestrel API no longer supports streaming."),
        ("Clients MUST retry failed requests.", "Clients SHOULD retry failed requests."),
    ],
)
def test_two_wordings_of_one_point_meet(left: str, right: str) -> None:
    assert claim(left).point == claim(right).point


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The Pro plan costs $20 per month.", "The Pro Plus plan costs $35 per month."),
        ("The Pro plan costs $20 per month.", "The Pro plan costs $200 per year."),
        ("The minimum age in Germany is 16.", "The minimum age in Austria is 14."),
        ("Revenue of Corvid in fiscal year 2025 was $4 million.", "Revenue of Corvid in 2025 was $5 million."),
        ("Revenue of Corvid in 2026 is expected to be $5 million.", "Revenue of Corvid in 2026 was $4 million."),
        ("The price of the A100 is $9,000.", "The price of the A10 is $2,400."),
        ("The storage quota of the plan is 5 GB.", "The transfer quota of the plan is 5 GB."),
        ("The daily dose for adults is 40 mg.", "The daily dose for children is 20 mg."),
    ],
)
def test_a_word_more_makes_another_point(left: str, right: str) -> None:
    assert claim(left).point != claim(right).point


@pytest.mark.parametrize(
    "text",
    [
        "Many customers asked why the invoices arrive so late.",
        "It depends on the weather and on who is asked.",
        "What does the Harbor plan cost?",
        "There are two things to consider.",
        "My name is Jon, and I work on billing.",
        "Correction: the fine was $4 million.",
        "Growth seems to have moderated somewhat.",
        "We work hard.",
    ],
)
def test_what_gives_no_one_thing_one_value_claims_nothing(text: str) -> None:
    assert not read_claims(text, said=SAID).claims


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("0.5%", "50 basis points"),
        ("1,000", "1 thousand"),
        ("1.2 million", "1,200,000"),
        ("60 minutes", "1 hour"),
        ("1 TB", "1,000 GB"),
        ("€300", "300 euros"),
        ("about 180", "185"),
        ("4-1/4 to 4-1/2 percent", "4.25 to 4.5%"),
        ("15 April 2026", "2026-04-15"),
        ("Mara Lind", "Dr. Mara Lind"),
    ],
)
def test_one_amount_in_two_forms_is_the_same(left: str, right: str) -> None:
    assert (relation(left, right), relation(right, left)) == ("same", "same")


@pytest.mark.parametrize(
    ("left", "right"),
    [("3 to 5 days", "4 days"), ("more than 20,000", "21,300"), ("up to 48 hours", "30 hours"), ("$10-12 million", "$11 million")],
)
def test_what_lies_within_a_range_fits(left: str, right: str) -> None:
    assert (relation(left, right), relation(right, left)) == ("fits", "fits")


@pytest.mark.parametrize(
    ("left", "right"),
    [("4.25 to 4.50%", "4.00 to 4.25%"), ("3 to 5 days", "9 days"), ("$20", "$26"), ("3.4.1", "3.4.10"), ("12 to 0", "9 to 3")],
)
def test_values_that_cannot_both_hold_conflict(left: str, right: str) -> None:
    assert relation(left, right) == "conflict"


def test_the_number_of_a_version_is_no_amount() -> None:
    left, right = claim("The latest version of Larch is 1.1."), claim("The latest version of Larch is 1.10.")
    assert relate(left.value, right.value) == "conflict"


def test_a_coarser_number_is_the_finer_one_rounded() -> None:
    assert (relation("4.28 percent", "4.3 percent"), relation("4.2 percent", "4.25 percent")) == ("same", "conflict")


def test_a_day_to_come_is_when_it_begins() -> None:
    found = claim("From 1 June 2026, the Harbor plan costs $26 per month.")
    assert (found.valid_from, found.about, found.plan) == (datetime(2026, 6, 1, tzinfo=UTC), "", False)


def test_a_stated_end_ends_after_its_day() -> None:
    assert claim("The discount of the Harbor plan is 20% until 31 March 2026.").valid_to == datetime(2026, 4, 1, tzinfo=UTC)


def test_a_month_without_a_year_is_the_last_one() -> None:
    assert read_times("In December, inflation was 3%.", SAID).period == "2025-12-01..2026-01-01"


def test_what_another_source_said_is_second_hand() -> None:
    assert claim("According to the Corvid announcement, the number of employees of Corvid is 185.").second_hand


def test_a_correction_names_its_error_without_claiming_it() -> None:
    found = read_claims("Correction: we gave 12,000 visitors. The number of visitors of the museum was 21,000.")
    assert (found.corrects, [one.shown for one in found.claims]) == (True, ["21,000"])


def test_a_cell_is_read_with_its_rows_and_columns_name() -> None:
    document = parse_bytes(
        b"# Plans\n\n| Plan | Price |\n|---|---|\n| Pro | $20 |\n| Max | $40 |\n", name="a.md", media_type="text/markdown"
    )
    found = read_claims(document.text, document.blocks).claims
    assert [(one.subject, one.attribute, one.shown) for one in found] == [("Pro", "Price", "$20"), ("Max", "Price", "$40")]


def test_a_field_among_several_of_its_kind_claims_nothing() -> None:
    text = "tags.0: red"
    assert not read_claims(text, [Block(0, len(text), "field", ("tags", "0"))], title="Otter").claims


def test_every_claim_is_an_exact_slice() -> None:
    text = "Prices.\n\nThe Harbor plan costs $20\nper month. Die Frist beträgt 14 Tage."
    assert all(text[one.start : one.end] == one.text for one in read_claims(text).claims)
