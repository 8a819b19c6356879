"""The judgements of the offline analyst, asked of a model, with the same guards behind them.

A reply is taken only as far as it keeps the rules the offline result keeps; what is missing from it is taken from there.
"""

from collections.abc import Sequence
from typing import TypeVar

import pydantic

from beacon.analyst.searches import LONGEST, MOST
from beacon.analyst.tokens import content_tokens
from beacon.llm.ports import ChatModel, ChatRequest, Message
from beacon.llm.prompts import load_prompt
from beacon.llm.untrusted import data_section

REPLY_TOKENS = 800
T = TypeVar("T", bound=pydantic.BaseModel)


class Searches(pydantic.BaseModel):
    """What to type into a search engine."""

    model_config = pydantic.ConfigDict(extra="forbid")

    searches: list[str] = pydantic.Field(min_length=1, max_length=12)


def plan_searches_with(
    model: ChatModel, title: str, queries: Sequence[str], known: Sequence[str], since: str, offline: Sequence[str], key: str
) -> list[str]:
    """The model's searches and, for each question of the owner that they leave unserved, the offline one. Raises what the model raises."""
    asked = [
        f"Topic: {title}", "Questions of the owner:", *(f"- {query}" for query in queries or [title]), f"Last look: {since or 'never'}", "",
        data_section("known already", "\n".join(known) or "nothing"),
    ]  # fmt: skip
    reply = _ask(model, "queries", "\n".join(asked), Searches, key)
    given = "\n".join([title, *queries, *known])
    found = [text for search in reply.searches if (text := " ".join(search.split())) and _is_grounded(text, given)]
    served = {token for text in found for token in content_tokens(text)}
    unserved = [query for query in offline[: len(queries) or 1] if not set(content_tokens(query)) & served]
    return [text[:LONGEST] for text in list(dict.fromkeys([*unserved, *found]))[:MOST]] or list(offline)


def _ask(model: ChatModel, prompt: str, asked: str, shape: type[T], key: str) -> T:
    """The reply in its shape."""
    request = ChatRequest(load_prompt(prompt).text, (Message("user", asked),), schema=shape, max_tokens=REPLY_TOKENS, idempotency_key=key)
    data = model.complete(request).data
    assert isinstance(data, shape)
    return data


def _is_grounded(text: str, given: str) -> bool:
    """Whether every figure of the text stands in what the model was given: one that does not was made up."""
    figures = {token for token in content_tokens(text) if any(c.isdigit() for c in token)}
    return figures <= set(content_tokens(given))
