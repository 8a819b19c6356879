"""How well search finds what is asked for, beside its parts and beside BM25 alone, all read in and asked through the product.

BEACON_DATA names the folder of data sets (default ../shared/data); sets that are not there are said to be skipped.
"""

import math
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from beacon.analyst.tokens import content_tokens
from beacon.bootstrap import Beacon, opened
from beacon.projections import drain_all
from bench.changes import data_folder, read_rows
from bench.retrieval_sets import SETS, Collection, Question, Span
from bench.retrieval_speed import measure_speed

CUTS = (5, 10)
WAYS: dict[str, dict[str, str]] = {
    "hybrid": {},
    "hybrid without graph": {"recipe": "unlinked"},
    "words and vectors": {"recipe": "plain"},
    "full text": {"mode": "lexical"},
    "dense": {"mode": "dense"},
    "graph": {"mode": "graph"},
}
PARTS = ("full text", "dense", "graph")
GOALS = {"HotpotQA": ("R@5 ≥ 85", "R@5 ≥ 86"), "MuSiQue": ("R@5 ≥ 63", "R@5 ≥ 64")}  # with the default embedder, with MiniLM
GAIN = {"static": 12, "minilm": 15}
K1, B = 0.9, 0.4  # of the baseline
RUN, STEP = 40, 10  # letters of a span that must be in a passage, and how far apart they are looked for
Places = Callable[[dict[str, Any]], frozenset[Any]]
Recall = dict[int, list[float]]


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows of the table."""
    embedder = os.environ.get("BEACON_EMBEDDER", "static")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, folders in (("conversations", "locomo-dev"), ("passages", "multihop-dev"), ("documents", "fed-fomc")):
            if (data_folder() / folders).is_dir():
                rows += _measured(name, Path(folder), embedder)
            else:
                rows.append({"measure": name, "value": "skipped", "note": f"{folders} is not in BEACON_DATA"})
    return rows + measure_speed(full)


def _measured(name: str, folder: Path, embedder: str) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Recall]] = {}
    for collection in SETS[name](folder):
        results = measure_collection(folder / f"home-{collection.name}", collection)
        label = name if name == "conversations" else collection.name
        for way, recall in results.items():
            kept = found.setdefault(label, {}).setdefault(way, {cut: [] for cut in CUTS})
            for cut in CUTS:
                kept[cut] += recall[cut]
    return [row for label, ways in found.items() for row in _rows(label, ways, embedder)]


def _rows(label: str, ways: dict[str, Recall], embedder: str) -> list[dict[str, Any]]:
    means = {way: {cut: 100 * sum(recall[cut]) / len(recall[cut]) for cut in CUTS} for way, recall in ways.items()}
    asked = len(next(iter(ways.values()))[CUTS[0]])
    rows = [{"measure": f"{label}: {way}", "value": _shown(mean), "note": f"{asked} questions, {embedder}"} for way, mean in means.items()]
    hybrid = means["hybrid"]
    if "BM25 alone" in means:
        gain = " / ".join(f"{hybrid[cut] - means['BM25 alone'][cut]:+.1f}" for cut in CUTS)
        rows.append({"measure": f"{label}: gain over BM25", "value": gain, "goal": f"≥ +{GAIN.get(embedder, 12)} at both"})
    if label in GOALS:
        rows[0]["goal"] = GOALS[label][embedder == "minilm"]
        best = {cut: max(means[part][cut] for part in PARTS) for cut in CUTS}
        less = " / ".join(f"{hybrid[cut] - best[cut]:+.1f}" for cut in CUTS)
        rows.append({"measure": f"{label}: hybrid against its best part", "value": less, "goal": "≥ -1"})
    return rows


def _shown(mean: dict[int, float]) -> str:
    return "R@5 / R@10 " + " / ".join(f"{mean[cut]:.1f}" for cut in CUTS)


def measure_collection(home: Path, collection: Collection) -> dict[str, Recall]:
    """way → recall of every question, over one collection that is read in first."""
    with opened(home=home) as beacon:
        beacon.call("ingest_paths", paths=[str(path) for path in collection.paths], kind=collection.kind)
        if waiting := drain_all(beacon.workspace):
            raise RuntimeError(f"{waiting} rows still wait")
        places = places_of(beacon, collection)
        ways = {way: ask_all(beacon, collection.questions, places, given) for way, given in WAYS.items()}
        if collection.kind == "conversation":
            ways["BM25 alone"] = _baseline(collection)
    return ways


def ask_all(beacon: Beacon, questions: Sequence[Question], places: Places, given: dict[str, str]) -> Recall:
    """cut → recall of each question."""
    recall: Recall = {cut: [] for cut in CUTS}
    for question in questions:
        found = [places(hit) for hit in beacon.call("search", query=question.text, k=max(CUTS), **given)]
        for cut in CUTS:
            recall[cut].append(_recall(question, found, cut))
    return recall


def _recall(question: Question, found: Sequence[frozenset[Any]], cut: int) -> float:
    """The share of the evidence among the first `cut` places: a passage of several turns takes as many."""
    seen: set[Any] = set()
    taken = 0
    for places in found:
        width = max(sum(not isinstance(place, Span) for place in places), 1)
        if taken + width > cut:
            break
        taken += width
        seen |= places
    return sum(not piece.isdisjoint(seen) for piece in question.evidence) / len(question.evidence)


def places_of(beacon: Beacon, collection: Collection) -> Places:
    """What a hit counts as: turns, a passage, or a span of a file."""
    if collection.kind == "conversation":
        return _turn_places(beacon)
    if collection.name in GOALS:
        return lambda hit: frozenset({int(str(hit["url"]).rsplit("/", 1)[1])})
    return _span_places(collection)


def _turn_places(beacon: Beacon) -> Places:
    with beacon.workspace.records.read() as tx:
        events = tx.events.all(beacon.workspace.project_id, types=("turn_said",), limit=100_000)
    turns = {event.id: str(event.payload["turn"]) for event in events}
    return lambda hit: frozenset(turns[key] for key in hit["event_ids"])


def _span_places(collection: Collection) -> Places:
    """Which of the questions' spans a hit tells of: any run of letters of the span is in it. Parsing drops marks and addresses."""
    folder = collection.paths[0]
    files: dict[str, set[str]] = {}
    for row in read_rows(folder / "manifest.jsonl"):
        files.setdefault(str(row.get("url", "")), set()).add(str(row.get("file", "")))
    pieces = {}
    for span in {one for question in collection.questions for piece in question.evidence for one in piece}:
        letters = _letters((folder / span.file).open(encoding="utf-8", newline="").read()[span.start : span.end])
        pieces[span] = [letters[at : at + RUN] for at in range(0, max(len(letters) - RUN, 0) + 1, STEP)]

    def places(hit: dict[str, Any]) -> frozenset[Any]:
        told, known = _letters(str(hit["text"])), files.get(str(hit["url"]), set())
        return frozenset(span for span, runs in pieces.items() if span.file in known and any(run in told for run in runs))

    return places


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _baseline(collection: Collection) -> Recall:
    """BM25 alone over turns with their date and speaker, worked out here and not by the product."""
    turns = read_rows(collection.paths[0])
    texts = [Counter(content_tokens(f"[{t['at']}] {_words_of(str(t['at']))} {t['speaker']}: {t['text']}")) for t in turns]
    mean = sum(text.total() for text in texts) / len(texts)
    frequency = Counter(word for text in texts for word in text)
    recall: Recall = {cut: [] for cut in CUTS}
    for question in collection.questions:
        wanted = set(content_tokens(question.text))
        scores = [
            math.fsum(
                math.log(1 + (len(texts) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                * text[word] * (K1 + 1) / (text[word] + K1 * (1 - B + B * text.total() / mean))
                for word in wanted if word in text
            )
            for text in texts
        ]  # fmt: skip
        order = sorted(range(len(turns)), key=lambda n: (-scores[n], n))
        for cut in CUTS:
            recall[cut].append(_recall(question, [frozenset({turns[n]["id"]}) for n in order[:cut]], cut))
    return recall


def _words_of(at: str) -> str:
    """The date in words: questions name months."""
    from datetime import datetime

    return re.sub(r"\b0", "", datetime.fromisoformat(at).strftime("%d %B %Y"))
