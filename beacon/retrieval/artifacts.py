"""Search over what Beacon made or noted itself: events and summaries."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from beacon.analyst.tokens import content_tokens
from beacon.retrieval.lexical import K1, B, idf
from beacon.workspace import Workspace

KINDS = ("event", "summary")
EVENTS = 2000  # the newest that are looked through


@dataclass(frozen=True, slots=True)
class FoundArtifact:
    """An artifact, and which words found it. `kind` names the field its id goes by: event_id or summary_id."""

    kind: str
    id: str
    score: float
    receipt: dict[str, Any]


def find_artifacts(ws: Workspace, query: str, k: int, kinds: Sequence[str] | None = None) -> list[FoundArtifact]:
    """The k that fit best by BM25, best first, ties by id. Scores are 0-1: the share of what a perfect fit would get."""
    texts = [(kind, key, Counter(content_tokens(text))) for kind, key, text in _texts(ws, kinds or KINDS)]
    wanted = sorted(set(content_tokens(query))) if query.strip() else []
    if not texts or not wanted:
        return []
    weights = {word: idf(len(texts), sum(word in counted for _, _, counted in texts)) for word in wanted}
    mean = sum(counted.total() for _, _, counted in texts) / len(texts)
    most = math.fsum(weight * (K1 + 1) for weight in weights.values())
    found = []
    for kind, key, counted in texts:
        norm = K1 * (1 - B + B * counted.total() / max(mean, 1.0))
        parts = {w: round(weights[w] * counted[w] * (K1 + 1) / (counted[w] + norm), 6) for w in wanted if counted[w]}
        if parts:
            score = round(math.fsum(parts.values()) / most, 4)
            found.append(FoundArtifact(f"{kind}_id", key, score, {"parts": parts, "words": {"found": list(parts), "asked": wanted}}))
    return sorted(found, key=lambda one: (-one.score, one.id))[:k]


def _texts(ws: Workspace, kinds: Sequence[str]) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    with ws.records.read() as tx:
        if "event" in kinds:
            events = tx.events.all(ws.project_id, user_id=ws.user_id, newest_first=True, limit=EVENTS)
            found += [("event", event.id, event.text) for event in events if event.text]
        if "summary" in kinds:
            found += [("summary", s.id, f"{s.segment} {s.period} {s.text}") for s in tx.chats.own_summaries(ws.project_id, ws.user_id)]
    return found
