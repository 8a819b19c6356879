"""Measures the names that ingest finds: precision and recall on 300 sentences labelled by reading (bench/truth/entities.jsonl).

Whole documents are worked on as ingest does, so that what a document teaches elsewhere counts.
`python -m bench.entities --show` prints every difference.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from beacon.ingest.entities import entity_key
from beacon.ingest.work import Naming, Work, work_out
from bench.entity_sets import SETS, read_set

TRUTH = Path(__file__).parent / "truth" / "entities.jsonl"
UNSEEN = TRUTH.with_name("entities_unseen.jsonl")
GOAL = "0.85 / 0.80"
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Name:
    """A labelled name: the spans that are as good as each other, the types a reader accepts, and where its full name stands."""

    spans: tuple[Span, ...]
    types: tuple[str, ...]
    full: Span | None
    may: bool

    def touches(self, start: int, end: int) -> bool:
        """Whether any of its spans shares a character with this one."""
        return any(a < end and start < b for a, b in self.spans)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A labelled sentence of a document."""

    file: str
    start: int
    end: int
    sha256: str
    names: tuple[Name, ...]


@dataclass(slots=True)
class Score:
    """Counts over sentences. `found` and `wanted` leave out what may be a name and may not."""

    found: int = 0
    perhaps: int = 0
    wanted: int = 0
    exact: int = 0
    found_near: int = 0
    wanted_near: int = 0
    typed: int = 0
    untyped: int = 0
    full: int = 0
    full_wanted: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def sentences(truth: Path = TRUTH) -> list[Sentence]:
    """The labelled sentences."""
    rows = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    return [Sentence(r["file"], r["start"], r["end"], r["sha256"], tuple(_name(n) for n in r["names"])) for r in rows]


def _name(row: dict[str, Any]) -> Name:
    spans = ((row["start"], row["end"]), *((a, b) for a, b in row.get("or", ())))
    full = (row["name"][0], row["name"][1]) if "name" in row else None
    return Name(spans, tuple(row["types"]), full, row.get("may", False))


def score(text: str, sentence: Sentence, namings: Sequence[Naming]) -> tuple[Score, list[str]]:
    """What was found in a sentence against what a reader finds, and the differences in words."""
    here = [n for n in namings if n.start < sentence.end and sentence.start < n.end]
    wanted = [name for name in sentence.names if not name.may]
    whole = {span for name in sentence.names if name.may for span in name.spans} - {span for name in wanted for span in name.spans}
    firm = [n for n in here if (n.start, n.end) not in whole]  # a maker found inside a product's name is no part of it gone wrong
    near = [n for n in firm if any(w.touches(n.start, n.end) for w in wanted)]
    counted = [n for n in firm if n in near or not any(m.touches(n.start, n.end) for m in sentence.names)]
    told = Score(len(counted), len(here) - len(counted), len(wanted), found_near=len(near))
    wrong = [f"extra\t{text[n.start : n.end]}\t{n.type}" for n in counted if n not in near]
    for name in wanted:
        _score_name(text, name, firm, told, wrong)
    return told, wrong


def _score_name(text: str, name: Name, here: Sequence[Naming], told: Score, wrong: list[str]) -> None:
    surface = text[slice(*name.spans[0])]
    told.full_wanted += name.full is not None
    touching = [n for n in here if name.touches(n.start, n.end)]
    if not touching:
        wrong.append(f"missed\t{surface}\t{name.types[0]}")
        return
    told.wanted_near += 1
    best = next((n for n in touching if (n.start, n.end) in name.spans), None)
    if best is None:
        wrong.append(f"span\t{surface}\t{' + '.join(text[n.start : n.end] for n in touching)}")
        return
    told.exact += 1
    told.typed += best.type in name.types
    told.untyped += best.type == "other" and best.type not in name.types
    if best.type not in name.types:
        wrong.append(f"type\t{surface}\t{best.type}, not {name.types[0]}")
    if name.full is not None:
        full = text[slice(*name.full)]
        told.full += entity_key(best.name) == entity_key(full)
        if entity_key(best.name) != entity_key(full):
            wrong.append(f"name\t{surface}\t{best.name}, not {full}")


def scored(path: Path = TRUTH) -> Iterator[tuple[str, Score, list[str]]]:
    """Each set with its score and its differences. Raises ValueError when a text is no longer the one that was labelled."""
    truth = sentences(path)
    for name in SETS:
        mine = [s for s in truth if s.file.partition("/")[0] == name]
        documents = read_set(name)
        namings = {file: work_out(documents[file], {}).namings for file in sorted({s.file for s in mine})}
        total, differences = Score(), []
        for sentence in mine:
            text = _checked(documents, sentence)
            told, wrong = score(text, sentence, namings[sentence.file])
            total += told
            differences += [f"{sentence.file}@{sentence.start}\t{one}" for one in wrong]
        yield name, total, differences


def _checked(documents: dict[str, Work], sentence: Sentence) -> str:
    text = documents[sentence.file].text
    if not sha256(text[sentence.start : sentence.end].encode()).hexdigest().startswith(sentence.sha256):
        raise ValueError(f"{sentence.file}: the text at {sentence.start} is not the one that was labelled; label it again by reading.")
    return text


def measure(full: bool) -> list[dict[str, Any]]:
    """Rows: precision and recall of exact spans, with spans that overlap, types and full names in the note; then all sets together."""
    total, rows = Score(), []
    for name, one, _ in scored():
        rows.append(_row(name, one, ""))
        total += one
    unseen = sum((one for _, one, _ in scored(UNSEEN)), Score())
    return [*rows, _row("all", total, GOAL), _row("40 sentences not seen while tuning", unseen, GOAL)]


def _row(name: str, one: Score, goal: str) -> dict[str, Any]:
    exact = f"{_share(one.exact, one.found)} / {_share(one.exact, one.wanted)}"
    near = f"{_share(one.found_near, one.found)} / {_share(one.wanted_near, one.wanted)}"
    typed = f"type right {_share(one.typed, one.exact)}, left open {_share(one.untyped, one.exact)}"
    typed += f", full name right {one.full} of {one.full_wanted}"
    strict = f"precision {_share(one.exact, one.found + one.perhaps)} if the {one.perhaps} that may be names were wrong"
    note = f"overlapping spans {near}; {typed}; {one.wanted} names, {one.found} found; {strict}"
    return {"measure": f"entities: precision / recall, {name}", "value": exact, "goal": goal, "note": note}


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "n/a"


def main() -> int:
    """The exit code. Prints the rows, and with --show every difference."""
    parser = argparse.ArgumentParser(prog="bench.entities")
    parser.add_argument("--show", action="store_true", help="every difference, with the file and offset of its sentence")
    show = parser.parse_args().show
    started = time.process_time()
    total = Score()
    for name, one, differences in scored():
        total += one
        print(_row(name, one, ""), *(differences if show else ()), sep="\n")
    print(_row("all", total, GOAL), f"{time.process_time() - started:.1f} s of CPU", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
