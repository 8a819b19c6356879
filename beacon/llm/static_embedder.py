"""The embedder that is always there: a table of token vectors on disk, averaged. Nothing is downloaded, no model runs.

The table and the tokenizer are files of the wordllama package, read directly: its own loader looks for the tokenizer in a folder
the package does not have and would fetch it from the network.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import struct
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from beacon.errors import StorageError
from beacon.llm.untrusted import well_formed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from beacon.llm.ports import Vector

_PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_POOLING = "mean-1"  # the way of pooling is part of the version
_BATCH = 256  # texts tokenized at once, and
_SLICE = 4096  # tokens added at once: both bound memory


class StaticEmbedder:
    """Mean of the token vectors, in exact arithmetic: the same vector on every machine and in every batch."""

    name = "wordllama-l2-supercat-256"
    dimension = 256

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @cached_property
    def version(self) -> str:
        """Digest of the two files and the way of pooling."""
        total = hashlib.sha256(_POOLING.encode())
        for name in (_WEIGHTS, _TOKENIZER):
            with self._file(name).open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()[:16]

    def embed(self, texts: Sequence[str]) -> Vector:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [well_formed(text) for text in texts[start : start + _BATCH]]
            encodings = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            for offset, encoding in enumerate(encodings):
                vectors[start + offset] = self._pool(encoding.ids)
        return vectors

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed([text])[0]
        return vector

    def _pool(self, ids: list[int]) -> npt.NDArray[np.float64] | float:
        if not ids:
            return 0.0
        # A sum of float16 values is exact in float64, and fsum rounds once: no order of adding can change a bit.
        total = np.zeros(self.dimension, dtype=np.float64)
        for start in range(0, len(ids), _SLICE):
            total += self._table[ids[start : start + _SLICE]].sum(axis=0, dtype=np.float64)
        mean = total / len(ids)
        length = math.sqrt(math.fsum((mean * mean).tolist()))
        return mean / length if length else 0.0

    @cached_property
    def _table(self) -> npt.NDArray[np.float32]:
        return _read_tensor(self._file(_WEIGHTS), _TENSOR, self.dimension).astype(np.float32)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._file(_TOKENIZER)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def _file(self, name: str) -> Path:
        path = (self._folder or _package_folder()) / name
        if not path.is_file():
            raise StorageError(f"The embedding file '{path}' is missing: install {_PACKAGE} again.", path=str(path))
        return path


@cache
def shared_embedder() -> StaticEmbedder:
    """The embedder over the package's own table, one a process."""
    return StaticEmbedder()


def _package_folder() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise StorageError(f"The package {_PACKAGE}, which holds the default embedder's table, is not installed: install it again.")
    return Path(next(iter(spec.submodule_search_locations)))


def _read_tensor(path: Path, tensor: str, dimension: int) -> npt.NDArray[np.float16]:
    """The float16 matrix of that name in a safetensors file: 8 bytes of header length, a JSON header, then the numbers."""
    with path.open("rb") as file:
        try:
            header_length = struct.unpack("<Q", file.read(8))[0]
            if header_length > path.stat().st_size:
                raise ValueError("no header")
            entry = json.loads(file.read(header_length))[tensor]
            start, end = entry["data_offsets"]
            rows, columns = entry["shape"]
            if entry["dtype"] != "F16" or columns != dimension:
                raise ValueError("not the expected matrix")
            file.seek(8 + header_length + start)
            return np.frombuffer(file.read(end - start), dtype="<f2").reshape(rows, columns)
        except (struct.error, ValueError, KeyError, TypeError) as error:
            raise StorageError(f"The embedding file '{path}' is damaged: install {_PACKAGE} again.", path=str(path)) from error
