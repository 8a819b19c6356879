"""The occasions on which a document is updated: what a person did or said, or what research found. Each is told once.

Whatever goes wrong here is told in the log and never ends what the occasion was part of.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.errors import BeaconError, ConflictError
from beacon.llm.ports import Message
from beacon.memory.company import company_names, find_company_news
from beacon.memory.documents import known_statements, line_key, owner_of
from beacon.memory.profiles import get_memory
from beacon.memory.said import Said, find_said, speaks_of_self
from beacon.memory.updates import update_memory_with_llm
from beacon.workspace import Workspace

ATTEMPTS = 3  # where another writer was faster

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trigger:
    """Which document an occasion touches, and the reason that is kept with the version."""

    namespace: str
    reason: str


TRIGGERS: Mapping[str, Trigger] = {
    "plan_edited": Trigger("user_preferences", "The user edited the research plan: preferred depth, frameworks, scope."),
    "plan_rejected": Trigger("user_preferences", "The user rejected the plan: preferred research approach."),
    "follow_up_asked": Trigger("episodic_memory", "The user asked a follow-up: interest in a specific matter."),
    "discovery_dismissed": Trigger("user_preferences", "The user passed over a finding: relevance."),
    "report_edited": Trigger("user_preferences", "The user edited the report: style and format."),
    "report_approved": Trigger("episodic_memory", "The user approved the report: session summary and key findings."),
    "user_described": Trigger("user_profile", "The user spoke of themselves."),
    "company_described": Trigger("company_profile", "The user spoke of the company."),
    "company_found": Trigger("company_profile", "Research found something new about the company."),
    "preference_stated": Trigger("user_preferences", "The user stated a preference."),
}
_SAID = {"user_profile": "user_described", "company_profile": "company_described", "user_preferences": "preference_stated"}


@dataclass(frozen=True, slots=True)
class Occasion:
    """What happened: what a model is shown, the statements that rules find in it, and the message, gate or run it came from."""

    cause: str
    told: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    run_id: str = ""


def fire(ws: Workspace, name: str, occasion: Occasion) -> dict[str, Any]:
    """{trigger, namespace, changed, version, changeset_id, origin, added, problem}: told once, however often it is called."""
    trigger = TRIGGERS[name]
    outcome = {"trigger": name, "namespace": trigger.namespace, "changed": False, "changeset_id": "", "added": [], "problem": ""}
    if not (occasion.found or (occasion.told and ws.models is not None)):
        return outcome
    try:
        return {**outcome, **_update(ws, name, trigger, occasion)}
    except BeaconError as error:
        log.warning("%s: %s", name, error.message)
        _tell(ws, name, trigger, occasion, error.message)
        return {**outcome, "problem": error.message}


def _update(ws: Workspace, name: str, trigger: Trigger, occasion: Occasion) -> dict[str, Any]:
    for left in reversed(range(ATTEMPTS)):
        with ws.records.read() as tx:
            owner = owner_of(ws, trigger.namespace)
            if tx.memories.has_profile_from(ws.project_id, owner, trigger.namespace, name, occasion.cause):
                return {}
        before = {line_key(line) for line in known_statements(trigger.namespace, get_memory(ws, trigger.namespace))}
        try:
            change = update_memory_with_llm(
                ws, trigger.namespace, [Message("user", text) for text in occasion.told], trigger.reason,
                trigger=name, cause=occasion.cause, found=occasion.found, run_id=occasion.run_id,
            )  # fmt: skip
        except ConflictError:
            if not left:
                raise
            continue
        added = [line for line in known_statements(trigger.namespace, change.version.content) if line_key(line) not in before]
        return {
            "changed": change.changed, "version": change.version.n, "changeset_id": change.changeset_id,
            "origin": change.version.origin, "added": added if change.changed else [],
        }  # fmt: skip
    return {}


def _tell(ws: Workspace, name: str, trigger: Trigger, occasion: Occasion, problem: str) -> None:
    at = ws.clock()
    event = Event(
        id=make_id("evt", ws.project_id, ws.user_id, "memory_update_refused", name, occasion.cause), project_id=ws.project_id,
        type="memory_update_refused", at=at, recorded_at=at, text=f"Nothing was added to {trigger.namespace}: {problem}",
        payload={"trigger": name, "cause": occasion.cause}, user_id=ws.user_id, channel="memory",
    )  # fmt: skip
    with ws.records.write() as tx:
        tx.events.append(event)


# What is said in chat


def learn_from_message(ws: Workspace, text: str, cause: str) -> list[dict[str, Any]]:
    """What a person's message taught, document by document: only what changed one, or was refused."""
    found = [one for one in find_said(text) if one.namespaces]
    namespaces = list(dict.fromkeys(name for one in found for name in one.namespaces))
    if not namespaces and ws.models is not None and speaks_of_self(text) and not text.rstrip().endswith(("?", "？", "؟")):
        namespaces = ["user_profile", "company_profile"]
    outcomes = [fire(ws, _SAID[name], Occasion(cause, (text,), _of(name, found))) for name in namespaces]
    return [one for one in outcomes if one["changed"] or one["problem"]]


def _of(namespace: str, found: Sequence[Said]) -> tuple[str, ...]:
    return tuple(one.text for one in found if namespace in one.namespaces)


# What research finds


def learn_from_findings(ws: Workspace, quotes: Sequence[Mapping[str, Any]], run_id: str) -> list[dict[str, Any]]:
    """What a run's quotes ({quote, date, title}) told about the user's company, where its name is known."""
    known = get_memory(ws, "company_profile")
    news = find_company_news(company_names(known, get_memory(ws, "user_profile")), quotes, known)
    if not news:
        return []
    lines = [
        f"{one.get('date') or ws.clock().date().isoformat()}: “{' '.join(str(one['quote']).split())}” ({one['title']})" for one in news
    ]
    occasion = Occasion(run_id, tuple(f"Found in research: {line}" for line in lines), tuple(lines), run_id)
    outcome = fire(ws, "company_found", occasion)
    return [outcome] if outcome["changed"] or outcome["problem"] else []
