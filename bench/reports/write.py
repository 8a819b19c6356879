"""Writes the reports of the sample workspace, one a round, into this folder: `python -m bench.reports.write`."""

import tempfile
from pathlib import Path

from beacon.bootstrap import open_beacon

HERE = Path(__file__).parent


def main() -> None:
    """Runs every round of the sample on a new data folder, offline, and keeps what was published."""
    with tempfile.TemporaryDirectory() as folder:
        beacon = open_beacon(home=folder)
        try:
            shown = beacon.call("demo")
            for one in shown["rounds"]:
                report = beacon.call("report_show", slug=shown["slug"], run=one["run"], published=True)
                (HERE / f"round-{one['run']}.md").write_text(report["markdown"], encoding="utf-8")
        finally:
            beacon.close()


if __name__ == "__main__":
    main()
