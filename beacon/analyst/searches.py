"""What to look for on the web: the topic's queries, and what is known already turned into closer questions."""

from collections import Counter
from collections.abc import Sequence

from beacon.analyst.quantities import find_names
from beacon.analyst.tokens import content_tokens

MOST = 8  # searches a run
CLOSER = 3  # of them, those made from what is known
LONGEST = 200  # characters of a search


def plan_searches(title: str, queries: Sequence[str], known: Sequence[str] = ()) -> list[str]:
    """The searches of a run, the topic's own first, then one for each name that what is `known` speaks of most and no query names."""
    asked = [_clean(query) for query in queries if query.strip()] or [_clean(title)]
    terms = {token for text in [title, *asked] for token in content_tokens(text)}
    closer = [f"{_clean(title)} {name}" for name in _names(known, terms)]
    searches = list(dict.fromkeys([*asked[: MOST - min(len(closer), CLOSER)], *closer[:CLOSER]]))
    return [search[:LONGEST].strip() for search in searches[:MOST]]


def _clean(text: str) -> str:
    return " ".join(text.split()).rstrip("?.!;: ")


def _names(known: Sequence[str], terms: set[str]) -> list[str]:
    """Names in what is known, the most frequent first, without those that the queries hold already."""
    counts: Counter[str] = Counter()
    for text in known:
        counts.update({surface for _, _, surface in find_names(text)})
    new = [name for name in counts if not set(content_tokens(name)) & terms and content_tokens(name)]
    return sorted(new, key=lambda name: (-counts[name], name))
