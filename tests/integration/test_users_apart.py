"""Two users of one workspace: nothing of the one's memory reaches the other, by any tool, and so by any door."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.errors import BeaconError
from beacon.runs.here import run_here
from beacon.tools.registry import load_tools

DAY = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
SECRET, ASKED = "zanzibar quokka", "zanzibar"  # what is looked for, and the word of it that the other one asks about
# Not a door to anyone's memory: they read from outside, work for long, or touch the whole folder.
ELSEWHERE = frozenset(
    "backup demo rebuild ingest_paths ingest_url provider_test run_start run_wait run_history run_redo run_resume doctor".split()
)
NAMES = ("user_profile", "company_profile", "user_preferences", "episodic_memory")


def told(beacon: Beacon, moved: list[datetime]) -> dict[str, Any]:
    """Everything the first user has, each piece with the secret word in it; the ids of all of it."""
    asked = beacon.call("ask", question=f"My name is Dana and I lead pricing of {SECRET} lamps.")
    beacon.call("ask", question=f"Remember that the {SECRET} deal closes in May.", conversation=asked["conversation_id"])
    beacon.call("ask", question=f"What about {SECRET}?", conversation=asked["conversation_id"])
    for name in NAMES:
        beacon.call("write_memory", namespace=name, content=f"- {name}: {SECRET}\n", reason=SECRET)
    memory = beacon.call("memory_add", text=f"The {SECRET} key hangs behind the door.")
    event = beacon.call("log_event", type="call_made", text=f"Called about {SECRET}.", channel="phone")
    beacon.call("set_user_settings", goals=[f"sell {SECRET}"], trusted_people=[SECRET])
    moved[0] += timedelta(days=1)
    beacon.call("consolidate")
    run = beacon.call("run_start", slug="lamps")["run_id"]
    run_here(beacon.workspace, run, 30)
    beacon.call("gate_answer", run=run, decision="approve", payload={})
    run_here(beacon.workspace, run, 30)
    shown = beacon.call("conversation_show", id=asked["conversation_id"])
    return {
        "conversation": [asked["conversation_id"]],
        "message": [m["id"] for m in shown["messages"]],
        "memory": [m["id"] for m in beacon.call("memory_list", status="all")] + [memory["id"]],
        "changeset": [c["id"] for c in beacon.call("changeset_list")],
        "event": [event["event_id"], *(e["id"] for e in beacon.call("event_list"))],
        "summary": [hit["summary_id"] for hit in beacon.call("search_artifacts", query=SECRET, k=50) if "summary_id" in hit],
        "run": [run],
    }


def state_of(beacon: Beacon) -> dict[str, Any]:
    """What the first user sees of their own memory."""
    return {
        "documents": beacon.call("load_all_memory"),
        "memories": [m for m in beacon.call("memory_list", status="all") if m["scope"] == "user"],
        "settings": beacon.call("get_user_settings"),
        "conversations": [beacon.call("conversation_show", id=c["id"]) for c in beacon.call("conversation_list")],
    }


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Beacon, Beacon, dict[str, Any]]]:
    home = tmp_path_factory.mktemp("apart") / "home"
    moved = [DAY]
    (folder := home.parent / "docs").mkdir()
    (folder / "lamps.txt").write_text("The lamp costs 40 euros. It lasts ten years.")
    ana = open_beacon(home=home, user="ana", clock=lambda: moved[0])
    bo = open_beacon(home=home, user="bo", clock=lambda: moved[0])
    ana.call("topic_add", title="Lamps", folders=[str(folder)], gates=True)
    yield ana, bo, told(ana, moved)
    bo.close()
    ana.close()


def arguments(schema: dict[str, Any], candidate: str) -> dict[str, Any]:
    """Arguments for a tool that name another's thing wherever a name is taken."""
    given: dict[str, Any] = {}
    for name, field in schema.get("properties", {}).items():
        wanted = name in schema.get("required", []) or name in ("conversation", "id", "ref")
        kind = field.get("type") or next((one.get("type") for one in field.get("anyOf", []) if one.get("type") != "null"), "string")
        if not wanted:
            continue
        choices = field.get("enum") or []
        given[name] = {
            "string": choices[0] if choices else "bo writes this" if name in ("content", "note") else candidate,
            "integer": 1, "number": 1.0, "boolean": False, "array": [candidate], "object": {"goal": "taken over"},
        }.get(kind, candidate)  # fmt: skip
    return given


