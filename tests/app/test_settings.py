"""The settings page."""

from pathlib import Path

import pytest

from beacon.settings import Settings
from beacon.ui.session import open_for
from tests.app.data_folders import opened_page, words


def test_the_project_state_is_edited_and_a_cleared_field_goes() -> None:
    with opened_page("settings") as app:
        app.text_area(key="state_icp").set_value("Small clinics")
        app.text_area(key="state_definitions").set_value("churn: left within a month")
        next(b for b in app.button if b.label == "Save").click().run()
        assert open_for(Settings.load()).call("get_project_state") == {
            "icp": "Small clinics",
            "definitions": {"churn": "left within a month"},
        }
        app.text_area(key="state_icp").set_value("")
        app.text_area(key="state_definitions").set_value("")
        next(b for b in app.button if b.label == "Save").click().run()
        assert open_for(Settings.load()).call("get_project_state") == {"definitions": {}}


def test_trusted_people_and_goals_are_kept() -> None:
    with opened_page("settings", part="You") as app:
        app.text_area(key="trusted_people").set_value("Ada\nGrace")
        next(b for b in app.button if b.label == "Save").click().run()
        assert open_for(Settings.load()).call("get_user_settings")["trusted_people"] == ["Ada", "Grace"]


def test_a_key_is_said_to_be_present_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    with opened_page("settings", part="Models") as app:
        shown = words(app)
    assert "Key present" in shown and "very-secret" not in shown


def test_model_names_and_budgets_are_kept_in_the_file_and_no_key_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with opened_page("settings", part="Models") as app:
        app.text_input(key="strong_model").set_value("gpt-6-astra")
        app.number_input(key="day_budget_usd").set_value(3.5)
        next(b for b in app.button if b.label == "Save").click().run()
    settings = Settings.load()
    assert (settings.strong_model, settings.day_budget_usd) == ("gpt-6-astra", 3.5)
    assert "very-secret" not in (settings.home / "settings.toml").read_text()


def test_without_a_key_one_line_says_what_works_and_what_a_key_adds() -> None:
    with opened_page("settings", part="Models") as app:
        assert [info.value for info in app.info if "Everything works offline" in info.value]


def test_a_provider_that_does_not_answer_is_said_when_it_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEACON_LOCAL_BASE_URL", "http://127.0.0.1:9/v1")
    with opened_page("settings", part="Models") as app:
        app.button(key="test_local").click().run()
        assert "did not answer" in words(app)


def test_search_engines_are_chosen_on_the_page() -> None:
    with opened_page("settings", part="Web") as app:
        app.multiselect(key="search_engines").set_value(["wikipedia", "arxiv"])
        next(b for b in app.button if b.label == "Save").click().run()
    assert Settings.load().search == "wikipedia,arxiv"


def test_the_half_life_is_kept() -> None:
    with opened_page("settings", part="Memory") as app:
        app.number_input(key="half_life").set_value(12.0)
        next(b for b in app.button if b.label == "Save").click().run()
        assert open_for(Settings.load()).call("get_user_settings")["half_life_days"] == 12.0


def test_health_says_that_no_worker_is_there() -> None:
    with opened_page("settings", part="Health") as app:
        assert "runs wait until one starts" in words(app)


def test_verify_shows_every_check() -> None:
    with opened_page("settings", part="Health") as app:
        app.button(key="verify").click().run()
        assert "All is well" in words(app)


def test_a_backup_is_written_into_the_data_folder() -> None:
    with opened_page("settings", part="Backup") as app:
        app.button(key="backup").click().run()
        assert not app.error
        assert list((Path(Settings.load().home) / "backups").glob("*.tar.gz"))


def test_a_new_workspace_is_opened() -> None:
    with opened_page("settings") as app:
        app.text_input(key="workspace_name").set_value("atlas")
        next(b for b in app.button if b.label == "Add a workspace").click().run()
        assert "atlas" in words(app) and not app.exception


def test_one_workspace_and_another_are_switched_in_the_sidebar() -> None:
    with opened_page("settings") as app:
        app.text_input(key="workspace_name").set_value("atlas")
        next(b for b in app.button if b.label == "Add a workspace").click().run()
        app.selectbox(key="workspace_choice").set_value("default").run()
        assert "Workspace **default**" in words(app)
        app.selectbox(key="workspace_choice").set_value("atlas").run()
        assert "Workspace **atlas**" in words(app)
