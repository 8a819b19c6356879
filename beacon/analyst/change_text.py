"""One change in words: what it is about, the old words and the new, each an exact slice of its source."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from beacon.analyst.markdown import plain, quoted
from beacon.analyst.sentences import split_sentences
from beacon.analyst.shapes import Piece, is_prose, label_words, pieces, shortened, tells_all
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import content_tokens
from beacon.domain.change import Change, ChangeKind, ChangeSide, SourceRef

LONGEST = 420  # characters of a quote shown whole
VALUES = 80  # characters of old and new value that fit in a heading
MOST_PIECES = 4  # values of an entry that are shown
_UNNAMED = frozenset({"is", "has", "%", "$", "€", "£", "amount", "percentage point", "basis point", "value"})
_OUTER = re.compile(r"/(?=[\w.$-]+(?:/[\w.$-]+)*$)")


@dataclass(frozen=True, slots=True)
class ShownSide:
    """A quote as it is shown: the exact slice `[start, end)`, what it is a value of, and whether text around it was left out."""

    quote: str
    source: SourceRef
    start: int
    end: int
    label: str = ""
    before: bool = False
    after: bool = False

    def text(self, named: str = "") -> str:
        """The quote in its marks, with its label unless that is `named` already, and an ellipsis outside them where it was cut."""
        label = f"{plain(self.label)} " if self.label and self.label.casefold() != named.casefold() else ""
        return label + ("… " if self.before else "") + quoted(self.quote) + (" …" if self.after else "")


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change ready to print; each side is one quote, or the values of an entry one by one."""

    kind: ChangeKind
    subject: str
    old: tuple[ShownSide, ...]
    new: tuple[ShownSide, ...]
    values: tuple[str, ...] = ()  # from the first to the last, where they are short enough for the heading
    named: str = ""  # the label that the heading has already
    always_named: bool = False  # the quotes say nothing without the subject
    place: str = ""  # the source's title, where the words alone do not say what they are of

    @property
    def sides(self) -> tuple[ShownSide, ...]:
        """All quotes, old first."""
        return (*self.old, *self.new)

    def line(self, mark: Callable[[str], str]) -> str:
        """The bullet's words; `mark` gives the citation of a source."""
        return _frame(self, lambda side: f"{_dated(side)} {mark(side[0].source.source_id)}", self.named)

    def plain(self) -> str:
        """The same without citations."""
        return _frame(self, lambda side: "", self.named)


def show_change(change: Change, steps: Sequence[str] = (), *, placed: bool = False) -> ShownChange:
    """How `change` is shown: its subject in words, and its sides cut to what differs.

    `steps` are values between old and new; `placed` names the source in words.
    """
    old, new = (_sides(side) if side else () for side in (change.old, change.new))
    entry = bool(change.attribute) and not change.subject and change.kind in ("new", "retracted")
    field = entry or any(side.label for side in (*old, *new))
    if change.kind == "changed" and change.old and change.new:
        old, new = _differing(old, new, change) if field else _cut_pair(change.old, change.new)
    elif change.kind not in ("changed", "contradicted"):
        old, new = _telling(old), _telling(new)
    old, new = (tuple(_clip(side) for side in sides) for sides in (old, new))
    subject, named = _subject(change, (*old, *new), field=field)
    values = (change.old_value, *steps, change.new_value)
    quotes = (change.old.quote if change.old else "", change.new.quote if change.new else "")
    short = change.kind == "changed" and sum(map(len, values)) < VALUES and tells_all((values[0], values[-1]), quotes)
    if not field and not short:
        subject, named = "", ""
    quotes_say_it = field and not steps and len(old) == len(new) == 1 and len(old[0].quote) + len(new[0].quote) < VALUES
    place = plain(change.shown().source.title) if placed else ""
    return ShownChange(change.kind, subject, old, new, values if short and not quotes_say_it else (), named, field, place)


def _sides(side: ChangeSide) -> tuple[ShownSide, ...]:
    return tuple(_piece(side, one) for one in pieces(side.quote, head=side.head))


def _piece(side: ChangeSide, piece: Piece) -> ShownSide:
    at = side.source.start
    return ShownSide(side.quote[piece.start : piece.end], side.source, at + piece.start, at + piece.end, piece.label)


