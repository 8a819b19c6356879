"""What every vector index must do, whoever runs the server."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from beacon.errors import InputError, NotFoundError, UnavailableError
from beacon.stores.vectors.chroma import HNSW, ChromaVectors, _facts, open_embedded, open_server
from beacon.stores.vectors.ports import CollectionKey, VectorHit, VectorRow, VectorStore, next_generation
from beacon.stores.vectors.server import LocalChroma, answers
from tests.servers import free_port

SERVER = (
    "import sys, chromadb_rust_bindings as c; c.cli(['chroma', 'run', '--path', sys.argv[1], '--host', '127.0.0.1', '--port', sys.argv[2]])"
)


def make_foreign_server(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """A Chroma server that knows nothing of Beacon."""
    with (folder / "foreign.log").open("ab") as log:
        env = {**os.environ, "RUST_LOG": "error"}
        server = subprocess.Popen([sys.executable, "-c", SERVER, str(folder / "foreign"), str(port)], stdout=log, stderr=log, env=env)
    deadline = time.monotonic() + 20
    while not answers(f"http://127.0.0.1:{port}"):
        assert server.poll() is None and time.monotonic() < deadline, (folder / "foreign.log").read_text()
        time.sleep(0.03)
    return server


@pytest.fixture(scope="module", params=["embedded", "server"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaVectors]:
    folder = tmp_path_factory.mktemp("vectors")
    if request.param == "embedded":
        made = open_embedded(folder)
        yield made
        made.close()
        return
    port = free_port()
    server = make_foreign_server(folder, port)
    made = open_server(f"http://127.0.0.1:{port}/", "a-token", tenant="desk", database="beacon-tests")
    yield made
    made.close()
    server.kill()
    server.wait()


@pytest.fixture
def key(request: pytest.FixtureRequest, store: ChromaVectors) -> Iterator[CollectionKey]:
    """A collection of this test's own."""
    made = CollectionKey(request.node.name, "hasher/größe-2", 4)
    yield made
    store.drop(made)


def unit(*values: float) -> list[float]:
    return [*values, *[0.0] * (4 - len(values))]


def three() -> list[VectorRow]:
    return [
        VectorRow("a", unit(1, 0), {"kind": "note", "year": 2024, "open": True}),
        VectorRow("b", unit(1, 1), {"kind": "page", "year": 2025, "open": False}),
        VectorRow("c", unit(0, 1), {"kind": "page", "year": 2026, "open": True}),
    ]


def found(hits: list[VectorHit]) -> list[str]:
    return [hit.id for hit in hits]


def test_the_chroma_index_is_a_vector_store(store: ChromaVectors) -> None:
    checked: VectorStore = store
    assert checked.status().startswith("ready: ")


def test_hits_come_best_first_with_cosine_similarity(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    hits = store.query(key, unit(3, 0), 3)
    assert found(hits) == ["a", "b", "c"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-6)


def test_equal_scores_are_ordered_by_id(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, [VectorRow(name, unit(1, 2), {}) for name in ("z", "m", "é", "a")])
    assert found(store.query(key, unit(1, 2), 4)) == ["a", "m", "z", "é"]


def test_a_collection_that_does_not_exist_reads_as_empty(store: ChromaVectors, key: CollectionKey) -> None:
    store.delete(key, ["a"])
    store.delete_where(key, "kind", "note")
    assert (store.query(key, unit(1), 3), store.get(key, ["a"]), store.count(key), list(store.ids(key))) == ([], {}, 0, [])
    assert key.purpose not in {made.purpose for made in store.collections()}


def test_putting_a_row_again_replaces_its_vector(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    store.put(key, [VectorRow("a", unit(0, 0, 1), {})])
    assert store.count(key) == 3
    assert found(store.query(key, unit(0, 0, 1), 1)) == ["a"]


@pytest.mark.parametrize("vector", [unit(1, 0), unit(0, 0, 1)], ids=["same vector", "another vector"])
def test_putting_a_row_again_replaces_all_its_metadata(store: ChromaVectors, key: CollectionKey, vector: list[float]) -> None:
    store.put(key, three())
    store.put(key, [VectorRow("a", vector, {"year": 2030})])
    assert found(store.query(key, vector, 3, {"year": 2030})) == ["a"]
    assert "a" not in found(store.query(key, vector, 3, {"kind": "note"}))


def test_metadata_can_be_emptied(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    store.put(key, [VectorRow("a", unit(1, 0), {})])
    assert found(store.query(key, unit(1), 3, {"open": True})) == ["c"]


def test_a_value_that_changes_only_its_type_is_replaced(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, [VectorRow("a", unit(1), {"flag": 1})])
    store.put(key, [VectorRow("a", unit(1), {"flag": True})])
    assert found(store.query(key, unit(1), 3, {"flag": True})) == ["a"]


def test_of_two_rows_with_one_id_the_later_wins_whole(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, [VectorRow("a", unit(1), {"old": 1}), VectorRow("a", unit(0, 1), {"new": 1})])
    assert found(store.query(key, unit(0, 1), 1, {"new": 1})) == ["a"]
    assert store.query(key, unit(1), 1, {"old": 1}) == []


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"kind": "page"}, "bc"),
        ({"kind": "page", "open": True}, "c"),
        ({"$and": [{"kind": "page"}, {"year": {"$gte": 2025}}, {"open": False}]}, "b"),
        ({"year": {"$in": [2024, 2026]}}, "ac"),
        ({"year": {"$in": []}}, ""),
        ({"year": {"$nin": []}}, "abc"),
        ({"year": {"$gt": 2024, "$lt": 2026}}, "b"),
        ({"$or": [{"kind": "note"}, {"year": 2026}]}, "ac"),
        ({"$or": [{"kind": "note"}, {"year": {"$in": []}}]}, "a"),
        ({"$and": [{"kind": {"$ne": "note"}}, {"$or": [{"year": 2025}]}]}, "b"),
        ({"kind": "nothing has it"}, ""),
        ({}, "abc"),
    ],
    ids=str,
)
def test_filters(store: ChromaVectors, key: CollectionKey, where: dict[str, object], expected: str) -> None:
    store.put(key, three())
    assert sorted(found(store.query(key, unit(1), 9, where))) == list(expected)


