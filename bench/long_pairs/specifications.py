"""Pairs whose records are specified things: a data dictionary and a hardware data sheet."""

from random import Random

from bench.long_pairs.build import Pair
from bench.long_pairs.records import Edit, Row, apply_edits, csv_text, named
from bench.long_pairs.render import Blocks, pipes, render_txt


def dictionary() -> Pair:
    """A data dictionary in CSV; descriptions of many variables were touched up, and the order is by name now."""
    random = Random("dictionary")
    subjects = ["household", "dwelling", "person", "visit", "farm", "school", "employer", "vehicle", "loan", "meal"]
    facts = [
        "size",
        "age",
        "type",
        "income",
        "status",
        "region",
        "start",
        "end",
        "count",
        "distance",
        "cost",
        "rating",
        "source",
        "weight",
        "change",
        "share",
    ]
    kinds = {
        "size": "integer",
        "age": "integer",
        "income": "decimal",
        "start": "date",
        "end": "date",
        "count": "integer",
        "distance": "decimal",
        "cost": "decimal",
        "weight": "decimal",
        "share": "decimal",
    }
    rows: list[Row] = []
    for subject in subjects:
        for fact in facts:
            kind = kinds.get(fact, "code")
            rows.append(
                {
                    "variable": f"{subject}_{fact}",
                    "type": kind,
                    "description": _asked(fact, subject, random.choice(["first", "second"])),
                    "allowed": "0-120" if kind == "integer" else "1-6, 9 = unknown" if kind == "code" else "any",
                    "unit": {"decimal": "see codebook", "integer": "number", "date": "day", "code": ""}[kind],
                    "missing": random.choice(["blank", "-9"]),
                    "access": random.choice(["public", "public", "on request"]),
                }
            )
    edits = [
        Edit(1, "!", "{} is confidential now", "person_income", {"access": "secure room only"}),
        Edit(
            2,
            "!",
            "{}: unit is net monthly euros (was: see codebook), type integer",
            "household_income",
            {"unit": "euro a month, net", "type": "integer"},
        ),
        Edit(3, "!", "{} dropped", "person_region"),
        Edit(4, "!", "{}: codes extended to 8", "employer_type", {"allowed": "1-8, 9 = unknown"}),
        Edit(
            5,
            "!",
            "{}: counts adults only",
            "household_size",
            {"description": "The number of adults of the household as given by the respondent at the first interview"},
        ),
        Edit(6, "!", "{}: missing is -99", "loan_cost", {"missing": "-99"}),
        Edit(
            7,
            "!",
            "New variable person_gender",
            row={
                "variable": "person_gender",
                "type": "code",
                "description": "Gender as the person states it",
                "allowed": "1-4, 9 = unknown",
                "unit": "",
                "missing": "-9",
                "access": "on request",
            },
            after="person_age",
        ),
        Edit(8, "!", "{} dropped", "meal_source"),
        Edit(9, "!", "{}: upper limit 99", "person_age", {"allowed": "0-99"}),
        Edit(
            10,
            "!",
            "{}: asked of the interviewer, not the respondent",
            "dwelling_rating",
            {"description": "The rating of the dwelling as judged by the interviewer at the first interview"},
        ),
        Edit(11, "!", "{}: in kilometres", "school_distance", {"unit": "kilometre"}),
        Edit(12, "?", "{}: date with time", "visit_start", {"type": "date and time"}),
        Edit(13, "?", "{}: missing is blank or -8", "farm_cost", {"missing": "blank or -8"}),
    ]
    made = apply_edits(rows, "variable", named(edits), ("variable", "type", "missing", "access", "allowed"))
    touched = Random("touched")
    for row in made.new:
        if touched.random() < 0.4:
            row["description"] = row["description"].replace("as given by the respondent", "as stated by the respondent")
    made.new.sort(key=lambda row: row["variable"])
    return Pair("data-dictionary", ".csv", csv_text(made.old), csv_text(made.new), made.entries)


def _asked(fact: str, subject: str, time: str) -> str:
    return f"The {fact} of the {subject} as given by the respondent at the {time} interview"


_PINS = "+-----------+\n| 1 VDD  {} |\n| 2 GND  {} |\n| 3 RST  {} |\n+-----------+"


