"""From the log of events to memories: episodes, facts, skills and a summary of the days, as one change that can be undone.

The raw events stay; a cursor says how far they have been read. What a consolidation would lose or could not prove stops it whole.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import fold
from beacon.domain.event import Event
from beacon.domain.evidence import check_quote
from beacon.domain.graph import GraphSummary
from beacon.domain.ids import make_id
from beacon.domain.memory import Memory
from beacon.errors import ConflictError, EvidenceError
from beacon.llm.embedding import text_sha
from beacon.memory.changesets import Item, apply_changes, is_as, memory_item, read_state
from beacon.memory.documents import NAMESPACES, line_key
from beacon.memory.episodes import Weighed, build_episodes, weigh
from beacon.memory.fact_keeping import keep_facts, told_points
from beacon.memory.facts import read_attribute, settle
from beacon.memory.forms import memory_from_json
from beacon.memory.importance import has_marker, importance_from, importance_parts, read_tone
from beacon.memory.keep import cite_event
from beacon.memory.lessons import build_facts, build_skill, read_lessons, skill_id
from beacon.memory.profiles import earlier_statements, read_version
from beacon.memory.said import Said, find_said, is_said, is_trivial, speaker_of
from beacon.memory.search import user_settings
from beacon.memory.updates import with_statements
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

BUFFER_EVENTS = 200  # unread events from which consolidation is due by size
SUMMARY_SENTENCES = 6  # of one day
EVERYTHING = 10_000_000


@dataclass
class Plan:
    """What a consolidation is about to do; memories are held by id so that later ones can build on earlier ones."""

    cursor: int
    reached: int
    processed: int
    goals: Sequence[str] = ()
    memories: dict[str, Memory] = field(default_factory=dict)  # everything believed, as it will be
    before: dict[str, Memory] = field(default_factory=dict)  # as it was
    touched: list[str] = field(default_factory=list)
    other: list[Item] = field(default_factory=list)  # documents and summaries
    summary: str = ""
    news: set[str] = field(default_factory=set)  # events that gave a known thing another value
    worded: dict[str, set[str]] = field(default_factory=dict)  # wording of a fact → ids
    about: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # subject and attribute → ids
    places: set[tuple[Any, Any]] = field(default_factory=set)  # where the facts stand that are kept in step with their sources

    def __post_init__(self) -> None:
        for memory in self.memories.values():
            self._index(memory)

    def _index(self, memory: Memory) -> None:
        if memory.metadata.get("origin") == "facts":
            self.places.update((c.get("version_id"), c.get("start")) for c in memory.citations)
        elif memory.tier == "semantic":
            self.worded.setdefault(statement_key(memory.text), set()).add(memory.id)
            if memory.subject:
                self.about.setdefault((memory.subject, memory.attribute), set()).add(memory.id)

    def kept_already(self, fact: Memory) -> bool:
        """Whether a fact that is kept in step with its sources rests on the same words."""
        return any((c.get("version_id"), c.get("start")) in self.places for c in fact.citations if c.get("version_id"))

    def said_already(self, text: str) -> bool:
        """Whether a fact is believed in these words, or was set aside by someone."""
        found = (self.memories[ref] for ref in self.worded.get(statement_key(text), ()))
        return any(m.status in ("current", "archived") for m in found)

    def rivals(self, fact: Memory) -> list[Memory]:
        """The current facts about the same subject and attribute, by id."""
        found = (self.memories[ref] for ref in sorted(self.about.get((fact.subject, fact.attribute), ())))
        return [m for m in found if m.status == "current"]

    def add(self, items: Iterable[Item]) -> None:
        """Take items of memories in: several on one memory become one."""
        for _, ref, _, after in items:
            if after is not None:
                self.memories[ref] = memory_from_json(after)
                self._index(self.memories[ref])
                if ref not in self.touched:
                    self.touched.append(ref)

    def current(self, *tiers: str) -> list[Memory]:
        """The memories that hold, of these tiers, by id."""
        return [m for _, m in sorted(self.memories.items()) if m.status == "current" and (not tiers or m.tier in tiers)]

    def items(self) -> list[Item]:
        """Everything that changes."""
        return [*(memory_item(self.before.get(ref), self.memories[ref]) for ref in self.touched), *self.other]

    def count(self, tier: str) -> int:
        """How many memories of a tier are new or altered."""
        return sum(self.memories[ref].tier == tier for ref in self.touched if ref not in self.before or tier == "procedural")


def consolidate(ws: Workspace, *, trigger: str, preview: bool = False) -> dict[str, Any]:
    """{changeset_id, episodes, facts, skills, processed, summary, preview, items}; a preview changes nothing.

    Raises EvidenceError when something would be stored without exact evidence or get lost: then nothing changes.
    """
    plan = build_plan(ws)
    items = plan.items()
    changeset_id = "" if preview or not plan.processed else _apply(ws, plan, items, trigger)
    if changeset_id and (points := told_points(ws, [plan.memories[ref] for ref in plan.touched])):
        keep_facts(ws, points=points, read=False)
    told = [{"kind": kind, "ref": ref, "before": before, "after": after} for kind, ref, before, after in items]
    return {
        "changeset_id": changeset_id,
        "episodes": plan.count("episodic"),
        "facts": plan.count("semantic"),
        "skills": plan.count("procedural"),
        "processed": plan.processed,
        "summary": plan.summary,
        "preview": preview,
        "trigger": trigger,
        "items": told if preview else [],
    }


def cursor_name(ws: Workspace) -> str:
    """Where it is kept how far the user's events have been read."""
    return f"consolidated:{ws.project_id}:{ws.user_id}"


