"""The nine occasions that update a document, each from what the user did to the statement, its document and its reason."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.domain.memory import ProfileVersion
from beacon.errors import InputError
from beacon.llm.ports import ChatRequest
from beacon.llm.routing import Router
from beacon.memory.profiles import get_memory, profile_history
from beacon.memory.triggers import TRIGGERS, Occasion, fire
from beacon.memory.updates import Change, MemoryUpdate
from beacon.runs import jobs
from beacon.runs.here import run_here
from tests.doubles import FailingChatModel, ScriptedChatModel

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
FIRST = (
    "The toll on the river bridge is 4 euros. Kvarnen Bro maintains the river bridge since 2011. "
    "Engineers inspect the cables twice a year. The bridge carries 20,000 vehicles a day."
)


class Desk:
    """An opened Beacon with one gated topic over one document."""

    def __init__(self, home: Path, folder: Path) -> None:
        folder.mkdir()
        (folder / "bridge.txt").write_text(FIRST)
        row = {"file": "bridge.txt", "id": "bridge", "title": "Bridge notes", "date": "2026-02-01", "version_date": "2026-02-01"}
        (folder / "manifest.jsonl").write_text(json.dumps(row) + "\n")
        self.now = START
        self.beacon: Beacon = open_beacon(home=home, clock=lambda: self.now)
        self.ws = self.beacon.workspace
        self.beacon.call("topic_add", title="River bridge", folders=[str(folder)], gates=True)

    def start(self) -> str:
        with self.ws.records.read() as tx:
            topic = next(iter(tx.topics.all(self.ws.project_id)))
        return run_here(self.ws, jobs.start_run(self.ws, topic), 30).id

    def answer(self, run_id: str, decision: str, payload: dict[str, Any] | None = None) -> None:
        self.beacon.call("gate_answer", run=run_id, decision=decision, payload=payload or {})
        run_here(self.ws, run_id, 30)

    def state(self, run_id: str) -> dict[str, Any]:
        return dict(self.beacon.call("run_show", run=run_id)["research_state"])

    def newest(self, namespace: str) -> ProfileVersion:
        return profile_history(self.ws, namespace)[0]

    def give(self, model: object) -> None:
        self.ws.__dict__["models"] = Router(fast=model)  # type: ignore[arg-type]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home", tmp_path / "docs")
    yield made
    made.beacon.close()


def to_gate(desk: Desk, gate: str) -> str:
    run = desk.start()
    for _ in range({"plan": 0, "findings": 1, "report": 2}[gate]):
        desk.answer(run, "approve")
    return run


def edit_plan(desk: Desk) -> str:
    run = to_gate(desk, "plan")
    plan = [*desk.state(run)["research_plan"][:2], {"question": "Which threats does a SWOT of the bridge show?"}]
    desk.answer(run, "edit", {"research_plan": plan[1:]})
    return run


def reject_plan(desk: Desk) -> str:
    run = to_gate(desk, "plan")
    desk.answer(run, "reject", {"reason": "Start from the budget, not from the traffic."})
    return run


def ask_follow_up(desk: Desk) -> str:
    run = to_gate(desk, "findings")
    desk.answer(run, "follow_up", {"question": "How often are the cables inspected?"})
    return run


def dismiss(desk: Desk) -> str:
    run = to_gate(desk, "findings")
    desk.answer(run, "dismiss", {"findings": ["Engineers inspect the cables twice a year."]})
    return run


def edit_report(desk: Desk) -> str:
    run = to_gate(desk, "report")
    report = str(desk.state(run)["draft_report"])
    before, _, after = report.partition("## Key facts")
    desk.answer(run, "edit", {"draft_report": before + "## Risks\n\nNone were read of.\n\n## Sources" + after.partition("## Sources")[2]})
    return run


def approve_report(desk: Desk) -> str:
    run = to_gate(desk, "report")
    desk.answer(run, "approve")
    return run


def say(text: str) -> Callable[[Desk], str]:
    return lambda desk: str(desk.beacon.call("ask", question=text)["question_id"])


def find_company(desk: Desk) -> str:
    desk.beacon.call("write_memory", namespace="company_profile", content="- Company: Kvarnen Bro\n")
    return approve_report(desk)


OCCASIONS: list[tuple[str, Callable[[Desk], str], str]] = [
    ("plan_edited", edit_plan, "also ask: Which threats does a SWOT of the bridge show?"),
    ("plan_rejected", reject_plan, "Turned down the plan about “River bridge” on 2026-03-02: Start from the budget, not from the traffic."),
    ("follow_up_asked", ask_follow_up, "2026-03-02: asked about “River bridge”: How often are the cables inspected?"),
    ("discovery_dismissed", dismiss, "For “River bridge”, not relevant: Engineers inspect the cables twice a year."),
    ("report_edited", edit_report, "In reports, include the section “Risks”"),
    ("report_approved", approve_report, "2026-03-02: report on “River bridge” (run #1) approved. Key findings: “"),
    ("user_described", say("My name is Dana and I lead pricing."), "My name is Dana and I lead pricing."),
    ("company_described", say("Our company sells cranes in Bremen."), "Our company sells cranes in Bremen."),
    ("company_found", find_company, "2026-02-01: “Kvarnen Bro maintains the river bridge since 2011.” (Bridge notes)"),
]


@pytest.mark.parametrize(("trigger", "act", "statement"), OCCASIONS, ids=[row[0] for row in OCCASIONS])
def test_what_the_user_did_becomes_a_statement_with_its_reason_and_origin(
    desk: Desk, trigger: str, act: Callable[[Desk], str], statement: str
) -> None:
    cause = act(desk)
    version = desk.newest(TRIGGERS[trigger].namespace)
    assert statement in version.content
    assert (version.trigger, version.reason, version.changed_by, version.origin) == (trigger, TRIGGERS[trigger].reason, "beacon", "rules")
    with desk.ws.records.read() as tx:
        gates = [gate.id for gate in tx.runs.gates(run_id=cause)] if cause.startswith("run") else []
    assert version.cause in [cause, *gates]


@pytest.mark.parametrize(("trigger", "act", "statement"), OCCASIONS, ids=[row[0] for row in OCCASIONS])
def test_a_model_states_it_and_is_held_to_what_was_told(desk: Desk, trigger: str, act: Callable[[Desk], str], statement: str) -> None:
    namespace = TRIGGERS[trigger].namespace
    told: list[str] = []

    def reply(request: ChatRequest) -> MemoryUpdate | str:
        asked = request.messages[-1].content
        if f"document {namespace}]" not in asked or TRIGGERS[trigger].reason not in asked:
            return "Nothing cited."
        message = asked.partition(", user]\n")[2].partition("\n[end of data")[0]
        told.append(message)
        quote = message.splitlines()[0]
        content = get_memory(desk.ws, namespace).rstrip()
        return MemoryUpdate(
            updated_content=content + "\n- As the model puts it.\n", changes=[Change(text="As the model puts it.", quote=quote)]
        )

    desk.give(ScriptedChatModel([reply] * 60))
    act(desk)
    version = desk.newest(namespace)
    assert told and "- As the model puts it." in version.content and (version.trigger, version.origin) == (trigger, "model")


@pytest.mark.parametrize(
    "broken",
    [
        "", "{", "[]", '{"updated_content": 7}', '{"updated_content": "", "changes": []}',
        '{"updated_content": "- Lives in Oslo.", "changes": [{"text": "Lives in Oslo.", "replaces": "", "quote": "My name is Dana"}]}',
        '{"updated_content": "", "changes": [{"text": "", "replaces": "Role: lead.", "quote": "My name is Dana"}]}',
    ],
)  # fmt: skip
def test_a_broken_reply_changes_nothing_and_the_log_says_why(desk: Desk, broken: str) -> None:
    desk.beacon.call("write_memory", namespace="user_profile", content="- Role: lead.\n- Likes tea.\n")
    desk.give(ScriptedChatModel([broken] * 8))
    answer = desk.beacon.call("ask", question="My name is Dana and I lead pricing.")
    assert get_memory(desk.ws, "user_profile") == "- Role: lead.\n- Likes tea.\n"
    [refused] = desk.beacon.call("event_list", type="memory_update_refused")
    assert answer["learned"][0]["problem"] and answer["learned"][0]["problem"] in refused["text"]


def test_a_model_that_fails_in_a_run_does_not_end_it(desk: Desk) -> None:
    run = to_gate(desk, "plan")
    desk.give(FailingChatModel())
    desk.answer(run, "edit", {"research_plan": [{"question": "Who maintains the bridge?"}]})
    assert desk.beacon.call("run_show", run=run)["status"] == "waiting"


def test_a_dismissed_finding_is_not_in_the_report(desk: Desk) -> None:
    run = dismiss(desk)
    desk.answer(run, "approve")
    assert "Engineers inspect the cables" not in desk.state(run)["final_report"]


def test_findings_passed_over_without_naming_one_are_noted_and_hide_nothing(desk: Desk) -> None:
    run = to_gate(desk, "findings")
    desk.answer(run, "dismiss")
    assert "For “River bridge”, of little interest on 2026-03-02: " in get_memory(desk.ws, "user_preferences")
    assert "Engineers inspect the cables" in desk.state(run)["draft_report"]


def test_the_next_plan_obeys_the_edited_one(desk: Desk) -> None:
    run = to_gate(desk, "plan")
    plan = desk.state(run)["research_plan"]
    desk.answer(run, "edit", {"research_plan": [*plan[1:], {"question": "Who pays for the cables?"}]})
    for _ in range(2):
        desk.answer(run, "approve")
    desk.now += timedelta(days=1)
    questions = [one["question"] for one in desk.state(desk.start())["research_plan"]]
    assert plan[0]["question"] not in questions and "Who pays for the cables?" in questions


def test_an_occasion_is_told_once(desk: Desk) -> None:
    occasion = Occasion("gate_1", ("x",), ("2026-03-02: asked about cables",))
    first, again = fire(desk.ws, "follow_up_asked", occasion), fire(desk.ws, "follow_up_asked", occasion)
    assert (first["changed"], again["changed"]) == (True, False)
    assert get_memory(desk.ws, "episodic_memory").count("asked about cables") == 1


def test_what_someone_took_out_a_nightly_job_does_not_put_back(desk: Desk) -> None:
    desk.beacon.call("ask", question="My name is Dana and I lead pricing.")
    desk.beacon.call("write_memory", namespace="user_profile", content="- Likes tea.\n")
    desk.beacon.call("consolidate")
    assert get_memory(desk.ws, "user_profile") == "- Likes tea.\n"


def test_what_another_user_answers_is_theirs(desk: Desk, tmp_path: Path) -> None:
    run = to_gate(desk, "plan")
    with_other = open_beacon(home=tmp_path / "home", user="other", clock=lambda: desk.now)
    with_other.call("gate_answer", run=run, decision="reject", payload={"reason": "Too broad for me."})
    assert "Too broad for me." in with_other.call("get_memory", namespace="user_preferences")
    with_other.close()
    assert "Too broad" not in get_memory(desk.ws, "user_preferences")


@pytest.mark.parametrize(
    "secret", ["My password is hunter2-blue.", "I use the api key: sk-abcdefghijklmnop", "Our PIN is 4711 for the door."]
)
def test_secrets_are_not_kept(desk: Desk, secret: str) -> None:
    assert desk.beacon.call("ask", question=secret)["learned"] == []


@pytest.mark.parametrize("findings", ["all", [7], [""]])
def test_findings_to_dismiss_must_be_named(desk: Desk, findings: object) -> None:
    run = to_gate(desk, "findings")
    with pytest.raises(InputError, match="findings"):
        desk.beacon.call("gate_answer", run=run, decision="dismiss", payload={"findings": findings})
