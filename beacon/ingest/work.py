"""What one document's text alone says: its passages, the names in them, and who stands with whom in a sentence.

Nothing here reads a store, so any process may do it, and the outcome is the same wherever it was done. What travels between
processes is made of tuples, which are sent five times as fast as dataclasses.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import tokenize
from beacon.domain.ids import digest
from beacon.domain.source import Block, Chunk, Document
from beacon.ingest.chunk import chunk_document
from beacon.ingest.entities import read_entities

FIRST_UNSPACED = "\u0e00"


class Work(NamedTuple):
    """A document as it is worked on. With `in_turns`, its passages are its blocks."""

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    in_turns: bool = False


class Passage(NamedTuple):
    """A passage without its text, which is the document's `[start, end)`. `bigrams` are its words in scripts without spaces."""

    start: int
    end: int
    heading: str
    speaker: str
    bigrams: str
    sha256: str


class Naming(NamedTuple):
    """A name where it stands, whole inside the passage of that number."""

    start: int
    end: int
    name: str
    type: str
    passage: int


class Company(NamedTuple):
    """A sentence that holds several of the document's namings, by their numbers."""

    start: int
    end: int
    namings: tuple[int, ...]


class Worked(NamedTuple):
    """What a document came to. `told` are the names whose type it tells, `short_forms` what it introduces: (short form, full name).

    `vectors` are the passages' as they are stored, where they were worked out as well.
    """

    passages: tuple[Passage, ...] = ()
    namings: tuple[Naming, ...] = ()
    company: tuple[Company, ...] = ()
    told: frozenset[str] = frozenset()
    short_forms: tuple[tuple[str, str], ...] = ()
    vectors: tuple[bytes, ...] = ()


def work_out(work: Work, known_aliases: Mapping[str, str]) -> Worked:
    """What the document comes to. `known_aliases`: short form → full name, as the project knew them before."""
    document = Document(work.text, work.title, "", work.blocks)
    chunks = list(turn_chunks(document)) if work.in_turns else chunk_document(document)
    people = {block.speaker for block in work.blocks if block.speaker}
    read = read_entities(work.text, [(c.start, c.end) for c in chunks], work.title, known_aliases=known_aliases, people=people)
    spans = sorted((m.start, m.end, m.name, m.type) for m in read.mentions)
    namings = tuple(_placed(spans, chunks))
    return Worked(
        tuple(Passage(c.start, c.end, c.heading, c.speaker, _unspaced_tokens(c.text), digest(c.text)) for c in chunks),
        namings,
        tuple(_company(namings, split_sentences(work.text))),
        read.told,
        tuple(sorted(read.short_forms.items())),
    )


def turn_chunks(document: Document) -> Iterator[Chunk]:
    """One chunk a turn, under the date it was said."""
    for ordinal, block in enumerate(document.blocks):
        yield Chunk(block.start, block.end, document.text[block.start : block.end], ordinal, " ".join(block.path), block.speaker)


def _unspaced_tokens(text: str) -> str:
    if text.isascii():
        return ""
    return " ".join(token for token in tokenize(text) if token[0] >= FIRST_UNSPACED)


def _placed(spans: Sequence[tuple[int, int, str, str]], chunks: Sequence[Chunk]) -> Iterator[Naming]:
    at = 0
    for start, end, name, kind in spans:
        while at < len(chunks) and chunks[at].end <= start:
            at += 1
        if at < len(chunks) and start >= chunks[at].start and end <= chunks[at].end:
            yield Naming(start, end, name, kind, at)


def _company(namings: Sequence[Naming], sentences: Sequence[tuple[int, int]]) -> Iterator[Company]:
    at = 0
    for start, end in sentences:
        here: list[int] = []
        while at < len(namings) and namings[at].start < end:
            if namings[at].start >= start:
                here.append(at)
            at += 1
        if len(here) > 1:
            yield Company(start, end, tuple(here))
