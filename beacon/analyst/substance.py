"""How much a sentence says, 0-1: loose speech, filler and a document's words about itself say little."""

import re
from functools import lru_cache

from beacon.analyst.quantities import find_names, find_quantities
from beacon.analyst.tokens import is_stop_word, spell_out, tokenize, without_links

_ENOUGH = 4  # different content words from which a sentence is full
_LOOSE, _DENSE = 0.22, 0.42  # share of content words in loose speech and in written prose
_SPEAKER = frozenset("i i'm i'd i've i'll me my myself you you're you'd you've you'll your".split())
_GROUP = frozenset("we we're we'd we've we'll us our let's".split())
# Words that carry talk along and say nothing of a subject.
_LIGHT = frozenset(
    "know think say said saying says thing things something anything everything nothing case kind sort lot bit go goes going gone went get "
    "gets got getting come comes came look looks looking looked see seen saw seeing mean means want wanted wants way ways well now sure "
    "maybe basically honestly obviously clearly course right good great nice like talk talked talking tell told question questions answer "
    "point guess suppose believe feel feels felt put take takes took make makes made try trying need people time times again still even "
    "much many more most less one ones thank thanks please hello hi".split()
)
_META = re.compile(
    r"^(?:(?!(?:the|a|an)\b)\w+ ){0,2}(?:summary|overview|abstract|transcript|copy|reprint|translation|excerpt|digest|recap|"
    r"table of contents)\s+(?:of|from|to)\b"
    r"|^(?:in )?(?:this|the present) (?:page|document|article|note|summary|transcript|section|post|entry|digest|file|reprint|"
    r"panel|video|episode|talk|session|webinar|interview|recording|podcast)\b"
    r"|^(?:see|read|click|visit|scroll|listen|watch)\b.{0,60}\b(?:below|above|here|more|details|page)\b",
    re.I,
)


@lru_cache(maxsize=16384)
def substance(text: str) -> float:
    """0-1: 1 for a full sentence of prose, little for filler, loose talk of you and me, and fragments."""
    text = spell_out(without_links(text))
    words = tokenize(text)
    if not words:
        return 0.0
    content = [word for word in words if not is_stop_word(word) and word not in _LIGHT]
    figures = len(find_quantities(text)) + len(find_names(text))
    full = min(1.0, (len(set(content)) + figures) / _ENOUGH)
    dense = min(1.0, max(0.0, (len(content) / len(words) - _LOOSE) / (_DENSE - _LOOSE)))
    return round(full * (0.4 + 0.6 * dense) * _impersonal(words), 4)


def _impersonal(words: list[str]) -> float:
    mine = sum(word in _SPEAKER for word in words)
    ours = sum(word in _GROUP for word in words)
    return max(0.4, 1.0 - 0.25 * mine - 0.06 * ours)


def is_meta(text: str) -> bool:
    """True when a sentence is about the document it stands in, not about the document's subject."""
    return bool(_META.match(text.strip(" \"'“”‘’*_#>")))
