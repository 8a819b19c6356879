"""The one look each kind of change, status of a run and phase has everywhere: colour, icon and word together."""

from unicodedata import normalize

from beacon.domain.change import CHANGE_ICONS, CHANGE_KINDS, CHANGE_WORDS, ChangeKind

KIND_COLOURS: dict[ChangeKind, str] = {
    "new": "green",
    "changed": "orange",
    "dropped": "gray",
    "contradicted": "violet",
    "retracted": "red",
    "confirmed": "blue",
}
# The same colours where a chart needs them written out, by the type of theme.
_SIX: tuple[ChangeKind, ...] = ("new", "changed", "dropped", "contradicted", "retracted", "confirmed")
KIND_HEX: dict[str, dict[ChangeKind, str]] = {
    "light": dict(zip(_SIX, ("#2f7d4f", "#b45309", "#78716c", "#7a4a9e", "#b3372f", "#2f6d96"), strict=True)),
    "dark": dict(zip(_SIX, ("#5fb583", "#f59e0b", "#a8a29e", "#b48ad6", "#e0796f", "#6aabd2"), strict=True)),
}
STATUS_BADGES: dict[str, tuple[str, str, str]] = {
    "queued": ("Waiting for a worker", "gray", ":material/hourglass_empty:"),
    "running": ("Running", "blue", ":material/autorenew:"),
    "waiting": ("Waiting for you", "orange", ":material/front_hand:"),
    "done": ("Done", "green", ":material/check:"),
    "failed": ("Failed", "red", ":material/error:"),
    "paused": ("Paused", "orange", ":material/pause_circle:"),
    "cancelled": ("Cancelled", "gray", ":material/block:"),
}
PHASE_WORDS = {
    "browsing": "Browse",
    "planning": "Plan",
    "research": "Research",
    "writing": "Write",
    "reviewing": "Review",
    "revision": "Revise",
    "publishing": "Publish",
}


# A full-width sign may have no glyph in a reader's fonts; its compatibility form always has.
ICONS: dict[ChangeKind, str] = {
    kind: normalize("NFKC", CHANGE_ICONS[kind]) if kind == "new" else CHANGE_ICONS[kind] for kind in CHANGE_KINDS
}


def kind_badge(kind: ChangeKind) -> str:
    """The kind as a Markdown badge: its icon and its word in its colour."""
    return f":{KIND_COLOURS[kind]}-badge[{ICONS[kind]} {CHANGE_WORDS[kind]}]"


def kind_label(kind: ChangeKind) -> str:
    """The kind as a filter shows it."""
    return f"{ICONS[kind]} {CHANGE_WORDS[kind]}"


def count_badges(counts: dict[str, int]) -> str:
    """Counts by kind as small Markdown badges in the usual order; empty when there are none."""
    parts = [
        f":{KIND_COLOURS[kind]}-badge[{ICONS[kind]} {counts[kind]} {CHANGE_WORDS[kind].lower()}]"
        for kind in CHANGE_KINDS
        if counts.get(kind)
    ]
    return " ".join(parts)


def status_badge(status: str) -> str:
    """A run's status as a Markdown badge."""
    word, colour, icon = STATUS_BADGES.get(status, (status, "gray", ":material/help:"))
    return f":{colour}-badge[{icon} {word}]"
