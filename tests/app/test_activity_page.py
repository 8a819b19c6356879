"""The activity page: the log, changes with their way back, schedules, and how Beacon is doing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.settings import Settings
from beacon.ui import activity_schedules
from beacon.ui.activity_health import heard
from beacon.ui.components.diff import changed_lines, fold, pair
from beacon.ui.session import open_for
from tests.app.data_folders import opened_page, words


@pytest.fixture
def desk() -> Iterator[Beacon]:
    beacon = open_beacon(home=os.environ["BEACON_HOME"])
    yield beacon
    beacon.close()


def _texts() -> list[str]:
    return [row["text"] for row in open_for(Settings.load()).call("memory_list")]


def test_an_empty_page_says_what_belongs_there() -> None:
    with opened_page("activity") as app:
        assert "Nothing was changed yet" in words(app)


def test_a_change_is_undone(desk: Beacon) -> None:
    made = desk.call("memory_add", text="The crane lifts 40 tonnes")
    with opened_page("activity") as app:
        app.button(key=f"undo_{made['changeset_id']}").click().run()
        assert _texts() == [] and "undone" in words(app)


def test_a_change_that_others_built_on_says_so_and_stays(desk: Beacon) -> None:
    made = desk.call("memory_add", text="The crane lifts 40 tonnes")
    desk.call("memory_edit", id=made["id"], text="The crane lifts 45 tonnes")
    with opened_page("activity") as app:
        app.button(key=f"undo_{made['changeset_id']}").click().run()
        assert "cannot be undone on its own" in app.warning[0].value
        assert _texts() == ["The crane lifts 45 tonnes"]


def test_the_log_is_filtered_by_type_and_words(desk: Beacon) -> None:
    desk.call("log_event", type="call_held", text="Spoke with the harbour")
    desk.call("log_event", type="note_taken", text="Spoke with nobody")
    with opened_page("activity", activity_tab="Log") as app:
        app.selectbox(key="log_type").set_value("call_held").run()
        assert list(app.dataframe[0].value["text"]) == ["Spoke with the harbour"]
        app.selectbox(key="log_type").set_value("").run()
        app.text_input(key="log_text").set_value("NOBODY").run()
        assert list(app.dataframe[0].value["text"]) == ["Spoke with nobody"]


def test_a_schedule_is_added_and_removed() -> None:
    with opened_page("activity", activity_tab="Schedules") as app:
        app.button_group(key="schedule_kind").set_value("consolidation").run()
        app.selectbox(key="schedule_every").set_value("daily 07:30").run()
        app.button(key="schedule_add").click().run()
        (schedule,) = open_for(Settings.load()).call("schedule_list")
        assert "daily at 07:30" in words(app)
        app.button(key=f"schedule_remove_{schedule['id']}").click().run()
        assert open_for(Settings.load()).call("schedule_list") == []


def test_a_schedule_that_cannot_be_read_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity_schedules, "EXAMPLES", ["now and then"])
    with opened_page("activity", activity_tab="Schedules") as app:
        app.button_group(key="schedule_kind").set_value("consolidation").run()
        app.button(key="schedule_add").click().run()
        assert app.error and not app.exception


def test_health_says_that_no_worker_answers_and_what_was_spent() -> None:
    with opened_page("activity", activity_tab="Health") as app:
        shown = words(app)
    assert "none answers" in shown and "$0.00" in shown and "nothing waits" in shown


def test_a_projection_that_is_down_is_said(desk: Beacon, tmp_path: Path) -> None:
    with desk.workspace.records.write() as tx:
        tx.projects.set_value("projection:vectors", {"problem": "Chroma does not answer"}, desk.workspace.clock())
    with opened_page("activity", activity_tab="Health") as app:
        assert "Search goes on by words" in words(app)


@pytest.mark.parametrize(("age_s", "expected"), [(3.2, "3 s ago"), (120, "2 min ago"), (7200, "2 h ago")])
def test_a_heartbeat_is_told_in_words(age_s: float, expected: str) -> None:
    assert heard(age_s) == expected


# Side by side


def test_what_was_removed_stands_beside_what_was_added() -> None:
    rows = pair(changed_lines("a\nb\nc", "a\nB\nB2\nc"))
    assert [(row["left"], row["right"]) for row in rows] == [("a", "a"), ("b", "B"), (None, "B2"), ("c", "c")]


def test_long_stretches_that_are_alike_are_folded() -> None:
    old = "\n".join(str(n) for n in range(20))
    assert fold(pair(changed_lines(old, f"{old}\nnew")))[0] == {"skip": 18}
