"""Search as people use it: what it finds, what it says about why, and what cannot break it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.clock import fixed_clock
from beacon.errors import InputError, NotFoundError, UnavailableError
from beacon.projections import drain_all
from beacon.retrieval.passages import passages_of
from tests.doubles import HashEmbedder

CLOCK = fixed_clock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
ENCYCLOPAEDIA = {
    "Velm Lighthouse": "Velm Lighthouse was designed by Anna Bergström in 1911. It stands on the north quay.",
    "Anna Bergström": "Anna Bergström was an engineer. She was born in Tornquist and built harbours.",
    "Tornquist": "Tornquist is a town on the river Osk. Its market is held every Thursday.",
    "Osk": "The Osk is a river. It rises in the hills and reaches the sea after ninety kilometres.",
    "Harbour dues": "Harbour dues are paid by ships. They were raised twice in ten years.",
    "Quay walls": "Quay walls are built of stone or concrete. They hold the ground behind a harbour.",
}
TURNS = [
    ("t1", "Mara", "I went to the dentist on Monday.", "2024-05-01T10:00:00+00:00"),
    ("t2", "Ilja", "Did the new kiln arrive?", "2024-05-01T10:01:00+00:00"),
    ("t3", "Mara", "It came on Friday, and it is blue.", "2024-05-01T10:02:00+00:00"),
    ("t4", "Ilja", "My sister plays chess now.", "2024-06-07T10:00:00+00:00"),
    ("t5", "Mara", "The pottery fair was loud.", "2024-06-07T10:01:00+00:00"),
    ("t6", "Ilja", "I bought a kiln book for Mara.", "2024-06-07T10:02:00+00:00"),
]
STRANGE = [
    "",
    "   ",
    "'; DROP TABLE chunk; --",
    "MATCH (n) DETACH DELETE n //",
    'a* OR b* NEAR(" ^ : - ( ) " {x}',
    ".*+?[](){}|\\ $^",
    "%_%",
    "試験 Пилот ทดสอบ",
    "🏮🏮",
]


class Down:
    """A vector index that does not answer."""

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            if name != "close":
                raise UnavailableError("The vector index does not answer: it was taken away.")

        return call


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beacon]:
    """An encyclopaedia of a few pages."""
    folder = tmp_path_factory.mktemp("library")
    rows = []
    for n, (title, text) in enumerate(ENCYCLOPAEDIA.items()):
        (folder / f"{n}.txt").write_text(text, encoding="utf-8")
        kind = "engineering" if "Quay" in title or "Harbour" in title else "place"
        rows.append({"id": f"d{n}", "file": f"{n}.txt", "title": title, "url": f"https://example.org/{n}", "kind": kind})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    yield from _opened(tmp_path_factory.mktemp("home"), folder)


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beacon]:
    """A conversation of two people on two days."""
    path = tmp_path_factory.mktemp("chat") / "talk.jsonl"
    rows = [{"id": key, "conversation": "talk", "speaker": who, "text": text, "at": at} for key, who, text, at in TURNS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    yield from _opened(tmp_path_factory.mktemp("home"), path, "conversation")


def _opened(home: Path, path: Path, kind: str = "") -> Iterator[Beacon]:
    made = open_beacon(home=str(home), clock=CLOCK)
    made.workspace.makers = replace(made.workspace.makers, embedder=HashEmbedder)
    made.call("ingest_paths", paths=[str(path)], kind=kind)
    assert drain_all(made.workspace) == 0
    yield made
    made.close()


def titles(beacon: Beacon, query: str, **given: Any) -> list[str]:
    return [hit["title"] for hit in beacon.call("search", query=query, **given)]


def test_the_graph_leads_to_a_page_that_the_question_does_not_name(library: Beacon) -> None:
    question = "In which town was the designer of Velm Lighthouse born?"
    assert "Anna Bergström" in titles(library, question, k=2) and "Anna Bergström" not in titles(library, question, k=2, recipe="plain")


def test_a_receipt_names_the_sentence_that_led_to_a_passage(library: Beacon) -> None:
    hits = library.call("search", query="In which town was the designer of Velm Lighthouse born?", k=6)
    led = next(hit for hit in hits if hit["title"] == "Anna Bergström")["receipt"]["graph"]["names"][0]
    lighthouse = next(hit for hit in hits if hit["title"] == "Velm Lighthouse")
    sentence = lighthouse["text"][led["via"]["start"] : led["via"]["end"]]
    assert (led["name"], led["via"]["chunk_id"]) == ("anna bergström", lighthouse["chunk_id"]) and "designed by" in sentence


def test_the_graph_is_left_out_where_nothing_leads_on(chat: Beacon) -> None:
    assert chat.call("search", query="What did Mara say about the kiln?")[0]["receipt"]["graph"]["weight"] == 0


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense", "graph"])
def test_the_parts_of_a_receipt_add_up_to_the_score(library: Beacon, mode: str) -> None:
    for hit in library.call("search", query="designer of Velm Lighthouse", mode=mode):
        assert sum(hit["receipt"]["parts"].values()) == pytest.approx(hit["score"], abs=1e-5)


def test_an_answer_stands_above_other_turns_about_the_thing_asked_for(chat: Beacon) -> None:
    texts = [hit["text"] for hit in chat.call("search", query="When did Mara's kiln arrive?", k=3)]
    assert texts.index(TURNS[2][2]) < 2


def test_a_named_day_counts_for_what_was_said_on_it_alone(chat: Beacon) -> None:
    found = chat.call("search", query="What about the kiln on 7 June 2024?", k=6)
    assert {hit["heading"][:7] for hit in found if hit["receipt"]["parts"]["date"] > 0} == {"2024-06"}


def test_a_named_speaker_counts(chat: Beacon) -> None:
    found = {
        hit["speaker"]: hit["receipt"]["parts"]["speaker"] for hit in chat.call("search", query="What does Ilja say of the kiln?", k=6)
    }
    assert found["Ilja"] > 0 == found["Mara"]


def test_a_period_limits_what_is_found(chat: Beacon) -> None:
    found = chat.call("search", query="kiln", filters={"since": "2024-06-01", "until": "2024-06-30"})
    assert [hit["text"] for hit in found] and all(hit["heading"].startswith("2024-06") for hit in found)


def test_a_kind_limits_what_is_found(library: Beacon) -> None:
    assert set(titles(library, "harbour quay stone", filters={"kind": "engineering"})) <= {"Harbour dues", "Quay walls"}


@pytest.mark.parametrize("query", ["\x00\x07 null", "\ud800"])
def test_what_is_no_text_is_refused(library: Beacon, query: str) -> None:
    with pytest.raises(InputError, match="not text"):
        library.call("search", query=query)


@pytest.mark.parametrize("query", STRANGE, ids=range(len(STRANGE)))
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense", "graph"])
def test_signs_of_query_languages_are_only_text(library: Beacon, query: str, mode: str) -> None:
    library.call("search", query=query, mode=mode)
    assert titles(library, "harbour dues", mode="lexical", k=1) == ["Harbour dues"]


def test_a_query_of_ten_thousand_letters_still_finds_its_rare_word(library: Beacon) -> None:
    query = "Thursday " + " ".join(f"filler{n}" for n in range(1100))
    assert len(query) > 10_000 and titles(library, query, mode="lexical", k=1) == ["Tornquist"]


def test_a_query_of_stop_words_alone_finds_them(library: Beacon) -> None:
    assert titles(library, "is it in the", mode="lexical")


def test_equal_searches_give_equal_answers(library: Beacon) -> None:
    assert library.call("search", query="the river Osk") == library.call("search", query="the river Osk")


def test_a_passage_that_was_not_found_is_told_its_rank_and_what_it_lacks(library: Beacon) -> None:
    dues = library.call("search", query="harbour dues ships", k=1)[0]
    told = library.call("search_explain", query="Who designed Velm Lighthouse?", k=1, chunk_ids=[dues["chunk_id"]])[0]
    assert told["receipt"]["rank"] != 1 and told["short_by"] > 0 and told["last_hit"]["receipt"]["words"]["found"]


def test_a_passage_that_a_filter_leaves_out_is_told_so(library: Beacon) -> None:
    dues = library.call("search", query="harbour dues ships", k=1)[0]
    told = library.call("search_explain", query="harbour dues", chunk_ids=[dues["chunk_id"]], filters={"kind": "place"})[0]
    assert told["receipt"]["rank"] is None and "filters" in told["receipt"]["left_out"]


def test_an_unknown_passage_cannot_be_explained(library: Beacon) -> None:
    with pytest.raises(NotFoundError, match="chk_nowhere"):
        library.call("search_explain", query="harbour", chunk_ids=["chk_nowhere"])


def test_an_unknown_recipe_names_those_there_are(library: Beacon) -> None:
    with pytest.raises(InputError, match="newest"):
        library.call("search", query="harbour", recipe="delicious")


def test_fetched_passages_tell_how_they_fit_a_query(library: Beacon) -> None:
    key = library.call("search_chunks", query="harbour dues", k=1)[0]["chunk_id"]
    fetched = library.call("fetch_chunks", chunk_ids=[key], query="harbour dues")[0]
    assert fetched["content"] == ENCYCLOPAEDIA["Harbour dues"] and fetched["receipt"]["rank"] == 1


def test_what_came_in_is_found_at_once(library: Beacon) -> None:
    library.call("ingest_text", title="Zorbing", text="Zorbing is rolling downhill inside a ball.")
    assert titles(library, "zorbing downhill", mode="lexical", k=1) == ["Zorbing"]


def test_passages_are_read_once_as_long_as_nothing_changes(library: Beacon) -> None:
    before = passages_of(library.workspace)
    library.call("search", query="harbour")
    assert passages_of(library.workspace) is before


def test_without_the_vector_index_words_answer_and_the_receipt_says_so(library: Beacon) -> None:
    ws = library.workspace
    vectors = ws.vectors
    ws.__dict__["vectors"] = Down()
    try:
        found = library.call("search", query="harbour dues", k=1)
    finally:
        ws.__dict__["vectors"] = vectors
    assert found[0]["title"] == "Harbour dues" and "words only" in found[0]["receipt"]["missing"]


def test_a_varied_search_takes_unlike_passages_first(chat: Beacon) -> None:
    plain = [hit["chunk_id"] for hit in chat.call("search", query="kiln", k=3)]
    varied = [hit["chunk_id"] for hit in chat.call("search", query="kiln", k=3, recipe="varied")]
    assert len(varied) == len(plain) and varied[0] == plain[0]


def test_a_question_about_now_prefers_what_is_newer(chat: Beacon) -> None:
    hit = chat.call("search", query="What is the latest about the kiln?")[0]
    assert hit["receipt"]["recipe"] == "newest" and hit["receipt"]["parts"]["recency"] > 0
