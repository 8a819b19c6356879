"""One change in words: what it is about, the old words and the new, each an exact slice of its source."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from beacon.analyst.markdown import plain, quoted
from beacon.analyst.sentences import split_sentences
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import spell_out
from beacon.domain.change import Change, ChangeKind, ChangeSide, SourceRef

LONGEST = 420  # characters of a quote shown whole
_UNNAMED = frozenset({"is", "has", "%", "$", "€", "£", "amount", "percentage point", "basis point"})


@dataclass(frozen=True, slots=True)
class ShownSide:
    """A quote as it is shown: the exact slice `[start, end)`, and whether text around it was left out."""

    quote: str
    source: SourceRef
    start: int
    end: int
    before: bool = False
    after: bool = False

    def text(self) -> str:
        """The quote in its marks, with an ellipsis outside them where it was cut."""
        return ("… " if self.before else "") + quoted(self.quote) + (" …" if self.after else "")


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change ready to print; `sides` are old first."""

    kind: ChangeKind
    subject: str
    sides: tuple[ShownSide, ...]
    has_old: bool
    has_new: bool
    values: tuple[str, str]
    field: bool = False  # sides are fields of an entry, which say nothing without its name

    def line(self, marks: Sequence[str]) -> str:
        """The bullet's words, `marks` being the citations of the sides."""
        sides = [f"{side.text()} ({_day(side)}) {mark}".replace(" ()", "") for side, mark in zip(self.sides, marks, strict=True)]
        return _frame(self, sides)

    def plain(self) -> str:
        """The same without citations."""
        return _frame(self, [side.text() for side in self.sides])


def show_change(change: Change) -> ShownChange:
    """How `change` is shown: its subject in words, and its sides cut to what differs."""
    old, new = (_shown(side) if side else None for side in (change.old, change.new))
    field = bool(change.attribute) and not change.subject and _is_value(change)
    if field and change.old and change.new:
        old, new = _value_side(change.old, change.old_value), _value_side(change.new, change.new_value)
    if old and new and change.kind == "changed":
        old, new = _cut(old, new), _cut(new, old)
    sides = tuple(_clip(side) for side in (old, new) if side)
    values = ("", "") if field else (change.old_value, change.new_value)
    return ShownChange(change.kind, _subject(change, field=field), sides, old is not None, new is not None, values, field)


def _is_value(change: Change) -> bool:
    return all(value in side.quote for value, side in ((change.old_value, change.old), (change.new_value, change.new)) if side)


def _shown(side: ChangeSide) -> ShownSide:
    return ShownSide(side.quote, side.source, side.source.start, side.source.end)


def _value_side(side: ChangeSide, value: str) -> ShownSide:
    at = side.quote.rfind(value) if value else -1
    if at < 0:
        return _shown(side)
    return ShownSide(value, side.source, side.source.start + at, side.source.start + at + len(value))


def _subject(change: Change, *, field: bool) -> str:
    name = "" if change.attribute in _UNNAMED else plain(_label(change.attribute))
    if field:
        title = plain(change.shown().source.title)
        return f"{name}, {title}" if change.kind == "changed" else title
    subject = plain(change.subject)
    whole = ", ".join(part for part in (subject, name) if part) if subject else ""
    return whole[:1].upper() + whole[1:]


def _label(attribute: str) -> str:
    """A field's name in words: `dueDate` becomes "due date"; a name in capitals stays."""
    words = spell_out(attribute)
    return words if words == attribute else " ".join(word if word.isupper() else word.lower() for word in words.split())


def _cut(side: ShownSide, other: ShownSide) -> ShownSide:
    """Only the sentences that the other side lacks, when there are several and they stand together."""
    spans = split_sentences(side.quote)
    if len(spans) < 2:
        return side
    there = {statement_key(other.quote[start:end]) for start, end in split_sentences(other.quote)}
    own = [span for span in spans if statement_key(side.quote[span[0] : span[1]]) not in there]
    if not own or len(own) == len(spans):
        return side
    return _slice(side, own[0][0], own[-1][1])


def _clip(side: ShownSide) -> ShownSide:
    """A long quote cut at a sentence's or a word's end; a quotation mark that is never closed is left off."""
    if side.quote[:1] in '"“' and not any(mark in side.quote[1:] for mark in '"”'):
        side = replace(_slice(side, 1, len(side.quote)), before=side.before)
    if len(side.quote) <= LONGEST:
        return side
    ends = [end for _, end in split_sentences(side.quote) if end <= LONGEST]
    end = ends[-1] if ends else side.quote.rfind(" ", 0, LONGEST)
    return _slice(side, 0, end if end > 0 else LONGEST)


def _slice(side: ShownSide, start: int, end: int) -> ShownSide:
    return ShownSide(
        side.quote[start:end],
        side.source,
        side.start + start,
        side.start + end,
        side.before or start > 0,
        side.after or end < len(side.quote),
    )


def _day(side: ShownSide) -> str:
    return side.source.version_date


def _frame(shown: ShownChange, sides: Sequence[str]) -> str:
    lead = f"**{shown.subject}:** " if shown.subject else ""
    was, now = shown.values
    if shown.kind == "changed" and was and now and len(was) + len(now) < 80:
        lead = f"**{shown.subject}: {plain(was)} → {plain(now)}.** " if shown.subject else f"**{plain(was)} → {plain(now)}.** "
    if shown.kind == "changed" and len(sides) == 2:
        return f"{lead}{sides[0]} → {sides[1]}"
    if shown.kind == "contradicted" and len(sides) == 2:
        return f"{lead}{sides[1]}, but {sides[0]}"
    named = lead if shown.field else ""
    if shown.kind == "dropped":
        return f"{named}{' '.join(sides)}: said then, and not in the next issue."
    if shown.kind == "retracted":
        return f"{named}{' '.join(sides)}: gone from the source since."
    return named + " ".join(sides)
