"""What keeping facts promises on every record store: they follow their sources, and nothing is retired in silence."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from beacon.domain.ids import make_id
from beacon.domain.memory import Memory
from beacon.domain.source import IncomingDocument
from beacon.errors import InputError, NotFoundError
from beacon.ingest.parse import parse_bytes
from beacon.ingest.pipeline import ingest_documents
from beacon.memory import changesets, keep
from beacon.memory.fact_keeping import Kept, keep_facts, points_of
from beacon.memory.facts import holds_at
from beacon.memory.search import believed, search_memories
from beacon.memory.standing import read_standing
from beacon.settings import Settings
from beacon.stores.records.store import Records
from beacon.tools.registry import call_tool
from beacon.workspace import Makers, Workspace
from tests.doubles import HashEmbedder

_numbers = count(1)
START = datetime(2026, 1, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)
LONG = (
    "Corvid announced on Monday that it will reorganise its regional teams. The change follows a review that took most of the winter. " * 2
)


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        return self.at


def never() -> Any:
    raise AssertionError("facts need no such backend")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    """One record store of each kind; every test has a project of its own in it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('facts') / 'records.sqlite'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_server").make_database().replace("postgresql://", "postgresql+psycopg://")
    store = Records(url)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def ws(records: Records, tmp_path: Path, clock: Hands) -> Workspace:
    number = next(_numbers)
    with records.write() as tx:
        project_id = tx.projects.ensure(f"p{number}", START)
        tx.projects.user(f"me{number}", START)
    makers = Makers(vectors=never, graph=never, embedder=HashEmbedder, models=lambda: None, fetcher=never)
    return Workspace(Settings(home=tmp_path), records, makers, project_id, f"me{number}", clock)


def read(ws: Workspace, clock: Hands, key: str, on: int, text: str, **given: Any) -> Kept:
    """A document of a day, read on the next one."""
    clock.at = START + (on + 1) * DAY
    document = parse_bytes(text.encode(), name=f"{key}.md", media_type="text/markdown")
    date = (START + on * DAY).replace(hour=0)
    report = ingest_documents(ws, [IncomingDocument(key, "", key, document, version_date=date, **given)], origin="test")
    return keep_facts(ws, report.source_ids)


def withdraw(ws: Workspace, clock: Hands, key: str, on: int) -> Kept:
    clock.at = START + (on + 1) * DAY
    gone = IncomingDocument(key, "", key, None, version_date=(START + on * DAY).replace(hour=0), withdrawn=True)
    return keep_facts(ws, ingest_documents(ws, [gone], origin="test").source_ids)


def facts(ws: Workspace, as_of: datetime | None = None) -> dict[str, Memory]:
    with ws.records.read() as tx:
        return {m.text: m for m in believed(ws, tx, as_of=as_of, tiers=("semantic",), statuses=None)}


def fates(ws: Workspace, as_of: datetime | None = None) -> dict[str, str]:
    return {text: m.status for text, m in facts(ws, as_of).items()}


TWENTY, TWENTY_SIX, THIRTY = (f"The Harbor plan costs ${n} per month." for n in (20, 26, 30))


def test_a_newer_source_takes_the_older_ones_place_and_is_linked(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "b", 60, TWENTY_SIX)
    old, new = facts(ws)[TWENTY], facts(ws)[TWENTY_SIX]
    assert (old.status, old.replaced_by, old.retired_at, new.status) == ("superseded", new.id, clock.at, "current")


