"""Models behind OpenAI's interface: OpenAI's own, and those of any server that speaks the same (vLLM, Ollama, llama.cpp, gateways)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import SecretStr

from beacon.errors import InputError, ModelError
from beacon.llm import replies, structured
from beacon.llm.ports import ChatReply, ChatRequest, ChatStream, Usage, Vector
from beacon.llm.prices import PriceTable, estimate_tokens, load_prices, request_tokens
from beacon.llm.replies import Wire, read_wire
from beacon.llm.transport import Provider, Retries, broken_off, call, checked_address, steps
from beacon.llm.untrusted import well_formed

if TYPE_CHECKING:
    import openai

KEY_VARIABLE = "OPENAI_API_KEY"
_NOT_PROSE = ("tool_calls", "function_call")
_NO_KEY = "none"  # the library wants a key even where the server wants none
_OWN_HOSTS = ("openai.com", "azure.com")
_EMBEDDING_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
_BATCH_TEXTS = 256
_BATCH_BYTES = 250_000  # one request takes at most 300,000 tokens, and a token is at least a byte


class _Count(Wire):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Text(Wire):
    content: str | None = None
    refusal: str | None = None


class _Choice(Wire):
    finish_reason: str | None = None
    message: _Text | None = None  # of a whole reply
    delta: _Text | None = None  # of a piece


class _Completion(Wire):
    model: str | None = None
    choices: list[_Choice]
    usage: _Count | None = None


class _Embedding(Wire):
    index: int
    embedding: list[float]


class _Embeddings(Wire):
    data: list[_Embedding]
    usage: _Count | None = None


class _Endpoint:
    """An address and a key, and the library's client for them."""

    def __init__(self, key: SecretStr | None, base_url: str | None, timeout_s: float) -> None:
        if key is None and base_url is None:
            raise InputError(f"OpenAI needs a key: set {KEY_VARIABLE}.", variable=KEY_VARIABLE)
        self._key = key
        self._base_url = checked_address(base_url)
        self._timeout_s = timeout_s

    @cached_property
    def client(self) -> openai.OpenAI:
        import openai

        return openai.OpenAI(
            api_key=self._key.get_secret_value() if self._key else _NO_KEY,
            base_url=self._base_url,
            timeout=self._timeout_s,
            max_retries=0,
            # A question carries the user's documents, so it goes to the address that was given and to no other.
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )

    @cached_property
    def caller(self) -> Provider:
        import httpx2
        import openai

        network = (openai.APIConnectionError, httpx2.TransportError)
        return Provider("openai", KEY_VARIABLE, self._key, network, (openai.APIError,))

    @property
    def is_own(self) -> bool:
        """Whether OpenAI itself, or its models at Azure, are asked; other servers know only older field names."""
        host = self.client.base_url.host
        return any(host == own or host.endswith(f".{own}") for own in _OWN_HOSTS)