def test_no_tool_shows_or_changes_what_is_another_users(both: tuple[Beacon, Beacon, dict[str, Any]]) -> None:
    ana, bo, ids = both
    before = state_of(ana)
    candidates = ["", ASKED, f"What did I say about {ASKED}?", "lamps", *(i for found in ids.values() for i in found)]
    leaks: list[str] = []
    calls = answered = 0
    for name, tool in load_tools().items():
        if name in ELSEWHERE or name.startswith(("topic_", "project_", "run_cancel", "run_delete", "run_archive", "gate_answer")):
            continue
        for candidate in candidates if tool.schema.get("properties") else [""]:
            if tool.writes and ASKED in candidate:
                continue  # then it would be the other's own words
            calls += 1
            try:
                result = json.dumps(bo.call(name, **arguments(tool.schema, candidate)), default=str)
            except BeaconError as error:
                result = "" if candidate else error.message
            else:
                answered += 1
            if "quokka" in result.lower():
                leaks.append(f"{name}({candidate})")
    assert leaks[:5] == [] and calls > 500 and answered > 100
    assert state_of(ana) == before


@pytest.mark.parametrize("namespace", NAMES)
def test_each_document_is_its_users_own(both: tuple[Beacon, Beacon, dict[str, Any]], namespace: str) -> None:
    _, bo, _ = both
    assert "quokka" not in bo.call("get_memory", namespace=namespace)
    assert all("quokka" not in json.dumps(version) for version in bo.call("profile_history", namespace=namespace))


@pytest.mark.parametrize(
    ("tool", "name", "kind"),
    [
        ("conversation_show", "id", "conversation"), ("get_conversation_state", "conversation_id", "conversation"),
        ("memory_show", "id", "memory"), ("memory_history", "id", "memory"), ("changeset_show", "id", "changeset"),
        ("cause_show", "id", "message"),
    ],
)  # fmt: skip
def test_what_is_another_users_is_not_found(both: tuple[Beacon, Beacon, dict[str, Any]], tool: str, name: str, kind: str) -> None:
    _, bo, ids = both
    with pytest.raises(BeaconError, match="no"):
        bo.call(tool, **{name: ids[kind][-1]})


def test_another_users_conversation_cannot_be_gone_on_with(both: tuple[Beacon, Beacon, dict[str, Any]]) -> None:
    _, bo, ids = both
    with pytest.raises(BeaconError):
        bo.call("ask", question="And then?", conversation=ids["conversation"][0])


def test_a_run_that_everyone_sees_holds_nothing_of_its_starters_memory(both: tuple[Beacon, Beacon, dict[str, Any]]) -> None:
    _, bo, ids = both
    shown = json.dumps([bo.call("run_show", run=ids["run"][0]), bo.call("draft_list", run=ids["run"][0])])
    assert "quokka" not in shown and bo.call("context_show", ref=ids["run"][0]) == []


def test_directives_are_everyones(both: tuple[Beacon, Beacon, dict[str, Any]]) -> None:
    ana, bo, _ = both
    made = bo.call("write_memory", namespace="directives", content="- Name: Pharos\n")
    assert ana.call("get_memory", namespace="directives") == "- Name: Pharos\n"
    ana.call("changeset_undo", id=made["changeset_id"])
    assert bo.call("get_memory", namespace="directives").startswith("- Name: Beacon")
