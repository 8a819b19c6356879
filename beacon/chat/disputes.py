"""An answer that rests on a disputed statement gives the other side too."""

from dataclasses import replace

from beacon.analyst.answer import Answer, AnswerSentence
from beacon.memory.standing import Side, Standing
from beacon.retrieval.search import Hit
from beacon.workspace import Workspace

MOST_SIDES = 3
DISPUTED = "Sources differ on this: both sides are quoted, and `beacon memory contradictions` lists them."


def other_sides(ws: Workspace, found: Answer, hits: list[Hit], standing: Standing) -> tuple[Answer, list[dict[str, str]]]:
    """The answer with the other sides of what is disputed in it, and those sides; their passages are added to `hits`."""
    by_id = {hit.chunk.id: hit for hit in hits}
    said = [(by_id[one.passage_id], one) for one in found.sentences if one.passage_id in by_id]
    sides: dict[tuple[str, int], Side] = {}
    for hit, one in said:
        for side in standing.against(hit.version.id, hit.chunk.start + one.start, hit.chunk.start + one.end):
            sides.setdefault((side.version_id, side.start), side)
    quoted = {(hit.version.id, hit.chunk.start + one.start) for hit, one in said}
    added: list[AnswerSentence] = []
    for side in [side for spot, side in sorted(sides.items()) if spot not in quoted][:MOST_SIDES]:
        place = next((one for one in hits if _holds(one, side)), None) or _fetch(ws, hits, side)
        if place is not None:
            start, end = side.start - place.chunk.start, side.end - place.chunk.start
            added.append(AnswerSentence(place.chunk.text[start:end], place.chunk.id, start, end))
    told = [{"version_id": side.version_id, "source_id": side.source_id, "quote": side.text} for _, side in sorted(sides.items())]
    return replace(found, sentences=(*found.sentences, *added)), told


def _holds(hit: Hit, side: Side) -> bool:
    return hit.version.id == side.version_id and hit.chunk.start <= side.start and side.end <= hit.chunk.end


def _fetch(ws: Workspace, hits: list[Hit], side: Side) -> Hit | None:
    """The passage of a side that the search did not find."""
    with ws.records.read() as tx:
        version = tx.sources.versions_by_id([side.version_id]).get(side.version_id)
        chunks = [c for c in tx.sources.chunks(side.version_id) if c.start <= side.start and side.end <= c.end]
        if version is None or not chunks:
            return None
        hit = Hit(chunks[0], tx.sources.get(side.source_id), version, 0.0)
    hits.append(hit)
    return hit
