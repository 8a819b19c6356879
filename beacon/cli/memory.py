"""Commands for memories, changesets and the four profile documents."""

import json
from pathlib import Path
from typing import Any, TextIO

import click

from beacon.cli.door import Door, each, json_option, lines, pass_door, show
from beacon.cli.sources import batch_rows

TIERS = click.Choice(["episodic", "semantic", "procedural"])
NAMESPACES = click.Choice(["user_profile", "company_profile", "user_preferences", "episodic_memory"])
MARKS = {"+": "green", "-": "red"}


@click.group()
def memory() -> None:
    """What is remembered: see, add, edit, pin, forget, undo."""


@memory.command("list")
@click.option("--tier", type=TIERS)
@click.option("--status", default="current")
@click.option("--topic")
@click.option("--as-of", help="What Beacon believed at that moment.")
@click.option("--valid-at", help="What was true in the world at that moment.")
@click.option("-n", "limit", type=int)
@json_option
@pass_door
def list_(door: Door, /, as_json: bool, **which: Any) -> None:
    """List memories, newest first."""
    empty = "Nothing is remembered yet: `beacon memory add TEXT`, or `beacon memory consolidate`."
    if which["as_of"] and not which["valid_at"]:
        empty = f"Nothing was known on {which['as_of']}. What was true then, by what is known now: --valid-at {which['as_of']}."
    show(door.call("memory_list", **which), as_json, lambda found: lines(found, _line, empty))


def _line(m: dict[str, Any]) -> str:
    marks = ("pinned" if m["pinned"] else "", m["status"] if m["status"] != "current" else "")
    extra = ", ".join(mark for mark in marks if mark)
    return f"{m['id']}  {m['tier']:<10}  {m['importance']:.2f}  {m['text']}{f'  ({extra})' if extra else ''}"


@memory.command("add")
@click.argument("text")
@click.option("--tier", type=TIERS, default="semantic")
@click.option("--subject")
@click.option("--attribute")
@click.option("--value")
@click.option("--topic")
@click.option("--pinned", is_flag=True, help="Never fades.")
@json_option
@pass_door
def add(door: Door, /, text: str, as_json: bool, **fields: Any) -> None:
    """Remember something."""
    show(door.call("memory_add", text=text, **fields), as_json, _print_memory)


@memory.command("show")
@click.argument("id")
@json_option
@pass_door
def show_(door: Door, id: str, as_json: bool) -> None:
    """Show a memory with its importance taken apart and its citations."""
    show(door.call("memory_show", id=id), as_json, _print_memory)


def _print_memory(m: dict[str, Any]) -> None:
    click.echo(_line(m))
    for name, value in m["importance_parts"].items():
        click.echo(f"  {name}: {value:.2f}")
    for citation in m["citations"]:
        click.echo(f"  “{citation['quote']}”  {citation.get('title', '')}")


@memory.command("edit")
@click.argument("id")
@click.option("--text")
@click.option("--subject")
@click.option("--attribute")
@click.option("--value")
@json_option
@pass_door
def edit(door: Door, /, id: str, as_json: bool, **fields: Any) -> None:
    """Correct a memory; the former words stay in its history."""
    show(door.call("memory_edit", id=id, **fields), as_json, _print_memory)


@memory.command("search")
@click.argument("query", required=False)
@click.option("--batch", type=click.File(encoding="utf-8"), help="JSON lines {id, query}; prints JSON lines {id, hits}.")
@click.option("-k", type=click.IntRange(1, 500), default=10)
@click.option("--situation", type=click.Choice(["question", "reflection", "ambient"]), default="question")
@click.option("--as-of")
@json_option
@pass_door
def search(door: Door, query: str | None, batch: TextIO | None, k: int, situation: str, as_of: str | None, as_json: bool) -> None:
    """Search memories; every hit shows the parts of its score."""
    if batch is not None:
        for row in batch_rows(batch):
            hits = door.call("memory_search", query=row["query"], k=k, situation=situation, as_of=as_of)
            click.echo(json.dumps({"id": row["id"], "hits": hits}, ensure_ascii=False))
        return
    if not query:
        raise click.UsageError("Give a QUERY, or --batch FILE.")
    rows = door.call("memory_search", query=query, k=k, situation=situation, as_of=as_of)
    show(rows, as_json, lambda found: lines(found, _hit, "Nothing that is remembered fits."))


def _hit(h: dict[str, Any]) -> str:
    receipt = h["receipt"]
    parts = ", ".join(f"{name} {receipt[name]:.2f}" for name in ("recency", "importance", "relevance"))
    return f"{h['score']:.3f}  {h['text']}\n       {parts}"


