"""The child process of a crew: works out what comes in until nothing more can. It imports little, because it has to start quickly."""

import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from beacon.ingest.work import Work, Worked, work_out
from beacon.llm.embedding import space_of, stored_vector

if TYPE_CHECKING:
    from beacon.llm.ports import Embedder


def main() -> None:
    """Greet, then answer each job with its outcome."""
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints must not stand among the answers
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        known, space = pickle.load(source)
        embedder = _find_embedder(space)
        _answer(answers, True)
        while True:
            works = pickle.load(source)
            worked = [work_out(work, known) for work in works]
            _answer(answers, _embedded(embedder, works, worked) if embedder else worked)


def _answer(answers: IO[bytes], what: object) -> None:
    pickle.dump(what, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


def _find_embedder(space: str) -> "Embedder | None":
    """The embedder of that name if it is the one that every process has at hand, ready to be used."""
    from beacon.llm.static_embedder import StaticEmbedder

    embedder = StaticEmbedder()
    if space != space_of(embedder):
        return None
    embedder.embed(["ready"])
    return embedder


def _embedded(embedder: "Embedder", works: Sequence[Work], worked: Sequence[Worked]) -> list[Worked]:
    """The same with the passages' vectors."""
    texts = [work.text[p.start : p.end] for work, done in zip(works, worked, strict=True) for p in done.passages]
    rows = iter(embedder.embed(texts))
    return [done._replace(vectors=tuple(stored_vector(next(rows)) for _ in done.passages)) for done in worked]


if __name__ == "__main__":
    main()
