"""Views of documents without a store: what a run compares, built in memory, and the two plain diffs beside it."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path

from beacon.analyst.sentences import split_sentences
from beacon.domain.change import Change, ChangeSide
from beacon.domain.ids import digest, make_id
from beacon.domain.source import IncomingDocument, Source, Version, pack_blocks
from beacon.ingest.manifest import read_folder
from beacon.ingest.parse import parse_bytes
from beacon.runs.changes import compare_views
from beacon.runs.views import Seen, View

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text; `text` names it (a file, a version or a side)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a list of changes: its kind, and where its two sides stand."""

    kind: str
    old: Span | None
    new: Span | None
    words: int  # what there is to read


def read_documents(folder: Path) -> list[IncomingDocument]:
    """The documents of a folder as reading it gives them, every version of a source after the one before."""
    return list(read_folder(folder).documents)


def seen(document: IncomingDocument, n: int = 1) -> Seen:
    """A document as a run sees it once it is stored."""
    body = document.document
    source = Source(
        id=make_id("src", "bench", document.key), project_id="bench", key=document.key, url=document.url, title=document.title,
        created_at=EPOCH, kind=document.kind, role=document.role, series=document.series, derived_from=document.derived_from,
    )  # fmt: skip
    text = body.text if body else ""
    version = Version(
        id=make_id("ver", source.id, n, digest(text)), source_id=source.id, n=n, sha256=digest(text) if body else "", text=text,
        title=document.title, media_type=body.media_type if body else "", fetched_at=EPOCH, withdrawn=body is None,
        blocks=pack_blocks(body.blocks) if body else [], version_date=document.version_date, published_at=document.published_at,
    )  # fmt: skip
    return Seen(source, version)


def timeline(documents: Iterable[IncomingDocument]) -> list[tuple[str, View]]:
    """(day, what is known then) for each day on which something came, oldest first."""
    histories: dict[str, list[Seen]] = defaultdict(list)
    for document in documents:
        one = seen(document, len(histories[document.key]) + 1)
        histories[document.key].append(one)
    days = sorted({one.day for history in histories.values() for one in history})
    return [(day, _at(day, histories.values())) for day in days]


def _at(day: str, histories: Iterable[list[Seen]]) -> View:
    known: dict[str, Seen] = {}
    for history in histories:
        at = bisect_right([one.day for one in history], day)
        if at:
            known[history[at - 1].id] = history[at - 1]
    return View({key: known[key] for key in sorted(known)})


def pair_views(old: bytes, new: bytes, names: tuple[str, str], urls: tuple[str, str], *, apart: bool = False) -> tuple[View, View]:
    """One source before and after; `apart`: the second is a source of its own, found beside the first."""
    documents = []
    for n, (data, name, url) in enumerate(zip((old, new), names, urls, strict=True)):
        document = parse_bytes(data, name=name)
        key = f"pair-{n}" if apart else "pair"
        documents.append(IncomingDocument(key, url, document.title, document, version_date=EPOCH.replace(month=1 + n)))
    first, second = seen(documents[0]), seen(documents[1], 1 if apart else 2)
    both = {one.id: one for one in (first, second)} if apart else {second.id: second}
    return View({first.id: first}), View({key: both[key] for key in sorted(both)})


def beacon_changes(old: View, new: View, focus: str) -> list[Change]:
    """The changes a run over these views lists, best first; confirmations are not listed."""
    return [change for change in compare_views(old, new, focus=focus) if change.kind != "confirmed"]


def items_of(changes: Iterable[Change]) -> list[Item]:
    """The changes as items; their spans are named by version."""
    return [Item(one.kind, _span(one.old), _span(one.new), _words(one)) for one in changes]


def _span(side: ChangeSide | None) -> Span | None:
    return Span(side.source.version_id, side.source.start, side.source.end) if side else None


def _words(change: Change) -> int:
    return sum(len(side.text.split()) for side in (change.old, change.new) if side)


def line_diff(old: str, new: str, names: tuple[str, str] = ("old", "new")) -> list[Item]:
    """What a plain line diff lists, top to bottom, replaced lines side by side."""
    return _diff((old, _lines(old)), (new, _lines(new)), names)


def sentence_diff(old: str, new: str, names: tuple[str, str] = ("old", "new")) -> list[Item]:
    """The same over sentences: no line break counts."""
    return _diff((old, split_sentences(old)), (new, split_sentences(new)), names)


def _lines(text: str) -> list[tuple[int, int]]:
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            spans.append((at, at + len(line.rstrip())))
        at += len(line)
    return spans


_Spans = tuple[str, Sequence[tuple[int, int]]]


def _diff(old: _Spans, new: _Spans, names: tuple[str, str]) -> list[Item]:
    units = [[" ".join(text[start:end].split()) for start, end in spans] for text, spans in (old, new)]
    found: list[Item] = []
    for tag, a, b, c, d in SequenceMatcher(None, units[0], units[1], autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for n in range(max(b - a, d - c)):
            left = Span(names[0], *old[1][a + n]) if a + n < b else None
            right = Span(names[1], *new[1][c + n]) if c + n < d else None
            words = (len(units[0][a + n].split()) if left else 0) + (len(units[1][c + n].split()) if right else 0)
            found.append(Item("changed" if left and right else "new" if right else "dropped", left, right, words))
    return found


def renamed(items: Iterable[Item], names: dict[str, str]) -> list[Item]:
    """The items with their texts named as `names` says."""
    return [replace(one, old=_named(one.old, names), new=_named(one.new, names)) for one in items]


def _named(span: Span | None, names: dict[str, str]) -> Span | None:
    return replace(span, text=names.get(span.text, span.text)) if span else None
