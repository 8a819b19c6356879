"""Loaded by every Python that a test starts, because the tests put this folder on PYTHONPATH: keeps it on this machine."""

import loopback_only  # type: ignore[import-not-found]

loopback_only.install()
