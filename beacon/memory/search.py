"""Finding what is remembered: exact over the kept vectors and words, each hit with its receipt."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from beacon.analyst.similarity import TermWeights, build_weights
from beacon.domain.memory import Memory
from beacon.errors import InputError, UnavailableError
from beacon.memory.facts import holds_now
from beacon.memory.forms import memory_from_json, memory_json
from beacon.memory.index import reading, terms_of
from beacon.memory.lookup import score_all
from beacon.memory.routing import Route, build_route, fits, route_among
from beacon.memory.score import DIGITS, Tuning, build_receipt, build_tuning, relevance, rough_score
from beacon.memory.vectors import similarities
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

AMBIENT_RELEVANCE = 0.30  # below this a memory does not come up unasked
AMBIENT_MOST = 5
ROUNDING = 1e-5  # more than the rounding of a score's parts can move it


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """A memory that was found, and why."""

    memory: Memory
    score: float
    receipt: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The printed form: the memory's fields, the score with its receipt, and its first citation's place."""
        first = self.memory.citations[0] if self.memory.citations else {}
        place = {name: first.get(name, default) for name, default in _PLACE}
        events = list(dict.fromkeys(c["event_id"] for c in self.memory.citations if c.get("event_id")))
        return {
            **memory_json(self.memory),
            "memory_id": self.memory.id,
            "score": self.score,
            "receipt": self.receipt,
            "event_ids": events,
            **place,
        }


_PLACE: tuple[tuple[str, Any], ...] = (("source_id", ""), ("url", ""), ("title", ""), ("start", 0), ("end", 0))


def search_memories(
    ws: Workspace,
    query: str,
    k: int = 10,
    *,
    situation: str = "question",
    as_of: datetime | None = None,
    tiers: Sequence[str] | None = None,
    least: float = 0.0,
) -> list[MemoryHit]:
    """The k memories that score highest and are relevant enough, ties by id. `as_of` searches what was believed at that moment.

    Reading them is no access.
    """
    if k < 1:
        raise InputError("Ask for at least one memory (k ≥ 1).")
    now = as_of or ws.clock()
    with ws.records.read() as tx:
        tuning = read_tuning(ws, tx)
        tuning.weights(situation)
        if as_of is None and (found := _looked_up(ws, tx, query, k, situation, tuning, now, tiers, least)) is not None:
            return found
        memories = [one for one in believed(ws, tx, as_of=as_of, tiers=tiers) if holds_now(one, now)]
        route = build_route(ws, tx, query, now, memories)
    hits = _ranked(ws, query, memories, route, situation, tuning, now, len(memories) if least else k)
    return [hit for hit in hits if hit.receipt["relevance"] >= least][:k]


def _looked_up(
    ws: Workspace, tx: Tx, query: str, k: int, situation: str, tuning: Tuning, now: datetime, tiers: Sequence[str] | None, least: float
) -> list[MemoryHit] | None:
    """The same from the index: every memory is scored there, and the best are read. None when the embedder does not answer."""
    try:
        vector = ws.embedder.embed_query(query)
        with reading(ws, tx) as index:
            found = score_all(index, query, vector, ws.user_id, tiers, now)
            found.route = route_among(ws, tx, query, now, index.names_in(query))
            best = found.best(k, tuning, situation, least)
            cosines = {index.ids[row]: found.cosines[row] for row in best}
    except UnavailableError:
        return None
    memories = tx.memories.by_ids(list(cosines))
    hits = [_hit(m, found.wanted, found.route, float(cosines[m.id]), situation, tuning, now) for m in memories.values()]
    hits = [hit for hit in hits if hit.receipt["relevance"] >= least and _is_visible(hit.memory, ws.user_id, tiers, ("current",))]
    return sorted(hits, key=lambda hit: (-hit.score, hit.memory.id))[:k]


def _hit(
    memory: Memory, wanted: Mapping[str, float], route: Route, cosine: float | None, situation: str, tuning: Tuning, now: datetime
) -> MemoryHit:
    matched = wanted.keys() & terms_of(memory.text, memory.people)
    because = fits(route, memory)
    part = relevance(cosine, covered(wanted, matched), 1.0 if because else 0.0)
    told = {**part, "terms": wanted, "matched": sorted(matched), "because": because}
    receipt = build_receipt(memory, situation, tuning, now, told)
    return MemoryHit(memory, receipt["score"], receipt)


def read_tuning(ws: Workspace, tx: Tx) -> Tuning:
    """The user's weights and half-life."""
    return build_tuning(user_settings(ws, tx))


def user_settings(ws: Workspace, tx: Tx) -> dict[str, Any]:
    """What the user set: trusted people, goals, weights."""
    return tx.projects.find_user_settings(ws.user_id)


