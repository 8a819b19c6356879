"""Records side by side: entries and rows are found again by what identifies them, and one change is one item."""

import json

from beacon.analyst.compare import compare_versions
from beacon.analyst.statements import extract_statements
from beacon.domain.change import StatementChange
from beacon.ingest.parse import parse_bytes


def _changes(old: str, new: str, name: str) -> list[StatementChange]:
    docs = [parse_bytes(text.encode(), name=name) for text in (old, new)]
    return compare_versions(*(extract_statements(doc.text, doc.blocks) for doc in docs), mode="version")


def _json(old: object, new: object) -> list[StatementChange]:
    return _changes(json.dumps(old), json.dumps(new), "a.json")


def _table(*rows: str, head: str = "Ship | Berth | Fee | State") -> str:
    return "\n".join(f"| {line} |" for line in (head, "---|---|---|---", *rows))


SHIPS = ("Aurora | 4 | 100 | moored", "Boreas | 5 | 120 | moored", "Corvus | 6 | 130 | at sea")
ENTRIES = [
    {"id": "E-1", "title": "Gate stuck", "score": 4.0, "status": {"open": ["north"], "closed": ["south"]}},
    {"id": "E-2", "title": "Lamp out", "score": 7.5, "status": {"open": ["east"], "closed": []}},
]


def test_an_entry_put_in_front_shifts_nothing() -> None:
    (change,) = _json(ENTRIES, [{"id": "E-0", "title": "Bell lost", "score": 2.0}, *ENTRIES])
    assert (change.kind, change.subject) == ("new", "E-0 Bell lost")


def test_an_entry_that_came_is_one_change_whose_quote_is_its_lines() -> None:
    (change,) = _json(ENTRIES, [*ENTRIES, {"id": "E-3", "title": "Bell lost", "score": 2.0}])
    assert change.new is not None and change.new.text.split("\n") == ["2.id: E-3", "2.title: Bell lost", "2.score: 2.0"]


def test_values_of_one_entry_share_a_group_that_one_leads() -> None:
    changed = [{**ENTRIES[0], "score": 9.8, "title": "Gate stuck again"}, ENTRIES[1]]
    found = _json(ENTRIES, changed)
    assert [(change.attribute, change.part) for change in found] == [("score", False), ("title", True)]
    assert len({change.group for change in found}) == 1


def test_a_value_that_went_to_another_list_is_one_change_of_state() -> None:
    moved = [{**ENTRIES[0], "status": {"open": [], "closed": ["south", "north"]}}, ENTRIES[1]]
    (change,) = _json(ENTRIES, moved)
    assert (change.kind, change.old_value, change.new_value) == ("changed", "open", "closed")


def test_entries_in_another_order_change_nothing() -> None:
    assert _json(ENTRIES, ENTRIES[::-1]) == []


def test_the_moment_of_saving_is_no_change() -> None:
    assert _json({"a": "x", "last_updated": "2031-01-01"}, {"a": "x", "last_updated": "2031-02-01"}) == []


def test_a_row_that_differs_is_one_change_under_its_columns_name() -> None:
    (change,) = _changes(_table(*SHIPS), _table(SHIPS[0], "Boreas | 5 | 120 | scrapped", SHIPS[2]), "a.md")
    assert (change.subject, change.attribute, change.old_value, change.new_value) == ("Boreas", "State", "moored", "scrapped")


def test_rows_and_columns_in_another_order_change_nothing() -> None:
    turned = _table(*("{1} | {0} | {3} | {2}".format(*row.split(" | ")) for row in SHIPS[::-1]), head="Berth | Ship | State | Fee")
    assert _changes(_table(*SHIPS), turned, "a.md") == []


def test_a_column_that_comes_changes_no_row() -> None:
    rows = [f"{row} | {at}" for at, row in enumerate(("red", "blue", "green"))]
    wider = "\n".join(
        ["| Ship | Flag | Year |", "|---|---|---|", *(f"| Ship{at} | {row.split(' | ')[0]} | 19{at}0 |" for at, row in enumerate(rows * 3))]
    )
    plain = "\n".join(["| Ship | Flag |", "|---|---|", *(f"| Ship{at} | {row.split(' | ')[0]} |" for at, row in enumerate(rows * 3))])
    (change,) = _changes(plain, wider, "a.md")
    assert (change.kind, change.attribute) == ("new", "Year")


