"""Commands for runs, reports, changes, gates, drafts and schedules."""

import base64
import json
from pathlib import Path
from typing import Any

import click

from beacon.cli.door import Door, each, json_option, lines, pass_door, show, write_file

PRINTED = {"docx": "Word document", "pdf": "PDF"}
KIND_COLOURS = {"new": "green", "changed": "yellow", "dropped": "white", "contradicted": "magenta", "retracted": "red", "confirmed": "cyan"}


@click.command()
@click.argument("slug", required=False)
@click.option("--as-of", multiple=True, help="See only what was current on this date; with several, one run for each.")
@click.option("--history", is_flag=True, help="One run for each date of the topic's material, oldest first.")
@click.option("--every", type=click.Choice(["date", "month", "quarter", "year"]), help="With --history: the last date of each of these.")
@click.option("--resume", metavar="RUN", help="Go on with a failed, cancelled or paused run.")
@click.option("--budget", type=float, help="With --resume: dollars it may spend beyond what it could so far.")
@click.option("--tokens", type=int, help="With --resume: the same in tokens.")
@click.option("--cancel", metavar="RUN", help="Stop a run.")
@click.option("--redo", metavar="RUN", help="Do a run again from --from PHASE.")
@click.option("--from", "from_phase", metavar="PHASE")
@click.option("--no-wait", is_flag=True, help="Queue it for a worker and return.")
@json_option
@pass_door
def run(door: Door, /, slug: str | None, no_wait: bool, as_json: bool, **given: Any) -> None:
    """Run a topic, or its whole history; resume, cancel or redo a run."""
    _check_run(slug, given)
    if given["cancel"]:
        show(door.call("run_cancel", run=given["cancel"]), as_json, _print_run)
        return
    if given["history"] or len(given["as_of"]) > 1:
        _run_history(door, str(slug), list(given["as_of"]), given["every"], as_json)
        return
    run_id = _begin(door, slug, given)
    result = door.call("run_show", run=run_id) if no_wait else door.call("run_wait", run=run_id, timeout_s=3600)
    show(result, as_json, _print_run)
    if result["status"] in ("failed", "paused"):
        raise click.exceptions.Exit(1)


def _check_run(slug: str | None, given: dict[str, Any]) -> None:
    chosen = [name for name in ("resume", "cancel", "redo") if given[name]]
    if len(chosen) > 1 or not (chosen or slug):
        raise click.UsageError("Give a topic's SLUG, or one of --resume, --cancel, --redo RUN.")
    if given["every"] and not given["history"]:
        raise click.UsageError("--every belongs to --history.")
    if (given["history"] or given["as_of"]) and chosen:
        raise click.UsageError(f"--{chosen[0]} takes a run as it is: leave out --as-of and --history.")
    if (given["budget"] is not None or given["tokens"] is not None) and not given["resume"]:
        raise click.UsageError("--budget and --tokens belong to --resume RUN.")
    if given["redo"] and not given["from_phase"]:
        raise click.UsageError("--redo needs --from PHASE.")


def _begin(door: Door, slug: str | None, given: dict[str, Any]) -> str:
    """The id of the run that was started, or goes on."""
    if given["resume"]:
        return str(door.call("run_resume", run=given["resume"], budget=given["budget"], tokens=given["tokens"])["id"])
    if given["redo"]:
        return str(door.call("run_redo", run=given["redo"], from_phase=given["from_phase"])["id"])
    return str(door.call("run_start", slug=slug, as_of=given["as_of"][0] if given["as_of"] else None)["run_id"])


def _run_history(door: Door, slug: str, dates: list[str], every: str | None, as_json: bool) -> None:
    found = door.call("run_history", slug=slug, dates=dates, every=every)
    show(found, as_json, lambda rows: each(rows, _print_run, "No run."))
    if found and found[-1]["status"] != "done":
        raise click.exceptions.Exit(1)


def _print_run(r: dict[str, Any]) -> None:
    number = f" #{r['n']}" if r["n"] else ""
    click.secho(f"{r['topic']}: run{number} {r['status']}", bold=True)
    click.echo(f"  {r['id']}  started {r['start_time'][:16]}{'  as of ' + r['as_of'][:10] if r['as_of'] else ''}")
    if r["completed_phases"]:
        click.echo(f"  phases: {', '.join(r['completed_phases'])}")
    if r["change_counts"]:
        click.echo("  changes: " + ", ".join(f"{n} {kind}" for kind, n in sorted(r["change_counts"].items())))
    if r["status"] == "paused":
        click.echo(f"  {r['error']}")
        click.echo(f"  go on with: beacon run --resume {r['id']} --budget 1.00")
    elif r["error"]:
        click.echo(f"  error: {r['error']}")


