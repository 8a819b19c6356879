"""The home page's feed knows what is new since its reader last looked."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.tools.health import LOOK_PAUSE, collect_feed

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def beacon(tmp_path: Path, clock: Clock) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home", clock=clock)
    yield opened
    opened.close()


def since(beacon: Beacon) -> str | None:
    found: str | None = collect_feed(beacon.workspace, 5, mark=True)["since"]
    return found


def test_the_first_look_has_nothing_before_it(beacon: Beacon) -> None:
    assert since(beacon) is None


def test_coming_back_after_a_pause_counts_from_the_look_before(beacon: Beacon, clock: Clock) -> None:
    since(beacon)
    clock.at += LOOK_PAUSE + timedelta(minutes=1)
    assert since(beacon) == START.isoformat()


def test_reloading_the_page_keeps_what_is_new(beacon: Beacon, clock: Clock) -> None:
    since(beacon)
    clock.at += timedelta(hours=5)
    since(beacon)
    clock.at += timedelta(minutes=5)
    assert since(beacon) == START.isoformat()
