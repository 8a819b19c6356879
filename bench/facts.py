"""Measures the life of a fact: runs the cases of bench/truth/facts.jsonl through reading and keeping, step by step.

Prints for each family how many facts were retired that should not have been, how many stale ones are stated as current, and how many
cases agree in everything. `python -m bench.facts --show` names what differs; `--only FAMILY` runs one family.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from beacon.bootstrap import open_beacon
from beacon.domain.clock import parse_when
from beacon.domain.ids import make_id
from beacon.domain.memory import Memory
from beacon.domain.source import IncomingDocument
from beacon.ingest.parse import parse_bytes
from beacon.ingest.pipeline import ingest_documents
from beacon.memory import keep
from beacon.memory.fact_keeping import keep_facts
from beacon.memory.facts import holds_at, holds_now
from beacon.memory.search import believed
from beacon.settings import Settings
from beacon.workspace import Workspace

CASES = Path(__file__).parent / "truth" / "facts.jsonl"
UNSEEN = CASES.with_name("facts_unseen.jsonl")
ALIVE = ("current", "held", "upcoming", "contradicted")
OVER = ("superseded", "retracted", "retired", "not_current")
FORMS = {"md": ("md", "text/markdown"), "html": ("html", "text/html"), "json": ("json", "application/json")}
START = datetime(2020, 1, 1, tzinfo=UTC)
ASKED_AT = datetime(2026, 7, 1, tzinfo=UTC)


@dataclass
class Score:
    """Counts of one family."""

    cases: int = 0
    agreed: int = 0
    alive: int = 0
    wrongly_retired: int = 0
    over: int = 0
    stale: int = 0
    missing: int = 0
    moments: int = 0
    wrong_moments: int = 0
    asked: int = 0
    stale_answers: int = 0
    right_answers: int = 0
    differs: list[str] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        """Add the counts of another."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class _Clock:
    """A clock that the cases set."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        return self.at


def read_cases(only: Sequence[str] = (), path: Path = CASES) -> list[dict[str, Any]]:
    """The cases, of some families or of all."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if not only or row["family"] in only]


def run_cases(cases: Sequence[Mapping[str, Any]], *, ask: bool = False) -> dict[str, Score]:
    """Family → score, every case in a project of its own."""
    scores: dict[str, Score] = {}
    clock = _Clock()
    with tempfile.TemporaryDirectory(prefix="beacon-facts-") as home:
        beacon = open_beacon(settings=Settings(home=Path(home)), clock=clock)
        try:
            for case in cases:
                found = _run(beacon.workspace, clock, case, ask=ask)
                scores.setdefault(str(case["family"]), Score()).add(found)
        finally:
            beacon.close()
    return scores


def _run(base: Workspace, clock: _Clock, case: Mapping[str, Any], *, ask: bool) -> Score:
    clock.at = START
    with base.records.write() as tx:
        project_id = tx.projects.ensure(str(case["id"]), START)
    ws = replace(base, project_id=project_id, _lock=Lock())
    score, told = Score(cases=1), []
    for n, step in enumerate(case["steps"], 1):
        clock.at = _moment(step, clock.at)
        STEPS[step["do"]](ws, step)
        rows = _facts(ws)
        for wanted in step["then"]:
            told += [f"step {n}: {text}" for text in _judge(rows, wanted, clock.at, score)]
    clock.at = max(clock.at, ASKED_AT)
    for asked in case.get("as_of", ()):
        told += _judge_moment(ws, asked, score)
    if ask and case.get("ask"):
        _ask(ws, case["ask"], score, told)
    score.agreed = int(not told)
    score.differs = [f"{case['id']} {text}" for text in told]
    return score


def _moment(step: Mapping[str, Any], before: datetime) -> datetime:
    """When a step happens: as it says, or on the morning after its document's date."""
    if step.get("at"):
        return parse_when(step["at"]) + timedelta(hours=9)
    return parse_when(step["date"]) + timedelta(days=1, hours=9) if step.get("date") else before + timedelta(hours=1)


def _read(ws: Workspace, step: Mapping[str, Any]) -> None:
    ending, media = FORMS[step.get("form", "md")]
    document = parse_bytes(str(step["text"]).encode(), name=f"{step['key']}.{ending}", media_type=media)
    given = {name: step[name] for name in ("series", "derived_from", "kind", "voice") if step.get(name)}
    date = parse_when(step["date"]) if step.get("date") else None
    title = str(step.get("title") or "")
    _ingest(ws, IncomingDocument(step["key"], "", title, document, version_date=date, metadata={"id": step["key"]}, **given))


