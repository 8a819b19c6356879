"""Commands for the graph of entities."""

from pathlib import Path
from typing import Any

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show, write_file


@click.group()
def graph() -> None:
    """Entities, how they relate, and summaries."""


@graph.command("entities")
@click.option("-k", type=int, help="The k most mentioned (default: all).")
@json_option
@pass_door
def entities(door: Door, k: int | None, as_json: bool) -> None:
    """List entities with the places that mention them."""
    form = lambda e: f"{e['name']}  ({e['type']}, {len(e['mentions'])} mentions)"  # noqa: E731
    show(door.call("graph_entities", k=k), as_json, lambda rows: lines(rows, form, "No entity yet: `beacon ingest PATH`."))


@graph.command("neighbors")
@click.argument("entity")
@json_option
@pass_door
def neighbors(door: Door, entity: str, as_json: bool) -> None:
    """What an entity is related to."""
    show(door.call("graph_neighbors", id=entity), as_json, _print_graph)


@graph.command("path")
@click.argument("start")
@click.argument("end")
@json_option
@pass_door
def path(door: Door, start: str, end: str, as_json: bool) -> None:
    """The strongest short path between two entities."""
    show(door.call("graph_path", start=start, end=end), as_json, _print_graph)


def _print_graph(g: dict[str, Any]) -> None:
    names = {n["id"]: n["name"] for n in g["nodes"]}
    if not g["edges"]:
        click.echo("No relation was found.")
    for e in g["edges"]:
        click.echo(f"{names.get(e['from'], e['from'])} — {names.get(e['to'], e['to'])}  ({e['weight']:g} sentences)")


@graph.command("summary")
@click.option("--segment")
@click.option("--period")
@json_option
@pass_door
def summary(door: Door, segment: str | None, period: str | None, as_json: bool) -> None:
    """What is known by segment and period."""
    form = lambda s: f"{s['segment']} {s['period']}{' (cites an older version)' if s['flagged'] else ''}\n  {s['text']}"  # noqa: E731
    show(door.call("graph_summary", segment=segment, period=period), as_json, lambda rows: lines(rows, form, "No summary yet."))


@graph.command("export")
@click.option("--format", "form", type=click.Choice(["json", "graphml"]), default="json")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path))
@pass_door
def export(door: Door, form: str, output: Path | None) -> None:
    """Write the graph as JSON or GraphML."""
    content = door.call("graph_export", format=form)["content"]
    if output is None:
        click.echo(content)
    else:
        write_file(output, content.encode())
