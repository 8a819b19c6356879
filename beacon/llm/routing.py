"""Which model answers: a fast one for the first stages, a strong one for the last, or none when Beacon works offline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pydantic import SecretStr

from beacon.errors import InputError
from beacon.llm.budgets import BudgetedModel, Meter
from beacon.llm.ports import ChatModel, Embedder, Usage
from beacon.llm.prices import PriceTable, load_prices
from beacon.llm.tasks import Tier
from beacon.llm.transport import Retries, find_key

ANTHROPIC_KEY = "ANTHROPIC_API_KEY"
OPENAI_KEY = "OPENAI_API_KEY"
LOCAL_ADDRESS = "BEACON_LOCAL_BASE_URL"
# Where a provider's key and address stand, in the order in which one is chosen unasked.
KEY_VARIABLES = {"anthropic": ANTHROPIC_KEY, "openai": OPENAI_KEY, "gemini": "GEMINI_API_KEY", "local": "BEACON_LOCAL_API_KEY"}
ADDRESS_VARIABLES = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL", "gemini": "GEMINI_BASE_URL", "local": LOCAL_ADDRESS}
OFFLINE = ("", "none", "offline")
# The providers' small and middle models of November 2026. A local server is asked which it has.
DEFAULT_MODELS: dict[str, dict[Tier, str]] = {
    "anthropic": {"fast": "claude-haiku-5-5", "strong": "claude-sonnet-5-5"},
    "openai": {"fast": "gpt-6-luna", "strong": "gpt-6.1-sol"},
    "gemini": {"fast": "gemini-3.5-flash-lite", "strong": "gemini-3.8-flash"},
    "local": {"fast": "", "strong": ""},
}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What settings say about models; the keys may come from the environment instead."""

    provider: str = "auto"  # a provider's name, "auto" (a local server, else the first that has a key) or "none"
    fast: str | None = None  # model names; None takes the provider's default
    strong: str | None = None
    key: SecretStr | None = None
    base_url: str | None = None
    timeout_s: float = 120.0
    retries: Retries | None = None
    prices: PriceTable | None = None
    fallback: tuple[str, ...] = (
        "auto",
    )  # who is asked where the provider cannot be had: names, "auto" (all others that have a key), or none


@dataclass(frozen=True, slots=True)
class Router:
    """The two models of a project; both None offline. Behind each stand those of other providers, asked where it cannot be had."""

    fast: ChatModel | None = None
    strong: ChatModel | None = None
    behind_fast: tuple[ChatModel, ...] = ()
    behind_strong: tuple[ChatModel, ...] = ()
    prices: PriceTable | None = None

    @property
    def offline(self) -> bool:
        return self.fast is None and self.strong is None

    def within(self, budget: Meter, on_usage: Callable[[Usage], None] | None = None, prices: PriceTable | None = None) -> Router:
        """The same models under one budget."""
        table = prices or self.prices

        def wrapped(model: ChatModel | None) -> ChatModel | None:
            return model and BudgetedModel(model, budget, on_usage, table)

        behind = [tuple(BudgetedModel(one, budget, on_usage, table) for one in models) for models in (self.behind_fast, self.behind_strong)]
        return Router(wrapped(self.fast), wrapped(self.strong), behind[0], behind[1], table)

    def all_of(self, tier: Tier) -> tuple[ChatModel, ...]:
        """The model of that tier, else of the other, and those behind it in order; empty offline."""
        first, behind = (self.fast, self.behind_fast) if tier == "fast" else (self.strong, self.behind_strong)
        first = first or self.strong or self.fast
        return (first, *behind) if first is not None else ()


def open_router(settings: ModelSettings, env: Mapping[str, str]) -> Router:
    """The models the settings name, or none of them offline."""
    chosen = choose_provider(settings, env)
    if chosen is None:
        return Router()
    others = [replace(settings, provider=name, fast=None, strong=None, key=None, base_url=None) for name in _others(settings, env, chosen)]
    settings = replace(settings, provider=chosen, prices=settings.prices or load_prices())
    fast, strong = choose_chat_model(settings, env, "fast"), choose_chat_model(settings, env, "strong")
    behind = [tuple(filter(None, (choose_chat_model(one, env, tier) for one in others))) for tier in ("fast", "strong")]
    return Router(fast, strong, behind[0], behind[1], settings.prices)


