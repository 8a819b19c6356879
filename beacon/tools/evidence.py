"""Tools for what customers' words are read from: previews of files, and who speaks in which voice."""

import base64
import binascii
from collections import Counter
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from beacon.domain.clock import parse_when
from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.domain.source import unpack_blocks
from beacon.errors import InputError, NotFoundError
from beacon.ingest.limits import ParseLimits
from beacon.ingest.rows import FIELDS, map_columns, parse_rows, read_table
from beacon.synthesis.evidence import Material, gather
from beacon.synthesis.materials import load_materials
from beacon.synthesis.rowcheck import row_fault
from beacon.synthesis.voices import read_speakers
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace

SHOWN_ROWS = 8
SHOWN_TEXT = 300  # characters of a row in a preview


class RowsPreview(Arguments):
    """A CSV or JSON Lines file, before it is read."""

    name: str = Field(min_length=1, max_length=255)
    data: str = Field(description="the file's bytes in base64")
    mapping: dict[str, str] = Field(default_factory=dict, description="field (id, text, title, date, participant, segment, url) → column")


class Upload(RowsPreview):
    """A file from the Insights page, and what holds for all of it."""

    kind: str = ""
    participant: str = ""
    segment: str = ""
    date: str | None = None
    role: Literal["source", "context"] = "source"
    voice: Literal["", "customer", "observer", "machine"] = ""


class SourceRefs(Arguments):
    """A source."""

    source_id: str


class SpeakerIn(BaseModel):
    """Who a speaker is."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=120)
    role: Literal["", "customer", "interviewer", "observer"] = ""
    participant: str = ""


class EvidenceMap(Arguments):
    """What a person says of sources: an empty text takes a value away, None leaves it."""

    source_ids: list[str] = Field(min_length=1)
    participant: str | None = None
    segment: str | None = None
    kind: str | None = None
    role: Literal["source", "context"] | None = None
    voice: Literal["", "customer", "observer", "machine"] | None = None
    speakers: list[SpeakerIn] = Field(default_factory=list)


@tool(RowsPreview)
def rows_preview(ws: Workspace, args: RowsPreview) -> dict[str, Any]:
    """What a file of rows would be read as: columns, mapping, the first rows, and rows that are repeated, empty or spam."""
    data = _bytes(args)
    limits = ParseLimits(max_bytes=ws.settings.ingest_max_bytes)
    table = read_table(data, name=args.name, limits=limits)
    reading = parse_rows(data, name=args.name, mapping=args.mapping, limits=limits)
    texts: Counter[str] = Counter()
    flagged: list[dict[str, Any]] = []
    for row in reading.rows:
        words = " ".join(row.document.text.split()).casefold()
        texts[words] += 1
        fault = row_fault(row.document.text) or ("repeats an earlier row" if texts[words] > 1 and len(words.split()) > 3 else "")
        if fault:
            flagged.append({"row": row.line, "reason": fault, "text": row.document.text[:SHOWN_TEXT]})
    return {
        "columns": list(table.columns),
        "fields": list(FIELDS),
        "mapping": map_columns(table.columns, args.mapping, args.name),
        "rows": len(reading.rows),
        "shown": [
            {
                "row": row.line,
                "text": row.document.text[:SHOWN_TEXT],
                "title": row.title,
                "participant": row.participant,
                "segment": row.segment,
                "date": row.date.date().isoformat() if row.date else "",
            }
            for row in reading.rows[:SHOWN_ROWS]
        ],
        "flagged": flagged,
        "problems": [{"row": p.row, "message": p.message, "refused": p.refused} for p in reading.problems],
    }


@tool(Upload, writes=True)
def ingest_upload(ws: Workspace, args: Upload) -> dict[str, Any]:
    """Keeps a file in the data folder and reads it with its mapping; the same name again is a newer version."""
    from beacon.ingest.manifest import FolderDefaults, read_path
    from beacon.ingest.pipeline import ingest_documents
    from beacon.synthesis.refresh import settle

    folder = ws.settings.home / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _file_name(args.name)
    path.write_bytes(_bytes(args))
    defaults = FolderDefaults(
        kind=args.kind,
        role=args.role,
        voice=args.voice,
        segment=args.segment,
        participant=args.participant,
        date=parse_when(args.date) if args.date else None,
        mapping=args.mapping,
        limits=ParseLimits(max_bytes=ws.settings.ingest_max_bytes),
    )
    reading = read_path(path, defaults=defaults)
    report = ingest_documents(ws, reading.documents, origin="upload")
    settle(ws)
    problems = [{"row": p.row, "message": p.message, "refused": p.refused} for p in reading.problems]
    return {"sources": len(report.source_ids), "new": len(report.new), "changed": len(report.changed), "problems": problems}


def _file_name(name: str) -> str:
    """The name as a file of the uploads folder: no path, no sign that means something to a shell or a disk."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(c if c.isalnum() or c in "._- " else "_" for c in last).strip(" .")
    if not kept:
        raise InputError(f"'{name}' cannot be a file's name: give it letters or digits.", file=name)
    return kept[-120:]


