"""From the outbox to the projections: vectors to Chroma, entities to the graph server.

A row only says *that* a version changed; what is written is read from the records at that moment, so a row may be handled
twice, late or out of order. One process drains a projection at a time.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from beacon.domain.source import PassageRef, StoredChunk
from beacon.errors import UnavailableError
from beacon.llm.embedding import space_of, stored_vector
from beacon.processes import hold_lock
from beacon.stores.vectors.ports import CollectionKey, VectorRow, next_generation
from beacon.workspace import Workspace

DRAIN_ROWS = 200
REBUILD_PAGE = 1000
FILL_PASSAGES = 64  # at once: a second or two with a model that runs here
PROJECTION_LOCKS = {"vectors": 7311, "graph": 7312}  # advisory lock numbers on PostgreSQL


def embedder_key(ws: Workspace) -> str:
    """The name under which this workspace's vectors are kept."""
    return space_of(ws.embedder)


def chunk_collection(ws: Workspace, project_id: str = "") -> CollectionKey:
    """The collection of a project's chunk embeddings (default: this one's)."""
    return CollectionKey(
        purpose=f"chunks {project_id or ws.project_id}",
        embedder=ws.embedder.name,
        dimension=ws.embedder.dimension,
        version=ws.embedder.version,
    )


def drain(ws: Workspace, limit: int = DRAIN_ROWS) -> int:
    """How many outbox rows were handled. A projection that is down leaves its rows where they are and is noted as down."""
    return sum(_drain_one(ws, target, limit) for target in _targets(ws))


def drain_all(ws: Workspace) -> int:
    """How many rows still wait after draining until nothing moves."""
    while drain(ws):
        pass
    with ws.records.read() as tx:
        return sum(tx.outbox.waiting(target) for target in _targets(ws))


def _targets(ws: Workspace) -> tuple[str, ...]:
    return ("vectors", "graph") if ws.settings.neo4j_url else ("vectors",)


def _drain_one(ws: Workspace, target: str, limit: int) -> int:
    with ws.records.read() as tx:
        if not tx.outbox.waiting(target):
            return 0
    with _only_one(ws, target) as mine:
        if not mine:
            return 0
        with ws.records.read() as tx:
            rows = tx.outbox.take(target, limit)
        try:
            for project_id in dict.fromkeys(str(row["project_id"]) for row in rows):
                _project(ws, target, project_id, [row for row in rows if row["project_id"] == project_id])
        except UnavailableError as error:
            note_state(ws, target, error.message)
            return 0
        with ws.records.write() as tx:
            tx.outbox.done([int(row["seq"]) for row in rows])
        note_state(ws, target, "")
        return len(rows)


