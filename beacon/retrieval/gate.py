"""How much the graph counts for a question: decided by what the collection is, not set."""

import numpy as np

from beacon.retrieval.links import Links
from beacon.retrieval.passages import Floats

LOOKED_AT = 50  # passages that fit best
READ = 10  # passages a reader looks at


def open_gate(links: Links, fit: Floats, seeds: int) -> float:
    """0-1: the chance that one of ten passages that fit as well leads on to a document of its own; 0 when the query names nothing.

    A passage leads on where it names the title of another document. Encyclopaedias do so all the time, chats, minutes and news
    hardly ever: there the walk over shared names only brings more of the same, and would push better passages down.
    """
    if not seeds or not len(fit):
        return 0.0
    best = np.argsort(-fit, kind="stable")[:LOOKED_AT]
    best = best[fit[best] > 0]
    if not len(best):
        return 0.0
    share = float(links.leading[best].mean())
    return 1.0 - (1.0 - share) ** READ
