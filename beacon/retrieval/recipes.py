"""How a search weighs what it knows about a passage: recipes as data.

Shares are added to a score whose words and vector make up 1. They were measured together on conversations, encyclopaedic passages
and documents (`python -m bench --only retrieval`), one setting for all; what tells those apart is counted, not set.
"""

from dataclasses import dataclass, replace

from beacon.analyst.tokens import tokenize
from beacon.errors import InputError

NEWEST = frozenset(
    "latest newest current currently recent recently now today nowadays aktuell aktuelle neueste neuesten derzeit heute jetzt récent "
    "récente dernier dernière actuel actuelle actuellement aujourd'hui último última actual actualmente reciente hoy".split()
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The shares of one way to search."""

    name: str
    says: str  # what it is for
    dense: float | None = None  # of the vector, the rest is the words'; None: what suits the embedder
    near: float = 0.35  # of each neighbouring turn's score
    far: float = 0.15  # of each turn two steps away
    asked: float = 0.3  # more of the turn before, where that ends in a question
    session: float = 0.45  # of the session a turn belongs to
    document: float = 0.1  # of the document a passage belongs to
    speaker: float = 0.3  # said by somebody the question names
    source: float = 0.15  # from a source the question names
    date: float = 0.2  # of a time the question names
    recency: float = 0.0  # newer than the rest
    importance: float = 0.0  # what is remembered of its document
    graph: float = 2.0  # of the graph's ranking beside the rest's, where the gate is open
    diversity: float = 0.0  # taken off for being like a better one


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("default", "what answers the question"),
        Recipe("newest", "the same, the newer the better", recency=0.25),
        Recipe("briefing", "what matters: important and recent things first", recency=0.15, importance=0.25),
        Recipe("varied", "different things, not the same one several times", diversity=0.3),
        Recipe("unlinked", "the same as default, the graph left out", graph=0.0),
        Recipe("plain", "words and vectors alone", near=0, far=0, asked=0, session=0, document=0, speaker=0, source=0, date=0, graph=0),
    )
}


def recipe_for(query: str, name: str = "default") -> Recipe:
    """The recipe of that name; the default one becomes `newest` for a question about now. Raises InputError for another name."""
    if name not in RECIPES:
        raise InputError(f"There is no recipe '{name}': use {', '.join(RECIPES)}.")
    if name == "default" and NEWEST & set(tokenize(query)):
        return replace(RECIPES["newest"], name="newest")
    return RECIPES[name]