def _bytes(args: RowsPreview) -> bytes:
    try:
        return base64.b64decode(args.data, validate=True)
    except (binascii.Error, ValueError):
        raise InputError(f"The bytes of '{args.name}' are not base64.", file=args.name) from None


@tool(NoArguments)
def evidence_overview(ws: Workspace, args: NoArguments) -> dict[str, Any]:
    """What was read as customer evidence: documents by kind, whose words they are, and what is left out with the reason."""
    with ws.records.read() as tx:
        sources = [s for s in tx.sources.all(ws.project_id) if s.status == "current" and s.kind != "conversation"]
    found = gather(load_materials(ws, sources))
    counts = Counter((one.source_id, one.voice) for one in found.statements)
    left: dict[str, str] = {}
    for one in found.left_out:
        left.setdefault(one.source_id, one.reason)
    rows = [
        {
            "id": source.id,
            "title": source.title,
            "kind": source.kind,
            "participant": source.participant,
            "segment": source.segment,
            "role": source.role,
            "voice": source.voice,
            "row": source.metadata.get("row_id") is not None,
            "statements": {voice: counts[source.id, voice] for voice in ("customer", "observer", "unknown") if counts[source.id, voice]},
            "left_out": left.get(source.id, ""),
        }
        for source in sources
    ]
    listed = [
        {"source_id": one.source_id, "title": one.title, "reason": one.reason, "text": one.text[:SHOWN_TEXT]} for one in found.left_out
    ]
    return {"sources": rows, "left_out": listed, "statements": len(found.statements)}


@tool(SourceRefs)
def evidence_speakers(ws: Workspace, args: SourceRefs) -> list[dict[str, Any]]:
    """Who speaks in a source: turns, share of them that ask, and the role that is given or found."""
    with ws.records.read() as tx:
        source = tx.sources.get(args.source_id)
    if source.project_id != ws.project_id:
        raise NotFoundError(f"There is no source {args.source_id} in this project.", source_id=args.source_id)
    found = load_materials(ws, [source])
    return _speakers(found[0]) if found else []


def _speakers(material: Material) -> list[dict[str, Any]]:
    blocks = unpack_blocks(material.version.blocks)
    speakers = read_speakers(material.source, material.version.text, blocks, material.roles)
    turns: Counter[str] = Counter()
    asking: Counter[str] = Counter()
    for block in blocks:
        if block.kind == "turn" and block.speaker:
            turns[block.speaker] += 1
            asking[block.speaker] += material.version.text[block.start : block.end].rstrip().endswith(("?", "？", "؟"))
    return [
        {
            "name": name,
            "turns": n,
            "asks": round(asking[name] / n, 2),
            "role": material.roles.get(name) or ("interviewer" if name in speakers.asking else "customer"),
            "given": name in material.roles,
            "participant": material.people.get(name, ""),
        }
        for name, n in sorted(turns.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


@tool(EvidenceMap, writes=True)
def evidence_map(ws: Workspace, args: EvidenceMap) -> dict[str, Any]:
    """Says whose words sources are: participant, segment, kind, role, voice, and who each speaker is."""
    now = ws.clock()
    changes = {name: getattr(args, name) for name in ("participant", "segment", "kind", "role", "voice") if getattr(args, name) is not None}
    with ws.records.write() as tx:
        sources = tx.sources.all(ws.project_id, args.source_ids)
        if missing := set(args.source_ids) - {source.id for source in sources}:
            raise NotFoundError(f"There is no source {min(missing)} in this project.", source_id=min(missing))
        if changes:
            tx.sources.put_sources([replace(source, **changes) for source in sources])
        for source in sources:
            for speaker in args.speakers:
                tx.insights.put_speaker(source.id, speaker.name, speaker.role, speaker.participant)
        said = {**changes, "speakers": [speaker.model_dump() for speaker in args.speakers]}
        event_id = make_id("evt", ws.project_id, "evidence_mapped", args.source_ids, now)
        what = ", ".join([*changes, *(["speakers"] if args.speakers else [])])
        text = f"{len(sources)} source{'s' if len(sources) != 1 else ''} mapped: {what}."
        payload = {"source_ids": args.source_ids, **said}
        tx.events.append(Event(event_id, ws.project_id, "evidence_mapped", now, now, text, payload, ws.user_id, "insights"))
    return {"sources": len(sources), **said}
