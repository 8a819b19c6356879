"""Tools for customer evidence: synthesis, themes and opportunities."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from beacon.domain.insight import ACTIVE, DISMISSED, MERGED, Insight, Synthesis
from beacon.errors import EvidenceError, InputError, NotFoundError
from beacon.stores.records.store import Tx
from beacon.synthesis import compare, orchestrator
from beacon.synthesis.findings import describe
from beacon.synthesis.identity import is_shown, target_of
from beacon.synthesis.scoring import Base, people_of, score_parts
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace

PRINTED = (
    "chunk_id",
    "source_id",
    "version_id",
    "quote",
    "url",
    "title",
    "start",
    "end",
    "voice",
    "participant",
    "segment",
    "at",
    "tone",
    "wave",
)


class Synthesize(Arguments):
    """What to synthesise."""

    segment: str = ""
    source_ids: list[str] = Field(default_factory=list, description="only these sources; empty: all")
    without: list[str] = Field(default_factory=list, description="sources to leave out")
    trigger: str = "user"


class InProject(Arguments):
    """Base of tools that name their project, as requirement 001 has it."""

    project_id: str | None = None


class CreateSynthesis(InProject):
    """A synthesis to be written."""

    trigger_type: str = "user"
    source_ids: list[str] = Field(default_factory=list)
    model_used: str = ""


class QuoteIn(BaseModel):
    """A quote as a caller gives it: the exact words of a chunk."""

    model_config = ConfigDict(extra="forbid")

    chunk_id: str
    quote: str = Field(min_length=1)


class ThemeIn(BaseModel):
    """A theme as a caller gives it."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=300)
    summary: str = ""
    quotes: list[QuoteIn] = Field(min_length=1)
    contradicting: list[QuoteIn] = Field(default_factory=list)


class WriteThemes(InProject):
    """Themes of a synthesis under way."""

    synthesis_id: str
    themes: list[ThemeIn] = Field(min_length=1)


