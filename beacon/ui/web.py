"""What the dashboard's server carries besides Streamlit: its life, /api/health, MCP, the drawing library, and its guards."""

import asyncio
import ipaddress
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beacon.errors import BeaconError
from beacon.settings import Settings
from beacon.tools.health import collect_status
from beacon.ui import folders, session

if TYPE_CHECKING:
    from beacon.bootstrap import Beacon

    McpApp = Callable[[Beacon], tuple[ASGIApp, Any]]  # what makes the MCP application and the manager of its sessions

MAIN = folders.MAIN
CSP = (
    "default-src 'self'; script-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; frame-src 'self' blob: data:; frame-ancestors 'self'; base-uri 'self'; form-action 'self'; object-src 'none'"
)
HEADERS = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
WRONG_HOST = "This Beacon answers only on this machine's own address."
WRONG_ORIGIN = "Requests from pages of other sites are refused."


class _Mcp:
    """The MCP server, made when a client first asks: importing it takes as long as the rest of a start."""

    def __init__(self) -> None:
        self._make: Callable[[], tuple[ASGIApp, Any]] | None = None
        self._app: ASGIApp | None = None
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    def offer(self, make: "Callable[[], tuple[ASGIApp, Any]]") -> None:
        """Serve what `make` returns from now on."""
        self._make = make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._lock:
            if self._app is None and self._make is not None:
                await self._start(self._make)
        app = self._app or PlainTextResponse("MCP is not served here.", status_code=404)
        await app(scope, receive, send)

    async def _start(self, make: "Callable[[], tuple[ASGIApp, Any]]") -> None:
        app, manager = await asyncio.to_thread(make)
        ready = asyncio.Event()
        self._task = asyncio.create_task(self._keep(manager, ready))
        await ready.wait()
        self._app = app

    async def _keep(self, manager: Any, ready: asyncio.Event) -> None:
        async with manager.run():  # entered and left by one task, as it asks
            ready.set()
            await asyncio.Event().wait()

    async def close(self) -> None:
        """End the sessions."""
        self._make = self._app = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None


_mcp = _Mcp()


def lifespan(mcp_app: "McpApp") -> Callable[[Any], AbstractAsyncContextManager[dict[str, Any] | None]]:
    """The server's life: Beacon is open meanwhile, with a worker and the vector server beside it, and MCP under /api/mcp."""

    @asynccontextmanager
    async def life(app: Any) -> AsyncIterator[dict[str, Any] | None]:
        settings = Settings.load()
        beacon = await asyncio.to_thread(session.open_for, settings)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(asyncio.to_thread, session.close_all)
            if session.supervised():
                from beacon.runs.supervisor import Supervisor

                supervisor = Supervisor(settings.home, chroma=not settings.chroma_url)
                stack.push_async_callback(asyncio.to_thread, supervisor.stop)
            _mcp.offer(lambda: mcp_app(beacon))
            stack.push_async_callback(_mcp.close)
            threading.Thread(target=_warm, daemon=True, name="beacon-warm").start()
            yield {}

    return life


def _warm() -> None:
    """Import what the first page and the first click on 'Run now' would wait for."""
    from beacon.tools.registry import load_tools

    load_tools()
    import beacon.runs.jobs  # noqa: F401


async def health(request: Request) -> JSONResponse:
    """Whether the records answer, and whether a worker is there."""
    try:
        status = await asyncio.to_thread(lambda: collect_status(session.open_for(Settings.load()).workspace))
    except BeaconError as error:
        return JSONResponse({"status": "down", "detail": error.message}, status_code=503)
    working = any(worker["alive"] for worker in status["workers"])
    return JSONResponse({"status": "ok", "ready": working, "vectors": status["chroma"]["ok"], "graph": status["graph"]["ok"]})


def routes() -> list[BaseRoute]:
    """The paths beside Streamlit's own."""
    found: list[BaseRoute] = [Route("/api/health", health), Mount("/api", app=_mcp)]
    vis = folders.vis_folder()
    return [*found, Mount("/vis", app=StaticFiles(directory=vis))] if vis else found


def middleware() -> list[Middleware]:
    """What every request passes."""
    return [Middleware(Guard)]


class Guard:
    """Adds the security headers; on a loopback address it refuses foreign host names (DNS rebinding), under /api foreign origins too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = _refusal(scope)
        if refusal and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
            return
        app = PlainTextResponse(refusal, status_code=403) if refusal else self._app

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(pair for pair in HEADERS if pair[0] not in present)]
            await send(message)

        await app(scope, receive, guarded if scope["type"] == "http" else send)


def _refusal(scope: Scope) -> str:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"] if name in (b"host", b"origin")}
    host, origin = headers.get(b"host", ""), headers.get(b"origin", "")
    if is_loopback(str(st.get_option("server.address") or "")) and not _known(_name(host)):
        return WRONG_HOST
    if origin and scope["path"].startswith("/api/") and origin.partition("://")[2] != host:
        return WRONG_ORIGIN
    return ""


def _known(name: str) -> bool:
    return is_loopback(name) or name in (st.get_option("server.allowedHosts") or [])


def _name(host: str) -> str:
    """The host name of a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host


def is_loopback(name: str) -> bool:
    """Whether the name or address is this machine's own."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