def _withdraw(ws: Workspace, step: Mapping[str, Any]) -> None:
    _ingest(ws, IncomingDocument(step["key"], "", "", None, version_date=parse_when(step["date"]), withdrawn=True))


def _ingest(ws: Workspace, incoming: IncomingDocument) -> None:
    report = ingest_documents(ws, [incoming], origin="bench")
    keep_facts(ws, report.source_ids)


def _remove(ws: Workspace, step: Mapping[str, Any]) -> None:
    source_id = make_id("src", ws.project_id, step["key"])
    with ws.records.write() as tx:
        tx.sources.set_status(source_id, "removed")
    keep_facts(ws, [source_id])


def _tell(ws: Workspace, step: Mapping[str, Any]) -> None:
    keep.add_memory(ws, step["text"], given={"pinned": bool(step.get("pin"))})


def _rule(ws: Workspace, step: Mapping[str, Any]) -> None:
    with ws.records.read() as tx:
        (case,) = tx.facts.contradictions(ws.project_id, statuses=["open"])
    kept = next(
        side["memory_id"] for side in case.sides if step["keep"] in str(side["shown"]) or step["keep"] in _text(ws, side["memory_id"])
    )
    keep.rule(ws, case.id, kept)


def _text(ws: Workspace, memory_id: str) -> str:
    with ws.records.read() as tx:
        return tx.memories.get(memory_id).text


STEPS: dict[str, Callable[[Workspace, Mapping[str, Any]], None]] = {
    "read": _read, "withdraw": _withdraw, "remove": _remove, "tell": _tell, "rule": _rule, "clock": lambda ws, step: _tick(ws),
}  # fmt: skip


def _tick(ws: Workspace) -> None:
    keep_facts(ws)


def _facts(ws: Workspace, known: datetime | None = None) -> list[Memory]:
    with ws.records.read() as tx:
        return believed(ws, tx, as_of=known, tiers=("semantic",), statuses=None)


def _named(rows: Sequence[Memory], words: str) -> list[Memory]:
    return [row for row in rows if any(words in str(quote) for quote in (row.text, *(c["quote"] for c in row.citations)))]


def _judge(rows: Sequence[Memory], wanted: Mapping[str, Any], now: datetime, score: Score) -> Iterator[str]:
    """What differs from what must be true of one fact."""
    found, state, words = _named(rows, wanted["fact"]), wanted["is"], wanted["fact"]
    holding = [row for row in found if holds_now(row, now)]
    retired = [row for row in found if row.status in ("superseded", "retracted", "archived")]
    if state in ALIVE:
        score.alive += 1
        if found and len(retired) == len(found):
            score.wrongly_retired += 1
            yield f"'{words}' is {retired[0].status}, must be {state}"
            return
    if state in OVER:
        score.over += 1
        if holding:
            score.stale += 1
            yield f"'{words}' is stated as current, must be {state}"
            return
    if state in ("held", "not_current"):
        return
    fit = [row for row in found if _is_in(row, state, now)]
    if not fit:
        score.missing += not found
        yield f"'{words}' is {', '.join(row.status for row in found) or 'not kept'}, must be {state}"
        return
    problems = [list(_details(row, wanted, rows)) for row in fit]
    yield from min(problems, key=len)


def _is_in(row: Memory, state: str, now: datetime) -> bool:
    if state == "current":
        return holds_now(row, now)
    if state == "upcoming":
        return row.status == "current" and row.valid_from is not None and row.valid_from > now
    return row.status in (("superseded", "retracted") if state == "retired" else (state,))


def _details(row: Memory, wanted: Mapping[str, Any], rows: Sequence[Memory]) -> Iterator[str]:
    words = wanted["fact"]
    by_id = {one.id: one for one in rows}
    if "by" in wanted and (row.replaced_by not in by_id or not _named([by_id[row.replaced_by]], wanted["by"])):
        yield f"'{words}' is not linked to '{wanted['by']}'"
    against = [by_id[ref] for ref in row.metadata.get("contradicts", []) if ref in by_id]
    for other in wanted.get("with", ()):
        if not _named(against, other):
            yield f"'{words}' does not stand against '{other}'"
    if "witnesses" in wanted and row.metadata.get("witnesses", 1) != wanted["witnesses"]:
        yield f"'{words}' has {row.metadata.get('witnesses', 1)} witnesses, must have {wanted['witnesses']}"
    for name, at in (("from", row.valid_from), ("to", row.valid_to)):
        if name in wanted and (at is None or at.date().isoformat() != wanted[name]):
            yield f"'{words}' is valid {name} {at and at.date()}, must be {wanted[name]}"
    silent = row.retired_at is None or not row.metadata.get("reason")
    if silent and row.status in ("superseded", "retracted", "archived") and row.metadata.get("origin") == "facts":
        yield f"'{words}' was retired silently"


