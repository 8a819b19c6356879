"""The opened Beacon behind every page, and the only way pages reach it: `call`."""

import os
from threading import Lock
from typing import Any

import streamlit as st

from beacon.bootstrap import Beacon, open_beacon
from beacon.errors import BeaconError, NotFoundError
from beacon.settings import Settings
from beacon.ui.text import plain

_opened: dict[tuple[str, str, str], Beacon] = {}
_lock = Lock()


def open_for(settings: Settings) -> Beacon:
    """The process's one Beacon for these settings, opened at the first call."""
    key = (settings.records_url, settings.project, settings.user)
    with _lock:
        if key not in _opened:
            _opened[key] = open_beacon(settings=settings)
        return _opened[key]


def close_all() -> None:
    """Close what was opened; the process ends."""
    with _lock:
        for one in _opened.values():
            one.close()
        _opened.clear()


def settings() -> Settings:
    """The settings of this browser session: the process's, with the workspace chosen in the sidebar."""
    chosen = st.session_state.get("workspace")
    return Settings.load(**({"project": chosen} if chosen else {}))


def beacon() -> Beacon:
    """The Beacon of this browser session. Shows what is wrong and stops the page when it cannot be opened."""
    try:
        return open_for(settings())
    except BeaconError as error:
        _show(error)
        st.stop()


def call(tool: str, /, **arguments: Any) -> Any:
    """What the tool returns; an error is shown in its own words and ends the page."""
    try:
        return beacon().call(tool, **arguments)
    except BeaconError as error:
        _show(error)
        st.stop()


def attempt(tool: str, /, **arguments: Any) -> Any | None:
    """What the tool returns, or None with the error shown: for buttons and forms, where the page goes on."""
    try:
        return beacon().call(tool, **arguments)
    except BeaconError as error:
        _show(error)
        return None


def find(tool: str, /, **arguments: Any) -> Any | None:
    """What the tool returns, or None when there is no such thing."""
    try:
        return beacon().call(tool, **arguments)
    except NotFoundError:
        return None
    except BeaconError as error:
        _show(error)
        st.stop()


def supervised() -> bool:
    """Whether this process keeps a worker and the vector server running (BEACON_WORKER=off says no)."""
    return os.environ.get("BEACON_WORKER", "").lower() != "off"


def _show(error: BeaconError) -> None:
    st.error(plain(error.message), icon=":material/error:")
