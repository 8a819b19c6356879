"""The sample workspace, worked through once and looked at by many tests."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.clock import fixed_clock

CLOCK = fixed_clock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))


@pytest.fixture(scope="session")
def desk_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which the sample was run from end to end. Only to be read."""
    home = tmp_path_factory.mktemp("desk") / "home"
    beacon = open_beacon(home=str(home), clock=CLOCK)
    beacon.call("demo")
    beacon.close()
    return home


@pytest.fixture
def on_desk(desk_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample's data folder, which commands of this test use."""
    monkeypatch.setenv("BEACON_HOME", str(desk_home))
    return desk_home


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Beacon]]:
    """A function that opens Beacon over this test's empty data folder, or another; closed when the test ends."""
    made: list[Beacon] = []

    def make(**settings: Any) -> Beacon:
        made.append(open_beacon(**{"home": str(tmp_path / "home"), "clock": CLOCK, **settings}))
        return made[-1]

    yield make
    for beacon in made:
        beacon.close()
