"""Three lists of what differs between two documents: Beacon's, a line diff's and a sentence diff's, each in the order it is read."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher

from beacon.analyst.sentences import split_sentences
from beacon.domain.source import Document, Source, Version, pack_blocks
from beacon.runs.changes import change_rows, compare_views
from beacon.runs.views import Seen, View
from bench.long_pairs.locate import Span

_DAYS = (datetime(2030, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list as it is printed: spans into the two versions' texts, None for a side it does not show."""

    old: Span | None
    new: Span | None
    old_text: str = ""
    new_text: str = ""

    @property
    def words(self) -> int:
        return len(self.old_text.split()) + len(self.new_text.split())


def beacon_list(old: Document, new: Document, title: str) -> list[Item]:
    """What `beacon changes` prints for a topic called `title` that has this one source."""
    views = [View({"src": _seen(document, n)}) for n, document in enumerate((old, new))]
    rows = change_rows(compare_views(views[0], views[1], focus=title), "bench")
    return [_item(row) for row in rows if row["kind"] != "confirmed"]


def _seen(document: Document, n: int) -> Seen:
    source = Source("src", "bench", "src", "https://example.org/document", document.title, _DAYS[0])
    version = Version(
        f"v{n}",
        "src",
        n + 1,
        hashlib.sha256(document.text.encode()).hexdigest(),
        document.text,
        document.title,
        document.media_type,
        _DAYS[n],
        blocks=pack_blocks(document.blocks),
        version_date=_DAYS[n],
    )
    return Seen(source, version)


def _item(row: dict[str, object]) -> Item:
    new, old = row["source"] if row["quote"] is not None else None, row["old"]
    assert new is None or isinstance(new, dict)
    assert old is None or isinstance(old, dict)
    return Item(
        (old["source"]["start"], old["source"]["end"]) if old else None,
        (new["start"], new["end"]) if new else None,
        str(old["text"]) if old else "",
        str(row["text"]) if new else "",
    )


def line_diff(old: Document, new: Document) -> list[Item]:
    """The lines of a line diff, from top to bottom, old beside new as in a diff of two columns."""
    sides = [[(m.start(), m.end()) for m in re.finditer(r"[^\n]*\S[^\n]*", one.text)] for one in (old, new)]
    return list(_hunks(old.text, new.text, sides[0], sides[1]))


def sentence_diff(old: Document, new: Document) -> list[Item]:
    """The sentences, rows and fields that differ, from top to bottom, old beside new."""
    return list(_hunks(old.text, new.text, _sentences(old), _sentences(new)))


def _sentences(document: Document) -> list[Span]:
    found = []
    for block in document.blocks:
        stretch = document.text[block.start : block.end]
        whole = block.kind in ("field", "table_row", "heading", "code")
        found += [(block.start + a, block.start + b) for a, b in ([(0, len(stretch))] if whole else split_sentences(stretch))]
    return found


def _hunks(old: str, new: str, left: Sequence[Span], right: Sequence[Span]) -> Iterator[Item]:
    keys = [[" ".join(text[a:b].split()) for a, b in spans] for text, spans in ((old, left), (new, right))]
    for tag, i, j, k, m in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = left[i:j], right[k:m]
        for at in range(max(len(gone), len(come))):
            a, b = (side[at] if at < len(side) else None for side in (gone, come))
            yield Item(a, b, old[a[0] : a[1]] if a else "", new[b[0] : b[1]] if b else "")
