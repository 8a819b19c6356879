"""The life of a fact, reckoned from testimonies: what holds, what took whose place, what is disputed, what heals."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from beacon.analyst.claim_values import read_value
from beacon.analyst.claims import Claim
from beacon.memory import life
from beacon.memory.check_by import check_by
from beacon.memory.life import Ruling, Spell, reckon

START = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def day(n: int) -> datetime:
    return START + timedelta(days=n)


def value(text: str) -> Any:
    read = read_value(text)
    assert read
    return read[0]


def said(source: str, what: str, at: int, last: int | None = None, **given: Any) -> life.Testimony:
    claim = Claim(0, 1, what, "p", "s", "a", value(what), what, **given.pop("claim", {}))
    until = day(at if last is None else last)
    made = life.Testimony(f"{source}{at}", source, source, claim, day(at), until, (day(at), 1), day(at), version_id=f"{source}{at}")
    return replace(made, **given)


def fates(*testimonies: life.Testimony, now: datetime = NOW, rulings: tuple[Ruling, ...] = ()) -> list[tuple[str, str]]:
    return [(one.testimonies[0].claim.shown, one.fate) for one in reckon(testimonies, now, rulings)]


def test_a_later_value_takes_the_place_of_an_earlier_one() -> None:
    old, new = reckon([said("a", "$20", 0), said("b", "$26", 60)], NOW)
    assert (old.fate, old.by, old.valid_to, new.fate) == ("superseded", new, day(60), "current")


def test_sources_of_one_time_dispute_and_neither_wins() -> None:
    left, right = reckon([said("a", "$20", 0), said("b", "$26", 3)], NOW)
    assert (left.fate, right.fate, left.against, right.against) == ("contradicted", "contradicted", [right], [left])


def test_issues_of_a_series_a_week_apart_do_not_dispute() -> None:
    assert fates(said("a", "$20", 0, group="s"), said("b", "$26", 7, group="s")) == [("$20", "superseded"), ("$26", "current")]


def test_an_order_of_arrival_makes_no_difference() -> None:
    parts = [said("a", "$20", 0), said("b", "$26", 60), said("c", "$30", 120)]
    assert fates(*parts) == fates(*reversed(parts))


def test_without_the_newer_source_the_older_holds_again() -> None:
    old, new = said("a", "$20", 0), said("b", "$26", 60, gone="withdrawn", gone_at=day(90))
    assert fates(old, new) == [("$20", "current"), ("$26", "retracted")]


def test_the_middle_of_a_chain_may_go() -> None:
    first, middle, last = said("a", "$20", 0), said("b", "$26", 60, gone="withdrawn", gone_at=day(130)), said("c", "$30", 120)
    assert fates(first, middle, last) == [("$20", "superseded"), ("$26", "retracted"), ("$30", "current")]


def test_a_source_that_says_its_old_value_again_disputes_the_newer() -> None:
    assert fates(said("a", "$20", 0, last=90), said("b", "$26", 60)) == [("$20", "contradicted"), ("$26", "contradicted")]


def test_a_source_that_turned_from_a_value_takes_those_along_who_said_it_before() -> None:
    turned = said("a", "$20", 0, gone="replaced", gone_at=day(8), next="a8")
    assert fates(turned, said("b", "$20", 4), said("a", "$26", 8)) == [("$20", "superseded"), ("$26", "current")]


def test_the_same_value_later_confirms() -> None:
    (one,) = reckon([said("a", "$20", 0), said("b", "$20", 90)], NOW)
    assert (one.fate, one.valid_from, one.witnesses()) == ("current", day(0), 2)


def test_copies_and_hearsay_are_no_second_witness() -> None:
    copy, hearsay = said("b", "$20", 2, origin="a"), said("c", "$20", 3, claim={"second_hand": True})
    (one,) = reckon([said("a", "$20", 0), copy, hearsay], NOW)
    assert one.witnesses() == 1


def test_copies_of_an_original_that_is_gone_count_for_themselves() -> None:
    (one,) = reckon([said("b", "$20", 2, origin="a")], NOW)
    assert one.witnesses() == 1


def test_values_that_fit_together_stand_beside_each_other() -> None:
    assert fates(said("a", "3 to 5 days", 0), said("b", "4 days", 2)) == [("3 to 5 days", "current"), ("4 days", "current")]


def test_about_one_day_sources_dispute_whenever_they_wrote() -> None:
    about = {"about": "2026-01-01"}
    assert {fate for _, fate in fates(said("a", "185", 0, claim=about), said("b", "210", 90, claim=about))} == {"contradicted"}


def test_what_is_announced_waits_for_its_day() -> None:
    old, new = said("a", "$20", 0), said("b", "$26", 60, claim={"valid_from": day(150)})
    assert fates(old, new, now=day(100)) == [("$20", "current"), ("$26", "current")]
    assert fates(old, new, now=day(151)) == [("$20", "superseded"), ("$26", "current")]


def test_a_corrected_value_was_never_so() -> None:
    wrong = said("a", "$4 million", 0, gone="corrected", gone_at=day(2), next="a2")
    old, new = reckon([wrong, said("a", "$5 million", 2)], NOW)
    assert (old.fate, old.by) == ("retracted", new)


def test_a_pinned_fact_is_disputed_and_never_retired_by_a_source() -> None:
    assert fates(said("me", "$20", 0, told=True, pinned=True), said("b", "$26", 90)) == [("$20", "contradicted"), ("$26", "contradicted")]


def test_a_persons_word_outranks_what_was_read() -> None:
    assert fates(said("a", "$20", 0), said("me", "$26", 1, told=True)) == [("$20", "superseded"), ("$26", "current")]


def test_a_ruling_settles_until_someone_new_speaks_for_the_loser() -> None:
    parts = [said("a", "$4 million", 0), said("b", "$5 million", 0)]
    ruling = Ruling(value("$4 million"), (value("$5 million"),), day(5))
    assert fates(*parts, rulings=(ruling,)) == [("$4 million", "current"), ("$5 million", "archived")]
    assert {fate for _, fate in fates(*parts, said("c", "$5 million", 8), rulings=(ruling,))} == {"contradicted"}


def test_more_for_the_winner_leaves_a_ruling_alone() -> None:
    parts = [said("a", "$4 million", 0), said("b", "$5 million", 0), said("c", "$4 million", 8)]
    ruling = Ruling(value("$4 million"), (value("$5 million"),), day(5))
    assert ("$5 million", "archived") in fates(*parts, rulings=(ruling,))


def spell(what: str, **claim: Any) -> Spell:
    (one,) = reckon([said("a", what, 0, claim=claim)], NOW)
    return one


def test_kinds_of_values_are_looked_at_again_at_different_times() -> None:
    price, length = check_by(spell("$20")), check_by(spell("812 metres"))
    assert price is not None and length is not None and price < length


def test_what_says_its_own_end_is_looked_at_then() -> None:
    assert check_by(spell("$20", valid_to=day(30))) == day(30)


def test_what_is_of_a_past_period_needs_no_check() -> None:
    assert check_by(spell("$4 million", about="2025-01-01..2026-01-01")) is None


def test_what_changed_often_is_looked_at_sooner() -> None:
    often = check_by(spell("4.25%"), (day(-40), day(-20), day(0)))
    assert often == day(10)