def due(ws: Workspace) -> str:
    """Why consolidation should run now: "remember" (someone asked to), "size" (many events wait), or empty."""
    with ws.records.read() as tx:
        waiting = tx.events.all(ws.project_id, after_seq=_cursor(ws, tx), user_id=ws.user_id, limit=BUFFER_EVENTS)
    if any(is_said(event) and has_marker(event.text) for event in waiting):
        return "remember"
    return "size" if len(waiting) >= BUFFER_EVENTS else ""


def _cursor(ws: Workspace, tx: Tx) -> int:
    return int(tx.projects.value(cursor_name(ws), {}).get("seq", 0))


def build_plan(ws: Workspace) -> Plan:
    """What would change: read and reckoned, nothing written but vectors."""
    now = ws.clock()
    for namespace in NAMESPACES:
        read_version(ws, namespace)
    with ws.records.read() as tx:
        cursor = _cursor(ws, tx)
        events = tx.events.all(ws.project_id, after_seq=cursor, user_id=ws.user_id, limit=EVERYTHING)
        settings = user_settings(ws, tx)
        known = {m.id: m for m in tx.memories.all(ws.project_id, user_id=ws.user_id, statuses=None)}
        lessons = read_lessons(ws, tx, events)
    plan = Plan(cursor, max((e.seq for e in events), default=cursor), len(events), settings.get("goals", []), dict(known), dict(known))
    said = [e for e in events if is_said(e)]
    weighed = weigh(ws, said, [m.text for m in plan.current()], settings, plan.goals)
    for one in weighed:
        _add_said_facts(ws, plan, one, settings, now)
    for episode in build_episodes(ws, [_as_news(one) if one.event.id in plan.news else one for one in weighed], now):
        if episode.id not in known:
            plan.add([memory_item(None, episode)])
    for lesson in lessons:
        for fact in build_facts(ws, lesson, plan.goals, now):
            _add_fact(plan, fact, now)
        skill = build_skill(ws, lesson, plan.memories.get(skill_id(ws, lesson.topic_id)), now)
        plan.add([] if skill is None else [memory_item(None, skill)])
    _add_documents(ws, plan, said)
    _add_summaries(ws, plan)
    return plan


def _as_news(one: Weighed) -> Weighed:
    parts = {**one.parts, "novelty": 1.0}
    return Weighed(one.event, parts, importance_from(parts))


def _add_said_facts(ws: Workspace, plan: Plan, one: Weighed, settings: Mapping[str, Any], now: datetime) -> None:
    if not is_trivial(one.event.text):
        for said in find_said(one.event.text):
            _add_fact(plan, _said_fact(ws, plan, one, said, settings, now), now)


def _said_fact(ws: Workspace, plan: Plan, one: Weighed, said: Said, settings: Mapping[str, Any], now: datetime) -> Memory:
    event, speaker = one.event, speaker_of(one.event, ws.user_id)
    trusted = settings.get("trusted_people", [])
    parts = importance_parts(said.text, people=event.people, by_owner=speaker == "user", trusted=trusted, goals=plan.goals)
    parts |= {"novelty": one.parts["novelty"], "marker": 1.0 if said.marked else parts["marker"]}
    text = said.text if speaker == "user" else f"{speaker}: {said.text}"
    subject, attribute, value = read_attribute(said.text, speaker)
    return Memory(
        id=make_id("mem", ws.project_id, ws.user_id, "semantic", event.id, said.start, said.end),
        project_id=ws.project_id,
        tier="semantic",
        text=text,
        recorded_at=now,
        last_access_at=now,
        user_id=ws.user_id,
        subject=subject,
        attribute=attribute,
        value=value,
        importance=importance_from(parts),
        importance_parts=parts,
        pinned=said.forever,
        valid_from=event.at,
        citations=[cite_event(event, said.start, said.end)],
        people=[p for p in event.people if p != ws.user_id],
        channel=event.channel,
        emotion=event.tone or read_tone(said.text)[0],
        text_sha256=text_sha(text),
        topic_id=str(event.payload.get("topic_id", "")),
    )


def _add_fact(plan: Plan, fact: Memory, now: datetime) -> None:
    """Bring a fact in, unless it is believed already or was set aside by someone. Another value for a known thing is news."""
    if fact.id in plan.memories or plan.said_already(fact.text) or plan.kept_already(fact):
        return
    known = plan.rivals(fact) if fact.subject else []
    rivals = [m for m in known if fold(m.value) != fold(fact.value)]
    if rivals:
        marker = max(m.importance_parts.get("marker", 0.0) for m in [*rivals, fact])
        parts = {**fact.importance_parts, "novelty": 1.0, "marker": marker}
        pinned = any(m.pinned for m in [*rivals, fact])
        fact = replace(fact, importance_parts=parts, importance=importance_from(parts), pinned=pinned)
        plan.news.update(c["event_id"] for c in fact.citations if c.get("event_id"))
    plan.add(settle(fact, known, now))


