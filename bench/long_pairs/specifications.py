"""Pairs whose records are specified things: a data dictionary, a hardware data sheet and a conformance table."""

import csv
import io
from random import Random

from bench.long_pairs.build import Pair
from bench.long_pairs.records import Edit, Row, apply_edits
from bench.long_pairs.render import Blocks, render_md, render_txt


def _named(edits: list[Edit]) -> list[Edit]:
    return [Edit(e.n, e.mark, e.summary.format(e.key), e.key, e.values, e.row, e.after) for e in edits]


def dictionary() -> Pair:
    """A data dictionary in CSV; descriptions of many variables were touched up, and the order is by name now."""
    random = Random("dictionary")
    subjects = ["household", "dwelling", "person", "visit", "farm", "school", "employer", "vehicle", "loan", "meal"]
    facts = ["size", "age", "type", "income", "status", "region", "start", "end", "count", "distance", "cost", "rating", "source", "weight",
             "change", "share"]  # fmt: skip
    kinds = {"size": "integer", "age": "integer", "income": "decimal", "start": "date", "end": "date", "count": "integer",
             "distance": "decimal", "cost": "decimal", "weight": "decimal", "share": "decimal"}  # fmt: skip
    rows: list[Row] = []
    for subject in subjects:
        for fact in facts:
            kind = kinds.get(fact, "code")
            rows.append(
                {
                    "variable": f"{subject}_{fact}", "type": kind,
                    "description": f"The {fact} of the {subject} as given by the respondent at the {random.choice(['first', 'second'])} interview",
                    "allowed": "0-120" if kind == "integer" else "1-6, 9 = unknown" if kind == "code" else "any",
                    "unit": {"decimal": "see codebook", "integer": "number", "date": "day", "code": ""}[kind],
                    "missing": random.choice(["blank", "-9"]), "access": random.choice(["public", "public", "on request"]),
                }
            )  # fmt: skip
    edits = [
        Edit(1, "!", "{} is confidential now", "person_income", {"access": "secure room only"}),
        Edit(2, "!", "{}: unit is net monthly euros (was: see codebook), type integer", "household_income", {"unit": "euro a month, net", "type": "integer"}),
        Edit(3, "!", "{} dropped", "person_region"),
        Edit(4, "!", "{}: codes extended to 8", "employer_type", {"allowed": "1-8, 9 = unknown"}),
        Edit(5, "!", "{}: counts adults only", "household_size",
             {"description": "The number of adults of the household as given by the respondent at the first interview"}),
        Edit(6, "!", "{}: missing is -99", "loan_cost", {"missing": "-99"}),
        Edit(7, "!", "New variable person_gender", row={
            "variable": "person_gender", "type": "code", "description": "Gender as the person states it", "allowed": "1-4, 9 = unknown",
            "unit": "", "missing": "-9", "access": "on request"}, after="person_age"),
        Edit(8, "!", "{} dropped", "meal_source"),
        Edit(9, "!", "{}: upper limit 99", "person_age", {"allowed": "0-99"}),
        Edit(10, "!", "{}: asked of the interviewer, not the respondent", "dwelling_rating",
             {"description": "The rating of the dwelling as judged by the interviewer at the first interview"}),
        Edit(11, "!", "{}: in kilometres", "school_distance", {"unit": "kilometre"}),
        Edit(12, "?", "{}: date with time", "visit_start", {"type": "date and time"}),
        Edit(13, "?", "{}: missing is blank or -8", "farm_cost", {"missing": "blank or -8"}),
    ]  # fmt: skip
    made = apply_edits(rows, "variable", _named(edits), ("variable", "type", "missing", "access", "allowed"))
    touched = Random("touched")
    for row in made.new:
        if touched.random() < 0.4:
            row["description"] = row["description"].replace("as given by the respondent", "as stated by the respondent")
    made.new.sort(key=lambda row: row["variable"])
    return Pair("data-dictionary", ".csv", _csv(made.old), _csv(made.new), made.entries)


