"""Schedules in a reader's words."""

from typing import Any

from beacon.ui.text import moment, plain

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT = {name[:3].lower(): name for name in _DAYS}


def schedule_words(schedule: dict[str, Any]) -> str:
    """When a schedule is due: 'Mondays at 08:00', 'daily at 07:30'; the cron line where no words fit."""
    if not schedule["enabled"]:
        return "schedule paused"
    return cron_words(str(schedule["cron"]))


def cron_words(cron: str) -> str:
    """The words for a five-field cron line of the common kinds; the line itself otherwise."""
    fields = cron.split()
    if len(fields) != 5:
        return plain(cron)
    minute, hour, date, month, weekday = fields
    if (date, month) != ("*", "*") or not minute.isdigit():
        return f"cron {plain(cron)}"
    if (hour, weekday) == ("*", "*"):
        return f"hourly at :{int(minute):02d}"
    if not hour.isdigit():
        return f"cron {plain(cron)}"
    at = f"{int(hour):02d}:{int(minute):02d}"
    if weekday == "*":
        return f"daily at {at}"
    name = _DAYS[int(weekday)] if weekday.isdigit() and int(weekday) < len(_DAYS) else _SHORT.get(weekday.lower())
    return f"{name}s at {at}" if name else f"cron {plain(cron)}"


def next_words(schedule: dict[str, Any]) -> str:
    """When it is due next."""
    return f"next {moment(schedule['next_at'])} UTC" if schedule["enabled"] else "paused"
