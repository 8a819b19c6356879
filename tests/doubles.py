"""Scripted doubles of what Beacon cannot have in a test: models and embedders. They follow the same ports as the real ones."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pydantic

from beacon.domain.ids import digest
from beacon.errors import BeaconError, ModelError
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, Usage, Vector
from beacon.llm.prices import estimate_tokens, request_tokens
from beacon.llm.structured import Answer, complete

Reply = str | pydantic.BaseModel | BeaconError | Callable[[ChatRequest], "str | pydantic.BaseModel | BeaconError"]


class ScriptedChatModel:
    """Gives the replies in order and remembers what it was asked.

    A reply is a text, a model (sent as JSON), an error to raise, or a function of the request that gives one of these. JSON that does
    not fit a request's schema is sent back once for repair, as the real models do, and takes the next reply.
    """

    provider = "scripted"

    def __init__(self, replies: Iterable[Reply], *, name: str = "scripted-1", cost_usd: float | None = 0.0) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        self._replies = iter(list(replies))
        self._cost_usd = cost_usd

    def complete(self, request: ChatRequest) -> ChatReply:
        return complete(self._ask, request)

    def stream(self, request: ChatRequest) -> ChatStream:
        def parts() -> Iterator[str | Usage]:
            answer = self._ask(request)
            yield from answer.text.splitlines(keepends=True)
            yield answer.usage

        return ChatStream(parts())  # type: ignore[arg-type]

    def _ask(self, request: ChatRequest) -> Answer:
        self.requests.append(request)
        reply = next(self._replies, None)
        if callable(reply):
            reply = reply(request)
        if reply is None:
            raise AssertionError(f"The scripted model was asked {len(self.requests)} times and has no reply left.")
        if isinstance(reply, BeaconError):
            raise reply
        text = reply.model_dump_json() if isinstance(reply, pydantic.BaseModel) else reply
        return Answer(text, Usage(request_tokens(request), estimate_tokens(text), self._cost_usd, self.name))


class FailingChatModel(ScriptedChatModel):
    """Raises the same error whenever it is asked."""

    def __init__(self, error: BeaconError | None = None) -> None:
        failure = error or ModelError("scripted failure", reason="shape")
        super().__init__([])
        self._failure = failure

    def _ask(self, request: ChatRequest) -> Answer:
        self.requests.append(request)
        raise self._failure


class HashEmbedder:
    """Vectors that depend on the text's words alone: texts that share words are close. Small, quick, and it counts its texts."""

    name = "hash"
    dimension = 64
    version = "1"

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.embedded.extend(texts)
        vectors: Vector = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                vectors[row, int(digest(word.encode("utf-8", "surrogatepass"))[:8], 16) % self.dimension] += 1.0
            length = float(np.sqrt((vectors[row] * vectors[row]).sum()))
            vectors[row] /= length or 1.0
        return vectors

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed([text])[0]
        return vector
