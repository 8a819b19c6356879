"""The guarantees, checked on a data folder."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa

from beacon.domain.ids import digest
from beacon.domain.memory import Memory
from beacon.errors import BeaconError
from beacon.stores.records import tables as t
from beacon.stores.records.rows import batches
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

SHOWN = 5  # faults named a check
VECTOR_PAGE = 500
VECTOR_TOLERANCE = 1e-4  # an index keeps about seven digits and may scale to unit length again


def verify_all(ws: Workspace) -> dict[str, Any]:
    """{ok, checks: [{name, ok, checked, detail}]}; each check counts what it looked at, so that an empty one is seen."""
    checks = [_run(ws, name, check) for name, check in CHECKS]
    return {"ok": all(c["ok"] for c in checks), "checks": checks}


Faults = Iterator[str | None]  # one item a thing looked at: None when it is well


def _run(ws: Workspace, name: str, check: Callable[[Workspace, Tx], Faults]) -> dict[str, Any]:
    try:
        with ws.records.read() as tx:
            found = list(check(ws, tx))
    except BeaconError as error:
        return {"name": name, "ok": False, "checked": 0, "detail": error.message}
    faults = [fault for fault in found if fault]
    more = f" and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    return {"name": name, "ok": not faults, "checked": len(found), "detail": "; ".join(faults[:SHOWN]) + more}


def _versions(ws: Workspace, tx: Tx) -> Faults:
    joined = t.version.join(t.source, t.source.c.id == t.version.c.source_id)
    query = (
        sa.select(t.version.c.id, t.version.c.text, t.version.c.sha256, t.version.c.withdrawn)
        .select_from(joined)
        .where(t.source.c.project_id == ws.project_id)
    )
    for key, text, sha, withdrawn in tx.connection.execute(query):
        yield None if withdrawn or digest(text) == sha else f"version {key} does not match its hash"


def _chunks(ws: Workspace, tx: Tx) -> Faults:
    joined = t.chunk.join(t.version, t.version.c.id == t.chunk.c.version_id)
    query = sa.select(t.chunk.c.id, t.chunk.c.text, t.chunk.c.start, t.chunk.c.end, t.version.c.id, t.version.c.text).select_from(joined)
    for key, text, start, end, _version, whole in tx.connection.execute(query.where(t.chunk.c.project_id == ws.project_id)):
        yield None if whole[start:end] == text else f"chunk {key} is not the slice [{start}, {end}) of its version"


def _mentions(ws: Workspace, tx: Tx) -> Faults:
    joined = t.mention.join(t.version, t.version.c.id == t.mention.c.version_id)
    query = sa.select(
        t.mention.c.id,
        t.mention.c.surface,
        t.mention.c.start,
        t.mention.c.end,
        t.version.c.id,
        sa.func.substr(t.version.c.text, t.mention.c.start + 1, t.mention.c.end - t.mention.c.start),
    )
    for key, surface, _start, _end, _version, found in tx.connection.execute(
        query.select_from(joined).where(t.mention.c.project_id == ws.project_id)
    ):
        yield None if found == surface else f"mention {key} is not at its place"


def _citations(ws: Workspace, tx: Tx) -> Faults:
    texts = _Texts(tx)
    for memory in tx.memories.all(ws.project_id, statuses=None):
        if memory.tier == "semantic" and not memory.citations and memory.metadata.get("origin") != "user":
            yield f"fact {memory.id} cites nothing"
        for citation in memory.citations:
            yield texts.fault(citation, f"memory {memory.id}")
    for summary in tx.chats.summaries(ws.project_id):
        if not summary.citations:
            yield f"summary {summary.id} cites nothing"
        for given in summary.citations:
            yield texts.fault(dict(given), f"summary {summary.id}")
    for told in tx.chats.summaries_of_conversations(ws.project_id):
        for given in told.citations:
            yield texts.fault(dict(given), f"conversation summary {told.id}")


def _answers(ws: Workspace, tx: Tx) -> Faults:
    texts = _Texts(tx)
    rows = tx.connection.execute(
        sa.select(t.message.c.id, t.message.c.metadata)
        .select_from(t.message.join(t.conversation))
        .where(t.conversation.c.project_id == ws.project_id)
    )
    for key, metadata in rows:
        for citation in metadata.get("citations", []):
            yield texts.fault(citation, f"answer {key}")


def _insights(ws: Workspace, tx: Tx) -> Faults:
    texts = _Texts(tx)
    for kind in ("theme", "opportunity"):
        for one in tx.insights.insights(kind, ws.project_id):
            if not one.body.get("quotes"):
                yield f"{kind} {one.id} cites nothing"
            for quote in (*one.body.get("quotes", ()), *one.body.get("contradicting", ())):
                yield texts.fault(quote, f"{kind} {one.id}")
    for decision in tx.insights.decisions(ws.project_id):
        for part in decision.evidence.get("rests_on", {}).values():
            for quote in part["quotes"]:
                yield texts.fault(quote, f"decision {decision.id}")


def _changes(ws: Workspace, tx: Tx) -> Faults:
    texts = _Texts(tx)
    query = (
        sa.select(t.change.c.id, t.change.c.quote, t.change.c.source, t.change.c.old)
        .select_from(t.change.join(t.run))
        .where(t.run.c.project_id == ws.project_id)
    )
    for key, quote, source, old in tx.connection.execute(query):
        if quote:
            yield texts.fault({**source, "quote": quote}, f"change {key}")
        if old and old.get("quote"):
            yield texts.fault({**old["source"], "quote": old["quote"]}, f"change {key} (old side)")


def _facts(ws: Workspace, tx: Tx) -> Faults:
    """A fact is retired only by one of the same point, with its reason, in a changeset; an open contradiction has its sides."""
    rows = {one.id: one for one in tx.memories.all(ws.project_id, tiers=("semantic",), statuses=None)}
    recorded = {item.ref for _, item in tx.memories.changes_of(ws.project_id, "memory")}
    for one in rows.values():
        retired = one.metadata.get("origin") == "facts" and one.status in ("superseded", "retracted", "archived")
        yield _retired(one, rows.get(one.replaced_by), recorded) if retired else None
    for case in tx.facts.contradictions(ws.project_id, statuses=["open"]):
        sides = [rows.get(str(side["memory_id"])) for side in case.sides]
        whole = len(sides) > 1 and all(side is not None and side.status == "contradicted" for side in sides)
        yield None if whole else f"contradiction {case.id} is open without two sides that stand against each other"


def _retired(fact: Memory, by: Memory | None, recorded: set[str]) -> str | None:
    if fact.id not in recorded or fact.retired_at is None:
        return f"fact {fact.id} was retired without a changeset"
    if fact.status != "superseded":
        return None
    same = by is not None and by.metadata.get("point_id", fact.metadata["point_id"]) == fact.metadata["point_id"]
    return None if same else f"fact {fact.id} is superseded by nothing of the same subject and attribute"


class _Texts:
    """Texts of versions and events, each read once."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._known: dict[str, str] = {}

    def fault(self, citation: dict[str, Any], owner: str) -> str | None:
        """What is wrong with a citation, or None."""
        version, event = citation.get("version_id", ""), citation.get("event_id", "")
        try:
            text = self._text(version, event)
        except BeaconError as error:
            return f"{owner}: {error.message}"
        exact = text[citation["start"] : citation["end"]] == citation["quote"]
        return None if exact else f"{owner} quotes what is not at [{citation['start']}, {citation['end']}) of {version or event}"

    def _text(self, version: str, event: str) -> str:
        key = version or event
        if key not in self._known:
            self._known[key] = self._tx.sources.version(version).text if version else self._tx.events.get(event).text
        return self._known[key]


