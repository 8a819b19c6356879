"""Time as Beacon sees it: always UTC-aware, always injected."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time

from beacon.errors import InputError

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Now, UTC-aware, to the microsecond."""
    return datetime.now(UTC)


def fixed_clock(at: datetime) -> Clock:
    """A clock that always says `at`."""
    return lambda: at


def parse_when(text: str, *, end_of_day: bool = False) -> datetime:
    """The UTC moment an ISO date or date-time names; a bare date is its first (or last) microsecond. Raises InputError."""
    raw = text.strip()
    try:
        if len(raw) == 10:
            return datetime.combine(date.fromisoformat(raw), time.max if end_of_day else time.min, UTC)
        at = datetime.fromisoformat(raw)
    except ValueError:
        raise InputError(f"'{text}' is not a date: write YYYY-MM-DD, or a full ISO time such as 2026-01-31T09:00+00:00.") from None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def iso(at: datetime | None) -> str | None:
    """A time as JSON prints it."""
    return None if at is None else at.isoformat()
