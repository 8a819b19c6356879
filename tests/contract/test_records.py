"""What the record store promises, on each database it can live in."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
import sqlalchemy as sa

from beacon.domain.chat import ChatMessage, Conversation
from beacon.domain.event import Event
from beacon.domain.graph import GraphSummary
from beacon.domain.ids import digest
from beacon.domain.memory import ChangeItem, Changeset, Memory, ProfileVersion
from beacon.domain.run import Draft, Gate, Run, Schedule
from beacon.domain.source import Source, StoredChunk, Version
from beacon.domain.topic import Topic, TopicMemory
from beacon.errors import ConflictError, InputError, NotFoundError, StorageError, UnavailableError
from beacon.stores.records import schema, tables
from beacon.stores.records.store import Records, Tx
from tests.servers import free_port

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    """A migrated store that the tests of this file use one after the other."""
    if request.param == "sqlite":
        store = Records(f"sqlite:///{tmp_path_factory.mktemp('records') / 'records.sqlite'}")
    else:
        store = Records(request.getfixturevalue("postgres_server").make_database())
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def records(shared: Records) -> Records:
    """A migrated store that holds the project 'p' and nothing else."""
    with shared.write() as tx:
        if shared.engine.dialect.name == "sqlite":
            tx.projects.set_value("erasing", True, NOW)
            for table in reversed(tables.metadata.sorted_tables):
                tx.connection.execute(sa.delete(table))
        else:
            tx.projects.set_value("erasing", True, NOW)  # the log refuses to be emptied otherwise
            tx.connection.exec_driver_sql(f"TRUNCATE {', '.join(tables.OWN_TABLES)} RESTART IDENTITY")
        tx.connection.execute(
            sa.insert(tables.project).values(id="p", name="default", title="Default", state={}, settings={}, created_at=NOW)
        )
    return shared


def make_topic(title: str = "Heat pumps", slug: str = "heat-pumps", **values: object) -> Topic:
    key = f"top_{slug}"
    return Topic(id=key, project_id="p", slug=slug, title=title, created_at=NOW, updated_at=NOW, **values)  # type: ignore[arg-type]


def make_source(key: str = "s1", **values: object) -> Source:
    return Source(**{"id": key, "project_id": "p", "key": key, "url": "", "title": key, "created_at": NOW, **values})  # type: ignore[arg-type]


def make_version(source: str, n: int, text: str, at: datetime | None = None) -> Version:
    return Version(f"{source}v{n}", source, n, digest(text), text, source, "text/plain", NOW, version_date=at)


def make_chunk(version: Version, text: str, ordinal: int = 0, bigrams: str = "", label: str = "") -> StoredChunk:
    start, key = version.text.index(text), f"{version.id}c{ordinal}"
    place = (ordinal, start, start + len(text))
    return StoredChunk(key, "p", version.id, version.source_id, *place, text, "", "", label, bigrams, digest(text))


def make_event(key: str = "e1", **values: object) -> Event:
    return Event(**{"id": key, "project_id": "p", "type": "note_added", "at": NOW, "recorded_at": NOW, "text": key, **values})  # type: ignore[arg-type]


def make_memory(key: str = "m1", **values: object) -> Memory:
    return Memory(**{"id": key, "project_id": "p", "tier": "semantic", "text": key, "recorded_at": NOW, "last_access_at": NOW, **values})  # type: ignore[arg-type]


def make_run(key: str = "r1", **values: object) -> Run:
    return Run(**{"id": key, "project_id": "p", "topic_id": "top_heat-pumps", "started_at": NOW, "updated_at": NOW, **values})  # type: ignore[arg-type]


def store_text(records: Records, text: str, source: str = "s1", bigrams: str = "", label: str = "") -> StoredChunk:
    """One source with one version of one chunk."""
    version = make_version(source, 1, text)
    chunk = make_chunk(version, text, bigrams=bigrams, label=label)
    with records.write() as tx:
        tx.sources.put_sources([make_source(source)])
        tx.sources.add_versions([version])
        tx.sources.add_chunks([chunk])
    return chunk


def search(records: Records, *terms: str) -> list[str]:
    with records.read() as tx:
        return [key for key, _ in tx.sources.search_text("p", terms, 10)]


# The schema


def test_the_migrated_tables_are_those_of_the_models(records: Records) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with records.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": schema.own_name, "compare_type": True})
        found = compare_metadata(context, tables.metadata)
    # The full-text index is an expression, which models do not carry.
    assert [diff for diff in found if not (diff[0] == "remove_index" and diff[1].name == "ix_chunk_fts")] == []


def test_a_model_that_the_migration_does_not_know_is_found(records: Records) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    wider = sa.MetaData()
    sa.Table("topic", wider, sa.Column("id", sa.String(64), primary_key=True), sa.Column("colour", sa.Text))
    with records.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": schema.own_name})
        found = [diff for diff in compare_metadata(context, wider) if diff[0] == "add_column"]
    assert [diff[3].name for diff in found] == ["colour"]


def test_migrating_twice_changes_nothing(records: Records) -> None:
    records.migrate()
    with records.read() as tx:
        assert [p["id"] for p in tx.projects.all()] == ["p"]


def test_processes_that_migrate_at_once_all_succeed(records_url: str) -> None:
    code = f"from beacon.stores.records.store import Records; Records({records_url!r}).migrate()"
    started = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [(p.communicate(timeout=60)[1], p.returncode) for p in started] == [("", 0), ("", 0)]


def test_tables_of_a_newer_beacon_are_refused_by_name(records_url: str) -> None:
    records = Records(records_url)
    with records.write() as tx:
        tx.connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        tx.connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('9999')")
    with pytest.raises(StorageError, match=r"9999.*newer Beacon"):
        records.migrate()
    records.close()


def test_no_table_has_the_name_of_one_of_the_durable_engine() -> None:
    from dbos._schemas.system_database import SystemSchema

    theirs = {table.name for table in SystemSchema.metadata_obj.sorted_tables}
    assert theirs and not theirs & tables.OWN_TABLES


def test_a_write_that_raises_leaves_nothing(records: Records) -> None:
    with pytest.raises(ValueError, match="stop"), records.write() as tx:
        tx.topics.add(make_topic())
        raise ValueError("stop")
    with records.read() as tx:
        assert tx.topics.all("p") == []


def test_a_reader_does_not_wait_for_a_writer(records: Records) -> None:
    with records.write() as writing:
        writing.topics.add(make_topic())
        with records.read() as tx:
            assert tx.topics.all("p") == []


def test_a_store_that_is_no_database_is_a_storage_error(tmp_path: Path) -> None:
    file = tmp_path / "records.sqlite"
    file.write_bytes(b"this is not a database, it is a text " * 200)
    with pytest.raises(StorageError, match="damaged"):
        Records(f"sqlite:///{file}").migrate()


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="does not answer") as caught:
        Records(f"postgresql://beacon:secret@127.0.0.1:{free_port()}/none").migrate()
    assert "secret" not in caught.value.message


# Values


def test_naive_times_are_refused(records: Records) -> None:
    with pytest.raises((InputError, sa.exc.StatementError), match="has no zone"), records.write() as tx:
        tx.topics.add(replace(make_topic(), created_at=NOW.replace(tzinfo=None)))


def test_times_come_back_in_utc_to_the_microsecond(records: Records) -> None:
    tokyo = datetime.fromisoformat("2026-01-31T09:00:00.123456+09:00")
    with records.write() as tx:
        tx.topics.add(replace(make_topic(), created_at=tokyo))
    with records.read() as tx:
        found = tx.topics.get("p", "heat-pumps").created_at
    assert (found, found.utcoffset()) == (tokyo, timedelta(0))


def test_json_comes_back_as_it_was_put(records: Records) -> None:
    state: dict[str, object] = {"ü": "日本 🙂", "list": [1, 2.5, None, True, {"deep": []}], "quote": '"\\\n', "empty": {}}
    with records.write() as tx:
        tx.projects.set_state("p", state)
    with records.read() as tx:
        assert tx.projects.get("p")["state"] == state


@pytest.mark.parametrize(
    "value",
    [
        make_topic(queries=["Wärme?"], gates=True, guidelines=["short"]),
        make_source(url="https://a.example/ü", metadata={"row": 3}),
        make_memory(citations=[{"quote": "q", "start": 0, "end": 1}], people=["Ana"], importance=0.25, valid_from=NOW, pinned=True),
    ],
    ids=["topic", "source", "memory"],
)
def test_what_was_stored_is_read_back_whole(records: Records, value: Topic | Source | Memory) -> None:
    with records.write() as tx:
        if isinstance(value, Topic):
            tx.topics.add(value)
        elif isinstance(value, Source):
            tx.sources.put_sources([value])
        else:
            tx.memories.put_memory(value)
    with records.read() as tx:
        found = [*tx.topics.all("p"), *tx.sources.all("p"), *tx.memories.all("p")]
    assert found == [value]


# Projects and users


def test_a_second_project_of_one_name_is_refused(records: Records) -> None:
    with pytest.raises(ConflictError, match="'default'"), records.write() as tx:
        tx.projects.add("default", "", NOW)


def test_ensuring_a_project_twice_gives_one(records: Records) -> None:
    with records.write() as tx:
        assert tx.projects.ensure("desk", NOW) == tx.projects.ensure("desk", NOW)


def test_a_named_value_is_replaced(records: Records) -> None:
    with records.write() as tx:
        tx.projects.set_value("cursor", {"n": 1}, NOW)
        tx.projects.set_value("cursor", {"n": 2}, NOW)
        assert (tx.projects.value("cursor"), tx.projects.value("absent", 7)) == ({"n": 2}, 7)


# Topics


def test_a_topic_whose_slug_is_taken_is_refused_by_naming_the_one_that_has_it(records: Records) -> None:
    with records.write() as tx:
        tx.topics.add(make_topic("Heat pumps"))
    with pytest.raises(ConflictError, match="'Heat pumps' already has the slug 'heat-pumps'"), records.write() as tx:
        tx.topics.add(replace(make_topic("Heat? Pumps!"), id="other"))


def test_a_slug_held_by_a_removed_topic_says_that_it_can_be_restored(records: Records) -> None:
    with records.write() as tx:
        tx.topics.add(make_topic(status="removed"))
    with pytest.raises(ConflictError, match="restore it"), records.write() as tx:
        tx.topics.add(replace(make_topic(), id="other"))


def test_removed_topics_are_listed_only_when_asked(records: Records) -> None:
    with records.write() as tx:
        tx.topics.add(make_topic(status="removed"))
        assert (tx.topics.all("p"), len(tx.topics.all("p", removed=True))) == ([], 1)


def test_what_a_topic_remembers_is_replaced_as_a_whole(records: Records) -> None:
    topic = make_topic()
    with records.write() as tx:
        tx.topics.add(topic)
        tx.topics.save_memory(topic.id, TopicMemory("Heat pumps", ["https://a.example"], [{"text": "f"}], NOW, 1, "s", NOW + DAY))
        last = TopicMemory("Heat pumps", ["https://b.example"], [], NOW + DAY, 2, "", None, NOW)
        tx.topics.save_memory(topic.id, last)
        assert tx.topics.memory(topic) == last


# Events


@pytest.mark.parametrize("statement", ["UPDATE event SET text = 'other'", "DELETE FROM event"])
def test_the_database_refuses_to_alter_events(records: Records, statement: str) -> None:
    with records.write() as tx:
        tx.events.append(make_event())
    with pytest.raises(sa.exc.DBAPIError, match="append-only"), records.write() as tx:
        tx.connection.exec_driver_sql(statement)
    with records.read() as tx:
        assert tx.events.get("e1").text == "e1"


def test_an_erasure_may_delete_events(records: Records) -> None:
    with records.write() as tx:
        tx.events.append(make_event())
        tx.projects.set_value("erasing", True, NOW)
        tx.connection.exec_driver_sql("DELETE FROM event")
        assert tx.events.count("p") == 0


def test_the_log_refuses_to_be_emptied_at_once(records: Records) -> None:
    if records.engine.dialect.name == "sqlite":
        pytest.skip("SQLite has no TRUNCATE")
    with pytest.raises(sa.exc.DBAPIError, match="append-only"), records.write() as tx:
        tx.connection.exec_driver_sql("TRUNCATE event")


def test_an_event_appended_twice_is_there_once(records: Records) -> None:
    with records.write() as tx:
        first = tx.events.append(make_event("a"), make_event("b"))
        again = tx.events.append(make_event("b"), make_event("c"))
    with records.read() as tx:
        assert (first, again, [e.id for e in tx.events.all("p")]) == (2, 1, ["a", "b", "c"])


def test_events_after_a_cursor_come_in_the_order_they_were_recorded(records: Records) -> None:
    with records.write() as tx:
        tx.events.append(make_event("late", at=NOW + DAY), make_event("early"))
        tx.events.append(make_event("mid"))
        first = tx.events.all("p", limit=1)[0]
        assert [e.id for e in tx.events.all("p", after_seq=first.seq)] == ["early", "mid"]


def test_a_users_events_are_his_own_and_those_of_nobody(records: Records) -> None:
    with records.write() as tx:
        tx.events.append(make_event("a", user_id="me"), make_event("b", user_id="you"), make_event("c"))
        assert [e.id for e in tx.events.all("p", user_id="me")] == ["a", "c"]


# Sources, versions, chunks


def test_a_source_put_again_keeps_its_id_and_takes_the_new_title(records: Records) -> None:
    with records.write() as tx:
        tx.sources.put_sources([make_source(title="Old")])
        tx.sources.put_sources([make_source(title="New")])
        assert [(s.id, s.title) for s in tx.sources.all("p")] == [("s1", "New")]


def test_the_version_current_at_a_date_is_the_last_one_of_that_date_or_before(records: Records) -> None:
    with records.write() as tx:
        tx.sources.put_sources([make_source()])
        tx.sources.add_versions([make_version("s1", n, f"text {n}", NOW + n * 10 * DAY) for n in (1, 2, 3)])
        seen = [tx.sources.current_versions(["s1"], NOW + days * DAY) for days in (9, 10, 29, 90)]
    assert [found["s1"].n if found else None for found in seen] == [None, 1, 2, 3]


def test_a_version_is_placed_by_the_date_it_names_and_not_by_when_it_was_read(records: Records) -> None:
    with records.write() as tx:
        tx.sources.put_sources([make_source()])
        tx.sources.add_versions([make_version("s1", 1, "new", NOW), make_version("s1", 2, "old", NOW - DAY)])
        assert tx.sources.current_versions(["s1"])["s1"].n == 1


def test_a_version_added_twice_is_there_once(records: Records) -> None:
    with records.write() as tx:
        tx.sources.put_sources([make_source()])
        for _ in range(2):
            tx.sources.add_versions([make_version("s1", 1, "text")])
        assert len(tx.sources.versions("s1")) == 1


@pytest.mark.parametrize(
    ("text", "bigrams", "word"),
    [
        ("The pumps were running all winter.", "", "pump"),
        ("Die Größe der Wärmepumpe entscheidet.", "", "wärmepumpe"),
        ("Тепловой насос работает зимой.", "", "насос"),
        ("热泵在冬天运行", "热泵 泵在 在冬 冬天 天运 运行", "冬天"),
        ("مضخة الحرارة تعمل", "", "الحرارة"),
    ],
    ids=["English", "German", "Russian", "Chinese", "Arabic"],
)
def test_a_chunk_is_found_by_a_word_of_its_language(records: Records, text: str, bigrams: str, word: str) -> None:
    chunk = store_text(records, text, bigrams=bigrams)
    store_text(records, "Something else altogether.", "s2")
    assert search(records, word) == [chunk.id]


def test_a_chunk_is_found_by_its_label(records: Records) -> None:
    chunk = store_text(records, "It runs.", label="2026-03-02 March 2026 Maintenance log")
    assert search(records, "maintenance") == [chunk.id]


@pytest.mark.parametrize("term", ['"', "a AND NOT b", "NEAR(", "*", "x:y", "'; DROP TABLE chunk; --", "\\"])
def test_search_terms_are_never_operators(records: Records, term: str) -> None:
    store_text(records, "A calm text.")
    assert search(records, term, "calm") == ["s1v1c0"]


def test_outdated_chunks_are_found_in_their_version_only(records: Records) -> None:
    chunk = store_text(records, "An outdated text.")
    with records.write() as tx:
        tx.sources.set_outdated([chunk.version_id])
        hits = tx.sources.search_text("p", ["outdated"], 10, [chunk.version_id])
    assert (search(records, "outdated"), [key for key, _ in hits]) == ([], [chunk.id])


def test_a_dropped_chunk_is_not_found_any_more(records: Records) -> None:
    chunk = store_text(records, "A text to forget.")
    with records.write() as tx:
        tx.sources.drop_chunks(chunk.version_id)
    assert search(records, "forget") == []


def test_a_search_sees_one_project_only(records: Records) -> None:
    store_text(records, "A private text.")
    with records.read() as tx:
        assert tx.sources.search_text("another", ["private"], 10) == []


def test_full_text_search_on_postgresql_uses_its_index(records: Records) -> None:
    if records.engine.dialect.name == "sqlite":
        pytest.skip("SQLite keeps full text in a table of its own")
    from beacon.stores.records.sources import POSTGRES_DOCUMENT

    with records.write() as tx:
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        query = f"EXPLAIN SELECT id FROM chunk WHERE {POSTGRES_DOCUMENT} @@ plainto_tsquery('english', 'pump')"
        assert "ix_chunk_fts" in "\n".join(tx.connection.exec_driver_sql(query).scalars())


def test_the_vector_of_a_text_is_kept_once(records: Records) -> None:
    with records.write() as tx:
        tx.sources.add_embeddings("static", {"h1": b"first"})
        tx.sources.add_embeddings("static", {"h1": b"second", "h2": b"other"})
        tx.sources.add_embeddings("another", {"h1": b"theirs"})
        assert tx.sources.known_embeddings("static", ["h1", "h2", "h3"]) == {"h1": b"first", "h2": b"other"}


def test_more_chunks_than_a_statement_takes_are_all_stored(records: Records) -> None:
    text = " ".join(f"word{n}" for n in range(1300))
    version = make_version("s1", 1, text)
    with records.write() as tx:
        tx.sources.put_sources([make_source()])
        tx.sources.add_versions([version])
        added = tx.sources.add_chunks([make_chunk(version, f"word{n}", n) for n in range(1300)])
        pages = [
            tx.sources.current_chunks("p", "", 1000),
            tx.sources.current_chunks("p", tx.sources.current_chunks("p", "", 1000)[-1].id, 1000),
        ]
    assert (added, [len(page) for page in pages]) == (1300, [1000, 300])


# The outbox


def test_the_outbox_gives_its_rows_in_order_and_keeps_them_until_they_are_done(records: Records) -> None:
    with records.write() as tx:
        tx.outbox.add("p", "vectors", "sync", "version", ["v2", "v1", "v3"], NOW)
        tx.outbox.add("p", "graph", "sync", "version", ["g"], NOW)
        rows = tx.outbox.take("vectors", 2)
        tx.outbox.done([rows[0]["seq"]])
        assert [r["ref"] for r in rows] == ["v2", "v1"]
        assert [r["ref"] for r in tx.outbox.take("vectors", 10)] == ["v1", "v3"]
        assert (tx.outbox.waiting("vectors"), tx.outbox.waiting()) == (2, 3)


# Runs


@pytest.fixture
def topic(records: Records) -> Topic:
    with records.write() as tx:
        tx.topics.add(make_topic())
    return make_topic()


def test_a_run_added_twice_is_there_once(records: Records, topic: Topic) -> None:
    with records.write() as tx:
        assert (tx.runs.add(make_run()), tx.runs.add(make_run())) == (True, False)


def test_a_step_is_checkpointed_once(records: Records, topic: Topic) -> None:
    with records.write() as tx:
        tx.runs.add(make_run())
        added = (tx.runs.add_checkpoint("r1", "browsing", {"n": 1}, NOW), tx.runs.add_checkpoint("r1", "browsing", {"n": 2}, NOW))
        assert (added, tx.runs.checkpoint("r1", "browsing"), tx.runs.checkpoint("r1", "planning")) == ((True, False), {"n": 1}, None)


def test_runs_are_numbered_within_their_topic(records: Records, topic: Topic) -> None:
    with records.write() as tx:
        tx.topics.add(make_topic("Other", "other"))
        tx.runs.add(make_run("r1", n=1, status="done"))
        tx.runs.add(make_run("r2", n=2, status="done", started_at=NOW + DAY, archived=True))
        tx.runs.add(make_run("r3", status="failed"))
        assert (tx.runs.last_number(topic.id), tx.runs.last_number("top_other")) == (2, 0)
        assert [run.id if run else None for run in (tx.runs.by_number(topic.id, 2), tx.runs.last_done(topic.id))] == ["r2", "r2"]
        assert [run.id for run in tx.runs.all("p")] == ["r1", "r3"]


def test_deleting_a_run_takes_what_it_made_with_it(records: Records, topic: Topic) -> None:
    change = {"id": "c1", "ordinal": 0, "kind": "new", "text": "t", "quote": None, "source": {}, "old": None, "materiality": 0.5}
    with records.write() as tx:
        tx.runs.add(make_run())
        tx.runs.put_draft(Draft("d1", "r1", "planning", "", 1, "text", NOW))
        tx.runs.put_gate(Gate("g1", "r1", "planning", NOW))
        tx.runs.add_checkpoint("r1", "browsing", {}, NOW)
        tx.runs.set_changes("r1", topic.id, [change])
        tx.runs.delete("r1")
        left = {name: tx.connection.scalar(sa.select(sa.func.count()).select_from(tables.metadata.tables[name])) for name in
                ("run", "draft", "gate", "checkpoint", "change")}  # fmt: skip
    assert set(left.values()) == {0}


def test_a_gate_answered_is_the_gate_that_was_opened(records: Records, topic: Topic) -> None:
    gate = Gate("g1", "r1", "planning", NOW, payload={"plan": ["a"]})
    with records.write() as tx:
        tx.runs.add(make_run())
        tx.runs.put_gate(gate)
        tx.runs.put_gate(replace(gate, status="answered", answer={"decision": "approve"}, answered_at=NOW))
        assert [(g.status, g.answer) for g in tx.runs.gates(run_id="r1")] == [("answered", {"decision": "approve"})]


def test_only_schedules_that_are_due_and_enabled_are_due(records: Records) -> None:
    due = Schedule("s1", "p", "consolidation", "", "0 7 * * *", "UTC", NOW)
    with records.write() as tx:
        for schedule in (due, replace(due, id="s2", next_at=NOW + SECOND), replace(due, id="s3", enabled=False)):
            tx.runs.put_schedule(schedule)
        assert [s.id for s in tx.runs.due_schedules(NOW)] == ["s1"]


def test_a_due_schedule_is_taken_by_one_process_only(records: Records) -> None:
    with records.write() as tx:
        tx.runs.put_schedule(Schedule("s1", "p", "consolidation", "", "0 7 * * *", "UTC", NOW))
    taken: list[int] = []

    def take() -> None:
        with records.write() as tx:
            due = tx.runs.due_schedules(NOW)
            for schedule in due:
                tx.runs.put_schedule(replace(schedule, next_at=NOW + DAY))
            taken.append(len(due))

    threads = [Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(taken) == [0, 0, 0, 1]


def test_spend_adds_up(records: Records, topic: Topic) -> None:
    usage = {"id": "u1", "project_id": "p", "run_id": "r1", "model": "m", "purpose": "chat", "at": NOW}
    usage |= {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25}
    with records.write() as tx:
        tx.runs.add_usage(usage)
        tx.runs.add_usage(usage)
        tx.runs.add_usage({**usage, "id": "u2", "run_id": ""})
        assert (tx.runs.spend("p"), tx.runs.spend("p", "r1")["calls"]) == (
            {"cost_usd": 0.5, "input_tokens": 20, "output_tokens": 10, "calls": 2},
            1,
        )


# Memory, profiles, changesets


def test_a_memory_as_of_a_moment_is_what_was_believed_then(records: Records) -> None:
    with records.write() as tx:
        tx.memories.put_memory(make_memory("old", status="superseded", retired_at=NOW + 2 * DAY))
        tx.memories.put_memory(make_memory("new", recorded_at=NOW + 2 * DAY))
        seen = [[m.id for m in tx.memories.all("p", as_of=NOW + days * DAY)] for days in (1, 2)]
        assert (seen, [m.id for m in tx.memories.all("p")]) == ([["old"], ["new"]], ["new"])


def test_touching_a_memory_counts_one_access(records: Records) -> None:
    with records.write() as tx:
        tx.memories.put_memory(make_memory())
        tx.memories.touch(["m1"], NOW + DAY)
        found = tx.memories.get("m1")
    assert (found.access_count, found.last_access_at) == (1, NOW + DAY)


def test_profile_versions_are_kept_and_a_number_is_given_once(records: Records) -> None:
    first = ProfileVersion("v1", "p", "me", "user_profile", 1, "one", NOW)
    with records.write() as tx:
        added = [
            tx.memories.add_profile_version(v)
            for v in (first, replace(first, id="v1b", content="rival"), replace(first, id="v2", n=2, content="two"))
        ]
        history = tx.memories.profile_history("p", "me", "user_profile")
        assert (added, [v.content for v in history]) == ([1, 0, 1], ["two", "one"])
        newest, oldest = tx.memories.profile("p", "me", "user_profile"), tx.memories.profile("p", "me", "user_profile", 1)
    assert (newest and newest.content, oldest and oldest.content) == ("two", "one")


def test_a_changeset_keeps_before_and_after_in_order(records: Records) -> None:
    before, after = json.loads('{"text": "Größe", "n": null}'), {"text": "大きさ", "list": [1]}
    with records.write() as tx:
        items = [ChangeItem("c1", 0, "memory", "m1", None, after), ChangeItem("c1", 1, "memory", "m1", before, after)]
        tx.memories.add_changeset(Changeset("c1", "p", "user", "edit", "t", NOW), items)
        assert tx.memories.items("c1") == items


def test_changesets_are_numbered_in_the_order_they_were_made_and_marked_undone(records: Records) -> None:
    with records.write() as tx:
        for key in ("c2", "c1"):
            tx.memories.add_changeset(Changeset(key, "p", "user", "edit", key, NOW), [ChangeItem(key, 0, "memory", "m", None, None)])
        tx.memories.mark_undone("c2", "c1")
        assert [(c.id, c.status, c.undone_by) for c in tx.memories.changesets("p")] == [("c1", "applied", ""), ("c2", "undone", "c1")]


# Chats and summaries


def test_messages_come_in_order_and_a_limit_keeps_the_last(records: Records) -> None:
    with records.write() as tx:
        tx.chats.add(Conversation("c", "p", "me", "t", NOW, NOW))
        for n in (2, 1, 3):
            tx.chats.add_message(ChatMessage(f"m{n}", "c", n, "user", str(n), NOW))
        assert [[m.n for m in tx.chats.messages("c", limit)] for limit in (None, 2)] == [[1, 2, 3], [2, 3]]


def test_a_summary_put_again_is_replaced(records: Records) -> None:
    summary = GraphSummary("s", "farmers", "2026-01", "one", ({"quote": "q"},))
    with records.write() as tx:
        tx.chats.put_summary("p", summary, "segment", NOW)
        tx.chats.put_summary("p", replace(summary, text="two"), "segment", NOW)
        assert [(s.text, s.citations) for s in tx.chats.summaries("p", segment="farmers")] == [("two", ({"quote": "q"},))]


# What is not there


LOOK_UPS: dict[str, Callable[[Tx], object]] = {
    "topic": lambda tx: tx.topics.get("p", "no-such"),
    "source": lambda tx: tx.sources.get("no-such"),
    "version": lambda tx: tx.sources.version("no-such"),
    "event": lambda tx: tx.events.get("no-such"),
    "memory": lambda tx: tx.memories.get("no-such"),
    "run": lambda tx: tx.runs.get("no-such"),
    "conversation": lambda tx: tx.chats.get("no-such"),
    "changeset": lambda tx: tx.memories.changeset("no-such"),
}


@pytest.mark.parametrize("noun", LOOK_UPS)
def test_what_is_not_there_is_named(records: Records, noun: str) -> None:
    with records.read() as tx, pytest.raises(NotFoundError, match=rf"There is no {noun} '?no-such"):
        LOOK_UPS[noun](tx)
