"""A report while it is being written: what it is made from, the numbers it gives out, what it said already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from beacon.analyst.markdown import link, plain, quoted, site
from beacon.analyst.preferences import Preferences
from beacon.analyst.quantities import bare_numbers
from beacon.analyst.shapes import Piece, figures, pieces, shortened
from beacon.analyst.statements import statement_key
from beacon.analyst.telling import is_alike, is_telling_figure
from beacon.analyst.tokens import content_tokens, spell_out
from beacon.domain.change import Change, SourceRef

WHAT_CHANGED, IN_BRIEF, KEY_FACTS, DISAGREEMENTS, SOURCES = (
    "What Changed",
    "In brief",
    "Key facts",
    "Disagreements between sources",
    "Sources",
)
_SAME = 0.6  # share of content words in common from which two statements say the same
_SAME_AMOUNTS = 0.5  # of the shorter one's words, where it has no amount that the other lacks
_FIGURES = 3  # figures in common, one of them telling, from which two statements in any words or languages say the same
_LONGEST = 420  # characters of a quote shown whole
_MOST_LABELLED = 3  # values of one row shown with their columns' names


@dataclass(frozen=True, slots=True)
class Evidence:
    """An exact quote, ready to be cited."""

    quote: str
    source_id: str
    start: int
    end: int
    version_id: str = ""
    date: str = ""  # ISO date of the version
    speaker: str = ""
    kind: str = ""  # of the statement it is; empty where unknown
    head: str = ""  # of a table's row: the names of its columns, ' | ' between them


@dataclass(frozen=True, slots=True)
class ReportSource:
    """A source that the run read."""

    source_id: str
    title: str
    url: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class SectionEvidence:
    """A question of the plan with the evidence found for it, best first."""

    title: str
    question: str
    evidence: tuple[Evidence, ...] = ()
    missing: str = ""  # what would help where there is no evidence


@dataclass(frozen=True, slots=True)
class ReportInput:
    """All that a report is written from. `since` is the date of the last run, empty on the first."""

    title: str
    run_number: int
    date: str
    sections: tuple[SectionEvidence, ...] = ()
    key_facts: tuple[Evidence, ...] = ()
    changes: tuple[Change, ...] = ()
    disagreements: tuple[Change, ...] = ()
    sources: tuple[ReportSource, ...] = ()
    since: str = ""
    sources_checked: int = 0
    confirmed: int = 0
    preferences: Preferences = field(default_factory=Preferences)
    notes: tuple[str, ...] = ()  # what the reader must know of the run itself
    leave_out: frozenset[str] = frozenset()  # keys (`statement_key`) of parts the reader does without


@dataclass(frozen=True, slots=True)
class ReportSentence:
    """One claim of the report: its words, the numbers it cites, and the quotes those stand for."""

    text: str
    citations: tuple[int, ...]
    part: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A number in the text and the source it stands for."""

    n: int
    source: ReportSource


