"""Summaries by segment and month."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from beacon.domain.graph import GraphSummary
from beacon.domain.ids import digest, make_id
from beacon.domain.source import Source, StoredChunk, Version
from beacon.synthesis.summaries import MOST_SENTENCES, flag_summaries, update_summaries
from beacon.workspace import Workspace
from tests.graph_world import open_workspace

JANUARY, FEBRUARY = datetime(2025, 1, 15, tzinfo=UTC), datetime(2025, 2, 15, tzinfo=UTC)
TEXT = """The new battery lasts nineteen hours in the laboratory test of the institute.
Customers of the northern region reported 412 failures of the charger last winter.
The charger was replaced by a sealed model in every northern shop.
Prices of the battery fell by 12 percent after the second factory opened.
The institute expects the battery to reach 1,000 cycles before it fades.
Rain delayed the opening of the second factory by eleven days.
The northern shops sold 3,000 batteries in the first week of sales."""


@dataclass
class Desk:
    """A workspace and what is read into it."""

    ws: Workspace

    def read(self, key: str, text: str, at: datetime = JANUARY, n: int = 1, withdrawn: bool = False, **values: str) -> str:
        source = Source(make_id("src", self.ws.project_id, key), self.ws.project_id, key, f"https://{key}.example", key, JANUARY)
        version = Version(make_id("ver", source.id, n), source.id, n, digest(text), text, f"{key} {n}", "", at, version_date=at)
        chunk = StoredChunk(
            make_id("chk", version.id), self.ws.project_id, version.id, source.id, 0, 0, len(text), text, "", "", "", "", digest(text)
        )
        with self.ws.records.write() as tx:
            tx.sources.put_sources([replace(source, status="withdrawn" if withdrawn else "current", **values)])  # type: ignore[arg-type]
            tx.sources.add_versions([replace(version, withdrawn=withdrawn)])
            tx.sources.add_chunks([] if withdrawn else [chunk])
        return source.id

    def summaries(self) -> list[GraphSummary]:
        with self.ws.records.read() as tx:
            return tx.chats.summaries(self.ws.project_id)

    def text(self, version_id: object) -> str:
        with self.ws.records.read() as tx:
            return tx.sources.version(str(version_id)).text


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    ws = open_workspace(tmp_path / "desk")
    yield Desk(ws)
    ws.records.close()


def test_a_summary_has_three_to_five_sentences(desk: Desk) -> None:
    desk.read("a", TEXT, segment="north")
    assert update_summaries(desk.ws) == 1
    assert 3 <= len(desk.summaries()[0].citations) <= MOST_SENTENCES


def test_every_sentence_is_an_exact_quote(desk: Desk) -> None:
    desk.read("a", TEXT)
    update_summaries(desk.ws)
    citations = desk.summaries()[0].citations
    assert all(desk.text(c["version_id"])[int(str(c["start"])) : int(str(c["end"]))] == c["quote"] for c in citations)
    assert all(c["chunk_id"] and c["source_id"] and c["url"] for c in citations)


def test_the_text_is_its_quotes_numbered(desk: Desk) -> None:
    desk.read("a", TEXT)
    update_summaries(desk.ws)
    summary = desk.summaries()[0]
    assert summary.text == " ".join(f"{c['quote']} [{n}]" for n, c in enumerate(summary.citations, 1))


def test_segments_and_months_are_kept_apart(desk: Desk) -> None:
    desk.read("a", TEXT, segment="north")
    desk.read("b", TEXT, segment="south")
    desk.read("c", TEXT, FEBRUARY, segment="south")
    assert update_summaries(desk.ws) == 3
    assert [(s.segment, s.period) for s in desk.summaries()] == [("north", "2025-01"), ("south", "2025-01"), ("south", "2025-02")]


@pytest.mark.parametrize(
    ("values", "segment"),
    [({"segment": "s", "series": "r", "kind": "k"}, "s"), ({"series": "r", "kind": "k"}, "r"), ({"kind": "k"}, "k"), ({}, "all")],
)
def test_what_a_source_is_counted_under(desk: Desk, values: dict[str, str], segment: str) -> None:
    desk.read("a", TEXT, **values)
    update_summaries(desk.ws)
    assert [s.segment for s in desk.summaries()] == [segment]


def test_doing_it_again_changes_nothing(desk: Desk) -> None:
    desk.read("a", TEXT)
    update_summaries(desk.ws)
    before = desk.summaries()
    assert update_summaries(desk.ws) == 0 and desk.summaries() == before


def test_the_order_of_reading_does_not_matter(desk: Desk, tmp_path: Path) -> None:
    lines = TEXT.splitlines()
    other = Desk(open_workspace(tmp_path / "other"))
    for key in ("a", "b"):
        desk.read(key, lines[0] if key == "a" else lines[1])
    for key in ("b", "a"):
        other.read(key, lines[0] if key == "a" else lines[1])
    update_summaries(desk.ws), update_summaries(other.ws)
    assert desk.summaries() == other.summaries()
    other.ws.records.close()


def test_only_touched_groups_are_looked_at(desk: Desk) -> None:
    desk.read("a", TEXT, segment="north")
    south = desk.read("b", TEXT, segment="south")
    assert update_summaries(desk.ws, source_ids=[south]) == 1
    assert [s.segment for s in desk.summaries()] == ["south"]


def test_the_last_version_of_a_month_speaks_for_it(desk: Desk) -> None:
    desk.read("a", "The bridge is open to cars and trucks of every weight.")
    source = desk.read("a", "The bridge is closed to trucks above nine tonnes.", JANUARY.replace(day=20), n=2)
    update_summaries(desk.ws, source_ids=[source])
    assert [c["quote"] for c in desk.summaries()[0].citations] == ["The bridge is closed to trucks above nine tonnes."]


def test_a_later_version_marks_what_cites_the_older(desk: Desk) -> None:
    desk.read("a", TEXT)
    update_summaries(desk.ws)
    source = desk.read("a", TEXT.replace("412", "418"), FEBRUARY, n=2)
    update_summaries(desk.ws, source_ids=[source])
    assert [(s.period, s.flagged) for s in desk.summaries()] == [("2025-01", True), ("2025-02", False)]


def test_a_withdrawal_marks_what_cites_it(desk: Desk) -> None:
    desk.read("a", TEXT)
    update_summaries(desk.ws)
    desk.read("a", "", FEBRUARY, n=2, withdrawn=True)
    update_summaries(desk.ws)
    assert [(s.period, s.flagged) for s in desk.summaries()] == [("2025-01", True)]


def test_flagging_marks_only_what_cites_the_version(desk: Desk) -> None:
    source = desk.read("a", TEXT, segment="north")
    desk.read("b", TEXT, segment="south")
    update_summaries(desk.ws)
    with desk.ws.records.write() as tx:
        flagged = flag_summaries(tx, [v.id for v in tx.sources.versions(source)])
    assert flagged == [s.id for s in desk.summaries() if s.flagged] and [s.segment for s in desk.summaries() if s.flagged] == ["north"]


def test_flagging_an_unknown_version_marks_nothing(desk: Desk) -> None:
    with desk.ws.records.write() as tx:
        assert flag_summaries(tx, ["nothing"]) == []


def test_a_derived_document_is_not_heard_twice(desk: Desk) -> None:
    desk.read("a", TEXT)
    desk.read("copy", TEXT, derived_from="a")
    update_summaries(desk.ws)
    assert {c["title"] for c in desk.summaries()[0].citations} == {"a 1"}


def test_a_source_that_is_gone_takes_its_summary_along(desk: Desk) -> None:
    source = desk.read("a", TEXT)
    update_summaries(desk.ws)
    with desk.ws.records.write() as tx:
        tx.connection.exec_driver_sql("DELETE FROM source")
    assert update_summaries(desk.ws, source_ids=[source]) == 1 and desk.summaries() == []


def test_a_source_without_sentences_gives_none(desk: Desk) -> None:
    desk.read("a", "—")
    assert update_summaries(desk.ws) == 0 and desk.summaries() == []


@pytest.mark.parametrize(
    "text",
    [
        "東京の新しい工場は四月に開業した。電池の価格は十二パーセント下がった。",
        "Новый завод в Москве открылся в апреле. Цены на батареи упали на двенадцать процентов.",
        "افتتح المصنع الجديد في القاهرة في شهر نيسان. انخفضت أسعار البطاريات بنسبة كبيرة.",
    ],
    ids=["Japanese", "Russian", "Arabic"],
)
def test_every_script_is_summarised(desk: Desk, text: str) -> None:
    desk.read("a", text)
    update_summaries(desk.ws)
    assert len(desk.summaries()[0].citations) == 2


def waiting(ws: Workspace) -> int:
    with ws.records.read() as tx:
        return tx.outbox.waiting("graph")


def test_a_graph_server_is_told(tmp_path: Path) -> None:
    ws = open_workspace(tmp_path / "server", "bolt://127.0.0.1:1")
    Desk(ws).read("a", TEXT)
    update_summaries(ws)
    assert waiting(ws) == 1
    ws.graph.close()
    ws.records.close()


def test_without_a_graph_server_nobody_is_told(desk: Desk) -> None:
    desk.read("a", TEXT)
    update_summaries(desk.ws)
    assert waiting(desk.ws) == 0
