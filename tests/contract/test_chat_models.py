"""Every chat model, over the wire: each adapter against a loopback server that speaks its provider's format."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pydantic
import pytest
from pydantic import SecretStr

from beacon.errors import InputError, ModelError, UnavailableError
from beacon.llm.anthropic import AnthropicChatModel
from beacon.llm.openai import OpenAIChatModel
from beacon.llm.ports import ChatModel, ChatRequest, Message, Usage
from beacon.llm.transport import Retries
from tests.contract.scripted_providers import (
    AnthropicHandler,
    BreakOff,
    Fail,
    OpenAIHandler,
    Raw,
    Redirect,
    Say,
    ScriptedProvider,
    Step,
    serve,
)
from tests.servers.netguard import loopback_only

KEY = "sk-test-4f9a1c77d0"


class City(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    name: str
    people: int = pydantic.Field(ge=0)


@dataclass
class Rig:
    """One adapter, its server, and what the two differ in."""

    handler: Any
    build: Callable[..., ChatModel]
    key_variable: str
    schema_of: Callable[[dict[str, Any]], dict[str, Any]]
    system_of: Callable[[dict[str, Any]], str]
    cost_usd: float
    stack: ExitStack
    slept: list[float] = field(default_factory=list)

    def serving(self, *steps: Step) -> tuple[ChatModel, ScriptedProvider]:
        server = self.stack.enter_context(serve(self.handler, *steps))
        base_url = server.url + ("/v1" if self.handler is OpenAIHandler else "")
        return self.build(SecretStr(KEY), base_url, Retries(attempts=3, first_wait_s=0.5, sleep=self.slept.append)), server


def _anthropic(key: SecretStr, base_url: str, retries: Retries) -> ChatModel:
    return AnthropicChatModel("claude-haiku-4-5-20251001", key, base_url=base_url, timeout_s=5, retries=retries)


def _openai(key: SecretStr, base_url: str, retries: Retries) -> ChatModel:
    return OpenAIChatModel("gpt-4.1-mini-2025-04-14", key, base_url=base_url, timeout_s=5, retries=retries)


@pytest.fixture(params=["anthropic", "openai"])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    with ExitStack() as stack:
        if request.param == "anthropic":
            yield Rig(
                AnthropicHandler,
                _anthropic,
                "ANTHROPIC_API_KEY",
                lambda body: body["output_config"]["format"]["schema"],
                lambda body: body["system"],
                (1000 * 1.0 + 200 * 5.0) / 1e6,
                stack,
            )
        else:
            yield Rig(
                OpenAIHandler,
                _openai,
                "OPENAI_API_KEY",
                lambda body: body["response_format"]["json_schema"]["schema"],
                lambda body: body["messages"][0]["content"],
                (1000 * 0.4 + 200 * 1.6) / 1e6,
                stack,
            )


ASK = ChatRequest("Be brief.", (Message("user", "Which city?"),), max_tokens=300)
ASK_CITY = replace(ASK, schema=City)
GOOD = '{"name": "Kyōto", "people": 1460000}'


def test_a_text_reply_is_the_text_without_the_thinking(rig: Rig) -> None:
    model, _ = rig.serving(Say("Kyoto."))
    assert (model.complete(ASK).text, model.complete(ASK).data) == ("Kyoto.", None)


def test_a_reply_counts_what_the_provider_counted_and_prices_the_dated_model(rig: Rig) -> None:
    model, _ = rig.serving(Say("Kyoto."))
    assert model.complete(ASK).usage == Usage(1000, 200, rig.cost_usd, model.name)


def test_system_text_and_messages_arrive_in_their_places(rig: Rig) -> None:
    model, server = rig.serving(Say("Kyoto."))
    model.complete(replace(ASK, messages=(Message("user", "a"), Message("assistant", "b"), Message("user", "c"))))
    body = server.seen[0].body
    turns = [message for message in body["messages"] if message["role"] != "system"]
    assert (rig.system_of(body), [turn["content"] for turn in turns]) == ("Be brief.", ["a", "b", "c"])


def test_a_structured_reply_is_validated(rig: Rig) -> None:
    model, _ = rig.serving(Say(GOOD))
    assert model.complete(ASK_CITY).data == City(name="Kyōto", people=1460000)


def test_the_schema_goes_with_the_request_and_is_closed(rig: Rig) -> None:
    model, server = rig.serving(Say(GOOD))
    model.complete(ASK_CITY)
    schema = rig.schema_of(server.seen[0].body)
    assert (schema["required"], schema["additionalProperties"]) == (["name", "people"], False)


def test_a_fenced_structured_reply_needs_no_repair(rig: Rig) -> None:
    model, server = rig.serving(Say(f"```json\n{GOOD}\n```"))
    assert model.complete(ASK_CITY).data is not None
    assert len(server.seen) == 1


@pytest.mark.parametrize("broken", ['{"name": "Kyoto"', '{"name": "Kyoto", "people": -1}', '{"name": "K", "people": 1, "x": 2}', "Kyoto"])
def test_a_broken_structured_reply_is_repaired_once(rig: Rig, broken: str) -> None:
    model, server = rig.serving(Say(broken), Say(GOOD))
    reply = model.complete(ASK_CITY)
    sent_back = [message["content"] for message in server.seen[1].body["messages"]][-2:]
    assert reply.data == City(name="Kyōto", people=1460000)
    assert sent_back[0] == broken and "does not fit" in sent_back[1]


def test_a_repair_is_paid_for_too(rig: Rig) -> None:
    model, _ = rig.serving(Say("no"), Say(GOOD))
    assert model.complete(ASK_CITY).usage == Usage(2000, 400, rig.cost_usd * 2, model.name)


def test_a_reply_broken_twice_is_a_model_error_that_says_what_it_cost(rig: Rig) -> None:
    model, server = rig.serving(Say('{"name": "secret-value", "people": -1}'))
    with pytest.raises(ModelError, match="people") as caught:
        model.complete(ASK_CITY)
    assert (caught.value.facts["reason"], caught.value.facts["usage"].total_tokens, len(server.seen)) == ("shape", 2400, 2)  # type: ignore[attr-defined]
    assert "secret-value" not in caught.value.message


def test_a_refusal_is_a_model_error_and_is_not_asked_again(rig: Rig) -> None:
    model, server = rig.serving(Say("", end="refused"))
    with pytest.raises(ModelError, match="refused to answer: not this") as caught:
        model.complete(ASK_CITY)
    assert (caught.value.facts["reason"], len(server.seen)) == ("refused", 1)


def test_a_reply_cut_at_max_tokens_is_a_model_error(rig: Rig) -> None:
    model, _ = rig.serving(Say("Kyo", end="cut"))
    with pytest.raises(ModelError, match="300 tokens") as caught:
        model.complete(ASK)
    assert caught.value.facts["reason"] == "cut"


def test_an_empty_reply_is_a_model_error(rig: Rig) -> None:
    model, _ = rig.serving(Say(" \n"))
    with pytest.raises(ModelError, match="empty"):
        model.complete(ASK)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_names_the_variable_and_never_the_key(rig: Rig, status: int) -> None:
    model, server = rig.serving(Fail(status, f"Incorrect API key provided: {KEY}", "authentication_error"))
    with pytest.raises(InputError, match=rig.key_variable) as caught:
        model.complete(ASK)
    assert KEY not in str(caught.value) and caught.value.__cause__ is None
    assert len(server.seen) == 1


def test_a_key_quoted_in_another_error_is_left_out(rig: Rig) -> None:
    model, _ = rig.serving(Fail(400, f"bad header Bearer {KEY}", "invalid_request_error"))
    with pytest.raises(InputError, match=r"bad header Bearer \[key\]"):
        model.complete(ASK)


def test_a_busy_provider_is_asked_again(rig: Rig) -> None:
    model, server = rig.serving(Fail(429, kind="rate_limit_error"), Fail(529, kind="overloaded_error"), Say("Kyoto."))
    assert model.complete(ASK).text == "Kyoto."
    assert (rig.slept, len(server.seen)) == ([0.5, 1.0], 3)


def test_a_provider_that_says_how_long_is_waited_for(rig: Rig) -> None:
    model, _ = rig.serving(Fail(429, kind="rate_limit_error", retry_after="7"), Say("Kyoto."))
    model.complete(ASK)
    assert rig.slept == [7.0]


def test_a_wait_that_is_too_long_is_not_begun(rig: Rig) -> None:
    model, server = rig.serving(Fail(429, kind="rate_limit_error", retry_after="3600"))
    with pytest.raises(UnavailableError) as caught:
        model.complete(ASK)
    assert (rig.slept, len(server.seen), caught.value.facts["retry_after_s"]) == ([], 1, 3600.0)


def test_a_provider_that_fails_for_ever_is_unavailable_after_the_attempts(rig: Rig) -> None:
    model, server = rig.serving(Fail(500))
    with pytest.raises(UnavailableError, match="scripted failure"):
        model.complete(ASK)
    assert len(server.seen) == 3


def test_a_bad_request_is_not_asked_again(rig: Rig) -> None:
    model, server = rig.serving(Fail(400, "too long", "invalid_request_error"))
    with pytest.raises(InputError, match="too long"):
        model.complete(ASK)
    assert len(server.seen) == 1


def test_an_account_without_credit_is_not_asked_again(rig: Rig) -> None:
    model, server = rig.serving(Fail(429, "no money", "insufficient_quota"))
    with pytest.raises(InputError, match="credit"):
        model.complete(ASK)
    assert len(server.seen) == 1


def test_an_unknown_model_is_an_input_error(rig: Rig) -> None:
    model, _ = rig.serving(Fail(404, "no such model", "not_found_error"))
    with pytest.raises(InputError, match="no such model"):
        model.complete(ASK)


def test_a_server_that_is_not_there_is_unavailable(rig: Rig) -> None:
    model = rig.build(SecretStr(KEY), "http://127.0.0.1:9", Retries(attempts=2, sleep=rig.slept.append))
    with pytest.raises(UnavailableError, match="did not answer"):
        model.complete(ASK)
    assert len(rig.slept) == 1


def test_a_connection_that_ends_in_the_middle_is_unavailable(rig: Rig) -> None:
    model, server = rig.serving(BreakOff("Kyo"))
    with pytest.raises(UnavailableError):
        model.complete(ASK)
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    "raw", [Raw("{"), Raw("<html>hello</html>", "text/html"), Raw("[]"), Raw('{"choices": null, "content": 5}'), Raw("{}"), Raw("null")]
)
def test_an_answer_that_is_no_reply_is_a_model_error(rig: Rig, raw: Raw) -> None:
    model, _ = rig.serving(raw)
    with pytest.raises(ModelError):
        model.complete(ASK)


def test_text_in_any_script_survives_both_ways(rig: Rig) -> None:
    text = "Zażółć 漢字 العربية 🏮 e\u0301"
    model, server = rig.serving(Say(text))
    reply = model.complete(replace(ASK, messages=(Message("user", text),)))
    assert (reply.text, server.seen[0].body["messages"][-1]["content"]) == (text, text)


def test_a_lone_surrogate_is_replaced_and_breaks_nothing(rig: Rig) -> None:
    model, server = rig.serving(Say("bad \ud83d end"))
    reply = model.complete(replace(ASK, messages=(Message("user", "a\ud800b"),)))
    assert (reply.text, server.seen[0].body["messages"][-1]["content"]) == ("bad \ufffd end", "a\ufffdb")


def test_the_idempotency_key_is_sent_and_kept_over_retries(rig: Rig) -> None:
    model, server = rig.serving(Fail(500), Say("no"), Say(GOOD))
    model.complete(replace(ASK_CITY, idempotency_key="run-1:plan"))
    assert [seen.headers["idempotency-key"] for seen in server.seen] == ["run-1:plan", "run-1:plan", "run-1:plan:repair"]


def test_a_stream_gives_the_text_in_pieces_and_then_its_usage(rig: Rig) -> None:
    model, _ = rig.serving(Say("漢字 and more text 🏮."))
    stream = model.stream(ASK)
    pieces = list(stream)
    assert ("".join(pieces), len(pieces) > 1) == ("漢字 and more text 🏮.", True)
    assert stream.usage == Usage(1000, 200, rig.cost_usd, model.name)


def test_a_stream_begins_after_a_busy_answer(rig: Rig) -> None:
    model, _ = rig.serving(Fail(429, kind="rate_limit_error"), Say("Kyoto."))
    assert "".join(model.stream(ASK)) == "Kyoto."


@pytest.mark.parametrize(("end", "reason"), [("cut", "cut"), ("refused", "refused")])
def test_a_stream_that_ends_badly_raises_after_its_last_piece(rig: Rig, end: Any, reason: str) -> None:
    model, _ = rig.serving(Say("Kyoto is", end=end))
    stream = model.stream(ASK)
    with pytest.raises(ModelError) as caught:
        list(stream)
    assert (caught.value.facts["reason"], stream.usage is not None) == (reason, True)


def test_a_stream_that_breaks_off_is_unavailable_and_is_not_begun_again(rig: Rig) -> None:
    model, server = rig.serving(BreakOff("Kyoto is"))
    pieces: list[str] = []
    with pytest.raises(UnavailableError, match="broke off"):
        pieces.extend(model.stream(ASK))
    assert len(server.seen) == 1


def test_a_closed_stream_leaves_the_model_usable(rig: Rig) -> None:
    model, _ = rig.serving(Say("Kyoto is a city."))
    stream = model.stream(ASK)
    next(stream)
    stream.close()
    assert (list(stream), model.complete(ASK).text) == ([], "Kyoto is a city.")


def test_a_shape_cannot_be_streamed(rig: Rig) -> None:
    model, _ = rig.serving(Say(GOOD))
    with pytest.raises(InputError, match="complete"):
        model.stream(ASK_CITY)


def test_the_key_is_sent_and_appears_nowhere_else(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    model, server = rig.serving(Say("Kyoto."))
    with caplog.at_level(logging.DEBUG):
        model.complete(ASK)
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text + repr(model) + repr(vars(model))


def test_a_redirect_to_another_host_is_not_followed(rig: Rig) -> None:
    model, server = rig.serving(Redirect("https://elsewhere.example/v1/messages"))
    with pytest.raises((InputError, UnavailableError)):
        model.complete(ASK)
    assert {seen.headers["host"] for seen in server.seen} == {server.url.removeprefix("http://")}


@pytest.mark.parametrize("address", ["api.example", "ftp://127.0.0.1", "http://", "http://[bad", "http://127.0.0.1:99999"])
def test_an_address_that_is_none_is_an_input_error(rig: Rig, address: str) -> None:
    with pytest.raises(InputError, match="address"):
        rig.build(SecretStr(KEY), address, Retries())


@pytest.mark.parametrize(
    ("build", "host"),
    [(AnthropicChatModel, "api.anthropic.com"), (OpenAIChatModel, "api.openai.com")],
)
def test_without_an_address_only_the_providers_own_host_is_tried_and_the_guard_stops_it(build: Any, host: str) -> None:
    with pytest.raises((UnavailableError, loopback_only.NetworkReached)):
        build("any", SecretStr(KEY), retries=Retries(attempts=1)).complete(ASK)
    assert {attempt.split(":")[0] for attempt in loopback_only.attempts} == {host}
    loopback_only.attempts.clear()


def test_claude_is_never_sent_a_temperature() -> None:
    with serve(AnthropicHandler, Say("Kyoto.")) as server:
        _anthropic(SecretStr(KEY), server.url, Retries()).complete(replace(ASK, temperature=0.0))
    assert "temperature" not in server.seen[0].body


def test_a_model_that_takes_no_temperature_is_asked_without_it_from_then_on() -> None:
    refusal = Fail(400, "unsupported", "invalid_request_error", param="temperature")
    with serve(OpenAIHandler, refusal, Say("Kyoto.")) as server:
        model = _openai(SecretStr(KEY), server.url + "/v1", Retries())
        model.complete(replace(ASK, temperature=0.2))
        model.complete(replace(ASK, temperature=0.2))
    assert ["temperature" in seen.body for seen in server.seen] == [True, False, False]


def test_a_server_of_ones_own_needs_no_key_and_gets_the_older_limit() -> None:
    with serve(OpenAIHandler, Say("Kyoto.")) as server:
        OpenAIChatModel("llama", None, base_url=server.url + "/v1").complete(ASK)
    assert server.seen[0].body["max_tokens"] == 300


def test_a_server_that_does_not_count_is_counted_for() -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Kyoto."}}
    body = json.dumps({"id": "1", "object": "chat.completion", "model": "llama", "choices": [choice]})
    with serve(OpenAIHandler, Raw(body)) as server:
        usage = OpenAIChatModel("llama", None, base_url=server.url + "/v1").complete(ASK).usage
    assert (usage.estimated, usage.cost_usd, usage.output_tokens) == (True, None, 3)
