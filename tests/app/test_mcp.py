"""MCP as a client of another program sees it: over standard input and output, and over HTTP."""

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import open_beacon
from beacon.errors import BeaconError, InputError, NotFoundError
from beacon.mcp import ALSO_OFFERED, http_app, offered
from beacon.tools.registry import load_tools
from tests.servers import free_port

Session = Any
Use = Callable[[Session], Awaitable[Any]]


@asynccontextmanager
async def over_stdio(home: Path) -> AsyncIterator[Session]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    env = {**os.environ, "BEACON_HOME": str(home)}
    command = StdioServerParameters(command=sys.executable, args=["-m", "beacon", "mcp"], env=env)
    async with stdio_client(command) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[Session]:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session


@pytest.fixture(scope="module")
def address(desk_home: Path) -> Iterator[str]:
    """Where the tools of the sample desk are served over HTTP."""
    import uvicorn

    beacon = open_beacon(home=str(desk_home))
    app, _ = http_app(beacon)
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert thread.is_alive() and time.monotonic() < deadline
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}/mcp"
    server.should_exit = True
    thread.join(20)
    beacon.close()


@pytest.fixture(params=["stdio", "http"])
def use(request: pytest.FixtureRequest, desk_home: Path) -> Callable[[Use], Any]:
    """A function that gives what an asynchronous function makes of a session with the server."""

    def run(work: Use) -> Any:
        async def both() -> Any:
            connected = over_stdio(desk_home) if request.param == "stdio" else over_http(request.getfixturevalue("address"))
            async with connected as session:
                return await work(session)

        return asyncio.run(asyncio.wait_for(both(), 60))

    if request.param == "http":
        request.getfixturevalue("address")
    return run


def said(result: Any) -> Any:
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def test_a_client_lists_tools_searches_asks_and_gets_errors_as_results(use: Callable[[Use], Any]) -> None:
    async def work(session: Session) -> dict[str, Any]:
        return {
            "tools": (await session.list_tools()).tools,
            "hits": await session.call_tool("search", {"query": "impact probability", "k": 2}),
            "answer": await session.call_tool("ask", {"question": "What was the highest impact probability reported for 2024 YR4?"}),
            "missing": await session.call_tool("source_show", {"id": "src_of_another_desk"}),
            "unfit": await session.call_tool("search", {"query": "x", "k": -1}),
            "unknown": await session.call_tool("search", {"query": "x", "shell": "rm"}),
            "writing": await session.call_tool("topic_add", {"title": "From outside"}),
            "after": await session.call_tool("topic_list", {}),
        }

    found = use(work)
    names = {tool.name for tool in found["tools"]}
    assert {"search", "fetch_chunks", "ask", "graph_entity", "memory_search"} <= names and not names & {"topic_add", "rebuild", "demo"}
    assert len(said(found["hits"])) == 2 and said(found["answer"])["citations"]
    assert [found[name].is_error for name in ("missing", "unfit", "unknown", "writing")] == [True] * 4
    assert "There is no source" in found["missing"].content[0].text and "'k'" in found["unfit"].content[0].text
    assert [topic["slug"] for topic in said(found["after"])] == ["asteroid-2024-yr4"]


def test_no_tool_that_writes_is_offered_save_asking(desk_home: Path) -> None:
    beacon = open_beacon(home=str(desk_home))
    try:
        writing = {name for name, tool in offered(beacon).items() if tool.writes}
    finally:
        beacon.close()
    assert writing == ALSO_OFFERED


def counts(home: Path) -> dict[str, int]:
    """How many rows each table holds."""
    import sqlalchemy as sa

    from beacon.stores.records import tables
    from beacon.stores.records.store import Records

    records = Records(f"sqlite:///{home / 'beacon.sqlite'}")
    with records.read() as tx:
        found = {
            name: tx.connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0 for name, table in tables.metadata.tables.items()
        }
    records.close()
    return found


def test_a_tool_that_says_it_reads_writes_nothing(desk_home: Path) -> None:
    """Every reading tool that needs no argument, and those of search, are called; the records stay as they were."""
    beacon = open_beacon(home=str(desk_home))
    try:
        before = counts(desk_home)
        for name, tool in offered(beacon).items():
            if not tool.writes and not tool.schema.get("required"):
                with suppress(NotFoundError, InputError):  # nothing to compare yet is an answer too
                    beacon.call(name)
        beacon.call("search", query="asteroid")
        beacon.call("memory_search", query="asteroid")
        beacon.call("memory_ambient", text="asteroid")
        kept = "embedding"  # vectors by the hash of their text: a cache, which reading fills
        assert {k: v for k, v in counts(desk_home).items() if v != before[k] and k != kept} == {}
    finally:
        beacon.close()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("source_show", {"id": "{source}"}),
        ("fetch_chunks", {"chunk_ids": ["{chunk}"]}),
        ("run_show", {"run": "{run}"}),
        ("draft_list", {"run": "{run}"}),
        ("fetch_artifact", {"artifact_id": "{event}"}),
        ("graph_entity", {"id": "{entity}"}),
        ("fetch_graph_context", {"node_ids": ["{entity}"]}),
        ("conversation_show", {"id": "{conversation}"}),
        ("get_conversation_state", {"conversation_id": "{conversation}"}),
        ("memory_show", {"id": "{memory}"}),
        ("changeset_show", {"id": "{changeset}"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_belongs_to_another_project_is_not_shown(desk_home: Path, tool: str, arguments: dict[str, Any]) -> None:
    own = open_beacon(home=str(desk_home))
    other = open_beacon(home=str(desk_home), project="elsewhere")
    try:
        ids = {
            "source": own.call("source_list")[0]["id"],
            "chunk": own.call("search", query="asteroid")[0]["chunk_id"],
            "run": own.call("run_list")[0]["id"],
            "event": own.call("event_list")[0]["id"],
            "entity": own.call("graph_entities", k=1)[0]["id"],
            "conversation": own.call("conversation_list")[0]["id"],
            "memory": own.call("memory_list")[0]["id"],
            "changeset": own.call("changeset_list")[0]["id"],
        }
        try:
            found = other.call(tool, **_filled(arguments, ids))
        except BeaconError:
            return
        assert not found or not any(found.values()) if isinstance(found, dict) else not found
    finally:
        own.close()
        other.close()


def _filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, str):
        return value.format(**ids)
    if isinstance(value, dict):
        return {key: _filled(item, ids) for key, item in value.items()}
    return [_filled(item, ids) for item in value]


def test_every_tool_has_a_description_and_a_schema() -> None:
    assert all(tool.description.endswith(".") and tool.schema["type"] == "object" for tool in load_tools().values())
