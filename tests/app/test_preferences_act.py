"""Two readers, one run: what each prefers shows in the report and the answers they get, through the command line and without a model."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import open_beacon
from beacon.cli.main import run
from tests.app.data_folders import SLUG, two_runs

QUESTION = "How many people work at the plant in Lund?"
WANTS = {
    "ana": "- Verbosity: low\n- Layout: prose\n",
    "bo": "- Verbosity: high\n- Layout: bullet points\n- Citation style: footnotes\n- Frameworks: SWOT\n- Language: German\n",
}
Said = Callable[..., str]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose topic has run twice."""
    home = tmp_path_factory.mktemp("ran") / "home"
    two_runs(home)
    beacon = open_beacon(home=str(home))
    beacon.call("ingest_text", title="Town notes", text="The plant in Lund has a garden with old trees. The station is near.")
    beacon.close()
    return home


@pytest.fixture
def said(ran: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Said]:
    shutil.copytree(ran, os.environ["BEACON_HOME"])

    def call(*arguments: str) -> str:
        capsys.readouterr()
        code = run(list(arguments))
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed.out

    yield call


def prefer(said: Said, user: str, text: str) -> None:
    said("--user", user, "profile", "edit", "user_preferences", "--text", text)


def reports(said: Said) -> dict[str, str]:
    for user, text in WANTS.items():
        prefer(said, user, text)
    return {user: said("--user", user, "report", SLUG) for user in WANTS}


def test_two_readers_get_visibly_different_reports_of_the_same_run(said: Said) -> None:
    found = reports(said)
    assert "[^1]" in found["bo"] and "[^1]" not in found["ana"]
    assert "SWOT" in found["bo"] and "SWOT" not in found["ana"]
    assert "## Quellen" in found["bo"] and "## Sources" in found["ana"]
    assert "Was sich geändert hat seit" in found["bo"] and "What Changed Since" in found["ana"]


def test_both_reports_rest_on_the_same_quotes(said: Said) -> None:
    found = reports(said)
    assert all("340 people" in text for text in found.values())


def test_a_reader_without_preferences_gets_the_report_as_it_was_published(said: Said) -> None:
    assert said("--user", "new", "report", SLUG) == said("report", SLUG)


@pytest.mark.parametrize(
    ("wish", "sign"),
    [
        ("- Layout: bullet points\n", "- The plant in Lund employs 340 people"),
        ("Please use bullet points.\n", "- The plant in Lund employs 340 people"),
        ("- Citation style: footnotes\n", "Sources:\n[1] status"),
        ("- Citation style: inline with source URL\n", "employs 340 people. (status"),
        ("- Verbosity: high\n", "Further evidence:\n- "),
        ("- Verbosity: high\n- Sprache: Deutsch\n", "Weitere Belege:\n- "),
    ],
)
def test_an_answer_takes_the_readers_form_and_keeps_its_citation(said: Said, wish: str, sign: str) -> None:
    plain = said("--user", "new", "ask", QUESTION)
    prefer(said, "cy", wish)
    shaped = said("--user", "cy", "ask", QUESTION)
    assert sign in shaped and sign not in plain and "[1]" in shaped


def test_a_preference_said_in_chat_acts_on_the_next_answer(said: Said) -> None:
    said("--user", "dee", "ask", "Please use bullet points.")
    assert "- The plant in Lund employs 340 people" in said("--user", "dee", "ask", QUESTION)


def test_a_section_nobody_wants_is_left_out_of_the_next_report(said: Said) -> None:
    before = said("report", SLUG)
    prefer(said, "me", "- In reports, leave out the section “Where things stand”\n")
    assert "## Where things stand" in before and "## Where things stand" not in said("report", SLUG)


def test_a_finding_that_is_not_relevant_is_left_out(said: Said) -> None:
    prefer(said, "me", "- For “Lund plant”, not relevant: second line\n")
    assert "second line" not in said("report", SLUG)


def test_the_published_report_stays_at_hand(said: Said) -> None:
    first = said("report", SLUG)
    prefer(said, "me", WANTS["bo"])
    beacon = open_beacon()
    shown: dict[str, Any] = beacon.call("report_show", slug=SLUG, published=True)
    beacon.close()
    assert shown["markdown"].strip() == first.strip() and shown["as_published"]
