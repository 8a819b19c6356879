"""Measures What Changed against truth: KEV fields, statements read by a person, cosmetic edits alone and laid over real ones.

`python -m bench.changes [kev|fomc|cosmetic|overlay|…] [--show]` scores in seconds and writes nothing; `--show` prints what was
missed and what was wrong. BEACON_DATA names the folder of data sets (default ../shared/data).
"""

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from beacon.domain.ids import digest
from beacon.runs.views import Seen, View
from bench.change_truth import TRUTH, Reading, Tally, TrueChange, faults, read_truth
from bench.change_views import Item, Span, beacon_changes, items_of, line_diff, read_documents, renamed, sentence_diff, timeline
from bench.cosmetic import AT_ONCE, CASES, Pair, cosmetic_pairs, overlaid_pairs

Row = dict[str, object]
METHODS = ("beacon", "line diff", "sentence diff")
GOAL = 0.95
READ_GOAL = 0.9


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts with what is true of them and what each method lists."""

    name: str
    texts: dict[str, str]
    truth: Sequence[TrueChange]
    lists: dict[str, list[Item]]


def data_folder() -> Path:
    """The folder of measuring data."""
    return Path(os.environ.get("BEACON_DATA", "../shared/data"))


def read_rows(path: Path) -> list[Row]:
    """The rows of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def compare_statements(folder: Path) -> Iterator[Comparison]:
    """Each pair of statements that was read. Raises ValueError when a text is not the one the spans were counted in."""
    hashes, truth = read_truth(TRUTH / "fomc.jsonl")
    issues = {}
    for day, view in timeline(one for one in read_documents(folder) if one.series == "fomc-statement"):
        issues[day] = (view, next(one for one in view.current if one.day == day))
    for (before, after), changes in truth.items():
        names = {}
        for day in (before, after):
            name, text = f"statements/{day}.txt", issues[day][1].version.text
            if digest(text) != hashes[name]:
                raise ValueError(f"{name} is not the text its truth was counted in: mark its spans again")
            names[issues[day][1].version.id] = name
        yield _between(after, issues[before], issues[after], names, changes)


def _between(
    name: str, before: tuple[View, Seen], after: tuple[View, Seen], names: dict[str, str], truth: Sequence[TrueChange]
) -> Comparison:
    texts = {names[one.version.id]: one.version.text for _, one in (before, after)}
    (old_name, old), (new_name, new) = texts.items()
    lists = {
        "beacon": renamed(items_of(beacon_changes(before[0], after[0], "Monetary policy statements")), names),
        "line diff": line_diff(old, new, (old_name, new_name)),
        "sentence diff": sentence_diff(old, new, (old_name, new_name)),
    }
    return Comparison(name, texts, truth, lists)


def compare_entries(folder: Path) -> Iterator[Comparison]:
    """Each day on which the catalogue moved, as a run of that day would find it."""
    truth: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(folder / "truth.jsonl"):
        truth[str(row["date"])].append(row)
    for (_, old), (day, new) in pairwise(timeline(read_documents(folder))):
        texts = {one.version.id: one.version.text for view in (old, new) for one in view.seen.values()}
        yield Comparison(day, texts, _of_day(truth[day], old, new), _entry_lists(old, new))


def _of_day(rows: Sequence[Row], old: View, new: View) -> list[TrueChange]:
    """The fields changed and the entries withdrawn that the truth lists, and the entries that were not there before."""
    before = {one.url: one for one in old.current}
    after = {one.url: one for one in new.seen.values()}
    found = [_listed(row, before[str(row["url"])], after[str(row["url"])]) for row in rows]
    fresh = [one for one in new.current if one.id not in old.seen]
    return found + [TrueChange(one.id, True, (Reading("new", (), (_whole(one),)),)) for one in fresh]


def _listed(row: Row, before: Seen, after: Seen) -> TrueChange:
    name = f"{row['date']} {row['url']} {row['field']}"
    if row["kind"] == "retracted":
        return TrueChange(name, True, (Reading("retracted", (_whole(before),), ()),))
    sides = [(_field(one, str(row["field"]), str(row[key])),) for one, key in ((before, "old"), (after, "new"))]
    return TrueChange(name, True, (Reading("changed", sides[0], sides[1]),))


def _whole(one: Seen) -> Span:
    return Span(one.version.id, 0, len(one.version.text))


def _field(one: Seen, field: str, value: str) -> Span:
    """Where a field stands with this value. Raises ValueError when it does not."""
    at = 0
    for line in one.version.text.split("\n"):
        if line.partition(": ")[0] == field and line.partition(": ")[2].split() == value.split():
            return Span(one.version.id, at, at + len(line))
        at += len(line) + 1
    raise ValueError(f"{one.url} has no field {field} with the value its truth lists")


def _entry_lists(old: View, new: View) -> dict[str, list[Item]]:
    lists: dict[str, list[Item]] = {
        "beacon": items_of(beacon_changes(old, new, "Exploited vulnerabilities")),
        "line diff": [],
        "sentence diff": [],
    }
    for key, one in new.seen.items():
        before = old.seen.get(key)
        if before is not None and before.version.id == one.version.id:
            continue
        names = (before.version.id if before else "", one.version.id)
        sides = (before.version.text if before else "", one.version.text)
        lists["line diff"] += line_diff(*sides, names)
        lists["sentence diff"] += sentence_diff(*sides, names)
    return lists


