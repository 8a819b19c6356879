"""A report's material as its reader wants it: without what they passed over and the sections they do without."""

from collections.abc import Sequence
from dataclasses import replace

from beacon.analyst.report import Evidence, ReportInput, SectionEvidence
from beacon.analyst.statements import statement_key
from beacon.analyst.wishes import Wishes, is_dismissed


def obey_wishes(given: ReportInput, wishes: Wishes) -> ReportInput:
    """The material to write from. A section whose every finding was passed over is left out, not called insufficient."""
    unwanted = frozenset(statement_key(name) for name in wishes.no_sections)
    if not (unwanted or wishes.dismissed):
        return given
    sections = [(one, replace(one, evidence=_kept(one.evidence, given.title, wishes))) for one in given.sections]
    return replace(
        given,
        sections=tuple(after for before, after in sections if _is_wanted(before, after, unwanted)),
        key_facts=_kept(given.key_facts, given.title, wishes),
        changes=tuple(one for one in given.changes if not is_dismissed(one.shown().quote, given.title, wishes)),
        leave_out=unwanted,
    )


def _kept(evidence: Sequence[Evidence], title: str, wishes: Wishes) -> tuple[Evidence, ...]:
    return tuple(one for one in evidence if not is_dismissed(one.quote, title, wishes))


def _is_wanted(before: SectionEvidence, after: SectionEvidence, unwanted: frozenset[str]) -> bool:
    return statement_key(before.title) not in unwanted and bool(after.evidence or not before.evidence)
