"""How much an opportunity matters, as parts that can be looked at one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log1p
from typing import Any

WEIGHTS = {"people": 0.35, "breadth": 0.15, "severity": 0.2, "trend": 0.1, "agreement": 0.1, "fit": 0.1}
WHAT = {
    "people": "distinct people who say so",
    "breadth": "segments they come from, or sources where none are known",
    "severity": "how much it hinders them, in their words",
    "trend": "whether it is said more of late than everything else is",
    "agreement": "how few say the opposite",
    "fit": "how close it is to the project's segments, strategy and metrics",
}
STRONGEST = 0.5  # share of the statements, the most severe ones, that severity is the mean of


@dataclass(frozen=True, slots=True)
class Base:
    """What everything is measured against: all the evidence of the synthesis."""

    people: int  # the most people behind one theme
    segments: int
    sources: int
    middle: str = ""  # the date that halves all statements, or empty where all are of one time
    recent: float = 0.5  # share of all people's statements after it

    def as_json(self) -> dict[str, Any]:
        """The stored form."""
        return {"people": self.people, "segments": self.segments, "sources": self.sources, "middle": self.middle, "recent": self.recent}


def who_says(quote: Mapping[str, Any]) -> str:
    """Who stands behind a quote: a person, or the document where nobody is named."""
    return str(quote.get("person") or quote["source_id"])


def people_of(quotes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The distinct people, or documents of nobody named, behind the quotes."""
    return sorted({who_says(quote) for quote in quotes})


def build_base(themes: Sequence[Sequence[Mapping[str, Any]]], everything: Sequence[Mapping[str, Any]]) -> Base:
    """The base of a synthesis: the quotes of its themes, and all of its statements."""
    dates = sorted(str(one["at"]) for one in everything)
    middle = dates[len(dates) // 2] if dates and dates[0][:10] != dates[-1][:10] else ""
    recent = sum(1 for date in dates if date > middle) / len(dates) if middle else 0.5
    return Base(
        people=max((len(people_of(quotes)) for quotes in themes), default=0),
        segments=len({one["segment"] for one in everything if one.get("segment")}),
        sources=max((len(_places(quotes)) for quotes in themes), default=0),
        middle=middle,
        recent=round(recent, 4),
    )


def score_parts(
    quotes: Sequence[Mapping[str, Any]], against: Sequence[Mapping[str, Any]], base: Base, fit: float | None = None
) -> tuple[float, list[dict[str, Any]]]:
    """(score 0-1, its parts): each part has a value 0-1, a weight, the points it gives and what it was reckoned from."""
    found = {
        "people": _people(quotes, base),
        "breadth": _breadth(quotes, base),
        "severity": _severity(quotes),
        "trend": _trend(quotes, base),
        "agreement": _agreement(quotes, against),
    }
    if fit is not None:
        found["fit"] = (fit, "closest statement of the project's state")
    total = sum(WEIGHTS[name] for name in found)
    parts: list[dict[str, Any]] = []
    for name, (value, why) in found.items():
        weight = WEIGHTS[name] / total
        rounded = {"value": round(value, 4), "weight": round(weight, 4), "points": round(value * weight, 4)}
        parts.append({"name": name, "what": WHAT[name], **rounded, "why": why})
    return round(sum(part["points"] for part in parts), 4), parts


def _people(quotes: Sequence[Mapping[str, Any]], base: Base) -> tuple[float, str]:
    n = len(people_of(quotes))
    return (log1p(n) / log1p(max(base.people, n)) if n else 0.0), f"{n} of the {max(base.people, n)} behind the widest theme"


def _breadth(quotes: Sequence[Mapping[str, Any]], base: Base) -> tuple[float, str]:
    segments = {quote["segment"] for quote in quotes if quote.get("segment")}
    if base.segments > 1:
        return len(segments) / base.segments, f"{len(segments)} of {base.segments} segments"
    places = _places(quotes)
    return (
        log1p(len(places)) / log1p(max(base.sources, len(places), 1)) if places else 0.0
    ), f"{len(places)} studies, surveys or interviews"


def _places(quotes: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(quote.get("wave") or quote["source_id"]) for quote in quotes}


def _severity(quotes: Sequence[Mapping[str, Any]]) -> tuple[float, str]:
    ranked = sorted((float(quote.get("severity") or 0.0) for quote in quotes), reverse=True)
    strongest = ranked[: max(1, round(STRONGEST * len(ranked)))]
    pains = sum(1 for quote in quotes if quote.get("tone") == "pain")
    return (sum(strongest) / len(strongest) if strongest else 0.0), f"{pains} complaints, {len(quotes) - pains} wishes or remarks"


def _trend(quotes: Sequence[Mapping[str, Any]], base: Base) -> tuple[float, str]:
    if not base.middle or not quotes:
        return 0.5, "everything is of one time"
    recent = sum(1 for quote in quotes if str(quote["at"]) > base.middle) / len(quotes)
    room = (1 - base.recent) if recent >= base.recent else base.recent
    value = 0.5 + 0.5 * (recent - base.recent) / room if room else 0.5
    day = datetime.fromisoformat(base.middle).date()
    return min(1.0, max(0.0, value)), f"{recent:.0%} said after {day}, {base.recent:.0%} of everything"


def _agreement(quotes: Sequence[Mapping[str, Any]], against: Sequence[Mapping[str, Any]]) -> tuple[float, str]:
    pro, contra = len(people_of(quotes)), len(people_of(against))
    return (pro / (pro + contra) if pro + contra else 0.0), f"{pro} for, {contra} against"
