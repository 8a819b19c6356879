"""Every embedder: the table on disk, and a server that speaks OpenAI's interface."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from pydantic import SecretStr

from beacon.domain.ids import digest
from beacon.errors import InputError, ModelError, UnavailableError
from beacon.llm.openai_embedder import OpenAIEmbedder
from beacon.llm.ports import Embedder, Usage
from beacon.llm.static_embedder import StaticEmbedder
from beacon.llm.transport import Retries
from tests.contract.scripted_providers import Fail, OpenAIHandler, Raw, Seen, Step, serve

TEXTS = ["The pilot was stopped in June.", "", "Пилот остановлен в июне.", "試験は六月に中止された。", "a\ud800b", "   ", "🏮"]


class _EmbeddingServer(OpenAIHandler):
    """Computes a vector from each text, as a server with a model would, and hands them back in reverse order."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.script.seen.append(Seen(self.path, dict(self.headers), body))
        data = [{"object": "embedding", "index": row, "embedding": _numbers(text)} for row, text in enumerate(body["input"])]
        reply = {"object": "list", "data": data[::-1], "model": body["model"], "usage": {"prompt_tokens": 7, "total_tokens": 7}}
        self._send(200, json.dumps(reply))


def _numbers(text: str) -> list[float]:
    assert text.strip(), "the provider refuses empty texts"
    return [int(letter, 16) - 7.5 for letter in digest(text)[:8]]


@pytest.fixture(params=["static", "openai"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "static":
        yield StaticEmbedder()
        return
    with serve(_EmbeddingServer, Fail(500)) as server:
        yield OpenAIEmbedder("text-embedding-3-small", None, dimension=8, base_url=server.url + "/v1")


def test_vectors_have_the_declared_shape_and_type(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (vectors.shape, vectors.dtype.name) == ((len(TEXTS), embedder.dimension), "float32")


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_a_text_in_any_script_has_a_vector_of_length_one(embedder: Embedder) -> None:
    written = [text for text in TEXTS if text.strip()]
    assert np.allclose(np.linalg.norm(embedder.embed(written), axis=1), 1.0, atol=1e-6)


def test_an_empty_text_has_a_vector_of_zeros(embedder: Embedder) -> None:
    assert not embedder.embed(["", "June"])[0].any()


def test_a_text_has_the_same_bits_in_every_batch(embedder: Embedder) -> None:
    alone = np.stack([embedder.embed([text])[0] for text in TEXTS])
    long = [*TEXTS, "a much longer text " * 200, *TEXTS[::-1]]
    together = embedder.embed(long)
    assert alone.tobytes() == together[: len(TEXTS)].tobytes() == together[len(TEXTS) + 1 :][::-1].tobytes()


def test_a_question_has_the_vector_of_its_text(embedder: Embedder) -> None:
    assert embedder.embed_query(TEXTS[0]).tobytes() == embedder.embed([TEXTS[0]])[0].tobytes()


def test_the_space_has_a_name_and_a_version(embedder: Embedder) -> None:
    assert embedder.name and embedder.version


def _remote(*steps: Step, texts: list[str], **options: object) -> tuple[object, list[Seen]]:
    with serve(OpenAIHandler, *steps) as server:
        model = OpenAIEmbedder("own", None, dimension=2, base_url=server.url + "/v1", retries=Retries(attempts=2, sleep=lambda _: None))
        return model.embed(texts), server.seen


def _embeddings(*rows: tuple[int, list[float]]) -> Raw:
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in rows]
    return Raw(json.dumps({"object": "list", "data": data, "model": "own"}))


@pytest.mark.parametrize(
    "answer",
    [
        _embeddings(),
        _embeddings((0, [1.0, 0.0])),
        _embeddings((0, [1.0, 0.0]), (0, [0.0, 1.0])),
        _embeddings((0, [1.0, 0.0]), (1, [0.0, 0.0])),
        _embeddings((0, [1.0, 0.0]), (1, [0.0, 1.0, 0.0])),
        Raw('{"data": "none"}'),
        Raw("[1, 2]"),
    ],
)
def test_an_answer_that_is_not_one_vector_a_text_is_a_model_error(answer: Raw) -> None:
    with pytest.raises(ModelError):
        _remote(answer, texts=["a", "b"])


def test_a_server_that_fails_for_ever_is_unavailable() -> None:
    with pytest.raises(UnavailableError):
        _remote(Fail(503), texts=["a"])


def test_many_texts_go_in_requests_of_bounded_size() -> None:
    with serve(_EmbeddingServer, Fail(500)) as server:
        model = OpenAIEmbedder("own", None, dimension=8, base_url=server.url + "/v1")
        model.embed([f"text {number}" for number in range(300)] + ["x" * 200_000, "y" * 200_000])
    assert [len(seen.body["input"]) for seen in server.seen] == [256, 45, 1]


def test_what_embedding_costs_is_reported() -> None:
    heard: list[Usage] = []
    with serve(_EmbeddingServer, Fail(500)) as server:
        model = OpenAIEmbedder("text-embedding-3-small", None, dimension=8, base_url=server.url + "/v1", on_usage=heard.append)
        model.embed(["June"])
    assert heard == [Usage(7, 0, 7 * 0.02 / 1e6, "text-embedding-3-small")]


def test_only_a_shortened_model_is_asked_for_a_dimension() -> None:
    with serve(_EmbeddingServer, Fail(500)) as server:
        OpenAIEmbedder("text-embedding-3-small", None, dimension=8, base_url=server.url + "/v1").embed(["June"])
        OpenAIEmbedder("own", None, dimension=8, base_url=server.url + "/v1").embed(["June"])
    assert [seen.body.get("dimensions") for seen in server.seen] == [8, None]


def test_a_model_of_unknown_dimension_must_be_told_it() -> None:
    with pytest.raises(InputError, match="dimension"):
        OpenAIEmbedder("own", SecretStr("k"))
