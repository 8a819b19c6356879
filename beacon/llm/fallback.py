"""A model with others behind it: where the first cannot be had, the next is asked."""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence

from beacon.errors import BeaconError, InputError, UnavailableError
from beacon.llm.ports import ChatModel, ChatReply, ChatRequest, ChatStream, ToolCall, Usage

log = logging.getLogger(__name__)

_ACCOUNT = frozenset({401, 402, 403, 404, 429})  # the key, the credit or the model is the trouble, not the question


class FallbackModel:
    """The first of the models, or, where it does not answer or its account does not let it, the next one.

    A reply that was refused, cut or misshapen is the answer of the model that gave it: nobody else is asked for a nicer one.
    """

    def __init__(self, models: Sequence[ChatModel]) -> None:
        self._models = tuple(models)

    @property
    def provider(self) -> str:
        return self._models[0].provider

    @property
    def name(self) -> str:
        return self._models[0].name

    def complete(self, request: ChatRequest) -> ChatReply:
        for model in self._models[:-1]:
            try:
                return model.complete(request)
            except (UnavailableError, InputError) as error:
                _pass_on(model, error)
        return self._models[-1].complete(request)

    def stream(self, request: ChatRequest) -> ChatStream:
        return ChatStream(self._pieces(request))

    def _pieces(self, request: ChatRequest) -> Generator[str | Usage | ToolCall, None, None]:
        """Another model is asked only before the first piece: two halves of two replies are no reply."""
        for model in self._models:
            inner, begun = model.stream(request), False
            try:
                for text in inner:
                    begun = True
                    yield text
            except (UnavailableError, InputError) as error:
                if begun or model is self._models[-1]:
                    raise
                _pass_on(model, error)
                continue
            finally:
                inner.close()
            if inner.usage is not None:
                yield inner.usage
            yield from inner.tool_calls
            return


def _pass_on(model: ChatModel, error: BeaconError) -> None:
    """Notes why the next model is asked; raises the error again where another model would not help."""
    if isinstance(error, InputError) and error.facts.get("status") not in _ACCOUNT:
        raise error
    log.warning("%s was not to be had, the next model is asked: %s", model.provider, error.message)