@pytest.mark.parametrize("where", [{"$not": 1}, {"year": {"$near": 3}}, {"$and": "kind"}, {"year": None}], ids=str)
def test_a_misshapen_filter_is_refused_by_name(store: ChromaVectors, key: CollectionKey, where: dict[str, object]) -> None:
    with pytest.raises(InputError, match=str(next(iter(where))).replace("$", r"\$")):
        store.query(key, unit(1), 3, where)


def test_deleted_rows_are_gone_from_every_reading(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    store.delete(key, ["a", "never was"])
    assert sorted(store.ids(key)) == ["b", "c"]
    assert (store.count(key), found(store.query(key, unit(1), 3)), store.get(key, ["a"])) == (2, ["b", "c"], {})


def test_delete_where_removes_what_matches_and_nothing_else(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    store.delete_where(key, "kind", "page")
    assert list(store.ids(key)) == ["a"]


def test_get_gives_the_stored_vectors_in_the_order_asked(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, [VectorRow("a", unit(3, -4, 0.1), {}), VectorRow("b", unit(0, 2), {})])
    got = store.get(key, ["b", "missing", "a", "b"])
    assert list(got) == ["b", "a"]
    assert got["a"].dtype == np.float32
    np.testing.assert_allclose(got["a"], unit(3, -4, 0.1), rtol=1e-6)


def test_ids_and_values_of_any_script_come_back(store: ChromaVectors, key: CollectionKey) -> None:
    name = "章节/第一\n'\"\\ 🗼"
    store.put(key, [VectorRow(name, unit(1), {"раздел": "données"})])
    assert found(store.query(key, unit(1), 1, {"раздел": "données"})) == [name]
    assert list(store.get(key, [name])) == [name]


def test_more_rows_than_a_request_takes_are_all_written_and_listed(store: ChromaVectors) -> None:
    key = CollectionKey("many", "hasher", 2)
    store.put(key, [VectorRow(f"r{n}", [1.0, n / 100], {"n": n % 2}) for n in range(6_100)])
    try:
        assert store.count(key) == len(set(store.ids(key))) == 6_100
        store.delete_where(key, "n", 0)
        store.delete(key, [f"r{n}" for n in range(3_000)])
        assert sorted(store.ids(key)) == sorted(f"r{n}" for n in range(3_001, 6_100, 2))
    finally:
        store.drop(key)


@pytest.mark.parametrize("vector", [[1.0, 2.0], [1.0] * 5, unit(float("nan")), unit(float("inf")), [[1.0] * 4]], ids=str)
def test_a_vector_that_cannot_be_used_is_refused_by_id(store: ChromaVectors, key: CollectionKey, vector: list[float]) -> None:
    with pytest.raises(InputError, match="row-7"):
        store.put(key, [VectorRow("row-7", vector, {})])


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, float("nan"), 2**63], ids=str)
def test_metadata_that_cannot_be_used_is_refused_by_name(store: ChromaVectors, key: CollectionKey, value: object) -> None:
    with pytest.raises(InputError, match=r"field_x.*row-7"):
        store.put(key, [VectorRow("row-7", unit(1), {"field_x": value})])  # type: ignore[dict-item]


def test_collections_of_one_purpose_are_apart_by_embedder_dimension_and_version(store: ChromaVectors, key: CollectionKey) -> None:
    others = [CollectionKey(key.purpose, "hasher größe 2", 4), CollectionKey(key.purpose, key.embedder, 4, "2")]
    store.put(key, three())
    for other in others:
        store.put(other, three()[:1])
    assert [store.count(each) for each in (key, *others)] == [3, 1, 1]
    for other in others:
        store.drop(other)
    assert store.count(key) == 3


