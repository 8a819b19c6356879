"""How long a search takes over many passages, beside its raw parts; and what walks over a graph of known size take."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from beacon.bootstrap import opened
from beacon.domain.graph import Edge
from beacon.domain.source import Block, Document, IncomingDocument
from beacon.projections import chunk_collection
from beacon.retrieval.passages import passages_of
from beacon.retrieval.ppr import ppr
from beacon.retrieval.search import search
from beacon.workspace import Workspace
from bench.throughput import timed_ingest

PASSAGES, FULL_PASSAGES = 5_000, 100_000
VOCABULARY = 30_000
QUERIES = 120
NODES, EDGES = 10_000, 50_000
SYLLABLES = (
    "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su".split()
)


def measure_speed(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    count = FULL_PASSAGES if full else PASSAGES
    with tempfile.TemporaryDirectory() as folder, opened(home=folder) as beacon:
        seconds, chunks = timed_ingest(beacon.workspace, articles(count))
        rows = _queries(beacon.workspace, chunks, seconds)
    return rows + _walks()


def _word(n: int) -> str:
    return SYLLABLES[n % 40] + SYLLABLES[n // 40 % 40] + SYLLABLES[n // 1600 % 40]


def articles(count: int, seed: int = 3) -> Iterator[IncomingDocument]:
    """`count` documents of one passage each, titled with a name, that name one another as an encyclopaedia does; words by Zipf."""
    source = random.Random(seed)
    words = [_word(n) for n in range(VOCABULARY)]
    weights = list(accumulate(1 / (n + 2) for n in range(VOCABULARY)))
    for n in range(count):
        said = source.choices(words, cum_weights=weights, k=70)
        for at in range(10, 70, 20):
            said[at] = _name(source.randrange(count))
        text = f"{_name(n)} {' '.join(said[:35])}. {said[35].capitalize()} {' '.join(said[36:])}."
        document = Document(text, _name(n), "text/plain", (Block(0, len(text), "paragraph"),))
        yield IncomingDocument(f"speed:{n}", f"https://example.org/{n}", _name(n), document)


def _name(n: int) -> str:
    return f"{_word(n).capitalize()} {_word(n // 7 + 11).capitalize()}"


def questions(count: int, seed: int = 5) -> Iterator[str]:
    """Questions of six words and a name."""
    source = random.Random(seed)
    weights = list(accumulate(1 / (n + 2) for n in range(VOCABULARY)))
    words = [_word(n) for n in range(VOCABULARY)]
    for _ in range(QUERIES):
        yield f"{' '.join(source.choices(words, cum_weights=weights, k=6))} {_name(source.randrange(count))}?"


def _queries(ws: Workspace, chunks: int, seconds: float) -> list[dict[str, Any]]:
    asked = list(questions(chunks))
    started = time.perf_counter()
    search(ws, asked[0], 10)
    first = time.perf_counter() - started
    vectors = [ws.embedder.embed_query(text) for text in asked]
    hybrid = _times(asked, lambda text: search(ws, text, 10))
    words = _times(asked, lambda text: _full_text(ws, text))
    chroma = _times(vectors, lambda vector: ws.vectors.query(chunk_collection(ws), vector, 10))
    note = f"{chunks:,} passages; p95 against full text alone {hybrid[1] / words[1]:.1f} ×, Chroma alone {hybrid[1] / chroma[1]:.1f} ×"
    reading = _times([0], lambda _: passages_of(ws))
    return [
        {
            "measure": "search, hybrid and graph",
            "value": f"p50 {hybrid[0]:.0f} ms, p95 {hybrid[1]:.0f} ms",
            "goal": "p95 ≤ 50 ms",
            "note": note,
        },
        {"measure": "FTS5 alone", "value": f"p50 {words[0]:.0f} ms, p95 {words[1]:.0f} ms", "note": "the same words, OR, bm25(), ten best"},
        {"measure": "Chroma alone", "value": f"p50 {chroma[0]:.0f} ms, p95 {chroma[1]:.0f} ms", "note": "ten nearest"},
        {"measure": "first search of a process", "value": f"{first:.1f} s", "note": f"reading the passages in again {reading[0]:.1f} ms"},
        {"measure": "index rate", "value": f"{chunks / seconds:,.0f} passages/s", "note": "records, full text, names, vectors"},
    ]


def _full_text(ws: Workspace, text: str) -> Any:
    from beacon.retrieval.lexical import query_terms

    with ws.records.read() as tx:
        return tx.sources.search_text(ws.project_id, query_terms(text), 10)


def _times(given: list[Any], work: Callable[[Any], Any]) -> tuple[float, float]:
    """(median, 95th percentile) in milliseconds."""
    taken = []
    for one in given:
        started = time.perf_counter()
        work(one)
        taken.append((time.perf_counter() - started) * 1000)
    return float(np.percentile(taken, 50)), float(np.percentile(taken, 95))


def _walks() -> list[dict[str, Any]]:
    source = random.Random(11)
    ids = [f"ent_{n:05}" for n in range(NODES)]
    edges = []
    for n in range(EDGES):
        head, tail = sorted(source.sample(range(NODES), 2))
        edges.append(Edge(f"rel_{n:05}", ids[head], ids[tail], "co_occurs", float(source.randint(1, 9))))
    from beacon.retrieval.ppr import WalkableGraph

    graph = WalkableGraph(edges)
    seeds = [{ids[source.randrange(NODES)]: 1.0} for _ in range(30)]
    ranked = _times(seeds, graph.ranks)
    hops = _times(seeds, lambda start: graph.around(list(start), 2))
    whole = _times(seeds[:3], lambda start: ppr(edges, start))
    size = f"{NODES:,} nodes, {EDGES:,} relations"
    return [
        {"measure": "personalised PageRank", "value": f"p50 {ranked[0]:.1f} ms, p95 {ranked[1]:.1f} ms", "goal": "< 10 ms", "note": size},
        {"measure": "two hops", "value": f"p50 {hops[0]:.2f} ms, p95 {hops[1]:.2f} ms", "goal": "< 5 ms", "note": size},
        {"measure": "the same from bare relations", "value": f"p50 {whole[0]:.0f} ms", "note": "building the matrix included"},
    ]
