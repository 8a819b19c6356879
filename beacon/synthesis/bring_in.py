"""An export read back: checked as untrusted input, and placed by keys and hashes, never by the ids of another data folder."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from beacon.domain.clock import parse_when
from beacon.domain.event import Event
from beacon.domain.evidence import check_quote
from beacon.domain.ids import digest, make_id
from beacon.domain.insight import Decision, Insight, Synthesis
from beacon.domain.source import Document, IncomingDocument, Role, Voice, unpack_blocks
from beacon.errors import EvidenceError, InputError
from beacon.ingest.pipeline import ingest_documents
from beacon.stores.records.store import Tx
from beacon.synthesis.refresh import settle
from beacon.workspace import Workspace


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Version(_Strict):
    sha256: str
    text: str
    title: str = ""
    media_type: str = ""
    language: str = ""
    blocks: list[list[Any]] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
    withdrawn: bool = False
    version_date: str | None = None
    published_at: str | None = None
    fetched_at: str | None = None


class _Source(_Strict):
    key: str = Field(min_length=1)
    url: str = ""
    title: str = ""
    kind: str = ""
    role: Role = "source"
    voice: Voice = ""
    participant: str = ""
    segment: str = ""
    series: str = ""
    derived_from: str = ""
    status: Literal["current", "withdrawn", "removed"] = "current"
    metadata: dict[str, Any] = Field(default_factory=dict)
    versions: list[_Version] = Field(default_factory=list)
    speakers: dict[str, tuple[str, str]] = Field(default_factory=dict)


class _Insight(_Strict):
    id: str
    title: str
    own_title: str = ""
    status: Literal["active", "dismissed", "merged"] = "active"
    merged_into: str = ""
    current: bool = True
    body: dict[str, Any]


class _Insights(_Strict):
    themes: list[_Insight] = Field(default_factory=list)
    opportunities: list[_Insight] = Field(default_factory=list)
    base: dict[str, Any] = Field(default_factory=dict)
    segment: str = ""


class _Decision(_Strict):
    title: str = Field(min_length=1)
    reason: str = ""
    status: Literal["standing", "reopened", "closed"] = "standing"
    decided_at: str
    evidence: dict[str, Any] = Field(default_factory=dict)


class _Export(_Strict):
    format: str
    project: str = ""
    scope: str = ""
    exported_at: str = ""
    state: dict[str, Any] | None = None
    sources: list[_Source] = Field(default_factory=list)
    insights: _Insights | None = None
    decisions: list[_Decision] = Field(default_factory=list)
    events: list[dict[str, Any]] = Field(default_factory=list)


def bring_in(ws: Workspace, value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What was read in, by kind; events stay where they happened."""
    try:
        given = _Export.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{name} cannot be read: {where}: {first['msg']}.", path=name) from None
    report = ingest_documents(ws, _documents(given, name), origin="import")
    settle(ws)
    now = ws.clock()
    with ws.records.write() as tx:
        for source in given.sources:
            for speaker, (role, participant) in source.speakers.items():
                tx.insights.put_speaker(make_id("src", ws.project_id, source.key), speaker, role, participant)
        if given.state is not None:
            tx.projects.set_state(ws.project_id, {**tx.projects.get(ws.project_id)["state"], **given.state})
        renamed, dropped = _insights(ws, tx, given, now) if given.insights else ({}, 0)
        for decision in given.decisions:
            _decision(ws, tx, decision, renamed)
        counts = {
            "sources": len(report.source_ids),
            "versions": len(report.new) + len(report.changed),
            "unchanged": len(report.same),
            "themes": len(given.insights.themes) if given.insights else 0,
            "opportunities": len(given.insights.opportunities) if given.insights else 0,
            "decisions": len(given.decisions),
            "quotes_dropped": dropped,
        }
        text = f"{name.rsplit('/', 1)[-1]} was imported: {counts['sources']} sources, {counts['themes']} themes."
        tx.events.append(
            Event(
                make_id("evt", ws.project_id, "project_imported", now),
                ws.project_id,
                "project_imported",
                now,
                now,
                text,
                counts,
                ws.user_id,
                "import",
            )
        )
    return counts


def _documents(given: _Export, name: str) -> Iterator[IncomingDocument]:
    for source in given.sources:
        for version in source.versions:
            if not version.withdrawn and digest(version.text) != version.sha256:
                raise InputError(f"{name} cannot be read: a text of '{source.title}' does not match its hash.", path=name)
            yield _incoming(source, version, name)


