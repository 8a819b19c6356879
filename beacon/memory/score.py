"""How strongly a memory comes to mind: α·recency + β·importance + γ·relevance, with every part told.

After Park et al., "Generative Agents" (2023), section 4.1: recency decays with the time since the last access, importance was
settled when the memory was made, relevance is how close it is to what is asked.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from beacon.domain.memory import Memory
from beacon.errors import InputError

HALF_LIFE_DAYS = 30.0
DAY_S = 86_400.0
KEPT_RECENCY = 0.5  # what never fades is at most one half-life old
HIGH_IMPORTANCE = 0.7  # from here on a memory never fades
OFTEN_USED = 5  # delivered accesses from which it never fades
CORE_ATTRIBUTES = frozenset({"name", "preferred name", "role"})  # of the user and the company: who they are
CORE_SUBJECTS = frozenset({"user", "company"})
DIGITS = 6

# Relevance: words, vectors, and whether the memory belongs to the person, topic or time that is asked about.
COSINE_SHARE = 0.45
LEXICAL_SHARE = 0.45
ROUTE_SHARE = 0.10


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts; they add up to 1."""

    recency: float
    importance: float
    relevance: float


SITUATIONS: Mapping[str, Weights] = {
    "question": Weights(recency=0.10, importance=0.15, relevance=0.75),
    "reflection": Weights(recency=0.50, importance=0.30, relevance=0.20),
    "ambient": Weights(recency=0.20, importance=0.20, relevance=0.60),
}


@dataclass(frozen=True, slots=True)
class Tuning:
    """Weights a situation and the half-life: the defaults, or what the user set."""

    situations: Mapping[str, Weights]
    half_life_days: float = HALF_LIFE_DAYS

    def weights(self, situation: str) -> Weights:
        """The weights of a situation. Raises InputError."""
        if situation not in self.situations:
            raise InputError(f"There is no situation '{situation}': use {', '.join(self.situations)}.", situation=situation)
        return self.situations[situation]


def build_tuning(settings: Mapping[str, Any]) -> Tuning:
    """The tuning that user settings ask for; what they leave out keeps its default. Weights are scaled to add up to 1."""
    situations = dict(SITUATIONS)
    for name, given in dict(settings.get("weights") or {}).items():
        if name not in situations:
            raise InputError(f"There is no situation '{name}': weights are for {', '.join(SITUATIONS)}.", situation=name)
        situations[name] = _scaled(name, {**asdict(situations[name]), **given})
    half_life = float(settings.get("half_life_days") or HALF_LIFE_DAYS)
    if half_life <= 0:
        raise InputError("half_life_days must be above 0.", half_life_days=half_life)
    return Tuning(situations, half_life)


def _scaled(name: str, given: Mapping[str, Any]) -> Weights:
    parts = ("recency", "importance", "relevance")
    if unknown := sorted(set(given) - set(parts)):
        raise InputError(f"A weight is recency, importance or relevance, not '{unknown[0]}'.", weight=unknown[0])
    values = [float(given[part]) for part in parts]
    total = sum(values)
    if min(values) < 0 or not 0 < total < float("inf"):
        raise InputError(f"The weights of '{name}' must not be negative, and not all 0.", situation=name)
    return Weights(*(value / total for value in values))


def recency(memory: Memory, now: datetime, half_life_days: float) -> dict[str, Any]:
    """The recency part, 0-1: it halves every `half_life_days` since the last access, and has a floor for what never fades."""
    value, age_days, kept = _faded(memory, now, half_life_days)
    return {
        "value": round(value, DIGITS),
        "age_days": round(age_days, DIGITS),
        "half_life_days": half_life_days,
        "since": _seen(memory, now).isoformat(),
        "kept": kept,
    }


def _seen(memory: Memory, now: datetime) -> datetime:
    """The last access before `now`; what was accessed only later counts from when it was made."""
    return memory.last_access_at if memory.last_access_at <= now else memory.recorded_at


def _faded(memory: Memory, now: datetime, half_life_days: float) -> tuple[float, float, str]:
    age_days = max(0.0, (now - _seen(memory, now)).total_seconds() / DAY_S)
    kept = why_kept(memory)
    decayed = 0.5 ** (age_days / half_life_days)
    return (max(decayed, KEPT_RECENCY) if kept else decayed), age_days, kept


def rough_score(memory: Memory, situation: str, tuning: Tuning, now: datetime, relevance_value: float) -> float:
    """The score before its parts are rounded, to find the best quickly."""
    weights = tuning.weights(situation)
    faded = _faded(memory, now, tuning.half_life_days)[0]
    return weights.recency * faded + weights.importance * memory.importance + weights.relevance * relevance_value


def why_kept(memory: Memory) -> str:
    """Why a memory never fades; empty where it does."""
    if memory.pinned:
        return "pinned"
    if memory.importance >= HIGH_IMPORTANCE:
        return "important"
    if memory.access_count >= OFTEN_USED:
        return "often used"
    if memory.subject in CORE_SUBJECTS and memory.attribute in CORE_ATTRIBUTES:
        return "core identity"
    return ""


def relevance(cosine: float | None, lexical: float, route: float) -> dict[str, Any]:
    """The relevance part, 0-1, from its three; without vectors the words take their share."""
    shares = {"cosine": COSINE_SHARE, "lexical": LEXICAL_SHARE, "route": ROUTE_SHARE}
    if cosine is None:
        shares = {"cosine": 0.0, "lexical": COSINE_SHARE + LEXICAL_SHARE, "route": ROUTE_SHARE}
    parts = {"cosine": round(max(0.0, min(1.0, cosine or 0.0)), DIGITS), "lexical": round(lexical, DIGITS), "route": round(route, DIGITS)}
    return {"value": round(sum(shares[name] * parts[name] for name in shares), DIGITS), **parts, "shares": shares}


def build_receipt(memory: Memory, situation: str, tuning: Tuning, now: datetime, relevance_part: Mapping[str, Any]) -> dict[str, Any]:
    """Every part of a score: `recompute(receipt)` gives the score again from the parts alone."""
    weights = tuning.weights(situation)
    recency_part = recency(memory, now, tuning.half_life_days)
    receipt: dict[str, Any] = {
        "situation": situation,
        "at": now.isoformat(),
        "weights": asdict(weights),
        "recency": recency_part["value"],
        "importance": round(memory.importance, DIGITS),
        "relevance": relevance_part["value"],
        "parts": {"recency": recency_part, "importance": dict(memory.importance_parts), "relevance": dict(relevance_part)},
    }
    return {**receipt, "score": recompute(receipt)}


def recompute(receipt: Mapping[str, Any]) -> float:
    """The score that a receipt's parts add up to."""
    weights: Mapping[str, float] = receipt["weights"]
    return round(sum(weights[part] * float(receipt[part]) for part in ("recency", "importance", "relevance")), DIGITS)