def _add_documents(ws: Workspace, plan: Plan, said: Sequence[Event]) -> None:
    """What the user said of themselves, the company and their wishes goes into the documents too."""
    found: dict[str, list[str]] = {}
    for event in said:
        if speaker_of(event, ws.user_id) == "user":
            for one in find_said(event.text):
                for namespace in one.namespaces:
                    found.setdefault(namespace, []).append(one.text)
    for namespace in NAMESPACES:
        before = read_version(ws, namespace).content
        stood = earlier_statements(ws, namespace) if found.get(namespace) else frozenset[str]()
        after = with_statements(before, [text for text in found.get(namespace, []) if line_key(text) not in stood])
        if after != before:
            told = {"content": after, "reason": "said in conversation", "trigger": "consolidation", "origin": "rules"}
            plan.other.append(("profile", namespace, {"content": before}, told))


def _add_summaries(ws: Workspace, plan: Plan) -> None:
    """One summary a day that has a new episode: its strongest sentences, each with its citation."""
    new = [plan.memories[ref] for ref in plan.touched if ref not in plan.before and plan.memories[ref].tier == "episodic"]
    days = sorted({m.valid_from.date().isoformat() for m in new if m.valid_from})
    with ws.records.read() as tx:
        known = {s.id: s for s in tx.chats.summaries(ws.project_id, segment=ws.user_id, kind="period")}
    for day in days:
        episodes = [
            m for m in plan.current("episodic") if m.valid_from and m.valid_from.date().isoformat() == day and m.user_id == ws.user_id
        ]
        summary = build_summary(ws, day, episodes)
        before = known.get(summary.id)
        plan.other.append(("summary", summary.id, _summary_json(before) if before else None, _summary_json(summary)))
        plan.summary = f"{plan.summary}\n{day}: {summary.text}".strip()


def build_summary(ws: Workspace, day: str, episodes: Sequence[Memory]) -> GraphSummary:
    """The day in its strongest quotes, in the order they were said."""
    ranked = sorted(
        ((m.importance, c) for m in episodes for c in m.citations if c.get("event_id")), key=lambda p: (-p[0], p[1]["at"], p[1]["event_id"])
    )
    chosen = sorted((c for _, c in ranked[:SUMMARY_SENTENCES]), key=lambda c: (c["at"], c["event_id"], c["start"]))
    citations = tuple({"n": n, **c} for n, c in enumerate(chosen, 1))
    text = " ".join(f"{c['quote']} [{c['n']}]" for c in citations)
    return GraphSummary(make_id("sum", ws.project_id, ws.user_id, "period", day), ws.user_id, day, text, citations)


def _summary_json(summary: GraphSummary) -> dict[str, Any]:
    return {**asdict(summary), "citations": list(summary.citations)}


def _apply(ws: Workspace, plan: Plan, items: Sequence[Item], trigger: str) -> str:
    """The changeset's id; empty where only the cursor moved."""
    with ws.records.write() as tx:
        if _cursor(ws, tx) != plan.cursor:
            raise ConflictError("Another consolidation was faster: nothing was changed by this one.")
        check_conservation(ws, tx, items)
        changeset_id = ""
        if items:
            title = f"Consolidated {plan.processed} events ({trigger})"
            changeset_id = apply_changes(ws, tx, actor="consolidation", action="consolidated", title=title, items=items)
        tx.projects.set_value(cursor_name(ws), {"seq": plan.reached}, ws.clock())
    return changeset_id


def check_conservation(ws: Workspace, tx: Tx, items: Sequence[Item]) -> None:
    """Raise unless nothing gets lost, nothing changed meanwhile, and every memory and summary rests on exact quotes."""
    for kind, ref, before, after in items:
        if after is None:
            raise EvidenceError(f"The consolidation would lose the {kind} {ref}: nothing was changed.", ref=ref)
        if not is_as(read_state(ws, tx, kind, ref), before):
            raise ConflictError(f"The {kind} {ref} was changed meanwhile: consolidate again.", ref=ref)
        if kind == "profile":
            continue
        if not after["citations"]:
            raise EvidenceError(f"The consolidation would store the {kind} {ref} without evidence: nothing was changed.", ref=ref)
        proven = before["citations"] if before else []
        for citation in (c for c in after["citations"] if c not in proven):
            check_quote(_cited_text(tx, citation), citation["start"], citation["end"], citation["quote"])


def _cited_text(tx: Tx, citation: Mapping[str, Any]) -> str:
    if citation.get("event_id"):
        return tx.events.get(str(citation["event_id"])).text
    version = tx.sources.versions_by_id([str(citation.get("version_id", ""))]).get(str(citation.get("version_id", "")))
    return version.text if version else ""
