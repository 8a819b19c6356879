"""How a command reaches the tools, and how its result is printed."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from beacon.errors import InputError

if TYPE_CHECKING:
    from beacon.bootstrap import Beacon

Printer = Callable[[Any], None]


class Door:
    """One command's way to the tools: opened at the first call, closed when the command ends."""

    def __init__(self, project: str | None, user: str | None) -> None:
        self._overrides: dict[str, Any] = {key: value for key, value in (("project", project), ("user", user)) if value}
        self._beacon: Beacon | None = None

    @property
    def beacon(self) -> "Beacon":
        """The opened Beacon."""
        if self._beacon is None:
            from beacon.bootstrap import open_beacon

            self._beacon = open_beacon(**self._overrides)
        return self._beacon

    def call(self, tool: str, **arguments: Any) -> Any:
        """What the tool returns; arguments that are None were not given."""
        return self.beacon.call(tool, **{key: value for key, value in arguments.items() if value is not None})

    def settings(self) -> Any:
        """The settings, without opening the stores."""
        from beacon.settings import Settings

        return Settings.load(**self._overrides)

    def close(self) -> None:
        """Give back what was opened."""
        if self._beacon is not None:
            self._beacon.close()


pass_door = click.make_pass_decorator(Door)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def show(result: Any, as_json: bool, printer: Printer | None = None) -> None:
    """Print a result as JSON, or as its printer says."""
    if as_json or printer is None:
        click.echo(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        printer(result)


def each(rows: list[dict[str, Any]], printer: Printer, empty: str) -> None:
    """Every row by its printer, or what to do when there is none."""
    if not rows:
        click.echo(empty)
    for row in rows:
        printer(row)


def lines(rows: list[dict[str, Any]], form: Callable[[dict[str, Any]], str], empty: str) -> None:
    """One line a row, or what to do when there is none."""
    if not rows:
        click.echo(empty)
    for row in rows:
        click.echo(form(row))


def write_file(path: Path, content: bytes) -> None:
    """Write what was asked for to a file and say so."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", path=str(path)) from None
    click.echo(f"Wrote {path}.", err=True)


def complain(message: str) -> None:
    """Say what is wrong, on standard error."""
    click.secho(f"beacon: {message}", err=True, fg="red" if sys.stderr.isatty() else None)
