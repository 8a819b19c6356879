"""What `beacon doctor` looks at beside the stores: this machine, the settings, the workers, and who is asked over the network."""

import os
import platform
import socket
import stat
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from beacon.errors import BeaconError, InputError, StorageError, UnavailableError
from beacon.settings import SETTINGS_FILE, env_files
from beacon.tools.provider_state import LABELS, OFFLINE, has_key
from beacon.workspace import Workspace

if TYPE_CHECKING:
    from beacon.web.fetch import Fetcher

OLDEST_PYTHON = (3, 11)
OLDEST_POSTGRESQL = 13
STALE_AFTER_S = 15.0
CONNECT_S = 3.0
# What is loaded late, so that a missing piece would only be noticed in the middle of work.
LATE_PACKAGES = ("anthropic", "openai", "google-genai", "chromadb", "dbos", "feedparser", "trafilatura", "pypdf", "python-docx", "neo4j")

Check = tuple[str, Callable[[], str]]


def checks_of(ws: Workspace) -> list[Check]:
    """Name and check of each part; a check returns what was found or raises what is wrong and what to do."""
    return [
        ("python", python),
        ("packages", packages),
        ("settings", lambda: settings(ws)),
        ("rights", lambda: rights(ws)),
        ("database server", lambda: database(ws)),
        ("worker", lambda: worker(ws)),
        ("model providers", lambda: models(ws)),
        ("local model server", lambda: local_server(ws)),
        ("web search", lambda: search(ws)),
        ("notifications", lambda: notifications(ws)),
    ]


def python() -> str:
    """The interpreter."""
    if sys.version_info[:2] < OLDEST_PYTHON:
        raise StorageError(f"Python {platform.python_version()} is too old: install 3.11 or later and run `make install` with it.")
    return f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"


def packages() -> str:
    """The libraries that are loaded when they are needed."""
    missing = [name for name in LATE_PACKAGES if not _version(name)]
    if missing:
        raise StorageError(f"{', '.join(missing)} cannot be found: run `make install`, or install beacon-desk again.")
    return ", ".join(f"{name} {_version(name)}" for name in ("chromadb", "dbos", "streamlit"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def settings(ws: Workspace) -> str:
    """What is set in files."""
    ws.settings.refreshed()
    files = [path for path in (ws.settings.home / SETTINGS_FILE, *env_files(os.environ)) if path.is_file()]
    return ", ".join(str(path) for path in files) if files else "no settings file: the defaults hold"


def rights(ws: Workspace) -> str:
    """Who else can read the data folder and the files that hold keys."""
    for path in [path for path in env_files(os.environ) if path.is_file()]:
        if _is_open(path):
            raise StorageError(f"{path} may hold keys and can be read by others on this machine: chmod 600 {path}")
    if _is_open(ws.settings.home):
        return f"others on this machine can read {ws.settings.home}: chmod 700 keeps them out"
    return "nobody else on this machine can read the data folder"


def _is_open(path: Path) -> bool:
    return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def database(ws: Workspace) -> str:
    """The PostgreSQL server's version."""
    if ws.settings.is_sqlite:
        return "none: the records are a file"
    with ws.records.read() as tx:
        number = int(tx.connection.exec_driver_sql("SHOW server_version_num").scalar_one()) // 10_000
    if number < OLDEST_POSTGRESQL:
        raise StorageError(f"PostgreSQL {number} is too old: move the database to {OLDEST_POSTGRESQL} or later.")
    return f"PostgreSQL {number}"


def worker(ws: Workspace) -> str:
    """Whether somebody executes runs."""
    with ws.records.read() as tx:
        beats = tx.runs.heartbeats()
    alive = [one["slot"] for one in beats if (ws.clock() - one["at"]).total_seconds() < STALE_AFTER_S]
    if alive:
        return f"{', '.join(alive)} at work"
    return "none at work: `beacon up` and `beacon worker` start one, and `beacon run` executes by itself"


def models(ws: Workspace) -> str:
    """The providers whose key is there; nobody is asked."""
    found = [LABELS[name] for name in ("anthropic", "openai", "gemini", "local") if has_key(ws, name)]
    router = ws.models  # raises what is wrong with the settings
    if router is None:
        return OFFLINE if not found else f"key present for {', '.join(found)}, and switched off by the setting 'provider'"
    order = [one.provider for one in router.all_of("strong")]
    return f"asked in this order: {', '.join(LABELS[name] for name in order)}; `beacon provider test NAME` asks one"


def local_server(ws: Workspace) -> str:
    """Whether the server of one's own answers; listing its models costs nothing."""
    address = ws.settings.local_base_url
    if not address:
        return "not used"
    try:
        page = _own_fetcher(ws).ask(f"{address.rstrip('/')}/models", headers=_bearer(ws.settings.local_api_key.get_secret_value()))
    except BeaconError as error:
        raise UnavailableError(f"{error.message} Start the server, or set BEACON_LOCAL_BASE_URL to its address (it ends in /v1).") from None
    return f"{address} answers, {len(page.data)} bytes of models"


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _own_fetcher(ws: Workspace) -> "Fetcher":
    """A fetcher that may reach the user's own network: the address is theirs."""
    from beacon.web.fetch import Fetcher, FetchLimits

    return Fetcher(FetchLimits(total_s=CONNECT_S, connect_s=CONNECT_S), True, clock=ws.clock)


def search(ws: Workspace) -> str:
    """The engines that are asked."""
    searcher = ws.searcher  # raises what is wrong with the settings
    if searcher is None:
        return "none: runs read what topics name; BEACON_SEARCH=duckduckgo,wikipedia needs no key"
    return f"{', '.join(LABELS[one.name] for one in searcher.engines)}; `beacon provider test NAME` asks one"


def notifications(ws: Workspace) -> str:
    """Whether what is to be told can go out."""
    told = ws.settings
    if told.notify_email and not told.smtp_host:
        raise InputError("Digests have a recipient and no mail server: set BEACON_SMTP_HOST, BEACON_SMTP_USER and BEACON_SMTP_PASSWORD.")
    if told.notify_email:
        _connect(told.smtp_host, told.smtp_port)
    ways = [f"e-mail to {told.notify_email}"] if told.notify_email else []
    ways += [f"a webhook at {urlsplit(told.notify_webhook).hostname}"] if told.notify_webhook else []
    return ", ".join([*ways, "an Atom feed in the data folder"])


def _connect(host: str, port: int) -> None:
    try:
        socket.create_connection((host, port), CONNECT_S).close()
    except OSError as error:
        raise UnavailableError(
            f"The mail server {host}:{port} does not answer ({error}): check BEACON_SMTP_HOST and BEACON_SMTP_PORT."
        ) from None
