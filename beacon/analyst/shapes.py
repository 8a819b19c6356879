"""A quote as a reader sees it: the values of fields and rows under their names, sentences as they are."""

import re
from dataclasses import dataclass

from beacon.analyst.records import value_key
from beacon.analyst.sentences import split_sentences
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import spell_out, tokenize

_FIELD = re.compile(r"(?P<name>[^\W\d][\w./@$#-]{0,120}): (?P<value>\S.*)")
_NAMED = re.compile(r"(?P<name>\S.{0,200}?): (?P<value>\S.*)")
_CELL = re.compile(r"[^|]+")
_ADDRESS = re.compile(r"(?:https?|ftp|mailto):\S+|\bwww\.\S+")
_CODE = re.compile(r"(?=\S*[^\W\d_])(?=\S*\d)[\w./:-]+")  # letters and digits in one word
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_UNKNOWN = frozenset("unknown unspecified undetermined pending unbekannt inconnu desconocido sconosciuto onbekend 未知 不明".split())
_MOST_CELLS = 6


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a quote that is worth reading: `quote[start:end]`, and what it is a value of (empty for a sentence)."""

    label: str
    start: int
    end: int


def label_words(name: str) -> str:
    """A field's name in words: `scores/0/baseScore` becomes "base score"; a name in capitals stays."""
    if " " in name:
        return " ".join(name.split())
    parts = [part for part in re.split(r"[./]", name) if part and not part.isdecimal()]
    words = spell_out(parts[-1]).replace("_", " ") if parts else ""
    return " ".join(word if word.isupper() else word.lower() for word in words.split()) if words != words.upper() else words


def pieces(quote: str, kind: str = "", head: str = "") -> list[Piece]:
    """What of a quote is shown, in order; `kind` is of its statement, `head` of its table, names with " | " between."""
    if kind == "table_row" or (not kind and "|" in quote and "\n" not in quote):
        return _cells(quote, head)
    if kind in ("", "field") and (fields := _fields(quote, sure=kind == "field")):
        return fields
    return [Piece("", 0, len(quote))]


def _fields(quote: str, *, sure: bool) -> list[Piece]:
    found: list[Piece] = []
    empty: list[Piece] = []
    at = 0
    for line in quote.split("\n"):
        match = (_NAMED if sure else _FIELD).fullmatch(line)
        if match is None:
            return []
        piece = Piece(label_words(match["name"]), at + match.start("value"), at + match.end("value"))
        (found if value_key(match["value"]) else empty).append(piece)
        at += len(line) + 1
    return found or empty[:1]


def _cells(quote: str, head: str) -> list[Piece]:
    cells = [(cell.start() + _left(cell.group()), cell.start() + len(cell.group().rstrip())) for cell in _CELL.finditer(quote)]
    cells = [(start, end) for start, end in cells if end > start]
    names = [" ".join(name.split()) for name in head.split("|")] if head else []
    if len(cells) == 2 and not (len(names) == 2 and is_prose(quote[cells[0][0] : cells[0][1]])):
        return [Piece(quote[cells[0][0] : cells[0][1]], *cells[1])]
    if len(cells) < 2 or len(names) != len(cells):
        return [Piece("", 0, len(quote))]
    shown = [Piece(name, *cell) for name, cell in zip(names, cells, strict=True) if value_key(quote[cell[0] : cell[1]])]
    return shown[:_MOST_CELLS]


def _left(text: str) -> int:
    return len(text) - len(text.lstrip())


def says_something(quote: str, kind: str, title: str) -> bool:
    """False for a field that has no value, an unknown one or its document's own name, a bare address or code, and words before a colon."""
    if kind != "field":
        return quote.rstrip()[-1:] != ":"
    value = next((match["value"] for line in quote.split("\n") if (match := _NAMED.fullmatch(line))), quote)
    key = value_key(_ADDRESS.sub(" ", value))
    named = f" {statement_key(title)} "
    return bool(key) and key not in _UNKNOWN and f" {key} " not in named and not _CODE.fullmatch(value.strip())


def figures(text: str) -> frozenset[str]:
    """The numbers of `text` as they are written, dates among them, with one sign for the fraction."""
    return frozenset(found.replace(",", ".") for found in _FIGURE.findall(text))


def tells_all(values: tuple[str, str], quotes: tuple[str, str]) -> bool:
    """True when two values carry all that differs in number between two quotes, so that they may stand for them in a heading."""
    if not all(values) or statement_key(values[0]) == statement_key(values[1]):
        return False
    numbers = [figures(quote) for quote in quotes]
    named = [figures(value) for value in values]
    if not any(named):
        return True
    return named[0] != named[1] and all(numbers[n] - numbers[1 - n] <= named[n] for n in (0, 1))


def shortened(quote: str, most: int) -> int:
    """Where to cut a quote longer than `most`: at the end of a sentence, else of a word."""
    if len(quote) <= most:
        return len(quote)
    ends = [end for _, end in split_sentences(quote) if end <= most]
    pause = max(quote.rfind(mark, most // 2, most) for mark in (", ", "; ", ": ", " – ", " — "))
    space = quote.rfind(" ", 0, most)
    return ends[-1] if ends else pause if pause > 0 else space if space > 0 else most


def is_prose(value: str) -> bool:
    """True for a value that is a text of its own rather than a name, number or address."""
    return len(tokenize(_ADDRESS.sub(" ", value))) >= 6
