"""Tools that bring material in and show it."""

import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from beacon.domain.clock import iso, parse_when
from beacon.domain.source import IncomingDocument, Source, Version, unpack_blocks
from beacon.errors import InputError, NotFoundError
from beacon.ingest.limits import ParseLimits
from beacon.ingest.manifest import FolderDefaults, read_path
from beacon.ingest.pipeline import IngestReport, ingest_documents
from beacon.ingest.rows import Problem
from beacon.projections import drain
from beacon.synthesis.refresh import settle
from beacon.tools.registry import Arguments, tool
from beacon.workspace import Workspace


class Ingest(Arguments):
    """Files or folders to read."""

    paths: list[str] = Field(min_length=1)
    kind: str = ""
    segment: str = ""
    date: str | None = None
    role: Literal["source", "context"] = "source"
    mapping: dict[str, str] | None = Field(
        default=None, description="for rows: field (id, text, title, date, participant, segment, url) → column"
    )


class IngestText(Arguments):
    """Pasted text."""

    title: str = Field(min_length=1, max_length=300)
    text: str = Field(min_length=1)
    kind: str = "note"
    segment: str = ""
    date: str | None = None


class IngestUrl(Arguments):
    """A page to fetch and read."""

    url: str


class SourceList(Arguments):
    """Which sources."""

    slug: str | None = None


class SourceRef(Arguments):
    """A source, and perhaps one of its versions."""

    id: str
    version: int | None = None


class SourceDiff(Arguments):
    """Two versions of a source."""

    id: str
    v1: int | None = None
    v2: int | None = None


class _Drainer:
    """Sends what was committed to the projections while the next documents are being read."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._pool = ThreadPoolExecutor(1, "drain")
        self._last: Future[int] | None = None

    def poke(self) -> None:
        """Start a drain unless one is under way."""
        if self._last is None or self._last.done():
            self._last = self._pool.submit(drain, self._ws)

    def finish(self) -> None:
        """Let everything that follows from the sources catch up; what cannot now stays in the outbox."""
        self._pool.shutdown(wait=True)
        settle(self._ws)


@tool(Ingest, writes=True)
def ingest_paths(ws: Workspace, args: Ingest) -> dict[str, Any]:
    """Reads files and folders (text, Markdown, HTML, JSON, JSON Lines, CSV, PDF, DOCX; a folder may carry manifest.jsonl)."""
    if args.kind == "conversation":
        return _ingest_conversations(ws, [Path(path) for path in args.paths])
    started = time.perf_counter()
    date = parse_when(args.date) if args.date else None
    defaults = FolderDefaults(
        kind=args.kind,
        segment=args.segment,
        date=date,
        role=args.role,
        mapping=args.mapping or {},
        limits=ParseLimits(max_bytes=ws.settings.ingest_max_bytes),
    )
    problems: list[Problem] = []
    readings = [read_path(Path(path).expanduser(), defaults=defaults) for path in args.paths]
    drainer = _Drainer(ws)
    try:
        reports = [ingest_documents(ws, reading.documents, origin="folder", after_batch=drainer.poke) for reading in readings]
    finally:
        drainer.finish()
    for reading in readings:
        problems.extend(reading.problems)
    return _report_json(reports, problems, time.perf_counter() - started)


def _total(reports: Iterable[IngestReport], name: str) -> int:
    return sum(len(getattr(report, name)) for report in reports)


def _report_json(reports: Iterable[IngestReport], problems: Iterable[Problem], seconds: float) -> dict[str, Any]:
    reports = list(reports)
    return {
        "sources": len({key for report in reports for key in report.source_ids}),
        "versions": _total(reports, "new") + _total(reports, "changed"),
        "new": _total(reports, "new"),
        "changed": _total(reports, "changed"),
        "unchanged": _total(reports, "same"),
        "withdrawn": _total(reports, "withdrawn"),
        "chunks": sum(report.chunks for report in reports),
        "problems": [{"file": p.file, "row": p.row, "message": p.message} for p in problems],
        "seconds": round(seconds, 3),
        "source_ids": [key for report in reports for key in report.source_ids],
    }


def _ingest_conversations(ws: Workspace, paths: list[Path]) -> dict[str, Any]:
    from beacon.ingest.conversations import ingest_conversation

    started = time.perf_counter()
    reports: list[IngestReport] = []
    problems: list[Problem] = []
    for path in paths:
        report, found = ingest_conversation(ws, path)
        reports.append(report)
        problems.extend(found)
    settle(ws)
    return _report_json(reports, problems, time.perf_counter() - started)


@tool(IngestText, writes=True)
def ingest_text(ws: Workspace, args: IngestText) -> dict[str, Any]:
    """Keeps a pasted text as a source."""
    from beacon.domain.ids import digest
    from beacon.ingest.parse import parse_bytes

    started = time.perf_counter()
    document = parse_bytes(args.text.encode(), name=f"{args.title}.md", media_type="text/markdown")
    date = parse_when(args.date) if args.date else None
    incoming = IncomingDocument(
        f"pasted:{digest(args.title)[:16]}", "", args.title, document, version_date=date, kind=args.kind, segment=args.segment
    )
    report = ingest_documents(ws, [incoming], origin="pasted")
    settle(ws)
    return _report_json([report], [], time.perf_counter() - started)


@tool(IngestUrl, writes=True)
def ingest_url(ws: Workspace, args: IngestUrl) -> dict[str, Any]:
    """Fetches a page through the address guard and keeps it as a source."""
    from beacon.ingest.pages import fetch_pages

    started = time.perf_counter()
    pages = fetch_pages(ws, [args.url])
    if pages.problems and not pages.documents:
        raise InputError(pages.problems[0].message, url=args.url)
    report = ingest_documents(ws, pages.documents, origin="page")
    settle(ws)
    return _report_json([report], pages.problems, time.perf_counter() - started)


@tool(SourceList)
def source_list(ws: Workspace, args: SourceList) -> list[dict[str, Any]]:
    """The sources of the project, or of one topic, by title."""
    with ws.records.read() as tx:
        ids = tx.topics.source_ids(tx.topics.get(ws.project_id, args.slug).id) if args.slug else None
        sources = tx.sources.all(ws.project_id, ids)
        facts = tx.sources.version_facts([s.id for s in sources])
    return [
        {**source_json(s), "versions": facts.get(s.id, (0, None))[0], "latest_date": iso(facts.get(s.id, (0, None))[1])} for s in sources
    ]


def source_json(source: Source) -> dict[str, Any]:
    """A source as tools print it."""
    return {
        "id": source.id,
        "url": source.url,
        "title": source.title,
        "kind": source.kind,
        "role": source.role,
        "voice": source.voice,
        "participant": source.participant,
        "segment": source.segment,
        "series": source.series,
        "derived_from": source.derived_from,
        "status": source.status,
        "metadata": source.metadata,
    }


def find_source(ws: Workspace, ref: str) -> tuple[Source, list[Version]]:
    """The project's source with this id or URL, and its versions. Raises NotFoundError; a URL of several sources is refused."""
    with ws.records.read() as tx:
        matches = tx.sources.find_by_url(ws.project_id, ref) if "://" in ref else [tx.sources.get(ref)]
        if not matches or matches[0].project_id != ws.project_id:
            raise NotFoundError(f"There is no source '{ref}' in this project: `beacon source list` shows what there is.")
        if len(matches) > 1:
            raise InputError(f"{len(matches)} sources have the address {ref}: name one of {', '.join(s.id for s in matches)}.")
        return matches[0], tx.sources.versions(matches[0].id)


