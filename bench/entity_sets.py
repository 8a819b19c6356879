"""The documents that entities are measured on, as ingest reads them, and the sentences drawn from them."""

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from beacon.analyst.sentences import split_sentences
from beacon.domain.source import Document
from beacon.ingest.conversation import read_conversation
from beacon.ingest.conversations import conversation_document
from beacon.ingest.manifest import read_folder
from beacon.ingest.parse import parse_bytes
from beacon.ingest.work import Work
from bench.changes import data_folder
from bench.retrieval_sets import conversations

FOLDERS = ("fed-fomc", "cisa-kev", "opentelemetry-end-users", "onrr-user-research")
PASSAGES = ("hotpotqa_train_corpus.json", "musique_train_corpus.json")
SETS = (*FOLDERS, "multihop-dev", "locomo-dev")
PER_SET = 50
LENGTHS = (25, 400)  # characters: shorter ones are labels, longer ones are tables
WORDS = 4
_WORD = re.compile(r"[^\W\d_]{2,}")
_CAPITAL = re.compile(r"[^.:|\s] (?!I\b)[A-Z]")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sentence of a document. `file` is the set, what ingest knows the document by, and where versions or rows differ, which."""

    file: str
    start: int
    end: int


def read_set(name: str) -> dict[str, Work]:
    """The documents of a set, by file, as ingest works on them."""
    if name == "locomo-dev":
        return dict(_conversations(name))
    return dict(_passages(name)) if name == "multihop-dev" else dict(_folder(name))


def _folder(name: str) -> Iterator[tuple[str, Work]]:
    for one in read_folder(data_folder() / name).documents:
        if one.document is not None:
            row = f"#{one.metadata['row']}" if "row" in one.metadata else ""
            when = f"@{one.version_date:%Y-%m-%d}" if one.version_date else ""
            yield f"{name}/{one.key}{when}{row}", Work(one.document.text, one.document.blocks, one.title)


def _passages(name: str) -> Iterator[tuple[str, Work]]:
    for file in PASSAGES:
        corpus = json.loads((data_folder() / name / file).read_text(encoding="utf-8"))
        titled = corpus.items() if isinstance(corpus, dict) else ((row["title"], [row["text"].strip()]) for row in corpus)
        for n, (title, parts) in enumerate(titled):
            document = parse_bytes("".join(parts).encode(), name=f"{n}.txt")
            yield f"{name}/{file}#{n}", Work(document.text, document.blocks, title)


def _conversations(name: str) -> Iterator[tuple[str, Work]]:
    with tempfile.TemporaryDirectory() as work:
        for one in conversations(Path(work)):
            path = one.paths[0]
            document: Document = conversation_document(one.name, read_conversation(path.read_bytes(), path.name).turns)
            yield f"{name}/{one.name}", Work(document.text, document.blocks, one.name, in_turns=True)


def draw(documents: dict[str, Work]) -> list[Drawn]:
    """Fifty sentences of least hash of file and offset, half of them among those with a capital letter in mid-sentence; in order.

    Most sentences of a talk name nothing: without the second half there would be little to find.
    """
    ranked = sorted((_rank(file, start), file, start, end) for file, work in documents.items() for start, end in split_sentences(work.text))
    drawn: dict[str, Drawn] = {}
    for capital in (False, True):
        wanted = len(drawn) + PER_SET // 2
        for _, file, start, end in ranked:
            text = documents[file].text[start:end]
            if len(drawn) < wanted and text not in drawn and _is_sentence(text) and (not capital or _CAPITAL.search(text)):
                drawn[text] = Drawn(file, start, end)
    return sorted(drawn.values(), key=lambda one: (one.file, one.start))


def _is_sentence(text: str) -> bool:
    return LENGTHS[0] <= len(text) <= LENGTHS[1] and len(_WORD.findall(text)) >= WORDS


def _rank(file: str, start: int) -> str:
    return sha256(f"{file}:{start}".encode()).hexdigest()
