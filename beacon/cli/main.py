"""The command tree. Commands live in modules by noun, which are imported when one of their commands is used."""

import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from beacon.cli.door import Door, complain

EXIT_BAD_INPUT = 2
EXIT_FAILED = 1

# command → (module, what it does): the help page must not import them all
COMMANDS = {
    "up": ("serving", "Open the dashboard, with the worker and the vector index it needs."),
    "worker": ("serving", "Run a worker of its own."),
    "mcp": ("serving", "Serve the tools over MCP on standard input and output."),
    "demo": ("serving", "Run the main job on the sample workspace and print it."),
    "project": ("projects", "Workspaces and their state."),
    "topic": ("topics", "Topics to watch."),
    "run": ("runs", "Run a topic; resume, cancel or redo a run."),
    "runs": ("runs", "List, show, archive and delete runs."),
    "report": ("runs", "Print a topic's report."),
    "changes": ("runs", "What changed, claim by claim, with old and new quotes."),
    "gate": ("runs", "Points where a run waits for you."),
    "draft": ("runs", "What each phase of a run wrote."),
    "schedule": ("runs", "When research and consolidation are due."),
    "ingest": ("sources", "Read files and folders."),
    "source": ("sources", "Sources, their texts and versions."),
    "search": ("sources", "Search everything that was read."),
    "ask": ("sources", "Ask a question; the answer cites exact quotes."),
    "synthesize": ("insights", "Themes and ranked opportunities from what customers said."),
    "decision": ("insights", "Decisions and the evidence they rest on."),
    "export": ("insights", "Take out opportunities, or the whole project."),
    "import": ("insights", "Read in what `export raw` wrote."),
    "memory": ("memory", "What is remembered: see, add, edit, pin, forget, undo."),
    "profile": ("memory", "The four profile documents: see, edit, compare, restore."),
    "directives": ("directives", "Beacon's own name, values and tone."),
    "context": ("directives", "What Beacon has, or had, in mind at a step."),
    "graph": ("graph", "Entities, how they relate, and summaries."),
    "provider": ("providers", "Models and search engines: what is set up, and whether it answers."),
    "spend": ("providers", "What models cost."),
    "budget": ("providers", "Let a run, a conversation or today spend more."),
    "notice": ("providers", "What is told when something happened, and to whom."),
    "erase": ("erasing", "Erase a source or a memory for good, with a receipt."),
    "rebuild": ("upkeep", "Make vectors and graph anew from the records."),
    "verify": ("upkeep", "Check every guarantee on this data folder."),
    "doctor": ("upkeep", "Check the installation."),
    "status": ("upkeep", "What runs, what waits, how much is stored."),
    "backup": ("upkeep", "Write one archive of records and outputs."),
    "restore": ("upkeep", "Restore a backup."),
    "event": ("upkeep", "The log of what happened."),
}


class _Tree(click.Group):
    """A group that imports a command's module only when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_") + ("_" if cmd_name == "import" else "")  # `import` is no name in Python
        command: click.Command = getattr(import_module(f"beacon.cli.{COMMANDS[cmd_name][0]}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=_Tree, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--project", help="Workspace to use (default: BEACON_PROJECT or 'default').")
@click.option("--user", help="Whose memory to use (default: BEACON_USER or 'me').")
@click.version_option(package_name="beacon-desk", message="%(version)s")
@click.pass_context
def cli(ctx: click.Context, project: str | None, user: str | None) -> None:
    """Beacon watches topics, says exactly what changed, and answers from exact evidence. Its data folder is BEACON_HOME."""
    ctx.obj = Door(project, user)
    ctx.call_on_close(ctx.obj.close)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input ends with code 2 and one clear line, never with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that cannot show a letter gets a mark; a file or pipe gets UTF-8
            stream.reconfigure(errors="replace") if stream.isatty() else stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(run([_as_utf8(word) for word in (sys.argv[1:] if arguments is None else arguments)]))


def _as_utf8(word: str) -> str:
    """The argument as it was typed, where the locale took its letters for bytes."""
    try:
        return word.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        return word


def run(arguments: list[str] | None = None) -> int:
    """The exit code of a command."""
    from beacon.errors import BeaconError, InputError

    try:
        result: Any = cli.main(args=_hoisted(sys.argv[1:] if arguments is None else arguments), prog_name="beacon", standalone_mode=False)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.Abort:
        complain("stopped.")
        return EXIT_FAILED
    except click.ClickException as error:
        error.show()
        return EXIT_BAD_INPUT
    except InputError as error:
        complain(error.message)
        return EXIT_BAD_INPUT
    except BeaconError as error:
        complain(error.message)
        return EXIT_FAILED
    except BrokenPipeError:
        return EXIT_FAILED
    except OSError as error:
        complain(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}.")
        return EXIT_FAILED
    except KeyboardInterrupt:
        complain("stopped.")
        return EXIT_FAILED
    return result if isinstance(result, int) else 0


def _hoisted(arguments: list[str]) -> list[str]:
    """--project and --user are taken wherever they stand in the line."""
    front: list[str] = []
    rest: list[str] = []
    waiting = iter(arguments)
    for word in waiting:
        if word == "--":
            rest += [word, *waiting]
        elif word in ("--project", "--user"):
            front += [word, *([value] if (value := next(waiting, None)) is not None else [])]
        elif word.startswith(("--project=", "--user=")):
            front.append(word)
        else:
            rest.append(word)
    return front + rest
