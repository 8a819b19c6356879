"""Which model answers: a fast one for the first stages, a strong one for the last, or none when Beacon works offline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import SecretStr

from beacon.errors import InputError
from beacon.llm.budgets import Budget, BudgetedModel
from beacon.llm.ports import ChatModel, Embedder, Usage
from beacon.llm.prices import PriceTable
from beacon.llm.transport import Retries, find_key

Tier = Literal["fast", "strong"]

ANTHROPIC_KEY = "ANTHROPIC_API_KEY"
OPENAI_KEY = "OPENAI_API_KEY"
KEY_VARIABLES = {"anthropic": ANTHROPIC_KEY, "openai": OPENAI_KEY}
ADDRESS_VARIABLES = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}
OFFLINE = ("", "none", "offline")
# The providers' small and middle models of November 2026.
DEFAULT_MODELS: dict[str, dict[Tier, str]] = {
    "anthropic": {"fast": "claude-haiku-5-5", "strong": "claude-sonnet-5-5"},
    "openai": {"fast": "gpt-6-luna", "strong": "gpt-6.1-sol"},
}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What settings say about models; the keys may come from the environment instead."""

    provider: str = "auto"  # "anthropic", "openai", "auto" (the first that has a key) or "none"
    fast: str | None = None  # model names; None takes the provider's default
    strong: str | None = None
    key: SecretStr | None = None
    base_url: str | None = None
    timeout_s: float = 120.0
    retries: Retries | None = None
    prices: PriceTable | None = None


@dataclass(frozen=True, slots=True)
class Router:
    """The two models of a project; both None offline."""

    fast: ChatModel | None = None
    strong: ChatModel | None = None

    @property
    def offline(self) -> bool:
        return self.fast is None and self.strong is None

    def within(self, budget: Budget, on_usage: Callable[[Usage], None] | None = None, prices: PriceTable | None = None) -> Router:
        """The same models under one budget."""
        fast, strong = (model and BudgetedModel(model, budget, on_usage, prices) for model in (self.fast, self.strong))
        return Router(fast, strong)


def open_router(settings: ModelSettings, env: Mapping[str, str]) -> Router:
    """Both models the settings name, or none of them offline."""
    return Router(choose_chat_model(settings, env, "fast"), choose_chat_model(settings, env, "strong"))


def choose_chat_model(settings: ModelSettings, env: Mapping[str, str], tier: Tier = "strong") -> ChatModel | None:
    """The model of that tier, or None offline. Raises InputError for an unknown provider, or one that is named and has no key."""
    provider = settings.provider.strip().lower()
    if provider == "auto":
        provider = next((name for name, variable in KEY_VARIABLES.items() if find_key(variable, env)), "none")
    if provider in OFFLINE:
        return None
    if provider not in KEY_VARIABLES:
        raise InputError(f"'{settings.provider}' is no provider Beacon knows: choose anthropic, openai, auto or none.", provider=provider)
    key = find_key(KEY_VARIABLES[provider], env, settings.key)
    base_url = settings.base_url or env.get(ADDRESS_VARIABLES[provider]) or None
    name = (settings.fast if tier == "fast" else settings.strong) or DEFAULT_MODELS[provider][tier]
    if provider == "anthropic":
        return _anthropic(name, key, base_url, settings)
    return _openai(name, key, base_url, settings)


def _anthropic(name: str, key: SecretStr | None, base_url: str | None, settings: ModelSettings) -> ChatModel:
    from beacon.llm.anthropic import AnthropicChatModel

    if key is None:
        raise InputError(f"Anthropic needs a key: set {ANTHROPIC_KEY}.", variable=ANTHROPIC_KEY)
    return AnthropicChatModel(name, key, base_url=base_url, timeout_s=settings.timeout_s, retries=settings.retries, prices=settings.prices)


def _openai(name: str, key: SecretStr | None, base_url: str | None, settings: ModelSettings) -> ChatModel:
    from beacon.llm.openai import OpenAIChatModel

    return OpenAIChatModel(name, key, base_url=base_url, timeout_s=settings.timeout_s, retries=settings.retries, prices=settings.prices)


def choose_embedder(
    provider: str,
    env: Mapping[str, str],
    *,
    model: str | None = None,
    dimension: int | None = None,
    key: SecretStr | None = None,
    base_url: str | None = None,
    on_usage: Callable[[Usage], None] | None = None,
) -> Embedder:
    """The embedder named: "static", which needs nothing, or "openai" for any server that speaks OpenAI's interface."""
    chosen = provider.strip().lower() or "static"
    if chosen == "static":
        from beacon.llm.static_embedder import StaticEmbedder

        return StaticEmbedder()
    if chosen != "openai":
        raise InputError(f"'{provider}' is no embedder Beacon knows: choose static or openai.", provider=provider)
    from beacon.llm.openai_embedder import OpenAIEmbedder

    return OpenAIEmbedder(
        model or "text-embedding-3-small",
        find_key(OPENAI_KEY, env, key),
        dimension=dimension,
        base_url=base_url or env.get(ADDRESS_VARIABLES["openai"]) or None,
        on_usage=on_usage,
    )