def test_a_column_under_another_name_hides_no_change_in_it() -> None:
    renamed = _table(SHIPS[0], SHIPS[1], "Corvus | 6 | 170 | at sea", head="Ship | Berth | Harbour dues | State")
    (change,) = _changes(_table(*SHIPS), renamed, "a.md")
    assert (change.attribute, change.old_value, change.new_value) == ("Harbour dues", "130", "170")


def test_numbered_rows_are_not_told_by_their_number() -> None:
    old = _table(*(f"{n} | {row}" for n, row in enumerate(SHIPS, 1)), head="No | Ship | Berth | Fee | State").replace(
        "---|---|---|---", "---|---|---|---|---"
    )
    rows = ["1 | Dorado | 9 | 90 | moored", *(f"{n} | {row}" for n, row in enumerate(SHIPS, 2))]
    new = _table(*rows, head="No | Ship | Berth | Fee | State").replace("---|---|---|---", "---|---|---|---|---")
    (change,) = _changes(old, new, "a.md")
    assert change.kind == "new" and change.new is not None and "Dorado" in change.new.text


def test_one_wording_replaced_everywhere_is_led_by_one() -> None:
    old = " ".join(f"The {name} crew mainly uses the quay near tower {name}." for name in ("north", "south", "east", "west"))
    found = _changes(old, old.replace("mainly", "chiefly"), "a.txt")
    assert [change.part for change in found] == [False, True, True, True]


def test_a_duty_that_was_advice_outranks_a_swap_of_manner() -> None:
    old = "Every pilot should carry a radio. The office usually opens the gate for visitors."
    new = "Every pilot must carry a radio. The office customarily opens the gate for visitors."
    first, *_ = _changes(old, new, "a.txt")
    assert first.new is not None and "must" in first.new.text


def test_an_exception_added_outranks_a_swap_of_manner() -> None:
    old = "The pass is valid on all ferries. The office usually opens the gate for visitors."
    new = "The pass is valid on all ferries, except at night. The office customarily opens the gate for visitors."
    first, *_ = _changes(old, new, "a.txt")
    assert first.new is not None and "except" in first.new.text


def test_a_new_section_is_led_by_one_statement() -> None:
    old = "# Fees\n\nAll ships pay ten euros a day.\n"
    new = f"{old}\n# Noise\n\nEngines must rest from ten at night. Horns are for danger only. The keeper may fine a crew.\n"
    assert [change.part for change in _changes(old, new, "a.md")] == [False, True, True]


def test_a_counter_in_every_record_is_no_news_of_any() -> None:
    old = [{"name": f"pack-{n}", "version": f"{n}.0", "loads": 100 + n} for n in range(12)]
    new = [{**one, "loads": one["loads"] * 2} for one in old]  # type: ignore[operator]
    new[4] = {**new[4], "version": "4.1"}
    found = _json(old, new)
    assert [change.attribute for change in found if change.materiality >= 0.3 and not change.part].count("loads") == 1


def test_a_table_told_as_a_list_says_the_same() -> None:
    table = _table(*SHIPS)
    told = "\n".join("- Ship: {}; Berth: {}; Fee: {}; State: {}".format(*row.split(" | ")) for row in SHIPS)
    assert _changes(table, told, "a.md") == []


def test_a_name_with_another_number_in_it_is_the_same_row() -> None:
    old = "| Ticket | Day | Week |\n|---|---|---|\n| Adult | 9 | 30 |\n| Child from 6 to 15 | 5 | 20 |\n"
    (change,) = _changes(old, old.replace("15", "17"), "a.md")
    assert (change.kind, change.old_value, change.new_value) == ("changed", "Child from 6 to 15", "Child from 6 to 17")


def test_another_day_of_the_week_matters() -> None:
    old = "The market is held on Thursday in the old yard. The gate usually opens at nine."
    new = "The market is held on Friday in the old yard. The gate normally opens at nine."
    first, *_ = _changes(old, new, "a.txt")
    assert first.new is not None and "Friday" in first.new.text


def test_a_narrower_noun_outranks_a_swap_of_manner() -> None:
    old = "Damage by a collision with animals is covered by the policy. The office usually answers all letters."
    new = "Damage by a collision with wild animals is covered by the policy. The office customarily answers all letters."
    first, *_ = _changes(old, new, "a.txt")
    assert first.new is not None and "wild" in first.new.text
