"""What search reads in bulk, on each database the records can live in."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from beacon.domain.ids import digest
from beacon.domain.source import Source, StoredChunk, Version
from beacon.retrieval.lexical import bm25, look_up
from beacon.retrieval.links import load_links, seeds_of
from beacon.retrieval.passages import load_passages
from beacon.stores.records import tables
from beacon.stores.records.store import Records, Tx

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
TEXTS = {
    "Velm": "Velm lies on the river Osk. Its towers are tall.",
    "Osk": "The Osk carries ships. Ships need harbours.",
    "Ales": "Ales brews.",
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    """Three documents of one passage each; the first mentions the second."""
    if request.param == "sqlite":
        store = Records(f"sqlite:///{tmp_path_factory.mktemp('records') / 'records.sqlite'}")
    else:
        store = Records(request.getfixturevalue("postgres_server").make_database())
    store.migrate()
    with store.write() as tx:
        tx.connection.execute(
            sa.insert(tables.project).values(id="p", name="default", title="Default", state={}, settings={}, created_at=NOW)
        )
        for title, text in TEXTS.items():
            _store(tx, title, text)
        tx.entities.add_entities(
            [{"id": "ent_osk", "project_id": "p", "key": "osk", "name": "Osk", "type": "place", "aliases": ["Oskar's river"]}]
        )
        start = TEXTS["Velm"].index("Osk")
        place = {"version_id": "Velm1", "source_id": "Velm", "start": start, "end": start + 3, "surface": "Osk"}
        tx.entities.add_mentions([{"id": "m", "project_id": "p", "entity_id": "ent_osk", "chunk_id": "cVelm", **place}])
    yield store
    store.close()


def _store(tx: Tx, title: str, text: str) -> None:
    tx.sources.put_sources([Source(title, "p", title, f"https://{title.lower()}.example.org/1", title, NOW)])
    tx.sources.add_versions([Version(f"{title}1", title, 1, digest(text), text, title, "text/plain", NOW, version_date=NOW)])
    tx.sources.add_chunks([StoredChunk(f"c{title}", "p", f"{title}1", title, 0, 0, len(text), text, "", "", title, "", digest(text))])


def test_a_word_is_found_in_its_other_forms(records: Records) -> None:
    with records.read() as tx:
        passages = load_passages(tx, "p", (0, 0))
        scores = bm25(passages, look_up(tx, "p", passages, "Which tower or harbour?"), passages.current)
    assert [passages.id_at(n) for n in range(3) if scores[n] > 0] == ["cVelm", "cOsk"]


def test_a_word_said_twice_counts_more_than_once_where_the_database_counts(records: Records) -> None:
    with records.read() as tx:
        (stem,) = tx.postings.stems(["ships"])
        assert [times for _, times in tx.postings.places(stem, "p")] == [2 if records.engine.dialect.name == "sqlite" else 1]


def test_a_word_that_stands_nowhere_has_no_frequency(records: Records) -> None:
    with records.read() as tx:
        assert (tx.postings.frequency("zebra"), tx.postings.places("zebra", "p")) == (0, [])


def test_names_and_titles_are_one_node_and_lead_from_page_to_page(records: Records) -> None:
    with records.read() as tx:
        passages = load_passages(tx, "p", (0, 0))
        links = load_links(tx, "p", passages)
    assert [passages.id_at(n) for n in range(3) if links.leading[n]] == ["cVelm"]
    (node,) = seeds_of(links, "How long is Oskar's river?", passages.count)
    assert links.names[node] == "osk" and sorted(passages.id_at(int(n)) for n in links.passages_of(node)) == ["cOsk", "cVelm"]


def test_sources_go_by_the_name_of_their_host(records: Records) -> None:
    with records.read() as tx:
        assert set(load_passages(tx, "p", (0, 0)).source_names) == {"example"}


def test_passages_without_a_vector_are_told(records: Records) -> None:
    with records.read() as tx:
        assert tx.postings.without_vector("p", "none/1/1", 2) == ["cVelm", "cOsk"]
