"""Every setting: where it comes from, which source wins, and what is refused."""

import os
from pathlib import Path

import pytest

from beacon.errors import InputError, StorageError
from beacon.settings import SECRET_NAMES, Settings


def load(home: Path, environ: dict[str, str] | None = None, file: str | None = None, **overrides: object) -> Settings:
    if file is not None:
        home.mkdir(exist_ok=True)
        (home / "settings.toml").write_text(file, encoding="utf-8")
    return Settings.load({"BEACON_HOME": str(home), **(environ or {})}, **overrides)


def test_without_anything_set_the_records_are_in_the_data_folder(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert (settings.records_url, settings.is_sqlite, settings.project) == (f"sqlite:///{tmp_path}/beacon.sqlite", True, "default")


def test_the_file_wins_over_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, file='project = "desk"').project == "desk"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    assert load(tmp_path, {"BEACON_PROJECT": "env"}, 'project = "file"').project == "env"


def test_what_the_caller_says_wins_over_the_environment(tmp_path: Path) -> None:
    assert load(tmp_path, {"BEACON_PROJECT": "env"}, project="said").project == "said"


def test_an_empty_variable_is_as_good_as_none(tmp_path: Path) -> None:
    assert load(tmp_path, {"BEACON_PROJECT": ""}, 'project = "file"').project == "file"


def test_keys_are_read_under_the_names_their_makers_gave_them(tmp_path: Path) -> None:
    settings = load(tmp_path, {"ANTHROPIC_API_KEY": "k1", "OPENAI_API_KEY": "k2"})
    assert (settings.anthropic_api_key.get_secret_value(), settings.openai_api_key.get_secret_value()) == ("k1", "k2")


def test_secrets_do_not_show_when_settings_are_printed(tmp_path: Path) -> None:
    settings = load(tmp_path, {"ANTHROPIC_API_KEY": "s3cret", "BEACON_NEO4J_PASSWORD": "s3cret", "BEACON_CHROMA_TOKEN": "s3cret"})
    assert "s3cret" not in repr(settings) + str(settings) + settings.model_dump_json()


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_secret_in_the_file_is_refused_without_being_shown(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"'{name}'.*environment variable") as caught:
        load(tmp_path, file=f'{name} = "s3cret"')
    assert "s3cret" not in caught.value.message


@pytest.mark.parametrize(
    ("environ", "file", "named"),
    [
        ({"BEACON_PORT": "eighty"}, None, "port"),
        ({"BEACON_PORT": "0"}, None, "port"),
        ({"BEACON_RUN_BUDGET_USD": "-1"}, None, "run_budget_usd"),
        ({}, 'colour = "amber"', "colour"),
        ({}, "project = ", "settings.toml"),
        ({}, "fetch_timeout_s = 0", "fetch_timeout_s"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, environ: dict[str, str], file: str | None, named: str) -> None:
    with pytest.raises(InputError, match=named):
        load(tmp_path, environ, file)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b'project = "\xff"')
    with pytest.raises(InputError, match=r"settings\.toml"):
        load(tmp_path)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_any_way_to_write_a_postgresql_url_names_the_driver(tmp_path: Path, scheme: str) -> None:
    settings = load(tmp_path, {"BEACON_DATABASE_URL": f"{scheme}://u@h/d"})
    assert (settings.records_url, settings.is_sqlite) == ("postgresql+psycopg://u@h/d", False)


@pytest.mark.parametrize("url", ["mysql://u@h/d", "nonsense", "http://h"])
def test_a_database_that_is_not_supported_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match="database_url"):
        load(tmp_path, {"BEACON_DATABASE_URL": url})


@pytest.mark.parametrize(("name", "value"), [("timezone", "Moon/Crater"), ("embedder", "magic"), ("provider", "oracle")])
def test_a_choice_that_does_not_exist_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(InputError, match=name):
        load(tmp_path, {f"BEACON_{name.upper()}": value})


def test_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    settings = load(tmp_path / "new" / "home")
    settings.make_home()
    assert settings.home.stat().st_mode & 0o077 == 0


def test_a_data_folder_that_is_a_file_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="cannot be written"):
        load(tmp_path / "file").make_home()


def test_a_tilde_in_the_data_folder_is_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Settings.load({"BEACON_HOME": "~/desk"}).home == tmp_path.resolve() / "desk"


def test_the_process_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEACON_USER", "ana")
    assert (Settings.load().user, Settings.load().home) == ("ana", Path(os.environ["BEACON_HOME"]).resolve())
