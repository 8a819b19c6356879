"""Forty pairs of documents that say the same and look different, and the same pairs with real edits underneath."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from beacon.runs.views import Seen, View
from bench.change_truth import Reading, TrueChange
from bench.change_views import Item, Span, line_diff, pair_views
from bench.cosmetic_documents import (
    BULLETIN,
    FAQ,
    MINUTES,
    POLICY,
    PRESS,
    RELEASE,
    SPECIFICATION,
    RealEdit,
    Sample,
)
from bench.cosmetic_edits import Look, render
from bench.cosmetic_languages import CHINESE, FRENCH, GERMAN
from bench.cosmetic_records import ADVISORY, LIFE_CYCLE, SURVEY

_SHORT = (("e.g.", "for example"), ("approx.", "approximately"), ("i.e.", "that is"), ("incl.", "including"))
_LONG_DE = (("z. B.", "zum Beispiel"),)
_RANGE = "{} and prior"
_ELSEWHERE = "https://www.example.net/archive/item-7"
_PAGE = Look(form="html", chrome=1)
_TEXT = Look(form="txt")
_MD = Look()


@dataclass(frozen=True, slots=True)
class Pair:
    """A document before and after; `apart`: the second stands under another address as a source of its own."""

    name: str
    old_text: str
    new_text: str
    old_look: Look
    new_look: Look
    truth: Sequence[TrueChange] = ()
    apart: bool = False

    def views(self) -> tuple[View, View]:
        """What a run knows before and after."""
        names = (f"before.{self.old_look.form}", f"after.{self.new_look.form}")
        return pair_views(*self._bytes(), names, (self.old_look.url, self.new_look.url), apart=self.apart)

    def newer(self, view: View) -> Seen:
        """The second document in what is known after."""
        return max(view.seen.values(), key=lambda one: one.day)

    def line_diff(self) -> list[Item]:
        """What a line diff of the two files lists."""
        old, new = (data.decode("utf-8", "replace") for data in self._bytes())
        return line_diff(old, new)

    def _bytes(self) -> tuple[bytes, bytes]:
        return render(self.old_text, self.old_look), render(self.new_text, self.new_look)


@dataclass(frozen=True, slots=True)
class _Case:
    sample: Sample
    label: str
    old: Look
    new: Look
    apart: bool = False


def _case(sample: Sample, label: str, base: Look, **edits: object) -> _Case:
    return _Case(sample, label, base, replace(base, **edits))  # type: ignore[arg-type]


CASES: tuple[_Case, ...] = (
    _case(POLICY, "re-wrapped at 72", replace(_TEXT, width=100), width=72),
    _case(POLICY, "sections and items in another order", _MD, turned="sections items"),
    _case(POLICY, "typography", _MD, curly=True, spaces=True, dashes=True, ligatures=True),
    _case(POLICY, "dates, numbers, percent", _PAGE, dates="uk", thousands="", percent=True),
    _case(POLICY, "page to Markdown", _PAGE, form="md", chrome=0),
    _case(SPECIFICATION, "headings numbered", _MD, numbered=True),
    _case(SPECIFICATION, "ranges restated, abbreviations written out", _MD, ranges=_RANGE, words=_SHORT),
    _case(SPECIFICATION, "page numbers and wrapping", replace(_TEXT, width=90), pages=True, width=64),
    _case(SPECIFICATION, "emphasis", _PAGE, bold=("MUST", "SHOULD", "MAY", "HELLO")),
    _case(PRESS, "navigation, notice and footer", _PAGE, chrome=2, stamp="2026-06-01"),
    _case(PRESS, "links lead elsewhere", _MD, links="links.example.net"),
    _case(PRESS, "quotation marks, spaces and ligatures", _TEXT, curly=True, spaces=True, ligatures=True),
    _case(PRESS, "American dates, thin thousands", _PAGE, dates="us", thousands="\u202f", percent=True),
    _case(FAQ, "questions in another order", _MD, turned="sections"),
    _case(FAQ, "footer and stamp", replace(_TEXT, chrome=1, stamp="2026-01-05"), chrome=3, stamp="2026-04-17"),
    _case(FAQ, "encoding and line ends", _PAGE, encoding="utf-16", newline="\r\n", width=80),
    _case(FAQ, "abbreviations and emphasis", _MD, words=_SHORT, bold=("written permission", "deposit")),
    _case(MINUTES, "dates and thousands", _MD, dates="us", thousands=" "),
    _case(MINUTES, "wrapped, page numbers, stamp", replace(_TEXT, stamp="2026-04-20"), width=76, pages=True, stamp="2026-05-02"),
    _case(MINUTES, "page rebuilt", _PAGE, chrome=2, width=90, links="docs.example.net", stamp="2026-05-02"),
    _case(RELEASE, "items in another order", _MD, turned="items"),
    _case(RELEASE, "Markdown to page", _MD, form="html", chrome=3),
    _case(RELEASE, "ranges, percent, headings numbered", _MD, ranges="{} and earlier", percent=True, numbered=True),
    _case(BULLETIN, "table padded, rows in another order", _MD, padded=True, turned="rows"),
    _case(BULLETIN, "versions and prior", _PAGE, ranges=_RANGE, chrome=2),
    _case(BULLETIN, "page to Markdown, dates", _PAGE, form="md", chrome=0, dates="us"),
    _case(GERMAN, "encoding and dates", replace(_PAGE, encoding="cp1252"), encoding="utf-8", dates="de", percent=True),
    _case(GERMAN, "wrapped, written out", replace(_TEXT, width=100), width=70, words=_LONG_DE),
    _case(GERMAN, "thousands and spaces", _MD, words=(("2.400", "2\u202f400"),), spaces=True, chrome=3),
    _case(FRENCH, "dates, percent, quotation", _MD, dates="fr", percent=True, curly=True),
    _case(FRENCH, "items and sections in another order", _PAGE, turned="items sections", chrome=2),
    _case(CHINESE, "wrapped", _TEXT, width=28),
    _case(CHINESE, "full-width digits and dates", _MD, full_width=True, dates="zh"),
    _case(CHINESE, "encoding, navigation", _PAGE, encoding="gb18030", chrome=3, stamp="2026-05-01"),
    _case(LIFE_CYCLE, "rows in another order, cells padded", _MD, turned="rows", padded=True),
    _case(LIFE_CYCLE, "page to Markdown", _PAGE, form="md", chrome=0, padded=True, thousands=""),
    _case(LIFE_CYCLE, "file quoted and turned", Look(form="csv"), padded=True, turned="rows"),
    _case(SURVEY, "answers in another order, quoted", Look(form="csv"), padded=True, turned="rows", curly=True),
    _case(
        ADVISORY,
        "keys and lists in another order, indented",
        Look(form="json", stamp="2026-03-18"),
        padded=True,
        turned="keys items",
        stamp="2026-03-20",
    ),
    _Case(PRESS, "the same under a new address", _PAGE, replace(_PAGE, url=_ELSEWHERE, chrome=2, width=80), apart=True),
)

_BUSY = replace(
    _MD, turned="sections items rows", numbered=True, padded=True, links="else.example.net", thousands="\u202f", percent=True,
    ranges=_RANGE, words=_SHORT, curly=True, dashes=True, spaces=True, ligatures=True, chrome=3, stamp="2026-06-30", width=76, dates="us",
)  # fmt: skip
# Every edit at once, one pair a document: a check that is not looked at while the comparer is built.
AT_ONCE: tuple[_Case, ...] = tuple(
    _Case(sample, "all at once", old, new)
    for sample, old, new in (
        (POLICY, _PAGE, _BUSY),
        (SPECIFICATION, _MD, replace(_BUSY, form="html", bold=("MUST", "SHOULD"), encoding="utf-16")),
        (PRESS, replace(_PAGE, stamp="2026-05-12"), replace(_BUSY, dates="uk", thousands="")),
        (FAQ, _MD, replace(_BUSY, form="html", newline="\r\n")),
        (MINUTES, _PAGE, _BUSY),
        (RELEASE, _MD, replace(_BUSY, form="html", ranges="{} and earlier")),
        (BULLETIN, _PAGE, replace(_BUSY, thousands=" ")),
        (GERMAN, replace(_PAGE, encoding="cp1252"), replace(_BUSY, dates="de", words=_LONG_DE, thousands=",")),
        (FRENCH, _MD, replace(_BUSY, form="html", dates="fr", words=(), thousands=",")),
        (CHINESE, _PAGE, replace(_BUSY, dates="zh", words=(), full_width=True, width=0)),
        (LIFE_CYCLE, _PAGE, replace(_BUSY, dates="uk")),
        (SURVEY, _MD, replace(_BUSY, form="html")),
        (ADVISORY, Look(form="json"), replace(_BUSY, form="json", turned="keys items", width=0, stamp="")),
    )
)


def cosmetic_pairs(cases: Sequence[_Case] = CASES) -> Iterator[Pair]:
    """The forty pairs, or those of other cases."""
    for case in cases:
        text = case.sample.text
        yield Pair(f"{case.sample.name}: {case.label}", text, text, case.old, case.new, apart=case.apart)


def overlaid_pairs(cases: Sequence[_Case] = CASES) -> Iterator[Pair]:
    """The pairs of one source with real edits under the cosmetic ones; an edit that this form cannot show is left out."""
    for case in cases:
        if not case.apart:
            yield _overlaid(case)


def _overlaid(case: _Case) -> Pair:
    text = case.sample.text
    edits = [edit for edit in case.sample.edits if case.old.form != "csv" or "|" in edit[1]]
    for _, old, new, _, _ in edits:
        if text.count(old) != 1:
            raise ValueError(f"{case.sample.name}: '{old}' stands {text.count(old)} times, so it cannot be edited by its words")
        text = text.replace(old, new)
    pair = Pair(f"{case.sample.name}: {case.label}", case.sample.text, text, case.old, case.new)
    before, after = pair.views()
    texts = [next(iter(view.seen.values())).version.text for view in (before, after)]
    return replace(pair, truth=tuple(_true_change(n, edit, texts[0], texts[1]) for n, edit in enumerate(edits, 1)))


def _true_change(n: int, edit: RealEdit, old_text: str, new_text: str) -> TrueChange:
    kind, _, _, old, new = edit
    sides = [(_anchored(side, text, anchor),) if anchor else () for side, text, anchor in (("old", old_text, old), ("new", new_text, new))]
    return TrueChange(f"{n}", True, (Reading(kind, sides[0], sides[1]),))


def _anchored(side: str, text: str, anchor: str) -> Span:
    """Where the anchor stands, however its words are set apart. Raises ValueError unless it stands there once."""
    letters = [re.escape(part) for part in re.findall(r"\w+", anchor)]
    pattern = r"[\W_]+".join(part if part.isascii() else r"\s?".join(part) for part in letters)
    pattern = pattern.replace("ffi", "(?:ffi|ﬃ)").replace("fi", "(?:fi|ﬁ)").replace("fl", "(?:fl|ﬂ)")
    found = [one.span() for one in re.finditer(pattern, text)]
    if len(found) != 1:
        raise ValueError(f"'{anchor}' stands {len(found)} times in the {side} text")
    return Span(side, *found[0])
