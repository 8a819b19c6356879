"""The question sets search is measured on: made into files that the product reads in, with questions and where their answers are.

A place is what a set counts as found: a turn of a conversation, a passage of an encyclopaedia, a stretch of a document.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.changes import data_folder

TRUTH = Path(__file__).parent / "truth" / "questions_fed_otel.jsonl"
SESSION = re.compile(r"session_\d+")
ADVERSARIAL = 5  # LoCoMo's category of questions that have no answer


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a document's file."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the pieces of evidence that answer it; a piece is found when any of its places is."""

    id: str
    text: str
    evidence: tuple[frozenset[Any], ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """One search space: what to read in, and what is asked of it. `kind` is given to ingest."""

    name: str
    paths: tuple[Path, ...]
    questions: tuple[Question, ...]
    kind: str = ""


def conversations(work: Path) -> Iterator[Collection]:
    """The five conversations, each a collection: turns as JSON Lines, a session a conversation date. Places are turn ids."""
    for sample in json.loads((data_folder() / "locomo-dev" / "conversations.json").read_text(encoding="utf-8")):
        name = sample["sample_id"]
        path = work / f"{name}.jsonl"
        turns = list(_turns(name, sample["conversation"]))
        path.write_text("".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns), encoding="utf-8")
        known = {turn["id"] for turn in turns}
        questions = []
        for n, asked in enumerate(sample["qa"]):
            found = {part for given in asked.get("evidence", ()) for part in re.findall(r"D\d+:\d+", given)} & known
            if asked.get("category") != ADVERSARIAL and found:
                questions.append(Question(f"{name}-{n}", asked["question"], tuple(frozenset({one}) for one in sorted(found))))
        yield Collection(name, (path,), tuple(questions), "conversation")


def _turns(name: str, told: dict[str, Any]) -> Iterator[dict[str, str]]:
    for key in sorted((key for key in told if SESSION.fullmatch(key)), key=lambda key: int(key.split("_")[1])):
        at = datetime.strptime(told[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()
        for turn in told[key]:
            shown = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield {"id": turn["dia_id"], "conversation": name, "speaker": turn["speaker"], "text": turn["text"] + shown, "at": at}


def passages(work: Path) -> Iterator[Collection]:
    """HotpotQA and MuSiQue: each passage a text file with its title in a manifest. Places are passage numbers."""
    folder = data_folder() / "multihop-dev"
    corpus = _loaded(folder / "hotpotqa_train_corpus.json")
    titles = {title: n for n, title in enumerate(corpus)}
    asked = [
        Question(q["_id"], q["question"], tuple(frozenset({titles[t]}) for t in sorted({t for t, _ in q["supporting_facts"]})))
        for q in _loaded(folder / "hotpotqa_train.json")
    ]
    yield Collection("HotpotQA", (_files(work / "hotpot", [(t, "".join(s)) for t, s in corpus.items()]),), tuple(asked))
    rows = [(row["title"], row["text"].strip()) for row in _loaded(folder / "musique_train_corpus.json")]
    place = {row: n for n, row in enumerate(rows)}
    asked = []
    for q in _loaded(folder / "musique_train.json"):
        gold = {place[(p["title"], p["paragraph_text"].strip())] for p in q["paragraphs"] if p["is_supporting"]}
        asked.append(Question(q["id"], q["question"], tuple(frozenset({n}) for n in sorted(gold))))
    yield Collection("MuSiQue", (_files(work / "musique", rows),), tuple(asked))


def _loaded(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _files(folder: Path, rows: Sequence[tuple[str, str]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for n, (title, text) in enumerate(rows):
        (folder / f"{n}.txt").write_text(text, encoding="utf-8")
        listed.append({"id": f"p{n}", "file": f"{n}.txt", "title": title, "url": f"https://example.org/{n}"})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in listed), encoding="utf-8")
    return folder


def documents(work: Path) -> Iterator[Collection]:
    """Our questions over two collections of documents, as given. Places are spans of files; see `bench/truth`."""
    rows = [json.loads(line) for line in TRUTH.read_text(encoding="utf-8").splitlines()]
    for folder, prefix in (("fed-fomc", "fed-"), ("opentelemetry-end-users", "otel-")):
        questions = []
        for row in rows:
            if row["id"].startswith(prefix):
                pieces = [frozenset(Span(s["file"].partition("/")[2], s["start"], s["end"]) for s in one["any"]) for one in row["evidence"]]
                questions.append(Question(row["id"], row["question"], tuple(pieces)))
        yield Collection(folder, (data_folder() / folder,), tuple(questions))


SETS: dict[str, Callable[[Path], Iterator[Collection]]] = {
    "conversations": conversations, "passages": passages, "documents": documents,
}  # fmt: skip