@contextmanager
def _only_one(ws: Workspace, target: str) -> Iterator[bool]:
    """Whether this process may drain: a file lock beside SQLite, an advisory lock on PostgreSQL."""
    if ws.settings.is_sqlite:
        lock = hold_lock(ws.settings.home / "locks" / f"{target}.lock", 0)
        try:
            yield lock is not None
        finally:
            if lock is not None:
                lock.release()
        return
    with ws.records.engine.connect() as connection:
        key = PROJECTION_LOCKS[target]
        mine = bool(connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({key})").scalar())
        connection.commit()
        try:
            yield mine
        finally:
            if mine:
                connection.exec_driver_sql(f"SELECT pg_advisory_unlock({key})")
                connection.commit()


def note_state(ws: Workspace, target: str, problem: str) -> None:
    """Remember since when a projection has been down, or that it is up again."""
    name = f"projection:{target}"
    with ws.records.read() as tx:
        before = tx.projects.value(name, {})
    if bool(before.get("problem")) == bool(problem):
        return
    with ws.records.write() as tx:
        tx.projects.set_value(name, {"problem": problem, "since": ws.clock().isoformat()}, ws.clock())


def _project(ws: Workspace, target: str, project_id: str, rows: Sequence[dict[str, Any]]) -> None:
    refs = list(dict.fromkeys(str(row["ref"]) for row in rows if row["kind"] == "version"))
    if target == "graph":
        for ref in refs:
            ws.graph.sync_version(project_id, ref)
        if any(row["kind"] == "summary" for row in rows):
            ws.graph.sync_summaries(project_id)
        return
    with ws.records.read() as tx:
        chunks = tx.sources.passages_of(refs)
    live = [chunk for chunk in chunks if chunk.current]
    gone = [chunk.id for chunk in chunks if not chunk.current]
    collection = chunk_collection(ws, project_id)
    if live:
        ws.vectors.put(collection, vector_rows(ws, live))
    erased = sorted(set(refs) - {chunk.version_id for chunk in chunks})
    # Other embedders' collections of the same passages serve again when one of those is chosen: nothing may stay behind in them.
    held = {key.family for key in ws.vectors.collections() if key.purpose == collection.purpose} if gone or erased else set()
    for one in sorted(held, key=lambda key: key.name):
        if gone:
            ws.vectors.delete(one, gone)
        for ref in erased:
            ws.vectors.delete_where(one, "version_id", ref)


def vector_rows(ws: Workspace, chunks: Sequence[PassageRef]) -> list[VectorRow]:
    """The rows of these chunks, their vectors from the records (worked out again where they are missing)."""
    vectors = chunk_vectors(ws, chunks)
    return [
        VectorRow(c.id, vectors[c.text_sha256], {"source_id": c.source_id, "version_id": c.version_id})
        for c in chunks
        if c.text_sha256 in vectors
    ]


def chunk_vectors(ws: Workspace, chunks: Sequence[PassageRef | StoredChunk]) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    """text hash → unit vector. Missing ones (another embedder was used before) are computed and kept."""
    key = embedder_key(ws)
    hashes = list(dict.fromkeys(c.text_sha256 for c in chunks))
    with ws.records.read() as tx:
        known = tx.sources.known_embeddings(key, hashes)
    without = {c.text_sha256: c.id for c in chunks if c.text_sha256 not in known}
    if without:
        with ws.records.read() as tx:
            texts = tx.sources.chunks_by_id(list(without.values()))
        missing = {name: texts[key].text for name, key in without.items() if key in texts}
        matrix = ws.embedder.embed(list(missing.values()))
        fresh = {name: stored_vector(row) for name, row in zip(missing, matrix, strict=True)}
        with ws.records.write() as tx:
            tx.sources.add_embeddings(key, fresh)
        known |= fresh
    return {name: np.frombuffer(known[name], dtype="<f4") for name in hashes if name in known}


def fill_vectors(ws: Workspace, limit: int = FILL_PASSAGES) -> int:
    """How many passages got the vector of the chosen embedder that they lacked, because another one was chosen when they came in."""
    key = embedder_key(ws)
    with _only_one(ws, "vectors") as mine:
        if not mine:
            return 0
        with ws.records.read() as tx:
            chunks = list(tx.sources.chunks_by_id(tx.postings.without_vector(ws.project_id, key, limit)).values())
        if chunks:
            matrix = ws.embedder.embed([c.text for c in chunks])
            rows = [
                VectorRow(c.id, row, {"source_id": c.source_id, "version_id": c.version_id}) for c, row in zip(chunks, matrix, strict=True)
            ]
            ws.vectors.put(chunk_collection(ws), rows)  # first: what the records have is not looked for again
            with ws.records.write() as tx:
                tx.sources.add_embeddings(key, {c.text_sha256: stored_vector(row) for c, row in zip(chunks, matrix, strict=True)})
        return len(chunks)


def rebuild(ws: Workspace) -> dict[str, int]:
    """How many chunks and graph nodes the projections hold after being made anew from the records, beside the old ones and then swapped."""
    collection = chunk_collection(ws)
    fresh = next_generation(collection, ws.vectors.collections())
    total, after = 0, ""
    with _only_one(ws, "vectors") as mine:
        if not mine:
            raise UnavailableError("Another process is bringing the vectors up to date: try again in a moment.")
        with ws.records.read() as tx:
            rows = [
                int(row["seq"]) for row in tx.outbox.take("vectors", tx.outbox.waiting("vectors")) if row["project_id"] == ws.project_id
            ]
        while page := _page(ws, after):
            ws.vectors.put(fresh, vector_rows(ws, page))
            total, after = total + len(page), page[-1].id
        if total:
            ws.vectors.publish(fresh)
        else:
            ws.vectors.drop(collection)
        with ws.records.write() as tx:
            tx.outbox.done(rows)  # only now, and only what the pages held: what came since is still to be told
    nodes = ws.graph.rebuild(ws.project_id)
    for target in _targets(ws):
        note_state(ws, target, "")
    return {"chunks": total, "entities": nodes}


def _page(ws: Workspace, after: str) -> list[PassageRef]:
    with ws.records.read() as tx:
        return tx.sources.current_passages(ws.project_id, after, REBUILD_PAGE)
