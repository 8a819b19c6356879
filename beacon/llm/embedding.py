"""Embedding many texts, each distinct one once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from beacon.domain.ids import digest

if TYPE_CHECKING:
    from beacon.llm.ports import Embedder, Vector


def space_of(embedder: Embedder) -> str:
    """The name of the embedder's space: only vectors of one space may be compared."""
    return f"{embedder.name}/{embedder.dimension}/{embedder.version}"


def stored_vector(vector: Vector) -> bytes:
    """One vector as the records keep it: float32, little-endian."""
    return vector.astype("<f4").tobytes()


def text_sha(text: str) -> str:
    """SHA-256 of the text, which names its vector; lone surrogates have one too."""
    return digest(text.encode("utf-8", "surrogatepass"))


def embed_distinct(embedder: Embedder, texts: Iterable[str], known: Mapping[str, Vector] | None = None) -> dict[str, Vector]:
    """The vector of every text, by `text_sha`, in order of first appearance. Vectors in `known` are taken as they are."""
    distinct = {text_sha(text): text for text in texts}
    found = known or {}
    missing = [sha for sha in distinct if sha not in found]
    computed = dict(zip(missing, embedder.embed([distinct[sha] for sha in missing]), strict=True)) if missing else {}
    return {sha: found[sha] if sha in found else computed[sha] for sha in distinct}
