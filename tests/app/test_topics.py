"""The topics page: the list, a new topic, one topic."""

import shutil
from pathlib import Path

import pytest

from beacon.settings import Settings
from beacon.ui import folders
from beacon.ui.parts.changes import fold
from beacon.ui.session import open_for
from tests.app.data_folders import HOSTILE, SLUG, opened_page, two_runs, words


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home") / "data"
    two_runs(home)
    return home


@pytest.fixture
def over_seeded(seeded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(seeded, copy)
    monkeypatch.setenv("BEACON_HOME", str(copy))


pytestmark = pytest.mark.usefixtures("over_seeded")


def test_the_list_names_topics_with_their_run_number() -> None:
    with opened_page("topics") as app:
        assert "Run #2" in words(app) and "1 source" in words(app)


def test_what_changed_stands_old_beside_new() -> None:
    with opened_page("topics", slug=SLUG) as app:
        shown = words(app)
    assert "What changed since" in shown and "red-background[**120**] people" in shown and "green-background[**340**] people" in shown


def test_the_kind_filter_leaves_only_its_kind() -> None:
    with opened_page("topics", slug=SLUG) as app:
        pills = next(one for one in app.button_group if one.key == "changes_2_kinds")
        pills.set_value(["new"]).run()
        shown = words(app)
    assert "second line" in shown and "120 people" not in shown


def test_the_first_run_can_be_looked_at_again() -> None:
    with opened_page("topics", slug=SLUG) as app:
        app.selectbox(key="changes_run_2").set_value(1).run()
        assert "The first run" in words(app)


def test_evidence_shows_both_sides() -> None:
    with opened_page("topics", slug=SLUG) as app:
        app.button(key="evidence_changes_2_1_0").click().run()
        shown = words(app)
    assert not app.exception and shown.count("Exact slice") == 2


def test_the_report_cites_by_marks_that_open() -> None:
    with opened_page("topics", slug=SLUG, view="Report") as app:
        assert "#cite-q" in words(app)


def test_history_lists_both_runs() -> None:
    with opened_page("topics", slug=SLUG, view="History") as app:
        assert "Run #1" in words(app) and "Run #2" in words(app)


def test_sources_can_be_filtered() -> None:
    with opened_page("topics", slug=SLUG, view="Sources") as app:
        app.text_input(key="sources_filter").set_value("nothing like it").run()
        assert "0 sources" in words(app)


def test_drafts_show_what_a_phase_wrote() -> None:
    with opened_page("topics", slug=SLUG, view="Drafts") as app:
        assert "characters" in words(app) and not app.exception


def test_editing_saves() -> None:
    with opened_page("topics", slug=SLUG, view="Edit") as app:
        next(box for box in app.text_area if box.label == "Guidelines").set_value("Numbers first.")
        next(button for button in app.button if button.label == "Save").click().run()
        assert open_for(Settings.load()).call("topic_show", slug=SLUG)["guidelines"] == ["Numbers first."]


def test_saving_without_a_change_leaves_the_schedule_alone() -> None:
    with opened_page("topics", slug=SLUG, view="Edit") as app:
        beacon = open_for(Settings.load())
        beacon.call("topic_set", slug=SLUG, every="mon 08:00")
        before = beacon.call("topic_show", slug=SLUG)["schedule"]["cron"]
        app.run()
        next(button for button in app.button if button.label == "Save").click().run()
        assert beacon.call("topic_show", slug=SLUG)["schedule"]["cron"] == before


def test_a_new_topic_is_made_and_opened(tmp_path: Path) -> None:
    with opened_page("topics", new="1") as app:
        app.text_input(key="topic_title").set_value("Wind farms")
        app.text_area(key="topic_new_folders").set_value(str(tmp_path))
        next(button for button in app.button if button.label == "Watch it").click().run()
        assert open_for(Settings.load()).call("topic_show", slug="wind-farms")["folders"] == [str(tmp_path)]


def test_a_wrong_folder_is_said_in_words() -> None:
    with opened_page("topics", new="1") as app:
        app.text_input(key="topic_title").set_value("Wind farms")
        app.text_area(key="topic_new_folders").set_value("/nowhere/at/all")
        next(button for button in app.button if button.label == "Watch it").click().run()
        assert app.error and not app.exception


def test_a_hostile_title_stays_text() -> None:
    with opened_page("topics") as app:
        open_for(Settings.load()).call("topic_add", title=HOSTILE)
        app.run()
        assert not app.exception and "<img" not in words(app).replace("\\<img", "")


def test_run_now_starts_a_run_and_shows_its_progress() -> None:
    with opened_page("topics", slug=SLUG) as app:
        app.button(key="run_now").click().run()
        assert "Browse" in words(app) and app.button(key="run_now").disabled


def test_a_gate_shows_its_plan_and_takes_an_answer() -> None:
    with opened_page("topics", slug=SLUG) as app:
        beacon = open_for(Settings.load())
        beacon.call("topic_set", slug=SLUG, gates=True)
        run = beacon.call("run_start", slug=SLUG)["run_id"]
        assert beacon.call("run_wait", run=run, timeout_s=60)["status"] == "waiting"
        app.run()
        assert "How many people work there?" in app.text_area(key="topic_0_plan").value
        app.text_area(key="topic_0_plan").set_value("Who pays for it?").run()
        app.button(key="topic_0_approve").click().run()
        assert beacon.call("gate_list", status="answered")[0]["answer"]["payload"]["research_plan"][0]["question"] == "Who pays for it?"


def test_an_unknown_topic_offers_the_list() -> None:
    with opened_page("topics", slug="nothing") as app:
        assert "There is no such topic" in words(app) and not app.exception


def test_search_shows_passages_with_receipts() -> None:
    with opened_page("search", q="employs people") as app:
        assert "people" in words(app) and "Score" in words(app)


def test_the_search_box_leads_to_the_results() -> None:
    with opened_page("home") as app:
        app.text_input(key="search_everything").set_value("Lund").run()
        assert "Passages for" in words(app)


def test_a_change_opens_in_the_page_files_not_beside_the_router() -> None:
    assert not (folders.MAIN.parent / "pages").exists()


def test_facts_are_drawn_with_how_long_they_held() -> None:
    with opened_page("topics", slug=SLUG, view="Facts") as app:
        facts = open_for(Settings.load()).call("memory_list", topic=SLUG, tier="semantic", status="all")
        shown = words(app)
    assert not app.exception and ("A bar runs from" in shown if any(one["subject"] for one in facts) else "No facts yet" in shown)


def test_two_runs_are_compared() -> None:
    with opened_page("topics", slug=SLUG, view="Compare") as app:
        assert "from Run" not in words(app)
        app.button(key="compare").click().run()
        assert "from Run #1 to Run #2" in words(app) and not app.exception


def test_a_source_filter_leaves_only_its_changes() -> None:
    with opened_page("topics", slug=SLUG) as app:
        box = app.selectbox(key="changes_2_source")
        box.set_value(_sources(SLUG)[0]).run()
        assert "340" in words(app)


def _sources(slug: str) -> list[str]:
    return [str(one["id"]) for one in open_for(Settings.load()).call("source_list", slug=slug)]


def test_parts_are_folded_under_the_change_that_leads() -> None:
    lead, part, other = ({"group": "g", "part": False}, {"group": "g", "part": True}, {"group": "", "part": False})
    assert fold([part, lead, other]) == [(lead, [part]), (other, [])]


def test_a_run_picked_in_the_timeline_is_shown() -> None:
    with opened_page("topics", slug=SLUG) as app:
        app.session_state["changes_run_2"] = 1
        app.run()
        assert "The first run" in words(app)
