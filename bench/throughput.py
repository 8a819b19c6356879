"""Ingest beside its two raw parts in one run: embedding alone, and Chroma alone."""

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from beacon.bootstrap import opened
from beacon.domain.run import Run
from beacon.ingest.chunk import chunk_document
from beacon.ingest.pipeline import ingest_documents
from beacon.projections import drain, drain_all
from beacon.stores.vectors.ports import CollectionKey, VectorRow
from beacon.stores.vectors.server import Folder
from beacon.workspace import Workspace
from bench.material import documents

DOCUMENTS = 1500
BATCH = 500
GROWTH = (1000, 10_000)


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    with tempfile.TemporaryDirectory() as folder, opened(home=folder) as beacon:
        rows = _ingest(beacon.workspace) + _state(beacon.workspace)
    return rows + (_growth() if full else [])


def _ingest(ws: Workspace) -> list[dict[str, Any]]:
    incoming = list(documents(DOCUMENTS))
    texts = [chunk.text for item in incoming for chunk in chunk_document(item.document)]
    megabytes = sum(len(item.document.text.encode()) for item in incoming) / 1e6
    embedding = _rate(len(texts), lambda: ws.embedder.embed(texts))
    vectors = ws.embedder.embed(texts)
    chroma = _rate(len(texts), lambda: _fill(ws, vectors))
    keeping = _rate(len(texts), lambda: _fill_with_texts(ws, texts, vectors))
    seconds, chunks = timed_ingest(ws, incoming)
    ours, slower = chunks / seconds, min(embedding, chroma)
    return [
        {
            "measure": "ingest",
            "value": f"{ours:,.0f} passages/s, {megabytes / seconds:.2f} MB/s",
            "note": f"{chunks} passages of {DOCUMENTS} documents, until the outbox is empty",
        },
        {"measure": "raw embedding", "value": f"{embedding:,.0f} passages/s", "note": "the same texts, nothing else"},
        {"measure": "raw Chroma", "value": f"{chroma:,.0f} passages/s", "note": f"the same vectors, batches of {BATCH}"},
        {
            "measure": "raw Chroma that keeps the texts as well",
            "value": f"{keeping:,.0f} passages/s",
            "note": "for comparison: Beacon keeps them in its records",
        },
        {"measure": "ingest against the slower of the two", "value": f"{ours / slower:.0%}", "goal": "≥ 60 %"},
    ]


def _rate(count: int, work: Any) -> float:
    started = time.perf_counter()
    work()
    return count / (time.perf_counter() - started)


def _fill(ws: Workspace, vectors: np.ndarray[Any, Any]) -> None:
    key = CollectionKey("raw", "bench", vectors.shape[1])
    for at in range(0, len(vectors), BATCH):
        rows = [
            VectorRow(f"row-{at + n}", vector, {"source_id": "s", "version_id": "v"}) for n, vector in enumerate(vectors[at : at + BATCH])
        ]
        ws.vectors.put(key, rows)


def _fill_with_texts(ws: Workspace, texts: list[str], vectors: np.ndarray[Any, Any]) -> None:
    """As somebody who has nothing but Chroma would: add, with the documents, at its own settings for the index."""
    import chromadb

    at_home = urlsplit(Folder(ws.settings.home).find_answering() or "")
    client = chromadb.HttpClient(str(at_home.hostname), at_home.port or 80, settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("raw-with-texts", metadata={"hnsw:space": "cosine"})
    for at in range(0, len(texts), BATCH):
        part = range(at, min(at + BATCH, len(texts)))
        collection.add(
            ids=[f"row-{n}" for n in part],
            embeddings=vectors[part.start : part.stop],
            documents=texts[part.start : part.stop],
            metadatas=[{"source_id": "s", "version_id": "v"} for _ in part],
        )
    client.delete_collection("raw-with-texts")


def timed_ingest(ws: Workspace, incoming: Any) -> tuple[float, int]:
    """(seconds until the outbox is empty, passages)."""
    started = time.perf_counter()
    with ThreadPoolExecutor(1) as pool:
        report = ingest_documents(ws, incoming, origin="bench", after_batch=lambda: pool.submit(drain, ws))
    waiting = drain_all(ws)
    if waiting:
        raise RuntimeError(f"{waiting} rows still wait")
    return time.perf_counter() - started, report.chunks


def _state(ws: Workspace) -> list[dict[str, Any]]:
    """Saving and loading a run's state of a realistic size."""
    from beacon.tools.topics import TopicAdd, topic_add

    topic = topic_add(ws, TopicAdd(title="Bench", queries=["What?"]))
    now = ws.clock()
    sections = [
        {"title": f"Section {n}", "sentences": [{"text": "A sentence of the report. " * 4, "n": k} for k in range(12)]} for n in range(6)
    ]
    state = {"query": "Bench", "tone": "objective", "language": "en", "research_sections": sections, "draft_report": "word " * 4000}
    with ws.records.write() as tx:
        tx.runs.add(Run("run_bench", ws.project_id, topic["id"], now, now, state=state))
    saves, loads = [], []
    for n in range(60):
        started = time.perf_counter()
        with ws.records.write() as tx:
            tx.runs.update("run_bench", now, state={**state, "errors": [str(n)]})
        saves.append(time.perf_counter() - started)
        started = time.perf_counter()
        with ws.records.read() as tx:
            tx.runs.get("run_bench")
        loads.append(time.perf_counter() - started)
    middle = lambda values: sorted(values)[len(values) // 2] * 1000  # noqa: E731
    return [{"measure": "state save / load, median", "value": f"{middle(saves):.1f} / {middle(loads):.1f} ms", "goal": "under 10 ms"}]


def _growth() -> list[dict[str, Any]]:
    seconds = []
    for count in GROWTH:
        with tempfile.TemporaryDirectory() as folder, opened(home=Path(folder)) as beacon:
            beacon.workspace.embedder.embed_query("warm")
            seconds.append(timed_ingest(beacon.workspace, chain(documents(count)))[0])
    ratio = seconds[1] / seconds[0]
    return [
        {
            "measure": "1,000 → 10,000 documents",
            "value": f"{ratio:.1f} × the time",
            "goal": "≤ 12 ×",
            "note": f"{seconds[0]:.1f} s → {seconds[1]:.1f} s",
        }
    ]