def _csv(rows: list[Row]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def datasheet() -> Pair:
    """A microcontroller's data sheet as text: parameter tables, pin drawings, running heads."""
    random = Random("datasheet")
    groups = ["Supply", "Oscillator", "Converter", "Comparator", "Flash", "Radio", "Timer", "Serial port", "Power-down", "Package"]
    measures = ["current", "voltage", "start-up time", "leakage", "tolerance", "input range", "noise", "hold time", "set-up time", "drift",
                "resolution", "load", "temperature", "life", "delay", "gain"]  # fmt: skip
    units = {"current": "mA", "voltage": "V", "leakage": "nA", "tolerance": "%", "noise": "µV", "temperature": "°C", "life": "cycles",
             "load": "pF", "gain": "dB", "resolution": "bit"}  # fmt: skip
    rows: list[Row] = []
    for group in groups:
        for measure in measures:
            low = random.randint(1, 400) / 10
            rows.append(
                {
                    "Parameter": f"{group} {measure}", "Condition": random.choice(["25 °C", "full range", "VDD = 3.3 V", "typical load"]),
                    "Min": f"{low:.1f}", "Typ": f"{low * 1.5:.2f}", "Max": f"{low * 2.2:.1f}", "Unit": units.get(measure, "µs"),
                }
            )  # fmt: skip
    edits = [
        Edit(1, "!", "{}: absolute maximum 3.6 V", "Supply voltage", {"Max": "3.6", "Typ": "3.30"}),
        Edit(2, "!", "{}: guaranteed up to 85 °C only", "Package temperature", {"Max": "85.0"}),
        Edit(3, "!", "{}: 10 000 cycles", "Flash life", {"Min": "10000.0"}),
        Edit(4, "!", "{} doubled", "Radio current", {"Max": "128.0", "Typ": "96.00"}),
        Edit(5, "!", "{}: 10 bit", "Converter resolution", {"Max": "10.0"}),
        Edit(6, "!", "{} no longer given", "Comparator hold time"),
        Edit(7, "!", "{}: condition is the full range", "Oscillator tolerance", {"Condition": "−40 °C to 85 °C", "Max": "5.0"}),
        Edit(8, "!", "New parameter: Radio blocking", row={
            "Parameter": "Radio blocking", "Condition": "full range", "Min": "42.0", "Typ": "48.00", "Max": "55.0", "Unit": "dB"},
            after="Radio gain"),
        Edit(9, "!", "{}: longer", "Power-down start-up time", {"Max": "250.0"}),
        Edit(11, "?", "{}: typical value", "Timer drift", {"Typ": "7.77"}),
        Edit(12, "?", "{}: typical value", "Serial port noise", {"Typ": "8.88"}),
    ]  # fmt: skip
    made = apply_edits(rows, "Parameter", _named(edits))
    texts = [render_txt(*_sheet(made.old, groups, 0), width=96, page=50), render_txt(*_sheet(made.new, groups, 1), width=92, page=58)]
    return Pair("datasheet", ".txt", texts[0], texts[1], made.entries)


def _sheet(rows: list[Row], groups: list[str], side: int) -> tuple[str, str, Blocks]:
    pins = "+-----------+\n| 1 VDD  {0} |\n| 2 GND  {1} |\n| 3 RST  {2} |\n+-----------+".format(
        *(("ANT", "SDA", "SCL"), ("RF ", "P1 ", "P0 "))[side]
    )
    blocks: Blocks = [
        ("para", [("The KL400 is a small radio controller.", "The KL400 is a compact radio controller.")[side],
                  "This sheet gives its electrical data, one table for each part of the chip."], 0),
        ("raw", [pins], 0),
    ]  # fmt: skip
    for at, group in enumerate(groups, 1):
        notes = [
            (f"The values of the {group.lower()} were measured on a sample of parts from three lots.",
             f"The {group.lower()} was measured on sample parts from three lots.")[side if at % 2 else 0],
            f"Lines routed near the {group.lower()} should be short, with a ground plane below and no sharp corners.",
            f"A capacitor of 100 nF close to the {group.lower()} keeps its readings quiet when neighbouring blocks switch.",
            f"Typical values of the {group.lower()} are given for guidance and are not tested in production.",
            f"See section {at + 10 + side} for drawings of the {group.lower()} and its registers.",
        ]  # fmt: skip
        blocks.append(("heading", [f"{at + side}. {group}"], 1))
        blocks.append(("para", notes, 0))
        mine = [row for row in rows if row["Parameter"].startswith(group)]
        blocks.append(("row", [_pipes(list(rows[0])), *(_pipes(list(row.values())) for row in mine)], 0))
    return "KL400 radio controller", f"KL400 data sheet, revision {'AB'[side]}, {('June 2029', 'May 2030')[side]}", blocks


def _pipes(row: list[str]) -> str:
    return f"| {' | '.join(row)} |"


def conformance() -> Pair:
    """A standard's conformance table in Markdown: clauses are numbered anew after two that were put in front."""
    random = Random("conformance")
    actors = ["reader", "writer", "archive", "viewer", "validator", "converter"]
    verbs = ["keep the order of", "reject", "warn about", "preserve", "normalise", "sign", "number", "index"]
    objects = ["unknown elements", "empty sections", "broken links", "embedded fonts", "page labels", "external images", "language tags",
               "nested lists", "revision marks", "duplicate names"]  # fmt: skip
    rows: list[Row] = []
    pairs = [(actor, verb, thing) for actor in actors for verb in verbs for thing in objects]
    random.shuffle(pairs)
    for actor, verb, thing in pairs[:200]:
        word = random.choice(["MUST", "SHOULD", "MAY", "MUST NOT"])
        rows.append(
            {
                "Requirement": f"A {actor} {word} {verb} {thing}", "Level": random.choice("ABC"), "Profile": random.choice(["core", "print", "web"]),
                "Test": f"T-{len(rows) + 100}", "Status": random.choice(["stable", "stable", "provisional"]),
            }
        )  # fmt: skip
    must = [row for row in rows if " MUST " in row["Requirement"] and "NOT" not in row["Requirement"]]
    can = [row for row in rows if " SHOULD " in row["Requirement"]]

    def worded(row: Row, old: str, new: str) -> dict[str, str]:
        return {"Requirement": row["Requirement"].replace(old, new)}

    edits = [
        Edit(1, "!", "{}: MUST became SHOULD", must[2]["Test"], worded(must[2], " MUST ", " SHOULD ")),
        Edit(2, "!", "{}: SHOULD became MUST", can[3]["Test"], worded(can[3], " SHOULD ", " MUST ")),
        Edit(3, "!", "{}: MUST became MUST NOT", must[9]["Test"], worded(must[9], " MUST ", " MUST NOT ")),
        Edit(4, "!", "{} withdrawn", must[14]["Test"]),
        Edit(5, "!", "{}: deprecated", must[20]["Test"], {"Status": "deprecated"}),
        Edit(6, "!", "{}: exception for signed documents", must[25]["Test"],
             {"Requirement": must[25]["Requirement"] + ", except in signed documents"}),
        Edit(7, "!", "New: a viewer MUST announce missing text alternatives", row={
            "Requirement": "A viewer MUST announce missing text alternatives", "Level": "A", "Profile": "web", "Test": "T-901",
            "Status": "provisional"}),
        Edit(8, "!", "New: a writer MUST declare the language", row={
            "Requirement": "A writer MUST declare the main language of the document", "Level": "A", "Profile": "core", "Test": "T-902",
            "Status": "stable"}),
        Edit(9, "!", "{}: SHOULD became MAY", can[11]["Test"], worded(can[11], " SHOULD ", " MAY ")),
        Edit(10, "!", "{}: now for all profiles", can[16]["Test"], {"Profile": "all"}),
        Edit(11, "!", "{} withdrawn", can[21]["Test"]),
        Edit(12, "?", "{}: level AA", can[26]["Test"], {"Level": "AA"}),
        Edit(13, "?", "{}: level AA", must[30]["Test"], {"Level": "AA"}),
    ]  # fmt: skip
    made = apply_edits(rows, "Test", _named(edits))
    texts = [render_md(*_standard(side_rows, side)) for side, side_rows in enumerate((made.old, made.new))]
    return Pair("conformance-table", ".md", texts[0], texts[1], made.entries)


def _standard(rows: list[Row], side: int) -> tuple[str, str, Blocks]:
    lead = (
        "This annex lists what a product that claims conformance does.",
        "The annex at hand lists everything that a product which claims conformance does.",
    )[side]
    chapters = ["Structure", "Text", "Images", "Links", "Marks"]
    blocks: Blocks = [("para", [lead, "The words in capitals are used as in clause 2 of the standard."], 0)]
    size = -(-len(rows) // len(chapters))
    for at, chapter in enumerate(chapters):
        mine = rows[at * size : (at + 1) * size]
        number = at + 4 + side
        blocks.append(("heading", [f"{number}. {chapter}"], 1))
        blocks.append(("para", [
            f"Clause {number} is tested with the files of the suite that bear its number.",
            f"Where clause {number} and the examples differ, the clause decides, as it does in the other parts of this standard.",
        ], 0))  # fmt: skip
        head = ["Clause", *rows[0]]
        blocks.append(("row", [_pipes(head), *(_pipes([f"{number}.{i}", *row.values()]) for i, row in enumerate(mine, 1))], 0))
    return "Annex C: conformance", ("Draft 2029", "Edition 2030")[side], blocks
