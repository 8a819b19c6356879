"""`python -m bench.long_pairs [FOLDER]`: writes truth.jsonl anew, and both sides of every pair into FOLDER.

`python -m bench.long_pairs --show [PAIR…]` prints Beacon's lists, each item with the entries it tells.
"""

import json
import sys
from pathlib import Path

from bench.long_pairs.build import HERE, build_pairs
from bench.long_pairs.measure import show


def main() -> int:
    """0; prints the size of each pair."""
    if "--show" in sys.argv[1:2]:
        for pair in build_pairs():
            if pair.id in sys.argv[2:] or not sys.argv[2:]:
                print(f"\n== {pair.id}", *show(pair), sep="\n")
        return 0
    rows = []
    for pair in build_pairs():
        rows += [entry.as_json(pair.id) for entry in pair.entries]
        important = sum(entry.weight == "important" for entry in pair.entries)
        words = f"{len(pair.old.split()):>6}{len(pair.new.split()):>7}"
        print(f"{pair.id:<24}{words} words, {important} important, {len(pair.entries) - important} minor")
        for folder in sys.argv[1:2]:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for side, text in (("old", pair.old), ("new", pair.new)):
                (Path(folder) / f"{pair.id}.{side}{pair.suffix}").write_text(text, encoding="utf-8")
    (HERE / "truth.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
