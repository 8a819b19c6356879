"""A report as one text: what changed, what it means and what to watch, then the answers to the plan's questions, every claim cited."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from beacon.analyst.asking import question_terms
from beacon.analyst.frameworks import find_lens
from beacon.analyst.key_sentences import clarity
from beacon.analyst.markdown import link, plain
from beacon.analyst.outlook import days_ahead, is_concrete, tells_ahead, tells_meaning
from beacon.analyst.report_changes import disagreements, what_changed
from beacon.analyst.report_page import (
    DISAGREEMENTS,
    IN_BRIEF,
    KEY_FACTS,
    LIMITS,
    SOURCES,
    WHAT_CHANGED,
    CitedSource,
    Evidence,
    Page,
    ReportInput,
    ReportSentence,
    ReportSource,
    ReportText,
    SectionEvidence,
    evidence_key,
)
from beacon.analyst.shapes import pieces
from beacon.analyst.tokens import content_tokens, spell_out

__all__ = [
    "DISAGREEMENTS", "IN_BRIEF", "KEY_FACTS", "LIMITS", "SOURCES", "WHAT_CHANGED", "CitedSource", "Evidence", "ReportInput",
    "ReportSentence", "ReportSource", "ReportText", "SectionEvidence", "evidence_key", "write_report",
]  # fmt: skip
_MOST_READ = 15  # sources merely read that are listed by name
_CLEAR = 0.6  # clarity from which a sentence stands alone
_ALIKE = 0.6  # share of terms in common from which two questions are alike but for what sets them apart
_STANDING = 0.2  # share of terms in common from which what was known before answers a question
_WATCHED = 2  # of what to watch and of what it means
_LEADS: tuple[Callable[[str], str], ...] = (
    lambda name: f"According to {name}, ",
    lambda name: f"{name} says: ",
    lambda name: f"{name} adds: ",
    lambda name: f"{name}, ",  # before a value with its name
)


def write_report(given: ReportInput, *, without: frozenset[str] = frozenset()) -> ReportText:
    """The report of a run; `without` holds keys (`evidence_key`) of quotes to leave out."""
    page = Page(given, without)
    page.lines += [f"# {plain(given.title)}", "", _dateline(given), ""]
    for note in given.notes:
        page.lines += [f"> {plain(note)}", ""]
    if given.since:
        what_changed(page)
    answered = _answers(page, _shared_out(given.sections))
    _in_brief(page, answered)
    for section, taken in answered:
        _section(page, section, taken)
    _frameworks(page)
    _key_facts(page)
    disagreements(page)
    _sources(page)
    markdown = "\n".join(page.lines).rstrip() + "\n"
    cited = tuple(CitedSource(n, page.source(source_id)) for source_id, n in sorted(page.numbers.items(), key=lambda one: one[1]))
    return ReportText(markdown, tuple(page.sentences), cited)


def _dateline(given: ReportInput) -> str:
    compared = f" · compared with {given.since}" if given.since else ""
    return f"Run #{given.run_number} · {given.date}{compared}"


def _shared_out(sections: Sequence[SectionEvidence]) -> list[SectionEvidence]:
    """The sections, each quote in the one where it ranks best; of two alike questions it must speak of what sets its own apart."""
    sections = _set_apart(sections)
    best: dict[str, tuple[int, int, int]] = {}
    for n, section in enumerate(sections):
        asked = set(question_terms(section.question))
        for rank, one in enumerate(section.evidence):
            key = evidence_key(one)
            place = (rank, -len(asked & _terms(one)), n)
            best[key] = min(best.get(key, place), place)
    own = [tuple(one for one in section.evidence if best[evidence_key(one)][2] == n) for n, section in enumerate(sections)]
    return [replace(section, evidence=mine or section.evidence) for section, mine in zip(sections, own, strict=True)]


def _set_apart(sections: Sequence[SectionEvidence]) -> list[SectionEvidence]:
    asked = [set(question_terms(section.question)) for section in sections]
    kept = []
    for n, section in enumerate(sections):
        alike = [other for m, other in enumerate(asked) if m != n and len(asked[n] & other) >= _ALIKE * max(len(asked[n]), len(other))]
        needed = [asked[n] - other for other in alike if asked[n] - other]
        evidence = [one for one in section.evidence if all(terms & _terms(one) for terms in needed)]
        kept.append(replace(section, evidence=tuple(evidence)))
    return kept


def _terms(one: Evidence) -> set[str]:
    return set(content_tokens(spell_out(one.quote).replace("_", " ")))


def _answers(page: Page, sections: Sequence[SectionEvidence]) -> list[tuple[SectionEvidence, list[Evidence]]]:
    """What each section quotes: every section has its first answer before any has a second."""
    sections = [section if section.evidence else replace(section, evidence=_standing(page, section)) for section in sections]
    firsts = [page.take(section.evidence, 1, again=1) for section in sections]
    spare = page.limits.per_section - 1
    again = [0 if any(page.is_told(one) for one in first) else 1 for first in firsts]
    return [
        (section, [*first, *page.take(section.evidence, spare, again=more)])
        for section, first, more in zip(sections, firsts, again, strict=True)
    ]


def _standing(page: Page, section: SectionEvidence) -> tuple[Evidence, ...]:
    """What was known before and answers a question on which nothing new was read; nothing on a first run."""
    given = page.given
    asked = {term for term in question_terms(section.question) if not term.isdigit()} - set(content_tokens(given.title))
    told = [replace(one, kind="field") if pieces(one.quote)[0].label else one for one in page.told]
    near = [one for one in (*given.key_facts, *told) if asked and len(asked & _terms(one)) > len(asked) / 2]
    shares = [(one.date, len(asked & _terms(one)) / len(asked | _terms(one)), -n) for n, one in enumerate(near)]
    holding = [near[-n] for _, share, n in sorted(shares, reverse=True) if share >= _STANDING] if given.since else []
    others = [other for other in given.sections if other.title != section.title]
    return _set_apart([replace(section, evidence=tuple(holding)), *others])[0].evidence[:1]


def _in_brief(page: Page, answered: Sequence[tuple[SectionEvidence, list[Evidence]]]) -> None:
    """What it means and what to watch, as one short text of what the sections leave; where they say little, how things stand."""
    if not page.is_wanted(IN_BRIEF):
        return
    pool = [one for section, _ in answered for one in section.evidence] + list(page.given.key_facts)
    pool = [one for one in pool if not _was_known(page, one)]
    texts = [one for one in pool if one.kind not in ("field", "table_row") and clarity(one.quote) >= _CLEAR]
    watched = [one for one in pool if one.kind == "field" or one in texts]
    paragraphs = [
        _paragraph(page, "What to watch", _ahead(watched, page.given.date, lambda one: _is_concrete(page, one))),
        _paragraph(page, "What it means", [one for one in texts if tells_meaning(one.quote) and _is_concrete(page, one)]),
    ]
    if sum(1 for _, taken in answered if taken) < _WATCHED:
        paragraphs.append(_paragraph(page, "Where it stands", [one for one in page.given.key_facts if one in texts]))
    if any(paragraphs):
        page.lines += [f"## {IN_BRIEF}", ""]
        for paragraph in reversed(paragraphs):
            page.lines += [paragraph, ""] if paragraph else []


def _ahead(pool: Sequence[Evidence], today: str, concrete: Callable[[Evidence], bool]) -> list[Evidence]:
    """What speaks of the time to come: the nearest dates first, then what is expected without a date."""
    coming = [one.kind == "field" or tells_ahead(one.quote) for one in pool]
    dated = [(days, n) for n, one in enumerate(pool) if coming[n] and (days := days_ahead(one.quote, today)) is not None]
    known = {place for _, place in dated}
    rest = [n for n, one in enumerate(pool) if n not in known and one.kind != "field" and not one.speaker]
    undated = [n for n in rest if tells_ahead(pool[n].quote) and concrete(pool[n])]
    return [pool[n] for n in [*(place for _, place in sorted(dated)), *undated]]


def _paragraph(page: Page, label: str, evidence: Sequence[Evidence], most: int = _WATCHED) -> str:
    taken = page.take(evidence, most)
    quotes = " ".join(f"{_who(page, one)}: {page.quote(IN_BRIEF, one)}" for one in taken)
    return f"**{label}:** {quotes}" if taken else ""


def _who(page: Page, one: Evidence) -> str:
    return (f"{plain(one.speaker)} in " if one.speaker else "") + page.name(one.source_id, one.date)


def _section(page: Page, section: SectionEvidence, taken: Sequence[Evidence]) -> None:
    fresh = {evidence_key(one) for given in page.given.sections if given.title == section.title for one in given.evidence}
    page.lines += [f"## {plain(section.title)}", ""]
    if taken:
        new = any(evidence_key(one) in fresh or one.date > page.given.since for one in taken)
        page.lines += [] if new else ["Nothing new was read on this; what was known before:", ""]
        _write_quotes(page, section.title, taken)
    elif section.evidence:
        page.lines += ["What the sources say on this stands above.", ""]
    else:
        missing = plain(section.missing) or "A source that treats it directly would help."
        page.lines += [f"Insufficient evidence: nothing read in this run answers “{plain(section.question).rstrip('.')}”. {missing}", ""]


def _write_quotes(page: Page, part: str, taken: Sequence[Evidence]) -> None:
    if page.given.preferences.layout == "bullets" or part == KEY_FACTS:
        page.lines += [_bullet(page, part, one) for one in taken] + [""]
        return
    groups: dict[tuple[str, str, str], list[Evidence]] = {}
    for one in taken:
        groups.setdefault((one.source_id, one.date, one.speaker), []).append(one)
    for n, ((source_id, date, speaker), quotes) in enumerate(groups.items()):
        valued = quotes[0].kind in ("field", "table_row") and bool(pieces(quotes[0].quote, quotes[0].kind, quotes[0].head)[0].label)
        lead = _LEADS[3 if valued else min(n, 2)](
            f"{plain(speaker)} in {page.name(source_id, date)}" if speaker else page.name(source_id, date)
        )
        page.lines += [lead + " ".join(page.quote(part, one) for one in quotes), ""]


def _bullet(page: Page, part: str, one: Evidence) -> str:
    text = page.quote(part, one)
    who = f"{plain(one.speaker)}, " if one.speaker else ""
    return f"- {text} — {who}{page.name(one.source_id, one.date)}"


def _frameworks(page: Page) -> None:
    pool = [one for section in page.given.sections for one in section.evidence]
    for name in page.given.preferences.frameworks:
        lens = find_lens(name)
        if not lens or not page.is_wanted(name):
            continue
        page.lines += [f"## {plain(name)}", ""]
        for heading, cues in lens:
            taken = page.take([one for one in pool if cues.search(one.quote)], 2)
            page.lines += [f"**{heading}**", ""]
            if taken:
                page.lines += [_bullet(page, f"{name}: {heading}", one) for one in taken] + [""]
            else:
                page.lines += ["Nothing further in this run's evidence.", ""]


def _key_facts(page: Page) -> None:
    if not page.is_wanted(KEY_FACTS):
        return
    clear = [one for one in page.given.key_facts if one.kind in ("field", "table_row") or clarity(one.quote) >= _CLEAR]
    taken = page.take([one for one in clear if _is_worth_a_fact(page, one)], page.limits.facts)
    if taken:
        page.lines += [f"## {KEY_FACTS}", ""]
        _write_quotes(page, KEY_FACTS, taken)


def _is_worth_a_fact(page: Page, one: Evidence) -> bool:
    """False for a sentence without a figure, after the first run; for one without figure or name; for what was known before."""
    return not _was_known(page, one) and (one.kind in ("field", "table_row") or _is_concrete(page, one, named=not page.given.since))


def _is_concrete(page: Page, one: Evidence, *, named: bool = True) -> bool:
    """True for a quote with a figure, date or name that neither the title nor a question has."""
    return is_concrete(one.quote, " ".join([page.given.title, *(section.question for section in page.given.sections)]), named=named)


def _was_known(page: Page, one: Evidence) -> bool:
    """True for what an earlier report had to tell, where there is news to tell now."""
    given = page.given
    return bool(given.since and given.changes) and "" < (one.date or page.source(one.source_id).date) <= given.since


def _sources(page: Page) -> None:
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
