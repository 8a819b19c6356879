"""The tools: the one set of contracts behind every door.

A tool is a function `(workspace, arguments) → JSON` whose arguments are a Pydantic model. Untrusted callers (a model, an MCP
client) reach nothing but these, and of these only the readers unless writing is allowed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from beacon.errors import InputError
from beacon.workspace import Workspace

MODULES = (
    "topics", "runs", "sources", "searching", "graph", "memory", "facts", "profiles",
    "context", "asking", "state", "providers", "system", "evidence", "insights", "decisions", "transfer", "erase")  # fmt: skip


class Arguments(BaseModel):
    """Base of every tool's arguments: nothing unknown is accepted."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class NoArguments(Arguments):
    """For tools that take none."""


A = TypeVar("A", bound=Arguments)
R = TypeVar("R")


@dataclass(frozen=True)
class Tool:
    """One contract: its name, what it does, and what it takes."""

    name: str
    description: str
    arguments: type[Arguments]
    writes: bool
    run: Callable[[Workspace, Any], Any]

    @property
    def schema(self) -> dict[str, Any]:
        """The arguments as JSON Schema."""
        return self.arguments.model_json_schema()


_TOOLS: dict[str, Tool] = {}


def tool(arguments: type[A], *, writes: bool = False) -> Callable[[Callable[[Workspace, A], R]], Callable[[Workspace, A], R]]:
    """Register the function under its own name; the first line of its docstring is the description."""

    def register(run: Callable[[Workspace, A], R]) -> Callable[[Workspace, A], R]:
        lines = (run.__doc__ or "").strip().splitlines()
        if not lines:
            raise TypeError(f"the tool {run.__name__} needs a docstring")
        _TOOLS[run.__name__] = Tool(run.__name__, lines[0], arguments, writes, run)
        return run

    return register


@cache
def load_tools() -> dict[str, Tool]:
    """Every tool by name."""
    for module in MODULES:
        import_module(f"beacon.tools.{module}")
    return dict(sorted(_TOOLS.items()))


def find_tool(name: str) -> Tool:
    """The tool. Raises InputError naming it."""
    found = load_tools().get(name)
    if found is None:
        raise InputError(f"There is no tool '{name}'.", tool=name)
    return found


def call_tool(ws: Workspace, name: str, arguments: dict[str, Any]) -> Any:
    """What the tool returns. Raises InputError that names the argument which does not fit."""
    found = find_tool(name)
    if wrong := next((key for key, value in arguments.items() if not _is_text(value)), None):
        raise InputError(f"{name}: '{wrong}' holds bytes that are not text: give it as UTF-8.", tool=name)
    try:
        given = found.arguments.model_validate({key: value for key, value in arguments.items() if value is not None})
    except ValidationError as error:
        raise InputError(f"{name}: {_explain(error)}", tool=name) from None
    return found.run(ws, given)


def _is_text(value: Any) -> bool:
    """Whether every string in the value can be stored: no half of a character pair, no NUL."""
    if isinstance(value, str):
        try:
            return b"\0" not in value.encode()
        except UnicodeEncodeError:
            return False
    if isinstance(value, dict):
        return all(_is_text(key) and _is_text(item) for key, item in value.items())
    return all(map(_is_text, value)) if isinstance(value, list | tuple) else True


def _explain(error: ValidationError) -> str:
    parts = []
    for problem in error.errors()[:3]:
        where = ".".join(str(part) for part in problem["loc"]) or "arguments"
        parts.append(f"'{where}': {problem['msg'].removeprefix('Value error, ')}")
    return "; ".join(parts) + "."
