"""What a vector index is to the rest of Beacon."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
MetadataValue = str | int | float | bool
Where = Mapping[str, object]

LIVE = 0  # the generation of a key that means "whichever is published"


@dataclass(frozen=True, slots=True)
class CollectionKey:
    """Which vectors: one purpose, made by one embedder. Other embedders, dimensions and versions are other collections."""

    purpose: str  # chunks, memories, …
    embedder: str  # any text, a model's name
    dimension: int
    version: str = "1"  # of what is embedded: the text around it, its normalisation
    generation: int = LIVE  # LIVE in daily use; a number while an index is rebuilt beside the live one

    @property
    def family(self) -> "CollectionKey":
        """The key without its generation."""
        return replace(self, generation=LIVE)

    @property
    def name(self) -> str:
        """A name of letters, digits and hyphens, readable, and unique because it ends in a digest of the exact family."""
        readable = "-".join(re.sub(r"[^a-zA-Z0-9]+", "-", part).strip("-")[:60] for part in (self.purpose, self.embedder) if part)
        exact = "\x00".join((self.purpose, self.embedder, str(self.dimension), self.version))
        return f"beacon-{readable}-{self.dimension}-{sha256(exact.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}-g{self.generation}"


@dataclass(frozen=True, slots=True, eq=False)
class VectorRow:
    """One vector with what it can be filtered by."""

    id: str
    vector: Vector | Sequence[float]
    metadata: Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class VectorHit:
    """One answer to a query."""

    id: str
    score: float  # cosine similarity, -1 to 1, approximate in its last digits


class VectorStore(Protocol):
    """A rebuildable index of vectors under cosine similarity.

    A collection comes into being with its first `put`; reading one that does not exist is reading an empty one. Every call may
    be repeated without harm. A server that does not answer is an UnavailableError naming its address, never an empty result.
    """

    def put(self, collection: CollectionKey, rows: Sequence[VectorRow]) -> None:
        """Inserts or replaces rows by id, vector and metadata as a whole; of two rows with one id the later wins.

        On return the rows survive the death of any process. On an error some of them may have been written: put them again.
        Raises InputError for a vector of another dimension or with a value that is not finite, and for metadata of another type.
        """
        ...

    def delete(self, collection: CollectionKey, ids: Sequence[str]) -> None:
        """Removes the rows with these ids; unknown ids are passed over."""
        ...

    def delete_where(self, collection: CollectionKey, field: str, value: MetadataValue) -> None:
        """Removes the rows whose metadata `field` equals `value`."""
        ...

    def query(self, collection: CollectionKey, vector: Vector | Sequence[float], k: int, where: Where | None = None) -> list[VectorHit]:
        """The at most `k` nearest rows that pass `where`, best first, ties by id. Approximate: a few of the true nearest may be missing.

        `where` maps fields to values or to one of `{"$eq"|"$ne"|"$gt"|"$gte"|"$lt"|"$lte": value}`, `{"$in"|"$nin": values}`;
        several fields must all hold; `{"$and"|"$or": [where, …]}` nest.
        """
        ...

    def get(self, collection: CollectionKey, ids: Sequence[str]) -> dict[str, Vector]:
        """The vectors of those ids that exist, in the order asked; float32, exact to about seven digits."""
        ...

    def count(self, collection: CollectionKey) -> int:
        """How many rows there are."""
        ...

    def ids(self, collection: CollectionKey) -> Iterator[str]:
        """Every id, in no promised order; rows written meanwhile may be missed."""
        ...

    def drop(self, collection: CollectionKey) -> None:
        """Removes the collection with its rows; with generation LIVE, every generation of it."""
        ...

    def collections(self) -> list[CollectionKey]:
        """Every collection, each generation by itself, ordered by name."""
        ...

    def publish(self, rebuilt: CollectionKey) -> None:
        """Makes the generation `rebuilt` the live one in one step and drops the older ones; readers see the one or the other, whole.

        What was put under LIVE after the rebuild had read it is not in `rebuilt`: hold such writes, or put them to both.
        Raises NotFoundError when `rebuilt` has never been put to, and InputError when it names no generation.
        """
        ...

    def purge(self) -> bool:
        """Whether the files of the index hold nothing of deleted rows any more, as they do for long after a `delete`.

        Slow: rewrites every collection. Drops half-built generations, and what is put meanwhile may be lost: hold all writes.
        False where the server is somebody else's: its collections were rewritten, and its files need its operator.
        """
        ...

    def status(self) -> str:
        """One line that says where the index is and how much it holds, or why it does not answer. Never raises UnavailableError."""
        ...

    def close(self) -> None:
        """Lets go of the server; a later call takes it up again."""
        ...


def next_generation(collection: CollectionKey, existing: Collection[CollectionKey]) -> CollectionKey:
    """The key to rebuild `collection` under: one generation after all that exist, half-built ones included."""
    taken = [key.generation for key in existing if key.family == collection.family]
    return replace(collection, generation=max(taken, default=0) + 1)
