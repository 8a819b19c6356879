"""The time, as the opened Beacon tells it."""

from datetime import datetime

from beacon.ui.session import beacon


def now() -> datetime:
    """The workspace's clock."""
    return beacon().workspace.clock()
