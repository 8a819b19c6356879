"""Commands for workspaces."""

import json
from typing import Any

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show


@click.group()
def project() -> None:
    """Workspaces and their state."""


@project.command("add")
@click.argument("name")
@click.option("--title", default="")
@json_option
@pass_door
def add(door: Door, name: str, title: str, as_json: bool) -> None:
    """Add a workspace."""
    show(door.call("project_add", name=name, title=title), as_json, lambda p: click.echo(f"Added the project {p['name']}."))


@project.command("list")
@json_option
@pass_door
def list_(door: Door, as_json: bool) -> None:
    """List workspaces."""
    show(
        door.call("project_list"),
        as_json,
        lambda rows: lines(rows, lambda p: f"{'*' if p['current'] else ' '} {p['name']}  {p['title']}", ""),
    )


@project.command("show")
@json_option
@pass_door
def show_(door: Door, as_json: bool) -> None:
    """Show the project's state: ICP, segments, definitions, constraints, success metrics, strategy."""
    show(door.call("get_project_state"), as_json, _print_state)


@project.command("set")
@click.argument("pairs", nargs=-1, required=True, metavar="KEY=VALUE…")
@json_option
@pass_door
def set_(door: Door, pairs: tuple[str, ...], as_json: bool) -> None:
    """Set parts of the project's state. VALUE may be JSON; an empty one removes the key."""
    show(door.call("patch_project_state", patch=dict(_pair(pair) for pair in pairs)), as_json, _print_state)


def _pair(text: str) -> tuple[str, Any]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise click.UsageError(f"'{text}' is not KEY=VALUE.")
    if not value:
        return key, None
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def _print_state(state: dict[str, Any]) -> None:
    if not state:
        click.echo("The project has no state yet: set some with `beacon project set KEY=VALUE`.")
    for key, value in state.items():
        click.echo(f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
