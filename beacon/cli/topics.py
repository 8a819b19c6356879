"""Commands for topics."""

from typing import Any

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show


def _fields(command: Any) -> Any:
    for option in (
        click.option("--query", "queries", multiple=True, help="A question the report should answer (repeatable)."),
        click.option("--feed", "feeds", multiple=True, help="RSS or Atom feed (repeatable)."),
        click.option("--url", "pages", multiple=True, help="Page to watch (repeatable)."),
        click.option("--folder", "folders", multiple=True, help="Folder to watch (repeatable)."),
        click.option("--every", help="When to run: 'mon 08:00', 'daily 07:30', 'hourly', a cron line, or '' for never."),
        click.option("--gates/--no-gates", default=None, help="Wait for a person before research, writing and publishing."),
        click.option("--tone"),
        click.option("--language"),
        click.option("--guideline", "guidelines", multiple=True, help="What the report must keep to (repeatable)."),
        click.option("--retention-days", type=int),
    ):
        command = option(command)
    return command


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items() if value not in ((), None)}


@click.group()
def topic() -> None:
    """Topics to watch."""


@topic.command("add")
@click.argument("title")
@_fields
@json_option
@pass_door
def add(door: Door, /, title: str, as_json: bool, **values: Any) -> None:
    """Add a topic."""
    show(door.call("topic_add", title=title, **_given(values)), as_json, lambda t: click.echo(f"Added '{t['title']}' ({t['slug']})."))


@topic.command("set")
@click.argument("slug")
@_fields
@json_option
@pass_door
def set_(door: Door, /, slug: str, as_json: bool, **values: Any) -> None:
    """Change a topic; a list given replaces the old one."""
    show(door.call("topic_set", slug=slug, **_given(values)), as_json, _print_topic)


@topic.command("list")
@click.option("--removed", is_flag=True, help="Removed topics too.")
@json_option
@pass_door
def list_(door: Door, removed: bool, as_json: bool) -> None:
    """List topics."""
    rows = door.call("topic_list", removed=removed)
    show(rows, as_json, lambda found: lines(found, _line, "No topic yet: add one with `beacon topic add TITLE --folder DIR`."))


def _line(t: dict[str, Any]) -> str:
    last = f"run #{t['run_count']} on {t['last_run_at'][:10]}" if t["last_run_at"] else "not run yet"
    return f"{t['slug']}  {t['title']}  ({last}, {t['sources']} sources{', removed' if t['status'] == 'removed' else ''})"


@topic.command("show")
@click.argument("slug")
@json_option
@pass_door
def show_(door: Door, slug: str, as_json: bool) -> None:
    """Show a topic and what it remembers."""
    show(door.call("topic_show", slug=slug), as_json, _print_topic)


@topic.command("remove")
@click.argument("slug")
@json_option
@pass_door
def remove(door: Door, slug: str, as_json: bool) -> None:
    """Take a topic out of sight; it can be restored."""
    show(
        door.call("topic_remove", slug=slug),
        as_json,
        lambda t: click.echo(f"Removed '{t['title']}'. `beacon topic restore {t['slug']}` brings it back."),
    )


@topic.command("restore")
@click.argument("slug")
@json_option
@pass_door
def restore(door: Door, slug: str, as_json: bool) -> None:
    """Bring a removed topic, or its archived memory, back."""
    show(door.call("topic_restore", slug=slug), as_json, lambda t: click.echo(f"Restored '{t['title']}'."))


def _print_topic(t: dict[str, Any]) -> None:
    click.echo(_line(t))
    for name in ("queries", "feeds", "pages", "folders", "guidelines"):
        for value in t[name]:
            click.echo(f"  {name[:-1] if name != 'queries' else 'query'}: {value}")
    click.echo(
        f"  tone: {t['tone']}, language: {t['language']}, gates: {'on' if t['gates'] else 'off'}, memory kept {t['retention_days']} days"
    )
    if t["schedule"]:
        click.echo(f"  next run: {t['schedule']['next_at'][:16]} ({t['schedule']['cron']}, {t['schedule']['tz']})")
    for fact in (t["memory"] or {}).get("key_facts", []):
        click.echo(f"  - {fact['text']}")
