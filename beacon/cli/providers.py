"""Commands about models, search engines and what they cost."""

from typing import Any

import click

from beacon.cli.door import Door, json_option, lines, pass_door, show


@click.group()
def provider() -> None:
    """Models and search engines: what is set up, and whether it answers."""


@provider.command("list")
@json_option
@pass_door
def list_providers(door: Door, as_json: bool) -> None:
    """What is set up; keys are only said to be there or not."""
    show(door.call("provider_list"), as_json, _print_providers)


def _print_providers(found: dict[str, Any]) -> None:
    if found["hint"]:
        click.echo(found["hint"])
    if found["problem"]:
        click.echo(f"problem: {found['problem']}")
    for one in (*found["models"], *found["search"]):
        state = "in use" if one["used"] else "ready" if one["present"] else f"set {one['variable']}"
        names = f", {one['fast_model']} and {one['strong_model']}" if one["used"] and one.get("fast_model") else ""
        click.echo(f"{one['label']}: {state}{names}")


@provider.command("test")
@click.argument("name")
@json_option
@pass_door
def test(door: Door, name: str, as_json: bool) -> None:
    """Ask one short question: whether it answers, how fast, at what cost."""
    found = door.call("provider_test", name=name)
    show(found, as_json, lambda one: click.echo(f"{'ok  ' if one['ok'] else 'FAIL'}  {one['name']}: {one['detail']} ({one['ms']} ms)"))
    if not found["ok"]:
        raise click.exceptions.Exit(1)


@click.command()
@json_option
@pass_door
def spend(door: Door, as_json: bool) -> None:
    """What models cost, by day, run, topic, model and task."""
    show(door.call("spend_report"), as_json, _print_spend)


def _print_spend(found: dict[str, Any]) -> None:
    total, today = found["total"], found["today"]
    click.echo(f"${total['cost_usd']:.4f} in {total['calls']} calls; today ${today['spent_usd']:.4f} of ${today['limit_usd']:.2f}")
    for part in ("days", "topics", "runs", "models", "tasks"):
        for one in found[part][:10]:
            click.echo(f"{part[:-1]} {one.get('title') or one['name']}: ${one['cost_usd']:.4f}, {one['calls']} calls")


@click.command()
@click.argument("scope", type=click.Choice(["run", "conversation", "day"]))
@click.argument("name", required=False, default="")
@click.option("--usd", type=float, default=0.0, help="So many dollars more.")
@click.option("--tokens", type=int, default=0, help="So many tokens more.")
@json_option
@pass_door
def budget(door: Door, scope: str, name: str, usd: float, tokens: int, as_json: bool) -> None:
    """Let a run, a conversation or today spend more; a run that stopped for it can then be resumed."""
    found = door.call("budget_raise", scope=scope, name=name, usd=usd, tokens=tokens)
    show(found, as_json, lambda one: click.echo(f"{one['scope']} {one['name']} may now spend ${one['limit_usd']:.2f}"))


@click.group()
def notice() -> None:
    """What is told when something happened: by e-mail, webhook and Atom feed."""


@notice.command("list")
@json_option
@pass_door
def list_notices(door: Door, as_json: bool) -> None:
    """What was told, or is to be."""
    show(
        door.call("notice_list"),
        as_json,
        lambda rows: lines(
            rows,
            lambda one: (
                f"{one['at'][:16]}  {one['channel']:8}{one['status']:9}{one['title']}{': ' + one['problem'] if one['problem'] else ''}"
            ),
            "Nothing has been told yet.",
        ),
    )


@notice.command("send")
@json_option
@pass_door
def send(door: Door, as_json: bool) -> None:
    """Tell now what is to be told; a worker does so by itself."""
    show(door.call("notice_send"), as_json, lambda one: click.echo(f"{one['sent']} sent, by {', '.join(one['channels'])}"))