def _incoming(source: _Source, version: _Version, name: str) -> IncomingDocument:
    try:
        blocks = unpack_blocks(version.blocks)
    except (IndexError, ValueError, TypeError):
        raise InputError(f"{name} cannot be read: the blocks of '{source.title}' are damaged.", path=name) from None
    if any(not 0 <= block.start <= block.end <= len(version.text) for block in blocks):
        raise InputError(f"{name} cannot be read: a block of '{source.title}' lies outside its text.", path=name)
    document = None if version.withdrawn else Document(version.text, version.title, version.media_type, blocks, language=version.language)
    described = source.model_dump(
        include={"key", "url", "kind", "role", "voice", "participant", "segment", "series", "derived_from", "metadata"}
    )
    if not described["url"].startswith(("http://", "https://", "")):
        described["url"] = ""
    return IncomingDocument(
        **described,
        title=version.title or source.title,
        document=document,
        version_date=_when(version.version_date or version.published_at or version.fetched_at),
        published_at=_when(version.published_at),
        withdrawn=version.withdrawn,
    )


def _when(text: str | None) -> datetime | None:
    return parse_when(text) if text else None


def _insights(ws: Workspace, tx: Tx, given: _Export, now: datetime) -> tuple[dict[str, str], int]:
    """(id there → id here, quotes whose source is not here)."""
    assert given.insights is not None
    last = tx.insights.syntheses(ws.project_id, limit=1)
    n = last[0].n + 1 if last else 1
    synthesis = Synthesis(
        make_id("syn", ws.project_id, n),
        ws.project_id,
        n,
        "done",
        now,
        "import",
        "",
        given.insights.segment,
        finished_at=now,
        report={"base": given.insights.base},
        user_id=ws.user_id,
    )
    tx.insights.add_synthesis(synthesis)
    sides = {"theme": given.insights.themes, "opportunity": given.insights.opportunities}
    renamed = {
        one.id: make_id("thm" if kind == "theme" else "opp", ws.project_id, one.id) for kind, found in sides.items() for one in found
    }
    dropped = 0
    for kind, found in sides.items():
        rows, bodies = [], []
        for one in found:
            body, lost = _placed(ws, tx, one.body, renamed)
            dropped += lost
            row = Insight(
                renamed[one.id],
                ws.project_id,
                one.title,
                now,
                now,
                one.own_title,
                one.status,
                renamed.get(one.merged_into, ""),
                synthesis.id,
                body,
            )
            rows.append(row)
            if one.current and body["quotes"]:
                bodies.append((row.id, body))
        tx.insights.put_insights(kind, rows)
        tx.insights.put_findings(synthesis.id, kind, bodies)
    return renamed, dropped


def _placed(ws: Workspace, tx: Tx, body: Mapping[str, Any], renamed: Mapping[str, str]) -> tuple[dict[str, Any], int]:
    """The body with its quotes at their places here. Raises EvidenceError for a quote that is not the exact text there."""
    lost = 0
    placed: dict[str, Any] = {**body}
    if "themes" in body:
        placed["themes"] = [renamed[key] for key in body["themes"] if key in renamed]
    for side in ("quotes", "contradicting"):
        placed[side] = []
        for quote in body.get(side, []):
            here = _place(ws, tx, quote)
            lost += here is None
            placed[side] += [here] if here else []
    return placed, lost


def _place(ws: Workspace, tx: Tx, quote: Mapping[str, Any]) -> dict[str, Any] | None:
    source_id = make_id("src", ws.project_id, str(quote.get("source_key", "")))
    version = next((v for v in tx.sources.heads([source_id]).get(source_id, []) if v.sha256 == quote.get("sha256")), None)
    if version is None:
        return None
    start, end = int(quote["start"]), int(quote["end"])
    check_quote(tx.sources.version(version.id).text, start, end, str(quote["quote"]))
    chunk = next((c for c in tx.sources.chunks(version.id) if c.start <= start and end <= c.end), None)
    if chunk is None:
        raise EvidenceError("The quote lies in no passage of its source.", quote=str(quote["quote"])[:80])
    kept = {name: value for name, value in quote.items() if name not in ("source_key", "sha256")}
    return kept | {"chunk_id": chunk.id, "source_id": source_id, "version_id": version.id}


def _decision(ws: Workspace, tx: Tx, given: _Decision, renamed: Mapping[str, str]) -> None:
    at = parse_when(given.decided_at)
    event_id = make_id("evt", ws.project_id, "decision_made", given.title, at)
    text = f"Decided: {given.title}" + (f". Because: {given.reason}" if given.reason else "")
    tx.events.append(Event(event_id, ws.project_id, "decision_made", at, ws.clock(), text, {"imported": True}, ws.user_id, "import"))
    evidence = {
        "themes": [renamed[key] for key in given.evidence.get("themes", []) if key in renamed],
        "opportunities": [renamed[key] for key in given.evidence.get("opportunities", []) if key in renamed],
        "rests_on": {renamed[key]: part for key, part in dict(given.evidence.get("rests_on", {})).items() if key in renamed},
    }
    tx.insights.add_decision(
        Decision(
            make_id("dec", event_id),
            ws.project_id,
            event_id,
            given.title,
            at,
            ws.clock(),
            given.reason,
            given.status,
            evidence,
            {},
            ws.user_id,
        )
    )
