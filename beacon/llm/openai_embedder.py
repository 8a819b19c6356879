"""Embedding models behind OpenAI's interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from pydantic import SecretStr

from beacon.errors import InputError, ModelError
from beacon.llm.openai_wire import Endpoint
from beacon.llm.ports import Usage, Vector
from beacon.llm.prices import PriceTable, load_prices
from beacon.llm.replies import Wire, read_wire
from beacon.llm.transport import Retries, call
from beacon.llm.untrusted import well_formed

_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
_BATCH_TEXTS = 256
_BATCH_BYTES = 250_000  # one request takes at most 300,000 tokens, and a token is at least a byte


class _Count(Wire):
    prompt_tokens: int = 0


class _Embedding(Wire):
    index: int
    embedding: list[float]


class _Embeddings(Wire):
    data: list[_Embedding]
    usage: _Count | None = None


class OpenAIEmbedder:
    """An embedding model behind OpenAI's interface.

    `dimension` may shorten the vectors of models that can; it must be given for a model Beacon does not know.
    """

    def __init__(
        self,
        name: str,
        key: SecretStr | None,
        *,
        dimension: int | None = None,
        base_url: str | None = None,
        timeout_s: float = 60.0,
        retries: Retries | None = None,
        prices: PriceTable | None = None,
        on_usage: Callable[[Usage], None] | None = None,
    ) -> None:
        full = _DIMENSIONS.get(name)
        size = dimension or full
        if size is None:
            raise InputError(f"The length of the vectors of '{name}' is not known: set the embedder's dimension.", model=name)
        self.name = name
        self.dimension = size
        self._shortened = full is not None and size != full
        self._endpoint = Endpoint(key, base_url, timeout_s)
        self._retries = retries or Retries()
        self._prices = prices or load_prices()
        self._on_usage = on_usage

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r}, dimension={self.dimension})"

    @property
    def version(self) -> str:
        """The model and its length: a provider gives a changed model another name."""
        return f"{self.name}/{self.dimension}"

    def embed(self, texts: Sequence[str]) -> Vector:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for rows in _batches(texts):
            vectors[rows] = self._request([well_formed(texts[row]) for row in rows])
        return vectors

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed([text])[0]
        return vector

    def _request(self, texts: list[str]) -> Vector:
        arguments: dict[str, Any] = {"model": self.name, "input": texts, "encoding_format": "float"}
        if self._shortened:
            arguments["dimensions"] = self.dimension
        raw = call(lambda: self._endpoint.client.embeddings.create(**arguments), self._endpoint.caller, self._retries)
        reply = read_wire(_Embeddings, raw, self.name)
        if self._on_usage:
            self._on_usage(self._prices.usage(self.name, (reply.usage or _Count()).prompt_tokens, 0))
        rows = sorted(reply.data, key=lambda item: item.index)
        if [item.index for item in rows] != list(range(len(texts))):
            raise ModelError(f"{self.name} did not return one vector a text.", model=self.name)
        return self._normalised([item.embedding for item in rows])

    def _normalised(self, rows: list[list[float]]) -> Vector:
        if any(len(row) != self.dimension for row in rows):
            raise ModelError(
                f"{self.name} returned vectors of {len(rows[0])} numbers, not {self.dimension}: set the embedder's dimension.",
                model=self.name,
            )
        matrix = np.array(rows, dtype=np.float64)
        lengths = np.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ModelError(f"{self.name} returned a vector that has no direction.", model=self.name)
        unit: Vector = (matrix / lengths).astype(np.float32)
        return unit


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Row numbers of the texts that are not empty, in requests of bounded size; an empty text keeps its zeros and is never sent."""
    rows: list[int] = []
    size = 0
    for row, text in enumerate(texts):
        if not text.strip():
            continue
        length = len(text.encode("utf-8", "replace"))
        if rows and (len(rows) == _BATCH_TEXTS or size + length > _BATCH_BYTES):
            yield rows
            rows, size = [], 0
        rows.append(row)
        size += length
    if rows:
        yield rows
