"""Reading documents with the help of other processes leaves the same records as reading them alone."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from beacon.bootstrap import opened
from beacon.domain.source import Block, Document, IncomingDocument
from beacon.ingest import crew, pipeline
from beacon.stores.records import tables as t

TABLES = (t.source, t.version, t.chunk, t.embedding, t.entity, t.mention, t.relation, t.relation_evidence)
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def documents() -> list[IncomingDocument]:
    found = []
    for n in range(40):
        introduced = "The Quillon Harbour Authority (QHA) met Otto Brandt." if n == 7 else "Then the QHA met Zephyr Works in Oslo."
        text = f"{introduced} Note {n % 30} says: 試験は六月に中止された。"
        document = Document(text, f"Note {n}", "text/plain", (Block(0, len(text), "paragraph"),))
        found.append(IncomingDocument(f"note:{n % 25}", f"https://{n}.example", f"Note {n}", document))
    return found


def records(home: Path) -> dict[str, list[str]]:
    with opened(home=str(home), clock=lambda: NOW) as beacon:
        pipeline.ingest_documents(beacon.workspace, documents(), origin="test")
        with beacon.workspace.records.read() as tx:
            rows = {table.name: tx.connection.execute(sa.select(table)).mappings().all() for table in TABLES}
    return {name: sorted(repr({**row, "no": 0}) for row in found) for name, found in rows.items()}


def test_helped_or_alone_the_records_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "BATCH_DOCUMENTS", 5)
    monkeypatch.setattr(crew, "count_children", lambda: 0)
    alone = records(tmp_path / "alone")
    monkeypatch.setattr(pipeline, "WORTH_HELP", 0)
    monkeypatch.setattr(crew, "count_children", lambda: 2)
    monkeypatch.setattr(crew.Crew, "_take_back", lambda self, job: False)  # every job is a child's
    monkeypatch.setattr(crew.Crew, "_take_last", lambda self: None)
    assert records(tmp_path / "helped") == alone


def test_short_form_learned_in_an_earlier_batch_holds_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "BATCH_DOCUMENTS", 5)
    names = [row for row in records(tmp_path / "home")["entity"] if "'name': 'QHA'" in row]
    assert names == []
