"""Summaries are marked in the transaction that retires what they rest on, on each database."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.graph import GraphSummary
from beacon.domain.memory import Memory
from beacon.domain.topic import TopicMemory

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TEXT = "The toll on the river bridge is {} euros. The bridge carries 20,000 vehicles a day."


class Roll(Exception):
    """Breaks a transaction off."""


@pytest.fixture
def beacon(records_url: str, tmp_path: Path) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home", database_url=records_url, clock=lambda: NOW)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "note.txt").write_text(TEXT.format(4))
    opened.call("topic_add", title="River bridge", folders=[str(folder)])
    opened.call("run_wait", run=opened.call("run_start", slug="river-bridge")["run_id"], timeout_s=60)
    yield opened
    opened.close()


def flagged(beacon: Beacon) -> dict[str, bool]:
    ws = beacon.workspace
    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, "river-bridge")
        memory = tx.topics.memory(topic)
        assert memory is not None
        return {"topic": memory.flagged} | {s.period: s.flagged for s in tx.chats.summaries(ws.project_id)}


def place(beacon: Beacon, words: str) -> dict[str, Any]:
    ws = beacon.workspace
    with ws.records.read() as tx:
        source = next(iter(tx.sources.all(ws.project_id)))
        version = tx.sources.latest_version(source.id)
    assert version is not None
    start = version.text.index(words)
    return {"version_id": version.id, "source_id": source.id, "start": start, "end": start + len(words), "quote": words}


def summarise(beacon: Beacon) -> None:
    """Two summaries, one of each sentence, and a topic's memory that rests on the toll."""
    ws = beacon.workspace
    toll, traffic = place(beacon, "The toll on the river bridge is 4 euros."), place(beacon, "The bridge carries 20,000 vehicles a day.")
    with ws.records.write() as tx:
        tx.chats.drop_summaries([s.id for s in tx.chats.summaries(ws.project_id)])
        for name, cited in (("toll", toll), ("traffic", traffic)):
            tx.chats.put_summary(ws.project_id, GraphSummary(name, "s", name, cited["quote"], (cited,)), "segment", NOW)
        topic = tx.topics.get(ws.project_id, "river-bridge")
        tx.topics.save_memory(topic.id, TopicMemory(topic.title, key_facts=[{"text": toll["quote"], "citation": toll}], run_count=1))


def fact(beacon: Beacon, words: str) -> Memory:
    ws = beacon.workspace
    return Memory(
        id="mem_1", project_id=ws.project_id, tier="semantic", text=words, user_id=ws.user_id, scope="user", last_access_at=NOW,
        recorded_at=NOW, citations=[place(beacon, words)],
    )  # fmt: skip


def test_a_fact_that_is_stored_marks_nothing(beacon: Beacon) -> None:
    summarise(beacon)
    with beacon.workspace.records.write() as tx:
        tx.memories.put_memory(fact(beacon, "The toll on the river bridge is 4 euros."))
    assert flagged(beacon) == {"topic": False, "toll": False, "traffic": False}


@pytest.mark.parametrize("status", ["superseded", "retracted", "contradicted"])
def test_a_retired_fact_marks_what_cites_its_place_and_nothing_else(beacon: Beacon, status: str) -> None:
    summarise(beacon)
    with beacon.workspace.records.write() as tx:
        tx.memories.put_memory(replace(fact(beacon, "The toll on the river bridge is 4 euros."), status=status, retired_at=NOW))
    assert flagged(beacon) == {"topic": True, "toll": True, "traffic": False}


def test_what_is_rolled_back_marks_nothing(beacon: Beacon) -> None:
    summarise(beacon)
    with pytest.raises(Roll), beacon.workspace.records.write() as tx:
        tx.memories.put_memory(replace(fact(beacon, "The toll on the river bridge is 4 euros."), status="superseded", retired_at=NOW))
        raise Roll
    assert flagged(beacon) == {"topic": False, "toll": False, "traffic": False}


def test_a_newer_version_marks_what_cites_the_older_in_its_own_transaction(beacon: Beacon) -> None:
    from beacon.domain.source import IncomingDocument
    from beacon.ingest.parse import parse_bytes
    from beacon.ingest.pipeline import ingest_documents

    summarise(beacon)
    ws = beacon.workspace
    with ws.records.read() as tx:
        source = next(iter(tx.sources.all(ws.project_id)))
    document = parse_bytes(TEXT.format(5).encode(), name="note.txt")
    ingest_documents(ws, [IncomingDocument(source.key, source.url, source.title, document)], origin="folder")  # and no refresh after it
    assert flagged(beacon) == {"topic": True, "toll": True, "traffic": True}


def test_the_next_run_takes_the_mark_from_the_topic(beacon: Beacon) -> None:
    summarise(beacon)
    ws = beacon.workspace
    with ws.records.write() as tx:
        tx.memories.put_memory(replace(fact(beacon, "The toll on the river bridge is 4 euros."), status="superseded", retired_at=NOW))
    ws.clock = lambda: NOW + timedelta(days=7)
    run = beacon.call("run_wait", run=beacon.call("run_start", slug="river-bridge")["run_id"], timeout_s=60)
    assert "no longer stands" in run["research_state"]["research_data"]["memory_context"]
    assert flagged(beacon)["topic"] is False
