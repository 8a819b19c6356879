"""Text that others wrote, made safe to stand in Markdown, and the words for times and counts."""

import re
from datetime import UTC, datetime

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~$:=-])")
_BREAK = re.compile(r"\s*\n\s*")
_NUMBERED = re.compile(r"^(\d+)\.")
_MARKS = re.compile(r"\*\*|(?:^|(?<=\s))(?:[-*]|#{1,6})\s|\s?\[\^?\d{1,4}\]", re.M)
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400


def plain(text: object) -> str:
    """`text` with every sign of Markdown, HTML and Streamlit's own markup escaped: it shows as it is written, on one line."""
    flat = _BREAK.sub(" ", str(text)).strip()
    return _NUMBERED.sub(r"\1\.", _SPECIAL.sub(r"\\\1", flat)).replace("&", "&amp;")


def short(text: str, most: int = 160) -> str:
    """`text` cut at a word with an ellipsis when it is longer than `most` characters."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    cut = flat[: most - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[most // 2 :] else cut).rstrip(" ,;:.") + "…"


def unmarked(markdown: str) -> str:
    """Markdown that Beacon wrote as running words: without emphasis, list and citation marks."""
    return " ".join(_MARKS.sub(" ", markdown).split())


def day(iso: str | None) -> str:
    """An ISO time as a reader's date: 5 Mar 2026; empty for none."""
    if not iso:
        return ""
    at = _parse(iso)
    return f"{at.day} {at:%b %Y}" if at else iso


def moment(iso: str | None) -> str:
    """An ISO time as date and minute in UTC; empty for none."""
    at = _parse(iso) if iso else None
    return f"{at.day} {at:%b %Y, %H:%M}" if at else (iso or "")


def ago(iso: str | None, now: datetime) -> str:
    """How long ago: 'just now', '5 minutes ago', 'yesterday', or the date when it is more than a week."""
    at = _parse(iso) if iso else None
    if at is None:
        return ""
    seconds = (now - at).total_seconds()
    if seconds < _MINUTE_S:
        return "just now" if seconds > -_MINUTE_S else day(iso)
    if seconds < _HOUR_S:
        return count(int(seconds // _MINUTE_S), "minute") + " ago"
    if seconds < _DAY_S:
        return count(int(seconds // _HOUR_S), "hour") + " ago"
    days = int(seconds // _DAY_S)
    return "yesterday" if days == 1 else f"{days} days ago" if days <= 7 else day(iso)


def count(n: int, noun: str, plural: str = "") -> str:
    """'1 source', '2 sources'."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def _parse(iso: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(iso)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
