"""Why a passage has its score: its parts, what they were made of, and what the graph saw."""

from typing import Any

from beacon.retrieval.lexical import covered
from beacon.retrieval.passages import Passages
from beacon.retrieval.ranking import Ranking

NAMED = 5  # names of the graph that a receipt lists


def receipt_of(passages: Passages, found: Ranking, index: int) -> dict[str, Any]:
    """{rank, score, parts, raw, words, recipe, mode, graph?, missing?}: `parts` add up to `score`."""
    parts = {name: round(float(column[index]), 6) for name, column in found.parts.items()}
    raw = {name: round(float(column[index]), 6) if column[index] else None for name, column in found.raw.items()}
    receipt: dict[str, Any] = {
        "rank": found.place_of(index),
        "score": round(float(found.score[index]), 6),
        "parts": parts,
        "raw": raw,
        "words": {"found": covered(found.words, index), "asked": list(found.words.terms)},
        "recipe": found.recipe.name,
        "mode": found.mode,
    }
    if not found.allowed[index]:
        receipt["left_out"] = "The filters leave this passage out, or its version is not the current one."
    if found.graph.walk is not None:
        receipt["graph"] = _graph(passages, found, index)
    return receipt | ({"missing": found.missing} if found.missing else {})


def _graph(passages: Passages, found: Ranking, index: int) -> dict[str, Any]:
    walk = found.graph.walk
    assert walk is not None
    names, here = walk.links.names, set(walk.nodes_of(index))
    reached = sorted(
        ((act.weight, node) for node, act in found.graph.reached.items() if node in here), key=lambda pair: (-pair[0], pair[1])
    )
    told: dict[str, Any] = {
        "gate": round(found.graph.gate, 4),
        "weight": round(found.graph.weight, 4),
        "seeds": sorted(names[node] for node in found.graph.seeds),
    }
    if reached:
        told["names"] = [_name(passages, found, node, names[node]) for _, node in reached[:NAMED]]
    return told


def _name(passages: Passages, found: Ranking, node: int, name: str) -> dict[str, Any]:
    act = found.graph.reached[node]
    via = {"chunk_id": passages.id_at(act.via[0]), "start": act.via[1], "end": act.via[2]} if act.via else None
    return {"name": name, "weight": round(act.weight, 4), **({"via": via} if via else {})}
