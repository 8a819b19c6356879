"""The memory page: read, corrected, undone, searched, seen as it was."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from beacon.bootstrap import Beacon, open_beacon
from beacon.settings import Settings
from beacon.ui.memory_list import fits
from beacon.ui.memory_profile import calm_markdown
from beacon.ui.merging import add_line, merge, replace_line, split_line
from beacon.ui.session import open_for
from tests.app.data_folders import HOSTILE, opened_page, words

DAY = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


@pytest.fixture
def desk() -> Iterator[Beacon]:
    """A data folder with three memories, told on three days."""
    now = [DAY]
    beacon = open_beacon(home=os.environ["BEACON_HOME"], clock=lambda: now[0])
    for text, tier in (
        ("The crane lifts 40 tonnes", "semantic"),
        ("We met in Bremen", "episodic"),
        ("Read the minutes first", "procedural"),
    ):
        beacon.call("memory_add", text=text, tier=tier)
        now[0] += timedelta(days=1)
    yield beacon
    beacon.close()


def _now(app: AppTest) -> Beacon:
    return open_for(Settings.load())


def _texts(status: str = "current") -> list[str]:
    return [row["text"] for row in open_for(Settings.load()).call("memory_list", status=status)]


def test_an_empty_page_says_what_belongs_there() -> None:
    with opened_page("memory") as app:
        assert "Nothing is remembered yet" in words(app)
        assert app.button(key="memory_first")


def test_the_newest_memory_is_open_with_its_evidence(desk: Beacon) -> None:
    with opened_page("memory") as app:
        shown = words(app)
    assert "Read the minutes first" in shown and "What you said" in shown


def test_the_filter_keeps_what_holds_all_words(desk: Beacon) -> None:
    with opened_page("memory") as app:
        app.text_input(key="memory_text").set_value("TONNES crane").run()
        assert list(app.dataframe[0].value["text"]) == ["The crane lifts 40 tonnes"]


def test_a_tier_can_be_asked_for(desk: Beacon) -> None:
    with opened_page("memory") as app:
        app.button_group(key="memory_tier").set_value("episodic").run()
        assert list(app.dataframe[0].value["text"]) == ["We met in Bremen"]


def test_forgetting_is_undone_from_where_it_happened(desk: Beacon) -> None:
    with opened_page("memory") as app:
        app.button(key="memory_forget").click().run()
        assert "Read the minutes first" not in _texts()
        app.button(key="memory_undo").click().run()
        assert "Read the minutes first" in _texts()


def test_a_pinned_memory_says_that_it_never_fades(desk: Beacon) -> None:
    with opened_page("memory") as app:
        app.button(key="memory_pin").click().run()
        assert "never fades: pinned" in words(app)


def test_a_past_day_shows_what_was_believed_then(desk: Beacon) -> None:
    with opened_page("memory") as app:
        app.toggle(key="memory_back").set_value(True).run()
        app.slider(key="memory_as_of").set_value((DAY + timedelta(days=1)).date()).run()
        assert list(app.dataframe[0].value["text"]) == ["We met in Bremen", "The crane lifts 40 tonnes"]
        assert "As it stood on that day" in words(app)


def test_a_memory_cannot_smuggle_markup_in(desk: Beacon) -> None:
    desk.call("memory_add", text=HOSTILE)
    with opened_page("memory") as app:
        assert not any("<img" in str(m.value).replace("\\<", "") or "](http" in str(m.value) for m in app.markdown)


def test_search_opens_its_score_into_parts(desk: Beacon) -> None:
    with opened_page("memory", memory_tab="Search") as app:
        app.text_input(key="recall_query").set_value("how much does the crane lift").run()
        shown = words(app)
    assert "The crane lifts 40 tonnes" in shown and "relevance" in shown and "= **" in shown


def test_a_preview_of_consolidation_changes_nothing(desk: Beacon) -> None:
    before = _texts("all")
    with opened_page("memory", memory_tab="Consolidate") as app:
        app.button(key="consolidate_preview").click().run()
        assert not app.exception
        assert _texts("all") == before


def test_consolidation_can_be_run_and_undone() -> None:
    with opened_page("memory", memory_tab="Consolidate") as app:
        _now(app).call("log_event", type="message_sent", text="Remember this: the audit is on Friday.", channel="chat")
        app.button(key="consolidate_run").click().run()
        assert any("audit" in text for text in _texts())
        app.button(key="memory_undo").click().run()
        assert not any("audit" in text for text in _texts())


# Documents


def _content(app: AppTest) -> str:
    return str(_now(app).call("get_memory", namespace="user_profile"))


def _profile(**query: str) -> Any:
    return opened_page("memory", memory_tab="Profile", **query)


def _write(app: AppTest, content: str) -> None:
    _now(app).call("write_memory", namespace="user_profile", content=content)


def _button(app: AppTest, label: str) -> Any:
    return next(button for button in app.button if button.label == label)


def _rewrite(app: AppTest, words: str) -> Any:
    """The chosen statement with other words, not saved yet."""
    return next(area for area in app.text_area if area.label == "Statement").set_value(words)


def test_a_statement_is_added_to_a_document() -> None:
    with _profile() as app:
        app.text_input(key="profile_new").set_value("I work from Oslo")
        _button(app, "Add").click().run()
        assert _content(app).endswith("\n- I work from Oslo\n")


def test_a_statement_is_edited_in_place() -> None:
    with _profile() as app:
        _write(app, "- I work from Oslo\n- I read on Mondays\n")
        _rewrite(app.run(), "I work from Lund")
        _button(app, "Save").click().run()
        assert _content(app) == "- I work from Lund\n- I read on Mondays\n"


def test_a_removed_statement_comes_back_with_undo() -> None:
    with _profile() as app:
        _write(app, "- one\n- two\n")
        _button(app.run(), "Remove").click().run()
        assert _content(app) == "- two\n"
        app.button(key="memory_undo").click().run()
        assert _content(app) == "- one\n- two\n"


def test_a_statement_tells_who_brought_it_why_and_from_which_message() -> None:
    with _profile() as app:
        _now(app).call("ask", question="My name is Dana and I lead pricing.")
        shown = words(app.run())
        assert "Said in chat" in shown and "Why: The user spoke of themselves" in shown and "What you said" in shown


@pytest.mark.parametrize(
    ("way", "left"),
    [
        ("conflict_both", "- one, as I say\n- two\n- three\n"),
        ("conflict_mine", "- one, as I say\n- two\n"),
        ("conflict_theirs", "- one\n- two\n- three\n"),
    ],
)
def test_the_second_of_two_edits_is_shown_the_difference_and_chooses(way: str, left: str) -> None:
    with _profile() as app:
        _write(app, "- one\n- two\n")
        _rewrite(app.run(), "one, as I say")
        _write(app, "- one\n- two\n- three\n")
        _button(app, "Save").click().run()
        assert _content(app) == "- one\n- two\n- three\n" and "changed this document while you were editing" in words(app)
        app.button(key=way).click().run()
        assert _content(app) == left and "while you were editing" not in words(app)


def test_the_whole_text_is_saved_with_its_reason() -> None:
    with _profile() as app:
        app.button_group(key="profile_mode").set_value("Whole text").run()
        next(area for area in app.text_area if area.label.startswith("Text")).set_value("- mine")
        next(box for box in app.text_input if box.label.startswith("Why")).set_value("tidied").run()
        app.button(key="profile_save").click().run()
        newest = _now(app).call("profile_history", namespace="user_profile")[0]
        assert (newest["content"], newest["reason"]) == ("- mine", "tidied")


def test_a_text_that_is_being_written_outlives_a_newer_version() -> None:
    with _profile() as app:
        app.button_group(key="profile_mode").set_value("Whole text").run()
        next(area for area in app.text_area if area.label.startswith("Text")).set_value("- mine").run()
        _write(app, "- theirs\n")
        app.run()
        app.button(key="profile_save").click().run()
        assert _content(app) == "- theirs\n" and app.button(key="conflict_mine")


def test_an_old_version_is_put_back() -> None:
    with _profile() as app:
        for content in ("- one\n", "- two\n"):
            _write(app, content)
        app.button_group(key="profile_mode").set_value("History").run()
        app.button(key="profile_restore").click().run()
        assert _content(app) == "- one\n"


def test_beacons_own_directives_are_read_and_edited_like_the_rest() -> None:
    with _profile() as app:
        app.button_group(key="profile_document").set_value("directives").run()
        _rewrite(app, "Name: Pharos")
        _button(app, "Save").click().run()
        assert str(_now(app).call("get_memory", namespace="directives")).startswith("- Name: Pharos\n")


def test_what_others_wrote_into_a_statement_stays_text() -> None:
    with _profile() as app:
        _write(app, f"- {HOSTILE}\n")
        app.run()
        drawn = "".join(str(one.value) for one in app.markdown)
        assert "<img" not in drawn.replace("\\<img", "") and next(a for a in app.text_area if a.label == "Statement").value == HOSTILE


def test_what_would_be_in_mind_is_shown_by_part() -> None:
    with opened_page("memory", memory_tab="In mind") as app:
        app.text_input(key="context_text").set_value("What is the toll?").run()
        labels = " ".join(box.label for box in app.expander)
        assert "directives" in labels and "The task" in labels and "of 6,000 tokens" in words(app)


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ("a\nB\nc", "a\nb\nc\nd", "a\nB\nc\nd"),
        ("a\nc", "a\nb\nc\nd", "a\nc\nd"),
        ("a\nb\nc\nx", "0\na\nb\nc", "0\na\nb\nc\nx"),
        ("a\nB\nc", "a\nbb\nc", None),
    ],
)
def test_two_edits_are_brought_together_unless_they_touch_the_same_line(mine: str, theirs: str, both: str | None) -> None:
    assert merge("a\nb\nc", mine, theirs) == both


@pytest.mark.parametrize(
    ("line", "expected"), [("- a b", ("- ", "a b")), ("  * x", ("  * ", "x")), ("## Head", ("## ", "Head")), ("plain", ("", "plain"))]
)
def test_a_line_is_split_into_its_sign_and_its_words(line: str, expected: tuple[str, str]) -> None:
    assert split_line(line) == expected


def test_a_new_statement_follows_the_form_of_the_last() -> None:
    assert add_line("# Me\n* one\n", "two\nlines") == "# Me\n* one\n* two lines\n"


def test_replacing_a_line_keeps_its_bullet() -> None:
    assert replace_line("- a\n- b\n", 1, "c") == "- a\n- c\n"


def test_a_preview_holds_no_link_picture_or_directive() -> None:
    shown = calm_markdown("![x](http://e.example) :red[y] <b> $z$")
    assert "](" not in shown.replace("\\](", "") and "<b" not in shown.replace("\\<b", "")


def test_the_filter_finds_words_of_any_script() -> None:
    row = {
        "status": "current",
        "tier": "semantic",
        "topic_id": "",
        "text": "東京のチーム",
        "subject": "",
        "attribute": "",
        "value": "",
        "people": [],
    }
    assert fits(row, {"status": "current", "tier": None, "topic": None, "text": "東京"})
    assert not fits(row, {"status": "current", "tier": None, "topic": None, "text": "大阪"})


def test_ten_thousand_memories_are_paged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from beacon.ui import memory_list

    empty = dict.fromkeys(("topic_id", "subject", "attribute", "value"), "")
    one = {**empty, "status": "current", "tier": "semantic", "people": [], "pinned": False, "importance": 0.5}
    rows = [{**one, "id": f"m{n}", "text": f"fact {n}", "recorded_at": "2026-01-01T00:00:00+00:00"} for n in range(10_000)]
    monkeypatch.setattr(memory_list, "read_rows", lambda status, as_of: rows)
    monkeypatch.setattr(memory_list, "detail", lambda memory_id, past=None: None)
    with opened_page("memory") as app:
        assert len(app.dataframe[0].value) == memory_list.PER_PAGE
        assert "10,000 memories" in words(app)
