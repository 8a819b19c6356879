"""The pairs that are tables first: hundreds of records, a dozen of which changed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from bench.long_pairs.advisory import advisory_pair
from bench.long_pairs.build import Pair, Place
from bench.long_pairs.conformance import conformance
from bench.long_pairs.records import Edit, Row, apply_edits, csv_text, named
from bench.long_pairs.render import html_table, page
from bench.long_pairs.specifications import datasheet, dictionary


def table_pairs() -> list[Pair]:
    """The seven pairs that are made of records."""
    return [lifecycle(), price_list(), leaderboard(), dictionary(), datasheet(), conformance(), advisory_pair()]


def lifecycle() -> Pair:
    """A page of product life cycles; the new one is sorted by name and calls two columns otherwise."""
    random = Random("lifecycle")
    families = ["Switch", "Router", "Access point", "Firewall", "Controller", "Gateway", "Sensor hub", "Storage shelf"]
    rows: list[Row] = []
    for n in range(300):
        year = random.randint(2021, 2029)
        status = "Supported" if year > 2026 else random.choice(["Supported", "Maintenance", "End of life"])
        rows.append(
            {
                "Product": f"NX-{1000 + n * 7}",
                "Family": families[n % 8],
                "Release": f"{random.randint(1, 9)}.{random.randint(0, 9)}",
                "General availability": f"{year - 5}-{random.randint(1, 12):02}-15",
                "End of sale": f"{year}-{random.randint(1, 12):02}-28",
                "End of support": f"{year + 4}-{random.randint(1, 12):02}-28",
                "Status": status,
                "Successor": f"NX-{1000 + ((n + 40) % 300) * 7}" if n % 3 else "none",
            }
        )
    keys = [row["Product"] for row in rows if row["Status"] == "Supported"]
    sup = {row["Product"]: row["End of support"] for row in rows}
    edits = [
        Edit(1, "!", "{} is at its end of life, support ended early", keys[3], {"Status": "End of life", "End of support": "2030-06-30"}),
        Edit(2, "!", "{}: end of support moved to 2029-01-31", keys[11], {"End of support": "2029-01-31"}),
        Edit(3, "!", "{} went from supported to maintenance", keys[20], {"Status": "Maintenance"}),
        Edit(4, "!", "{} went from supported to end of life", keys[33], {"Status": "End of life"}),
        Edit(5, "!", "{} withdrawn from the list", keys[41]),
        Edit(6, "!", "{}: support extended by two years", keys[47], {"End of support": f"{int(sup[keys[47]][:4]) + 2}{sup[keys[47]][4:]}"}),
        Edit(
            7,
            "!",
            "New product NX-9001",
            row={
                "Product": "NX-9001",
                "Family": "Firewall",
                "Release": "1.0",
                "General availability": "2030-05-02",
                "End of sale": "2036-05-28",
                "End of support": "2041-05-28",
                "Status": "Supported",
                "Successor": "none",
            },
            after=keys[60],
        ),
        Edit(8, "!", "{}: end of sale brought forward to 2027-03-28", keys[64], {"End of sale": "2027-03-28"}),
        Edit(9, "!", "{}: maintenance, support until 2028-12-28", keys[70], {"Status": "Maintenance", "End of support": "2028-12-28"}),
        Edit(10, "!", "{}: end of support moved from the first to the last quarter", keys[77], {"End of support": "2034-12-31"}),
        Edit(11, "?", "{}: successor named", keys[5], {"Successor": "NX-9001"}),
        Edit(12, "?", "{}: release 10.0 listed", keys[58], {"Release": "10.0"}),
        Edit(13, "?", "{}: successor changed", keys[82], {"Successor": "NX-9001 or later"}),
    ]
    made = apply_edits(rows, "Product", named(edits))
    made.new.sort(key=lambda row: (row["Family"], row["Product"]))
    names = {"End of sale": "Last order date", "General availability": "Available since"}
    old = _life_page(list(rows[0]), made.old, "2029", "This page lists the life cycle of every product we sell.")
    new = _life_page(
        [names.get(name, name) for name in rows[0]],
        made.new,
        "2030",
        "Below you find the life cycle of every product we sell or have sold.",
    )
    return Pair("lifecycle-table", ".html", old, new, made.entries)


def _life_page(head: Sequence[str], rows: Sequence[Row], year: str, lead: str) -> str:
    table = html_table([list(head), *(list(row.values()) for row in rows)])
    body = (
        f"<h1>Product life cycle</h1>\n<p>{lead} Dates are given as year, month and day and may change without notice.</p>\n"
        f"<p>Security fixes are made until the end of support. In maintenance only severe faults are fixed.</p>\n{table}\n"
        f"<p>Last updated: 12 May {year}</p>"
    )
    return page("Product life cycle", f"© {year} Nordex Systems. All rights reserved.", body)


def price_list() -> Pair:
    """A price list in CSV; the new one gains a column for the catalogue's page and writes amounts without thousands separators."""
    random = Random("prices")
    things = [
        "Hex bolt",
        "Timber screw",
        "Wall anchor",
        "Hinge",
        "Door closer",
        "Drawer runner",
        "Cable clip",
        "Shelf bracket",
        "Pipe clamp",
    ]
    makes = ["zinc plated", "stainless", "brass", "black", "galvanised", "nylon"]
    rows: list[Row] = []
    for n in range(420):
        price = random.randint(200, 250000) / 100
        rows.append(
            {
                "article": f"A{40000 + n * 13}",
                "description": f"{things[n % 9]}, {makes[n % 6]}, size {random.randint(3, 40)}",
                "unit": random.choice(["piece", "box of 50", "box of 100"]),
                "price_eur": f"{price:,.2f}",
                "discount_group": random.choice("ABC"),
                "minimum_order": str(random.choice([1, 5, 10])),
                "delivery_days": "3",
                "remark": "",
            }
        )
    key = [row["article"] for row in rows]
    unit = {row["article"]: row["unit"] for row in rows}
    other = {"piece": "box of 50", "box of 50": "box of 25", "box of 100": "box of 50"}
    price_of = {row["article"]: float(row["price_eur"].replace(",", "")) for row in rows}

    def times(at: int, factor: float) -> str:
        return f"{price_of[key[at]] * factor:,.2f}"

    edits = [
        Edit(1, "!", "{}: price up 40 %", key[17], {"price_eur": times(17, 1.4)}),
        Edit(2, "!", "{}: price up a quarter, longer delivery", key[58], {"price_eur": times(58, 1.25), "delivery_days": "21"}),
        Edit(3, "!", "{} discontinued", key[90]),
        Edit(4, "!", "{} discontinued", key[204]),
        Edit(5, "!", "{}: smaller pack at the same price", key[120], {"unit": other[unit[key[120]]]}),
        Edit(6, "!", "{}: price down 30 %", key[143], {"price_eur": times(143, 0.7)}),
        Edit(7, "!", "{}: minimum order 50", key[177], {"minimum_order": "50"}),
        Edit(8, "!", "{}: now in discount group D, not discounted", key[190], {"discount_group": "D"}),
        Edit(9, "!", "{}: no longer for structural use", key[231], {"remark": "not for structural use"}),
        Edit(10, "!", "{}: price up 8 %", key[250], {"price_eur": times(250, 1.08)}),
        Edit(
            11,
            "!",
            "New article A90001, gate hinge",
            row={
                "article": "A90001",
                "description": "Gate hinge, galvanised, size 60",
                "unit": "piece",
                "price_eur": "84.50",
                "discount_group": "B",
                "minimum_order": "1",
                "delivery_days": "5",
                "remark": "new",
            },
            after=key[33],
        ),
        Edit(12, "?", "{}: delivery in 4 days", key[71], {"delivery_days": "4"}),
        Edit(13, "?", "{}: delivery in 2 days", key[155], {"delivery_days": "2"}),
        Edit(14, "?", "{}: packed anew", key[266], {"remark": "new packaging"}),
    ]
    made = apply_edits(rows, "article", named(edits), ("article", "description"))
    new = [{**row, "price_eur": row["price_eur"].replace(",", ""), "catalogue_page": str(12 + at // 9)} for at, row in enumerate(made.new)]
    entries = tuple(replace(one, new=tuple(_without_separators(place) for place in one.new)) for one in made.entries)
    return Pair("price-list", ".csv", csv_text(made.old), csv_text(new), entries)


def _without_separators(place: Place) -> Place:
    return tuple(re.sub(r"^(\d+),(\d{3}\.\d\d)$", r"\1\2", cell) for cell in place)


def leaderboard() -> Pair:
    """A benchmark's page: two new leaders shift every rank, and dates are written another way."""
    random = Random("leaders")
    first = ["Heron", "Maple", "Quartz", "Otter", "Cobalt", "Fjord", "Lynx", "Saffron", "Tern", "Willow", "Basalt", "Comet"]
    second = [
        "Small",
        "Base",
        "Large",
        "Pro",
        "Mini",
        "XL",
        "Chat",
        "Code",
        "Next",
        "Edge",
        "Dense",
        "Sparse",
        "Turbo",
        "Lite",
        "Air",
        "Max",
    ]
    names = [f"{a}-{b}" for a in first for b in second]
    random.shuffle(names)
    rows: list[Row] = []
    for n, name in enumerate(names):
        rows.append(
            {
                "System": name,
                "Team": f"Lab {random.choice('ABCDEFGHJK')}{random.randint(1, 9)}",
                "Score": f"{91.4 - n * 0.31:.2f}",
                "Reasoning": f"{90 - n * 0.3 + random.random():.1f}",
                "Licence": random.choice(["open", "closed", "research only"]),
                "Parameters": f"{random.choice([1, 3, 7, 13, 34, 70])}B",
                "Submitted": f"2029-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
                "Note": random.choice(
                    ["verified by the organisers", "as reported by the team", "run with the public code", "five runs averaged"]
                ),
            }
        )
    fresh = {
        "Team": "Lab Q7",
        "Reasoning": "93.1",
        "Licence": "closed",
        "Parameters": "120B",
        "Submitted": "2030-06-02",
        "Note": "verified by the organisers",
    }
    edits = [
        Edit(1, "!", "Kestrel-Ultra is the new leader with 93.80", row={"System": "Kestrel-Ultra", "Score": "93.80", **fresh}),
        Edit(
            2,
            "!",
            "Aurora-Open enters in second place",
            row={"System": "Aurora-Open", "Score": "92.15", **fresh, "Licence": "open", "Reasoning": "91.9"},
            after="Kestrel-Ultra",
        ),
        Edit(3, "!", "{}: score corrected downward", names[0], {"Score": "88.02"}),
        Edit(4, "!", "{} removed", names[4]),
        Edit(5, "!", "{}: no longer verified", names[9], {"Note": "under review for leaked test data"}),
        Edit(6, "!", "{}: better score", names[15], {"Score": "89.90", "Reasoning": "88.8"}),
        Edit(7, "!", "{}: licence changed to open weights", names[22], {"Licence": "open weights"}),
        Edit(8, "!", "{}: score up by nine points", names[57], {"Score": f"{91.4 - 57 * 0.31 + 9:.2f}"}),
        Edit(9, "!", "{} removed", names[80]),
        Edit(10, "?", "{}: reasoning re-scored", names[101], {"Reasoning": "61.7"}),
        Edit(11, "?", "{}: parameters corrected", names[130], {"Parameters": "8B"}),
        Edit(12, "?", "{}: other team", names[150], {"Team": "Lab Z1"}),
    ]
    made = apply_edits(rows, "System", named(edits), ("System", "Score", "Team", "Note"))
    made.new.sort(key=lambda row: -float(row["Score"]))
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    for row in made.new:
        year, month, day = row["Submitted"].split("-")
        row["Submitted"] = f"{int(day)} {months[int(month) - 1]} {year}"
    return Pair("leaderboard", ".html", _board(made.old, "December 2029"), _board(made.new, "June 2030"), made.entries)


def _board(rows: Sequence[Row], month: str) -> str:
    table = html_table([["Rank", *rows[0]], *([str(at), *row.values()] for at, row in enumerate(rows, 1))])
    body = (
        f"<h1>Riverbed benchmark: results</h1>\n<p>Results as of {month}, best first. "
        "A score is the mean of eleven tasks, each run once.</p>\n"
        f"<p>Teams send their outputs to the organisers, who score them with the public code.</p>\n{table}\n"
        f"<p>{len(rows)} systems from all teams are listed.</p>"
    )
    return page("Riverbed benchmark", f"© {month[-4:]} Riverbed organisers · Imprint", body)
