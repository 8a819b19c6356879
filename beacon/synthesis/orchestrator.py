"""The synthesis pipeline: create, themes, opportunities, done. What was finished before holds until the next one is whole."""

import os
import socket
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from beacon.domain.event import Event
from beacon.domain.evidence import check_quote
from beacon.domain.ids import make_id
from beacon.domain.insight import Insight, Synthesis
from beacon.errors import BeaconError, ConflictError, InputError, NotFoundError
from beacon.stores.records.store import Tx
from beacon.synthesis.decisions import reopen_decisions
from beacon.synthesis.evidence import Evidence
from beacon.synthesis.findings import Findings, build_opportunity, describe, find_all, merge_quotes
from beacon.synthesis.identity import is_shown, match_themes, opportunity_id, target_of
from beacon.synthesis.materials import load_evidence
from beacon.synthesis.scoring import Base, score_parts
from beacon.workspace import Workspace

OFFLINE = "offline"
STALE = timedelta(minutes=15)  # after which one that nobody finishes is given up
SHOWN_LEFT_OUT = 400  # documents and passages left out that a synthesis lists


def synthesize(
    ws: Workspace, *, segment: str = "", trigger: str = "user", source_ids: Collection[str] = (), without: Collection[str] = ()
) -> Synthesis:
    """The finished synthesis. Raises ConflictError while another is under way, InputError where there is nothing to read."""
    evidence = load_evidence(ws, segment=segment, source_ids=source_ids, without=without)
    if not evidence.statements:
        raise InputError(_nothing(evidence))
    started = create_synthesis(ws, trigger, list(evidence.sources), OFFLINE, segment=segment, without=sorted(without))
    try:
        with ws.records.read() as tx:
            state = dict(tx.projects.get(ws.project_id)["state"])
        findings = find_all(evidence, ws.embedder, state)
        ids = write_themes(ws, started.id, findings.themes)
        report = _report(evidence, findings)
        write_opportunities(ws, started.id, _persisted(ws, started.id, findings, ids), report=report)
    except BeaconError:
        stop_synthesis(ws, started.id)
        raise
    with ws.records.read() as tx:
        return tx.insights.get_synthesis(ws.project_id, started.id)


def _nothing(evidence: Evidence) -> str:
    if not evidence.left_out:
        return (
            "There is nothing to synthesise yet: read interviews, surveys or tickets first, with `beacon ingest` or on the Insights page."
        )
    reasons = sorted({one.reason for one in evidence.left_out})[:3]
    return f"None of what was read is customer evidence ({'; '.join(reasons)}): read interviews, surveys or tickets first."


def create_synthesis(
    ws: Workspace, trigger: str, source_ids: Sequence[str], model: str, *, segment: str = "", without: Sequence[str] = ()
) -> Synthesis:
    """A synthesis under way. Raises ConflictError while another one is."""
    now = ws.clock()
    with ws.records.write() as tx:
        for other in tx.insights.syntheses(ws.project_id, "open"):
            if _alive(other, now):
                raise ConflictError(
                    f"Synthesis {other.n} of this project is under way since {other.started_at:%H:%M} UTC: wait for it.", id=other.id
                )
            tx.insights.update_synthesis(other.id, status="stopped", finished_at=now)
        last = tx.insights.syntheses(ws.project_id, limit=1)
        n = last[0].n + 1 if last else 1
        options = {"pid": os.getpid(), "host": socket.gethostname(), "without": list(without)}
        started = Synthesis(
            make_id("syn", ws.project_id, n),
            ws.project_id,
            n,
            "open",
            now,
            trigger,
            model,
            segment,
            list(source_ids),
            options,
            {},
            ws.user_id,
        )
        if not tx.insights.add_synthesis(started):
            raise ConflictError("Another synthesis of this project has just begun: wait for it.")
    return started


