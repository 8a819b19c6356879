"""One text that holds both sides of a pair: edits stand inline, so a changelog entry and its place cannot drift apart.

⟦i summary :: old ⇒ new⟧ is an important entry, ⟦m …⟧ a minor one; ⟦~ old ⇒ new⟧ is noise, either side may be empty.
⟦@name text⟧ stands there in the old version, and where ⟦@name⟧ stands in the new one. `# key: Title` is a heading that others name by
{s:key}. A side that starts with | is a row: its cells are the entry's place.
"""

import re
from dataclasses import dataclass

from bench.long_pairs.build import Entry, Place

_EDIT = re.compile(r"⟦(.*?)⟧", re.DOTALL)
_HEADING = re.compile(r"^(#+) (?:(\w+): )?(.*)$", re.MULTILINE)
_GONE = "\x00"


@dataclass(frozen=True, slots=True)
class Script:
    """Both sides, still in the plain markup of headings, paragraphs, items and rows, and the changelog."""

    old: str
    new: str
    entries: tuple[Entry, ...]


def read_script(text: str, *, numbered: tuple[bool, bool]) -> Script:
    """The two sides of a script; `numbered`: whether the headings of each carry numbers."""
    old, new = (_number(_side(text, side), numbered[side]) for side in (0, 1))
    return Script(old, new, tuple(_entries(text)))


def _side(text: str, side: int) -> str:
    moved: dict[str, str] = dict(re.findall(r"⟦@(\w+)\s(.*?)⟧", text, re.DOTALL))

    def say(found: re.Match[str]) -> str:
        inside = found[1]
        if inside.startswith("@"):
            defined = " " in inside or "\n" in inside
            return (inside.split(None, 1)[1] if side == 0 else _GONE) if defined else (_GONE if side == 0 else moved[inside[1:]])
        return _sides(inside)[side] or _GONE

    said = _EDIT.sub(say, text)
    said = re.sub(rf"^[ \-*]*{_GONE}[ ]*\n", "", said, flags=re.MULTILINE)
    said = re.sub(rf" ?{_GONE}", "", said)
    return re.sub(r"\n{3,}", "\n\n", said).strip() + "\n"


def _sides(inside: str) -> tuple[str, str]:
    body = inside[1:] if inside.startswith("~") else inside.split("::", 1)[1]
    old, new = body.split("⇒")
    return old.strip(), new.strip()


def _entries(text: str) -> list[Entry]:
    found = [one for one in _EDIT.findall(text) if one[:2] in ("i ", "m ")]
    ordered = [one for one in found if one[0] == "i"] + [one for one in found if one[0] == "m"]
    entries = []
    for n, one in enumerate(ordered, 1):
        old, new = _sides(one)
        summary = " ".join(one[2:].split("::", 1)[0].split())
        entries.append(Entry(n, "important" if one[0] == "i" else "minor", summary, _places(old), _places(new)))
    return entries


def _places(side: str) -> tuple[Place, ...]:
    if not side:
        return ()
    if side.startswith("|"):
        return (tuple(cell.strip() for cell in side.strip("|").split("|") if cell.strip()),)
    return ((" ".join(side.removeprefix("- ").replace("**", "").split()),),)


def _number(text: str, numbered: bool) -> str:
    counts = [0, 0, 0]
    numbers: dict[str, str] = {}

    def say(found: re.Match[str]) -> str:
        depth = len(found[1]) - 2
        if depth < 0:
            return f"{found[1]} {found[3]}"
        counts[depth] += 1
        counts[depth + 1 :] = [0] * (2 - depth)
        number = ".".join(map(str, counts[: depth + 1]))
        numbers[found[2] or found[3]] = number
        return f"{found[1]} {number + '. ' if numbered else ''}{found[3]}"

    said = _HEADING.sub(say, text)
    return re.sub(r"\{s:(\w+)\}", lambda found: numbers[found[1]], said)