class OpportunityIn(BaseModel):
    """An opportunity as a caller gives it, best first."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=300)
    theme_ids: list[str] = Field(min_length=1)
    quotes: list[QuoteIn] = Field(default_factory=list, description="empty: those of its themes")
    contradicting: list[QuoteIn] = Field(default_factory=list)
    reasoning: str = ""


class WriteOpportunities(InProject):
    """Opportunities of a synthesis under way; they complete it."""

    synthesis_id: str
    opportunities: list[OpportunityIn] = Field(default_factory=list)


class InsightPatch(BaseModel):
    """What a person changes: null takes the own name back."""

    model_config = ConfigDict(extra="forbid")

    title: str | None = Field(default=None, max_length=300)
    status: Literal["active", "dismissed"] | None = None
    merged_into: str | None = None


class UpdateTheme(Arguments):
    """A theme and what to change."""

    theme_id: str
    patch: InsightPatch


class UpdateOpportunity(Arguments):
    """An opportunity and what to change."""

    opp_id: str
    patch: InsightPatch


class InsightList(Arguments):
    """Which themes or opportunities."""

    status: Literal["active", "dismissed", "merged", "all"] = "active"
    synthesis_id: str | None = Field(default=None, description="as one synthesis found them; default: the last whole one")


class WhatIf(Arguments):
    """Whom to leave out: source ids, participants or waves."""

    without: list[str] = Field(min_length=1)


class CompareSyntheses(Arguments):
    """Two syntheses by id or number; default: the last two."""

    old: str | None = None
    new: str | None = None


class CompareWaves(Arguments):
    """Two surveys, studies or interviews by the name that wave_list gives."""

    old: str
    new: str


@tool(Synthesize, writes=True)
def synthesize(ws: Workspace, args: Synthesize) -> dict[str, Any]:
    """Works out themes and ranked opportunities from what customers said, each with exact quotes."""
    done = orchestrator.synthesize(ws, segment=args.segment, trigger=args.trigger, source_ids=args.source_ids, without=args.without)
    with ws.records.read() as tx:
        themes, opportunities = current_insights(tx, ws, "theme"), current_insights(tx, ws, "opportunity")
    return {"synthesis": synthesis_json(done), "themes": themes, "opportunities": opportunities}


@tool(CreateSynthesis, writes=True)
def create_synthesis(ws: Workspace, args: CreateSynthesis) -> dict[str, str]:
    """Begins a synthesis that write_themes and write_opportunities fill; returns its id."""
    _own_project(ws, args.project_id)
    started = orchestrator.create_synthesis(ws, args.trigger_type, args.source_ids, args.model_used)
    return {"synthesis_id": started.id}


@tool(WriteThemes, writes=True)
def write_themes(ws: Workspace, args: WriteThemes) -> list[str]:
    """Stores the themes of a synthesis, each with quotes that are exact words of chunks, and returns their ids."""
    _own_project(ws, args.project_id)
    with ws.records.read() as tx:
        bodies = [_theme_body(ws, tx, theme) for theme in args.themes]
    return orchestrator.write_themes(ws, args.synthesis_id, bodies)


@tool(WriteOpportunities, writes=True)
def write_opportunities(ws: Workspace, args: WriteOpportunities) -> list[str]:
    """Stores the opportunities of a synthesis, which is then done, and returns their ids."""
    _own_project(ws, args.project_id)
    with ws.records.read() as tx:
        themes = {str(body["id"]): body for body in tx.insights.findings(args.synthesis_id, "theme")}
        bodies = [_opportunity_body(ws, tx, one, themes) for one in args.opportunities]
    return orchestrator.write_opportunities(ws, args.synthesis_id, bodies)


@tool(UpdateTheme, writes=True)
def update_theme(ws: Workspace, args: UpdateTheme) -> dict[str, Any]:
    """Renames, dismisses, restores or merges a theme; the next synthesis keeps to it."""
    return _update(ws, "theme", args.theme_id, args.patch)


@tool(UpdateOpportunity, writes=True)
def update_opportunity(ws: Workspace, args: UpdateOpportunity) -> dict[str, Any]:
    """Renames, dismisses, restores or merges an opportunity; the next synthesis keeps to it."""
    return _update(ws, "opportunity", args.opp_id, args.patch)


@tool(InsightList)
def theme_list(ws: Workspace, args: InsightList) -> list[dict[str, Any]]:
    """The themes of the last synthesis, most people first, with their quotes."""
    with ws.records.read() as tx:
        return current_insights(tx, ws, "theme", args.status, args.synthesis_id)


@tool(InsightList)
def opportunity_list(ws: Workspace, args: InsightList) -> list[dict[str, Any]]:
    """The opportunities of the last synthesis, best first, each score with its parts."""
    with ws.records.read() as tx:
        return current_insights(tx, ws, "opportunity", args.status, args.synthesis_id)


@tool(NoArguments)
def synthesis_list(ws: Workspace, args: NoArguments) -> list[dict[str, Any]]:
    """The syntheses of the project, newest first."""
    with ws.records.read() as tx:
        return [synthesis_json(one) for one in tx.insights.syntheses(ws.project_id)]


@tool(WhatIf)
def synthesis_what_if(ws: Workspace, args: WhatIf) -> dict[str, Any]:
    """How themes and opportunities would stand without some interviews or people; nothing is changed."""
    with ws.records.read() as tx:
        last = _find_synthesis(tx, ws, None)
        base = orchestrator.base_of(last)
        now = {kind: _findings(tx, ws, last, kind) for kind in ("theme", "opportunity")}
    shifted = {kind: _reordered(kind, [orchestrator.rescore(body, base, args.without) for body in bodies]) for kind, bodies in now.items()}
    return {
        "without": args.without,
        "themes": compare.compare_findings(now["theme"], [one for one in shifted["theme"] if one["quotes"]]),
        "opportunities": compare.compare_findings(now["opportunity"], [one for one in shifted["opportunity"] if one["quotes"]]),
    }


@tool(CompareSyntheses)
def synthesis_compare(ws: Workspace, args: CompareSyntheses) -> dict[str, Any]:
    """What came, went and shifted between two syntheses."""
    with ws.records.read() as tx:
        new = _find_synthesis(tx, ws, args.new)
        old = _find_synthesis(tx, ws, args.old) if args.old else _before(tx, ws, new)
        sides = {kind: [_findings(tx, ws, one, kind) for one in (old, new)] for kind in ("theme", "opportunity")}
    return {
        "old": synthesis_json(old),
        "new": synthesis_json(new),
        "themes": compare.compare_findings(*sides["theme"]),
        "opportunities": compare.compare_findings(*sides["opportunity"]),
    }


@tool(NoArguments)
def wave_list(ws: Workspace, args: NoArguments) -> list[dict[str, Any]]:
    """The surveys, studies and interviews behind the last synthesis, oldest first."""
    with ws.records.read() as tx:
        return compare.list_waves(_findings(tx, ws, _find_synthesis(tx, ws, None), "theme"))


@tool(CompareWaves)
def wave_compare(ws: Workspace, args: CompareWaves) -> list[dict[str, Any]]:
    """Each theme's people in two surveys or studies, and their share of all who answered; the greatest shifts first."""
    with ws.records.read() as tx:
        themes = _findings(tx, ws, _find_synthesis(tx, ws, None), "theme")
    known = {row["wave"] for row in compare.list_waves(themes)}
    if missing := next((name for name in (args.old, args.new) if name not in known), None):
        raise NotFoundError(f"No theme rests on '{missing}': wave_list names what there is.", wave=missing)
    return compare.compare_waves(themes, args.old, args.new)