def _alive(other: Synthesis, now: datetime) -> bool:
    """Whether somebody may still be working on it."""
    if now - other.started_at > STALE:
        return False
    if other.options.get("host") != socket.gethostname() or other.options.get("pid") == os.getpid():
        return True
    try:
        os.kill(int(other.options["pid"]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def stop_synthesis(ws: Workspace, synthesis_id: str) -> None:
    """Give up one that is under way; what it wrote is kept as its own and becomes nobody's themes."""
    with ws.records.write() as tx:
        if tx.insights.get_synthesis(ws.project_id, synthesis_id).status == "open":
            tx.insights.update_synthesis(synthesis_id, status="stopped", finished_at=ws.clock())


def _open(ws: Workspace, tx: Tx, synthesis_id: str) -> Synthesis:
    found = tx.insights.get_synthesis(ws.project_id, synthesis_id)
    if found.status != "open":
        raise ConflictError(f"Synthesis {found.n} is {found.status}: begin another with create_synthesis.", id=synthesis_id)
    return found


def write_themes(ws: Workspace, synthesis_id: str, themes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ids of the themes, in their order. Every quote must be the exact text at its place; a theme without one is refused."""
    with ws.records.write() as tx:
        _open(ws, tx, synthesis_id)
        check_quotes(ws, tx, [*(quote for theme in themes for quote in (*theme["quotes"], *theme.get("contradicting", ())))])
        before = tx.insights.insights("theme", ws.project_id)
        known = {one.id: one for one in before}
        ids = [target_of(key, known) for key in match_themes(ws.project_id, themes, before)]
        tx.insights.put_findings(synthesis_id, "theme", list(_joined(ids, themes).items()))
    return ids


def _joined(ids: Sequence[str], themes: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Themes that a person merged, as one."""
    bodies: dict[str, dict[str, Any]] = {}
    for key, theme in zip(ids, themes, strict=True):
        if key in bodies:
            quotes = merge_quotes([bodies[key]["quotes"], theme["quotes"]])
            against = merge_quotes([bodies[key].get("contradicting", []), theme.get("contradicting", [])])
            bodies[key] = bodies[key] | {"quotes": quotes, "contradicting": against} | describe(quotes, against)
        else:
            bodies[key] = {**theme}
    return bodies


def check_quotes(ws: Workspace, tx: Tx, quotes: Sequence[Mapping[str, Any]]) -> None:
    """Raise EvidenceError for a quote that is not the exact slice of this project's source, NotFoundError for a foreign one."""
    versions = tx.sources.versions_by_id(sorted({str(quote["version_id"]) for quote in quotes}))
    own = {source.id for source in tx.sources.all(ws.project_id, sorted({version.source_id for version in versions.values()}))}
    for quote in quotes:
        version = versions.get(str(quote["version_id"]))
        if version is None or version.source_id not in own:
            raise NotFoundError(f"There is no version {quote['version_id']} in this project.", version_id=str(quote["version_id"]))
        check_quote(version.text, int(quote["start"]), int(quote["end"]), str(quote["quote"]))


def _persisted(ws: Workspace, synthesis_id: str, findings: Findings, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The opportunities over the themes as they were written: merged ones as one, dismissed ones not at all."""
    with ws.records.read() as tx:
        bodies = {str(body["id"]): body for body in tx.insights.findings(synthesis_id, "theme")}
        known = {one.id: one for one in tx.insights.insights("theme", ws.project_id)}
    made: dict[tuple[str, ...], dict[str, Any]] = {}
    for opportunity in findings.opportunities:
        keys = tuple(dict.fromkeys(ids[n] for n in opportunity["themes"] if is_shown(known.get(ids[n]))))
        if keys and keys not in made and not any(set(keys) & set(other) for other in made):
            themes = [_named(bodies[key], known.get(key)) for key in keys]
            made[keys] = build_opportunity(range(len(keys)), themes, findings.base) | {"themes": list(keys)}
    return sorted(made.values(), key=lambda one: (-one["score"], one["title"]))


def _named(body: Mapping[str, Any], known: Insight | None) -> dict[str, Any]:
    return {**body, "title": known.own_title} if known is not None and known.own_title else dict(body)


def write_opportunities(
    ws: Workspace, synthesis_id: str, opportunities: Sequence[Mapping[str, Any]], *, report: Mapping[str, Any] | None = None
) -> list[str]:
    """The ids of the opportunities, in their order; the synthesis is then done, and its findings take the place of the last ones."""
    now = ws.clock()
    with ws.records.write() as tx:
        started = _open(ws, tx, synthesis_id)
        themes = {str(body["id"]): body for body in tx.insights.findings(synthesis_id, "theme")}
        for key in (key for one in opportunities for key in one["themes"]):
            if key not in themes:
                raise NotFoundError(f"The theme {key} is not one of this synthesis: write its themes first.", theme_id=key)
        check_quotes(ws, tx, [quote for one in opportunities for quote in (*one["quotes"], *one.get("contradicting", ()))])
        before = tx.insights.insights("opportunity", ws.project_id)
        ids = _opportunity_ids(ws.project_id, opportunities, before)
        tx.insights.put_findings(synthesis_id, "opportunity", [(key, {**one}) for key, one in zip(ids, opportunities, strict=True)])
        _publish(tx, ws, synthesis_id, "theme", themes, now)
        _publish(tx, ws, synthesis_id, "opportunity", {key: {**one} for key, one in zip(ids, opportunities, strict=True)}, now)
        tx.insights.update_synthesis(synthesis_id, status="done", finished_at=now, report=dict(report or started.report))
        tx.events.append(_completed(ws, started, len(themes), len(ids), now))
        reopen_decisions(ws, tx, now)
    return ids


def _opportunity_ids(project_id: str, opportunities: Sequence[Mapping[str, Any]], before: Sequence[Insight]) -> list[str]:
    ids: list[str] = []
    for one in opportunities:
        free = [old for old in before if old.id not in ids]
        key = opportunity_id(project_id, list(one["themes"]), free)
        ids.append(key if key not in ids else make_id("opp", project_id, list(one["themes"]), len(ids)))
    return ids


def _publish(tx: Tx, ws: Workspace, synthesis_id: str, kind: str, bodies: Mapping[str, Mapping[str, Any]], now: datetime) -> None:
    known = {one.id: one for one in tx.insights.insights(kind, ws.project_id)}
    rows = []
    for key, body in bodies.items():
        old = known.get(key) or Insight(key, ws.project_id, "", now, now)
        kept = {name: value for name, value in body.items() if name != "id"}
        rows.append(replace(old, title=str(body["title"]), synthesis_id=synthesis_id, body=kept, updated_at=now))
    tx.insights.put_insights(kind, rows)


def _completed(ws: Workspace, started: Synthesis, themes: int, opportunities: int, now: datetime) -> Event:
    return Event(
        make_id("evt", ws.project_id, "synthesis_completed", started.id), ws.project_id, "synthesis_completed", now, now,
        f"Synthesis {started.n} found {themes} themes and {opportunities} opportunities in {len(started.source_ids)} documents.",
        {"synthesis_id": started.id, "n": started.n, "themes": themes, "opportunities": opportunities, "segment": started.segment},
        ws.user_id, "insights",
    )  # fmt: skip


def _report(evidence: Evidence, findings: Findings) -> dict[str, Any]:
    left = [{"source_id": one.source_id, "title": one.title, "reason": one.reason, "text": one.text[:200]} for one in evidence.left_out]
    voices: dict[str, int] = {}
    for statement in evidence.statements:
        voices[statement.voice] = voices.get(statement.voice, 0) + 1
    return {
        "statements": len(evidence.statements),
        "people": len({one.person for one in evidence.statements if one.person}),
        "documents": len(evidence.sources),
        "voices": dict(sorted(voices.items())),
        "left_out": left[:SHOWN_LEFT_OUT],
        "left_out_count": len(left),
        "base": findings.base.as_json(),
    }


def base_of(synthesis: Synthesis) -> Base:
    """What the scores of a synthesis are measured against."""
    return Base(**synthesis.report["base"]) if synthesis.report.get("base") else Base(0, 0, 0)


def rescore(body: Mapping[str, Any], base: Base, without: Collection[str]) -> dict[str, Any]:
    """A theme or opportunity as it were without some documents or people."""

    def stays(quote: Mapping[str, Any]) -> bool:
        return not {
            str(quote["source_id"]),
            str(quote.get("person") or "-"),
            str(quote.get("participant") or "-"),
            str(quote.get("wave") or "-"),
        } & set(without)

    quotes = [quote for quote in body["quotes"] if stays(quote)]
    against = [quote for quote in body.get("contradicting", ()) if stays(quote)]
    score, parts = score_parts(quotes, against, base, body.get("fit"))
    return {**body, "quotes": quotes, "contradicting": against, "score": score if quotes else 0.0, "parts": parts} | describe(
        quotes, against
    )
