"""The tool that erases for good."""

from typing import Any

from pydantic import Field

from beacon.errors import InputError
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace


class Erase(Arguments):
    """What to erase: one of the two."""

    source: str | None = Field(default=None, description="a source's id or address")
    memory: str | None = Field(default=None, description="a memory's id")


@tool(Erase, writes=True)
def erase(ws: Workspace, args: Erase) -> dict[str, Any]:
    """Erases a source or a memory from everything Beacon holds, for good, and proves it with a scan of the data folder."""
    from beacon.memory.erase import erase_memory, erase_source

    if (args.source is None) == (args.memory is None):
        raise InputError("Say what to erase: source (an id or address), or memory (an id).")
    return erase_source(ws, args.source) if args.source else erase_memory(ws, str(args.memory))
