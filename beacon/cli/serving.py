"""Commands that keep something running: the dashboard, a worker, MCP; and the demo."""

import os
from typing import Any

import click

from beacon.cli.door import Door, complain, json_option, pass_door, show
from beacon.domain.change import CHANGE_ICONS, CHANGE_WORDS


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the dashboard (default: BEACON_PORT or 8501).")
@click.option("--host", help="Address to listen on (default: BEACON_HOST or 127.0.0.1, this machine only).")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option("--no-worker", is_flag=True, help="Start no worker and no vector server beside it.")
@pass_door
def up(door: Door, port: int | None, host: str | None, no_open: bool, no_worker: bool) -> None:
    """Open the dashboard, with the worker and the vector index it needs."""
    from beacon.ui import serve

    settings = door.settings()
    os.environ.update({"BEACON_HOME": str(settings.home), "BEACON_PROJECT": settings.project, "BEACON_USER": settings.user})
    if no_worker:
        os.environ["BEACON_WORKER"] = "off"
    address = host or settings.host
    if warning := serve.warns(address):
        complain(warning)
    serve.serve(settings, host=address, port=port or settings.port, open_browser=not no_open)


@click.command()
@pass_door
def worker(door: Door) -> None:
    """Run a worker of its own: it executes runs and jobs and starts what is due."""
    import logging

    from beacon.runs.worker import run_worker

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    run_worker(door.beacon.workspace, once_ready=lambda slot: click.echo(f"worker {slot} is ready; Ctrl-C stops it"))


@click.command()
@pass_door
def mcp(door: Door) -> None:
    """Serve the tools over MCP on standard input and output."""
    from beacon.mcp import serve_stdio

    serve_stdio(door.beacon)


@click.command()
@json_option
@pass_door
def demo(door: Door, as_json: bool) -> None:
    """Run the main job on the sample workspace and print it."""
    show(door.call("demo"), as_json, _print_demo)


_SHOWN_TITLES = 3  # of themes and of opportunities


def _print_demo(result: dict[str, Any]) -> None:
    click.secho(result["title"], bold=True)
    for one in result["rounds"]:
        click.secho(f"\nRun #{one['run']}, as of {one['as_of']}: {one['total']} changes", bold=True)
        click.echo(f"  {one['note']}")
        for change in one["changes"]:
            click.echo(f"  {CHANGE_ICONS[change['kind']]} {CHANGE_WORDS[change['kind']]}: {change['text']}")
            if change["old"] and change["quote"]:
                click.echo(f"      was: {change['old']['quote']}")
    for name in ("themes", "opportunities"):
        if titles := result["voices"][name]:
            click.secho(f"\nFrom what people said: {len(titles)} {name}", bold=True)
            for title in titles[:_SHOWN_TITLES]:
                click.echo(f"  {title}")
    for answer in result["answers"]:
        click.secho(f"\n{answer['question']}", bold=True)
        click.echo(f"  {answer['answer'] or answer['missing']}")
        for n, cited in enumerate(answer["citations"], 1):
            click.echo(f"  [{cited.get('n', n)}] “{cited['quote']}”")
    click.echo(f"\nDone in {result['seconds']} s. `beacon up` shows it; `beacon changes {result['slug']}` prints every change.")
