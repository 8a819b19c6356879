"""A report as one text: the brief, what changed, then the answers to the plan's questions, every claim with its source."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from beacon.analyst.change_text import ShownChange, show_change
from beacon.analyst.frameworks import find_lens
from beacon.analyst.markdown import link, plain, quoted, site
from beacon.analyst.preferences import Preferences
from beacon.analyst.quantities import bare_numbers, number_set
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import content_tokens
from beacon.domain.change import CHANGE_ICONS, CHANGE_KINDS, CHANGE_WORDS, Change, ChangeKind, SourceRef

WHAT_CHANGED, IN_BRIEF, KEY_FACTS, DISAGREEMENTS, SOURCES = (
    "What Changed",
    "In brief",
    "Key facts",
    "Disagreements between sources",
    "Sources",
)


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


ABOVE_ALL = "Above all"
LIMITS = {"low": Limits(3, 2, 6, 5, 2), "medium": Limits(5, 4, 12, 8, 3), "high": Limits(7, 8, 24, 10, 4)}
MATERIAL = 0.45  # from which a change may lead the report
_LEADS_FROM: Mapping[str, float] = {"new": 0.6, "dropped": 2.0}
_ECHO = 0.8  # share of content words in common from which two changes tell the same
_SAME_MATTER = 0.4  # the same from which the brief takes them for one matter
_MOST_COMPARED = 200
_MOST_READ = 40  # sources merely read that are listed by name
_LEADS: tuple[Callable[[str], str], ...] = (
    lambda name: f"According to {name}, ",
    lambda name: f"{name} says: ",
    lambda name: f"{name} adds: ",
)


def evidence_key(evidence: Evidence) -> str:
    """The key by which a report knows that it said something already."""
    return statement_key(evidence.quote)


def write_report(given: ReportInput, *, without: frozenset[str] = frozenset()) -> ReportText:
    """The report of a run; `without` holds keys (`evidence_key`) of quotes to leave out."""
    page = _Page(given, without)
    page.lines += [f"# {plain(given.title)}", "", _dateline(given), ""]
    for note in given.notes:
        page.lines += [f"> {plain(note)}", ""]
    told = _deltas(page) if given.since else _Told((), (), {})
    leads = _leading(told.shown, page.limits.leads)
    if given.since:
        _what_changed(page, told, leads)
    _in_brief(page, leads)
    for section in given.sections:
        _section(page, section)
    _frameworks(page)
    _key_facts(page)
    _disagreements(page)
    _sources(page)
    markdown = "\n".join(page.lines).rstrip() + "\n"
    cited = tuple(CitedSource(n, page.source(source_id)) for source_id, n in sorted(page.numbers.items(), key=lambda one: one[1]))
    return ReportText(markdown, tuple(page.sentences), cited)


class _Page:
    """The report while it is being written: lines, claims, numbers given out, what was said."""

    def __init__(self, given: ReportInput, without: frozenset[str]) -> None:
        self.given = given
        self.limits = LIMITS[given.preferences.verbosity]
        self.lines: list[str] = []
        self.sentences: list[ReportSentence] = []
        self.numbers: dict[str, int] = {}
        self.without = without
        self.briefed: set[str] = set()
        self.said: set[str] = set(without)
        self.disagreed: set[str] = set()
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

    def take(self, evidence: Sequence[Evidence], most: int) -> list[Evidence]:
        """The first `most` quotes that were not said before; they count as said now."""
        taken: list[Evidence] = []
        for one in evidence:
            key = evidence_key(one)
            if len(taken) < most and key and key not in self.said:
                self.said.add(key)
                taken.append(one)
        return taken


def _dateline(given: ReportInput) -> str:
    compared = f" · compared with {given.since}" if given.since else ""
    return f"Run #{given.run_number} · {given.date}{compared}"


@dataclass(frozen=True, slots=True)
class _Told:
    """The changes a report tells, most material first, those it merely counts, and the echoes of each told one by its place."""

    shown: tuple[Change, ...]
    rest: tuple[Change, ...]
    echoes: Mapping[int, Sequence[Change]]


def _deltas(page: _Page) -> _Told:
    deltas = [one for one in page.given.changes if one.kind != "confirmed" and not _left_out(page, one)]
    ranked, echoes = _merged(sorted(deltas, key=lambda one: -one.materiality))
    return _Told(tuple(ranked[: page.limits.changes]), tuple(ranked[page.limits.changes :]), echoes)


def _what_changed(page: _Page, told: _Told, leads: Sequence[Change]) -> None:
    given, rest = page.given, told.rest
    shown = [change for change in told.shown if not any(change is lead for lead in leads)]
    page.lines += [f"## {WHAT_CHANGED} Since {given.since}", ""]
    if not told.shown:
        count = given.sources_checked or len(given.sources)
        page.lines += [f"Nothing changed since {given.since}: {count} {'source was' if count == 1 else 'sources were'} checked.", ""]
    if leads:
        page.lines += [f"### {ABOVE_ALL}", ""]
        for change in leads:
            _change_line(page, change, f"{WHAT_CHANGED}: {change.kind}", told.echoes.get(id(change), ()))
            page.lines[-1] = page.lines[-1].replace("- ", f"- {CHANGE_ICONS[change.kind]} ", 1)
        page.lines.append("")
    for kind in sorted({one.kind for one in shown}, key=lambda kind: _kind_order(kind, shown)):
        page.lines += [f"### {CHANGE_ICONS[kind]} {CHANGE_WORDS[kind]}", ""]
        for change in shown:
            if change.kind == kind:
                _change_line(page, change, f"{WHAT_CHANGED}: {kind}", told.echoes.get(id(change), ()))
        page.lines.append("")
    if rest:
        page.lines += [f"And {len(rest)} smaller {'change' if len(rest) == 1 else 'changes'}.", ""]
    if page.given.preferences.verbosity == "high":
        _value_table(page, told.shown)
    confirmed = given.confirmed or sum(1 for one in given.changes if one.kind == "confirmed")
    if confirmed:
        page.lines += [f"{confirmed} {'statement was' if confirmed == 1 else 'statements were'} confirmed by an independent source.", ""]


def _merged(ranked: Sequence[Change]) -> tuple[list[Change], dict[int, list[Change]]]:
    """The changes without those that tell again, from another place, what a weightier one told; and these by the one that told it."""
    first: dict[tuple[object, ...], Change] = {}
    echoes: dict[int, list[Change]] = {}
    worded: list[tuple[frozenset[str], Change]] = []
    for change in ranked:
        teller = first.setdefault(_telling(change), change)
        if teller is change and len(worded) < _MOST_COMPARED:
            words = _new_words(change)
            teller = next((other for theirs, other in worded if other.kind == change.kind and _alike(words, theirs)), change)
            if teller is change:
                worded.append((words, change))
            else:
                del first[_telling(change)]
        if teller is not change:
            echoes.setdefault(id(teller), []).append(change)
    return list(first.values()), echoes


def _new_words(change: Change) -> frozenset[str]:
    shown = change.shown()
    return frozenset(content_tokens(shown.quote)) if not change.subject or change.kind != "changed" else frozenset()


def _alike(words: frozenset[str], others: frozenset[str], share: float = _ECHO) -> bool:
    return len(words & others) >= share * max(1, len(words | others))


def _telling(change: Change) -> tuple[object, ...]:
    subject = statement_key(change.subject)
    if subject and change.kind == "changed" and number_set(change.new_value):
        values = [tuple(sorted(bare_numbers(value))) for value in (change.old_value, change.new_value)]
        return (change.kind, subject, statement_key(change.attribute), *values)
    quotes = [statement_key(side.quote) if side else "" for side in (change.old, change.new)]
    source = "" if subject or not change.attribute else change.shown().source.source_id
    if source and change.kind in ("new", "retracted"):
        return (change.kind, source)  # the fields of one entry that came or went are told together
    return (change.kind, source, *quotes)


def _kind_order(kind: ChangeKind, shown: Sequence[Change]) -> tuple[float, int]:
    return (-max(one.materiality for one in shown if one.kind == kind), CHANGE_KINDS.index(kind))


def _left_out(page: _Page, change: Change) -> bool:
    return statement_key(change.shown().quote) in page.without


def _change_line(page: _Page, change: Change, part: str, echoes: Sequence[Change] = ()) -> None:
    for side in (change.new, change.old):
        if side:
            page.know(side.source)
    shown = show_change(change)
    evidence = _sides(shown)
    marks = [page.mark(one.source_id) for one in evidence]
    others = dict.fromkeys(one.shown().source.source_id for one in echoes)
    also = [page.mark(source_id) for source_id in others if source_id not in {one.source_id for one in evidence}]
    fields = len(echoes) if change.kind in ("new", "retracted") and change.attribute and not change.subject and not also else 0
    more = f" Also in {' '.join(also)}" if also else f" And {fields} more {'field' if fields == 1 else 'fields'}." if fields else ""
    page.lines.append("- " + shown.line(marks) + more)
    page.claim(part, shown.plain(), evidence)
    if change.kind == "contradicted":
        page.disagreed.add(_disagreement_key(change))


def _sides(shown: ShownChange) -> list[Evidence]:
    return [
        Evidence(one.quote, one.source.source_id, one.start, one.end, one.source.version_id, one.source.version_date) for one in shown.sides
    ]


def _value_table(page: _Page, shown: Sequence[Change]) -> None:
    rows = [one for one in shown if one.old_value and one.new_value and len(one.old_value) <= 60 and len(one.new_value) <= 60]
    if len(rows) < 2:
        return
    page.lines += ["| What | Was | Now |", "| --- | --- | --- |"]
    for change in rows:
        shown_change = show_change(change)
        marks = " ".join(page.mark(side.source.source_id) for side in shown_change.sides)
        cells = [shown_change.subject or plain(change.shown().source.title), plain(change.old_value), f"{plain(change.new_value)} {marks}"]
        page.lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    page.lines.append("")


def _in_brief(page: _Page, leads: Sequence[Change]) -> None:
    lead_keys = {statement_key(side.quote) for change in leads for side in (change.new, change.old) if side}
    room = min(page.limits.brief - len(leads), page.limits.leads)
    state = _unsaid(page.given.key_facts, page.without | lead_keys, room)
    if not state or not _is_wanted(page, IN_BRIEF):
        return
    page.lines += [f"## {IN_BRIEF}", ""]
    page.lines += [_bullet(page, IN_BRIEF, one) for one in state] + [""]
    page.briefed.update(evidence_key(one) for one in state)


def _leading(changes: Sequence[Change], most: int) -> list[Change]:
    """The most material changes, each of another matter; what is merely new must weigh more, what is merely gone leads nothing."""
    leads: list[Change] = []
    words: list[frozenset[str]] = []
    values: set[tuple[frozenset[float], frozenset[float]]] = set()
    for change in changes:
        mine = frozenset(content_tokens(f"{change.subject} {change.attribute}" if change.attribute else change.shown().quote))
        amounts = (bare_numbers(change.old_value), bare_numbers(change.new_value))
        if len(leads) >= most or change.materiality < MATERIAL:
            break
        told = any(_alike(mine, theirs, _SAME_MATTER) for theirs in words) or (all(amounts) and amounts in values)
        if not told and change.materiality >= _LEADS_FROM.get(change.kind, MATERIAL):
            leads.append(change)
            words.append(mine)
            values.add(amounts)
    return leads


def _is_wanted(page: _Page, heading: str) -> bool:
    return statement_key(heading) not in page.given.leave_out


def _unsaid(evidence: Sequence[Evidence], said: Collection[str], most: int) -> list[Evidence]:
    fresh = {key: one for one in reversed(evidence) if (key := evidence_key(one)) and key not in said}
    return list(reversed(fresh.values()))[:most]


def _section(page: _Page, section: SectionEvidence) -> None:
    page.lines += [f"## {plain(section.title)}", ""]
    taken = page.take(section.evidence, page.limits.per_section)
    if taken:
        _write_quotes(page, section.title, taken)
    elif section.evidence:
        page.lines += ["What the sources say on this stands above.", ""]
    else:
        missing = plain(section.missing) or "A source that treats it directly would help."
        page.lines += [f"Insufficient evidence: nothing read in this run answers “{plain(section.question).rstrip('.')}”. {missing}", ""]


def _write_quotes(page: _Page, part: str, taken: Sequence[Evidence]) -> None:
    if page.given.preferences.layout == "bullets" or part in (IN_BRIEF, KEY_FACTS):
        page.lines += [_bullet(page, part, one) for one in taken] + [""]
        return
    groups: dict[tuple[str, str, str], list[Evidence]] = {}
    for one in taken:
        groups.setdefault((one.source_id, one.date, one.speaker), []).append(one)
    for n, ((source_id, date, speaker), quotes) in enumerate(groups.items()):
        lead = _LEADS[min(n, 2)](f"{plain(speaker)} in {page.name(source_id, date)}" if speaker else page.name(source_id, date))
        page.lines += [lead + " ".join(_quote(page, part, one) for one in quotes), ""]


def _quote(page: _Page, part: str, one: Evidence) -> str:
    mark = page.mark(one.source_id)
    page.claim(part, one.quote, [one])
    return f"{quoted(one.quote)} {mark}"


def _bullet(page: _Page, part: str, one: Evidence) -> str:
    text = _quote(page, part, one)
    who = f"{plain(one.speaker)}, " if one.speaker else ""
    return f"- {text} — {who}{page.name(one.source_id, one.date)}"


def _frameworks(page: _Page) -> None:
    pool = [one for section in page.given.sections for one in section.evidence]
    for name in page.given.preferences.frameworks:
        lens = find_lens(name)
        if not lens or not _is_wanted(page, name):
            continue
        page.lines += [f"## {plain(name)}", ""]
        for heading, cues in lens:
            taken = page.take([one for one in pool if cues.search(one.quote)], 2)
            page.lines += [f"**{heading}**", ""]
            if taken:
                page.lines += [_bullet(page, f"{name}: {heading}", one) for one in taken] + [""]
            else:
                page.lines += ["Nothing further in this run's evidence.", ""]


def _key_facts(page: _Page) -> None:
    taken = page.take([one for one in page.given.key_facts if evidence_key(one) not in page.briefed], page.limits.facts)
    if taken and _is_wanted(page, KEY_FACTS):
        page.lines += [f"## {KEY_FACTS}", ""]
        _write_quotes(page, KEY_FACTS, taken)


def _disagreement_key(change: Change) -> str:
    sides = [side.quote for side in (change.new, change.old) if side]
    return " | ".join(sorted(statement_key(quote) for quote in sides))


def _disagreements(page: _Page) -> None:
    open_ones = [one for one in page.given.disagreements if _disagreement_key(one) not in page.disagreed]
    if not open_ones or not _is_wanted(page, DISAGREEMENTS):
        return
    page.lines += [f"## {DISAGREEMENTS}", ""]
    for change in sorted(open_ones, key=lambda one: -one.materiality):
        _change_line(page, change, DISAGREEMENTS)
    page.lines.append("")


def _sources(page: _Page) -> None:
    if not page.numbers and not page.given.sources:
        return
    page.lines += [f"## {SOURCES}", ""]
    if page.numbers:
        page.lines += ["### Cited", ""]
        footnotes = page.given.preferences.citation_style == "footnotes"
        for source_id, n in sorted(page.numbers.items(), key=lambda one: one[1]):
            mark = f"[^{n}]:" if footnotes else f"{n}."
            page.lines.append(f"{mark} {_source_line(page.source(source_id))}")
        page.lines.append("")
    unused = [one for one in page.given.sources if one.source_id not in page.numbers]
    if unused:
        page.lines += ["### Read, not cited", ""]
        page.lines += [f"- {_source_line(one)}" for one in unused[:_MOST_READ]]
        page.lines += [f"- and {len(unused) - _MOST_READ} more"] if len(unused) > _MOST_READ else []


def _source_line(source: ReportSource) -> str:
    dated = f", {source.date}" if source.date and source.date not in source.title else ""
    return link(source.title, source.url) + dated
