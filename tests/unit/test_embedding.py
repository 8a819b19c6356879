"""The default embedder's table, and embedding each distinct text once."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from beacon.errors import StorageError
from beacon.llm.embedding import embed_distinct, text_sha
from beacon.llm.static_embedder import StaticEmbedder
from tests.doubles import HashEmbedder

TEXTS = [
    "Acme raised its price from $10 to $12 in May 2026.",
    "the pilot was stopped",
    "Zażółć gęślą jaźń",
    "試験は六月に中止された。",
    "мир",
    "a",
    "word " * 400,
]


def test_pooling_equals_the_packages_own_to_a_hundred_thousandth() -> None:
    import wordllama
    from safetensors import safe_open
    from tokenizers import Tokenizer
    from wordllama.inference import WordLlamaInference

    folder = Path(wordllama.__file__).parent
    with safe_open(folder / "weights/l2_supercat_256.safetensors", framework="np") as file:
        table = file.get_tensor("embedding.weight")
    own = WordLlamaInference(table, Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json")))
    assert np.abs(own.embed(TEXTS, norm=True) - StaticEmbedder().embed(TEXTS)).max() < 1e-5


def test_vectors_are_the_same_numbers_on_every_machine() -> None:
    vectors = StaticEmbedder().embed(TEXTS)
    assert text_sha(vectors.astype("<f4").tobytes().hex()) == "1a06e5b02c8eb8afe55467291dee11b4c8d9ab81acdca0f8d5e5ac993ff9e35f"


def test_words_in_another_order_have_the_same_bits() -> None:
    pieces = StaticEmbedder()
    ids = pieces._tokenizer.encode("one two three four five six seven", add_special_tokens=False).ids
    assert np.asarray(pieces._pool(ids)).tobytes() == np.asarray(pieces._pool(ids[::-1])).tobytes()


def test_like_texts_are_closer_than_unlike_ones() -> None:
    price, cost, weather = StaticEmbedder().embed(["the price went up", "the cost increased", "it rained all night"])
    assert price @ cost > price @ weather + 0.1


def test_embedding_imports_neither_the_package_nor_anything_that_fetches() -> None:
    code = (
        "import sys; from beacon.llm.static_embedder import StaticEmbedder; StaticEmbedder().embed_query('x');"
        "print(sorted({'wordllama', 'requests', 'huggingface_hub', 'urllib3', 'anthropic', 'openai'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.strip() == "[]"


def test_a_missing_table_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="install"):
        StaticEmbedder(tmp_path).embed(["x"])


@pytest.mark.parametrize("content", [b"", b"\x02\0\0\0\0\0\0\0{}", b"\xff" * 8, b"not safetensors at all"])
def test_a_damaged_table_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    own = StaticEmbedder()
    for name in ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(content if name.startswith("weights") else own._file(name).read_bytes())
    with pytest.raises(StorageError, match="damaged"):
        StaticEmbedder(tmp_path).embed(["x"])


def test_the_version_changes_with_the_table(tmp_path: Path) -> None:
    for name in ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"other")
    assert StaticEmbedder(tmp_path).version != StaticEmbedder().version


def test_each_distinct_text_is_embedded_once() -> None:
    embedder = HashEmbedder()
    vectors = embed_distinct(embedder, ["a", "b", "a", "b", "c"])
    assert (embedder.embedded, list(vectors)) == (["a", "b", "c"], [text_sha("a"), text_sha("b"), text_sha("c")])


def test_a_text_that_is_known_is_not_embedded_again() -> None:
    embedder = HashEmbedder()
    known = embed_distinct(embedder, ["a"])
    embed_distinct(embedder, ["a", "b"], known)
    assert embedder.embedded == ["a", "b"]


def test_nothing_to_embed_asks_nobody() -> None:
    assert embed_distinct(HashEmbedder(), []) == {}


def test_a_vector_belongs_to_its_text() -> None:
    vectors = embed_distinct(StaticEmbedder(), ["June", "a\ud800b"])
    assert vectors[text_sha("June")].tobytes() == StaticEmbedder().embed_query("June").tobytes()
