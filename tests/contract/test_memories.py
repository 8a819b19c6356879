"""What memory promises on every record store: documents, memories, changesets, search, consolidation."""

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from beacon.domain.event import Event
from beacon.domain.ids import digest, make_id
from beacon.domain.memory import Memory
from beacon.domain.source import Source, Version
from beacon.domain.topic import Topic
from beacon.errors import ConflictError, EvidenceError, InputError, ModelError, NotFoundError, UnavailableError
from beacon.llm.routing import Router
from beacon.memory import changesets, documents, keep, profiles, score
from beacon.memory.consolidate import check_conservation, consolidate, cursor_name, due
from beacon.memory.forms import memory_from_json
from beacon.memory.search import ambient_memories, believed, deliver, search_memories, topic_skills
from beacon.memory.updates import Change, MemoryUpdate, update_memory_with_llm
from beacon.settings import Settings
from beacon.stores.records.store import Records
from beacon.tools.registry import call_tool
from beacon.workspace import Makers, Workspace
from tests.doubles import HashEmbedder, Reply, ScriptedChatModel

_numbers = count(1)
START = datetime(2026, 5, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        return self.at


def never() -> Any:
    raise AssertionError("memory needs no such backend")


def open_workspace(records: Records, home: Path, clock: Hands, user: str, project: str) -> Workspace:
    with records.write() as tx:
        project_id = tx.projects.ensure(project, START)
        tx.projects.user(user, START)
    makers = Makers(vectors=never, graph=never, embedder=HashEmbedder, models=lambda: None, fetcher=never)
    return Workspace(Settings(home=home), records, makers, project_id, user, clock)


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    """One record store of each kind; every test has a project and users of its own in it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('memories') / 'records.sqlite'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_server").make_database().replace("postgresql://", "postgresql+psycopg://")
    store = Records(url)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def ws(records: Records, tmp_path: Path, clock: Hands) -> Workspace:
    number = next(_numbers)
    return open_workspace(records, tmp_path, clock, f"me{number}", f"p{number}")


def other_user(ws: Workspace) -> Workspace:
    """The same project, opened by somebody else."""
    with ws.records.write() as tx:
        tx.projects.user(f"{ws.user_id}-other", START)
    return replace(ws, user_id=f"{ws.user_id}-other")


def say(ws: Workspace, number: int, text: str, type_: str = "message_sent", **given: Any) -> Event:
    """An event of a chat."""
    people = [ws.user_id] if type_ == "message_sent" else []
    payload = {"conversation_id": "c1"}
    event = Event(
        f"evt_{ws.project_id}_{number}"[:64], ws.project_id, type_, ws.clock(), ws.clock(), text, payload, ws.user_id, "chat", people
    )
    event = replace(event, **given)
    with ws.records.write() as tx:
        tx.events.append(event)
    return event


def everything(ws: Workspace) -> list[Memory]:
    with ws.records.read() as tx:
        return believed(ws, tx, statuses=None)


def texts(ws: Workspace, as_of: datetime | None = None) -> list[str]:
    with ws.records.read() as tx:
        return sorted(m.text for m in believed(ws, tx, as_of=as_of))


# The four documents


def test_a_new_user_has_four_documents_with_default_texts(ws: Workspace) -> None:
    assert profiles.load_all_memory(ws) == dict(documents.DEFAULTS)


def test_a_returning_user_reads_what_was_written(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Name: Ana\n", reason="told")
    assert profiles.load_all_memory(ws)["user_profile"] == "Name: Ana\n"


def test_the_same_content_makes_no_version(ws: Workspace) -> None:
    first = profiles.write_memory(ws, "user_profile", "Name: Ana\n")
    second = profiles.write_memory(ws, "user_profile", "Name: Ana\n")
    assert (first.version.n, first.changed, second.version.n, second.changed) == (2, True, 2, False)


def test_documents_of_two_users_are_apart(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Name: Ana\n")
    assert profiles.get_memory(other_user(ws), "user_profile") == documents.DEFAULTS["user_profile"]


def test_a_document_that_does_not_exist_is_refused_by_name(ws: Workspace) -> None:
    with pytest.raises(InputError, match="'diary'"):
        profiles.get_memory(ws, "diary")


def test_writing_from_an_older_version_is_refused(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Name: Ana\n")
    with pytest.raises(ConflictError, match="version 2"):
        profiles.write_memory(ws, "user_profile", "Name: Bo\n", base_n=1)


def test_an_earlier_version_comes_back_as_a_new_one(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Name: Ana\n")
    restored = profiles.restore(ws, "user_profile", 1)
    assert (restored.version.n, restored.version.content) == (3, documents.DEFAULTS["user_profile"])


def test_every_version_is_kept_with_its_reason(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Name: Ana\n", reason="told in chat")
    assert [(v.n, v.reason) for v in profiles.profile_history(ws, "user_profile")] == [(2, "told in chat"), (1, "first read")]


def test_a_search_in_a_document_gives_the_sentence_that_bears_on_it(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "- Works in Lisbon.\n- Speaks Portuguese.\n- Leads pricing.\n")
    assert profiles.search_memory(ws, "user_profile", "Lisbon works") == "Works in Lisbon."


def test_a_search_that_nothing_answers_gives_the_whole_document(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "- Works in Lisbon.\n- Leads pricing.\n")
    assert profiles.search_memory(ws, "user_profile", "zebra") == "- Works in Lisbon.\n- Leads pricing.\n"


# Updates of documents


def with_model(ws: Workspace, *replies: Reply) -> ScriptedChatModel:
    model = ScriptedChatModel(replies)
    ws.__dict__["models"] = Router(model, model)
    return model


SAID = [{"role": "user", "content": "My name is Ana. I prefer short reports."}]


def test_offline_statements_are_found_by_their_form(ws: Workspace) -> None:
    assert update_memory_with_llm(ws, "user_profile", SAID, "told").version.content == "- My name is Ana.\n"


def test_what_the_assistant_said_is_no_evidence(ws: Workspace) -> None:
    assert not update_memory_with_llm(ws, "user_profile", [{"role": "assistant", "content": "My name is Ana."}], "told").changed


def test_a_model_that_names_its_changes_is_followed(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Role: lead.\n")
    changes = [Change(text="Name: Ana.", quote="My name is Ana.")]
    with_model(ws, MemoryUpdate(updated_content="Role: lead.\nName: Ana.\n", changes=changes))
    assert update_memory_with_llm(ws, "user_profile", SAID, "told").version.content == "Role: lead.\nName: Ana.\n"


def test_a_model_that_drops_a_statement_is_asked_once_more_then_refused(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Role: lead.\n")
    dropping = MemoryUpdate(updated_content="Name: Ana.\n", changes=[Change(text="Name: Ana.", quote="My name is Ana.")])
    model = with_model(ws, dropping, dropping)
    with pytest.raises(ModelError, match=r"'Role: lead\.' is missing"):
        update_memory_with_llm(ws, "user_profile", SAID, "told")
    assert (len(model.requests), profiles.get_memory(ws, "user_profile")) == (2, "Role: lead.\n")


def test_a_repaired_update_is_taken(ws: Workspace) -> None:
    profiles.write_memory(ws, "user_profile", "Name: Anna.\n")
    unnamed = MemoryUpdate(updated_content="Name: Ana.\n", changes=[])
    named = MemoryUpdate(
        updated_content="Name: Ana.\n", changes=[Change(text="Name: Ana.", replaces="Name: Anna.", quote="My name is Ana.")]
    )
    with_model(ws, unnamed, named)
    assert update_memory_with_llm(ws, "user_profile", SAID, "told").version.content == "Name: Ana.\n"


def test_a_quote_nobody_said_is_refused(ws: Workspace) -> None:
    invented = MemoryUpdate(updated_content="Rich.\n", changes=[Change(text="Rich.", quote="I am rich")])
    with_model(ws, invented, invented)
    with pytest.raises(ModelError, match="was not said"):
        update_memory_with_llm(ws, "user_profile", SAID, "told")


def test_a_provider_that_does_not_answer_leaves_the_rules(ws: Workspace) -> None:
    with_model(ws, UnavailableError("down"))
    assert update_memory_with_llm(ws, "user_profile", SAID, "told").version.origin == "rules"


# What a person does to memories


def test_a_memory_made_by_hand_cites_what_was_written(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    with ws.records.read() as tx:
        event = tx.events.get(memory.citations[0]["event_id"])
    assert event.text[memory.citations[0]["start"] : memory.citations[0]["end"]] == memory.citations[0]["quote"] == memory.text


def test_a_newer_value_supersedes_the_older(ws: Workspace, clock: Hands) -> None:
    old, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    clock.at += DAY
    new, _ = keep.add_memory(ws, "Our CRM is HubSpot")
    with ws.records.read() as tx:
        found = tx.memories.get(old.id)
    assert (found.status, found.replaced_by, found.valid_to) == ("superseded", new.id, clock.at)


def test_a_fact_about_another_attribute_stays(ws: Workspace, clock: Hands) -> None:
    keep.add_memory(ws, "Our CRM is Salesforce")
    clock.at += DAY
    keep.add_memory(ws, "Our budget is 20 million euros")
    assert len(texts(ws)) == 2


def test_what_is_forgotten_does_not_come_up_and_can_be_restored(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "The pilot begins in June")
    keep.forget_memory(ws, memory.id)
    gone = search_memories(ws, "pilot June")
    keep.restore_memory(ws, memory.id)
    assert (gone, [hit.memory.id for hit in search_memories(ws, "pilot June")]) == ([], [memory.id])


def test_a_superseded_fact_is_not_restored_beside_its_successor(ws: Workspace, clock: Hands) -> None:
    old, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    clock.at += DAY
    keep.add_memory(ws, "Our CRM is HubSpot")
    with pytest.raises(ConflictError, match="HubSpot"):
        keep.restore_memory(ws, old.id)


def test_an_edit_keeps_the_earlier_wording_in_the_history(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "The pilot begins in June")
    keep.edit_memory(ws, memory.id, {"text": "The pilot begins in July"})
    history = call_tool(ws, "memory_history", {"id": memory.id})
    assert [(entry["version"], entry["text"]) for entry in history] == [(1, "The pilot begins in June"), (2, "The pilot begins in July")]


def test_an_edited_fact_says_the_new_value(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    edited, _ = keep.edit_memory(ws, memory.id, {"text": "Our CRM is HubSpot", "value": "Salesforce"})
    assert (edited.subject, edited.attribute, edited.value) == ("company", "crm", "HubSpot")


def test_a_moment_shows_what_was_believed_then_word_for_word(ws: Workspace, clock: Hands) -> None:
    memory, _ = keep.add_memory(ws, "The pilot begins in June")
    clock.at += DAY
    keep.edit_memory(ws, memory.id, {"text": "The pilot begins in July"})
    clock.at += DAY
    keep.forget_memory(ws, memory.id)
    moments = [START - DAY, START, START + DAY, START + 2 * DAY]
    assert [texts(ws, at) for at in moments] == [[], ["The pilot begins in June"], ["The pilot begins in July"], []]


def test_another_users_memory_is_not_found(ws: Workspace) -> None:
    memory, changeset_id = keep.add_memory(ws, "My salary is 100")
    other = other_user(ws)
    with pytest.raises(NotFoundError):
        keep.pin_memory(other, memory.id, True)
    with pytest.raises(NotFoundError):
        changesets.undo(other, changeset_id)
    assert texts(other) == []


# Changesets


def test_undo_brings_back_what_was_before(ws: Workspace, clock: Hands) -> None:
    keep.add_memory(ws, "Our CRM is Salesforce")
    clock.at += DAY
    _, changeset_id = keep.add_memory(ws, "Our CRM is HubSpot")
    changesets.undo(ws, changeset_id)
    assert [(m.text, m.status) for m in everything(ws)] == [("Our CRM is Salesforce", "current")]


def test_undoing_an_undo_does_it_again(ws: Workspace, clock: Hands) -> None:
    keep.add_memory(ws, "Our CRM is Salesforce")
    clock.at += DAY
    _, changeset_id = keep.add_memory(ws, "Our CRM is HubSpot")
    before = everything(ws)
    changesets.undo(ws, changesets.undo(ws, changeset_id))
    assert everything(ws) == before


def test_a_change_is_undone_once(ws: Workspace) -> None:
    _, changeset_id = keep.add_memory(ws, "Our CRM is Salesforce")
    changesets.undo(ws, changeset_id)
    with pytest.raises(ConflictError, match="undone already"):
        changesets.undo(ws, changeset_id)


def test_undo_never_undoes_a_later_change(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    _, pinned = keep.pin_memory(ws, memory.id, True)
    _, edited = keep.edit_memory(ws, memory.id, {"text": "Our CRM is HubSpot"})
    with pytest.raises(ConflictError) as refused:
        changesets.undo(ws, pinned)
    assert refused.value.facts["changeset_id"] == edited


def test_a_later_change_that_was_undone_is_no_hindrance(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    _, pinned = keep.pin_memory(ws, memory.id, True)
    _, edited = keep.edit_memory(ws, memory.id, {"text": "Our CRM is HubSpot"})
    changesets.undo(ws, edited)
    changesets.undo(ws, pinned)
    assert [(m.text, m.pinned) for m in everything(ws)] == [("Our CRM is Salesforce", False)]


def test_a_change_is_not_done_again_over_an_earlier_one_that_was_undone_since(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    _, pinned = keep.pin_memory(ws, memory.id, True)
    _, edited = keep.edit_memory(ws, memory.id, {"text": "Our CRM is HubSpot"})
    undone = changesets.undo(ws, edited)
    changesets.undo(ws, pinned)
    with pytest.raises(ConflictError):
        changesets.undo(ws, undone)


def test_reading_a_memory_does_not_stand_in_the_way_of_an_undo(ws: Workspace, clock: Hands) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    _, pinned = keep.pin_memory(ws, memory.id, True)
    clock.at += DAY
    deliver(ws, [memory.id])
    changesets.undo(ws, pinned)
    assert [(m.pinned, m.access_count, m.last_access_at) for m in everything(ws)] == [(False, 1, clock.at)]


def test_undoing_a_document_adds_a_version(ws: Workspace) -> None:
    change = profiles.write_memory(ws, "user_profile", "Name: Ana\n")
    changesets.undo(ws, change.changeset_id)
    history = profiles.profile_history(ws, "user_profile")
    assert [v.content for v in history] == [documents.DEFAULTS["user_profile"], "Name: Ana\n", documents.DEFAULTS["user_profile"]]


def test_another_users_document_of_the_same_name_does_not_hinder(ws: Workspace) -> None:
    change = profiles.write_memory(ws, "user_profile", "Name: Ana\n")
    profiles.write_memory(other_user(ws), "user_profile", "Name: Bo\n")
    changesets.undo(ws, change.changeset_id)
    assert profiles.get_memory(ws, "user_profile") == documents.DEFAULTS["user_profile"]


def test_settings_are_changed_and_undone_as_a_change(ws: Workspace) -> None:
    call_tool(ws, "set_user_settings", {"goals": ["grow in Asia"]})
    newest = call_tool(ws, "changeset_list", {})[0]
    call_tool(ws, "changeset_undo", {"id": newest["id"]})
    assert call_tool(ws, "get_user_settings", {})["goals"] == []


# Search


def test_the_score_is_recomputed_from_stored_values(ws: Workspace, clock: Hands) -> None:
    memory, _ = keep.add_memory(ws, "The pilot begins in June")
    clock.at += 45 * DAY
    receipt = search_memories(ws, "when does the pilot begin")[0].receipt
    with ws.records.read() as tx:
        stored = tx.memories.get(memory.id)
    recency = score.recency(stored, clock.at, score.HALF_LIFE_DAYS)["value"]
    relevance = receipt["parts"]["relevance"]
    again = sum(share * relevance[part] for part, share in relevance["shares"].items())
    assert receipt["score"] == score.recompute(
        {"weights": receipt["weights"], "recency": recency, "importance": stored.importance, "relevance": round(again, 6)}
    )


def test_searching_is_no_access_and_gives_the_same_twice(ws: Workspace) -> None:
    keep.add_memory(ws, "The pilot begins in June")
    first, second = search_memories(ws, "pilot"), search_memories(ws, "pilot")
    assert (first, [m.access_count for m in everything(ws)]) == (second, [0])


def test_what_was_delivered_counts_once_and_is_recent_again(ws: Workspace, clock: Hands) -> None:
    memory, _ = keep.add_memory(ws, "The pilot begins in June")
    clock.at += 30 * DAY
    deliver(ws, [memory.id, memory.id, "mem_unknown"])
    hit = search_memories(ws, "pilot")[0]
    assert (hit.memory.access_count, hit.receipt["recency"]) == (1, 1.0)


def test_the_closest_memory_comes_first(ws: Workspace) -> None:
    for text in ("The office is in Lisbon", "The pilot begins in June", "Lunch is served at noon"):
        keep.add_memory(ws, text)
    assert search_memories(ws, "when does the pilot begin", 1)[0].memory.text == "The pilot begins in June"


def test_nothing_close_comes_up_unasked(ws: Workspace) -> None:
    keep.add_memory(ws, "The pilot begins in June")
    assert ambient_memories(ws, "zebra giraffe elephant") == []


def test_at_most_n_memories_come_up_unasked(ws: Workspace) -> None:
    for city in ("Lisbon", "Porto", "Faro", "Braga"):
        keep.add_memory(ws, f"The pilot in {city} went well")
    assert len(ambient_memories(ws, "the pilot went well", 3)) == 3


def test_an_unknown_situation_is_refused(ws: Workspace) -> None:
    with pytest.raises(InputError, match="'dream'"):
        search_memories(ws, "pilot", situation="dream")


# Consolidation


def talk(ws: Workspace) -> None:
    say(ws, 1, "Hi there!")
    say(ws, 2, "My name is Ana. We sell scheduling software to clinics.")
    say(ws, 3, "Remember that our launch deadline is 3 June 2026! Please always use short bullet lists.")
    say(ws, 4, "Our mascot is a walrus named Otto.", "message_received")
    say(ws, 5, "What is 2+2?")


def test_consolidation_makes_episodes_facts_and_a_summary_as_one_change(ws: Workspace) -> None:
    talk(ws)
    found = consolidate(ws, trigger="test")
    kinds = {item["kind"] for item in changesets.changeset_detail(ws, found["changeset_id"])["items"]}
    assert (found["processed"], found["episodes"], found["facts"], kinds) == (5, 1, 4, {"memory", "profile", "summary"})


def test_consolidating_twice_does_nothing_new(ws: Workspace) -> None:
    talk(ws)
    consolidate(ws, trigger="test")
    before = everything(ws)
    again = consolidate(ws, trigger="test")
    assert (again["processed"], again["changeset_id"], everything(ws)) == (0, "", before)


def test_a_preview_changes_nothing(ws: Workspace) -> None:
    talk(ws)
    shown = consolidate(ws, trigger="test", preview=True)
    with ws.records.read() as tx:
        cursor = tx.projects.value(cursor_name(ws))
    assert (len(shown["items"]) > 0, everything(ws), cursor) == (True, [], None)


def test_trivial_events_leave_nothing_and_are_not_read_again(ws: Workspace) -> None:
    say(ws, 1, "Hi there!")
    say(ws, 2, "Thanks!")
    found = consolidate(ws, trigger="test")
    assert (found["processed"], found["changeset_id"], everything(ws), consolidate(ws, trigger="test")["processed"]) == (2, "", [], 0)


def test_what_beacon_answered_is_never_remembered_as_said(ws: Workspace) -> None:
    talk(ws)
    consolidate(ws, trigger="test")
    assert not [m for m in everything(ws) if "walrus" in m.text]


def test_every_memory_of_a_consolidation_cites_exact_words(ws: Workspace) -> None:
    talk(ws)
    consolidate(ws, trigger="test")
    with ws.records.read() as tx:
        cited = [(tx.events.get(c["event_id"]).text[c["start"] : c["end"]], c["quote"]) for m in believed(ws, tx) for c in m.citations]
    assert cited and all(slice_ == quote for slice_, quote in cited)


def test_an_inexact_quote_stops_the_whole_consolidation(ws: Workspace) -> None:
    say(ws, 1, "Our CRM is Salesforce.")
    found = consolidate(ws, trigger="test", preview=True)
    items: list[changesets.Item] = [(i["kind"], i["ref"], i["before"], i["after"]) for i in found["items"]]
    memory = next(after for kind, _, _, after in items if kind == "memory" and after)
    memory["citations"][0]["quote"] = "Our CRM was Salesforce."
    with ws.records.read() as tx, pytest.raises(EvidenceError):
        check_conservation(ws, tx, items)


def test_a_memory_that_would_get_lost_stops_the_whole_consolidation(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce")
    before = changesets.memory_item(memory, memory)[2]
    with ws.records.read() as tx, pytest.raises(EvidenceError, match="would lose"):
        check_conservation(ws, tx, [("memory", memory.id, before, None)])


def test_a_later_statement_supersedes_and_is_news(ws: Workspace, clock: Hands) -> None:
    talk(ws)
    consolidate(ws, trigger="test")
    clock.at += DAY
    say(ws, 6, "Our launch deadline is 20 June 2026 now.")
    consolidate(ws, trigger="test")
    found = {m.value: m.status for m in everything(ws) if m.attribute == "launch deadline"}
    assert found == {"3 June 2026": "superseded", "20 June 2026": "current"}


def test_undoing_a_consolidation_takes_it_all_back(ws: Workspace) -> None:
    talk(ws)
    documents = profiles.load_all_memory(ws)
    found = consolidate(ws, trigger="test")
    changesets.undo(ws, found["changeset_id"])
    with ws.records.read() as tx:
        summaries = tx.chats.summaries(ws.project_id)
    assert (everything(ws), profiles.load_all_memory(ws), summaries) == ([], documents, [])


def test_what_someone_forgot_is_not_learned_again(ws: Workspace) -> None:
    memory, _ = keep.add_memory(ws, "Our CRM is Salesforce.")
    keep.forget_memory(ws, memory.id)
    say(ws, 1, "Our CRM is Salesforce.")
    consolidate(ws, trigger="test")
    assert [m.status for m in everything(ws) if m.tier == "semantic"] == ["archived"]


def test_a_day_summary_cites_every_sentence(ws: Workspace) -> None:
    talk(ws)
    consolidate(ws, trigger="test")
    with ws.records.read() as tx:
        (summary,) = tx.chats.summaries(ws.project_id, segment=ws.user_id, kind="period")
    assert summary.period == "2026-05-01" and all(f"{c['quote']} [{c['n']}]" in summary.text for c in summary.citations)


def test_preferences_and_facts_of_oneself_go_into_the_documents(ws: Workspace) -> None:
    talk(ws)
    consolidate(ws, trigger="test")
    found = profiles.load_all_memory(ws)
    assert "My name is Ana." in found["user_profile"] and "short bullet lists" in found["user_preferences"]


def test_other_peoples_words_are_remembered_as_theirs(ws: Workspace) -> None:
    turn: dict[str, Any] = {"people": ["Jon"], "channel": "talks", "payload": {"conversation": "talks", "speaker": "Jon"}}
    say(ws, 1, "My job is teaching dance in Paris.", "turn_said", **turn)
    consolidate(ws, trigger="test")
    (fact,) = [m for m in everything(ws) if m.tier == "semantic"]
    assert (fact.text, fact.people, profiles.get_memory(ws, "user_profile")) == (
        "Jon: My job is teaching dance in Paris.",
        ["Jon"],
        documents.DEFAULTS["user_profile"],
    )


def test_other_languages_are_kept_whole(ws: Workspace) -> None:
    say(ws, 1, "来月からパリで新しい仕事を始めます。とても楽しみにしています。")
    consolidate(ws, trigger="test")
    assert [m.citations[0]["quote"] for m in everything(ws) if m.tier == "episodic"] == [
        "来月からパリで新しい仕事を始めます。とても楽しみにしています。"
    ]


def test_a_request_to_remember_makes_consolidation_due_at_once(ws: Workspace) -> None:
    say(ws, 1, "The weather is nice over the harbour today.")
    waiting = due(ws)
    say(ws, 2, "Remember that the launch is on 3 June.")
    assert (waiting, due(ws)) == ("", "remember")


# What runs leave behind


def publish(ws: Workspace, number: int, text: str, at: datetime, quote: str = "") -> str:
    """A version of a source of its own, and the end of a run of the topic Prices whose key fact is the quote (the whole text)."""
    source_id = make_id("src", ws.project_id, number)
    version = Version(make_id("ver", source_id), source_id, 1, digest(text), text, f"Page {number}", "text/plain", at, version_date=at)
    topic = Topic(make_id("top", ws.project_id), ws.project_id, "prices", "Prices", START, START)
    quote = quote or text
    fact = {"quote": quote, "version_id": version.id, "start": 0, "end": len(quote)}
    payload = {"run_id": f"run_{number}", "topic_id": topic.id, "key_facts": [{"text": quote, "citation": fact}]}
    with ws.records.write() as tx:
        if tx.topics.find(ws.project_id, "prices") is None:
            tx.topics.add(topic)
        tx.sources.put_sources([Source(source_id, ws.project_id, str(number), "", f"Page {number}", at)])
        tx.sources.add_versions([version])
        event_id = make_id("evt", ws.project_id, "run", number)
        tx.events.append(Event(event_id, ws.project_id, "run_finished", at, at, f"Run #{number} is done.", payload, "", "run"))
    return topic.id


def test_a_runs_key_facts_are_remembered_with_their_evidence_and_date(ws: Workspace) -> None:
    topic_id = publish(ws, 1, "The price of the plan is 20 euros.", START - DAY)
    consolidate(ws, trigger="test")
    (fact,) = [m for m in everything(ws) if m.tier == "semantic"]
    assert (fact.topic_id, fact.scope, fact.valid_from, fact.subject, fact.attribute) == (topic_id, "project", START - DAY, "plan", "price")


def test_a_key_fact_that_is_no_exact_quote_is_left_out(ws: Workspace) -> None:
    publish(ws, 1, "The price of the plan is 20 euros.", START, quote="The price of the plan was 20")
    consolidate(ws, trigger="test")
    assert not [m for m in everything(ws) if m.tier == "semantic"]


def test_evidence_of_another_project_is_left_out(ws: Workspace, records: Records, tmp_path: Path, clock: Hands) -> None:
    other = open_workspace(records, tmp_path, clock, ws.user_id, f"{ws.project_id}-other")
    publish(other, 1, "The price of the plan is 20 euros.", START)
    topic_id = publish(ws, 2, "The plan has a name.", START)
    version_id = make_id("ver", make_id("src", other.project_id, 1))
    fact = {"quote": "The price", "version_id": version_id, "start": 0, "end": 9}
    say(ws, 3, "Run #3 is done.", "run_finished", channel="run", payload={"run_id": "r3", "topic_id": topic_id, "key_facts": [fact]})
    consolidate(ws, trigger="test")
    assert [m.text for m in everything(ws) if m.tier == "semantic"] == ["The plan has a name."]


def test_a_newer_source_supersedes_by_its_date_not_by_arrival(ws: Workspace) -> None:
    publish(ws, 1, "The price of the plan is 25 euros.", START)
    publish(ws, 2, "The price of the plan is 20 euros.", START - DAY)
    consolidate(ws, trigger="test")
    found = {m.text: m.status for m in everything(ws) if m.tier == "semantic"}
    assert found == {"The price of the plan is 25 euros.": "current", "The price of the plan is 20 euros.": "superseded"}


def test_sources_of_one_day_that_disagree_are_a_contradiction(ws: Workspace) -> None:
    publish(ws, 1, "The price of the plan is 25 euros.", START)
    publish(ws, 2, "The price of the plan is 20 euros.", START)
    consolidate(ws, trigger="test")
    first, second = (m for m in everything(ws) if m.tier == "semantic")
    assert (first.status, second.status) == ("current", "current")
    assert (first.metadata["contradicts"], second.metadata["contradicts"]) == ([second.id], [first.id])


def test_a_skill_gains_a_version_with_every_run(ws: Workspace) -> None:
    topic_id = publish(ws, 1, "The price of the plan is 25 euros.", START)
    consolidate(ws, trigger="test")
    publish(ws, 2, "The plan has ten seats.", START)
    consolidate(ws, trigger="test")
    (skill,) = [m for m in everything(ws) if m.tier == "procedural"]
    assert (skill.version, topic_skills(ws, topic_id)) == (2, ["For “Prices”, what paid off — sources: Page 1 (1), Page 2 (1)."])


def test_undoing_brings_back_the_skills_earlier_version(ws: Workspace) -> None:
    publish(ws, 1, "The price of the plan is 25 euros.", START)
    consolidate(ws, trigger="test")
    before = everything(ws)
    publish(ws, 2, "The plan has ten seats.", START)
    changesets.undo(ws, consolidate(ws, trigger="test")["changeset_id"])
    assert everything(ws) == before


def test_another_user_does_not_learn_the_same_run_twice(ws: Workspace) -> None:
    publish(ws, 1, "The price of the plan is 25 euros.", START)
    consolidate(ws, trigger="test")
    before = everything(ws)
    consolidate(other_user(ws), trigger="test")
    assert everything(ws) == before


def test_evidence_that_was_erased_since_does_not_stop_later_consolidations(ws: Workspace) -> None:
    publish(ws, 1, "The price of the plan is 25 euros.", START)
    consolidate(ws, trigger="test")
    publish(ws, 2, "The plan has ten seats.", START)
    items: list[changesets.Item] = [
        (i["kind"], i["ref"], i["before"], i["after"]) for i in consolidate(ws, trigger="test", preview=True)["items"]
    ]
    (old,) = [before for kind, _, before, _ in items if kind == "memory" and before]
    old["citations"][-1]["event_id"] = "evt_erased"
    with ws.records.write() as tx:
        tx.memories.put_memory(memory_from_json(old))
    assert consolidate(ws, trigger="test")["skills"] == 1


# The tools' forms


def test_a_memory_is_printed_with_every_field_and_iso_times(ws: Workspace) -> None:
    shown = call_tool(ws, "memory_add", {"text": "The pilot begins in June", "check_by": "2026-06-01"})
    assert {f.name for f in fields(Memory)} <= set(shown)
    assert (shown["recorded_at"], shown["check_by"]) == (START.isoformat(), "2026-06-01T00:00:00+00:00")


def test_the_tools_can_be_printed_as_json(ws: Workspace) -> None:
    talk(ws)
    made = call_tool(ws, "consolidate", {})
    calls: list[tuple[str, dict[str, Any]]] = [
        ("load_all_memory", {}),
        ("profile_history", {"namespace": "user_profile"}),
        ("profile_diff", {"namespace": "user_profile", "v1": 1, "v2": 2}),
        ("memory_list", {"status": "all", "as_of": "2026-05-02"}),
        ("memory_search", {"query": "launch deadline"}),
        ("memory_ambient", {"text": "launch"}),
        ("changeset_list", {}),
        ("changeset_show", {"id": made["changeset_id"]}),
        ("consolidate", {"preview": True}),
        ("get_user_settings", {}),
    ]
    assert all(json.dumps(call_tool(ws, name, arguments)) for name, arguments in calls)


def test_an_unknown_argument_is_refused(ws: Workspace) -> None:
    with pytest.raises(InputError, match="'colour'"):
        call_tool(ws, "memory_add", {"text": "x", "colour": "red"})


def test_the_same_history_on_a_second_store_gives_the_same_memories(tmp_path: Path) -> None:
    def once(folder: Path) -> list[Any]:
        store = Records(f"sqlite:///{folder}.sqlite")
        store.migrate()
        made = open_workspace(store, tmp_path, Hands(), "me", "default")
        talk(made)
        consolidate(made, trigger="test")
        found = [hit.as_json() for hit in search_memories(made, "launch deadline")]
        store.close()
        return found

    assert once(tmp_path / "first") == once(tmp_path / "second")
