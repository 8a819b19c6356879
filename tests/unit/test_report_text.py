from dataclasses import replace

import pytest

from beacon.analyst.preferences import Preferences, read_preferences
from beacon.analyst.report import Evidence, ReportInput, ReportSource, SectionEvidence, write_report
from beacon.analyst.review import read_report, review_report, revise_report
from beacon.domain.change import Change, ChangeSide, SourceRef

TEXTS = {
    "v1": "The ferry costs $12. Three boats run each day. The pier is closed in winter.",
    "v2": "The ferry costs $15. Three boats run each day. A fourth boat is on order from Norway.",
    "w1": "Riders say the new boat is quiet. Ticket sales rose 8 percent in May. Many would like a later last crossing.",
}
BY_SOURCE = {"a": TEXTS["v1"] + "\n" + TEXTS["v2"], "b": TEXTS["w1"]}
SOURCES = (
    ReportSource("a", "Ferry notices", "https://ferry.example/notices", "2026-05-01"),
    ReportSource("b", "Rider survey", "https://riders.example/survey", "2026-05-20"),
    ReportSource("c", "Weather log", "", "2026-05-02"),
)


def ref(version: str, quote: str) -> SourceRef:
    start = TEXTS[version].index(quote)
    source = "b" if version == "w1" else "a"
    title = "Rider survey" if source == "b" else "Ferry notices"
    date = {"v1": "2026-04-01", "v2": "2026-05-01", "w1": "2026-05-20"}[version]
    return SourceRef(source, "", title, date, start, start + len(quote), version)


def side(version: str, quote: str) -> ChangeSide:
    return ChangeSide(quote, quote, ref(version, quote))


def evidence(version: str, quote: str) -> Evidence:
    place = ref(version, quote)
    return Evidence(quote, place.source_id, place.start, place.end, version, place.version_date)


PRICE = Change(
    "changed",
    side("v2", "The ferry costs $15."),
    side("v1", "The ferry costs $12."),
    "ferry",
    "price",
    "$12",
    "$15",
    0.7,
)
FOURTH = Change("new", side("v2", "A fourth boat is on order from Norway."), None, materiality=0.4)
PIER = Change("retracted", None, side("v1", "The pier is closed in winter."), materiality=0.5)
GIVEN = ReportInput(
    "Island ferries",
    2,
    "2026-05-21",
    sections=(
        SectionEvidence(
            "What riders say",
            "What do riders say?",
            (evidence("w1", "Riders say the new boat is quiet."), evidence("w1", "Many would like a later last crossing.")),
        ),
        SectionEvidence("Fuel", "What fuel is used?", missing="A source about fuel would help."),
    ),
    key_facts=(evidence("w1", "Ticket sales rose 8 percent in May."), evidence("v2", "Three boats run each day.")),
    changes=(FOURTH, PRICE, PIER),
    sources=SOURCES,
    since="2026-04-02",
    sources_checked=3,
)


def test_what_changed_is_told_before_the_sections_and_only_from_the_second_run() -> None:
    markdown = write_report(GIVEN).markdown
    assert markdown.index("## What Changed Since 2026-04-02") < markdown.index("## In brief") < markdown.index("## What riders say")
    assert "What Changed" not in write_report(replace(GIVEN, since="", run_number=1)).markdown


def test_the_run_is_numbered_and_dated() -> None:
    assert "Run #2 · 2026-05-21" in write_report(GIVEN).markdown


def test_a_change_shows_both_quotes_with_dates_and_citations() -> None:
    assert "“The ferry costs $12.” (2026-04-01) [1] → “The ferry costs $15.” (2026-05-01) [1]" in write_report(GIVEN).markdown


def test_kinds_are_ordered_by_their_weightiest_change() -> None:
    slight = tuple(replace(change, materiality=change.materiality * 0.4) for change in GIVEN.changes)
    markdown = write_report(replace(GIVEN, changes=slight)).markdown
    assert markdown.index("→ Changed") < markdown.index("✕ Retracted") < markdown.index("+ New")


def test_no_change_says_so_and_counts_the_sources() -> None:
    assert "Nothing changed since 2026-04-02: 3 sources were checked." in write_report(replace(GIVEN, changes=())).markdown


def test_smaller_changes_are_counted_not_listed() -> None:
    many = tuple(
        replace(
            FOURTH,
            new=ChangeSide(
                f"{word} boats came.", f"{word} boats came.", replace(ref("v2", "A fourth boat is on order from Norway."), start=0)
            ),
            materiality=0.1,
        )
        for word in "ten twenty thirty forty fifty sixty seventy eighty ninety red blue green black white".split()
    )
    assert "And 2 smaller changes." in write_report(replace(GIVEN, changes=many)).markdown


