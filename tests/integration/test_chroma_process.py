"""The Chroma server of a data folder, while processes that use it come, go and are killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from beacon.errors import InputError, RefusedError, UnavailableError
from beacon.processes import IMPORT_ROOT, Lease, count_leases, hold_lock, spawn
from beacon.stores.vectors.chroma import ChromaVectors, open_embedded, open_server
from beacon.stores.vectors.files import discard_indexes
from beacon.stores.vectors.ports import CollectionKey, VectorRow
from beacon.stores.vectors.server import IDLE_S, Folder, LocalChroma, answers

KEY = CollectionKey("chunks", "hasher", 16)
GONE_S = 12.0  # a server ends 3 to 4 s after its last lease; the rest is for a loaded machine
CLIENT = """
import sys
from pathlib import Path
from beacon.stores.vectors.server import LocalChroma
client = LocalChroma(Path(sys.argv[1]))
sys.stdin.readline()
print(client.url(), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose server, if one is left, is ended."""
    yield tmp_path
    end_server(tmp_path)


def end_server(home: Path) -> int | None:
    """Kills the server, and gives the process that was killed."""
    assert wait_for(lambda: not Folder(home).is_owned() or bool(Folder(home).find_pid()))
    pid = Folder(home).find_pid()
    if pid is None or not Folder(home).is_owned():
        return None
    os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: not Folder(home).is_owned())
    return pid


def wait_for(happened: Callable[[], bool], timeout_s: float = GONE_S) -> bool:
    deadline = time.monotonic() + timeout_s
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def make_rows(start: int, stop: int) -> list[VectorRow]:
    random = np.random.default_rng(3).normal(size=(stop, KEY.dimension)).astype(np.float32)
    return [VectorRow(f"r{n}", random[n], {"n": n}) for n in range(start, stop)]


def make_client(home: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(IMPORT_ROOT), os.environ["PYTHONPATH"]])}
    command = [sys.executable, "-P", "-c", CLIENT, str(home)]
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def tell(client: subprocess.Popen[str]) -> None:
    assert client.stdin
    client.stdin.write("\n")
    client.stdin.flush()


def hear(client: subprocess.Popen[str]) -> str:
    assert client.stdout
    return client.stdout.readline().strip()


def test_processes_that_ask_at_once_share_one_server_which_outlives_all_but_the_last_of_them(home: Path) -> None:
    clients = [make_client(home) for _ in range(8)]
    try:
        for client in clients:
            tell(client)
        addresses = {hear(client) for client in clients}
        assert len(addresses) == 1
        address = addresses.pop()
        for client in clients[1:]:
            client.kill()
        time.sleep(IDLE_S + 1.2)
        assert answers(address)
    finally:
        for client in clients:
            client.kill()
            client.communicate()
    assert wait_for(lambda: not Folder(home).is_owned())
    assert not Folder(home).address.exists()


def test_a_call_after_the_server_was_killed_succeeds_on_a_new_one(home: Path) -> None:
    store = open_embedded(home)
    store.put(KEY, make_rows(0, 50))
    killed = end_server(home)
    assert killed
    assert store.query(KEY, make_rows(0, 50)[9].vector, 1)[0].id == "r9"
    assert Folder(home).find_pid() not in (None, killed)
    store.close()


def test_no_acknowledged_row_is_lost_when_the_server_is_killed_while_writing(home: Path) -> None:
    store = open_embedded(home)
    acknowledged: list[VectorRow] = []
    stop = threading.Event()
    writer = threading.Thread(target=keep_writing, args=(store, acknowledged, stop))
    writer.start()
    for round_ in range(1, 5):
        assert wait_for(lambda round_=round_: len(acknowledged) > round_ * 300)  # type: ignore[misc]
        end_server(home)
    stop.set()
    writer.join(30)
    assert len(acknowledged) > 1_200 and {row.id for row in acknowledged} <= set(store.ids(KEY))
    missed = [row.id for row in acknowledged[::7] if store.query(KEY, row.vector, 1)[0].id != row.id]
    assert missed == []
    store.close()


def keep_writing(store: ChromaVectors, acknowledged: list[VectorRow], stop: threading.Event) -> None:
    rows = make_rows(0, 20_000)
    for start in range(0, len(rows), 40):
        if stop.is_set():
            return
        try:
            store.put(KEY, rows[start : start + 40])
        except UnavailableError:  # killed twice during one call: not acknowledged
            continue
        acknowledged += rows[start : start + 40]


def test_after_a_purge_no_file_holds_anything_of_a_deleted_row(home: Path) -> None:
    store = open_embedded(home)
    rows = make_rows(0, 1_500)
    secret = VectorRow("secret-id", np.full(KEY.dimension, 0.25, np.float32), {"from": "secret-source"})
    needles = [b"secret-id", b"secret-source", np.asarray(secret.vector).tobytes()[:32]]
    store.put(KEY, [*rows[:700], secret, *rows[700:]])
    store.put(CollectionKey("memories", "hasher", 16), [secret])
    store.query(KEY, rows[0].vector, 3)
    assert all(find_in_files(home, needle) for needle in needles)
    store.delete(KEY, ["secret-id"])
    store.drop(CollectionKey("memories", "hasher", 16))
    assert store.purge()
    assert (store.count(KEY), store.query(KEY, rows[9].vector, 1, {"n": 9})[0].id) == (1_500, "r9")
    assert [find_in_files(home, needle) for needle in needles] == [[], [], []]
    store.close()


def find_in_files(folder: Path, needle: bytes) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()]


def cut_off(index: Path) -> None:
    for path in index.iterdir():
        os.truncate(path, 0)


@pytest.mark.parametrize("damage", [shutil.rmtree, cut_off], ids=["gone", "cut off"])
def test_an_index_that_a_kill_damaged_is_built_anew_without_losing_a_row(home: Path, damage: Callable[[Path], object]) -> None:
    store = open_embedded(home)
    rows = make_rows(0, 2_500)
    store.put(KEY, rows)
    store.delete(KEY, ["r7"])
    assert end_server(home)
    indexes = [path for path in Folder(home).data.iterdir() if path.is_dir()]
    assert indexes
    for index in indexes:
        damage(index)
    found = [store.query(KEY, row.vector, 1)[0].id for row in rows[:2_500:50]]
    assert (found, store.count(KEY)) == ([row.id for row in rows[:2_500:50]], 2_499)
    assert store.query(KEY, rows[7].vector, 1)[0].id != "r7"
    store.close()


def test_an_index_that_was_written_long_before_a_kill_is_kept(home: Path) -> None:
    data = Folder(home).data
    store = open_embedded(home)
    store.put(KEY, make_rows(0, 1_200))
    store.query(KEY, make_rows(0, 1)[0].vector, 1)
    assert end_server(home)
    index = next(path for path in data.iterdir() if path.is_dir())
    before = time.time()
    assert discard_indexes(data, before) == []
    assert discard_indexes(data, before - 60) == [index.name]
    store.close()


def test_an_address_left_behind_is_not_trusted_even_if_a_server_answers_there(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    stranger = LocalChroma(tmp_path_factory.mktemp("stranger"))
    address = stranger.url()
    Folder(home).path.mkdir()
    Folder(home).address.write_text(json.dumps({"url": address, "pid": 1}))
    mine = LocalChroma(home)
    assert mine.url() != address
    mine.close()
    stranger.close()


def test_a_removed_data_folder_does_not_come_back_and_its_server_ends(tmp_path: Path) -> None:
    home = tmp_path / "desk"
    client = LocalChroma(home)
    address = client.url()
    client.close()
    shutil.rmtree(home)
    assert wait_for(lambda: not answers(address))
    time.sleep(1.1)
    assert not home.exists()


def test_a_refused_token_is_named_without_being_shown() -> None:
    seen: list[str | None] = []

    class Doorman(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.extend([self.headers["Authorization"], self.headers["X-Chroma-Token"]])
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Doorman)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    store = open_server(f"http://127.0.0.1:{server.server_port}", "s3cret")
    with pytest.raises(RefusedError, match="chroma_token") as refused:
        store.count(KEY)
    store.close()
    server.shutdown()
    server.server_close()
    assert seen == ["Bearer s3cret", "s3cret"] and "s3cret" not in str(refused.value)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host", "http://name:s3cret@host"])
def test_an_address_that_cannot_be_used_is_refused_without_showing_a_password(url: str) -> None:
    with pytest.raises(InputError) as refused:
        open_server(url)
    assert "s3cret" not in str(refused.value)


def test_using_the_index_does_not_import_chromadb(home: Path) -> None:
    code = "import sys, beacon.stores.vectors.chroma; print(sorted({'chromadb', 'chromadb_rust_bindings', 'httpx'} & set(sys.modules)))"
    env = {**os.environ, "PYTHONPATH": str(IMPORT_ROOT)}
    ran = subprocess.run([sys.executable, "-P", "-c", code], env=env, capture_output=True, text=True, check=True, timeout=30)
    assert ran.stdout.strip() == "[]"


def test_a_lock_is_held_by_one_and_free_again_after_release(tmp_path: Path) -> None:
    first = hold_lock(tmp_path / "new" / "a.lock")
    assert first and hold_lock(tmp_path / "new" / "a.lock", timeout_s=0.05) is None
    first.release()
    assert hold_lock(tmp_path / "new" / "a.lock")


def test_a_lease_counts_until_it_is_released(tmp_path: Path) -> None:
    leases = [Lease(tmp_path), Lease(tmp_path)]
    assert count_leases(tmp_path) == 2
    leases[0].release()
    assert count_leases(tmp_path) == 1
    leases[1].release()
    assert (count_leases(tmp_path), list(tmp_path.iterdir())) == (0, [])


def test_a_spawned_module_leads_its_own_group_and_does_not_import_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "argparse.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    child = spawn("beacon.stores.vectors.server", "--help", home=tmp_path, output=subprocess.PIPE)
    assert os.getpgid(child.pid) == child.pid
    output, _ = child.communicate(timeout=20)
    assert child.returncode == 0 and b"--home" in output
