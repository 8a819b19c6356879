"""Packing what is in mind into a budget: pure, in order, with a receipt."""

import pytest

from beacon.llm.prices import estimate_tokens
from beacon.memory.packing import Item, Part, build_pack

LONG = "word " * 60


def part(name: str, *texts: str, **values: object) -> Part:
    kind = values.pop("kind", "dynamic")
    return Part(name, name.capitalize(), kind, tuple(Item(f"{name}{n}", text, n) for n, text in enumerate(texts)), **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", [50, 120, 300, 1000, 5000])
def test_a_pack_never_exceeds_its_budget(budget: int) -> None:
    parts = [
        part("who", "Name: Beacon", kind="fixed", must=True),
        part("memories", *[LONG] * 30),
        part("recent", *[LONG] * 30, kind="fixed", share=0.4),
    ]
    assert build_pack(parts, budget).tokens <= budget


def test_the_tokens_are_those_of_the_text() -> None:
    packed = build_pack([part("a", "one", "two"), part("b", "three")], 500)
    assert packed.tokens == estimate_tokens(packed.text)


def test_what_must_be_there_goes_in_before_everything_else() -> None:
    packed = build_pack([part("memories", *[LONG] * 20), part("directives", "Name: Beacon", must=True, kind="fixed")], 100)
    assert "Name: Beacon" in packed.text


def test_what_found_no_room_is_told_with_its_size() -> None:
    receipt = build_pack([part("memories", "short", LONG)], 40).parts[0]
    assert [item["ref"] for item in receipt["items"]] == ["memories0"]
    assert receipt["left_out"] == [{"ref": "memories1", "text": LONG[:160], "tokens": estimate_tokens(LONG) + 1, "why": "no room left"}]


def test_a_fixed_part_keeps_to_its_share_while_others_want_room() -> None:
    fixed = part("profile", *["fact " * 8] * 40, kind="fixed", share=0.2)
    packed = build_pack([fixed, part("memories", *["memo " * 8] * 40, share=0.8)], 1000)
    spent = {one["name"]: one["tokens"] for one in packed.parts}
    assert spent["profile"] <= 230 and spent["memories"] >= 700


def test_room_that_nobody_else_wants_is_used() -> None:
    assert len(build_pack([part("profile", *["fact " * 8] * 40, kind="fixed", share=0.1)], 2000).parts[0]["items"]) == 40


def test_recent_messages_have_no_gaps() -> None:
    newest_first = part("recent", "newest", LONG * 5, "older", kind="fixed", share=0.5)
    assert [item["ref"] for item in build_pack([newest_first], 200).parts[0]["items"]] == ["recent0"]


def test_items_stand_in_their_place_whatever_the_order_they_came_in() -> None:
    items = (Item("b", "second", 2), Item("a", "first", 1))
    assert build_pack([Part("recent", "Recent", "fixed", items)], 300).text == "## Recent\nfirst\nsecond"


def test_the_same_parts_give_the_same_pack() -> None:
    parts = [part("a", "x", LONG, "y"), part("b", *[LONG] * 3)]
    assert build_pack(parts, 400) == build_pack(parts, 400)