def test_every_retirement_names_its_reason_in_a_changeset_and_an_event(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    kept = read(ws, clock, "b", 60, TWENTY_SIX)
    assert [(one["text"], bool(one["reason"])) for one in kept.retired] == [(TWENTY, True)]
    detail = changesets.changeset_detail(ws, kept.changeset_id)
    assert any(item["ref"] == kept.retired[0]["memory_id"] and item["after"]["metadata"]["reason"] for item in detail["items"])
    with ws.records.read() as tx:
        assert TWENTY in tx.events.all(ws.project_id, types=("facts_kept",))[0].text


def test_reading_the_same_again_changes_nothing(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    before = facts(ws)
    assert (keep_facts(ws, [make_id("src", ws.project_id, "a")]).changeset_id, facts(ws)) == ("", before)


def test_a_withdrawn_source_gives_the_older_fact_back(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "b", 60, TWENTY_SIX)
    kept = withdraw(ws, clock, "b", 90)
    old = facts(ws)[TWENTY]
    assert (fates(ws), old.replaced_by, old.retired_at, old.valid_to) == ({TWENTY: "current", TWENTY_SIX: "retracted"}, "", None, None)
    assert kept.healed == [old.id]


def test_a_removed_source_gives_the_older_fact_back(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "b", 60, TWENTY_SIX)
    source = make_id("src", ws.project_id, "b")
    with ws.records.write() as tx:
        tx.sources.set_status(source, "removed")
    keep_facts(ws, [source])
    assert fates(ws) == {TWENTY: "current", TWENTY_SIX: "retracted"}


def test_an_erased_source_leaves_the_older_fact_current(ws: Workspace, clock: Hands) -> None:
    from sqlalchemy import delete

    from beacon.stores.records import tables as t

    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "b", 60, TWENTY_SIX)
    source = make_id("src", ws.project_id, "b")
    with ws.records.write() as tx:
        points = points_of(tx, [source])
        tx.connection.execute(delete(t.source).where(t.source.c.id == source))
    keep_facts(ws, points=points)
    with ws.records.read() as tx:
        assert (fates(ws)[TWENTY], tx.facts.of_sources([source])) == ("current", [])


def test_a_version_that_arrives_late_takes_its_place_in_time(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "b", 120, THIRTY)
    read(ws, clock, "c", 60, TWENTY_SIX)
    read(ws, clock, "a", 0, TWENTY)
    assert fates(ws) == {TWENTY: "superseded", TWENTY_SIX: "superseded", THIRTY: "current"}
    assert facts(ws)[TWENTY].replaced_by == facts(ws)[TWENTY_SIX].id


def test_a_value_that_later_versions_repeat_is_still_what_took_the_olds_place(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "a", 30, TWENTY_SIX)
    read(ws, clock, "a", 60, f"{TWENTY_SIX} Support is free.")
    old, new = facts(ws)[TWENTY], facts(ws)[TWENTY_SIX]
    assert (old.status, old.replaced_by, new.valid_from) == ("superseded", new.id, (START + 30 * DAY).replace(hour=0))


def test_both_clocks_answer(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "b", 60, TWENTY_SIX)
    known, valid = START + 30 * DAY, START + 70 * DAY

    def true_at(moment: datetime, as_of: datetime | None = None) -> list[str]:
        return sorted(text for text, m in facts(ws, as_of).items() if holds_at(m, moment))

    assert (true_at(START + DAY), true_at(valid), true_at(valid, known)) == ([TWENTY], [TWENTY_SIX], [TWENTY])


def test_the_list_of_memories_takes_both_moments(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "b", 60, TWENTY_SIX)
    listed = [
        [m["text"] for m in call_tool(ws, "memory_list", given)] for given in ({}, {"valid_at": "2026-01-15"}, {"as_of": "2026-01-15"})
    ]
    assert listed == [[TWENTY_SIX], [TWENTY], [TWENTY]]


def test_a_claim_of_several_sources_is_one_fact_with_several_witnesses(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    read(ws, clock, "b", 60, "Seen at the fair. The price of the Harbor plan is $20 per month.")
    (fact,) = facts(ws).values()
    assert (fact.metadata["witnesses"], [c["source_id"] for c in fact.citations]) == (
        2, [make_id("src", ws.project_id, "a"), make_id("src", ws.project_id, "b")],
    )  # fmt: skip


@pytest.mark.parametrize("given", [{}, {"derived_from": "a"}], ids=["found", "declared"])
def test_a_copy_is_no_second_witness(ws: Workspace, clock: Hands, given: dict[str, str]) -> None:
    read(ws, clock, "a", 0, LONG + TWENTY)
    read(ws, clock, "b", 20, LONG + TWENTY, **given)
    assert facts(ws)[TWENTY].metadata["witnesses"] == 1


def dispute(ws: Workspace, clock: Hands) -> dict[str, Any]:
    read(ws, clock, "a", 0, "The fine for Corvid was $4 million.")
    read(ws, clock, "b", 0, "The fine for Corvid was $5 million.")
    (case,) = call_tool(ws, "contradiction_list", {})
    return dict(case)


def test_a_contradiction_shows_both_sides_with_their_quotes(ws: Workspace, clock: Hands) -> None:
    case = dispute(ws, clock)
    quotes = [side["quotes"][0]["quote"] for side in case["sides"]]
    assert (sorted(quotes), set(fates(ws).values())) == (
        ["The fine for Corvid was $4 million.", "The fine for Corvid was $5 million."],
        {"contradicted"},
    )


def test_a_ruling_settles_a_contradiction_and_can_be_undone(ws: Workspace, clock: Hands) -> None:
    case = dispute(ws, clock)
    kept = next(side["memory_id"] for side in case["sides"] if side["value"] == "$5 million")
    ruled = call_tool(ws, "contradiction_rule", {"id": case["id"], "keep": kept, "note": "the court's own record"})
    assert (ruled["status"], sorted(fates(ws).values()), facts(ws)["The fine for Corvid was $4 million."].replaced_by) == (
        "ruled", ["archived", "current"], kept,
    )  # fmt: skip
    changesets.undo(ws, ruled["changeset_id"])
    assert (set(fates(ws).values()), call_tool(ws, "contradiction_show", {"id": case["id"]})["status"]) == ({"contradicted"}, "open")


def test_later_evidence_for_the_loser_opens_the_case_again(ws: Workspace, clock: Hands) -> None:
    case = dispute(ws, clock)
    kept = next(side["memory_id"] for side in case["sides"] if side["value"] == "$5 million")
    call_tool(ws, "contradiction_rule", {"id": case["id"], "keep": kept})
    read(ws, clock, "c", 5, "A clerk was heard. The fine for Corvid was $4 million.")
    (again,) = call_tool(ws, "contradiction_list", {})
    assert (again["id"], set(fates(ws).values())) == (case["id"], {"contradicted"})


def test_a_ruling_for_what_is_no_side_is_refused(ws: Workspace, clock: Hands) -> None:
    case = dispute(ws, clock)
    with pytest.raises(InputError, match="is no side"):
        keep.rule(ws, case["id"], "mem_other")
    with pytest.raises(NotFoundError):
        keep.rule(ws, "con_none", "mem_other")


def test_a_contradiction_names_what_rests_on_it(ws: Workspace, clock: Hands) -> None:
    from beacon.domain.topic import Topic, TopicMemory

    case = dispute(ws, clock)
    quote = case["sides"][0]["quotes"][0]
    topic = Topic(make_id("top", ws.project_id), ws.project_id, "fines", "Fines", START, START)
    with ws.records.write() as tx:
        tx.topics.add(topic)
        tx.topics.save_memory(topic.id, TopicMemory("Fines", key_facts=[{"text": quote["quote"], "citation": quote}]))
    (again,) = call_tool(ws, "contradiction_list", {})
    assert [side["rests_on_it"]["topics"] for side in again["sides"]] == [["fines"], []]


def test_what_a_person_tells_outranks_what_was_read(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    clock.at += DAY
    told, _ = keep.add_memory(ws, TWENTY_SIX)
    assert (facts(ws)[TWENTY].status, facts(ws)[TWENTY].replaced_by, told.status) == ("superseded", told.id, "current")


def test_a_pinned_fact_is_disputed_by_a_source_and_not_retired(ws: Workspace, clock: Hands) -> None:
    keep.add_memory(ws, TWENTY, given={"pinned": True})
    read(ws, clock, "b", 90, TWENTY_SIX)
    assert set(fates(ws).values()) == {"contradicted"}


def test_a_fact_that_was_set_aside_stays_aside(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, TWENTY)
    keep.forget_memory(ws, facts(ws)[TWENTY].id)
    read(ws, clock, "b", 30, "Seen at the fair. " + TWENTY)
    assert facts(ws)[TWENTY].status == "archived"


def test_what_has_ended_or_waits_for_its_day_does_not_come_up(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, "The discount of the Harbor plan is 20% until 31 January 2026.")
    read(ws, clock, "b", 1, "From 1 August 2026, the fee of the Harbor plan is $30.")
    clock.at = START + 60 * DAY
    assert [hit.memory.text for hit in search_memories(ws, "Harbor plan")] == []
    assert call_tool(ws, "memory_list", {"valid_at": "2026-01-20"})[0]["value"] == "20%"


def test_a_passage_knows_what_in_it_is_over_and_what_is_disputed(ws: Workspace, clock: Hands) -> None:
    read(ws, clock, "a", 0, "Welcome. " + TWENTY)
    read(ws, clock, "b", 60, TWENTY_SIX)
    with ws.records.read() as tx:
        version = tx.sources.heads([make_id("src", ws.project_id, "a")])[make_id("src", ws.project_id, "a")][0].id
    now, then = read_standing(ws, [version]), read_standing(ws, [version], START + 30 * DAY)
    assert (now.is_over(version, 0, 8), now.is_over(version, 9, 40), then.is_over(version, 9, 40)) == (False, True, False)


def test_another_projects_facts_are_left_alone(ws: Workspace, clock: Hands, records: Records) -> None:
    from dataclasses import replace

    with records.write() as tx:
        other = replace(ws, project_id=tx.projects.ensure(f"other-{ws.project_id}", START))
    read(ws, clock, "a", 0, TWENTY)
    read(other, clock, "b", 60, TWENTY_SIX)
    assert (fates(ws), fates(other)) == ({TWENTY: "current"}, {TWENTY_SIX: "current"})


def test_a_catalogue_is_no_memory_until_something_in_it_changes(ws: Workspace, clock: Hands) -> None:
    def record(on: int, price: int) -> None:
        clock.at = START + (on + 1) * DAY
        document = parse_bytes(f'{{"plan": "Harbor", "price": {price}}}'.encode(), name="a.json", media_type="application/json")
        date = (START + on * DAY).replace(hour=0)
        report = ingest_documents(ws, [IncomingDocument("a", "", "Harbor", document, version_date=date)], origin="test")
        keep_facts(ws, report.source_ids)

    record(0, 20)
    assert fates(ws) == {}
    record(30, 26)
    assert fates(ws) == {"price: 20": "superseded", "price: 26": "current"}
