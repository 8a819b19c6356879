"""Which theme of before a newly found one is: evidence that mostly stays the same keeps its id, its name and what a person did with it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from beacon.domain.ids import digest, make_id
from beacon.domain.insight import ACTIVE, MERGED, Insight

SAME_SHARE = 0.5  # of the smaller of two themes' quotes, and
SAME_OVERLAP = 0.25  # of all their quotes, from which they are one theme


def keys_of(quotes: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """What a theme's evidence is known by: the words and where they come from, not their place in a version."""
    return frozenset(f"{quote['source_id']}:{digest(str(quote['quote']))[:12]}" for quote in quotes)


def match_themes(project_id: str, found: Sequence[Mapping[str, Any]], before: Sequence[Insight]) -> list[str]:
    """An id for each theme found: that of the theme before it overlaps most with, or a new one drawn from its evidence."""
    known = {one.id: keys_of(one.body.get("quotes", ())) for one in before}
    mine = [keys_of(theme["quotes"]) for theme in found]
    pairs = sorted(
        ((-_overlap(own, old), n, key) for n, own in enumerate(mine) for key, old in known.items() if _same(own, old)),
    )
    ids: dict[int, str] = {}
    taken: set[str] = set()
    for _, n, key in pairs:
        if n not in ids and key not in taken:
            ids[n] = key
            taken.add(key)
    fresh = (make_id("thm", project_id, sorted(own)) for own in mine)
    return [ids.get(n, new) for n, new in enumerate(fresh)]


def _same(left: frozenset[str], right: frozenset[str]) -> bool:
    shared = len(left & right)
    return bool(shared) and shared >= SAME_SHARE * min(len(left), len(right)) and shared >= SAME_OVERLAP * len(left | right)


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return round(len(left & right) / max(1, len(left | right)), 9)


def opportunity_id(project_id: str, theme_ids: Sequence[str], before: Sequence[Insight]) -> str:
    """The id of an opportunity: that of the one before which shares most of its themes, or one drawn from its leading theme."""
    own = set(theme_ids)
    alike = [(-len(own & set(one.body.get("themes", ()))), one.id) for one in before if own & set(one.body.get("themes", ()))]
    return min(alike)[1] if alike else make_id("opp", project_id, theme_ids[0])


def target_of(insight_id: str, known: Mapping[str, Insight]) -> str:
    """Where a merged theme or opportunity ended up; itself if it was not merged."""
    seen = {insight_id}
    while (one := known.get(insight_id)) is not None and one.status == MERGED and one.merged_into not in seen:
        insight_id = one.merged_into
        seen.add(insight_id)
    return insight_id


def is_shown(one: Insight | None) -> bool:
    """Whether a person left it in place."""
    return one is None or one.status == ACTIVE
