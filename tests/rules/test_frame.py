"""The frame the other tests stand on."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tests import servers
from tests.servers.netguard import loopback_only

OUTSIDE = "192.0.2.1"  # TEST-NET-1 (RFC 5737): nobody is there


def test_connecting_outside_raises() -> None:
    with socket.socket() as client, pytest.raises(loopback_only.NetworkReached, match=OUTSIDE):
        client.connect((OUTSIDE, 80))
    loopback_only.attempts.clear()


def test_looking_up_a_foreign_name_raises() -> None:
    with pytest.raises(loopback_only.NetworkReached, match="example"):
        socket.getaddrinfo("example.org", 443)
    loopback_only.attempts.clear()


def test_sending_a_datagram_outside_raises() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as client, pytest.raises(loopback_only.NetworkReached):
        client.sendto(b"x", (OUTSIDE, 53))
    loopback_only.attempts.clear()


def test_a_private_address_written_as_a_number_can_be_looked_up() -> None:
    assert socket.getaddrinfo("10.0.0.1", 80)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.8.8.8"])
def test_this_machine_can_be_reached(host: str) -> None:
    with socket.create_server(("0.0.0.0", 0)) as server, socket.create_connection((host, server.getsockname()[1]), timeout=5):
        pass


def test_a_child_python_cannot_leave_either() -> None:
    code = f"import socket; socket.create_connection(('{OUTSIDE}', 80), 1)"
    child = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert "NetworkReached" in child.stderr


def test_the_data_folder_is_the_tests_own(tmp_path: Path) -> None:
    assert Path(os.environ["BEACON_HOME"]).is_relative_to(tmp_path)


def test_no_key_of_the_person_is_seen() -> None:
    assert not [name for name in os.environ if name.startswith(("ANTHROPIC_", "OPENAI_"))]


def test_every_database_is_new_and_empty(postgres_server: servers.Postgres, postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE t (n integer)")
    other = postgres_server.make_database()
    with psycopg.connect(other) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
    postgres_server.drop_database(other)


def test_the_database_folds_letters_of_every_script(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT lower('ÉĞЖ')").fetchone() == ("éğж",)


def test_neo4j_starts_empty(neo4j_server: servers.Neo4j, neo4j_url: str) -> None:
    import neo4j

    with neo4j.GraphDatabase.driver(neo4j_url) as driver:
        driver.execute_query("CREATE (:Entity {id: 'a'})-[:NEAR]->(:Entity {id: 'b'})")
        neo4j_server.wipe()
        assert driver.execute_query("MATCH (n) RETURN count(n) AS n").records[0]["n"] == 0


def test_a_server_ends_with_whoever_asked_for_it_even_by_kill_9(postgres_server: servers.Postgres) -> None:
    code = "import time, tests.servers as s\nwith s.postgres() as p: print(p.address, flush=True); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert parent.stdout is not None
    port = int(parent.stdout.readline().rsplit(":", 1)[1])
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert _closes(port, within_s=20)


def _closes(port: int, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            return True
        time.sleep(0.1)
    return False