def _judge_moment(ws: Workspace, asked: Mapping[str, Any], score: Score) -> Iterator[str]:
    valid = parse_when(asked["valid"]) + timedelta(hours=12)
    known = parse_when(asked["known"], end_of_day=True) if asked.get("known") else None
    there = [row for row in _facts(ws, known) if holds_at(row, valid)]
    score.moments += 1
    problems = [
        f"at {asked['valid']} (known {asked.get('known', 'now')}) '{w}' does not hold" for w in asked["holds"] if not _named(there, w)
    ]
    problems += [f"at {asked['valid']} (known {asked.get('known', 'now')}) '{w}' holds" for w in asked["not"] if _named(there, w)]
    score.wrong_moments += bool(problems)
    yield from problems


def _ask(ws: Workspace, asked: Mapping[str, Any], score: Score, told: list[str]) -> None:
    from beacon.chat.ask import Question, ask

    answer = str(ask(ws, Question(asked["question"]))["answer"])
    stale = [words for words in asked["not"] if words in answer]
    right = all(words in answer for words in asked["has"])
    score.asked += 1
    score.stale_answers += bool(stale)
    score.right_answers += right
    if stale or not right:
        told.append(f"asked '{asked['question']}': {answer[:160]}")


def table(scores: Mapping[str, Score]) -> list[str]:
    """The lines of the table."""
    lines = [
        f"{'family':<15}{'cases':>6}{'agree':>7}{'wrongly retired':>17}"
        f"{'stale as current':>18}{'not kept':>10}{'as-of wrong':>13}{'stale answers':>15}"
    ]
    total = Score()
    for name in sorted(scores):
        total.add(scores[name])
    for name, one in [*sorted(scores.items()), ("all", total)]:
        lines.append(
            f"{name:<15}{one.cases:>6}{one.agreed:>7}{f'{one.wrongly_retired}/{one.alive}':>17}{f'{one.stale}/{one.over}':>18}{one.missing:>10}"
            f"{f'{one.wrong_moments}/{one.moments}':>13}{f'{one.stale_answers}/{one.asked}':>15}"
        )
    return lines


def measure(full: bool) -> list[dict[str, object]]:
    """Rows of the bench's table."""
    started = time.perf_counter()
    scores = run_cases(read_cases(), ask=True)
    print("\n".join(table(scores)), file=sys.stderr)
    total = Score()
    for one in scores.values():
        total.add(one)
    note = f"{total.cases} cases of {len(scores)} families, {time.perf_counter() - started:.0f} s"
    rows = _rows("facts", total, note)
    unseen = Score()
    for one in run_cases(read_cases(path=UNSEEN), ask=True).values():
        unseen.add(one)
    return [*rows, *_rows("facts in other words", unseen, f"{unseen.cases} cases written once the code stood")]


def _rows(name: str, total: Score, note: str) -> list[dict[str, object]]:
    wrong, stale = total.wrongly_retired / max(1, total.alive), total.stale / max(1, total.over)
    kept = f"{total.right_answers} say the current one"
    return [
        {"measure": f"{name}: wrongly retired", "value": f"{wrong:.1%} of {total.alive}", "goal": "≤ 1 %", "note": note},
        {"measure": f"{name}: stale stated as current", "value": f"{stale:.1%} of {total.over}", "goal": "≤ 1 %"},
        {
            "measure": f"{name}: agree in everything",
            "value": f"{total.agreed / max(1, total.cases):.1%}",
            "note": "links, dates, both clocks",
        },
        {"measure": f"{name}: not kept at all", "value": f"{total.missing} of {total.alive + total.over}"},
        {"measure": f"{name}: answers that state a stale one", "value": f"{total.stale_answers} of {total.asked}", "note": kept},
    ]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.facts")
    parser.add_argument("--show", action="store_true", help="name what differs")
    parser.add_argument("--ask", action="store_true", help="also ask the questions")
    parser.add_argument("--unseen", action="store_true", help="the cases in other words")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    started = time.perf_counter()
    scores = run_cases(read_cases(options.only, UNSEEN if options.unseen else CASES), ask=options.ask)
    if options.show:
        print("\n".join(line for name in sorted(scores) for line in scores[name].differs))
    print("\n".join(table(scores)))
    print(f"{time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