@click.group()
def runs() -> None:
    """List, show, archive and delete runs."""


@runs.command("list")
@click.argument("slug", required=False)
@click.option("--archived", is_flag=True)
@json_option
@pass_door
def runs_list(door: Door, slug: str | None, archived: bool, as_json: bool) -> None:
    """List runs, newest first."""
    show(
        door.call("run_list", slug=slug, archived=archived),
        as_json,
        lambda rows: each(rows, _print_run, "No run yet: `beacon run SLUG`."),
    )


@runs.command("show")
@click.argument("run_ref", metavar="RUN")
@json_option
@pass_door
def runs_show(door: Door, run_ref: str, as_json: bool) -> None:
    """Show a run (its id, or SLUG#N)."""
    show(door.call("run_show", run=run_ref), as_json, _print_run)


@runs.command("archive")
@click.argument("run_ref", metavar="RUN")
@json_option
@pass_door
def runs_archive(door: Door, run_ref: str, as_json: bool) -> None:
    """Hide a run from the lists."""
    show(door.call("run_archive", run=run_ref), as_json, lambda r: click.echo(f"Archived {r['id']}."))


@runs.command("delete")
@click.argument("run_ref", metavar="RUN")
@json_option
@pass_door
def runs_delete(door: Door, run_ref: str, as_json: bool) -> None:
    """Delete a run with its drafts and files."""
    show(door.call("run_delete", run=run_ref), as_json, lambda r: click.echo(f"Deleted {r['deleted']}."))


@click.command()
@click.argument("slug")
@click.option("--run", "number", type=int, help="Run #N (default: the newest).")
@click.option("--format", "form", type=click.Choice(["md", "html", "docx", "pdf"]), default="md")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path))
@json_option
@pass_door
def report(door: Door, slug: str, number: int | None, form: str, output: Path | None, as_json: bool) -> None:
    """Print a topic's report."""
    if form in PRINTED and output is None and not as_json:
        raise click.UsageError(f"A {PRINTED[form]} needs --output FILE.")
    result = door.call("report_show", slug=slug, run=number, format=form)
    text = result["html"] if form == "html" else result["markdown"]
    if output is not None:
        write_file(output, base64.b64decode(result[f"{form}_base64"]) if form in PRINTED else text.encode())
        return
    show(result, as_json, lambda _: click.echo(text))


@click.command()
@click.argument("slug")
@click.option("--run", "number", type=int, help="Changes of Run #N (default: the newest).")
@click.option("--since", help="Everything that changed since this date, or since run '#N'.")
@click.option("--from", "start", help="Compare two dates or runs ('#N'): the first …")
@click.option("--to", "end", help="… and the second.")
@click.option("--confirmed", is_flag=True, help="Also what other sources confirmed.")
@json_option
@pass_door
def changes(
    door: Door, slug: str, number: int | None, since: str | None, start: str | None, end: str | None, confirmed: bool, as_json: bool
) -> None:
    """What changed, claim by claim, with old and new quotes."""
    found = door.call("change_list", slug=slug, run=number, since=since, start=start, end=end, confirmed=confirmed)
    show(found, as_json, lambda rows: each(rows, print_change, "" if rows else _nothing(door, slug, number, since or start, end)))


def _nothing(door: Door, slug: str, number: int | None, start: str | None, end: str | None) -> str:
    """That nothing changed, between which moments, and how much was read to know it."""
    if start:
        return f"Nothing changed from {start} to {end or 'now'}."
    report = door.call("report_show", slug=slug, run=number)
    data = door.call("run_show", run=report["run_id"])["research_state"]["research_data"]
    sources = sum(one["status"] != "withdrawn" for one in data["sources"])
    read = f"{sources} source{'' if sources == 1 else 's'}"
    if not data["since"]:
        return f"Run #{report['run']} is the first: it read {read}, and what changes is told from the next run on."
    return f"Nothing changed since {data['since']}: {read} checked."


def print_change(c: dict[str, Any]) -> None:
    """One change with both sides."""
    click.secho(f"{c['kind']}  ", fg=KIND_COLOURS[c["kind"]], nl=False, bold=True)
    click.secho(f"{c['source']['title']}, {c['source']['version_date']}  ({c['materiality']:.2f})", dim=True)
    if c["old"]:
        click.echo(f"  - {c['old']['text']}")
    if c["quote"]:
        click.echo(f"  + {c['text']}")


