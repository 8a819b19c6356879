"""Who speaks: lines such as `Name: words` read as turns, once a document shows that it is a conversation."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from beacon.domain.source import Block

_CLOCK = r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_LABEL = re.compile(
    rf"^[ >]*(?P<clock>[\[(]?{_CLOCK}[\])]?[ ]*[-–—]?[ ]*)?(?P<name>[^\W\d_][^\n:：\[\]{{}}<>=|\"“”?!;]{{0,48}}?)"
    rf"(?P<after>[ ]*[\[(]{_CLOCK}[\])])?[ ]*(?:[:](?:[ ]+|[ ]*\n[ ]*)|[：]\s*)(?=\S)",
    re.MULTILINE,
)
_ASIDE = re.compile(r"[\[(（【*][^\n]*[\])）】*]\Z")
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
MIN_TURNS = 3
MAX_NAME_WORDS = 5
MIN_WORDS = 3.0  # mean words of a turn: `Date: Monday` lists are records, not speech
MIN_COVERAGE = 0.15  # labelled paragraphs among all from the first turn to the last: stray `Note:` lines stay prose


@dataclass(frozen=True, slots=True)
class _Turn:
    """One labelled line: the label starts at `start`, the words at `words`."""

    start: int
    words: int
    end: int  # of the line
    name: str
    timed: bool


def mark_turns(text: str, blocks: Sequence[Block], breaks: Sequence[int] = ()) -> list[Block]:
    """The blocks with speech as `turn` blocks; unchanged unless the pattern of a conversation repeats.

    A turn's block starts at its words: the label before it is in `speaker`. Paragraphs after a turn go on with its
    speaker until another turn, a heading, a table or a break.
    """
    turns = [turn for block in blocks if block.kind == "paragraph" for turn in _labelled(text, block)]
    first = _first_turn(text, blocks, turns)
    if first is None:
        return list(blocks)
    starts = {turn.start: turn for turn in turns if turn.start >= first}
    return list(_split(text, blocks, starts, sorted(breaks)))


def _labelled(text: str, block: Block) -> Iterator[_Turn]:
    if text.find(":", block.start, block.end) < 0 and text.find("：", block.start, block.end) < 0:
        return
    for found in _LABEL.finditer(text[block.start : block.end]):
        name = " ".join(found["name"].split()).strip(" ,.-–—")
        if not name or len(name.split()) > MAX_NAME_WORDS:
            continue
        end = text.find("\n", block.start + found.end(), block.end)
        timed = bool(found["clock"] or found["after"])
        yield _Turn(block.start + found.start(), block.start + found.end(), block.end if end < 0 else end, name, timed)


def _first_turn(text: str, blocks: Sequence[Block], turns: list[_Turn]) -> int | None:
    """Where the conversation starts; None if this is no conversation."""
    timed = [turn for turn in turns if turn.timed]
    if len(timed) >= MIN_TURNS and 2 * len(timed) >= len(turns):
        return timed[0].start
    again = _repeated(blocks, turns)
    if not again or not any(turn.name[:1].isupper() or not turn.name[:1].islower() for turn in again):
        return None
    inside = [turn for turn in turns if turn.start >= again[0].start]
    several = len({turn.name.casefold() for turn in inside}) > 1
    if len(inside) < MIN_TURNS or not several or 2 * len(again) < len(inside):
        return None
    if not _is_speech(text, blocks, inside):
        return None
    counts = Counter(turn.name.casefold() for turn in turns)
    return next(turn.start for turn in turns if counts[turn.name.casefold()] > 1)


def _repeated(blocks: Sequence[Block], turns: list[_Turn]) -> list[_Turn]:
    """The turns of the names that come again before a new heading: labels that come once a section head its parts."""
    headings = [block.start for block in blocks if block.kind == "heading"]
    counts = Counter((bisect_right(headings, turn.start), turn.name.casefold()) for turn in turns)
    names = {name for (_, name), count in counts.items() if count > 1}
    return [turn for turn in turns if turn.name.casefold() in names]


def _is_speech(text: str, blocks: Sequence[Block], inside: list[_Turn]) -> bool:
    words = sum(_words(text[turn.words : turn.end]) for turn in inside)
    span = sum(1 for block in blocks if inside[0].start < block.end and block.start <= inside[-1].start and block.kind != "heading")
    return words >= MIN_WORDS * len(inside) and len(inside) >= MIN_COVERAGE * span


def _words(line: str) -> float:
    spaceless = len(_SPACELESS.findall(line))
    return spaceless / 2 if spaceless else len(line.split())


def _split(text: str, blocks: Sequence[Block], starts: dict[int, _Turn], breaks: list[int]) -> Iterator[Block]:
    speaker, spoke_at = "", -1
    marks = sorted(starts)
    for block in blocks:
        if bisect_right(breaks, block.start) > bisect_right(breaks, spoke_at):
            speaker = ""
        if block.kind in {"heading", "table_head", "table_row"}:
            speaker = ""
            yield block
        elif block.kind != "paragraph":
            yield replace(block, speaker=speaker)
        else:
            mine = marks[bisect_right(marks, block.start - 1) : bisect_right(marks, block.end - 1)]
            yield from _paragraph(text, block, [starts[at] for at in mine], speaker)
            if mine:
                speaker = starts[mine[-1]].name
        spoke_at = block.start


def _paragraph(text: str, block: Block, turns: list[_Turn], speaker: str) -> Iterator[Block]:
    """The pieces of one paragraph: what goes on from before, then each turn from its words to the next label."""
    head_end = turns[0].start if turns else block.end
    if head := _trimmed(text, block.start, head_end):
        aside = _ASIDE.match(text[head[0] : head[1]])
        goes_on = bool(speaker) and not aside
        yield replace(block, start=head[0], end=head[1], kind="turn" if goes_on else "paragraph", speaker=speaker if goes_on else "")
    for turn, following in zip_longest(turns, turns[1:]):
        if piece := _trimmed(text, turn.words, following.start if following else block.end):
            yield replace(block, start=piece[0], end=piece[1], kind="turn", speaker=turn.name)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)
