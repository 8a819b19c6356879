"""Passages: exact slices that follow the document's structure."""

import random
import time

import pytest

from beacon.domain.source import Chunk, Document
from beacon.ingest.chunk import chunk_document, count_words
from beacon.ingest.parse import parse_bytes

WORDS = "harbour ship rope winter council fee lantern quay captain storm anchor letter market bridge island".split()


def _prose(paragraphs: int, seed: int = 7, sentences: int = 6) -> str:
    draw = random.Random(seed)

    def sentence() -> str:
        return " ".join(draw.choice(WORDS) for _ in range(draw.randint(6, 20))).capitalize() + "."

    return "\n\n".join(" ".join(sentence() for _ in range(sentences)) for _ in range(paragraphs))


def _doc(text: str, name: str = "x.txt") -> Document:
    return parse_bytes(text.encode(), name=name)


DOCUMENTS = {
    "prose": _doc(_prose(20)),
    "one long paragraph": _doc(_prose(1, sentences=200)),
    "one endless sentence": _doc("word " * 3000),
    "no spaces at all": _doc("x" * 40_000),
    "japanese": _doc("これは港の話です。船が毎日やって来ます。" * 200),
    "japanese without stops": _doc("港" * 5000),
    "thai": _doc("เรือเข้ามาทุกวัน" * 400),
    "markdown": _doc("".join(f"# Part {n}\n\n{_prose(3, n)}\n\n- item one\n- item two\n\n" for n in range(6)), "x.md"),
    "talk": _doc("\n".join(f"{'Ann' if n % 2 else 'Bob'}: {_prose(1, n)}" for n in range(12))),
    "fields": _doc("{" + ",".join(f'"k{n}": {{"a": "{_prose(1, n, 1)}", "b": {n}}}' for n in range(40)) + "}", "x.json"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_chunk_is_the_slice_at_its_offsets_and_none_overlap(name: str) -> None:
    doc, at = DOCUMENTS[name], 0
    for ordinal, chunk in enumerate(chunk_document(doc)):
        assert chunk.text == doc.text[chunk.start : chunk.end]
        assert chunk.ordinal == ordinal
        assert at <= chunk.start < chunk.end
        at = chunk.end


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_chunk_is_longer_than_the_ceiling(name: str) -> None:
    assert max(count_words(chunk.text) for chunk in chunk_document(DOCUMENTS[name])) <= 180


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_word_outside_headings_and_labels_is_in_a_chunk(name: str) -> None:
    doc = DOCUMENTS[name]
    chunks = chunk_document(doc)
    for block in doc.blocks:
        if block.kind != "heading":
            covered = sum(max(0, min(block.end, chunk.end) - max(block.start, chunk.start)) for chunk in chunks)
            lost = block.end - block.start - covered
            assert lost <= len([chunk for chunk in chunks if block.start < chunk.end and chunk.start < block.end]) * 2


@pytest.mark.parametrize("name", DOCUMENTS)
def test_chunking_twice_gives_the_same(name: str) -> None:
    assert chunk_document(DOCUMENTS[name]) == chunk_document(DOCUMENTS[name])


def test_long_prose_comes_near_the_target() -> None:
    sizes = [count_words(chunk.text) for chunk in chunk_document(DOCUMENTS["one long paragraph"])]
    assert 90 <= sum(sizes) / len(sizes) <= 140


def test_long_blocks_are_cut_at_sentence_ends() -> None:
    assert all(chunk.text.endswith(".") for chunk in chunk_document(DOCUMENTS["one long paragraph"]))


def test_a_chunk_never_crosses_a_heading_and_names_those_above_it() -> None:
    chunks = chunk_document(_doc("# One\n\nalpha words\n\n## Two\n\nbeta words\n\n# Three\n\ngamma words", "x.md"))
    assert [(chunk.heading, chunk.text) for chunk in chunks] == [
        ("One", "alpha words"),
        ("One › Two", "beta words"),
        ("Three", "gamma words"),
    ]


def test_a_heading_with_nothing_under_it_is_a_chunk() -> None:
    chunks = chunk_document(_doc("# One\n\nalpha words\n\n# Two", "x.md"))
    assert [chunk.text for chunk in chunks] == ["alpha words", "Two"]


def test_a_heading_that_says_a_sentence_is_part_of_the_text() -> None:
    chunks = chunk_document(_doc("# Most users could not find the fees on this page\n\nThey looked twice.", "x.md"))
    assert [chunk.text for chunk in chunks] == ["Most users could not find the fees on this page\n\nThey looked twice."]


def _talk() -> list[Chunk]:
    return chunk_document(_doc("Ann: How was it for you?\nBob: It was slow at first.\nBob: Then it got better.\nAnn: And after that?"))


def test_a_chunk_has_one_speaker_and_only_what_that_speaker_said() -> None:
    assert [(chunk.speaker, chunk.text[:7]) for chunk in _talk()] == [("Ann", "How was"), ("Bob", "It was "), ("Ann", "And aft")]


def test_a_turn_that_fits_stays_whole() -> None:
    turn = " ".join(["Words are many here."] * 40)
    chunks = chunk_document(_doc(f"Ann: Please tell me all of it.\nBob: {turn}\nAnn: And what came after that?"))
    assert [chunk.text for chunk in chunks if chunk.speaker == "Bob"] == [turn]


def test_a_record_of_fields_that_fits_stays_whole() -> None:
    assert len(chunk_document(_doc('{"a": "one", "b": ["two", "three"], "c": {"d": "four"}}', "x.json"))) == 1


def test_nested_records_are_kept_together_when_the_whole_does_not_fit() -> None:
    for chunk in chunk_document(DOCUMENTS["fields"]):
        lines = chunk.text.split("\n")
        assert lines[0].split(":")[0].endswith(".a")
        assert lines[-1].split(":")[0].endswith(".b")


@pytest.mark.parametrize("text", [_prose(1, sentences=8000), "x" * 2_000_000, "港" * 200_000])
def test_a_huge_block_costs_no_more_than_its_length(text: str) -> None:
    doc = _doc(text)
    begun = time.process_time()
    chunk_document(doc)
    assert time.process_time() - begun < 4


def test_scripts_without_spaces_count_two_characters_a_word() -> None:
    assert count_words("港の船") == 1.5


def test_parsing_and_chunking_is_fast() -> None:
    data = _prose(2000).encode()
    begun = time.process_time()
    chunk_document(parse_bytes(data, name="x.txt"))
    assert len(data) / 1e6 / (time.process_time() - begun) > 1  # MB/s; over 7 on an idle machine