def _differing(old: Sequence[ShownSide], new: Sequence[ShownSide], change: Change) -> tuple[tuple[ShownSide, ...], tuple[ShownSide, ...]]:
    """Of two entries the values that differ; of two texts in one field the sentences that do."""
    if len(old) == len(new) == 1:
        return (_cut(old[0], new[0]),), (_cut(new[0], old[0]),)
    there = ({statement_key(one.quote) for one in new}, {statement_key(one.quote) for one in old})
    sides = [[one for one in mine if statement_key(one.quote) not in theirs] for mine, theirs in zip((old, new), there, strict=True)]
    return (tuple(sides[0] or old)[:MOST_PIECES], tuple(sides[1] or new)[:MOST_PIECES])


def _cut_pair(old: ChangeSide, new: ChangeSide) -> tuple[tuple[ShownSide, ...], tuple[ShownSide, ...]]:
    before, after = (ShownSide(side.quote, side.source, side.source.start, side.source.end) for side in (old, new))
    return (_cut(before, after),), (_cut(after, before),)


def _subject(change: Change, sides: Sequence[ShownSide], *, field: bool) -> tuple[str, str]:
    """(what the change is about, the label that this names)."""
    subject = ", ".join(label_words(part) if n else plain(part) for n, part in enumerate(_OUTER.split(change.subject, maxsplit=1)) if part)
    attribute = "" if change.attribute.casefold() in _UNNAMED else plain(label_words(change.attribute))
    if field:
        subject = subject or plain(change.shown().source.title)
        labels = {side.label for side in sides}
        attribute = (attribute or plain(next(iter(labels)))) if change.kind == "changed" and len(labels) == 1 else ""
    if not subject or statement_key(attribute) == statement_key(subject):
        attribute = ""
    label = attribute or next((side.label for side in sides if statement_key(side.label) == statement_key(subject)), "")
    whole = f"{subject}: {attribute}" if attribute else subject
    return whole[:1].upper() + whole[1:], label


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
    end = shortened(side.quote, LONGEST)
    return side if end == len(side.quote) else _slice(side, 0, end)


def _slice(side: ShownSide, start: int, end: int) -> ShownSide:
    return replace(
        side, quote=side.quote[start:end], start=side.start + start, end=side.start + end,
        before=side.before or start > 0, after=side.after or end < len(side.quote),
    )  # fmt: skip


def _dated(sides: Sequence[ShownSide]) -> str:
    return f" ({sides[0].source.version_date})" if sides[0].source.version_date else ""


def _telling(sides: Sequence[ShownSide]) -> tuple[ShownSide, ...]:
    """The value of an entry that says most of it: the text nearest to its title, else the first few values in their order."""
    texts = [side for side in sides if is_prose(side.quote)]
    if len(sides) <= 1 or not texts:
        return tuple(sides[:MOST_PIECES])
    about = set(content_tokens(sides[0].source.title))
    return (max(texts, key=lambda side: (len(about & set(content_tokens(side.quote))), -side.start)),)


def _frame(shown: ShownChange, cited: Callable[[Sequence[ShownSide]], str], named: str) -> str:
    def side(quotes: Sequence[ShownSide]) -> str:
        return "; ".join(one.text(named) for one in quotes) + cited(quotes).rstrip()

    if shown.kind == "changed" and shown.old and shown.new:
        subject = f"{shown.subject}: " if shown.subject and shown.values else f"{shown.subject}:" if shown.subject else ""
        values = " → ".join(plain(value) for value in shown.values)
        lead = f"**{subject}{values}.** " if values else f"**{subject}** " if subject else ""
        return f"{lead}{side(shown.old)} → {side(shown.new)}"
    lead = f"**{shown.subject}:** " if shown.subject else ""
    if shown.kind == "contradicted" and shown.old and shown.new:
        return f"{lead}{side(shown.new)}, but {side(shown.old)}"
    lead = lead if shown.always_named else f"In *{shown.place}*: " if shown.place else ""
    words = side(shown.new or shown.old)
    if shown.kind == "dropped":
        return f"{lead}{words}: said then, and not in the next issue."
    if shown.kind == "retracted":
        return f"{lead}{words}: gone from the source since."
    return f"{lead}{words}"