def _own_project(ws: Workspace, project_id: str | None) -> None:
    if project_id is not None and project_id != ws.project_id:
        raise NotFoundError(f"The project {project_id} is not the one that is open.", project_id=project_id)


def _theme_body(ws: Workspace, tx: Tx, theme: ThemeIn) -> dict[str, Any]:
    quotes, against = _quotes(ws, tx, theme.quotes), _quotes(ws, tx, theme.contradicting)
    counted = describe(quotes, against)
    score, parts = score_parts(quotes, against, Base(len(people_of(quotes)), 0, 0))
    return {
        "title": theme.title,
        "about": [],
        "tone": "need",
        "quotes": quotes,
        "contradicting": against,
        "fit": None,
        "score": score,
        "parts": parts,
    } | (counted | ({"summary": theme.summary} if theme.summary else {}))


def _opportunity_body(ws: Workspace, tx: Tx, given: OpportunityIn, themes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    own = [themes[key] for key in given.theme_ids if key in themes]
    if len(own) < len(given.theme_ids):
        raise NotFoundError("An opportunity names a theme that is not one of this synthesis: write its themes first.")
    quotes = _quotes(ws, tx, given.quotes) if given.quotes else compare_merge([theme["quotes"] for theme in own])
    against = _quotes(ws, tx, given.contradicting) if given.contradicting else compare_merge([theme["contradicting"] for theme in own])
    base = Base(max(len(people_of(theme["quotes"])) for theme in themes.values()), 0, 0)
    score, parts = score_parts(quotes, against, base)
    body = {
        "title": given.title,
        "themes": given.theme_ids,
        "quotes": quotes,
        "contradicting": against,
        "fit": None,
        "score": score,
        "parts": parts,
    }
    return body | describe(quotes, against) | ({"reasoning": given.reasoning} if given.reasoning else {})


def compare_merge(lists: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The quotes of several themes, each once."""
    from beacon.synthesis.findings import merge_quotes

    return merge_quotes(lists)


def _quotes(ws: Workspace, tx: Tx, given: Sequence[QuoteIn]) -> list[dict[str, Any]]:
    """Quotes with their places. Raises EvidenceError where the words are not those of the chunk."""
    chunks = tx.sources.chunks_by_id([one.chunk_id for one in given])
    found = []
    for one in given:
        chunk = chunks.get(one.chunk_id)
        if chunk is None or chunk.project_id != ws.project_id:
            raise NotFoundError(f"There is no chunk {one.chunk_id} in this project.", chunk_id=one.chunk_id)
        at = chunk.text.find(one.quote)
        if at < 0:
            raise EvidenceError(f"The quote “{one.quote[:80]}” is not in chunk {one.chunk_id}, to the letter.", chunk_id=one.chunk_id)
        found.append(_quote_body(tx, chunk, at, one.quote))
    return found


def _quote_body(tx: Tx, chunk: Any, at: int, quote: str) -> dict[str, Any]:
    from beacon.synthesis.evidence import Statement, wave_of
    from beacon.synthesis.findings import quote_json
    from beacon.synthesis.tone import severity_of, tone_of

    source, version = tx.sources.get(chunk.source_id), tx.sources.version(chunk.version_id)
    tone = tone_of(quote)
    who = source.participant or chunk.speaker
    voice = source.voice or ("customer" if who or source.metadata.get("row_id") is not None else "observer")
    start = chunk.start + at
    said = Statement(
        id=f"{version.id}:{start}",
        text=quote,
        source_id=source.id,
        version_id=version.id,
        chunk_id=chunk.id,
        start=start,
        end=start + len(quote),
        voice=voice,
        participant=who,
        person=f"{source.id}:{who}" if who else "",
        segment=source.segment,
        at=version.dated,
        tone=tone,
        severity=severity_of(quote, tone),
        url=source.url,
        title=version.title or source.title,
        wave=wave_of(source),
    )
    return quote_json(said)


def _update(ws: Workspace, kind: str, key: str, patch: InsightPatch) -> dict[str, Any]:
    from dataclasses import replace

    from beacon.domain.event import Event
    from beacon.domain.ids import make_id

    now = ws.clock()
    with ws.records.write() as tx:
        one = tx.insights.get_insight(kind, ws.project_id, key)
        changed = replace(one, **_changes(tx, ws, kind, one, patch), updated_at=now)
        tx.insights.put_insights(kind, [changed])
        what = "renamed" if "title" in patch.model_fields_set else changed.status if changed.status != ACTIVE else "restored"
        text = f"The {kind} “{one.name}” was {what}" + (f" to “{changed.name}”." if what == "renamed" else ".")
        payload = {"id": key, "before": _own(one), "after": _own(changed)}
        event = Event(
            make_id("evt", ws.project_id, f"{kind}_updated", key, now),
            ws.project_id,
            f"{kind}_updated",
            now,
            now,
            text,
            payload,
            ws.user_id,
            "insights",
        )
        tx.events.append(event)
    return {"id": key, "name": changed.name, **_own(changed)}


def _own(one: Insight) -> dict[str, Any]:
    return {"own_title": one.own_title, "status": one.status, "merged_into": one.merged_into}


def _changes(tx: Tx, ws: Workspace, kind: str, one: Insight, patch: InsightPatch) -> dict[str, Any]:
    given = patch.model_fields_set
    if not given:
        raise InputError("The patch is empty: give title, status or merged_into.")
    changes: dict[str, Any] = {}
    if "title" in given:
        changes["own_title"] = (patch.title or "").strip()
    if "status" in given and patch.status:
        changes |= {"status": patch.status, "merged_into": ""}
    if "merged_into" in given:
        into = patch.merged_into or ""
        if into:
            known = {other.id: other for other in tx.insights.insights(kind, ws.project_id)}
            into = target_of(tx.insights.get_insight(kind, ws.project_id, into).id, known)
            if into == one.id:
                raise InputError(f"A {kind} cannot be merged into itself.")
        changes |= {"merged_into": into, "status": MERGED if into else ACTIVE}
    return changes


def _find_synthesis(tx: Tx, ws: Workspace, ref: str | None) -> Synthesis:
    done = tx.insights.syntheses(ws.project_id, "done")
    if ref is None:
        if not done:
            raise NotFoundError("Nothing was synthesised yet: run `beacon synthesize` or press Synthesise on the Insights page.")
        return done[0]
    by_number = next((one for one in done if str(one.n) == ref.lstrip("#")), None)
    return by_number or tx.insights.get_synthesis(ws.project_id, ref)


def _before(tx: Tx, ws: Workspace, new: Synthesis) -> Synthesis:
    older = [one for one in tx.insights.syntheses(ws.project_id, "done") if one.n < new.n]
    if not older:
        raise InputError("There is one synthesis so far: synthesise again after reading more, and compare then.")
    return older[0]


def _findings(tx: Tx, ws: Workspace, synthesis: Synthesis, kind: str) -> list[dict[str, Any]]:
    """What a synthesis found under the names and merges of today, without what was dismissed."""
    known = {one.id: one for one in tx.insights.insights(kind, ws.project_id)}
    bodies: dict[str, dict[str, Any]] = {}
    for body in tx.insights.findings(synthesis.id, kind):
        key = target_of(str(body["id"]), known)
        one = known.get(key)
        if not is_shown(one):
            continue
        named = {**body, "id": key, "title": one.name if one else body["title"]}
        bodies[key] = _merged(bodies[key], named, orchestrator.base_of(synthesis)) if key in bodies else named
    return _reordered(kind, list(bodies.values()))


def _merged(into: dict[str, Any], other: dict[str, Any], base: Base) -> dict[str, Any]:
    quotes = compare_merge([into["quotes"], other["quotes"]])
    against = compare_merge([into.get("contradicting", []), other.get("contradicting", [])])
    score, parts = score_parts(quotes, against, base, into.get("fit"))
    themes = {"themes": list(dict.fromkeys([*into["themes"], *other["themes"]]))} if "themes" in into else {}
    return into | {"quotes": quotes, "contradicting": against, "score": score, "parts": parts} | themes | describe(quotes, against)


def _reordered(kind: str, bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if kind == "opportunity":
        return sorted(bodies, key=lambda one: (-one["score"], one["id"]))
    return sorted(bodies, key=lambda one: (one.get("tone") == "praise", -len(people_of(one["quotes"])), -one["score"], one["id"]))


def current_insights(tx: Tx, ws: Workspace, kind: str, status: str = ACTIVE, synthesis_id: str | None = None) -> list[dict[str, Any]]:
    """The themes or opportunities as they are printed."""
    done = tx.insights.syntheses(ws.project_id, "done", limit=1)
    if not done and synthesis_id is None:
        return []
    known = {one.id: one for one in tx.insights.insights(kind, ws.project_id)}
    shown: list[dict[str, Any]] = []
    if status in (ACTIVE, "all"):
        bodies = _findings(tx, ws, _find_synthesis(tx, ws, synthesis_id), kind)
        live = _shown_themes(tx, ws) if kind == "opportunity" else None
        bodies = [one for one in bodies if live is None or any(key in live for key in one["themes"])]
        shown += [_printed(kind, n, body, known.get(str(body["id"]))) for n, body in enumerate(bodies, 1)]
    aside = [one for one in known.values() if one.status in (DISMISSED, MERGED) and status in (one.status, "all")]
    return shown + [_printed(kind, 0, {**one.body, "id": one.id, "title": one.name}, one) for one in aside if one.body]


def find_insight(ws: Workspace, key: str) -> dict[str, Any] | None:
    """A theme or opportunity as an artifact with the quotes it cites, or None for another kind of id."""
    kind = {"thm": "theme", "opp": "opportunity"}.get(key.split("_", 1)[0])
    if kind is None:
        return None
    with ws.records.read() as tx:
        one = tx.insights.get_insight(kind, ws.project_id, key)
        shown = next((body for body in current_insights(tx, ws, kind) if body["id"] == key), None)
    shown = shown or _printed(kind, 0, {**one.body, "id": one.id, "title": one.name}, one)
    cited = [*shown["quotes"], *shown["contradicting"]]
    return {"artifact": {name: value for name, value in shown.items() if name not in ("quotes", "contradicting")}, "citations": cited}


def _shown_themes(tx: Tx, ws: Workspace) -> set[str]:
    """Themes that nobody dismissed: an opportunity over dismissed ones alone is none."""
    themes = tx.insights.insights("theme", ws.project_id)
    known = {one.id: one for one in themes}
    return {one.id for one in themes if is_shown(known.get(target_of(one.id, known)))}


def _printed(kind: str, rank: int, body: Mapping[str, Any], one: Insight | None) -> dict[str, Any]:
    shown = {
        "id": body["id"],
        "rank": rank,
        "title": body["title"],
        "found_title": one.title if one else body["title"],
        "status": one.status if one else ACTIVE,
        "merged_into": one.merged_into if one else "",
        "summary": body.get("summary", ""),
        "participants": body.get("participants", []),
        "people": body.get("people", 0),
        "documents": body.get("documents", 0),
        "segments": body.get("segments", []),
        "score": body.get("score", 0.0),
        "parts": body.get("parts", []),
        "quotes": [quote_printed(quote) for quote in body["quotes"]],
        "contradicting": [quote_printed(quote) for quote in body.get("contradicting", [])],
    }
    return shown | (
        {"themes": list(body["themes"])} if kind == "opportunity" else {"tone": body.get("tone", "need"), "about": body.get("about", [])}
    )


def quote_printed(quote: Mapping[str, Any]) -> dict[str, Any]:
    """A quote as tools print it."""
    return {name: quote.get(name, "") for name in PRINTED}


def synthesis_json(one: Synthesis) -> dict[str, Any]:
    """A synthesis as tools print it."""
    report = {key: value for key, value in one.report.items() if key != "left_out"}
    return {
        "id": one.id,
        "n": one.n,
        "status": one.status,
        "trigger": one.trigger_type,
        "model": one.model_used,
        "segment": one.segment,
        "sources": len(one.source_ids),
        "without": one.options.get("without", []),
        "started_at": one.started_at.isoformat(),
        "finished_at": one.finished_at.isoformat() if one.finished_at else None,
        "report": report,
    }