@dataclass(frozen=True, slots=True)
class ReportText:
    """The report: Markdown, its claims, and the sources cited, by number."""

    markdown: str
    sentences: tuple[ReportSentence, ...]
    sources: tuple[CitedSource, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of each part a verbosity allows."""

    brief: int
    per_section: int
    changes: int
    facts: int
    leads: int  # changes that open the report


LIMITS: Mapping[str, Limits] = {"low": Limits(3, 2, 6, 5, 2), "medium": Limits(5, 4, 12, 5, 3), "high": Limits(7, 8, 24, 10, 4)}


def evidence_key(evidence: Evidence) -> str:
    """The key by which a report knows that it said something already."""
    return statement_key(evidence.quote)


class Page:
    """The report while it is being written: lines, claims, numbers given out, what was said."""

    def __init__(self, given: ReportInput, without: frozenset[str]) -> None:
        self.given = given
        self.limits = LIMITS[given.preferences.verbosity]
        self.lines: list[str] = []
        self.sentences: list[ReportSentence] = []
        self.numbers: dict[str, int] = {}
        self.without = without
        self.said: set[str] = set(without)
        self.disagreed: set[str] = set()
        self._worded: list[_Content] = []
        self.told: list[Evidence] = []
        self._told: list[_Content] = []
        self._sources = {one.source_id: one for one in given.sources}

    def source(self, source_id: str) -> ReportSource:
        """The source of that id; one that was not listed goes by its id."""
        return self._sources.get(source_id, ReportSource(source_id, source_id))

    def know(self, ref: SourceRef) -> None:
        """A source that a change names: one that was withdrawn is not among those read."""
        self._sources.setdefault(ref.source_id, ReportSource(ref.source_id, ref.title or ref.source_id, ref.url, ref.version_date))

    def name(self, source_id: str, date: str = "") -> str:
        """A source as a sentence names it: title and, unless the title has it, date."""
        source = self.source(source_id)
        day = date or source.date
        return f"*{plain(source.title)}*" + (f" ({day})" if day and day not in source.title else "")

    def mark(self, source_id: str) -> str:
        """The citation mark of a source in the reader's style; gives out its number."""
        source = self.source(source_id)
        if source.title == source_id:
            self._sources.setdefault(source_id, source)
        n = self.numbers.setdefault(source_id, len(self.numbers) + 1)
        style = self.given.preferences.citation_style
        if style == "footnotes":
            return f"[^{n}]"
        return f"({link(site(source.url), source.url)})" if style == "inline" and source.url else f"[{n}]"

    def claim(self, part: str, text: str, evidence: Sequence[Evidence]) -> None:
        """Record a claim with the numbers it cites."""
        numbers = tuple(dict.fromkeys(self.numbers[one.source_id] for one in evidence))
        self.sentences.append(ReportSentence(text, numbers, part, tuple(evidence)))

    def take(self, evidence: Sequence[Evidence], most: int, *, again: int = 0) -> list[Evidence]:
        """The first `most` quotes that say what was not said before; they count as said now.

        `again` of them may say what a change said that was told.
        """
        taken: list[Evidence] = []
        repeated = 0
        for one in evidence:
            if len(taken) >= most:
                break
            told = self.is_told(one)
            if self.is_new(one) and (repeated < again or not told):
                repeated += told
                self.note(one)
                taken.append(one)
        return taken

    def is_new(self, one: Evidence) -> bool:
        """True when the report has not said this yet, in these words or others."""
        key = evidence_key(one)
        content = _content(one)
        return bool(key) and key not in self.said and not any(_same(content, other) for other in self._worded)

    def is_told(self, one: Evidence) -> bool:
        """True when a change that was told quotes this."""
        content = _content(one)
        return any(_same(content, other) for other in self._told)

    def tell(self, quotes: Sequence[Evidence]) -> None:
        """Remember what a change quoted as holding now."""
        self._told += [_content(one) for one in quotes]

    def note(self, one: Evidence) -> None:
        """Remember that this was said."""
        self.said.add(evidence_key(one))
        self._worded.append(_content(one))

    def quote(self, part: str, one: Evidence) -> str:
        """The quote with its mark, its values under their names; it is recorded as a claim."""
        shown = [_clipped(one, piece) for piece in pieces(one.quote, one.kind, one.head)[:_MOST_LABELLED]]
        cited = [_slice(one, piece) for piece in shown]
        mark = self.mark(one.source_id)
        text = "; ".join(_words(one, *pair) for pair in zip(shown, cited, strict=True))
        self.claim(part, text, cited)
        return f"{text} {mark}"

    def is_wanted(self, heading: str) -> bool:
        """False for a part the reader does without."""
        return statement_key(heading) not in self.given.leave_out


def _clipped(one: Evidence, piece: Piece) -> Piece:
    end = piece.start + shortened(one.quote[piece.start : piece.end], _LONGEST)
    return Piece(piece.label, piece.start, end)


def _words(whole: Evidence, piece: Piece, one: Evidence) -> str:
    cut = " …" if piece.end < len(whole.quote) and not piece.label and whole.kind != "table_row" else ""
    return (f"{plain(piece.label)}: " if piece.label else "") + quoted(one.quote) + cut


def _slice(one: Evidence, piece: Piece) -> Evidence:
    if (piece.start, piece.end) == (0, len(one.quote)):
        return one
    start = one.start + piece.start if one.start >= 0 else one.start
    end = one.start + piece.end if one.start >= 0 else one.end
    return Evidence(one.quote[piece.start : piece.end], one.source_id, start, end, one.version_id, one.date, one.speaker)


@dataclass(frozen=True, slots=True)
class _Content:
    """What a statement says, as far as two can be held against each other."""

    words: frozenset[str]
    amounts: frozenset[float]
    figures: frozenset[str]


def _content(one: Evidence) -> _Content:
    text = spell_out(one.quote).replace("_", " ")
    return _Content(frozenset(content_tokens(text)), bare_numbers(text), figures(text))


def _same(mine: _Content, other: _Content) -> bool:
    common = len(mine.words & other.words)
    if is_alike(mine.words, other.words, _SAME):
        return mine.amounts == other.amounts or not mine.amounts
    if mine.amounts and mine.amounts <= other.amounts and common >= _SAME_AMOUNTS * max(1, min(len(mine.words), len(other.words))):
        return True
    return len(mine.figures) >= _FIGURES and mine.figures <= other.figures and any(map(is_telling_figure, mine.figures))
