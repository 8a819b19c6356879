"""The home page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from beacon.ui.parts import sample
from tests.app.data_folders import opened_page, two_runs, words


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home") / "data"
    two_runs(home)
    return home


@pytest.fixture
def over_seeded(seeded: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("BEACON_HOME", str(seeded))
    yield


def test_an_empty_home_offers_the_sample_and_a_topic() -> None:
    with opened_page("home") as app:
        assert [button.label for button in app.button if button.label in ("Try the sample", "Watch a topic")] == [
            "Try the sample",
            "Watch a topic",
        ]


def test_trying_the_sample_starts_it_and_shows_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(sample, "start", lambda: started.append(True))
    with opened_page("home") as app:
        app.button(key="try_sample").click().run()
    assert started == [True]


@pytest.mark.usefixtures("over_seeded")
def test_home_shows_what_changed_with_old_and_new() -> None:
    with opened_page("home") as app:
        shown = words(app)
    assert "120 people" in shown and "340 people" in shown


@pytest.mark.usefixtures("over_seeded")
def test_home_names_the_run_a_change_is_of() -> None:
    with opened_page("home") as app:
        assert "Run \\#2" in words(app) or "Run #2" in words(app)


@pytest.mark.usefixtures("over_seeded")
def test_home_opens_the_evidence_of_a_change() -> None:
    with opened_page("home") as app:
        app.button(key="row_evidence_home_0").click().run()
        assert not app.exception and "Exact slice" in words(app)
