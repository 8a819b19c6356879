"""Measures What Changed on real successive versions: prints precision and recall, and what was skipped.

Reads BEACON_DATA (default ../shared/data). `--show` prints the changes themselves.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from beacon.analyst.compare import compare_versions
from beacon.analyst.statements import extract_statements, statement_key
from beacon.domain.change import StatementChange
from beacon.domain.source import Block

Row = dict[str, object]


@dataclass
class Score:
    """Counts of one measure."""

    name: str
    right: int = 0
    wrong: int = 0
    missed: int = 0

    def line(self) -> str:
        """One line of the table."""
        found, true = self.right + self.wrong, self.right + self.missed
        precision, recall = self.right / found if found else 1.0, self.right / true if true else 1.0
        return f"{self.name:<44}{precision:>10.3f}{recall:>10.3f}{true:>8}"

    def add(self, found: set[tuple[str, ...]], true: set[tuple[str, ...]]) -> None:
        """Count one pair of versions."""
        self.right += len(found & true)
        self.wrong += len(found - true)
        self.missed += len(true - found)


def data_folder() -> Path:
    """The folder of measuring data."""
    return Path(os.environ.get("BEACON_DATA", "../shared/data"))


def read_rows(path: Path) -> list[Row]:
    """The rows of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def field_text(value: object) -> tuple[str, list[Block]]:
    """A JSON value as `path: value` lines, one field block each."""
    lines: list[str] = []
    blocks: list[Block] = []
    at = 0
    for path, leaf in _leaves(value, ()):
        line = f"{'.'.join(path)}: {leaf}"
        blocks.append(Block(at, at + len(line), "field", path))
        lines.append(line)
        at += len(line) + 1
    return "\n".join(lines), blocks


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*path, str(number)))
    else:
        yield path, str(value)


def changes_of_series(folder: Path, rows: list[Row]) -> Iterator[tuple[Row, Row, list[StatementChange]]]:
    """Each pair of successive issues with its changes."""
    for before, after in pairwise(rows):
        texts = [(folder / str(row["file"])).read_text(encoding="utf-8") for row in (before, after)]
        old, new = (extract_statements(text) for text in texts)
        yield before, after, compare_versions(old, new, mode="series")


def measure_statements(folder: Path, *, show: bool) -> list[Score]:
    """How well the sentences gone and new are found between successive statements."""
    gone, come = Score("fed-fomc: old sides against sentences gone"), Score("fed-fomc: new sides against sentences new")
    rows = sorted(
        (row for row in read_rows(folder / "manifest.jsonl") if row.get("series") == "fomc-statement"), key=lambda row: str(row["date"])
    )
    truth = {str(row["date"]): row for row in read_rows(folder / "statement_sentences.jsonl")}
    for _, after, changes in changes_of_series(folder, rows):
        wanted = truth[str(after["date"])]
        gone.add(_keys(change.old.text for change in changes if change.old), _keys(wanted["sentences_gone"]))
        come.add(_keys(change.new.text for change in changes if change.new), _keys(wanted["sentences_new"]))
        if show:
            print(f"\n== {after['date']}")
            _show(changes)
    return [gone, come]


def _keys(texts: object) -> set[tuple[str, ...]]:
    return {(statement_key(str(text)),) for text in texts}  # type: ignore[attr-defined]


def measure_fields(folder: Path, *, show: bool) -> list[Score]:
    """How well field changes are found between versions of one entry."""
    score = Score("cisa-kev: fields changed")
    rows = {str(row["id"]): row for row in read_rows(folder / "manifest.jsonl")}
    truth = {(str(t["date"]), str(t["url"]), str(t["field"])) for t in read_rows(folder / "truth.jsonl") if t["kind"] == "changed"}
    found: set[tuple[str, ...]] = set()
    for row in rows.values():
        if not row.get("supersedes") or row.get("withdrawn"):
            continue
        pair = [json.loads((folder / str(one["file"])).read_text(encoding="utf-8")) for one in (rows[str(row["supersedes"])], row)]
        old, new = (extract_statements(*field_text(value)) for value in pair)
        changes = compare_versions(old, new, mode="version")
        found |= {(str(row["version_date"]), str(row["url"]), change.attribute) for change in changes}
        if show:
            print(f"\n== {row['id']}")
            _show(changes)
    score.add(found, {tuple(one) for one in truth})
    return [score]


def _show(changes: list[StatementChange]) -> None:
    for change in changes:
        print(
            f"  {change.kind:<9} {change.materiality:.2f} sim {change.similarity:.2f} [{change.subject}|{change.attribute}] {change.reason}"
        )
        for mark, side in (("-", change.old), ("+", change.new)):
            if side:
                print(f"      {mark} {side.text[:220]}")
        if change.old_value or change.new_value:
            print(f"      {change.old_value[:60]} → {change.new_value[:60]}")


SETS = (("fed-fomc", measure_statements), ("cisa-kev", measure_fields))


def measure(full: bool) -> list[dict[str, object]]:
    """Rows of the bench's table; a set that is not there is named as skipped."""
    rows: list[dict[str, object]] = []
    for name, score_set in SETS:
        folder = data_folder() / name
        if not (folder / "manifest.jsonl").exists():
            rows.append({"measure": f"changes on {name}", "value": "skipped", "note": "the data set is not there: set BEACON_DATA"})
            continue
        for score in score_set(folder, show=False):
            words = score.line().split()
            value = f"precision {words[-3]}, recall {words[-2]}"
            rows.append({"measure": score.name, "value": value, "note": f"{words[-1]} true; these sets were looked at while building"})
    return rows


def main() -> int:
    """Print the table; say what is skipped."""
    show = "--show" in sys.argv
    started = time.perf_counter()
    scores: list[Score] = []
    for name, score_set in SETS:
        folder = data_folder() / name
        if not (folder / "manifest.jsonl").exists():
            print(f"skipped {name}: {folder} is not there (set BEACON_DATA)")
            continue
        scores += score_set(folder, show=show)
    if scores:
        print(f"\n{'measure':<44}{'precision':>10}{'recall':>10}{'true':>8}")
        print("\n".join(score.line() for score in scores))
        print(f"{time.perf_counter() - started:.2f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
