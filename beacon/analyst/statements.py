"""The statements of a document: its claims, one by one, without what every page carries around them."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from beacon.analyst.canonical import canonical, without_enumerator
from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import UNSPACED, fold
from beacon.domain.change import Statement, StatementKind
from beacon.domain.ids import digest
from beacon.domain.source import Block

_KINDS: dict[str, StatementKind] = {
    "paragraph": "sentence",
    "list_item": "list_item",
    "table_row": "table_row",
    "field": "field",
    "turn": "turn",
}
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_FOOTMARK = re.compile(r"\[\d{1,3}\]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PERCENT = re.compile(r"(?<=[\d])\s*(?:percent\b|per cent\b|％|%)")
_HYPHEN = re.compile(r"(?<!\w)-(?!\d)|(?<=\w)-(?=\W|$)|(?<=[^\W\d_])-(?=[^\W\d_])")
_SYMBOL = re.compile(r"[^\w\s]")
_LOOSE = re.compile(r"(?<!\w)[.,:/@&#]+|[.,:/@&]+(?!\w)")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
# Punctuation survives only where it is part of a number, an identifier, an address or a sign.
_KEPT = frozenset(".,:/@&#%-")
_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xFE0F))
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_]{2})-\n\s*(?=[a-zà-öø-ÿ]{2})")  # at the end of a line
_SPACE = re.compile(r"[\s_]+")
_UNSPACED_GAP = re.compile(rf"(?<=[{UNSPACED}\d]) (?=[{UNSPACED}])|(?<=[{UNSPACED}]) (?=\d)")

_RIGHTS = re.compile(r"^(?:©|\(c\)|copyright)\s|all rights reserved", re.I)
_STAMP = re.compile(r"^(?:page |this page was |article )?(?:last )?(?:updated|modified|reviewed|published|posted)(?: on| at)?\b[:\s]", re.I)
_CONSENT = re.compile(r"\b(?:cookies?|privacy policy|terms (?:of|and) (?:use|service|conditions)|consent preferences)\b", re.I)
_INVITE = re.compile(
    r"^(?:please )?(?:subscribe|sign (?:up|in)|log ?in|register|share (?:this|on)|follow us|read more|learn more|click here|skip to|"
    r"back to|go to|join our|download (?:the|our) app|accept (?:all )?|enable javascript|print this|view (?:all|more)|see (?:all|more)|"
    r"related (?:articles|posts|links)|advertisement|sponsored)\b",
    re.I,
)
_CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.\w+|\+?\d[\d ()-]{7,}\d")
_CONTACT_LEAD = re.compile(r"^(?:for |contact|media|press|e-?mail|call|tel|phone|fax|inquir)", re.I)
_BAR = re.compile(r"(?<!\\)\s*\|\s*")
_TRAIL = re.compile(r"\s[|›»>·•/]\s")


@lru_cache(maxsize=8192)
def statement_key(text: str) -> str:
    """The form in which cosmetic edits are equal.

    No case, markup, quotation marks, punctuation, spacing, link targets or counting, one form of a date, range or amount, and no number
    on a reference to another place.
    """
    text = _BROKEN_WORD.sub("", text) if "-\n" in text else text
    plain = _FOOTMARK.sub(" ", _TAG.sub(" ", _LINK.sub(r"\1", text)))
    folded = _THOUSANDS.sub("", canonical(fold(without_enumerator(plain))))
    folded = _PERCENT.sub("%", folded)
    bare = _SYMBOL.sub(_without_punctuation, _HYPHEN.sub(" ", _APOSTROPHE.sub("", folded.translate(_INVISIBLE))))
    return _UNSPACED_GAP.sub("", _SPACE.sub(" ", _LOOSE.sub(" ", bare)).strip())


def _without_punctuation(symbol: re.Match[str]) -> str:
    char = symbol.group()
    return char if char in _KEPT or unicodedata.category(char)[0] not in "PC" else " "


def statement_hash(text: str) -> str:
    """A short name of the statement's key, for sets of what many documents repeat."""
    return digest(statement_key(text))[:16]


def extract_statements(text: str, blocks: Sequence[Block] = (), *, repeated: Collection[str] = frozenset()) -> list[Statement]:
    """The statements of `text` in order, exact slices; `repeated` holds the `statement_hash` of what many documents carry."""
    parts = blocks or (Block(0, len(text), "paragraph"),)
    found = [statement for block, columns in _with_columns(text, parts) for statement in _of_block(text, block, columns)]
    return sorted((one for one in found if _is_content(one, repeated)), key=lambda one: (one.start, one.end))


def _with_columns(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, tuple[str, ...]]]:
    """Each block with the names of its columns, where it is a row under a table's head."""
    columns: tuple[str, ...] = ()
    for block in blocks:
        if block.kind == "table_head":
            columns = tuple(split_cells(text[block.start : block.end]))
        elif block.kind != "table_row":
            columns = ()
        yield block, columns


def split_cells(row: str) -> list[str]:
    """The cells of a table's row."""
    return [" ".join(cell.split()) for cell in _BAR.split(row)]


def _is_content(one: Statement, repeated: Collection[str]) -> bool:
    if one.kind == "field":
        return True
    return not is_boilerplate(one.text, one.kind) and not (repeated and statement_hash(one.text) in repeated)


def _of_block(text: str, block: Block, columns: tuple[str, ...]) -> Iterator[Statement]:
    kind = _KINDS.get(block.kind)
    if kind is None:
        return
    for start, end in _spans(text, block):
        yield Statement(start, end, text[start:end], kind, block.path, block.speaker, columns)


def _spans(text: str, block: Block) -> list[tuple[int, int]]:
    stretch = text[block.start : block.end]
    if block.kind in ("field", "table_row"):
        left = len(stretch) - len(stretch.lstrip())
        size = len(stretch.strip())
        return [(block.start + left, block.start + left + size)] if size else []
    return [(block.start + start, block.start + end) for start, end in split_sentences(stretch)]


def is_boilerplate(text: str, kind: StatementKind = "sentence") -> bool:
    """True for what surrounds content on a page: link-like fragments, notices, invitations, stamps, contact lines, breadcrumbs."""
    plain = _LINK.sub(r"\1", text).strip()
    words = plain.split()
    if kind == "table_row":
        return not any(char.isalnum() for char in plain)
    if _RIGHTS.search(plain) and len(words) <= 25:
        return True
    short = len(words) <= 14
    if short and (_STAMP.match(plain) or _INVITE.match(plain) or (_CONSENT.search(plain) and not _has_quantity(plain))):
        return True
    if len(words) <= 25 and _CONTACT_LEAD.match(plain) and _CONTACT.search(plain):
        return True
    if kind == "turn":
        return False
    return _is_trail(plain) or _is_fragment(plain, words, text)


def _has_quantity(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _is_trail(plain: str) -> bool:
    segments = _TRAIL.split(plain)
    return len(segments) >= 3 and plain[-1] not in ".!?。" and max(len(segment.split()) for segment in segments) <= 4


def _is_fragment(plain: str, words: list[str], raw: str) -> bool:
    if _has_quantity(plain) or plain[-1:] in ".!?。！？।؟":
        return False
    if not plain.isascii() and any(char >= "\u0e00" for char in plain):
        return len(plain) < 6
    link_only = raw.strip().startswith("[") and raw.strip().endswith(")")
    return len(words) < 3 or (link_only and len(words) <= 6)
