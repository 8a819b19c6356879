"""Rules of runs that need no store: states, schedules, drafts' paths, memory, and what a model may write."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from beacon.analyst.grounding import cited_sentences
from beacon.domain.run import Draft, Run, Schedule, validate_transition
from beacon.domain.topic import TopicMemory
from beacon.errors import InputError, RefusedError
from beacon.runs.drafts import draft_path, inside, run_folder_name
from beacon.runs.phases import MADE_BY, STEPS
from beacon.runs.phases.memory import first_paragraph
from beacon.runs.reports import WRITTEN
from beacon.runs.schedule import latest_due, next_at, parse_schedule
from beacon.runs.steps import StepName
from beacon.runs.topic_memory import build_memory_context, filter_seen_urls, merge_urls

AT = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)  # a Monday


def _draft(**values: object) -> Draft:
    fields = {"id": "d", "run_id": "r", "phase": "research", "part": "section_1", "n": 1, "content": "x", "at": AT, **values}
    return Draft(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("mon 08:00", "0 8 * * mon"), ("Monday 8:05", "5 8 * * mon"), ("daily 07:30", "30 7 * * *"), ("weekdays 9:00", "0 9 * * mon-fri"),
        ("mon,thu 18:15", "15 18 * * mon,thu"), ("hourly", "0 * * * *"), ("every 15 min", "*/15 * * * *"), ("every 6 hours", "0 */6 * * *"),
        ("0 8 * * 1", "0 8 * * 1"), ("daily", "0 8 * * *"),
    ],
)  # fmt: skip
def test_a_schedule_in_words_is_a_cron_line(text: str, cron: str) -> None:
    assert parse_schedule(text) == cron


@pytest.mark.parametrize("text", ["soon", "mon 25:00", "every 7 min", "every 0 min", "funday 08:00", "61 8 * * *", "0 0 30 2 *", "* * * *"])
def test_what_is_no_schedule_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InputError, match=r"write 'mon 08:00'|one of"):
        parse_schedule(text)


def test_day_one_of_a_cron_line_is_monday() -> None:
    assert next_at("0 8 * * 1", "UTC", AT) == datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    assert next_at("0 8 * * 0", "UTC", AT) == datetime(2026, 3, 8, 8, 0, tzinfo=UTC)
    assert next_at("0 8 * * 0-2", "UTC", AT) == datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def test_either_day_of_month_or_weekday_is_enough_when_a_cron_line_names_both() -> None:
    assert next_at("0 8 15 * mon", "UTC", datetime(2026, 3, 10, tzinfo=UTC)) == datetime(2026, 3, 15, 8, 0, tzinfo=UTC)


def test_a_daily_job_comes_once_on_the_night_the_clocks_are_set_back() -> None:
    first = next_at("30 2 * * *", "Europe/Berlin", datetime(2026, 10, 24, 12, tzinfo=UTC))
    second = next_at("30 2 * * *", "Europe/Berlin", first)
    assert (first, second) == (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 26, 1, 30, tzinfo=UTC))


def test_a_daily_job_comes_once_on_the_night_the_clocks_are_set_forward() -> None:
    first = next_at("30 2 * * *", "Europe/Berlin", datetime(2026, 3, 28, 12, tzinfo=UTC))
    second = next_at("30 2 * * *", "Europe/Berlin", first)
    assert first == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert second == datetime(2026, 3, 30, 0, 30, tzinfo=UTC)


def test_an_hourly_job_also_comes_in_the_repeated_hour() -> None:
    assert next_at("0 * * * *", "Europe/Berlin", datetime(2026, 10, 25, 0, 0, tzinfo=UTC)) == datetime(2026, 10, 25, 1, 0, tzinfo=UTC)


def test_what_was_missed_is_made_up_for_by_its_last_instant() -> None:
    schedule = Schedule("s", "p", "research", "t", "0 8 * * *", "UTC", next_at=datetime(2026, 2, 1, 8, tzinfo=UTC))
    due, following = latest_due(schedule, datetime(2026, 3, 2, 9, tzinfo=UTC))
    assert (due, following) == (datetime(2026, 3, 2, 8, tzinfo=UTC), datetime(2026, 3, 3, 8, tzinfo=UTC))


def test_an_unknown_time_zone_is_named() -> None:
    with pytest.raises(InputError, match="Mars/Olympus"):
        next_at("0 8 * * *", "Mars/Olympus", AT)


def test_every_step_belongs_to_a_phase_that_a_redo_can_start_from() -> None:
    made = {kind for kinds, _ in MADE_BY.values() for kind in kinds if not kind.startswith("gate:")}
    assert made == {*STEPS, WRITTEN}  # a section by a model is kept by itself, inside the step of writing


def test_a_step_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="no step 'dreaming'"):
        StepName.parse("dreaming")


def test_revision_and_reviewing_may_alternate() -> None:
    state = {"draft_report": "x", "review_result": {}}
    assert validate_transition("revision", "reviewing", state)  # type: ignore[arg-type]
    assert not validate_transition("publishing", "writing", state)  # type: ignore[arg-type]


def test_a_draft_stands_in_the_folder_of_its_phase() -> None:
    assert draft_path(_draft()) == "drafts/3_research/20260302T060000Z_section_1.md"
    assert draft_path(_draft(n=2)) == "drafts/3_research/20260302T060000Z_section_1_v2.md"


@pytest.mark.parametrize("part", ["../../../etc/passwd", "a/b", "..", "/etc", "x\0y", "ü" * 300])
def test_no_part_of_a_draft_leaves_its_folder(part: str, tmp_path: Path) -> None:
    path = inside(tmp_path, draft_path(_draft(part=part)))
    assert path.parent == tmp_path / "drafts" / "3_research"
    assert len(path.name.encode()) <= 255


def test_a_path_that_leaves_its_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        inside(tmp_path / "run", "../elsewhere.md")


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "out").symlink_to(tmp_path)
    with pytest.raises(RefusedError):
        inside(tmp_path / "run", "out/x.md")


def test_the_folder_of_a_long_slug_fits_a_file_system() -> None:
    assert len(run_folder_name(AT, "漢" * 80).encode()) <= 200


def test_an_unknown_phase_is_refused() -> None:
    with pytest.raises(InputError, match="no phase 'dreaming'"):
        draft_path(_draft(phase="dreaming"))


def test_seen_and_unchanged_urls_are_left_out() -> None:
    results = [{"url": "a", "status": "same"}, {"url": "b", "status": "changed"}, {"url": "c", "status": "new"}]
    assert [one["url"] for one in filter_seen_urls(results, ["a", "b"])] == ["b", "c"]


def test_merged_urls_keep_the_newest_five_hundred() -> None:
    merged = merge_urls([f"u{n}" for n in range(500)], ["u3", "new"])
    assert len(merged) == 500 and merged[-1] == "new" and "u0" not in merged and merged.count("u3") == 1


def test_the_memory_context_names_facts_summary_and_date() -> None:
    memory = TopicMemory("T", ["u"], [{"text": "Rates rose to 5%."}], AT, 3, "Rates rose.")
    context = build_memory_context(memory)
    assert "3 times" in context and "2026-03-02" in context and "Rates rose to 5%." in context
    assert build_memory_context(None) == ""


def test_the_first_paragraph_skips_headings_dateline_and_notes() -> None:
    assert (
        first_paragraph("# T\n\nRun #2 · 2026-03-02\n\n> Not read: x\n\n## In brief\n\n- **A:** “B 2 * 3.” [1] — *C*\n- “D.” [2]\n\nRest")
        == "A: “B 2 * 3.” — C “D.”"
    )


def test_a_sentence_without_a_given_number_is_dropped() -> None:
    text = "Rates rose [1]. Everyone knows this. Fees fell [7]. Both held [1][2]."
    assert cited_sentences(text, ["Rates rose.", "Fees held."]) == [("Rates rose.", [0]), ("Both held.", [0, 1])]


def test_a_sentence_with_an_invented_quote_is_dropped() -> None:
    text = 'He said "rates rose" [1]. He said "rates will never fall" [1].'
    assert [words for words, _ in cited_sentences(text, ["Now rates rose again."])] == ['He said "rates rose".']


def test_marks_behind_the_full_stop_belong_to_the_sentence_before() -> None:
    assert cited_sentences("Rates rose. [1]", ["Rates rose."]) == [("Rates rose.", [0])]


def test_a_run_has_no_number_until_it_is_done() -> None:
    assert Run(id="r", project_id="p", topic_id="t", started_at=AT, updated_at=AT).n == 0