def compare_overlays(_: Path) -> Iterator[Comparison]:
    """Each pair of ours with real edits under the cosmetic ones."""
    yield from (_of_pair(pair, pair.truth) for pair in overlaid_pairs())


def compare_overlays_at_once(_: Path) -> Iterator[Comparison]:
    """The same with every cosmetic edit at once."""
    yield from (_of_pair(pair, pair.truth) for pair in overlaid_pairs(AT_ONCE))


def _of_pair(pair: Pair, truth: Sequence[TrueChange]) -> Comparison:
    old, new = pair.views()
    (first,), second = old.seen.values(), pair.newer(new)
    names = {first.version.id: "old", second.version.id: "new"}
    lists = {
        "beacon": renamed(items_of(beacon_changes(old, new, first.version.title)), names),
        "line diff": pair.line_diff(),
        "sentence diff": sentence_diff(first.version.text, second.version.text),
    }
    return Comparison(pair.name, {"old": first.version.text, "new": second.version.text}, truth, lists)


Comparer = Callable[[Path], Iterator[Comparison]]
SETS: dict[str, tuple[str, str, float, Comparer]] = {
    "kev": ("cisa-kev", "catalogue entries: fields changed, entries new and withdrawn", GOAL, compare_entries),
    "fomc": ("fed-fomc", "statements, changes read by a person", READ_GOAL, compare_statements),
    "overlay": ("", "own pairs, real edits under cosmetic ones", GOAL, compare_overlays),
    "overlay-at-once": ("", "own pairs, real edits under all cosmetic ones at once", GOAL, compare_overlays_at_once),
}
COSMETIC = {"cosmetic": ("cosmetic edits alone", CASES), "cosmetic-at-once": ("all cosmetic edits at once", AT_ONCE)}
NAMES = ("kev", "fomc", "cosmetic", "overlay", "cosmetic-at-once", "overlay-at-once")


def score(name: str, *, show: bool = False) -> list[Row]:
    """A row for each method on one set; one row that says so where the data is not there."""
    if name in COSMETIC:
        return score_cosmetic(name, show=show)
    folder_name, title, goal, compare = SETS[name]
    folder = data_folder() / folder_name
    if folder_name and not (folder / "manifest.jsonl").exists():
        return [{"measure": f"changes, {title}", "value": "skipped", "note": f"{folder_name} is not there: set BEACON_DATA"}]
    tallies = {method: Tally() for method in METHODS}
    for one in compare(folder):
        for method, tally in tallies.items():
            tally.add(one.lists[method], one.truth)
        if show:
            _show(one)
    return [_row(title, goal, method, tally) for method, tally in tallies.items()]


def _row(title: str, goal: float, method: str, tally: Tally) -> Row:
    goals = f"precision and recall ≥ {goal}" if method == "beacon" else ""
    return {"measure": f"changes, {title}: {method}", "value": tally.line(), "goal": goals, "note": f"told: {tally.note()}"}


def score_cosmetic(name: str, *, show: bool = False) -> list[Row]:
    """How many of our cosmetic pairs give nothing, and how many changes the others give."""
    title, cases = COSMETIC[name]
    silent, total, pairs = dict.fromkeys(METHODS, 0), dict.fromkeys(METHODS, 0), 0
    for pair in cosmetic_pairs(cases):
        one = _of_pair(pair, ())
        pairs += 1
        for method in METHODS:
            silent[method] += not one.lists[method]
            total[method] += len(one.lists[method])
        if show and one.lists["beacon"]:
            _show(one)
    return [
        {
            "measure": f"changes, {title}: {method}",
            "value": f"{silent[method]} of {pairs} pairs silent, {total[method]} changes",
            "goal": f"{pairs} silent, 0 changes" if method == "beacon" else "",
        }
        for method in METHODS
    ]


def _show(one: Comparison) -> None:
    wrong, missed = faults(one.lists["beacon"], one.truth)
    print(f"\n== {one.name}: {len(one.lists['beacon'])} items, {len(wrong)} wrong, {len(missed)} of {len(one.truth)} missed")
    for item in wrong:
        print(f"  wrong {item.kind}")
        _show_sides(one, (item.old,), (item.new,))
    for change in missed:
        print(f"  missed {change.id} {change.readings[0].kind}")
        _show_sides(one, change.readings[0].old, change.readings[0].new)


def _show_sides(one: Comparison, old: Sequence[Span | None], new: Sequence[Span | None]) -> None:
    for mark, spans in (("-", old), ("+", new)):
        for span in spans:
            if span:
                print(f"      {mark} {one.texts.get(span.text, '')[span.start : span.end][:220]!r}")


def measure(full: bool) -> list[Row]:
    """Rows of the bench's table; a set that is not there is named as skipped."""
    return [row for name in NAMES for row in score(name)]


def main() -> int:
    """Print the rows of the sets asked for."""
    parser = argparse.ArgumentParser(prog="bench.changes")
    parser.add_argument("sets", nargs="*", metavar="|".join(NAMES))
    parser.add_argument("--show", action="store_true", help="print what was missed and what was wrong")
    options = parser.parse_args()
    if unknown := set(options.sets) - set(NAMES):
        parser.error(f"there is no set {', '.join(sorted(unknown))}: name some of {', '.join(NAMES)}")
    started = time.perf_counter()
    rows = [row for name in options.sets or NAMES for row in score(name, show=options.show)]
    print("\n".join(f"{row['measure']:<78} {row['value']}  {row.get('note', '')}" for row in rows))
    print(f"{time.perf_counter() - started:.2f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
