"""Loaded by every Python that a test starts, because the tests put this folder on PYTHONPATH: keeps it on this machine."""

import loopback_only

loopback_only.install()