def _vectors(ws: Workspace, tx: Tx) -> Faults:
    from beacon.projections import chunk_collection

    wanted = set(tx.connection.scalars(sa.select(t.chunk.c.id).where(t.chunk.c.project_id == ws.project_id, t.chunk.c.current.is_(True))))
    waiting = tx.outbox.waiting("vectors")
    held = set(ws.vectors.ids(chunk_collection(ws)))
    if waiting:
        yield f"{waiting} changes still wait for the vector index"
        return
    yield from (f"chunk {key} is missing from the vector index" for key in sorted(wanted - held))
    yield from (f"chunk {key} is left over in the vector index" for key in sorted(held - wanted))
    for part in batches(sorted(wanted & held), VECTOR_PAGE):
        yield from _same_vectors(ws, tx, part)


def _same_vectors(ws: Workspace, tx: Tx, ids: Sequence[str]) -> Faults:
    from beacon.projections import chunk_collection, embedder_key

    hashes = {key: chunk.text_sha256 for key, chunk in tx.sources.chunks_by_id(ids).items()}
    kept = tx.sources.known_embeddings(embedder_key(ws), list(hashes.values()))
    found = ws.vectors.get(chunk_collection(ws), ids)
    for key in ids:
        truth = kept.get(hashes[key])
        same = truth is None or (key in found and np.allclose(np.frombuffer(truth, dtype="<f4"), found[key], atol=VECTOR_TOLERANCE))
        yield None if same else f"chunk {key} has another vector in the index than in the records"


def _graph(ws: Workspace, tx: Tx) -> Faults:
    if waiting := tx.outbox.waiting("graph"):
        yield f"{waiting} changes still wait for the graph"
        return
    truth = {n.id: (n.name, n.mention_count) for n in tx.entities.nodes(ws.project_id)}
    drawn = {n.id: (n.name, n.mention_count) for n in ws.graph.nodes(ws.project_id)}
    for key in sorted(truth.keys() | drawn.keys()):
        yield None if truth.get(key) == drawn.get(key) else f"entity {key} differs between the records and the graph"


def _full_text(ws: Workspace, tx: Tx) -> Faults:
    if ws.settings.is_sqlite:
        try:
            tx.connection.exec_driver_sql("INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('integrity-check', 1)")
            tx.connection.rollback()
        except sa.exc.DatabaseError:
            yield "the full-text index differs from the chunks: rebuild it"
            return
    yield None


CHECKS: tuple[tuple[str, Callable[[Workspace, Tx], Faults]], ...] = (
    ("versions match their hashes", _versions),
    ("chunks are exact slices", _chunks),
    ("mentions are at their places", _mentions),
    ("memories and summaries quote exactly", _citations),
    ("facts are retired by their like, with a reason", _facts),
    ("answers quote exactly", _answers),
    ("themes, opportunities and decisions quote exactly", _insights),
    ("changes quote exactly", _changes),
    ("full text is complete", _full_text),
    ("vectors are in step", _vectors),
    ("graph is in step", _graph),
)
