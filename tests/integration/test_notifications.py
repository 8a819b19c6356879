"""Digests by mail, webhook and feed: told once, and only when something happened."""

import json
import socketserver
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_string
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring

from beacon.bootstrap import Beacon, open_beacon
from beacon.runs.notifications import tell

START = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECRET = "hook-4f9a1c77"
ATOM = "{http://www.w3.org/2005/Atom}"


class Mail(socketserver.ThreadingTCPServer):
    """A mail server that keeps what it gets, or hangs up at a point of the conversation."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Session)
        self.messages: list[str] = []
        self.hang_up_at = ""


class Session(socketserver.StreamRequestHandler):
    server: Mail

    def handle(self) -> None:
        self.say("220 test")
        for line in self.rfile:
            word = line.split()[0].decode().upper() if line.split() else ""
            if word == self.server.hang_up_at:
                return
            if word == "DATA":
                self.take()
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")

    def take(self) -> None:
        self.say("354 go on")
        lines = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            lines.append(line.decode("utf-8").removeprefix("."))
        self.server.messages.append("".join(lines))
        self.say("250 kept")

    def say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class Hook(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Call)
        self.calls: list[tuple[dict[str, str], bytes]] = []
        self.status = 204


class Call(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _serve(server: Any) -> Iterator[Any]:
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def mail() -> Iterator[Mail]:
    yield from _serve(Mail())


@pytest.fixture
def hook() -> Iterator[Hook]:
    yield from _serve(Hook())


class Clock:
    at = START

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def beacon(tmp_path: Path, mail: Mail, hook: Hook, clock: Clock) -> Iterator[Beacon]:
    note(tmp_path, "The northern ferry costs 12 euros for a single crossing since the spring.")
    opened = open_beacon(
        home=tmp_path / "home", clock=clock, notify_email="ada@b.example, eve@b.example", smtp_host="127.0.0.1",
        smtp_port=mail.server_address[1], smtp_security="none", notify_webhook=f"http://127.0.0.1:{hook.server_port}/hook?key={SECRET}",
        webhook_secret=SECRET,
    )  # fmt: skip
    opened.call("topic_add", title="Harbour", folders=[str(tmp_path / "notes")])
    tell(opened.workspace)  # from here on it is told
    yield opened
    opened.close()


def note(tmp_path: Path, text: str) -> None:
    (tmp_path / "notes").mkdir(exist_ok=True)
    (tmp_path / "notes" / "note.md").write_text(f"# Harbour\n\n{text}\n")


def run(beacon: Beacon, clock: Clock) -> None:
    clock.at += timedelta(hours=1)
    found = beacon.call("run_wait", run=beacon.call("run_start", slug="harbour")["run_id"], timeout_s=60)
    assert found["status"] in ("done", "waiting"), found["error"]
    clock.at += timedelta(minutes=1)


def change(beacon: Beacon, tmp_path: Path, clock: Clock) -> None:
    """A first run, and a second that finds another price."""
    run(beacon, clock)
    note(tmp_path, "The northern ferry costs 15 euros for a single crossing since the spring.")
    run(beacon, clock)


def status(beacon: Beacon, channel: str) -> list[str]:
    with beacon.workspace.records.read() as tx:
        return [row["status"] for row in tx.notices.all(beacon.workspace.project_id, channel)]


def test_a_material_change_is_told_with_its_quote_to_everybody(
    beacon: Beacon, mail: Mail, hook: Hook, tmp_path: Path, clock: Clock
) -> None:
    change(beacon, tmp_path, clock)
    assert tell(beacon.workspace) == 3
    message = message_from_string(mail.messages[0], policy=default)
    assert "Harbour" in message["Subject"] and message["To"] == "ada@b.example, eve@b.example"
    assert "15 euros" in message.get_content()  # type: ignore[attr-defined]
    told = json.loads(hook.calls[0][1])
    assert told["notices"][0]["kind"] == "changes" and "15 euros" in told["text"]


def test_nothing_is_told_twice_and_nothing_when_nothing_changed(
    beacon: Beacon, mail: Mail, hook: Hook, tmp_path: Path, clock: Clock
) -> None:
    change(beacon, tmp_path, clock)
    tell(beacon.workspace)
    assert tell(beacon.workspace) == 0
    run(beacon, clock)
    assert tell(beacon.workspace) == 0
    assert (len(mail.messages), len(hook.calls)) == (1, 1)


def test_what_happened_before_a_channel_was_set_up_is_not_told(tmp_path: Path, mail: Mail, clock: Clock) -> None:
    note(tmp_path, "The northern ferry costs 12 euros for a single crossing since the spring.")
    opened = open_beacon(home=tmp_path / "late", clock=clock)
    try:
        opened.call("topic_add", title="Harbour", folders=[str(tmp_path / "notes")])
        change(opened, tmp_path, clock)
        settings = opened.workspace.settings
        told = {"notify_email": "a@b.example", "smtp_host": "127.0.0.1", "smtp_port": mail.server_address[1], "smtp_security": "none"}
        opened.workspace.settings = settings.model_copy(update=told)
        assert (tell(opened.workspace), tell(opened.workspace), mail.messages) == (0, 0, [])
    finally:
        opened.close()


def test_a_server_that_is_not_there_is_tried_again(beacon: Beacon, mail: Mail, tmp_path: Path, clock: Clock) -> None:
    change(beacon, tmp_path, clock)
    there = beacon.workspace.settings
    beacon.workspace.settings = there.model_copy(update={"smtp_port": 9})
    tell(beacon.workspace)
    assert status(beacon, "email") == ["waiting"]
    beacon.workspace.settings = there
    assert tell(beacon.workspace) == 1 and len(mail.messages) == 1


def test_a_connection_lost_while_sending_is_not_repeated(beacon: Beacon, mail: Mail, tmp_path: Path, clock: Clock) -> None:
    change(beacon, tmp_path, clock)
    mail.hang_up_at = "DATA"
    tell(beacon.workspace)
    mail.hang_up_at = ""
    assert (status(beacon, "email"), tell(beacon.workspace), mail.messages) == (["failed"], 0, [])


def test_a_claim_that_died_is_not_sent_by_another(beacon: Beacon, mail: Mail, tmp_path: Path, clock: Clock) -> None:
    change(beacon, tmp_path, clock)
    there = beacon.workspace.settings
    beacon.workspace.settings = there.model_copy(update={"smtp_port": 9})
    tell(beacon.workspace)
    with beacon.workspace.records.write() as tx:
        assert len(tx.notices.claim(beacon.workspace.project_id, "email")) == 1
    beacon.workspace.settings = there
    assert (tell(beacon.workspace), mail.messages) == (0, [])


def test_a_webhook_is_signed_and_its_address_is_in_no_notice(beacon: Beacon, hook: Hook, tmp_path: Path, clock: Clock) -> None:
    hook.status = 500
    change(beacon, tmp_path, clock)
    tell(beacon.workspace)
    headers, _ = hook.calls[0]
    assert headers["x-beacon-signature"].startswith("sha256=") and headers["idempotency-key"]
    with beacon.workspace.records.read() as tx:
        row = tx.notices.all(beacon.workspace.project_id, "webhook")[0]
    assert row["status"] == "failed" and SECRET not in row["problem"]


def test_the_feed_is_valid_and_keeps_what_was_told(beacon: Beacon, tmp_path: Path, clock: Clock) -> None:
    change(beacon, tmp_path, clock)
    tell(beacon.workspace)
    feed = fromstring((beacon.workspace.settings.outputs_dir / "feed.atom").read_bytes())
    entry = feed.find(f"{ATOM}entry")
    assert entry is not None and "Harbour" in (entry.findtext(f"{ATOM}title") or "")
    assert "15 euros" in (entry.findtext(f"{ATOM}content") or "")


def test_a_gate_that_waits_is_told_once(beacon: Beacon, hook: Hook, clock: Clock) -> None:
    beacon.call("topic_set", slug="harbour", gates=True)
    run(beacon, clock)
    tell(beacon.workspace)
    tell(beacon.workspace)
    assert [json.loads(body)["notices"][0]["kind"] for _, body in hook.calls] == ["gate"]


def test_a_topic_that_went_silent_is_told_once(beacon: Beacon, hook: Hook, clock: Clock) -> None:
    run(beacon, clock)
    for _ in range(3):
        clock.at += timedelta(days=8)
        run(beacon, clock)
        tell(beacon.workspace)
    assert [json.loads(body)["notices"][0]["kind"] for _, body in hook.calls] == ["silent"]