class OpenAIChatModel:
    """A chat model behind OpenAI's interface. A server of one's own, named by `base_url`, may do without a key."""

    provider = "openai"

    def __init__(
        self,
        name: str,
        key: SecretStr | None,
        *,
        base_url: str | None = None,
        timeout_s: float = 120.0,
        retries: Retries | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self.name = name
        self._endpoint = _Endpoint(key, base_url, timeout_s)
        self._retries = retries or Retries()
        self._prices = prices or load_prices()
        self._takes_temperature = True

    def __repr__(self) -> str:
        return f"OpenAIChatModel({self.name!r})"

    def complete(self, request: ChatRequest) -> ChatReply:
        return structured.complete(self._ask, request)

    def stream(self, request: ChatRequest) -> ChatStream:
        if request.schema is not None:
            raise InputError("A reply of a given shape cannot be streamed: ask for it with complete.")
        return ChatStream(self._pieces(request))

    def _ask(self, request: ChatRequest) -> structured.Answer:
        completions = self._endpoint.client.chat.completions
        raw = self._send(lambda arguments: completions.create(**arguments), request)
        reply = read_wire(_Completion, raw, self.name)
        usage = self._usage(reply, request, "".join(choice.message.content or "" for choice in reply.choices if choice.message))
        if not reply.choices or reply.choices[0].message is None:
            replies.unexpected(self.name, "it has no message", usage)
        choice, message = reply.choices[0], reply.choices[0].message
        _check_end(choice.finish_reason, message.refusal or "", usage, request)
        return replies.finished(message.content or "", usage)

    def _pieces(self, request: ChatRequest) -> Generator[str | Usage, None, None]:
        completions = self._endpoint.client.chat.completions
        asked: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
        events = self._send(lambda arguments: completions.create(**arguments, **asked), request)
        whole, stop, text, refusal = _Completion(choices=[]), None, "", ""
        with events:
            for raw in steps(events, self._endpoint.caller):
                event = read_wire(_Completion, raw, self.name)
                whole = _Completion(model=event.model or whole.model, choices=[], usage=event.usage or whole.usage)
                for choice in event.choices[:1]:
                    stop = choice.finish_reason or stop
                    piece = choice.delta or _Text()
                    text, refusal = text + (piece.content or ""), refusal + (piece.refusal or "")
                    if piece.content:
                        yield well_formed(piece.content)
        if stop is None:
            raise broken_off(self._endpoint.caller)
        usage = self._usage(whole, request, text)
        yield usage
        _check_end(stop, refusal, usage, request)
        replies.finished(text, usage)

    def _send(self, create: Callable[[dict[str, Any]], Any], request: ChatRequest) -> Any:
        """What the call gives; a model that takes no temperature is asked again, and from then on, without it."""
        try:
            return call(lambda: create(self._arguments(request)), self._endpoint.caller, self._retries)
        except InputError as error:
            if request.temperature is None or not self._takes_temperature or error.facts.get("param") != "temperature":
                raise
            self._takes_temperature = False
        return call(lambda: create(self._arguments(request)), self._endpoint.caller, self._retries)

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        system = [{"role": "system", "content": well_formed(request.system)}] if request.system else []
        turns = [{"role": message.role, "content": well_formed(message.content)} for message in request.messages]
        limit = "max_completion_tokens" if self._endpoint.is_own else "max_tokens"
        arguments: dict[str, Any] = {"model": self.name, "messages": [*system, *turns], limit: request.max_tokens}
        if request.temperature is not None and self._takes_temperature:
            arguments["temperature"] = request.temperature
        if request.schema is not None:
            arguments["response_format"] = _response_format(request)
        if request.idempotency_key:
            arguments["extra_headers"] = {"Idempotency-Key": request.idempotency_key}
        return arguments

    def _usage(self, reply: _Completion, request: ChatRequest, text: str) -> Usage:
        """What the reply used; some servers do not count, so it is counted here for them."""
        model = reply.model if reply.model and self._prices.find_price(reply.model) else self.name
        if reply.usage is None:
            return self._prices.usage(model, request_tokens(request), estimate_tokens(text), estimated=True)
        return self._prices.usage(model, reply.usage.prompt_tokens, reply.usage.completion_tokens)


def _response_format(request: ChatRequest) -> dict[str, Any]:
    import openai

    assert request.schema is not None
    function = openai.pydantic_function_tool(request.schema)["function"]
    return {"type": "json_schema", "json_schema": {"name": function["name"][:64], "schema": function["parameters"], "strict": True}}


def _check_end(stop: str | None, refusal: str, usage: Usage, request: ChatRequest) -> None:
    if refusal or stop == "content_filter":
        replies.refused(usage, refusal)
    if stop == "length":
        replies.cut(usage, request.max_tokens)
    if stop in _NOT_PROSE:
        replies.unexpected(usage.model, f"it stopped for '{stop}'", usage)


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
        full = _EMBEDDING_DIMENSIONS.get(name)
        size = dimension or full
        if size is None:
            raise InputError(f"The length of the vectors of '{name}' is not known: set the embedder's dimension.", model=name)
        self.name = name
        self.dimension = size
        self._shortened = full is not None and size != full
        self._endpoint = _Endpoint(key, base_url, timeout_s)
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
