"""The servers that tests run against: PostgreSQL, Neo4j and a browser, each on loopback, in a folder of its own, gone with the tests.

`tests/servers/install` puts them on the machine.
"""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

HERE = Path(__file__).parent
NEO4J_LIB = Path(os.environ.get("NEO4J_LIB") or Path.home() / ".cache/beacon-neo4j/5.26.0")
POSTGRES_START_S = 60.0
NEO4J_START_S = 110.0
STOP_S = 30.0
POLL_S = 0.05

NEO4J_CONF = """\
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.memory.pagecache.size=64m
dbms.security.auth_enabled=false
dbms.usage_report.enabled=false
"""

# A browser under test: no sandbox where root runs it, and no address but this machine's.
CHROMIUM_ARGS = (
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
)


class ServerMissing(Exception):
    """The server is not installed; the message says what is missing."""


class ServerFailed(Exception):
    """The server is installed and did not start; the message ends with its log."""


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def chromium() -> str:
    """The path of a Chromium. Raises ServerMissing."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    raise ServerMissing("Chromium is not installed")


class Postgres:
    """One PostgreSQL server; every database asked of it is new and empty."""

    def __init__(self, port: int) -> None:
        self.address = f"postgresql://beacon@127.0.0.1:{port}"
        self._numbers = count(1)

    def make_database(self, template: str = "template1") -> str:
        """The URL of a new database, a copy of `template`."""
        name = f"test{next(self._numbers)}"
        self._do(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return f"{self.address}/{name}"

    def drop_database(self, url: str) -> None:
        """The database is gone, and so is every connection to it."""
        self._do(f'DROP DATABASE IF EXISTS "{url.rsplit("/", 1)[1]}" WITH (FORCE)')

    def _do(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(f"{self.address}/postgres", autocommit=True) as connection:
            connection.execute(statement)


class Neo4j:
    """One Neo4j server without authentication."""

    def __init__(self, port: int) -> None:
        self.url = f"bolt://127.0.0.1:{port}"

    def wipe(self) -> None:
        """No node and no relationship is left; constraints and indexes stay."""
        import neo4j

        with neo4j.GraphDatabase.driver(self.url) as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server with a cluster of its own. Raises ServerMissing, ServerFailed."""
    binaries, user, port = _postgres_binaries(), _postgres_user(), free_port()
    folder = _folder("postgres", user)
    data = str(folder / "data")
    initdb = [f"{binaries}/initdb", "-D", data, "-U", "beacon", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"]
    if sys.platform == "linux":
        initdb.append("--locale=C.UTF-8")
    made = subprocess.run(initdb, cwd=folder, user=user, capture_output=True, text=True)
    if made.returncode != 0:
        shutil.rmtree(folder)
        raise ServerFailed(f"initdb failed: {made.stderr}")
    # Nobody needs these data after the tests, so nothing waits for the disk.
    settings = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200", "unix_socket_directories=")
    options = [part for setting in settings for part in ("-c", setting)]
    command = [f"{binaries}/postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), *options]
    with _kept(folder, command, user, signal.SIGINT, "ready to accept connections", POSTGRES_START_S):
        yield Postgres(port)


@contextmanager
def neo4j() -> Iterator[Neo4j]:
    """A Neo4j server with a store of its own; takes 10 to 20 seconds to start. Raises ServerMissing, ServerFailed."""
    # The server is one source file, which a full JDK compiles and runs and a JRE does not.
    if shutil.which("javac") is None or not (NEO4J_LIB / ".complete").exists():
        raise ServerMissing("Neo4j or a JDK is not installed")
    port, folder = free_port(), _folder("neo4j", None)
    packages = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent", "java.lang")
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in packages]
    (folder / "neo4j.conf").write_text(NEO4J_CONF.format(port=port))
    command = [
        "java",
        "-Xmx768m",
        "-XX:TieredStopAtLevel=1",
        *opens,
        "-cp",
        f"{NEO4J_LIB}/*",
        str(HERE / "neo4j/Neo4jServer.java"),
        str(folder),
    ]
    with _kept(folder, command, None, signal.SIGKILL, "ready\n", NEO4J_START_S):
        yield Neo4j(port)


def _postgres_binaries() -> str:
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(Path(path).parts[4]))
    path = found[-1] if found else shutil.which("initdb")
    if path is None:
        raise ServerMissing("PostgreSQL is not installed")
    return str(Path(path).parent)


def _postgres_user() -> str | None:
    """Who runs PostgreSQL, which refuses root; None is whoever runs the tests."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _folder(server: str, owner: str | None) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"beacon-test-{server}-"))
    if owner is not None:
        shutil.chown(folder, owner)
    return folder


@contextmanager
def _kept(folder: Path, command: list[str], user: str | None, stop: signal.Signals, ready: str, patience_s: float) -> Iterator[None]:
    """The command runs under a keeper that ends it and removes `folder`, also when this process is killed."""
    keeper_command = [sys.executable, "-I", str(HERE / "keeper.py"), str(folder), user or "", str(int(stop)), *command]
    with tempfile.TemporaryFile() as log:
        keeper = subprocess.Popen(keeper_command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
        assert keeper.stdin is not None
        try:
            _wait_for(ready, keeper, log, patience_s)
            yield
        finally:
            keeper.stdin.close()
            keeper.wait(STOP_S)


def _wait_for(ready: str, keeper: "subprocess.Popen[bytes]", log: IO[bytes], patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while True:
        text = os.pread(log.fileno(), 1_000_000, 0).decode(errors="replace")
        if ready in text:
            return
        if keeper.poll() is not None or time.monotonic() > deadline:
            raise ServerFailed(f"the server did not start within {patience_s:.0f} s:\n{text[-4000:]}")
        time.sleep(POLL_S)
