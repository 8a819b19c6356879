"""Tools that take things out and bring them in: opportunities as Markdown or a table, and everything as JSON that can be read again."""

import csv
import io
import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from beacon.domain.clock import iso
from beacon.domain.event import SHARED_CHANNELS
from beacon.errors import InputError, NotFoundError
from beacon.tools.insights import InProject, current_insights
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace

FORMAT = "beacon/raw/1"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # what a spreadsheet takes for a formula's beginning
SCOPES = ("state", "sources", "insights", "decisions", "events")
Scope = Literal["all", "state", "sources", "insights", "decisions", "events"]
SHOWN_QUOTES = 5


class ExportOpportunities(InProject):
    """Which opportunities, and how."""

    opp_ids: list[str] = Field(default_factory=list, description="empty: all, best first")
    options: dict[str, Any] = Field(
        default_factory=dict, description="quotes: how many each (5); parts: whether scores are taken apart (true)"
    )


class ExportRaw(InProject):
    """What to take out."""

    scope: Scope = "all"
    options: dict[str, Any] = Field(default_factory=dict, description="texts: whether sources carry their texts (true)")


class ImportRaw(Arguments):
    """A file that export_raw_json made."""

    path: str


def safe_cell(value: object) -> str:
    """The value as a cell that no spreadsheet takes for a formula."""
    text = str(value)
    return f"'{text}" if text.lstrip(" \n").startswith(FORMULA) else text