@tool(SourceRef)
def source_show(ws: Workspace, args: SourceRef) -> dict[str, Any]:
    """A source with the text of one version (default: the newest that has text) and the list of its versions."""
    source, versions = find_source(ws, args.id)
    shown = _pick(versions, args.version, source)
    listed = [
        {
            "n": v.n,
            "id": v.id,
            "version_date": iso(v.version_date),
            "fetched_at": iso(v.fetched_at),
            "sha256": v.sha256,
            "withdrawn": v.withdrawn,
            "characters": len(v.text),
        }
        for v in versions
    ]
    return {
        **source_json(source),
        "n": shown.n,
        "version_id": shown.id,
        "version_date": iso(shown.version_date),
        "text": shown.text,
        "blocks": shown.blocks,
        "versions": listed,
    }


def _pick(versions: list[Version], n: int | None, source: Source) -> Version:
    found = [v for v in versions if (v.n == n if n is not None else bool(v.text))] or ([] if n is not None else versions)
    if not found:
        raise NotFoundError(f"The source '{source.title}' has no version {n}: it has {', '.join(str(v.n) for v in versions) or 'none'}.")
    return found[-1]


@tool(SourceDiff)
def source_diff(ws: Workspace, args: SourceDiff) -> dict[str, Any]:
    """What changed between two versions of a source (default: the last two), statement by statement and line by line."""
    import difflib

    from beacon.analyst.compare import compare_versions
    from beacon.analyst.statements import extract_statements

    source, versions = find_source(ws, args.id)
    if len(versions) < 2 and args.v1 is None:
        raise InputError(f"The source '{source.title}' has one version: there is nothing to compare yet.")
    new = _pick(versions, args.v2, source) if args.v2 else versions[-1]
    old = _pick(versions, args.v1, source) if args.v1 else versions[max(new.n - 2, 0)]
    statements = [extract_statements(v.text, unpack_blocks(v.blocks)) for v in (old, new)]
    changes = compare_versions(statements[0], statements[1], mode="version")
    lines = difflib.unified_diff(old.text.splitlines(), new.text.splitlines(), f"version {old.n}", f"version {new.n}", lineterm="")
    return {
        "source_id": source.id,
        "title": source.title,
        "old": {"n": old.n, "version_date": iso(old.version_date)},
        "new": {"n": new.n, "version_date": iso(new.version_date)},
        "lines": list(lines),
        "changes": [
            {
                "kind": c.kind,
                "old": c.old.text if c.old else None,
                "new": c.new.text if c.new else None,
                "materiality": c.materiality,
                "subject": c.subject,
                "attribute": c.attribute,
            }
            for c in changes
        ],
    }