def test_a_change_told_by_two_sources_is_one_bullet_citing_both() -> None:
    other = replace(
        PRICE,
        new=replace(side("v2", "The ferry costs $15."), source=replace(ref("v2", "The ferry costs $15."), source_id="b")),
        materiality=0.6,
    )
    markdown = write_report(replace(GIVEN, changes=(PRICE, other))).markdown.partition("## What Changed")[2]
    assert markdown.count("$12 → $15") == 1 and "Also in [2]" in markdown


def test_every_claim_cites_and_every_quote_is_exact() -> None:
    report = write_report(GIVEN)
    assert all(sentence.citations for sentence in report.sentences)
    assert all(TEXTS[one.version_id][one.start : one.end] == one.quote for sentence in report.sentences for one in sentence.evidence)


def test_a_section_without_evidence_says_what_would_help() -> None:
    markdown = write_report(GIVEN).markdown
    assert "Insufficient evidence" in markdown and "A source about fuel would help." in markdown


def test_cited_and_merely_read_sources_are_told_apart() -> None:
    markdown = write_report(GIVEN).markdown
    assert (
        markdown.index("### Cited")
        < markdown.index("Rider survey](")
        < markdown.index("### Read, not cited")
        < markdown.index("- Weather log")
    )


def test_the_report_opens_with_the_most_material_changes_and_the_brief_tells_the_state() -> None:
    opening = write_report(GIVEN).markdown.partition("### Above all")[2].partition("###")[0]
    assert opening.index("“The ferry costs $12.”") < opening.index("“The pier is closed") and "A fourth boat" not in opening
    brief = write_report(GIVEN).markdown.partition("## In brief")[2].partition("##")[0]
    assert "“Ticket sales rose 8 percent" in brief and "ferry costs" not in brief


def test_what_opens_the_report_is_not_told_again_among_the_other_changes() -> None:
    changed = write_report(GIVEN).markdown.partition("## What Changed")[2].partition("## In brief")[0]
    assert changed.count("“The ferry costs $12.”") == 1


def test_a_section_answers_with_what_changed_too() -> None:
    answer = SectionEvidence("Price", "What does the ferry cost?", (evidence("v2", "The ferry costs $15."),))
    given = replace(GIVEN, sections=(answer,))
    report = write_report(given)
    assert "“The ferry costs $15.”" in report.markdown.partition("## Price")[2] and review_report(report, given, TEXTS) == []


def test_two_wordings_of_one_change_are_one_bullet() -> None:
    told = replace(PRICE, subject="", attribute="")
    again = replace(told, new=replace(side("v2", "The ferry costs $15."), source=replace(ref("v2", "The ferry costs $15."), source_id="b")))
    listed = write_report(replace(GIVEN, changes=(told, replace(again, materiality=0.6)))).markdown.partition("## What Changed")[2]
    assert listed.count("“The ferry costs $15.”") == 1 and "Also in [2]" in listed


def test_nothing_is_quoted_twice_outside_what_changed() -> None:
    quotes = [s.text for s in write_report(GIVEN).sentences if not s.part.startswith("What Changed")]
    assert len(quotes) == len(set(quotes))


@pytest.mark.parametrize(
    ("style", "mark"), [("numbered", "[1]"), ("footnotes", "[^1]"), ("inline", "([ferry.example](https://ferry.example/notices))")]
)
def test_the_citation_style_is_obeyed(style: str, mark: str) -> None:
    report = write_report(replace(GIVEN, preferences=Preferences(citation_style=style)))  # type: ignore[arg-type]
    assert mark in report.markdown and [f for f in review_report(report, GIVEN, TEXTS) if f.kind != "preference"] == []


def test_verbosity_changes_how_much_is_said() -> None:
    low = write_report(
        replace(
            GIVEN,
            sections=(
                replace(
                    GIVEN.sections[0],
                    evidence=tuple(
                        evidence("w1", q)
                        for q in (
                            "Riders say the new boat is quiet.",
                            "Many would like a later last crossing.",
                            "Ticket sales rose 8 percent in May.",
                        )
                    ),
                ),
            ),
            key_facts=(),
            preferences=Preferences("low"),
        )
    )
    assert sum(s.part == "What riders say" for s in low.sentences) == 2


