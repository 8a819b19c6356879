"""What every test starts from: a clean environment, no network, a data folder of its own, and the servers on request."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NoReturn, TypeVar

import pytest

from tests import servers
from tests.servers.netguard import loopback_only

Server = TypeVar("Server")

NETGUARD = Path(loopback_only.__file__).parent
SERVERS_REQUIRED = os.environ.get("BEACON_TEST_SERVERS") == "required"
_KEYS = ("ANTHROPIC_", "OPENAI_", "GEMINI_", "GOOGLE_", "SERPAPI_", "TAVILY_", "BRAVE_")
_FOREIGN = (*_KEYS, "BEACON_", "STREAMLIT_", "DBOS_", "CHROMA_", "NEO4J_", "PG")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
# For whatever runs outside a single test; removed when the interpreter ends.
_SESSION_HOME = tempfile.TemporaryDirectory(prefix="beacon-test-home-", ignore_cleanup_errors=True)


def _scrub() -> None:
    """No key, setting or proxy of whoever runs the tests is left; every child process gets the network guard."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name.lower() in _PROXIES:
            del os.environ[name]
    os.environ["BEACON_HOME"] = _SESSION_HOME.name
    os.environ["BEACON_ENV_FILES"] = ""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(NETGUARD), os.environ.get("PYTHONPATH")]))


_scrub()
loopback_only.install()


@pytest.fixture(autouse=True)
def _beacon_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEACON_HOME", str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def _stays_on_this_machine() -> Iterator[None]:
    loopback_only.attempts.clear()
    yield
    tried = list(loopback_only.attempts)
    assert not tried, f"the test tried to reach {', '.join(tried)}"


def _missing(error: servers.ServerMissing) -> NoReturn:
    advice = f"{error}: run `make servers`"
    if SERVERS_REQUIRED:
        pytest.fail(advice, pytrace=False)
    pytest.skip(advice)


@contextmanager
def _required(server: AbstractContextManager[Server]) -> Iterator[Server]:
    """The started server. A missing one skips the test, or fails it where servers are required."""
    try:
        started = server.__enter__()
    except servers.ServerMissing as error:
        _missing(error)
    try:
        yield started
    finally:
        server.__exit__(None, None, None)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[servers.Postgres]:
    """A PostgreSQL server for all tests."""
    with _required(servers.postgres()) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: servers.Postgres) -> Iterator[str]:
    """The URL of a new, empty database."""
    url = postgres_server.make_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def records_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty record store, once on each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'records.sqlite'}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[servers.Neo4j]:
    """A Neo4j server for all tests."""
    with _required(servers.neo4j()) as server:
        yield server


@pytest.fixture
def neo4j_url(neo4j_server: servers.Neo4j) -> str:
    """The URL of a Neo4j that holds nothing and asks for no password."""
    neo4j_server.wipe()
    return neo4j_server.url


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; start it with `tests.servers.CHROMIUM_ARGS`."""
    try:
        return servers.chromium()
    except servers.ServerMissing as error:
        _missing(error)