def safe_markdown(text: object) -> str:
    """The text on one line, as text: nothing in it becomes a link, a heading, a table or a formula."""
    line = " ".join(str(text).split())
    for mark in ("\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "!", "~"):
        line = line.replace(mark, f"\\{mark}")
    return f"\\{line}" if line.startswith(("=", "+", "-", "@")) else line


@tool(ExportOpportunities)
def export_opportunities_markdown(ws: Workspace, args: ExportOpportunities) -> str:
    """The opportunities as Markdown: score with its parts, quotes for and against, each with its source."""
    chosen = _chosen(ws, args)
    quotes, parts = int(args.options.get("quotes", SHOWN_QUOTES)), bool(args.options.get("parts", True))
    lines = ["# Opportunities", ""]
    for one in chosen:
        lines += _opportunity(one, quotes, parts)
    if not chosen:
        lines.append("Nothing was synthesised yet.")
    return "\n".join(lines).rstrip() + "\n"


@tool(ExportOpportunities)
def export_opportunities_csv(ws: Workspace, args: ExportOpportunities) -> str:
    """The opportunities as a table for spreadsheets, in which nothing is a formula."""
    chosen = _chosen(ws, args)
    names = list(dict.fromkeys(part["name"] for one in chosen for part in one["parts"]))
    held = io.StringIO()
    table = csv.writer(held)
    table.writerow(["rank", "title", "score", *names, "people", "segments", "for", "against"])
    for one in chosen:
        points = {part["name"]: part["points"] for part in one["parts"]}
        said = [" / ".join(" ".join(q["quote"].split()) for q in one[side][:SHOWN_QUOTES]) for side in ("quotes", "contradicting")]
        cells = [
            one["rank"],
            one["title"],
            one["score"],
            *(points.get(name, "") for name in names),
            one["people"],
            "; ".join(one["segments"]),
            *said,
        ]
        table.writerow([safe_cell(cell) for cell in cells])
    return held.getvalue()


def _chosen(ws: Workspace, args: ExportOpportunities) -> list[dict[str, Any]]:
    if args.project_id is not None and args.project_id != ws.project_id:
        raise NotFoundError(f"The project {args.project_id} is not the one that is open.")
    with ws.records.read() as tx:
        found = {str(one["id"]): one for one in current_insights(tx, ws, "opportunity", "all" if args.opp_ids else "active")}
    if missing := next((key for key in args.opp_ids if key not in found), None):
        raise NotFoundError(f"There is no opportunity {missing} in this project.", opp_id=missing)
    return [found[key] for key in args.opp_ids] if args.opp_ids else list(found.values())


def _opportunity(one: dict[str, Any], quotes: int, parts: bool) -> list[str]:
    head = f"{one['rank']}. " if one["rank"] else ""
    lines = [f"## {head}{safe_markdown(one['title'])}", "", f"Score {one['score']:.2f}. {safe_markdown(one['summary'])}", ""]
    if parts:
        lines += ["| part | value | weight | points | reckoned from |", "|---|---|---|---|---|"]
        lines += [
            f"| {p['name']} | {p['value']:.2f} | {p['weight']:.2f} | {p['points']:.3f} | {safe_markdown(p['why'])} |" for p in one["parts"]
        ]
        lines.append("")
    for title, side in (("For", "quotes"), ("Against", "contradicting")):
        if one[side]:
            lines += [f"**{title}**", "", *(_quoted(quote) for quote in one[side][:quotes]), ""]
            if len(one[side]) > quotes:
                lines += [f"and {len(one[side]) - quotes} more.", ""]
    return lines


def _quoted(quote: dict[str, Any]) -> str:
    who = quote["participant"] or ("an observer's note" if quote["voice"] == "observer" else "speaker unknown")
    url = str(quote["url"])
    place = f"<{url}>" if url.startswith(("http://", "https://")) and not set(url) & set("<> \n") else ""
    said = (
        f"{safe_markdown(who)}, {safe_markdown(quote['title'])}, {str(quote['at'])[:10]}, {quote['start']}–{quote['end']} {place}".rstrip()
    )
    return f"- “{safe_markdown(quote['quote'])}” ({said})"


@tool(ExportRaw)
def export_raw_json(ws: Workspace, args: ExportRaw) -> dict[str, Any]:
    """The project as JSON, whole or by scope: state, sources, insights, decisions, events. `beacon import` reads it again."""
    if args.project_id is not None and args.project_id != ws.project_id:
        raise NotFoundError(f"The project {args.project_id} is not the one that is open.")
    wanted = SCOPES if args.scope == "all" else (args.scope,)
    with ws.records.read() as tx:
        project = tx.projects.get(ws.project_id)
    made: dict[str, Any] = {"format": FORMAT, "project": project["name"], "scope": args.scope, "exported_at": ws.clock().isoformat()}
    if "state" in wanted:
        made["state"] = dict(project["state"])
    if "sources" in wanted:
        made["sources"] = _sources(ws, texts=bool(args.options.get("texts", True)))
    if "insights" in wanted:
        made["insights"] = _insights(ws)
    if "decisions" in wanted:
        made["decisions"] = _decisions(ws)
    if "events" in wanted:
        made["events"] = _events(ws)
    return made


def _sources(ws: Workspace, *, texts: bool) -> list[dict[str, Any]]:
    found = []
    with ws.records.read() as tx:
        for source in sorted(tx.sources.all(ws.project_id), key=lambda s: s.key):
            versions = tx.sources.versions(source.id) if texts else []
            found.append(
                {
                    name: getattr(source, name)
                    for name in (
                        "key",
                        "url",
                        "title",
                        "kind",
                        "role",
                        "voice",
                        "participant",
                        "segment",
                        "series",
                        "derived_from",
                        "status",
                        "metadata",
                    )
                }
                | {
                    "versions": [_version(version) for version in versions],
                    "speakers": tx.insights.speakers([source.id]).get(source.id, {}),
                }
            )
    return found


def _version(version: Any) -> dict[str, Any]:
    kept = {
        name: getattr(version, name) for name in ("sha256", "text", "title", "media_type", "language", "blocks", "metadata", "withdrawn")
    }
    return kept | {name: iso(getattr(version, name)) for name in ("version_date", "published_at", "fetched_at")}


def _insights(ws: Workspace) -> dict[str, Any]:
    with ws.records.read() as tx:
        keys = {source.id: source.key for source in tx.sources.all(ws.project_id)}
        shas = {entry.id: "" for entry in tx.sources.version_index(ws.project_id)}
        heads = tx.sources.heads(sorted(keys))
        shas |= {head.id: head.sha256 for row in heads.values() for head in row}
        kinds = {kind: tx.insights.insights(kind, ws.project_id) for kind in ("theme", "opportunity")}
        last = tx.insights.syntheses(ws.project_id, "done", limit=1)
        report = dict(last[0].report) if last else {}
    rows = {
        kind: [
            {"id": one.id, "title": one.title, "own_title": one.own_title, "status": one.status, "merged_into": one.merged_into}
            | {"current": bool(last) and one.synthesis_id == last[0].id, "body": _portable(one.body, keys, shas)}
            for one in found
        ]
        for kind, found in kinds.items()
    }
    return {
        "themes": rows["theme"],
        "opportunities": rows["opportunity"],
        "base": report.get("base", {}),
        "segment": last[0].segment if last else "",
    }


def _portable(body: dict[str, Any], keys: dict[str, str], shas: dict[str, str]) -> dict[str, Any]:
    """The body with its quotes placed by key and hash instead of by ids of this data folder."""

    def placed(quote: dict[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in quote.items() if name not in ("chunk_id", "source_id", "version_id")}
        return kept | {"source_key": keys.get(quote["source_id"], ""), "sha256": shas.get(quote["version_id"], "")}

    return body | {side: [placed(quote) for quote in body.get(side, [])] for side in ("quotes", "contradicting")}


def _decisions(ws: Workspace) -> list[dict[str, Any]]:
    with ws.records.read() as tx:
        return [
            {
                "title": one.title,
                "reason": one.reason,
                "status": one.status,
                "decided_at": one.decided_at.isoformat(),
                "evidence": one.evidence,
            }
            for one in tx.insights.decisions(ws.project_id)
        ]


def _events(ws: Workspace) -> list[dict[str, Any]]:
    from beacon.tools.state import event_json

    found: list[dict[str, Any]] = []
    after = 0
    with ws.records.read() as tx:
        while rows := tx.events.all(ws.project_id, after_seq=after, user_id=ws.user_id, shared=SHARED_CHANNELS, limit=5000):
            found += [event_json(event) for event in rows]
            after = rows[-1].seq
    return found


@tool(ImportRaw, writes=True)
def import_raw(ws: Workspace, args: ImportRaw) -> dict[str, Any]:
    """Reads a file of export_raw_json into this project: sources with all their versions, state, themes, opportunities and decisions."""
    from beacon.synthesis.bring_in import bring_in

    path = Path(args.path).expanduser()
    try:
        size = path.stat().st_size
        if size > ws.settings.ingest_max_bytes * 20:
            raise InputError(
                f"{path} is larger than {ws.settings.ingest_max_bytes * 20:,} bytes: export it in parts, by scope.", path=str(path)
            )
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", path=str(path)) from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON: give a file that `beacon export raw` wrote.", path=str(path)) from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f"{path} is not an export of Beacon: give a file that `beacon export raw` wrote.", path=str(path))
    return bring_in(ws, value, str(path))
