"""Changes as they are kept: nothing of a change is lost on the way."""

from dataclasses import replace

from beacon.domain.change import Change, ChangeSide, SourceRef
from beacon.runs.changes import change_from_row, change_rows
from beacon.tools.runs import change_json

WAS = ChangeSide("Fare: $12", "Fare: $12", SourceRef("src_1", "https://ferry.example/fares", "Fares", "2026-04-01", 0, 9, "ver_1"))
NOW = ChangeSide("Fare: $15", "Fare: $15", SourceRef("src_1", "https://ferry.example/fares", "Fares", "2026-05-01", 0, 9, "ver_2"))
RISE = Change(
    "changed", NOW, WAS, "the ferry", "fare", "12 $", "15 $", 0.8, {"value": 0.8}, "The value differs", "", "grp_1", True
)  # fmt: skip


def test_a_kept_change_is_what_it_was() -> None:
    row = change_rows([RISE], "run_1")[0]
    assert change_from_row(row) == replace(RISE, id=row["id"])


def test_a_printed_change_names_its_group_and_values() -> None:
    shown = change_json(change_rows([RISE], "run_1")[0])
    assert (shown["group"], shown["part"], shown["old_value"], shown["new_value"]) == ("grp_1", True, "12 $", "15 $")


def test_what_is_gone_has_no_new_value() -> None:
    gone = replace(RISE, kind="retracted", new=None, new_value="")
    assert change_json(change_rows([gone], "run_1")[0])["new_value"] == ""