def choose_provider(settings: ModelSettings, env: Mapping[str, str]) -> str | None:
    """The provider's name, or None offline. Raises InputError for one Beacon does not know."""
    name = settings.provider.strip().lower()
    if name == "auto":
        return next(iter(found_providers(env)), None)
    if name in OFFLINE:
        return None
    if name not in KEY_VARIABLES:
        known = ", ".join(KEY_VARIABLES)
        raise InputError(f"'{settings.provider}' is no provider Beacon knows: choose {known}, auto or none.", provider=name)
    return name


def found_providers(env: Mapping[str, str]) -> list[str]:
    """The providers that can be asked: a server of one's own, then those that have a key."""
    local = ["local"] if env.get(LOCAL_ADDRESS, "").strip() else []
    return local + [name for name, variable in KEY_VARIABLES.items() if name != "local" and find_key(variable, env)]


def _others(settings: ModelSettings, env: Mapping[str, str], chosen: str) -> list[str]:
    """Who stands behind the chosen provider. "auto" adds nobody where the provider was named: naming one may mean trusting no other."""
    able = [name for name in found_providers(env) if name != chosen]
    named = [name.strip().lower() for name in settings.fallback]
    anybody = "auto" in named and settings.provider.strip().lower() == "auto"
    return [name for name in able if name in named or anybody]


def choose_chat_model(settings: ModelSettings, env: Mapping[str, str], tier: Tier = "strong") -> ChatModel | None:
    """The model of that tier, or None offline. Raises InputError for an unknown provider, or one that is named and has no key."""
    provider = choose_provider(settings, env)
    if provider is None:
        return None
    key = find_key(KEY_VARIABLES[provider], env, settings.key)
    base_url = settings.base_url or env.get(ADDRESS_VARIABLES[provider]) or None
    name = (settings.fast if tier == "fast" else settings.strong) or DEFAULT_MODELS[provider][tier]
    return _MAKERS[provider](name, key, base_url, settings)


def _anthropic(name: str, key: SecretStr | None, base_url: str | None, settings: ModelSettings) -> ChatModel:
    from beacon.llm.anthropic import AnthropicChatModel

    if key is None:
        raise InputError(f"Anthropic needs a key: set {ANTHROPIC_KEY}.", variable=ANTHROPIC_KEY)
    return AnthropicChatModel(name, key, base_url=base_url, timeout_s=settings.timeout_s, retries=settings.retries, prices=settings.prices)


def _openai(name: str, key: SecretStr | None, base_url: str | None, settings: ModelSettings) -> ChatModel:
    from beacon.llm.openai import OpenAIChatModel

    return OpenAIChatModel(name, key, base_url=base_url, timeout_s=settings.timeout_s, retries=settings.retries, prices=settings.prices)


def _gemini(name: str, key: SecretStr | None, base_url: str | None, settings: ModelSettings) -> ChatModel:
    from beacon.llm.gemini import KEY_VARIABLE, GeminiChatModel

    if key is None:
        raise InputError(f"Gemini needs a key: set {KEY_VARIABLE}.", variable=KEY_VARIABLE)
    return GeminiChatModel(name, key, base_url=base_url, timeout_s=settings.timeout_s, retries=settings.retries, prices=settings.prices)


def _local(name: str, key: SecretStr | None, base_url: str | None, settings: ModelSettings) -> ChatModel:
    from beacon.llm.openai import LocalChatModel

    if base_url is None:
        raise InputError(
            f"A local server needs an address: set {LOCAL_ADDRESS}, such as http://127.0.0.1:11434/v1.", variable=LOCAL_ADDRESS
        )
    return LocalChatModel(name, key, base_url=base_url, timeout_s=settings.timeout_s, retries=settings.retries, prices=settings.prices)


_MAKERS: dict[str, Callable[[str, SecretStr | None, str | None, ModelSettings], ChatModel]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "gemini": _gemini,
    "local": _local,
}


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