def _act(name: str, tool: str, help_text: str, **fixed: Any) -> None:
    """Adds a command that does one thing to one memory."""

    @memory.command(name, help=help_text)
    @click.argument("id")
    @json_option
    @pass_door
    def act(door: Door, id: str, as_json: bool) -> None:
        show(door.call(tool, id=id, **fixed), as_json, _print_memory)


_act("pin", "memory_pin", "Keep a memory from ever fading.", pinned=True)
_act("unpin", "memory_pin", "Let a pinned memory fade again.", pinned=False)
_act("forget", "memory_forget", "Archive a memory; `restore` brings it back.")
_act("restore", "memory_restore", "Bring an archived memory back.")


@memory.command("history")
@click.argument("id", required=False)
@json_option
@pass_door
def history(door: Door, id: str | None, as_json: bool) -> None:
    """The changesets, or the versions of one memory."""
    if id:
        form = lambda v: f"{v['at'][:19]}  {v['action']}  {v['text']}"  # noqa: E731
        show(door.call("memory_history", id=id), as_json, lambda rows: lines(rows, form, "It was never changed."))
        return
    form = lambda c: f"{c['id']}  {c['at'][:19]}  {c['actor']}  {c['title']}{'' if c['status'] == 'applied' else '  (undone)'}"  # noqa: E731
    show(door.call("changeset_list"), as_json, lambda rows: lines(rows, form, "Nothing was changed yet."))


@memory.command("diff")
@click.argument("changeset")
@json_option
@pass_door
def diff(door: Door, changeset: str, as_json: bool) -> None:
    """What a changeset altered, before and after."""
    show(door.call("changeset_show", id=changeset), as_json, _print_changeset)


def _print_changeset(c: dict[str, Any]) -> None:
    click.echo(f"{c['id']}  {c['at'][:19]}  {c['actor']}  {c['title']}  ({c['status']})")
    for item in c["items"]:
        click.echo(f"{item['kind']} {item['ref']}")
        for mark, side in (("-", item["before"]), ("+", item["after"])):
            if side is not None:
                click.secho(f"  {mark} {side.get('text') or side.get('content') or ''}", fg=MARKS[mark])


@memory.command("undo")
@click.argument("changeset")
@json_option
@pass_door
def undo(door: Door, changeset: str, as_json: bool) -> None:
    """Undo one changeset, and nothing else."""
    show(door.call("changeset_undo", id=changeset), as_json, lambda c: click.echo(f"Undone by {c['id']}."))


@memory.command("contradictions")
@click.option("--status", type=click.Choice(["open", "ruled", "settled", "all"]), default="open")
@json_option
@pass_door
def contradictions(door: Door, status: str, as_json: bool) -> None:
    """Where sources differ about the same time."""
    rows = door.call("contradiction_list", status=status)
    show(rows, as_json, lambda found: each(found, _print_contradiction, "No contradiction waits for a ruling."))


def _print_contradiction(c: dict[str, Any]) -> None:
    click.echo(f"{c['id']}  {c['subject']}: {c['attribute']}  ({c['status']})")
    for side in c["sides"]:
        count = f"{side['witnesses']} source{'s' if side['witnesses'] != 1 else ''}"
        click.echo(f"  {side['memory_id']}  {side['value']}  ({count}{', ruled' if c['ruling'].get('keep') == side['memory_id'] else ''})")
        for quote in side["quotes"]:
            where = quote.get("title") or quote.get("url") or quote.get("source_id", "")
            click.echo(f"    “{quote['quote']}”  {where}  {quote.get('at', '')[:10]}")
        rests = ", ".join(f"{len(found)} {name}" for name, found in side["rests_on_it"].items() if found)
        if rests:
            click.echo(f"    rests on it: {rests}")


@memory.command("rule")
@click.argument("contradiction")
@click.argument("memory_id")
@click.option("--note", default="", help="Why.")
@json_option
@pass_door
def rule(door: Door, contradiction: str, memory_id: str, note: str, as_json: bool) -> None:
    """Rule which side of a contradiction holds; later evidence for another opens it again."""
    show(door.call("contradiction_rule", id=contradiction, keep=memory_id, note=note), as_json, _print_contradiction)


@memory.command("recheck")
@json_option
@pass_door
def recheck(door: Door, as_json: bool) -> None:
    """Reckon every known fact anew from its sources."""
    show(door.call("fact_recheck"), as_json, _print_rechecked)