def test_the_index_is_built_for_recall(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    listed = store._call("GET", "/collections?limit=100")
    built = next(item["configuration_json"]["hnsw"] for item in listed if item["metadata"]["purpose"] == key.purpose)
    assert {name: built[name] for name in HNSW} == HNSW


def test_recall_of_the_ten_nearest_on_noisy_clusters(store: ChromaVectors) -> None:
    random = np.random.default_rng(7)
    centres = random.normal(size=(40, 64))
    points = (centres[random.integers(40, size=5_100)] + 0.7 * random.normal(size=(5_100, 64))).astype(np.float32)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    stored, probes = points[:5_000], points[5_000:]
    key = CollectionKey("recall", "random", 64)
    store.put(key, [VectorRow(str(n), vector, {}) for n, vector in enumerate(stored)])
    exact = np.argsort(-(probes @ stored.T), axis=1)[:, :10]
    hits = [found(store.query(key, probe, 10)) for probe in probes]
    store.drop(key)
    assert np.mean([len(set(map(str, true)) & set(got)) / 10 for true, got in zip(exact, hits, strict=True)]) >= 0.97


def test_a_rebuilt_generation_replaces_the_live_one_at_once(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    rebuilt = next_generation(key, store.collections())
    store.put(rebuilt, three()[:2])
    assert (store.count(key), store.count(rebuilt)) == (3, 2)
    store.publish(rebuilt)
    assert (store.count(key), found(store.query(key, unit(0, 1), 3))) == (2, ["b", "a"])
    assert [made for made in store.collections() if made.family == key] == [rebuilt]


def test_a_reader_that_knew_the_old_generation_reads_the_published_one(store: ChromaVectors, key: CollectionKey) -> None:
    reader = ChromaVectors(store._api.endpoint, tenant=store._tenant, database=store._database)
    store.put(key, three())
    assert reader.count(key) == 3
    rebuilt = next_generation(key, store.collections())
    store.put(rebuilt, three()[:1])
    store.publish(rebuilt)
    assert found(reader.query(key, unit(0, 1), 3)) == ["a"]


def test_a_half_built_generation_is_never_read_as_the_live_one(store: ChromaVectors, key: CollectionKey) -> None:
    half = next_generation(key, store.collections())
    store.put(half, three())
    assert store.count(key) == 0
    store.put(key, three()[:1])
    assert (store.count(key), store.count(half)) == (1, 3)


def test_a_publication_that_was_cut_off_before_the_old_one_was_dropped_stands(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    rebuilt = next_generation(key, store.collections())
    store.put(rebuilt, three()[:1])
    store._call("PUT", f"/collections/{store._find(rebuilt)}", {"new_metadata": _facts(rebuilt, live=True)})
    reader = ChromaVectors(store._api.endpoint, tenant=store._tenant, database=store._database)
    assert reader.count(key) == 1
    reader.purge()
    assert (reader.count(key), sum(made.family == key for made in reader.collections())) == (1, 1)


def test_a_purge_keeps_every_row_with_its_metadata_and_drops_what_is_half_built(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    store.put(next_generation(key, store.collections()), three())
    reached_the_files = store.purge()
    assert found(store.query(key, unit(1, 0), 9, {"kind": "page"})) == ["b", "c"]
    assert (store.count(key), sum(made.family == key for made in store.collections())) == (3, 1)
    assert reached_the_files == isinstance(store._api.endpoint, LocalChroma)


def test_many_who_write_a_new_collection_at_once_write_the_same_one(store: ChromaVectors, key: CollectionKey) -> None:
    barrier = Barrier(8)

    def write(number: int) -> None:
        own = ChromaVectors(store._api.endpoint, tenant=store._tenant, database=store._database)
        barrier.wait()
        own.put(key, [VectorRow(f"r{number}", unit(1, number), {})])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert sorted(store.ids(key)) == [f"r{number}" for number in range(8)]
    assert sum(made.family == key for made in store.collections()) == 1


def test_publishing_what_was_never_built_changes_nothing(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    with pytest.raises(NotFoundError, match="build it before"):
        store.publish(next_generation(key, store.collections()))
    assert store.count(key) == 3


def test_dropping_twice_is_harmless_and_the_collection_can_come_back(store: ChromaVectors, key: CollectionKey) -> None:
    store.put(key, three())
    store.drop(key)
    store.drop(key)
    assert store.count(key) == 0
    store.put(key, three()[:1])
    assert store.count(key) == 1


def test_a_server_that_does_not_answer_is_named_and_is_no_empty_result() -> None:
    address = f"http://127.0.0.1:{free_port()}"
    gone = open_server(address)
    with pytest.raises(UnavailableError, match=address):
        gone.query(CollectionKey("chunks", "hasher", 4), unit(1), 3)
    assert gone.status().startswith("unavailable: ") and address in gone.status()
