"""Identifiers and slugs follow from content alone."""

from datetime import UTC, datetime

import pytest

from beacon.domain.ids import SLUG_LENGTH, digest, make_id, slugify
from beacon.errors import InputError


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Heat Pumps", "heat-pumps"),
        ("  Heat \t\n Pumps  ", "heat-pumps"),
        ("Heat-Pumps: what's new?!", "heatpumps-whats-new"),
        ("C++ & C#", "c-c"),
        ("Ｆｕｌｌ　Ｗｉｄｔｈ １２", "full-width-12"),
        ("ﬁne ½", "fine-12"),
        ("Größe der WÄRMEPUMPE", "größe-der-wärmepumpe"),
        ("Gro\u0308ße", "größe"),
        ("Тепловые насосы", "тепловые-насосы"),
        ("热泵 市场", "热泵-市场"),
        ("हिन्दी समाचार", "हिन्दी-समाचार"),
        ("مضخة الحرارة", "مضخة-الحرارة"),
        ("２０２６ 🙂 plans", "2026-plans"),
        ("a_b/c\\d..e", "abcde"),
    ],
)
def test_a_slug_is_the_titles_letters_and_digits(title: str, slug: str) -> None:
    assert slugify(title) == slug


@pytest.mark.parametrize("title", ["!!!", "", "   ", "🙂", "---", "../.."])
def test_a_title_without_letter_or_digit_is_refused(title: str) -> None:
    with pytest.raises(InputError, match="no letter or digit"):
        slugify(title)


@pytest.mark.parametrize("title", ["x" * 200, "word " * 60, "字" * 200, "a" * 79 + " b"])
def test_a_slug_has_at_most_eighty_characters_and_no_hyphen_at_its_end(title: str) -> None:
    slug = slugify(title)
    assert len(slug) <= SLUG_LENGTH and not slug.endswith("-")


@pytest.mark.parametrize("title", ["Heat Pumps 2026", "Größe", "हिन्दी समाचार", "İstanbul"])
def test_the_slug_of_a_slug_without_hyphens_is_itself(title: str) -> None:
    slug = slugify(title)
    assert slugify(slug.replace("-", " ")) == slug


def test_a_slug_cannot_leave_a_folder() -> None:
    assert not set("/\\.:\0") & set(slugify("../../etc/passwd C:\\x \0 y"))


def test_an_id_is_its_prefix_and_twenty_four_hex_digits() -> None:
    made = make_id("src", "p", 1)
    assert made.startswith("src_") and len(made) == 28 and set(made[4:]) <= set("0123456789abcdef")


def test_an_id_does_not_change_between_machines_and_releases() -> None:
    assert make_id("src", "p", "größe", 1, None, datetime(2026, 1, 2, tzinfo=UTC)) == "src_c75fc16e337a61f172ba77de"


@pytest.mark.parametrize(
    ("one", "other"),
    [(("ab", "c"), ("a", "bc")), ((1,), ("1",)), (("a", None), ("a",)), (("a",), ("A",)), (("a", "b"), ("as1:b",))],
)
def test_different_parts_give_different_ids(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert make_id("x", *one) != make_id("x", *other)


def test_a_text_and_its_utf8_have_one_digest() -> None:
    assert digest("größe") == digest("größe".encode()) and len(digest("")) == 64