def datasheet() -> Pair:
    """A microcontroller's data sheet as text: parameter tables, pin drawings, running heads."""
    random = Random("datasheet")
    groups = ["Supply", "Oscillator", "Converter", "Comparator", "Flash", "Radio", "Timer", "Serial port", "Power-down", "Package"]
    measures = [
        "current",
        "voltage",
        "start-up time",
        "leakage",
        "tolerance",
        "input range",
        "noise",
        "hold time",
        "set-up time",
        "drift",
        "resolution",
        "load",
        "temperature",
        "life",
        "delay",
        "gain",
    ]
    units = {
        "current": "mA",
        "voltage": "V",
        "leakage": "nA",
        "tolerance": "%",
        "noise": "µV",
        "temperature": "°C",
        "life": "cycles",
        "load": "pF",
        "gain": "dB",
        "resolution": "bit",
    }
    rows: list[Row] = []
    for group in groups:
        for measure in measures:
            low = random.randint(1, 400) / 10
            rows.append(
                {
                    "Parameter": f"{group} {measure}",
                    "Condition": random.choice(["25 °C", "full range", "VDD = 3.3 V", "typical load"]),
                    "Min": f"{low:.1f}",
                    "Typ": f"{low * 1.5:.2f}",
                    "Max": f"{low * 2.2:.1f}",
                    "Unit": units.get(measure, "µs"),
                }
            )
    edits = [
        Edit(1, "!", "{}: absolute maximum 3.6 V", "Supply voltage", {"Max": "3.6", "Typ": "3.30"}),
        Edit(2, "!", "{}: guaranteed up to 85 °C only", "Package temperature", {"Max": "85.0"}),
        Edit(3, "!", "{}: 10 000 cycles", "Flash life", {"Min": "10000.0"}),
        Edit(4, "!", "{} doubled", "Radio current", {"Max": "128.0", "Typ": "96.00"}),
        Edit(5, "!", "{}: 10 bit", "Converter resolution", {"Max": "10.0"}),
        Edit(6, "!", "{} no longer given", "Comparator hold time"),
        Edit(7, "!", "{}: condition is the full range", "Oscillator tolerance", {"Condition": "−40 °C to 85 °C", "Max": "5.0"}),
        Edit(
            8,
            "!",
            "New parameter: Radio blocking",
            row={"Parameter": "Radio blocking", "Condition": "full range", "Min": "42.0", "Typ": "48.00", "Max": "55.0", "Unit": "dB"},
            after="Radio gain",
        ),
        Edit(9, "!", "{}: longer", "Power-down start-up time", {"Max": "250.0"}),
        Edit(11, "?", "{}: typical value", "Timer drift", {"Typ": "7.77"}),
        Edit(12, "?", "{}: typical value", "Serial port noise", {"Typ": "8.88"}),
    ]
    made = apply_edits(rows, "Parameter", named(edits))
    texts = [render_txt(*_sheet(made.old, groups, 0), width=96, page=50), render_txt(*_sheet(made.new, groups, 1), width=92, page=58)]
    return Pair("datasheet", ".txt", texts[0], texts[1], made.entries)


def _sheet(rows: list[Row], groups: list[str], side: int) -> tuple[str, str, Blocks]:
    pins = _PINS.format(*(("ANT", "SDA", "SCL"), ("RF ", "P1 ", "P0 "))[side])
    blocks: Blocks = [
        (
            "para",
            [
                ("The KL400 is a small radio controller.", "The KL400 is a compact radio controller.")[side],
                "This sheet gives its electrical data, one table for each part of the chip.",
            ],
            0,
        ),
        ("raw", [pins], 0),
    ]
    for at, group in enumerate(groups, 1):
        notes = [
            (
                f"The values of the {group.lower()} were measured on a sample of parts from three lots.",
                f"The {group.lower()} was measured on sample parts from three lots.",
            )[side if at % 2 else 0],
            f"Lines routed near the {group.lower()} should be short, with a ground plane below and no sharp corners.",
            f"A capacitor of 100 nF close to the {group.lower()} keeps its readings quiet when neighbouring blocks switch.",
            f"Typical values of the {group.lower()} are given for guidance and are not tested in production.",
            f"See section {at + 10 + side} for drawings of the {group.lower()} and its registers.",
        ]
        blocks.append(("heading", [f"{at + side}. {group}"], 1))
        blocks.append(("para", notes, 0))
        mine = [row for row in rows if row["Parameter"].startswith(group)]
        blocks.append(("row", [pipes(list(rows[0])), *(pipes(list(row.values())) for row in mine)], 0))
    return "KL400 radio controller", f"KL400 data sheet, revision {'AB'[side]}, {('June 2029', 'May 2030')[side]}", blocks