def believed(
    ws: Workspace,
    tx: Tx,
    *,
    as_of: datetime | None = None,
    tiers: Sequence[str] | None = None,
    statuses: Sequence[str] | None = ("current",),
) -> list[Memory]:
    """The user's and the project's memories, newest first: as they are, or as they stood at a moment, word for word."""
    if as_of is None:
        return tx.memories.all(ws.project_id, user_id=ws.user_id, tiers=tiers, statuses=statuses)
    found = {m.id: m for m in tx.memories.all(ws.project_id, user_id=ws.user_id, as_of=as_of, retired=statuses != ("current",))}
    rewound: set[str] = set()
    for _, item in tx.memories.changes_of(ws.project_id, "memory", after=as_of):
        if item.ref in rewound:
            continue
        rewound.add(item.ref)
        found.pop(item.ref, None)
        if item.before is not None:
            found[item.ref] = memory_from_json(item.before)
    kept = [m for m in found.values() if _is_visible(m, ws.user_id, tiers, statuses) and m.recorded_at <= as_of]
    return sorted(sorted(kept, key=lambda m: m.id), key=lambda m: m.recorded_at, reverse=True)


def _is_own(ws: Workspace, memory: Memory) -> bool:
    return memory.project_id == ws.project_id and (memory.scope == "project" or memory.user_id == ws.user_id)


def _is_visible(memory: Memory, user_id: str, tiers: Sequence[str] | None, statuses: Sequence[str] | None) -> bool:
    mine = memory.scope == "project" or memory.user_id == user_id
    return mine and (tiers is None or memory.tier in tiers) and (statuses is None or memory.status in statuses)


def _ranked(
    ws: Workspace, query: str, memories: Sequence[Memory], route: Route, situation: str, tuning: Tuning, now: datetime, k: int
) -> list[MemoryHit]:
    """The k best: all are scored, and the receipts written for those that can be among them."""
    cosines = similarities(ws, query, [m.text for m in memories])
    weights = build_weights([tuple(sorted(terms_of(m.text, m.people))) for m in memories])
    wanted = query_weights(query, weights)
    parts = []
    for n, memory in enumerate(memories):
        matched = wanted.keys() & terms_of(memory.text, memory.people)
        part = relevance(None if cosines is None else cosines[n], covered(wanted, matched), 1.0 if fits(route, memory) else 0.0)
        parts.append((rough_score(memory, situation, tuning, now, part["value"]), n, memory))
    parts.sort(key=lambda one: (-one[0], one[2].id))
    least = parts[min(k, len(parts)) - 1][0] - ROUNDING if parts else 0.0
    near = [(n, memory) for score, n, memory in parts if score >= least]
    hits = [_hit(m, wanted, route, None if cosines is None else cosines[n], situation, tuning, now) for n, m in near]
    return sorted(hits, key=lambda hit: (-hit.score, hit.memory.id))[:k]


def query_weights(query: str, weights: TermWeights) -> dict[str, float]:
    """The words of a query, each with its weight: rarer ones count more."""
    return {term: round(weights.idf.get(term, weights.default), DIGITS) for term in sorted(terms_of(query))}


def covered(wanted: Mapping[str, float], matched: Iterable[str]) -> float:
    """The share of a query's words that were matched, by weight, 0-1."""
    total = sum(wanted.values())
    return sum(wanted[term] for term in sorted(matched)) / total if total else 0.0


def lexical_overlap(query: str, text: str, weights: TermWeights) -> float:
    """The share of the query's words, by weight, that the text holds."""
    wanted = query_weights(query, weights)
    return covered(wanted, wanted.keys() & terms_of(text))


def ambient_memories(ws: Workspace, text: str, n: int = 3) -> list[dict[str, Any]]:
    """At most `n` (5) memories that come up unasked, strongest first: only what is close enough to the text. No model is asked."""
    if not text.strip() or n < 1:
        return []
    close = search_memories(ws, text, min(n, AMBIENT_MOST), situation="ambient", least=AMBIENT_RELEVANCE)
    return [{"memory_id": h.memory.id, "text": h.memory.text, "tier": h.memory.tier, "score": h.score, "receipt": h.receipt} for h in close]


def deliver(ws: Workspace, ids: Iterable[str]) -> int:
    """How many memories were counted as accessed: those an answer really showed, each once."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return 0
    with ws.records.write() as tx:
        mine = [m.id for i in wanted if (m := tx.memories.find(i)) is not None and _is_own(ws, m)]
        tx.memories.touch(mine, ws.clock())
    return len(mine)


def topic_skills(ws: Workspace, topic_id: str) -> list[str]:
    """What paid off in earlier runs of a topic, for planning the next."""
    with ws.records.read() as tx:
        found = tx.memories.all(ws.project_id, user_id=ws.user_id, tiers=("procedural",), topic_id=topic_id)
    return [m.text for m in sorted(found, key=lambda m: m.id)]
