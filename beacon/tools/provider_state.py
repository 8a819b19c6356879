"""What is set up to think and to look, without ever showing a key."""

import os
import time
from collections.abc import Iterable
from typing import Any

from beacon.errors import BeaconError, InputError, ModelError
from beacon.llm.ports import ChatRequest, Message
from beacon.llm.prices import load_prices
from beacon.llm.routing import DEFAULT_MODELS, KEY_VARIABLES
from beacon.settings import env_files, variable_of
from beacon.spending import Purse, models_for
from beacon.web.engines import KEYED, KEYLESS
from beacon.web.search import SearchQuery
from beacon.workspace import Workspace

LABELS = {
    "anthropic": "Anthropic", "openai": "OpenAI", "gemini": "Gemini", "local": "A server of your own", "serpapi": "SerpAPI",
    "tavily": "Tavily", "brave": "Brave", "searxng": "SearXNG", "duckduckgo": "DuckDuckGo", "wikipedia": "Wikipedia", "arxiv": "arXiv",
    "hackernews": "Hacker News",
}  # fmt: skip
OFFLINE = (
    "Everything works offline, from exact quotes. A key (ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY) or a local server "
    "lets a model write, answer and translate; a search engine finds pages by itself."
)
TEST = ChatRequest("Answer with one word.", (Message("user", "Say: beacon"),), max_tokens=64)


def has_key(ws: Workspace, name: str) -> bool:
    """Whether the provider or engine has what it needs: a key, or the address of one's own server."""
    settings = ws.settings
    if name == "local":
        return bool(settings.local_base_url)
    if name == "searxng":
        return bool(settings.searxng_url)
    key = getattr(settings, f"{name}_api_key", None)
    return name in KEYLESS or bool(key and key.get_secret_value())


def list_providers(ws: Workspace) -> dict[str, Any]:
    """The providers and engines with what they need and whether it is there; models, budgets and prices."""
    settings = ws.settings
    problem, models, engines = _in_use(ws)
    prices = models[0][2] if models else load_prices()
    return {
        "hint": "" if models else OFFLINE,
        "problem": problem,
        "models": [_provider(ws, name, [one[0] for one in models]) for name in KEY_VARIABLES],
        "search": [_engine(ws, name, engines) for name in (*KEYED, "searxng", *KEYLESS)],
        "routing": {
            "provider": settings.provider or "auto", "fast_model": settings.fast_model, "strong_model": settings.strong_model,
            "fallback_providers": settings.fallback_providers, "order": [one[0] for one in models], "search": settings.search,
        },
        "budgets": {name: getattr(settings, name) for name in type(settings).model_fields if "_budget_" in name},
        "prices": {"as_of": prices.as_of, "models": {name: price.model_dump(exclude_none=True) for name, price in prices.models.items()}},
        "key_files": [str(path) for path in env_files(os.environ)],
    }  # fmt: skip


def _in_use(ws: Workspace) -> tuple[str, list[tuple[str, str, Any]], list[str]]:
    """(what is wrong with the settings, (provider, model, prices) of each in use, the engines in use)."""
    try:
        router = ws.models
        models = [] if router is None else [(one.provider, "", router.prices or load_prices()) for one in router.all_of("strong")]
        engines = [] if ws.searcher is None else [one.name for one in ws.searcher.engines]
    except BeaconError as error:
        return error.message, [], []
    return "", models, engines


def _provider(ws: Workspace, name: str, used: list[str]) -> dict[str, Any]:
    first = bool(used) and used[0] == name
    named = {"fast": first and ws.settings.fast_model, "strong": first and ws.settings.strong_model}
    defaults = DEFAULT_MODELS[name]
    return {
        "name": name, "label": LABELS[name], "present": has_key(ws, name), "used": name in used, "first": first,
        "variable": "BEACON_LOCAL_BASE_URL" if name == "local" else variable_of(f"{name}_api_key"),
        "fast_model": named["fast"] or defaults["fast"], "strong_model": named["strong"] or defaults["strong"],
    }  # fmt: skip


def _engine(ws: Workspace, name: str, used: list[str]) -> dict[str, Any]:
    variable = "" if name in KEYLESS else "BEACON_SEARXNG_URL" if name == "searxng" else variable_of(f"{name}_api_key")
    return {"name": name, "label": LABELS[name], "present": has_key(ws, name), "used": name in used, "variable": variable}


def hidden_by_environment(names: Iterable[str]) -> list[str]:
    """Of the settings those whose variable is set: it wins over the file."""
    return sorted(name for name in names if os.environ.get(variable_of(name)))


def try_provider(ws: Workspace, name: str) -> dict[str, Any]:
    """{name, ok, detail, ms}: whether it answers. What is wrong is said, never raised, so that a page can show it."""
    if name not in LABELS:
        raise InputError(f"'{name}' is no provider Beacon knows: choose among {', '.join(LABELS)}.", name=name)
    begun = time.perf_counter()
    try:
        ok, detail = True, _ask_model(ws, name) if name in KEY_VARIABLES else _ask_engine(ws, name)
    except BeaconError as error:
        ok, detail = False, error.message
    return {"name": name, "ok": ok, "detail": detail, "ms": round((time.perf_counter() - begun) * 1000)}


def _ask_model(ws: Workspace, name: str) -> str:
    model = next((one for one in models_for(ws, "test", Purse()) if one.provider == name), None)
    if model is None:
        raise InputError(f"{LABELS[name]} is not in use: give it a key, and name it as the provider or among the fallback providers.")
    try:
        usage = model.complete(TEST).usage
    except ModelError as error:
        if error.facts.get("reason") not in ("cut", "empty"):
            raise
        return f"{model.name} answers."  # a model that thinks first may have no room left for its word
    cost = "at no known price" if usage.cost_usd is None else f"for ${usage.cost_usd:.5f}"
    return f"{usage.model} answers, {usage.total_tokens} tokens {cost}."


def _ask_engine(ws: Workspace, name: str) -> str:
    searcher = ws.searcher
    engine = next((one for one in searcher.engines if one.name == name), None) if searcher else None
    if engine is None:
        raise InputError(f"{LABELS[name]} is not in use: name it under search.")
    found = engine.search(SearchQuery("lighthouse", 3))
    return f"It answers, with {len(found)} results." if found else "It answers and found nothing, which is odd for so common a word."
