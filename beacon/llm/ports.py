"""What a chat model and an embedder are to the rest of Beacon."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pydantic

from beacon.errors import InputError

Vector = npt.NDArray[np.float32]
DEFAULT_MAX_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool a model may ask for. Asking is all it can do: whoever called the model decides whether the tool runs."""

    name: str  # letters, digits, _ and -
    description: str
    parameters: Mapping[str, Any]  # JSON Schema of an object


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a reply asks for; `arguments` are the model's and still to be validated by the tool."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    signature: str = ""  # what the provider wants back with the call, as it gave it


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave, on its way back to the model."""

    call_id: str
    name: str
    content: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["user", "assistant"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()  # of an assistant's message
    results: tuple[ToolResult, ...] = ()  # of a user's message: the answers to the calls before it


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model."""

    system: str  # Beacon's own instructions, usually a prompt file; never document text
    messages: tuple[Message, ...]  # oldest first; the last is the user's
    schema: type[pydantic.BaseModel] | None = None  # the shape the reply must have; None asks for prose
    max_tokens: int = DEFAULT_MAX_TOKENS  # of the reply, and of the model's thinking where it thinks first
    temperature: float | None = None  # a wish: a model that takes none is asked without it
    idempotency_key: str | None = None  # the same key for the same question, so that a resumed run does not ask as if anew
    tools: tuple[ToolSpec, ...] = ()  # what the reply may ask for instead of, or beside, text
    reused: bool = False  # what stands before the last message will be sent again: the provider may keep it at its cached price

    def __post_init__(self) -> None:
        if not self.messages or self.messages[-1].role != "user":
            raise InputError("A question to a model needs messages, and the last one must be the user's.")
        if self.max_tokens < 1:
            raise InputError(f"max_tokens is {self.max_tokens}: a reply needs at least one.", max_tokens=self.max_tokens)
        if self.tools and self.schema is not None:
            raise InputError("A question has tools or a shape for its reply, not both.")
        if len({tool.name for tool in self.tools}) < len(self.tools):
            raise InputError("Two tools of a question have the same name.")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used, as the provider counted it."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None  # None: no price is known for the model, so the cost is unknown, not nothing
    model: str
    estimated: bool = False  # counted here from the text, because the provider's count never came
    cached_tokens: int = 0  # of the input tokens, those the provider read from its cache

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        priced = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if priced else None,
            model=self.model,
            estimated=self.estimated or other.estimated,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply that can be used: one that was refused, cut or misshapen is a ModelError instead."""

    text: str
    data: pydantic.BaseModel | None  # the validated reply when the request had a schema
    usage: Usage  # of everything the reply took, a repair included
    stop_reason: Literal["end", "tools"] = "end"
    tool_calls: tuple[ToolCall, ...] = ()


class ChatStream(Iterator[str]):
    """The pieces of a reply as they arrive; `usage` and `tool_calls` are known once the last piece has come."""

    def __init__(self, parts: Generator[str | Usage | ToolCall, None, None]) -> None:
        self._parts = parts
        self.usage: Usage | None = None
        self.tool_calls: tuple[ToolCall, ...] = ()

    def __next__(self) -> str:
        for part in self._parts:
            if isinstance(part, str):
                return part
            if isinstance(part, Usage):
                self.usage = part
            else:
                self.tool_calls = (*self.tool_calls, part)
        raise StopIteration

    def close(self) -> None:
        """Ends the call early; what came so far has still been paid for."""
        self._parts.close()


class ChatModel(Protocol):
    """A model that answers: messages, tools, a schema and parameters in; text or data, calls of tools and usage out.

    Both methods raise
    - ModelError when the reply cannot be used: refused, cut at max_tokens, empty, still not of the asked shape after one
      repair, asking for a tool that was not offered; or when the question is longer than the model reads. `facts["reason"]`
      says which of "refused", "cut", "empty", "shape", "tool", "too_long"; `facts["usage"]` what it cost.
    - UnavailableError when the provider did not answer, or was too busy, at every attempt.
    - InputError when the request, the model's name, the address or the key cannot be used.
    - BudgetError, from a model under a budget, when the budget cannot bear the call.
    """

    @property
    def provider(self) -> str:
        """Who is asked: "anthropic", "openai", …"""

    @property
    def name(self) -> str:
        """The model's name, as the provider spells it."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """The whole reply, validated against `request.schema` when there is one."""

    def stream(self, request: ChatRequest) -> ChatStream:
        """The reply in pieces; the call starts with the first piece asked for. A request with a schema cannot be streamed (InputError)."""


class Embedder(Protocol):
    """Turns text into vectors whose dot product is how close the texts are.

    Vectors are float32 of length 1, except an empty text's, which is all zeros. `name`, `dimension` and `version` together
    name the space: vectors of two spaces must never be compared, so an index keeps them beside its vectors.
    """

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    @property
    def version(self) -> str:
        """Changes whenever the same text would get another vector."""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Vectors of shape (len(texts), dimension), row by row in the order given.

        Raises UnavailableError when a remote embedder did not answer, ModelError when its answer cannot be used.
        """

    def embed_query(self, text: str) -> Vector:
        """The vector of shape (dimension,) of a question about the texts."""
