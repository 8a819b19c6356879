"""Every chat model, over the wire: each adapter against a loopback server that speaks its provider's format."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from time import time
from typing import Any

import pydantic
import pytest
from pydantic import SecretStr

from beacon.errors import InputError, ModelError, UnavailableError
from beacon.llm.anthropic import AnthropicChatModel
from beacon.llm.gemini import GeminiChatModel
from beacon.llm.openai import LocalChatModel, OpenAIChatModel
from beacon.llm.ports import ChatModel, ChatRequest, Message, ToolResult, ToolSpec, Usage
from beacon.llm.transport import Retries
from tests.contract.scripted_providers import (
    AnthropicHandler,
    Ask,
    BreakOff,
    Fail,
    GeminiHandler,
    Hang,
    LocalHandler,
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


Body = dict[str, Any]


@dataclass
class Rig:
    """One adapter, its server, and what they differ in from the others."""

    handler: Any
    build: Callable[..., ChatModel]
    key_variable: str
    schema_of: Callable[[Body], Body]
    system_of: Callable[[Body], str]
    turns_of: Callable[[Body], list[str]]  # the texts of the messages
    tools_of: Callable[[Body], list[Body]]
    key_of: Callable[[dict[str, str]], str]
    cost_usd: float
    cached_cost_usd: float
    stack: ExitStack
    path: str = ""
    slept: list[float] = field(default_factory=list)

    def serving(self, *steps: Step, timeout_s: float = 5.0) -> tuple[ChatModel, ScriptedProvider]:
        server = self.stack.enter_context(serve(self.handler, *steps))
        retries = Retries(attempts=3, first_wait_s=0.5, sleep=self.slept.append)
        return self.build(SecretStr(KEY), server.url + self.path, retries, timeout_s), server


def _anthropic(key: SecretStr, base_url: str, retries: Retries, timeout_s: float = 5.0) -> ChatModel:
    return AnthropicChatModel("claude-haiku-4-5-20251001", key, base_url=base_url, timeout_s=timeout_s, retries=retries)


def _openai(key: SecretStr, base_url: str, retries: Retries, timeout_s: float = 5.0) -> ChatModel:
    return OpenAIChatModel("gpt-4.1-mini-2025-04-14", key, base_url=base_url, timeout_s=timeout_s, retries=retries)


def _local(key: SecretStr, base_url: str, retries: Retries, timeout_s: float = 5.0) -> ChatModel:
    return LocalChatModel("smol", key, base_url=base_url, timeout_s=timeout_s, retries=retries)


def _gemini(key: SecretStr, base_url: str, retries: Retries, timeout_s: float = 5.0) -> ChatModel:
    return GeminiChatModel("gemini-3.8-flash", key, base_url=base_url, timeout_s=timeout_s, retries=retries)


def _claude_texts(body: Body) -> list[str]:
    return [m["content"] if isinstance(m["content"], str) else m["content"][-1].get("text", "") for m in body["messages"]]


def _gpt_texts(body: Body) -> list[str]:
    return [message["content"] for message in body["messages"] if message["role"] != "system"]


def _gemini_texts(body: Body) -> list[str]:
    return ["".join(part.get("text", "") for part in turn["parts"]) for turn in body["contents"]]


def _bearer(headers: dict[str, str]) -> str:
    return headers["authorization"].removeprefix("Bearer ")


def _claude_rig(stack: ExitStack) -> Rig:
    return Rig(
        AnthropicHandler,
        _anthropic,
        "ANTHROPIC_API_KEY",
        lambda body: body["output_config"]["format"]["schema"],
        lambda body: body["system"],
        _claude_texts,
        lambda body: [{"name": tool["name"], "parameters": tool["input_schema"]} for tool in body["tools"]],
        _bearer,
        (1000 * 1.0 + 200 * 5.0) / 1e6,
        (400 * 1.0 + 600 * 0.1 + 200 * 5.0) / 1e6,
        stack,
    )


def _gpt_rig(stack: ExitStack, handler: Any, build: Callable[..., ChatModel], variable: str, free: bool = False) -> Rig:
    return Rig(
        handler,
        build,
        variable,
        lambda body: body["response_format"]["json_schema"]["schema"],
        lambda body: body["messages"][0]["content"],
        _gpt_texts,
        lambda body: [{"name": one["function"]["name"], "parameters": one["function"]["parameters"]} for one in body["tools"]],
        _bearer,
        0.0 if free else (1000 * 0.4 + 200 * 1.6) / 1e6,
        0.0 if free else (400 * 0.4 + 600 * 0.1 + 200 * 1.6) / 1e6,
        stack,
        "/v1",
    )


def _gemini_rig(stack: ExitStack) -> Rig:
    return Rig(
        GeminiHandler,
        _gemini,
        "GEMINI_API_KEY",
        lambda body: body["generationConfig"]["responseJsonSchema"],
        lambda body: body["systemInstruction"]["parts"][0]["text"],
        _gemini_texts,
        lambda body: [
            {"name": one["name"], "parameters": one["parameters_json_schema"]}
            for tool in body["tools"]
            for one in tool["functionDeclarations"]
        ],
        lambda headers: headers["x-goog-api-key"],
        (1000 * 1.5 + 200 * 7.5) / 1e6,
        (400 * 1.5 + 600 * 0.15 + 200 * 7.5) / 1e6,
        stack,
    )


RIGS: dict[str, Callable[[ExitStack], Rig]] = {
    "anthropic": _claude_rig,
    "openai": lambda stack: _gpt_rig(stack, OpenAIHandler, _openai, "OPENAI_API_KEY"),
    "gemini": _gemini_rig,
    "local": lambda stack: _gpt_rig(stack, LocalHandler, _local, "BEACON_LOCAL_API_KEY", free=True),
}


@pytest.fixture(params=list(RIGS))
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    with ExitStack() as stack:
        yield RIGS[request.param](stack)


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
    assert (rig.system_of(body), rig.turns_of(body)) == ("Be brief.", ["a", "b", "c"])


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
    sent_back = rig.turns_of(server.seen[1].body)[-2:]
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
    with pytest.raises(ModelError, match=r"refused to answer: (not this|SAFETY)") as caught:
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
    assert (reply.text, rig.turns_of(server.seen[0].body)[-1]) == (text, text)


def test_a_lone_surrogate_is_replaced_and_breaks_nothing(rig: Rig) -> None:
    model, server = rig.serving(Say("bad \ud83d end"))
    reply = model.complete(replace(ASK, messages=(Message("user", "a\ud800b"),)))
    assert (reply.text, rig.turns_of(server.seen[0].body)[-1]) == ("bad \ufffd end", "a\ufffdb")


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
    assert rig.key_of(server.seen[0].headers) == KEY
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
    [
        (AnthropicChatModel, "api.anthropic.com"),
        (OpenAIChatModel, "api.openai.com"),
        (GeminiChatModel, "generativelanguage.googleapis.com"),
    ],
)
def test_without_an_address_only_the_providers_own_host_is_tried_and_the_guard_stops_it(build: Any, host: str) -> None:
    with pytest.raises((UnavailableError, loopback_only.NetworkReached)):
        build("any", SecretStr(KEY), retries=Retries(attempts=1)).complete(ASK)
    assert {attempt.split(":")[0] for attempt in loopback_only.attempts} == {host}
    loopback_only.attempts.clear()


FARES = ToolSpec(
    "find_fare", "The fare between two ports.", {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
)
ASK_TOOL = replace(ASK, tools=(FARES,))


def test_tools_go_with_the_request(rig: Rig) -> None:
    model, server = rig.serving(Say("Kyoto."))
    model.complete(ASK_TOOL)
    assert rig.tools_of(server.seen[0].body) == [{"name": "find_fare", "parameters": dict(FARES.parameters)}]


def test_a_reply_may_ask_for_tools(rig: Rig) -> None:
    model, _ = rig.serving(Ask((("find_fare", '{"to": "Ōsaka"}'), ("find_fare", "{}"))))
    reply = model.complete(ASK_TOOL)
    assert [(one.name, dict(one.arguments)) for one in reply.tool_calls] == [("find_fare", {"to": "Ōsaka"}), ("find_fare", {})]
    assert reply.stop_reason == "tools" and len({one.id for one in reply.tool_calls}) == 2


def test_a_stream_may_ask_for_tools_after_its_text(rig: Rig) -> None:
    model, _ = rig.serving(Ask((("find_fare", '{"to": "Ōsaka"}'),), text="I look it up."))
    stream = model.stream(ASK_TOOL)
    assert "".join(stream) == "I look it up."
    assert [(one.name, dict(one.arguments)) for one in stream.tool_calls] == [("find_fare", {"to": "Ōsaka"})]


def test_what_a_tool_gave_goes_back_with_the_call_it_answers(rig: Rig) -> None:
    model, server = rig.serving(Ask((("find_fare", '{"to": "Nara"}'),)), Say("720 yen."))
    call = model.complete(ASK_TOOL).tool_calls[0]
    asked, answered = Message("assistant", "", tool_calls=(call,)), Message("user", "", results=(ToolResult(call.id, call.name, "720"),))
    assert model.complete(replace(ASK_TOOL, messages=(*ASK.messages, asked, answered))).text == "720 yen."
    sent = json.dumps(server.seen[1].body)
    assert "Nara" in sent and "720" in sent


@pytest.mark.parametrize("stream", [False, True])
def test_a_tool_that_was_not_offered_is_not_passed_on(rig: Rig, stream: bool) -> None:
    model, _ = rig.serving(Ask((("erase_everything", "{}"),)))
    with pytest.raises(ModelError, match="erase_everything") as caught:
        list(model.stream(ASK_TOOL)) if stream else model.complete(ASK_TOOL)
    assert (caught.value.facts["reason"], caught.value.facts["usage"] is not None) == ("tool", True)


@pytest.mark.parametrize("arguments", ["{", "[1]", '"to"'])
def test_arguments_that_are_no_object_are_a_model_error(arguments: str) -> None:
    with serve(OpenAIHandler, Ask((("find_fare", arguments),))) as server, pytest.raises(ModelError, match="no JSON object"):
        _openai(SecretStr(KEY), server.url + "/v1", Retries()).complete(ASK_TOOL)


def test_a_question_has_tools_or_a_shape() -> None:
    with pytest.raises(InputError, match="not both"):
        replace(ASK_TOOL, schema=City)


def test_a_provider_that_does_not_answer_in_time_is_unavailable(rig: Rig) -> None:
    model, server = rig.serving(Hang(10), timeout_s=0.3)
    with pytest.raises(UnavailableError, match="did not answer"):
        model.complete(ASK)
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (400, "invalid_request_error", "prompt is too long: 213412 tokens > 200000 maximum"),
        (400, "context_length_exceeded", "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."),
        (400, "INVALID_ARGUMENT", "The input token count (1500000) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "exceed_context_size_error", "the request exceeds the available context size"),
        (413, "request_too_large", "Request exceeds the maximum size"),
    ],
)
def test_a_question_that_is_too_long_says_so_and_is_not_asked_again(rig: Rig, status: int, kind: str, message: str) -> None:
    model, server = rig.serving(Fail(status, message, kind))
    with pytest.raises(ModelError, match="longer than the model reads") as caught:
        model.complete(ASK)
    assert (caught.value.facts["reason"], len(server.seen)) == ("too_long", 1)


def test_a_wait_told_as_a_date_is_kept(rig: Rig) -> None:
    model, _ = rig.serving(Fail(429, kind="rate_limit_error", retry_after=formatdate(time() + 20, usegmt=True)), Say("Kyoto."))
    model.complete(ASK)
    assert 15 < rig.slept[0] <= 20


def test_a_wait_among_googles_details_is_kept() -> None:
    slept: list[float] = []
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}
    with serve(GeminiHandler, Fail(429, kind="RESOURCE_EXHAUSTED", details=(wait,)), Say("Kyoto.")) as server:
        _gemini(SecretStr(KEY), server.url, Retries(sleep=slept.append)).complete(ASK)
    assert slept == [17.0]


def test_googles_way_to_refuse_a_key_names_the_variable() -> None:
    wrong = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
    refusal = Fail(400, "API key not valid.", "INVALID_ARGUMENT", details=(wrong,))
    with serve(GeminiHandler, refusal) as server, pytest.raises(InputError, match="GEMINI_API_KEY"):
        _gemini(SecretStr(KEY), server.url, Retries()).complete(ASK)


def test_what_the_provider_had_in_its_cache_is_counted_and_cheaper(rig: Rig) -> None:
    model, server = rig.serving(Say("Kyoto."))
    server.cached = True
    assert model.complete(ASK).usage == Usage(1000, 200, pytest.approx(rig.cached_cost_usd), model.name, cached_tokens=600)


def test_claude_is_told_what_will_be_sent_again() -> None:
    turns = (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))
    with serve(AnthropicHandler, Say("Kyoto.")) as server:
        _anthropic(SecretStr(KEY), server.url, Retries()).complete(replace(ASK, messages=turns, reused=True))
    body = server.seen[0].body
    marked = [part.get("cache_control") for part in (*body["system"], *body["messages"][1]["content"])]
    assert (marked, body["messages"][2]["content"]) == ([{"type": "ephemeral"}, {"type": "ephemeral"}], "c")


def test_a_local_server_is_asked_which_model_it_has() -> None:
    with serve(LocalHandler, Say("Kyoto.")) as server:
        model = LocalChatModel("", None, base_url=server.url + "/v1")
        model.complete(ASK)
        assert (server.seen[0].body["model"], model.name) == ("smol-one", "smol-one")


def test_a_server_that_knows_no_shapes_is_asked_in_words_from_then_on() -> None:
    unknown = Fail(422, "body.response_format.type: unexpected value", "invalid_request_error")
    with serve(LocalHandler, unknown, unknown, Say(GOOD)) as server:
        model = _local(SecretStr(KEY), server.url + "/v1", Retries())
        assert model.complete(ASK_CITY).data == City(name="Kyōto", people=1460000)
        model.complete(ASK_CITY)
    asked = [seen.body.get("response_format", {}).get("type") for seen in server.seen]
    assert asked == ["json_schema", "json_object", None, None]
    assert '"people"' in server.seen[-1].body["messages"][0]["content"]


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