@click.group()
def gate() -> None:
    """Points where a run waits for you."""


@gate.command("list")
@json_option
@pass_door
def gate_list(door: Door, as_json: bool) -> None:
    """List open gates."""
    show(
        door.call("gate_list"),
        as_json,
        lambda rows: lines(rows, lambda g: f"{g['run_id']}  {g['name']}  since {g['opened_at'][:16]}", "No run waits for you."),
    )


@gate.command("answer")
@click.argument("run_ref", metavar="RUN")
@click.argument("decision", type=click.Choice(["approve", "edit", "reject", "follow_up", "dismiss"]))
@click.option("--gate", "name", default="")
@click.option("--payload", default="{}", help="JSON, for edits.")
@click.option("--question", help="What a follow-up asks.")
@click.option("--reason", help="Why, for a rejection: it is remembered.")
@click.option("--finding", "findings", multiple=True, help="A finding to dismiss, word for word; may be repeated.")
@json_option
@pass_door
def gate_answer(door: Door, /, run_ref: str, decision: str, name: str, payload: str, as_json: bool, **words: Any) -> None:
    """Answer a gate; the run goes on, and what you did is remembered."""
    try:
        given = json.loads(payload)
    except json.JSONDecodeError as error:
        raise click.UsageError(f"--payload is not JSON: {error.msg}.") from None
    if isinstance(given, dict):
        given |= {key: list(value) if isinstance(value, tuple) else value for key, value in words.items() if value}
    show(
        door.call("gate_answer", run=run_ref, decision=decision, gate=name, payload=given),
        as_json,
        lambda g: click.echo(f"{g['name']}: {decision}."),
    )


@click.group()
def draft() -> None:
    """What each phase of a run wrote."""


@draft.command("list")
@click.argument("run_ref", metavar="RUN")
@json_option
@pass_door
def draft_list(door: Door, run_ref: str, as_json: bool) -> None:
    """List a run's drafts."""
    form = lambda d: f"{d['id']}  {d['phase']}{' ' + d['part'] if d['part'] else ''}  {d['at'][:19]}  {d['characters']} characters"  # noqa: E731
    show(door.call("draft_list", run=run_ref), as_json, lambda rows: lines(rows, form, "No draft."))


@draft.command("show")
@click.argument("run_ref", metavar="RUN")
@click.argument("draft_id", metavar="DRAFT|PHASE")
@json_option
@pass_door
def draft_show(door: Door, run_ref: str, draft_id: str, as_json: bool) -> None:
    """Print a draft, by id or as the newest of a phase."""
    from beacon.domain.run import PHASES

    given = {"phase": draft_id} if draft_id in PHASES else {"draft": draft_id}
    show(door.call("draft_show", run=run_ref, **given), as_json, lambda d: click.echo(d["content"]))


@click.group()
def schedule() -> None:
    """When research and consolidation are due."""


@schedule.command("list")
@json_option
@pass_door
def schedule_list(door: Door, as_json: bool) -> None:
    """List schedules."""
    form = lambda s: f"{s['id']}  {s['kind']}  {s['title']}  {s['cron']} {s['tz']}  next {s['next_at'][:16]}"  # noqa: E731
    show(
        door.call("schedule_list"),
        as_json,
        lambda rows: lines(rows, form, "Nothing is scheduled: `beacon schedule add research 'mon 08:00' --topic SLUG`."),
    )


@schedule.command("add")
@click.argument("kind", type=click.Choice(["research", "consolidation"]))
@click.argument("every")
@click.option("--topic", "slug")
@json_option
@pass_door
def schedule_add(door: Door, kind: str, every: str, slug: str | None, as_json: bool) -> None:
    """Say when a job is due: 'mon 08:00', 'daily 07:30', 'hourly', or a cron line."""
    show(
        door.call("schedule_add", kind=kind, every=every, slug=slug),
        as_json,
        lambda s: click.echo(f"Next: {s['next_at'][:16]}." if "next_at" in s else "Removed."),
    )


@schedule.command("remove")
@click.argument("id")
@json_option
@pass_door
def schedule_remove(door: Door, id: str, as_json: bool) -> None:
    """Forget a schedule."""
    show(door.call("schedule_remove", id=id), as_json, lambda s: click.echo(f"Removed {s['removed']}."))
