"""The pair whose records are the clauses of a standard: a conformance table with new numbers."""

from random import Random

from bench.long_pairs.build import Pair
from bench.long_pairs.records import Edit, Row, apply_edits, named
from bench.long_pairs.render import Blocks, pipes, render_md


def conformance() -> Pair:
    """A standard's conformance table in Markdown: clauses are numbered anew after two that were put in front."""
    random = Random("conformance")
    actors = ["reader", "writer", "archive", "viewer", "validator", "converter"]
    verbs = ["keep the order of", "reject", "warn about", "preserve", "normalise", "sign", "number", "index"]
    objects = [
        "unknown elements",
        "empty sections",
        "broken links",
        "embedded fonts",
        "page labels",
        "external images",
        "language tags",
        "nested lists",
        "revision marks",
        "duplicate names",
    ]
    rows: list[Row] = []
    pairs = [(actor, verb, thing) for actor in actors for verb in verbs for thing in objects]
    random.shuffle(pairs)
    for actor, verb, thing in pairs[:200]:
        word = random.choice(["MUST", "SHOULD", "MAY", "MUST NOT"])
        rows.append(
            {
                "Requirement": f"A {actor} {word} {verb} {thing}",
                "Level": random.choice("ABC"),
                "Profile": random.choice(["core", "print", "web"]),
                "Test": f"T-{len(rows) + 100}",
                "Status": random.choice(["stable", "stable", "provisional"]),
            }
        )
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
        Edit(
            6,
            "!",
            "{}: exception for signed documents",
            must[25]["Test"],
            {"Requirement": must[25]["Requirement"] + ", except in signed documents"},
        ),
        Edit(
            7,
            "!",
            "New: a viewer MUST announce missing text alternatives",
            row={
                "Requirement": "A viewer MUST announce missing text alternatives",
                "Level": "A",
                "Profile": "web",
                "Test": "T-901",
                "Status": "provisional",
            },
        ),
        Edit(
            8,
            "!",
            "New: a writer MUST declare the language",
            row={
                "Requirement": "A writer MUST declare the main language of the document",
                "Level": "A",
                "Profile": "core",
                "Test": "T-902",
                "Status": "stable",
            },
        ),
        Edit(9, "!", "{}: SHOULD became MAY", can[11]["Test"], worded(can[11], " SHOULD ", " MAY ")),
        Edit(10, "!", "{}: now for all profiles", can[16]["Test"], {"Profile": "all"}),
        Edit(11, "!", "{} withdrawn", can[21]["Test"]),
        Edit(12, "?", "{}: level AA", can[26]["Test"], {"Level": "AA"}),
        Edit(13, "?", "{}: level AA", must[30]["Test"], {"Level": "AA"}),
    ]
    made = apply_edits(rows, "Test", named(edits))
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
        blocks.append(
            (
                "para",
                [
                    f"Clause {number} is tested with the files of the suite that bear its number.",
                    f"Where clause {number} and the examples differ, the clause decides, as it does in the other parts of this standard.",
                ],
                0,
            )
        )
        head = ["Clause", *rows[0]]
        blocks.append(("row", [pipes(head), *(pipes([f"{number}.{i}", *row.values()]) for i, row in enumerate(mine, 1))], 0))
    return "Annex C: conformance", ("Draft 2029", "Edition 2030")[side], blocks