def _print_rechecked(r: dict[str, Any]) -> None:
    click.echo(f"{r['new']} new facts, {len(r['retired'])} retired, {len(r['healed'])} hold again, {len(r['contradictions'])} disputed.")
    for one in r["retired"]:
        click.echo(f"  {one['text']}  ({one['reason']})")


@memory.command("consolidate")
@click.option("--preview", is_flag=True, help="Say what would be kept, and keep nothing.")
@json_option
@pass_door
def consolidate(door: Door, preview: bool, as_json: bool) -> None:
    """Turn what happened into episodes, facts and skills."""
    show(door.call("consolidate", preview=preview), as_json, _print_consolidated)


def _print_consolidated(r: dict[str, Any]) -> None:
    counts = ", ".join(f"{len(r[name]) if isinstance(r[name], list) else r[name]} {name}" for name in ("episodes", "facts", "skills"))
    click.echo(f"{r['processed']} events: {counts}.")
    if r.get("changeset_id"):
        click.echo(f"Changeset {r['changeset_id']}: `beacon memory diff` shows it, `beacon memory undo` takes it back.")


@click.group()
def profile() -> None:
    """The four profile documents: see, edit, compare, restore."""


@profile.command("show")
@click.argument("namespace", type=NAMESPACES, required=False)
@json_option
@pass_door
def profile_show(door: Door, namespace: str | None, as_json: bool) -> None:
    """Print one document, or all four."""
    found = door.call("load_all_memory")
    chosen = {namespace: found[namespace]} if namespace else found
    show(chosen, as_json, _print_documents)


def _print_documents(documents: dict[str, str]) -> None:
    for name, text in documents.items():
        click.secho(name, bold=True)
        click.echo(text.strip() + "\n")


@profile.command("edit")
@click.argument("namespace", type=NAMESPACES)
@click.option("--text", help="The new text.")
@click.option("--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A file with the new text.")
@click.option("--reason", default="")
@json_option
@pass_door
def profile_edit(door: Door, namespace: str, text: str | None, file: Path | None, reason: str, as_json: bool) -> None:
    """Replace a document; without --text or --file, in your editor."""
    content = file.read_text(encoding="utf-8") if file else text
    if content is None:
        content = click.edit(door.call("get_memory", namespace=namespace))
    if content is None:
        click.echo("Nothing was changed.", err=True)
        return
    show(door.call("write_memory", namespace=namespace, content=content, reason=reason), as_json, lambda _: click.echo("Saved."))


@profile.command("statements")
@click.argument("namespace", type=NAMESPACES)
@json_option
@pass_door
def profile_statements(door: Door, namespace: str, as_json: bool) -> None:
    """A document line by line: who brought each, when, why, and from which message or run."""
    form = lambda s: f"{s['text']}\n    {s['at'][:19]}  {s['changed_by']}  {s['trigger']}  {s['reason']}  {s['cause']}".rstrip()  # noqa: E731
    found = door.call("document_statements", namespace=namespace)
    show(found["statements"], as_json, lambda rows: lines(rows, form, "Nothing stands there yet."))


@profile.command("history")
@click.argument("namespace", type=NAMESPACES)
@json_option
@pass_door
def profile_history(door: Door, namespace: str, as_json: bool) -> None:
    """The versions of a document."""
    form = lambda v: f"{v['n']}  {v['at'][:19]}  {v['changed_by']}  {v['reason']}"  # noqa: E731
    show(door.call("profile_history", namespace=namespace), as_json, lambda rows: lines(rows, form, "No version yet."))


@profile.command("diff")
@click.argument("namespace", type=NAMESPACES)
@click.argument("v1", type=int)
@click.argument("v2", type=int)
@json_option
@pass_door
def profile_diff(door: Door, namespace: str, v1: int, v2: int, as_json: bool) -> None:
    """Compare two versions of a document."""
    show(door.call("profile_diff", namespace=namespace, v1=v1, v2=v2), as_json, _print_lines)


def _print_lines(d: dict[str, Any]) -> None:
    for line in d["lines"]:
        click.secho(f"{line['op']} {line['text']}", fg=MARKS.get(line["op"]))


@profile.command("restore")
@click.argument("namespace", type=NAMESPACES)
@click.argument("n", type=int)
@json_option
@pass_door
def profile_restore(door: Door, namespace: str, n: int, as_json: bool) -> None:
    """Make an old version the newest again."""
    show(door.call("profile_restore", namespace=namespace, n=n), as_json, lambda _: click.echo(f"Version {n} is current again."))
