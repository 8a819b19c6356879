"""The command that erases for good."""

from typing import Any

import click

from beacon.cli.door import Door, json_option, pass_door, show


@click.command()
@click.option("--source", help="A source's id or address.")
@click.option("--memory", help="A memory's id.")
@json_option
@pass_door
def erase(door: Door, source: str | None, memory: str | None, as_json: bool) -> None:
    """Erase a source or a memory from everything Beacon holds; prints the receipt."""
    receipt = door.call("erase", source=source, memory=memory)
    show(receipt, as_json, _print_receipt)
    if not receipt["clean"]:
        raise click.exceptions.Exit(1)


def _print_receipt(r: dict[str, Any]) -> None:
    rows = sum(r["rows_cleaned"].values())
    click.echo(f"Erased the {r['kind']} {r['id']}: {r['memories']} memories, {rows} rows and {len(r['files_cleaned'])} files cleaned.")
    for path in r["files_removed"]:
        click.echo(f"  removed {path}")
    if r["healed"]:
        click.echo(f"  {len(r['healed'])} facts hold again.")
    for one in r["still_held_by"]:
        click.echo(f"  still held by {one.get('path') or 'the source ' + one['source_id'] + ' ' + one['title']}")
    click.echo("Nothing of it is left in the data folder." if r["clean"] else "Left over:")
    for one in r["residue"]:
        click.echo(f"  {one['path']}: {one['found']}")
