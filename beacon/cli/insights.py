"""Commands for customer evidence: synthesis, decisions, exports and imports."""

import json
from pathlib import Path
from typing import Any

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show, write_file

SHOWN = 12  # themes and opportunities printed without --json
QUOTE = 110  # characters of a quote in a line


@click.command()
@click.option("--segment", default="", help="Only sources of this segment.")
@click.option("--without", multiple=True, metavar="SOURCE", help="Leave this source out; can be repeated.")
@json_option
@pass_door
def synthesize(door: Door, segment: str, without: tuple[str, ...], as_json: bool) -> None:
    """Work out themes and ranked opportunities from what customers said."""
    show(door.call("synthesize", segment=segment, without=list(without), trigger="command"), as_json, _print_synthesis)


def _print_synthesis(result: dict[str, Any]) -> None:
    report = result["synthesis"]["report"]
    left = f"; {report['left_out_count']} documents or passages were left out" if report.get("left_out_count") else ""
    click.echo(f"{report['statements']} statements of {report['people']} people in {report['documents']} documents{left}.\n")
    click.secho("Themes", bold=True)
    for theme in result["themes"][:SHOWN]:
        click.echo(f"{theme['people'] + theme['documents']:4}  {theme['title']}")
        for quote in theme["quotes"][:1]:
            click.secho(f"      “{_short(quote['quote'])}” {quote['participant'] or quote['title']}", dim=True)
    click.secho("\nOpportunities", bold=True)
    for one in result["opportunities"][:SHOWN]:
        parts = ", ".join(f"{part['name']} {part['points']:.2f}" for part in one["parts"])
        click.echo(f"{one['rank']:3}. {one['score']:.2f}  {one['title']}")
        click.secho(f"           {parts}", dim=True)
    rest = max(0, len(result["themes"]) - SHOWN), max(0, len(result["opportunities"]) - SHOWN)
    if any(rest):
        click.echo(f"\n{rest[0]} more themes and {rest[1]} more opportunities: add --json, or open the Insights page.")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTE else line[:QUOTE].rsplit(" ", 1)[0] + " …"


@click.group()
def decision() -> None:
    """Decisions and the evidence they rest on."""


@decision.command("add")
@click.argument("title")
@click.option("--because", default="", help="The reason.")
@click.option("--theme", "themes", multiple=True, metavar="ID", help="A theme it rests on; can be repeated.")
@click.option("--opportunity", "opportunities", multiple=True, metavar="ID", help="An opportunity it rests on; can be repeated.")
@json_option
@pass_door
def decision_add(door: Door, title: str, because: str, themes: tuple[str, ...], opportunities: tuple[str, ...], as_json: bool) -> None:
    """Keep a decision; evidence that comes later opens it again."""
    made = door.call("decision_add", title=title, reason=because, theme_ids=list(themes), opp_ids=list(opportunities))
    show(made, as_json, lambda d: click.echo(f"Decided: {d['title']} ({d['id']}), on {len(d['quotes'])} quotes of {d['people']} people."))


@decision.command("list")
@click.option("--status", type=click.Choice(["standing", "reopened", "closed", "all"]), default="all")
@json_option
@pass_door
def decision_list(door: Door, status: str, as_json: bool) -> None:
    """List decisions, newest first, and why any is open again."""
    show(
        door.call("decision_list", status=status),
        as_json,
        lambda rows: lines(rows, _decision_line, "Nothing was decided yet: `beacon decision add TITLE`."),
    )


def _decision_line(one: dict[str, Any]) -> str:
    why = f"  {' '.join(one['reopened']['reasons'])}" if one["status"] == "reopened" else ""
    return f"{one['decided_at'][:10]}  {one['status']:9} {one['title']} ({one['id']}){why}"


@click.command()
@click.argument("what", type=click.Choice(["opportunities", "raw"]))
@click.option("--format", "form", type=click.Choice(["md", "csv"]), default="md", help="For opportunities.")
@click.option("--scope", type=click.Choice(["all", "state", "sources", "insights", "decisions", "events"]), default="all", help="For raw.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@pass_door
def export(door: Door, what: str, form: str, scope: str, output: Path | None) -> None:
    """Take out opportunities as Markdown or CSV, or the project as JSON."""
    if what == "raw":
        text = json.dumps(door.call("export_raw_json", scope=scope), ensure_ascii=False, indent=1)
    else:
        text = door.call("export_opportunities_csv" if form == "csv" else "export_opportunities_markdown")
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
    else:
        write_file(output, text.encode())


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@pass_door
def import_(door: Door, file: Path, as_json: bool) -> None:
    """Read what `beacon export raw` wrote into this project."""
    show(door.call("import_raw", path=str(file)), as_json, _print_import)


def _print_import(counts: dict[str, Any]) -> None:
    dropped = f" {counts['quotes_dropped']} quotes were dropped: their sources were not in the file." if counts["quotes_dropped"] else ""
    click.echo(
        f"Read {counts['sources']} sources ({counts['versions']} new versions), {counts['themes']} themes, "
        f"{counts['opportunities']} opportunities, {counts['decisions']} decisions.{dropped}"
    )
