"""Documents to measure with: made from a fixed vocabulary, so that every machine measures the same text."""

import random
from collections.abc import Iterator

from beacon.domain.source import Block, Document, IncomingDocument

NAMES = (
    "Harbour Board",
    "Elm Street",
    "North Quay",
    "Ferry Line",
    "Tide Office",
    "Lamp Works",
    "Stone Pier",
    "Old Mint",
    "River Trust",
    "Salt House",
)
WORDS = (
    "the council reported that traffic on the river grew by several percent while repairs of the quay went on and the cost of stone "
    "rose again before winter so ships waited longer than last year but fewer goods were lost and the lamps along the harbour were lit "
    "earlier each evening"
).split()


def documents(count: int, words: int = 220, seed: int = 7) -> Iterator[IncomingDocument]:
    """`count` documents of about `words` words in three paragraphs, all different, with names and figures in them."""
    source = random.Random(seed)
    for n in range(count):
        paragraphs = [_paragraph(source, words // 3) for _ in range(3)]
        text, blocks, at = "\n\n".join(paragraphs), [], 0
        for paragraph in paragraphs:
            blocks.append(Block(at, at + len(paragraph), "paragraph"))
            at += len(paragraph) + 2
        document = Document(text, f"Harbour note {n}", "text/plain", tuple(blocks))
        yield IncomingDocument(f"bench:{seed}:{n}", f"https://example.org/notes/{seed}/{n}", f"Harbour note {n}", document)


def _paragraph(source: random.Random, words: int) -> str:
    sentences = []
    while words > 0:
        length = source.randint(9, 19)
        body = " ".join(source.choice(WORDS) for _ in range(length))
        sentences.append(f"{source.choice(NAMES)} and {source.choice(NAMES)}: {body} {source.randint(1, 9999)}.")
        words -= length + 5
    return " ".join(sentences)
