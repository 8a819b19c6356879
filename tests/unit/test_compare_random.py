"""Whatever two texts hold: comparing one with itself says nothing, and every side of a change is an exact slice."""

import json
import random

import pytest

from beacon.analyst.compare import compare_versions
from beacon.analyst.statements import extract_statements
from beacon.domain.change import Statement
from beacon.domain.source import Document
from beacon.errors import InputError
from beacon.ingest.parse import parse_bytes

WORDS = (
    "the fee of a ship is 12 EUR and must not exceed 3.5 % see Section 4.2 on 4 March 2031 | , ; : ( ) [ ] { } $ 100 km 1-6 n/a null true "
    "1. A. <= V2.5 and prior 本馆 開放 。 ！ é ß \u202f \u200b e.g. z. B. Annex D. §§ 3,4 <b> & “ ” … –"
).split(" ")


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count))


def _value(chance: random.Random, depth: int = 0) -> object:
    kind = chance.random()
    if depth > 3 or kind < 0.4:
        return chance.choice(
            [chance.randint(-5, 1000), chance.random(), _words(chance, chance.randint(0, 9)), None, True, "2031-01-04", ""]
        )
    if kind < 0.7:
        return {f"{chance.choice(['id', 'name', '12', 'a/b', 'x.y'])}{n}": _value(chance, depth + 1) for n in range(chance.randint(0, 4))}
    return [_value(chance, depth + 1) for _ in range(chance.randint(0, 5))]


def _row(chance: random.Random, width: int) -> str:
    return "| " + " | ".join(_words(chance, 2).replace("|", "") for _ in range(width)) + " |"


def _prose(chance: random.Random) -> str:
    blocks = []
    for _ in range(chance.randint(1, 10)):
        width = chance.randint(2, 5)
        table = "\n".join([_row(chance, width), "|" + "---|" * width, *(_row(chance, width) for _ in range(chance.randint(1, 9)))])
        blocks.append(
            chance.choice([f"# {_words(chance, 4)}", f"{_words(chance, 30)}.", f"- {_words(chance, 6)}\n- {_words(chance, 6)}", table])
        )
    return "\n\n".join(blocks)


def _edited(chance: random.Random, text: str) -> str:
    letters = list(text)
    for _ in range(chance.randint(0, 12)):
        at = chance.randrange(len(letters) + 1)
        letters[at : at + chance.randint(0, 30)] = _words(chance, chance.randint(0, 3))
    return "".join(letters)


def _read(text: str, name: str) -> tuple[Document, list[Statement]]:
    doc = parse_bytes(text.encode(), name=name)
    return doc, extract_statements(doc.text, doc.blocks)


@pytest.mark.parametrize("seed", range(40))
def test_any_two_texts_compare_exactly(seed: int) -> None:
    chance = random.Random(seed)
    name = chance.choice(["a.md", "a.txt", "a.json"])
    old = json.dumps([_value(chance), "x"]) if name == "a.json" else _prose(chance)
    new = json.dumps([_value(chance), "y"]) if name == "a.json" else _edited(chance, old)
    try:
        (before, left), (after, right) = _read(old, name), _read(new, name)
    except InputError:
        return
    assert compare_versions(left, left, mode="version") == []
    for change in compare_versions(left, right, mode="version"):
        assert 0 <= change.materiality <= 1
        assert change.old is None or before.text[change.old.start : change.old.end] == change.old.text
        assert change.new is None or after.text[change.new.start : change.new.end] == change.new.text
