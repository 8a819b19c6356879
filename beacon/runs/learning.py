"""What runs teach the documents: every answer at a gate, and what research found about the user's company."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from beacon.domain.run import Gate, Run
from beacon.memory import gate_lessons as lessons
from beacon.memory.profiles import get_memory
from beacon.memory.triggers import Occasion, fire, learn_from_findings
from beacon.workspace import Workspace

Lesson = tuple[str, tuple[str, ...], tuple[str, ...]]  # trigger, what a model is shown, the statements that rules find


@dataclass(frozen=True, slots=True)
class Answered:
    """An answered gate with what it showed."""

    gate: Gate
    run: Run
    title: str
    day: str
    preferences: str

    @property
    def payload(self) -> Mapping[str, Any]:
        """What the person gave beside the decision."""
        return dict(self.gate.answer.get("payload") or {})

    @property
    def reason(self) -> str:
        """Why, in the person's words; empty where they gave none."""
        return str(self.payload.get("reason") or "")

    def before(self, name: str) -> Any:
        """What the gate showed under this name."""
        shown = self.gate.payload.get("before") or {}
        return shown[name] if name in shown else self.run.state.get(name)


def learn_from_gate(ws: Workspace, gate_id: str) -> list[dict[str, Any]]:
    """What an answered gate changed in the documents of whoever answered it; told once, however often it is called."""
    with ws.records.read() as tx:
        gate = next((one for one in tx.runs.gates(project_id=ws.project_id) if one.id == gate_id), None)
        run = tx.runs.find(gate.run_id) if gate else None
        if gate is None or run is None or gate.status != "answered":
            return []
        title = tx.topics.get(ws.project_id, run.topic_id).title
    day = (gate.answered_at or ws.clock()).date().isoformat()
    answered = Answered(gate, run, title, day, get_memory(ws, "user_preferences"))
    found = _LESSONS.get((gate.name.partition("#")[0], str(gate.answer.get("decision"))), _nothing)(answered)
    outcomes = [fire(ws, name, Occasion(gate.id, told, statements, run.id)) for name, told, statements in found]
    return [one for one in outcomes if one["changed"] or one["problem"]]


def _nothing(_: Answered) -> list[Lesson]:
    return []


def _questions(entries: Any) -> list[str]:
    return [str(one.get("question") or one.get("title") or "") for one in entries or []]


def _plan_edited(one: Answered) -> list[Lesson]:
    before = _questions(one.before("research_plan"))
    after = _questions(one.payload["research_plan"]) if "research_plan" in one.payload else before
    guidelines = [str(text) for text in one.payload.get("guidelines") or []]
    found = lessons.plan_lessons(one.title, before, after, guidelines, one.preferences)
    told = "The plan about “{}” was:\n{}\n\nThe person made it:\n{}".format(one.title, "\n".join(before), "\n".join([*after, *guidelines]))
    return [("plan_edited", (told,), tuple(found))]


def _plan_added(one: Answered) -> list[Lesson]:
    question = str(one.payload["question"])
    found = lessons.plan_lessons(one.title, [], [question], [], one.preferences)
    wish = tuple(text for text in found if not text.startswith("Plan depth"))
    return [("plan_edited", (f"The person added to the plan about “{one.title}”: {question}",), wish)]


def _turned_down(what: str, shown: str) -> Callable[[Answered], list[Lesson]]:
    def lesson(one: Answered) -> list[Lesson]:
        named = _questions(one.before(shown)) if shown else []
        found = lessons.rejection_lessons(one.title, what, named, one.reason, one.day)
        return [("plan_rejected", (f"The person turned down the {what} about “{one.title}”. {one.reason}".strip(),), tuple(found))]

    return lesson


def _followed_up(one: Answered) -> list[Lesson]:
    question = str(one.payload["question"])
    told = f"About “{one.title}”, on {one.day}, the person asked: {question}"
    return [("follow_up_asked", (told,), tuple(lessons.follow_up_lessons(one.title, question, one.day)))]


def _dismissed(one: Answered) -> list[Lesson]:
    named = [str(text) for text in one.payload.get("findings") or []]
    standing = [s for s in one.before("research_sections") or [] if s.get("evidence") and s.get("origin") != "query"]
    shown = [str(s.get("title") or s.get("question")) for s in standing or one.before("research_sections") or []]
    found = lessons.dismissal_lessons(one.title, named, shown, one.reason, one.day)
    told = f"About “{one.title}”, the person passed over: {'; '.join(named or shown)}. {one.reason}".strip()
    return [("discovery_dismissed", (told,), tuple(found))]


def _findings_edited(one: Answered) -> list[Lesson]:
    """What a person took out of the findings is as good as dismissed."""
    kept = {str(row.get("quote")) for s in one.payload.get("research_sections") or [] for row in s.get("evidence") or []}
    gone = [str(row["quote"]) for s in one.before("research_sections") or [] for row in s.get("evidence") or [] if row["quote"] not in kept]
    if not gone or "research_sections" not in one.payload:
        return []
    found = lessons.dismissal_lessons(one.title, gone, [], one.reason, one.day)
    return [("discovery_dismissed", (f"About “{one.title}”, the person took out: {'; '.join(gone)}",), tuple(found))]


def _report_edited(one: Answered) -> list[Lesson]:
    """An edited report is published as edited: that approves it too."""
    before, after = str(one.before("draft_report") or ""), str(one.payload.get("draft_report") or "")
    found = lessons.report_lessons(before, after, one.preferences)
    told = f"The report about “{one.title}” was:\n{before}\n\nThe person made it:\n{after}"
    return [("report_edited", (told,), tuple(found)), *_report_approved(one)]


def _report_approved(one: Answered) -> list[Lesson]:
    data = one.run.state.get("research_data") or {}
    facts = [str(fact["quote"]) for fact in data.get("key_facts") or []]
    number = one.run.n or int(data.get("run_number") or 0)
    found = lessons.approval_lessons(one.title, number, facts, one.day)
    return [("report_approved", (found[0],), tuple(found))]


_LESSONS: Mapping[tuple[str, str], Callable[[Answered], list[Lesson]]] = {
    ("plan", "edit"): _plan_edited,
    ("plan", "follow_up"): _plan_added,
    ("plan", "reject"): _turned_down("plan", "research_plan"),
    ("findings", "follow_up"): _followed_up,
    ("findings", "dismiss"): _dismissed,
    ("findings", "edit"): _findings_edited,
    ("findings", "reject"): _turned_down("findings", "research_sections"),
    ("report", "edit"): _report_edited,
    ("report", "approve"): _report_approved,
    ("report", "follow_up"): _followed_up,
    ("report", "reject"): _turned_down("report", ""),
}


def learn_from_run(ws: Workspace, run_id: str) -> list[dict[str, Any]]:
    """What a finished run told about the user's company."""
    with ws.records.read() as tx:
        run = tx.runs.get(run_id)
        data = run.state.get("research_data") or {}
        titles = {source.id: source.title or source.url for source in tx.sources.all(run.project_id)}
    evidence = [row for section in run.state.get("research_sections") or [] for row in section.get("evidence") or []]
    quotes = [
        {"quote": row["quote"], "date": row.get("date", ""), "title": titles.get(str(row.get("source_id")), "")}
        for row in [*(data.get("key_facts") or []), *evidence]
    ]
    return learn_from_findings(ws, quotes, run_id)
