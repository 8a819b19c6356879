"""Commands for Beacon's own directives, and for what it has in mind at a step."""

from pathlib import Path
from typing import Any

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show

NAME = "directives"
MARKS = {"+": "green", "-": "red"}


@click.group()
def directives() -> None:
    """Beacon's own name, values and tone: always in mind, shared by everyone in the workspace."""


@directives.command("show")
@json_option
@pass_door
def directives_show(door: Door, as_json: bool) -> None:
    """Print the directives."""
    show({"content": door.call("get_memory", namespace=NAME)}, as_json, lambda found: click.echo(found["content"].strip()))


@directives.command("edit")
@click.option("--text", help="The new text.")
@click.option("--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A file with the new text.")
@click.option("--reason", default="")
@json_option
@pass_door
def directives_edit(door: Door, text: str | None, file: Path | None, reason: str, as_json: bool) -> None:
    """Replace the directives; without --text or --file, in your editor."""
    content = file.read_text(encoding="utf-8") if file else text
    if content is None:
        content = click.edit(door.call("get_memory", namespace=NAME))
    if content is None:
        click.echo("Nothing was changed.", err=True)
        return
    show(door.call("write_memory", namespace=NAME, content=content, reason=reason), as_json, lambda v: click.echo(f"Version {v['n']}."))


@directives.command("history")
@json_option
@pass_door
def directives_history(door: Door, as_json: bool) -> None:
    """The versions of the directives."""
    form = lambda v: f"{v['n']}  {v['at'][:19]}  {v['changed_by']}  {v['reason']}"  # noqa: E731
    show(door.call("profile_history", namespace=NAME), as_json, lambda rows: lines(rows, form, "No version yet."))


@directives.command("diff")
@click.argument("v1", type=int)
@click.argument("v2", type=int)
@json_option
@pass_door
def directives_diff(door: Door, v1: int, v2: int, as_json: bool) -> None:
    """Compare two versions of the directives."""
    show(door.call("profile_diff", namespace=NAME, v1=v1, v2=v2), as_json, _print_lines)


def _print_lines(d: dict[str, Any]) -> None:
    for line in d["lines"]:
        click.secho(f"{line['op']} {line['text']}", fg=MARKS.get(line["op"]))


@directives.command("restore")
@click.argument("n", type=int)
@json_option
@pass_door
def directives_restore(door: Door, n: int, as_json: bool) -> None:
    """Make an old version the newest again."""
    show(door.call("profile_restore", namespace=NAME, n=n), as_json, lambda _: click.echo(f"Version {n} is current again."))


@click.group()
def context() -> None:
    """What Beacon has, or had, in mind at a step of thinking."""


@context.command("preview")
@click.argument("question")
@click.option("--conversation", default="")
@click.option("--budget", type=click.IntRange(1, 200_000), help="Tokens.")
@json_option
@pass_door
def context_preview(door: Door, question: str, conversation: str, budget: int | None, as_json: bool) -> None:
    """What would be in mind for a question, packed to the budget."""
    show(door.call("context_preview", text=question, conversation=conversation, budget=budget), as_json, _print_pack)


@context.command("show")
@click.argument("ref", metavar="MESSAGE|RUN")
@json_option
@pass_door
def context_show(door: Door, ref: str, as_json: bool) -> None:
    """What was in mind for a message or a run, step by step."""
    show(door.call("context_show", ref=ref), as_json, _print_packs)


def _print_packs(packs: list[dict[str, Any]]) -> None:
    if not packs:
        click.echo("Nothing was kept of what was in mind there.")
    for pack in packs:
        click.secho(pack["step"], bold=True)
        _print_pack(pack)


def _print_pack(pack: dict[str, Any]) -> None:
    click.echo(pack["text"])
    click.secho(f"\n{pack['tokens']} of {pack['budget']} tokens", dim=True)
    for part in pack["parts"]:
        if part["left_out"]:
            click.secho(f"left out of {part['title']!r}: {len(part['left_out'])} ({part['left_out'][0]['why']})", dim=True)
