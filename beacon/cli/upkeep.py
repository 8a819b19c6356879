"""Commands that look after a data folder."""

from pathlib import Path
from typing import Any

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show


def _print_checks(result: dict[str, Any]) -> None:
    for check in result["checks"]:
        count = f" ({check['checked']})" if "checked" in check else ""
        click.echo(f"{'ok  ' if check['ok'] else 'FAIL'}  {check['name']}{count}{': ' + check['detail'] if check['detail'] else ''}")


@click.command()
@json_option
@pass_door
def rebuild(door: Door, as_json: bool) -> None:
    """Make vectors and graph anew from the records."""
    show(door.call("rebuild"), as_json, lambda r: click.echo(f"Rebuilt: {r['chunks']} passages, {r['entities']} entities."))


@click.command()
@json_option
@pass_door
def verify(door: Door, as_json: bool) -> None:
    """Check every guarantee on this data folder."""
    result = door.call("verify")
    show(result, as_json, _print_checks)
    if not result["ok"]:
        raise click.exceptions.Exit(1)


@click.command()
@json_option
@pass_door
def doctor(door: Door, as_json: bool) -> None:
    """Check the installation."""
    result = door.call("doctor")
    show(result, as_json, _print_checks)
    if not result["ok"]:
        raise click.exceptions.Exit(1)


@click.command()
@json_option
@pass_door
def status(door: Door, as_json: bool) -> None:
    """What runs, what waits, how much is stored."""
    show(door.call("status"), as_json, _print_status)


def _print_status(s: dict[str, Any]) -> None:
    click.echo(f"records: {s['records']['backend']}, {s['records']['home']}")
    for name in ("chroma", "graph"):
        part = s[name]
        state = f"{part['waiting']} waiting" if part["waiting"] else "in step"
        click.echo(f"{name}: {part['backend']}, {state}{'' if part['ok'] else ', DOWN: ' + part['detail']}")
    alive = [w for w in s["workers"] if w["alive"]]
    click.echo(f"workers: {', '.join(w['slot'] for w in alive) or 'none running'}")
    click.echo(", ".join(f"{n} {name}" for name, n in s["counts"].items()))


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@json_option
@pass_door
def backup(door: Door, path: Path | None, as_json: bool) -> None:
    """Write one archive of records and outputs."""
    show(
        door.call("backup", path=str(path) if path else ""),
        as_json,
        lambda b: click.echo(f"Wrote {b['path']} ({b['bytes'] / 1e6:.1f} MB)."),
    )


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Restore over a data folder that is not empty; what is there is kept inside it.")
@json_option
@pass_door
def restore(door: Door, path: Path, force: bool, as_json: bool) -> None:
    """Restore a backup into the data folder, then rebuild vectors and graph."""
    from beacon.tools.backups import restore_backup

    result = restore_backup(door.settings(), path, force=force)
    result |= {"rebuilt": door.call("rebuild")}
    show(result, as_json, _print_restored)


def _print_restored(r: dict[str, Any]) -> None:
    click.echo(f"Restored the backup of {r['backup_of'][:19]} into {r['home']}.")
    if r["kept"]:
        click.echo(f"What was there is in {r['kept']}.")


@click.group()
def event() -> None:
    """The log of what happened."""


@event.command("list")
@click.option("-n", "limit", type=click.IntRange(1, 5000), default=50)
@click.option("--type", "type_")
@json_option
@pass_door
def event_list(door: Door, limit: int, type_: str | None, as_json: bool) -> None:
    """The newest events."""
    show(
        door.call("event_list", limit=limit, type=type_),
        as_json,
        lambda rows: lines(rows, lambda e: f"{e['at'][:19]}  {e['type']}  {e['text']}", "Nothing happened yet."),
    )
