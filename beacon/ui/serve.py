"""Serves the dashboard from a command: one port, one process, the browser opened when it answers."""

import os
import runpy
import socket
import sys
import threading
import time
import urllib.request
import webbrowser
from typing import Any

from beacon.errors import InputError
from beacon.settings import Settings
from beacon.ui import folders
from beacon.ui.web import is_loopback

ANSWERS_WITHIN_S = 30.0
_REMOTE = ("SSH_CONNECTION", "SSH_TTY", "CI")


def serve(settings: Settings, *, host: str, port: int, open_browser: bool) -> None:
    """Serves until the process is told to stop. Raises InputError when the port is taken or the address is not this machine's."""
    check_free(host, port)
    from beacon.ui import session

    session.open_for(settings)  # what is wrong with the data folder is said before a server stands
    address = f"http://{_shown(host)}:{port}"
    print(f"Beacon opens at {address}, with its data in {settings.home}. Ctrl-C stops it.", flush=True)
    if open_browser and has_screen():
        threading.Thread(target=_open_when_ready, args=(address,), daemon=True).start()
    script = str(folders.APP_DIR / "app.py")
    sys.argv = [script]  # Streamlit looks for .streamlit/ beside it
    app: Any = runpy.run_path(script)["app"]
    app.run(config=_config(host, port))


def _config(host: str, port: int) -> dict[str, Any]:
    """What matters for safety is passed here, where no other config file or variable can loosen it."""
    return {
        "server.port": port,
        "server.address": host,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.enableStaticServing": True,
        "server.enableXsrfProtection": True,
        "server.enableCORS": True,
        "browser.gatherUsageStats": False,
        "global.developmentMode": False,
    }


def check_free(host: str, port: int) -> None:
    """Raises InputError when nobody can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InputError(
                f"Port {port} of {host} cannot be used ({error.strerror or error}): stop what uses it, or choose another with --port.",
                port=port,
            ) from None


def has_screen() -> bool:
    """Whether a browser opened here would be seen."""
    if any(os.environ.get(name) for name in _REMOTE):
        return False
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _open_when_ready(address: str) -> None:
    deadline = time.monotonic() + ANSWERS_WITHIN_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                webbrowser.open(address)
                return
        except OSError:
            time.sleep(0.2)


def warns(host: str) -> str:
    """What the person must know who opens Beacon to others; empty on loopback."""
    if is_loopback(host):
        return ""
    return f"Beacon listens on {host}: whoever reaches this port can read and change everything. Put a proxy with a password before it."
