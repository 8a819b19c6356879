"""Which model answers."""

import subprocess
import sys

import pytest
from pydantic import SecretStr

from beacon.errors import InputError
from beacon.llm import routing
from beacon.llm.anthropic import KEY_VARIABLE as ANTHROPIC_KEY
from beacon.llm.budgets import Budget
from beacon.llm.openai import KEY_VARIABLE as OPENAI_KEY
from beacon.llm.prices import load_prices
from beacon.llm.routing import DEFAULT_MODELS, ModelSettings, choose_chat_model, choose_embedder, open_router

BOTH = {"ANTHROPIC_API_KEY": "a-key", "OPENAI_API_KEY": "o-key"}


def test_without_a_key_beacon_is_offline() -> None:
    assert open_router(ModelSettings(), {}).offline


def test_offline_wins_over_keys() -> None:
    assert choose_chat_model(ModelSettings(provider="none"), BOTH) is None


@pytest.mark.parametrize(("env", "provider"), [(BOTH, "anthropic"), ({"OPENAI_API_KEY": "o-key"}, "openai")])
def test_auto_takes_the_first_provider_that_has_a_key(env: dict[str, str], provider: str) -> None:
    model = choose_chat_model(ModelSettings(), env)
    assert model is not None and model.provider == provider


def test_an_empty_key_is_no_key() -> None:
    assert choose_chat_model(ModelSettings(), {"ANTHROPIC_API_KEY": " \n"}) is None


def test_fast_and_strong_are_the_settings_models() -> None:
    router = open_router(ModelSettings(provider="openai", fast="small", strong="large"), BOTH)
    assert router.fast and router.strong and (router.fast.name, router.strong.name) == ("small", "large")


@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini"])
def test_the_default_models_have_prices(provider: str) -> None:
    assert all(load_prices().find_price(name) for name in DEFAULT_MODELS[provider].values())


@pytest.mark.parametrize(
    ("provider", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY")]
)
def test_a_named_provider_without_a_key_names_the_variable(provider: str, variable: str) -> None:
    with pytest.raises(InputError, match=variable):
        choose_chat_model(ModelSettings(provider=provider), {})


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="anthropic, openai"):
        choose_chat_model(ModelSettings(provider="acme"), BOTH)


def test_a_server_of_ones_own_needs_no_key() -> None:
    model = choose_chat_model(ModelSettings(provider="openai", strong="llama"), {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert model is not None and model.name == "llama"


def test_a_key_in_settings_is_hidden_when_shown() -> None:
    assert "s3cret" not in repr(ModelSettings(key=SecretStr("s3cret")))


def test_a_key_no_header_can_carry_is_refused_without_showing_it() -> None:
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY") as caught:
        choose_chat_model(ModelSettings(provider="anthropic"), {"ANTHROPIC_API_KEY": "s3 crét"})
    assert "s3" not in str(caught.value)


def test_a_router_under_a_budget_shares_it() -> None:
    router = open_router(ModelSettings(provider="anthropic"), BOTH).within(Budget(limit_tokens=1))
    assert router.fast and router.strong and router.fast.name == DEFAULT_MODELS["anthropic"]["fast"]


def test_offline_stays_offline_under_a_budget() -> None:
    assert open_router(ModelSettings(), {}).within(Budget()).offline


def test_the_default_embedder_is_the_table_on_disk() -> None:
    assert choose_embedder("", {}).name == "wordllama-l2-supercat-256"


def test_an_unknown_embedder_is_refused() -> None:
    with pytest.raises(InputError, match="static or openai"):
        choose_embedder("acme", {})


def test_a_remote_embedder_without_a_key_names_the_variable() -> None:
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        choose_embedder("openai", {})


def test_routing_and_the_adapters_name_the_same_variables() -> None:
    assert (routing.ANTHROPIC_KEY, routing.OPENAI_KEY) == (ANTHROPIC_KEY, OPENAI_KEY)


def test_choosing_models_imports_no_provider_library() -> None:
    code = (
        "import sys; from beacon.llm.routing import *; open_router(ModelSettings(provider='anthropic', key=SecretStr('k')), {});"
        "open_router(ModelSettings(provider='openai', key=SecretStr('k')), {}); print({'anthropic', 'openai', 'httpx2'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.strip() == "set()"


def test_an_address_of_ones_own_server_comes_before_any_key() -> None:
    model = choose_chat_model(ModelSettings(), {**BOTH, "BEACON_LOCAL_BASE_URL": "http://127.0.0.1:1/v1"})
    assert model is not None and model.provider == "local"


def test_the_other_providers_that_have_a_key_stand_behind_the_chosen_one() -> None:
    router = open_router(ModelSettings(), {**BOTH, "GEMINI_API_KEY": "g-key"})
    assert [one.provider for one in router.all_of("strong")] == ["anthropic", "openai", "gemini"]


@pytest.mark.parametrize(("fallback", "behind"), [(("auto",), []), (("gemini",), ["gemini"]), (("none",), [])])
def test_nobody_stands_behind_a_named_provider_unless_that_is_said_too(fallback: tuple[str, ...], behind: list[str]) -> None:
    router = open_router(ModelSettings(provider="openai", fallback=fallback), {**BOTH, "GEMINI_API_KEY": "g-key"})
    assert [one.provider for one in router.all_of("fast")] == ["openai", *behind]


def test_the_names_of_the_settings_are_for_the_chosen_provider_only() -> None:
    router = open_router(ModelSettings(strong="my-model"), BOTH)
    assert [one.name for one in router.all_of("strong")] == ["my-model", DEFAULT_MODELS["openai"]["strong"]]


def test_a_local_server_without_an_address_names_the_variable() -> None:
    with pytest.raises(InputError, match="BEACON_LOCAL_BASE_URL"):
        choose_chat_model(ModelSettings(provider="local"), {})


def test_a_key_that_is_damaged_is_said_and_never_shown() -> None:
    with pytest.raises(InputError, match="GEMINI_API_KEY") as caught:
        choose_chat_model(ModelSettings(provider="gemini"), {"GEMINI_API_KEY": "two words"})
    assert "two words" not in caught.value.message
