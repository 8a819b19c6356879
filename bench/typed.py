"""How much of what documents state is typed: taken apart into subject, attribute and value, as a field, a cell or a claim."""

import os
from pathlib import Path
from typing import Any

from beacon.analyst.claims import read_statement
from beacon.analyst.statements import extract_statements
from beacon.analyst.typed import type_statement
from beacon.ingest.manifest import read_folder

SETS = ("fed-fomc", "cisa-kev", "opentelemetry-end-users", "onrr-user-research")


def measure(full: bool) -> list[dict[str, Any]]:
    """A row a set: statements, and the share of them that is typed; of prose alone beside it."""
    root = Path(os.environ.get("BEACON_DATA", "../shared/data"))
    return [_row(name, root / name) for name in SETS if (root / name).is_dir()]


def _row(name: str, folder: Path) -> dict[str, Any]:
    counts = {"prose": [0, 0], "records": [0, 0]}
    for incoming in read_folder(folder).documents:
        document = incoming.document
        if document is None:
            continue
        for statement in extract_statements(document.text, document.blocks):
            record = statement.kind in ("field", "table_row")
            count = counts["records" if record else "prose"]
            count[0] += 1
            count[1] += record or bool(type_statement(statement) or read_statement(statement, title=incoming.title))
    whole = [sum(count[at] for count in counts.values()) for at in (0, 1)]
    prose = counts["prose"]
    return {
        "measure": f"statements typed, {name}",
        "value": f"{whole[1] / max(1, whole[0]):.0%} of {whole[0]:,}",
        "note": f"of prose {prose[1] / max(1, prose[0]):.0%} of {prose[0]:,}",
    }
