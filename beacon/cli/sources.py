"""Commands that bring material in, show it, search it and answer from it."""

import json
from typing import Any, TextIO

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show
from beacon.errors import InputError

MODES = click.Choice(["hybrid", "lexical", "dense", "graph"])


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--kind", default="", help="interview, ticket, survey, note, …; 'conversation' reads turns.")
@click.option("--segment", default="")
@click.option("--date", help="When these documents were current.")
@click.option("--role", type=click.Choice(["source", "context"]), default="source")
@click.option(
    "--map", "mapping", multiple=True, metavar="FIELD=COLUMN", help="For rows: which column holds id, text, title, date, participant, …"
)
@json_option
@pass_door
def ingest(
    door: Door, paths: tuple[str, ...], kind: str, segment: str, date: str | None, role: str, mapping: tuple[str, ...], as_json: bool
) -> None:
    """Read files and folders."""
    if wrong := [pair for pair in mapping if "=" not in pair]:
        raise click.UsageError(f"--map '{wrong[0]}' is not FIELD=COLUMN.")
    columns = dict(pair.split("=", 1) for pair in mapping) or None
    result = door.call("ingest_paths", paths=list(paths), kind=kind, segment=segment, date=date, role=role, mapping=columns)
    show(result, as_json, _print_report)
    if result["problems"] and not result["sources"]:
        raise InputError("Nothing could be read.")


def _print_report(r: dict[str, Any]) -> None:
    counts = ", ".join(f"{r[name]} {name}" for name in ("new", "changed", "unchanged", "withdrawn"))
    click.echo(f"{r['sources']} sources: {counts}; {r['chunks']} passages in {r['seconds']:.1f} s.")
    for problem in r["problems"]:
        where = f"{problem['file']}, row {problem['row']}" if problem["row"] else problem["file"]
        click.echo(f"  not read: {where}: {problem['message']}", err=True)


@click.group()
def source() -> None:
    """Sources, their texts and versions."""


@source.command("list")
@click.argument("slug", required=False)
@json_option
@pass_door
def source_list(door: Door, slug: str | None, as_json: bool) -> None:
    """List sources, of all or of one topic."""
    show(
        door.call("source_list", slug=slug), as_json, lambda rows: lines(rows, _source_line, "Nothing was read yet: `beacon ingest PATH`.")
    )


def _source_line(s: dict[str, Any]) -> str:
    state = "" if s["status"] == "current" else f", {s['status']}"
    return f"{s['id']}  {(s['latest_date'] or '')[:10]}  {s['title']}  ({s['versions']} versions{state})"


@source.command("show")
@click.argument("id")
@click.option("--version", type=int)
@json_option
@pass_door
def source_show(door: Door, id: str, version: int | None, as_json: bool) -> None:
    """Show a source's text and versions (by id or URL)."""
    show(door.call("source_show", id=id, version=version), as_json, _print_source)


def _print_source(s: dict[str, Any]) -> None:
    click.secho(s["title"], bold=True)
    click.echo(f"{s['url']}  {s['kind']}  {s['status']}")
    for v in s["versions"]:
        size = "withdrawn" if v["withdrawn"] else f"{v['characters']} characters"
        click.echo(f"  version {v['n']}  {(v['version_date'] or v['fetched_at'])[:10]}  {size}")
    click.echo("\n" + s["text"])


@source.command("diff")
@click.argument("id")
@click.argument("v1", type=int, required=False)
@click.argument("v2", type=int, required=False)
@json_option
@pass_door
def source_diff(door: Door, id: str, v1: int | None, v2: int | None, as_json: bool) -> None:
    """What changed between two versions."""
    show(door.call("source_diff", id=id, v1=v1, v2=v2), as_json, _print_diff)


def _print_diff(d: dict[str, Any]) -> None:
    click.secho(f"{d['title']}: version {d['old']['n']} → {d['new']['n']}", bold=True)
    for change in d["changes"]:
        click.echo(f"{change['kind']}")
        if change["old"]:
            click.secho(f"  - {change['old']}", fg="red")
        if change["new"]:
            click.secho(f"  + {change['new']}", fg="green")
    if not d["changes"]:
        click.echo("Nothing changed in substance.")


@click.command()
@click.argument("query", required=False)
@click.option("--batch", type=click.File(encoding="utf-8"), help="JSON lines {id, query}; prints JSON lines {id, hits}.")
@click.option("-k", type=click.IntRange(1, 200), default=10)
@click.option("--mode", type=MODES, default="hybrid")
@click.option("--topic", "slug")
@click.option("--recipe", default="default", help="default, newest, briefing, varied, unlinked or plain.")
@click.option("--since", help="First day that a passage may speak from, YYYY-MM-DD.")
@click.option("--until", help="Last day, included.")
@click.option("--as-of", help="See the texts that were current on this date.")
@json_option
@pass_door
def search(
    door: Door, query: str | None, batch: TextIO | None, k: int, mode: str, slug: str | None, recipe: str,
    since: str | None, until: str | None, as_of: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Search everything that was read."""
    limits = {"since": since, "until": until, "as_of": as_of}
    if batch is not None:
        for row in batch_rows(batch):
            hits = door.call("search", query=row["query"], k=k, mode=mode, slug=slug, recipe=recipe, filters=limits)
            click.echo(json.dumps({"id": row["id"], "hits": hits}, ensure_ascii=False))
        return
    if not query:
        raise click.UsageError("Give a QUERY, or --batch FILE.")
    found = door.call("search", query=query, k=k, mode=mode, slug=slug, recipe=recipe, filters=limits)
    show(found, as_json, lambda rows: lines(rows, _hit, "Nothing was found."))


def batch_rows(batch: TextIO) -> list[dict[str, Any]]:
    """The rows {id, query} of a batch file. Raises InputError naming the line."""
    rows = []
    try:
        lines_read = batch.read().splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{batch.name} is not UTF-8: save it as UTF-8.") from None
    for n, line in enumerate(lines_read, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{batch.name}, line {n} is not JSON: {getattr(error, 'msg', 'too deep')}.") from None
        if not isinstance(row, dict) or not isinstance(row.get("query"), str) or "id" not in row:
            raise InputError(f"{batch.name}, line {n} needs an id and a query.")
        rows.append(row)
    return rows


def _hit(h: dict[str, Any]) -> str:
    text = " ".join(h["text"].split())
    return f"{h['score']:.3f}  {h['title']} ({h['date']})\n       {text[:240]}{'…' if len(text) > 240 else ''}"


@click.command()
@click.argument("question")
@click.option("--conversation", help="Go on with this conversation.")
@click.option("--as-of", help="Answer from what was current on this date.")
@click.option("--topic", "slug", help="Answer from one topic's sources.")
@json_option
@pass_door
def ask(door: Door, question: str, conversation: str | None, as_of: str | None, slug: str | None, as_json: bool) -> None:
    """Ask a question; the answer cites exact quotes or says what is missing."""
    show(door.call("ask", question=question, conversation=conversation, as_of=as_of, slug=slug), as_json, _print_answer)


def _print_answer(a: dict[str, Any]) -> None:
    click.echo(a["answer"])
    for c in a["citations"]:
        click.secho(f"  [{c['n']}] {c['title']}, {c['date']}  {c['url']}", dim=True)
    for memory in a["memories"]:
        click.secho(f"  remembered: {memory['text']}", dim=True)
    if a.get("note"):
        click.secho(f"  {a['note']}", fg="yellow")
    click.secho(f"  conversation {a['conversation_id']}", dim=True)
