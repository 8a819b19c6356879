"""Two syntheses beside each other, two waves of a survey beside each other, and what would change without somebody."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from beacon.synthesis.scoring import people_of


def compare_findings(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every theme or opportunity of either, with rank, score and people then and now; the greatest shifts first."""
    before = {str(one["id"]): (n, one) for n, one in enumerate(old, 1)}
    after = {str(one["id"]): (n, one) for n, one in enumerate(new, 1)}
    rows = []
    for key in dict.fromkeys([*after, *before]):
        was, now = before.get(key), after.get(key)
        shown = (now or was or (0, {}))[1]
        rows.append(
            {
                "id": key,
                "title": shown.get("title", ""),
                "kind": "new" if was is None else "gone" if now is None else "kept",
                "rank": [was[0] if was else None, now[0] if now else None],
                "score": [was[1].get("score") if was else None, now[1].get("score") if now else None],
                "people": [len(people_of(was[1]["quotes"])) if was else 0, len(people_of(now[1]["quotes"])) if now else 0],
            }
        )
    return sorted(rows, key=_shift)


def _shift(row: Mapping[str, Any]) -> tuple[float, float, str]:
    was, now = row["score"]
    return -abs((now or 0.0) - (was or 0.0)), -abs(row["people"][1] - row["people"][0]), str(row["id"])


def list_waves(themes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The surveys, studies and interviews behind the themes, oldest first, with how many people each brings."""
    people: dict[str, set[str]] = defaultdict(set)
    first: dict[str, str] = {}
    for theme in themes:
        for quote in theme["quotes"]:
            wave = str(quote.get("wave") or quote["title"])
            people[wave].update(people_of([quote]))
            first[wave] = min(first.get(wave, "9999"), str(quote["at"]))
    return [{"wave": wave, "people": len(people[wave]), "at": first[wave]} for wave in sorted(people, key=lambda w: (first[w], w))]


def compare_waves(themes: Sequence[Mapping[str, Any]], one: str, other: str) -> list[dict[str, Any]]:
    """For each theme, the people of either wave and their share of all whom the wave brings; the greatest shifts first."""
    total = {row["wave"]: row["people"] for row in list_waves(themes)}
    rows = []
    for theme in themes:
        counts = [len(people_of([q for q in theme["quotes"] if str(q.get("wave") or q["title"]) == wave])) for wave in (one, other)]
        if any(counts):
            shares = [round(n / max(1, total.get(wave, 0)), 4) for n, wave in zip(counts, (one, other), strict=True)]
            rows.append({"id": theme["id"], "title": theme["title"], "people": counts, "share": shares})
    return sorted(rows, key=lambda row: (-abs(row["share"][1] - row["share"][0]), row["id"]))