def test_bullets_where_the_reader_wants_bullets() -> None:
    assert "- “Riders say the new boat is quiet.”" in write_report(replace(GIVEN, preferences=Preferences(layout="bullets"))).markdown


def test_preferences_are_read_from_their_document() -> None:
    text = (
        "Report format: Markdown. Verbosity: High - include full data tables.\n"
        "Preferred frameworks: Porter's Five Forces, SWOT.\nCitation style: Inline with source URL."
    )
    assert read_preferences(text) == Preferences("high", "inline", "prose", ("Porter's Five Forces", "SWOT"))


def test_defaults_nobody_asked_for_bring_no_frameworks() -> None:
    text = (
        "User preferences not yet established.\nDefault settings:\n- Verbosity: Medium\n"
        "- Frameworks: SWOT\n- Citation style: Inline source references\n"
    )
    assert read_preferences(text) == Preferences()


def test_a_framework_asked_for_has_its_headings() -> None:
    assert "**Threats**" in write_report(replace(GIVEN, preferences=Preferences(frameworks=("SWOT",)))).markdown


def test_source_text_cannot_bring_markup() -> None:
    hostile = "Boats <script>alert(1)</script> and [x](javascript:alert(1)) run."
    one = Evidence(hostile, "a", 0, len(hostile), "h")
    markdown = write_report(replace(GIVEN, key_facts=(one,), changes=())).markdown
    assert "<script" not in markdown and "](javascript" not in markdown


def test_a_clean_report_has_no_findings() -> None:
    report = write_report(GIVEN)
    assert review_report(report, GIVEN, TEXTS) == []


def test_an_inexact_quote_is_found_and_revised_away() -> None:
    bad = replace(evidence("w1", "Riders say the new boat is quiet."), quote="Riders say the new boat is very quiet.")
    given = replace(
        GIVEN,
        sections=(
            SectionEvidence("What riders say", "What do riders say?", (bad, evidence("w1", "Many would like a later last crossing."))),
        ),
    )
    report = write_report(given)
    findings = review_report(report, given, TEXTS)
    assert [f.kind for f in findings] == ["inexact"]
    assert review_report(revise_report(report, given, findings), given, TEXTS) == []


def test_a_report_read_back_keeps_its_claims() -> None:
    report = write_report(GIVEN)
    again = read_report(report.markdown, report.sources)
    texts = TEXTS | BY_SOURCE
    assert len(again.sentences) == len(report.sentences) and review_report(again, replace(GIVEN, sections=()), texts) == []


def test_an_edited_report_is_held_to_the_same_rules() -> None:
    report = write_report(GIVEN)
    edited = report.markdown.replace("## Sources", "Ferries are the best way to travel anywhere. “The ferry is free.” [1]\n\n## Sources")
    kinds = [f.kind for f in review_report(read_report(edited, report.sources), replace(GIVEN, sections=()), TEXTS | BY_SOURCE)]
    assert kinds == ["uncited", "inexact"]


def test_the_same_input_gives_the_same_report() -> None:
    assert write_report(GIVEN) == write_report(replace(GIVEN, changes=GIVEN.changes[::-1]))


def test_the_fields_of_a_new_entry_are_one_bullet_with_its_title() -> None:
    fields = tuple(
        Change("new", side("v2", quote), None, attribute=name, new_value=quote, materiality=weight)
        for name, quote, weight in (("fare", "The ferry costs $15.", 0.5), ("fleet", "Three boats run each day.", 0.4))
    )
    listed = write_report(replace(GIVEN, changes=fields)).markdown.partition("## What Changed")[2].partition("## In brief")[0]
    assert "**Ferry notices:** “The ferry costs $15.”" in listed and "And 1 more field." in listed and "Three boats" not in listed


def test_a_source_that_was_withdrawn_is_named() -> None:
    place = replace(ref("v1", "The pier is closed in winter."), source_id="z", title="Winter leaflet")
    gone = replace(PIER, old=replace(side("v1", "The pier is closed in winter."), source=place))
    assert "1. Winter leaflet" in write_report(replace(GIVEN, changes=(gone,), sections=(), key_facts=())).markdown


def _many(kind: str, quote: str, materiality: float, source: str = "a") -> Change:
    place = ChangeSide(quote, quote, SourceRef(source, "", source, "2026-05-01", 0, len(quote), source + "1"))
    return (
        Change("retracted", None, place, materiality=materiality)
        if kind == "retracted"
        else Change("new", place, None, materiality=materiality)
    )


