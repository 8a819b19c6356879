"""What runs leave behind: their key facts with their evidence, and which sources and questions paid off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from beacon.analyst.statements import statement_key
from beacon.domain.event import Event
from beacon.domain.evidence import Citation, check_quote
from beacon.domain.ids import make_id
from beacon.domain.memory import Memory
from beacon.domain.source import Version
from beacon.errors import EvidenceError
from beacon.llm.embedding import text_sha
from beacon.memory.facts import read_attribute
from beacon.memory.importance import importance_from, importance_parts
from beacon.memory.keep import cite_event
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

RUN_ENDED = ("run_completed", "run_finished")
MAX_FACTS = 10  # of one run
MAX_NAMED = 5  # sources and questions a skill tells of
MAX_CITATIONS = 20


@dataclass(frozen=True, slots=True)
class Lesson:
    """One finished run: its event, its topic, its facts with the versions they stand in, and the questions that found something."""

    event: Event
    topic_id: str
    title: str
    facts: tuple[tuple[dict[str, Any], Version], ...]
    questions: Mapping[str, int]


def read_lessons(ws: Workspace, tx: Tx, events: Sequence[Event]) -> list[Lesson]:
    """The finished runs among the events. A fact whose quote is not exact is left out."""
    lessons = []
    titles = {topic.id: topic.title for removed in (False, True) for topic in tx.topics.all(ws.project_id, removed=removed)}
    for event in events:
        topic_id = str(event.payload.get("topic_id", ""))
        if event.type not in RUN_ENDED or topic_id not in titles:
            continue
        run = tx.runs.find(str(event.payload.get("run_id", "")))
        state = run.state if run else {}
        given = event.payload.get("key_facts") or (state.get("research_data") or {}).get("key_facts") or []
        facts = _exact(tx, ws.project_id, [fact.get("citation") or fact for fact in given if isinstance(fact, dict)][:MAX_FACTS])
        sections = [s for s in state.get("research_sections") or [] if s.get("evidence") and s.get("origin") != "standing"]
        lessons.append(Lesson(event, topic_id, titles[topic_id], facts, {str(s["title"]): len(s["evidence"]) for s in sections}))
    return lessons


def _exact(tx: Tx, project_id: str, found: Sequence[Mapping[str, Any]]) -> tuple[tuple[dict[str, Any], Version], ...]:
    """The citations that are the exact words of a version of this project."""
    versions = tx.sources.versions_by_id([str(c.get("version_id", "")) for c in found])
    own = {s.id for s in tx.sources.all(project_id, sorted({v.source_id for v in versions.values()}))}
    kept = []
    for one in found:
        version = versions.get(str(one.get("version_id", "")))
        if version is None or version.source_id not in own:
            continue
        try:
            check_quote(version.text, int(one["start"]), int(one["end"]), str(one["quote"]))
        except (EvidenceError, KeyError, TypeError, ValueError):
            continue
        citation = Citation(
            str(one["quote"]),
            int(one["start"]),
            int(one["end"]),
            version_id=version.id,
            chunk_id=str(one.get("chunk_id", "")),
            source_id=version.source_id,
            url=str(one.get("url", "")),
            title=str(one.get("title") or version.title),
        )
        kept.append(({**citation.as_json(), "at": version.dated.isoformat()}, version))
    return tuple(kept)


def build_facts(ws: Workspace, lesson: Lesson, goals: Sequence[str], now: datetime) -> list[Memory]:
    """The run's key facts as memories of the project, true from the date of the version they stand in."""
    facts = []
    for citation, version in lesson.facts:
        text = str(citation["quote"])
        parts = importance_parts(text, goals=[*goals, lesson.title])
        subject, attribute, value = read_attribute(text, "user")
        facts.append(
            Memory(
                id=make_id("mem", ws.project_id, "semantic", version.id, citation["start"], citation["end"]),
                project_id=ws.project_id,
                tier="semantic",
                text=text,
                recorded_at=now,
                last_access_at=now,
                user_id=ws.user_id,
                scope="project",
                subject=subject,
                attribute=attribute,
                value=value,
                importance=importance_from(parts),
                importance_parts=parts,
                valid_from=version.dated,
                citations=[citation],
                topic_id=lesson.topic_id,
                channel="run",
                metadata={"run_id": lesson.event.payload.get("run_id", ""), "key": statement_key(text)},
                text_sha256=text_sha(text),
            )
        )
    return facts


def build_skill(ws: Workspace, lesson: Lesson, before: Memory | None, now: datetime) -> Memory | None:
    """The topic's skill with this run's yield added, as its next version; None when the run taught nothing new."""
    run_id = str(lesson.event.payload.get("run_id", ""))
    learned: dict[str, Any] = before.metadata if before else {}
    if run_id in learned.get("runs", []) or not (lesson.facts or lesson.questions):
        return None
    sources = _added(learned.get("sources", {}), _yield(lesson))
    questions = _added(learned.get("questions", {}), lesson.questions)
    text = _told(lesson.title, sources, questions)
    fresh = [cite_event(lesson.event, 0, len(lesson.event.text))] if lesson.event.text else [c for c, _ in lesson.facts[:1]]
    if not fresh:
        return None
    metadata = {"runs": [*learned.get("runs", []), run_id], "sources": sources, "questions": questions}
    citations = [*fresh, *(before.citations if before else [])][:MAX_CITATIONS]
    if before is not None:
        return replace(before, text=text, text_sha256=text_sha(text), metadata=metadata, citations=citations, version=before.version + 1)
    parts = importance_parts(text, goals=[lesson.title])
    return Memory(
        id=skill_id(ws, lesson.topic_id),
        project_id=ws.project_id,
        tier="procedural",
        text=text,
        recorded_at=now,
        last_access_at=now,
        user_id=ws.user_id,
        scope="project",
        importance=importance_from(parts),
        importance_parts=parts,
        valid_from=lesson.event.at,
        citations=citations,
        topic_id=lesson.topic_id,
        channel="run",
        metadata=metadata,
        text_sha256=text_sha(text),
    )


def skill_id(ws: Workspace, topic_id: str) -> str:
    """The id of what was learned about researching a topic."""
    return make_id("mem", ws.project_id, "procedural", topic_id)


def _yield(lesson: Lesson) -> dict[str, int]:
    counts: dict[str, int] = {}
    for citation, _ in lesson.facts:
        name = str(citation["title"] or citation["url"] or citation["source_id"])
        counts[name] = counts.get(name, 0) + 1
    return counts


def _added(old: Mapping[str, int], new: Mapping[str, int]) -> dict[str, int]:
    return {name: old.get(name, 0) + new.get(name, 0) for name in sorted({*old, *new})}


def _told(title: str, sources: Mapping[str, int], questions: Mapping[str, int]) -> str:
    parts = [f"{word}: {_best(counts)}" for word, counts in (("sources", sources), ("questions", questions)) if counts]
    return f"For “{title}”, what paid off — {'; '.join(parts)}."


def _best(counts: Mapping[str, int]) -> str:
    best = sorted(counts, key=lambda name: (-counts[name], name))[:MAX_NAMED]
    return ", ".join(f"{name} ({counts[name]})" for name in best)
