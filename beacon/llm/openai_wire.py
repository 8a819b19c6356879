"""What is sent to a server that speaks OpenAI's interface, and what comes back."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from beacon.errors import InputError
from beacon.llm.ports import ChatRequest, Message
from beacon.llm.replies import Wire
from beacon.llm.transport import Provider, checked_address
from beacon.llm.untrusted import well_formed

if TYPE_CHECKING:
    import openai

KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"  # the library wants a key even where the server wants none
_OWN_HOSTS = ("openai.com", "azure.com")


class CachedCount(Wire):
    cached_tokens: int | None = None


class Count(Wire):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: CachedCount | None = None

    @property
    def cached(self) -> int:
        return (self.prompt_tokens_details and self.prompt_tokens_details.cached_tokens) or 0


class Function(Wire):
    name: str | None = None
    arguments: str | None = None


class Call(Wire):
    index: int = 0
    id: str | None = None
    function: Function | None = None


class Text(Wire):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[Call] | None = None


class Choice(Wire):
    finish_reason: str | None = None
    message: Text | None = None  # of a whole reply
    delta: Text | None = None  # of a piece


class Completion(Wire):
    model: str | None = None
    choices: list[Choice]
    usage: Count | None = None


class Endpoint:
    """An address and a key, and the library's client for them."""

    def __init__(
        self, key: SecretStr | None, base_url: str | None, timeout_s: float, *, provider: str = "openai", key_variable: str = KEY_VARIABLE
    ) -> None:
        if key is None and base_url is None:
            raise InputError(f"OpenAI needs a key: set {KEY_VARIABLE}.", variable=KEY_VARIABLE)
        self._key = key
        self._base_url = checked_address(base_url)
        self._timeout_s = timeout_s
        self._provider = provider
        self._key_variable = key_variable

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
        return Provider(self._provider, self._key_variable, self._key, network, (openai.APIError,))

    @property
    def is_own(self) -> bool:
        """Whether OpenAI itself, or its models at Azure, are asked; other servers know only older field names."""
        host = self.client.base_url.host
        return any(host == own or host.endswith(f".{own}") for own in _OWN_HOSTS)


def messages_of(request: ChatRequest, told: str = "") -> list[dict[str, Any]]:
    """The request's messages, the instructions first; `told` is added to them."""
    system = "\n\n".join(filter(None, [request.system, told]))
    turns = [turn for message in request.messages for turn in _turns(message)]
    return [{"role": "system", "content": well_formed(system)}, *turns] if system else turns


def _turns(message: Message) -> list[dict[str, Any]]:
    """One message, and before it one for each tool result it brings."""
    turns: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": one.call_id, "content": well_formed(one.content)} for one in message.results
    ]
    if message.tool_calls:
        calls = [
            {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": json.dumps(dict(one.arguments))}}
            for one in message.tool_calls
        ]
        turns.append({"role": "assistant", "content": well_formed(message.content) or None, "tool_calls": calls})
    elif message.content or not turns:
        turns.append({"role": message.role, "content": well_formed(message.content)})
    return turns


def tools_of(request: ChatRequest) -> list[dict[str, Any]]:
    """The request's tools as functions."""
    return [
        {"type": "function", "function": {"name": one.name, "description": one.description, "parameters": dict(one.parameters)}}
        for one in request.tools
    ]