_BOATS = tuple(_many("new", f"Harbour {word} now has {n} moorings for {word} boats.", 0.6) for n, word in enumerate(
    ("alder birch cedar dogwood elm fir ginkgo hazel ivy juniper katsura larch maple nutmeg").split(), 11
))  # fmt: skip


def test_among_many_changes_what_went_as_its_page_was_mended_is_only_counted() -> None:
    gone = _many("retracted", "The old timetable hung beside the northern gate.", 0.65)
    assert "northern gate" not in write_report(replace(GIVEN, changes=(*_BOATS, gone))).markdown
    assert "northern gate" in write_report(replace(GIVEN, changes=(*_BOATS[:3], gone))).markdown


def test_among_many_changes_what_went_from_a_page_that_says_nothing_new_is_told() -> None:
    gone = _many("retracted", "The old timetable hung beside the northern gate.", 0.65, "c")
    assert "northern gate" in write_report(replace(GIVEN, changes=(*_BOATS, gone))).markdown


def test_a_key_fact_that_an_earlier_report_had_to_tell_is_left_out_where_there_is_news() -> None:
    old = replace(evidence("v1", "The ferry costs $12."), quote="Forty crossings in 1990 were free.", date="2026-03-01")
    assert "1990" not in write_report(replace(GIVEN, key_facts=(old,))).markdown.partition("## Key facts")[2]
    assert "1990" in write_report(replace(GIVEN, key_facts=(old,), changes=())).markdown


def test_background_without_a_figure_or_name_is_no_meaning() -> None:
    vague = replace(evidence("w1", "Riders say the new boat is quiet."), quote="Boats are quiet because their motors are well built.")
    telling = replace(vague, quote="Boats are quiet because Nordkap built 12 motors for them.")
    for quote, shown in ((vague, False), (telling, True)):
        brief = write_report(replace(GIVEN, key_facts=(quote,))).markdown.partition("## In brief")[2].partition("\n## ")[0]
        assert ("What it means" in brief) is shown


def test_a_told_change_answers_a_question_on_which_nothing_else_was_found() -> None:
    section = SectionEvidence("What does the ferry cost?", "What does the ferry cost?")
    answered = write_report(replace(GIVEN, sections=(section,))).markdown.partition("## What does the ferry cost?")[2].partition("\n## ")[0]
    assert "“The ferry costs $15.”" in answered and "$12" not in answered and "Nothing new" not in answered


def test_a_sentence_that_gives_a_fields_two_values_under_its_name_is_told_with_the_field() -> None:
    def placed(quote: str, source: str, day: str) -> ChangeSide:
        return ChangeSide(quote, quote, SourceRef(source, "", source, day, 0, len(quote), source + day))

    sides = [
        ("danger_scale: 0", "danger_scale: 3", "c"),
        ("Dune 7 is rated 0 on the danger scale.", "Dune 7 is rated 3 on the danger scale.", "d"),
    ]
    table, sentence = (
        Change("changed", placed(now, one, "2026-05-01"), placed(was, one, "2026-04-01"), subject, attribute, "3", "0", 0.7)
        for (now, was, one), subject, attribute in zip(sides, ("Dune 7 entry", "Dune 7"), ("danger_scale", ""), strict=True)
    )
    assert "rated 0" not in write_report(replace(GIVEN, changes=(table, sentence))).markdown.partition("## What riders say")[0]
    other = replace(sentence, old_value="5")
    assert "rated 0" in write_report(replace(GIVEN, changes=(table, other))).markdown.partition("## What riders say")[0]


def test_a_change_of_little_weight_beside_the_weightiest_is_only_counted_even_where_there_are_few() -> None:
    slight = _many("new", "The kiosk sells postcards on Tuesdays.", 0.1)
    markdown = write_report(replace(GIVEN, changes=(*GIVEN.changes, slight))).markdown
    assert "postcards" not in markdown and "And 1 smaller change." in markdown and "pier is closed" in markdown


def test_a_key_fact_that_has_a_name_and_no_figure_is_for_the_first_report() -> None:
    named = replace(
        evidence("w1", "Riders say the new boat is quiet."), quote="The boats were built for the county by Nordkap in their own yard."
    )
    assert "Nordkap" not in write_report(replace(GIVEN, key_facts=(named,))).markdown.partition("## Key facts")[2]
    assert "Nordkap" in write_report(replace(GIVEN, key_facts=(named,), since="", run_number=1)).markdown
