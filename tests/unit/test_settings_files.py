"""Keys from .env and secrets.toml, and what the settings page may write."""

import os
from pathlib import Path

import pytest

from beacon.errors import InputError
from beacon.settings import EDITABLE, SECRET_NAMES, Settings, write_settings


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with .env and .streamlit/secrets.toml, in the order Beacon asks them."""
    (tmp_path / ".streamlit").mkdir()
    names = [tmp_path / ".env", tmp_path / ".streamlit" / "secrets.toml"]
    monkeypatch.setenv("BEACON_ENV_FILES", os.pathsep.join(map(str, names)))
    return tmp_path


def key(name: str = "anthropic") -> str:
    found: str = getattr(Settings.load(), f"{name}_api_key").get_secret_value()
    return found


@pytest.mark.parametrize(
    "line",
    [
        "ANTHROPIC_API_KEY=k-1",
        "export ANTHROPIC_API_KEY = 'k-1'",
        'ANTHROPIC_API_KEY="k-1"  # mine',
        "\ufeff# keys\nANTHROPIC_API_KEY=k-1 # mine\nnonsense line\n",
    ],
)
def test_a_key_is_read_from_env_files_as_shells_write_them(files: Path, line: str) -> None:
    (files / ".env").write_text(line, encoding="utf-8")
    assert key() == "k-1"


def test_a_key_is_read_from_streamlits_secrets(files: Path) -> None:
    (files / ".streamlit" / "secrets.toml").write_text('OPENAI_API_KEY = "k-2"\n[other]\nx = 1\n')
    assert key("openai") == "k-2"


def test_the_environment_wins_over_env_and_env_over_the_secrets(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / ".env").write_text("ANTHROPIC_API_KEY=env\nOPENAI_API_KEY=env\n")
    (files / ".streamlit" / "secrets.toml").write_text('ANTHROPIC_API_KEY = "secrets"\nBRAVE_API_KEY = "secrets"\n')
    monkeypatch.setenv("ANTHROPIC_API_KEY", "given")
    assert (key("anthropic"), key("openai"), key("brave")) == ("given", "env", "secrets")


def test_googles_other_name_for_its_key_is_known(files: Path) -> None:
    (files / ".env").write_text("GOOGLE_API_KEY=k-3\n")
    assert key("gemini") == "k-3"


def test_other_variables_of_the_files_are_left_alone(files: Path) -> None:
    (files / ".env").write_text("PATH=/nowhere\nBEACON_PORT=9000\n")
    assert Settings.load().port == 9000 and os.environ["PATH"] != "/nowhere"


def test_a_file_that_is_no_toml_is_named(files: Path) -> None:
    (files / ".streamlit" / "secrets.toml").write_text("x = ")
    with pytest.raises(InputError, match=r"secrets\.toml"):
        Settings.load()


def test_what_is_written_is_read_again_and_the_other_lines_stay(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path)
    (tmp_path / "settings.toml").write_text('# mine\nport = 8600\nprovider = "none"\n')
    write_settings(settings, {"provider": "openai", "strong_model": 'a "b" \\ ü', "day_budget_tokens": 500, "run_budget_usd": 0.25})
    found = Settings.load({}, home=tmp_path)
    assert (found.provider, found.strong_model, found.day_budget_tokens, found.run_budget_usd, found.port) == (
        "openai", 'a "b" \\ ü', 500, 0.25, 8600,
    )  # fmt: skip
    assert "# mine" in (tmp_path / "settings.toml").read_text()


def test_none_takes_a_setting_out(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path)
    write_settings(settings, {"strong_model": "x"})
    write_settings(settings, {"strong_model": None})
    assert Settings.load({}, home=tmp_path).strong_model == ""


def test_a_running_beacon_takes_up_what_was_written(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path, project="desk")
    write_settings(settings, {"fast_model": "quick"})
    assert (settings.refreshed().fast_model, settings.refreshed().project) == ("quick", "desk")


def test_what_a_program_said_itself_is_not_changed_by_the_file(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path, provider="none")
    write_settings(settings, {"provider": "openai", "fast_model": "quick"})
    assert (settings.refreshed().provider, settings.refreshed().fast_model) == ("none", "quick")


@pytest.mark.parametrize(
    ("values", "named"),
    [({"provider": "acme"}, "provider"), ({"run_budget_usd": -1}, "run_budget_usd"), ({"day_budget_tokens": "many"}, "day_budget_tokens")],
)
def test_a_value_that_cannot_be_used_is_not_written(tmp_path: Path, values: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        write_settings(Settings.load(home=tmp_path), values)
    assert not (tmp_path / "settings.toml").exists()


@pytest.mark.parametrize("name", [*SECRET_NAMES, "database_url", "host"])
def test_no_secret_and_nothing_of_the_deployment_can_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="variable"):
        write_settings(Settings.load(home=tmp_path), {name: "x"})


def test_what_may_be_written_holds_no_secret() -> None:
    assert not set(EDITABLE) & set(SECRET_NAMES)
