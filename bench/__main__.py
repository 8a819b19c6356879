"""`python -m bench`: every measure, printed as a table and kept in bench/results/latest.json. `--full` adds the slow ones.

`--only NAME` takes some of them and keeps them in bench/results/NAME.json, so that the rest of the last table stays.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import changes, entities, facts, insights, kills, memory_use, models, process, retrieval, runs, throughput, typed
from bench.long_pairs import measure as ranking

RESULTS = Path(__file__).parent / "results"
Measure = Callable[[bool], list[dict[str, Any]]]
MEASURES: dict[str, Measure] = {
    "throughput": throughput.measure,
    "process": process.measure,
    "memory": memory_use.measure,
    "changes": changes.measure,
    "runs": runs.measure,
    "kills": kills.measure,
    "facts": facts.measure,
    "typed": typed.measure,
    "insights": insights.measure,
    "entities": entities.measure,
    "retrieval": retrieval.measure,
    "long-pairs": ranking.measure,
    "models": models.measure,
}
SLOW = frozenset({"kills"})  # minutes: only with --full, or by name


def main() -> int:
    """The exit code: 1 when a measure could not be taken."""
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--full", action="store_true", help="also the measures that take long")
    parser.add_argument("--only", choices=sorted(MEASURES), action="append")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    failed = False
    for name in options.only or [one for one in MEASURES if options.full or one not in SLOW]:
        print(f"… {name}", file=sys.stderr, flush=True)
        started = time.perf_counter()
        try:
            rows += MEASURES[name](options.full)
        except Exception as error:  # noqa: BLE001  one measure that cannot be taken must not hide the others
            failed = True
            rows.append({"measure": name, "value": "not taken", "goal": "", "note": f"{type(error).__name__}: {error}"})
        print(f"  {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    _print(rows)
    RESULTS.mkdir(exist_ok=True)
    name = "-".join(options.only) if options.only else "latest"
    (RESULTS / f"{name}.json").write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2) + "\n", encoding="utf-8")
    return 1 if failed else 0


def machine() -> str:
    """What this ran on, in one line."""
    try:
        cpu = next(line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor() or platform.machine()
    return f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, {platform.system()}"


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"\nOn {machine()}\n\n| measure | value | goal | note |\n| --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row['measure']} | {row['value']} | {row.get('goal', '')} | {row.get('note', '')} |")


if __name__ == "__main__":
    sys.exit(main())
