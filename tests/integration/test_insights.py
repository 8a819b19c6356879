"""From documents to themes, opportunities and decisions, and what a person makes of them."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon
from beacon.errors import ConflictError, EvidenceError, InputError, NotFoundError
from beacon.synthesis import orchestrator
from beacon.tools.transfer import safe_cell

HEADER = "id;What should we improve?;respondent;segment;date\n"
ARCHIVE = (
    "The archive search is slow",
    "Searching the archive takes too long",
    "Archive search is confusing",
    "I can't search the archive by name",
    "The archive search is slow and often fails",
)
EXPORT = (
    "Exporting invoices is difficult",
    "I can't export invoices as a table",
    "The export of invoices is broken",
    "Better export of invoices",
)
CALL = """**Host:** How do you like the archive search? Is it good?

**Ana:** I can't find old invoices because the archive search is slow.

**Host:** Should exporting invoices be cheaper?

**Ana:** The archive search is great and I love it.

**Host:** Would you change anything else?

**Ana:** Exporting invoices is painful on small screens.
"""


def survey(rows: tuple[str, ...], start: int = 1, segment: str = "shops", date: str = "2026-02-01") -> str:
    return HEADER + "".join(f'{n};"{text}";{n};{segment};{date}\n' for n, text in enumerate(rows, start))


@pytest.fixture
def beacon(tmp_path: Path) -> Iterator[Beacon]:
    opened = open_beacon(home=tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def read(beacon: Beacon, tmp_path: Path) -> Beacon:
    read_survey(beacon, tmp_path, "spring.csv", survey(ARCHIVE + EXPORT))
    (tmp_path / "call.md").write_text(CALL)
    beacon.call("ingest_paths", paths=[str(tmp_path / "call.md")], kind="interview_transcript", date="2026-03-01")
    return beacon


def read_survey(beacon: Beacon, folder: Path, name: str, text: str) -> None:
    (folder / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
    beacon.call("ingest_paths", paths=[str(folder / name)], kind="survey", mapping={"text": "What should we improve?"})


def named(found: list[dict[str, Any]], word: str) -> dict[str, Any]:
    return next(one for one in found if word in " ".join(one.get("about", [])) or word in one["title"].casefold())


def test_a_csv_with_bom_semicolons_and_quotes_gives_themes_with_their_people(read: Beacon) -> None:
    theme = named(read.call("synthesize")["themes"], "archive")
    assert {"1", "2", "3", "4", "5"} <= set(theme["participants"]) and "shops" in theme["segments"]


def test_every_quote_is_exact_and_verify_says_so(read: Beacon) -> None:
    read.call("synthesize")
    check = next(c for c in read.call("verify")["checks"] if c["name"].startswith("themes"))
    assert check["ok"] and check["checked"] > 10


def test_no_theme_quotes_the_interviewer(read: Beacon) -> None:
    quotes = [quote["quote"] for theme in read.call("synthesize")["themes"] for quote in (*theme["quotes"], *theme["contradicting"])]
    assert not [quote for quote in quotes if "cheaper" in quote or quote.endswith("?")]


def test_praise_of_what_a_theme_complains_of_stands_against_it(read: Beacon) -> None:
    theme = named(read.call("synthesize")["themes"], "archive")
    assert [quote["participant"] for quote in theme["contradicting"]] == ["Ana"]


def test_the_parts_of_a_score_sum_up_to_it(read: Beacon) -> None:
    for one in read.call("synthesize")["opportunities"]:
        assert sum(part["points"] for part in one["parts"]) == pytest.approx(one["score"], abs=1e-3)
        assert {"people", "breadth", "severity", "trend", "agreement"} == {part["name"] for part in one["parts"]}


def test_the_projects_state_becomes_a_part_of_the_score(read: Beacon) -> None:
    read.call("patch_project_state", patch={"strategy": "A fast archive with search"})
    found = read.call("synthesize")["opportunities"]
    fits = {one["title"]: next(p["value"] for p in one["parts"] if p["name"] == "fit") for one in found}
    assert fits[named(found, "archive")["title"]] == max(fits.values())


def test_the_same_evidence_gives_the_same_result(read: Beacon) -> None:
    first, second = read.call("synthesize"), read.call("synthesize")
    assert first["themes"] == second["themes"] and first["opportunities"] == second["opportunities"]


def test_a_name_given_by_a_person_survives_the_next_synthesis_with_new_evidence(read: Beacon, tmp_path: Path) -> None:
    theme = named(read.call("synthesize")["themes"], "archive")
    read.call("update_theme", theme_id=theme["id"], patch={"title": "Nobody finds anything"})
    read_survey(
        read,
        tmp_path,
        "autumn.csv",
        survey(("The archive search is slow again", "I can't search the archive at all"), 20, date="2026-09-01"),
    )
    again = next(one for one in read.call("synthesize")["themes"] if one["id"] == theme["id"])
    assert again["title"] == "Nobody finds anything" and again["people"] > theme["people"]


def test_a_dismissed_theme_stays_away_and_takes_its_opportunity_along(read: Beacon) -> None:
    theme = named(read.call("synthesize")["themes"], "archive")
    read.call("update_theme", theme_id=theme["id"], patch={"status": "dismissed"})
    again = read.call("synthesize")
    assert theme["id"] not in {one["id"] for one in again["themes"]}
    assert not [one for one in again["opportunities"] if theme["id"] in one["themes"]]
    assert theme["id"] in {one["id"] for one in read.call("theme_list", status="dismissed")}


def test_merged_themes_stay_one_with_the_quotes_of_both(read: Beacon) -> None:
    found = read.call("synthesize")["themes"]
    one, other = named(found, "archive"), named(found, "export")
    read.call("update_theme", theme_id=other["id"], patch={"merged_into": one["id"]})
    for themes in (read.call("theme_list"), read.call("synthesize")["themes"]):
        kept = next(theme for theme in themes if theme["id"] == one["id"])
        assert len(kept["quotes"]) >= len(one["quotes"]) + len(other["quotes"]) - 1
        assert other["id"] not in {theme["id"] for theme in themes}


def test_leaving_somebody_out_shifts_the_people_and_changes_nothing(read: Beacon) -> None:
    read.call("synthesize")
    before = read.call("theme_list")
    wave = next(row["wave"] for row in read.call("wave_list") if "call" in row["wave"] or "Call" in row["wave"])
    shift = read.call("synthesis_what_if", without=[wave])
    assert any(row["people"][1] == row["people"][0] - 1 for row in shift["themes"]) and read.call("theme_list") == before


def test_two_syntheses_are_compared(read: Beacon, tmp_path: Path) -> None:
    read.call("synthesize")
    read_survey(read, tmp_path, "autumn.csv", survey(("The archive search is slow today", "Searching the archive is still slow"), 20))
    read.call("synthesize")
    rows = read.call("synthesis_compare")["themes"]
    assert any(row["kind"] == "kept" and row["people"][1] == row["people"][0] + 2 for row in rows)


def test_an_empty_project_says_what_to_do(beacon: Beacon) -> None:
    with pytest.raises(InputError, match="nothing to synthesise yet"):
        beacon.call("synthesize")
    assert beacon.call("theme_list") == [] and "Nothing was synthesised" in beacon.call("export_opportunities_markdown")


def test_a_segment_nobody_is_in_is_named(read: Beacon) -> None:
    with pytest.raises(InputError, match="shops"):
        read.call("synthesize", segment="banks")


def test_two_at_once_are_refused(read: Beacon) -> None:
    read.call("create_synthesis")
    with pytest.raises(ConflictError, match="under way"):
        read.call("synthesize")


def test_a_synthesis_stopped_half_way_leaves_the_last_one_in_place(read: Beacon, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read.call("synthesize")["themes"]

    def fail(*_: object, **__: object) -> None:
        raise InputError("stopped here")

    monkeypatch.setattr(orchestrator, "write_opportunities", fail)
    with pytest.raises(InputError, match="stopped here"):
        read.call("synthesize")
    monkeypatch.undo()
    assert read.call("theme_list") == before and read.call("synthesis_list")[0]["status"] == "stopped"
    assert read.call("synthesize")["synthesis"]["n"] == 3


def test_one_left_by_a_process_that_is_gone_does_not_block_the_next(read: Beacon) -> None:
    key = read.call("create_synthesis")["synthesis_id"]
    with read.workspace.records.write() as tx:
        options = {**tx.insights.get_synthesis(read.workspace.project_id, key).options, "pid": 2**22 + 1}
        tx.insights.update_synthesis(key, options=options)
    assert read.call("synthesize")["synthesis"]["status"] == "done"


def chunk(beacon: Beacon) -> dict[str, Any]:
    return dict(beacon.call("theme_list")[0]["quotes"][0])


def test_themes_may_be_written_by_a_caller_and_events_say_so(read: Beacon) -> None:
    read.call("synthesize")
    quote = chunk(read)
    key = read.call("create_synthesis", trigger_type="model", model_used="some-model")["synthesis_id"]
    quotes = [{"chunk_id": quote["chunk_id"], "quote": quote["quote"]}]
    ids = read.call("write_themes", synthesis_id=key, themes=[{"title": "Search", "quotes": quotes}])
    opps = read.call("write_opportunities", synthesis_id=key, opportunities=[{"title": "Speed up", "theme_ids": ids}])
    assert read.call("opportunity_list")[0]["id"] == opps[0]
    assert read.call("event_list", type="synthesis_completed")[0]["payload"]["synthesis_id"] == key


def test_a_quote_altered_by_one_letter_is_refused(read: Beacon) -> None:
    read.call("synthesize")
    quote = chunk(read)
    key = read.call("create_synthesis")["synthesis_id"]
    altered = [{"chunk_id": quote["chunk_id"], "quote": quote["quote"][:-1] + "#"}]
    with pytest.raises(EvidenceError):
        read.call("write_themes", synthesis_id=key, themes=[{"title": "Search", "quotes": altered}])


def test_another_projects_ids_are_refused(read: Beacon, tmp_path: Path) -> None:
    theme = read.call("synthesize")["themes"][0]
    read.call("project_add", name="other")
    other = open_beacon(home=tmp_path / "home", project="other")
    try:
        with pytest.raises(NotFoundError):
            other.call("update_theme", theme_id=theme["id"], patch={"title": "Mine"})
        with pytest.raises(NotFoundError):
            other.call("decision_add", title="Mine", theme_ids=[theme["id"]])
        with pytest.raises(NotFoundError):
            other.call(
                "write_themes",
                project_id=read.workspace.project_id,
                synthesis_id="x",
                themes=[{"title": "t", "quotes": [{"chunk_id": "c", "quote": "q"}]}],
            )
    finally:
        other.close()


def test_a_decision_is_an_event_and_later_evidence_against_it_opens_it_again(read: Beacon, tmp_path: Path) -> None:
    theme = named(read.call("synthesize")["themes"], "archive")
    made = read.call("decision_add", title="We will speed up the archive", reason="Five people wait", theme_ids=[theme["id"]])
    assert read.call("event_list", type="decision_made")[0]["id"] == made["event_id"] and made["quotes"]
    read_survey(
        read,
        tmp_path,
        "autumn.csv",
        survey(("The archive search is great now", "I love the archive search, it works well"), 20, date="2026-09-01"),
    )
    read.call("synthesize")
    again = read.call("decision_list")[0]
    assert again["status"] == "reopened" and "opposite" in again["reopened"]["reasons"][0]
    assert read.call("event_list", type="decision_reopened")[0]["payload"]["decision_id"] == made["id"]
    assert read.call("decision_settle", decision_id=made["id"], status="standing")["status"] == "standing"


def test_a_decision_stands_while_nothing_new_is_said(read: Beacon) -> None:
    theme = read.call("synthesize")["themes"][0]
    read.call("decision_add", title="We will look into it", theme_ids=[theme["id"]])
    read.call("synthesize")
    assert read.call("decision_list")[0]["status"] == "standing"


def test_the_table_holds_no_formula(read: Beacon) -> None:
    opp = read.call("synthesize")["opportunities"][0]
    read.call("update_opportunity", opp_id=opp["id"], patch={"title": '=HYPERLINK("http://example.org")'})
    rows = list(csv.reader(io.StringIO(read.call("export_opportunities_csv"))))
    assert any(row[1].startswith("'=") for row in rows) and not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


def test_the_markdown_shows_a_formula_and_markup_as_text(read: Beacon) -> None:
    opp = read.call("synthesize")["opportunities"][0]
    read.call("update_opportunity", opp_id=opp["id"], patch={"title": "=1+1 <script> [x](javascript:y)"})
    text = read.call("export_opportunities_markdown", opp_ids=[opp["id"]])
    assert "<script>" not in text and "\\=1" in text and "[x](" not in text


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\t=1", "＝1", " =1"])
def test_cells_that_a_spreadsheet_would_reckon_are_quoted(cell: str) -> None:
    assert safe_cell(cell).startswith("'")


def texts_of(beacon: Beacon) -> list[dict[str, Any]]:
    """The sources as they are exported, without when they came here."""
    found: list[dict[str, Any]] = beacon.call("export_raw_json", scope="sources")["sources"]
    for version in (version for source in found for version in source["versions"]):
        del version["fetched_at"]
    return found


def test_what_was_exported_is_read_in_again_elsewhere(read: Beacon, tmp_path: Path) -> None:
    theme = named(read.call("synthesize")["themes"], "archive")
    read.call("update_theme", theme_id=theme["id"], patch={"title": "Slow archive"})
    read.call("decision_add", title="We will speed it up", theme_ids=[theme["id"]])
    read.call("patch_project_state", patch={"strategy": "speed"})
    path = tmp_path / "raw.json"
    path.write_text(json.dumps(read.call("export_raw_json")))
    other = open_beacon(home=tmp_path / "elsewhere")
    try:
        counts = other.call("import_raw", path=str(path))
        assert counts["quotes_dropped"] == 0
        for tool in ("theme_list", "opportunity_list"):
            assert [(o["title"], o["participants"], o["score"]) for o in other.call(tool)] == [
                (o["title"], o["participants"], o["score"]) for o in read.call(tool)
            ]
        assert other.call("get_project_state") == {"strategy": "speed"} and other.call("decision_list")[0]["quotes"]
        assert texts_of(other) == texts_of(read)
    finally:
        other.close()


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"format": "other"}', '{"format": "beacon/raw/1", "sources": [{"key": ""}]}', '{"format": "beacon/raw/1", "tool": 1}'],
)
def test_a_file_that_is_no_export_is_refused(beacon: Beacon, tmp_path: Path, text: str) -> None:
    path = tmp_path / "raw.json"
    path.write_text(text)
    with pytest.raises(InputError):
        beacon.call("import_raw", path=str(path))


def test_an_imported_text_must_match_its_hash(read: Beacon, tmp_path: Path) -> None:
    made = read.call("export_raw_json", scope="sources")
    made["sources"][0]["versions"][0]["text"] += "x"
    path = tmp_path / "raw.json"
    path.write_text(json.dumps(made))
    with pytest.raises(InputError, match="hash"):
        read.call("import_raw", path=str(path))


def test_an_uploaded_file_is_previewed_with_its_flagged_rows_and_stays_in_its_folder(beacon: Beacon, tmp_path: Path) -> None:
    import base64

    text = survey(("The archive search is slow today", "n/a", "The archive search is slow today"))
    given = {"name": "../../spring.csv", "data": base64.b64encode(text.encode()).decode(), "mapping": {"text": "What should we improve?"}}
    preview = beacon.call("rows_preview", **given)
    assert preview["mapping"]["participant"] == "respondent" and [row["reason"][:9] for row in preview["flagged"]] == [
        "no answer",
        "repeats a",
    ]
    assert beacon.call("ingest_upload", **given, kind="survey")["new"] == 3
    assert [path.name for path in (tmp_path / "home" / "uploads").iterdir()] == ["spring.csv"]


def test_mapping_a_speaker_changes_whose_words_count(read: Beacon) -> None:
    source = next(s for s in read.call("source_list") if s["kind"] == "interview_transcript")
    found = {s["name"]: s["role"] for s in read.call("evidence_speakers", source_id=source["id"])}
    assert found == {"Ana": "customer", "Host": "interviewer"}
    read.call(
        "evidence_map",
        source_ids=[source["id"]],
        segment="banks",
        speakers=[{"name": "Ana", "role": "customer", "participant": "Customer 7"}],
    )
    theme = named(read.call("synthesize")["themes"], "archive")
    assert "Customer 7" in theme["participants"] and "banks" in theme["segments"]


def test_a_theme_is_an_artifact_with_its_citations(read: Beacon) -> None:
    theme = read.call("synthesize")["themes"][0]
    found = read.call("fetch_artifact", artifact_id=theme["id"])
    assert found["artifact"]["title"] == theme["title"] and len(found["citations"]) == len(theme["quotes"]) + len(theme["contradicting"])
