"""What changed between two views of a topic, claim by claim, each side an exact quote."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from beacon.analyst.compare import compare_versions
from beacon.analyst.statements import statement_key
from beacon.analyst.witnesses import Pair, SourceStatements, find_confirmations, find_disagreements
from beacon.domain.change import CHANGE_KINDS, Change, ChangeKind, ChangeSide, SourceRef, Statement, StatementChange
from beacon.domain.evidence import check_quote
from beacon.domain.ids import make_id
from beacon.domain.run import Run
from beacon.domain.topic import Topic
from beacon.errors import EvidenceError
from beacon.runs.views import Seen, View, read_view, view_of
from beacon.workspace import Workspace

CONTRADICTION = 0.9  # materiality: what sources disagree on is for the reader to rule on
CONFIRMATION = 0.1


def compare_views(old: View, new: View, *, focus: str = "", standing: Sequence[Change] | None = None) -> list[Change]:
    """The changes from one view to the other, most material first; confirmations among them, old disagreements not.

    `standing` are the disagreements in `new`, where they are known already.
    """
    changes = [change for one in sorted(new.seen.values(), key=lambda one: one.order) for change in _of_source(one, old, new, focus)]
    if not any(not old.has(one) for one in new.current):
        return _ordered(changes)
    changes = _without_echo(changes, old, new)
    return _ordered([*changes, *_contradictions(old, new, disagreements(new) if standing is None else standing)])


def _of_source(one: Seen, old: View, new: View, focus: str) -> list[Change]:
    before = old.seen.get(one.id)
    known = before is not None and not before.version.withdrawn
    if one.version.withdrawn:
        return _compare(before, one, old, new, "version", focus) if before and known else []
    if before and known:
        return [] if before.version.sha256 == one.version.sha256 else _compare(before, one, old, new, "version", focus)
    if one.source.series:
        earlier = [other for other in new.current if other.source.series == one.source.series and other.order < one.order]
        if earlier:
            return _compare(earlier[-1], one, new, new, "series", focus)
    return _of_new_source(one, old, new, focus)


def _of_new_source(one: Seen, old: View, new: View, focus: str) -> list[Change]:
    statements = new.statements(one)
    origin = new.origins.get(one.id)
    if origin is None:
        return _sided(compare_versions([], statements, mode="version", focus=focus), None, one)
    if origin.declared:
        return []
    fresh = compare_versions(new.statements(new.seen[origin.source_id]), statements, mode="series", focus=focus)
    return _sided([change for change in fresh if change.kind == "new"], None, one)


def _compare(before: Seen, one: Seen, old: View, new: View, mode: Literal["version", "series"], focus: str) -> list[Change]:
    days = (before.day, one.day)
    return _sided(compare_versions(old.statements(before), new.statements(one), mode=mode, focus=focus, days=days), before, one)


def _sided(found: Iterable[StatementChange], before: Seen | None, after: Seen) -> list[Change]:
    changes = []
    for one in found:
        new = side_of(after, one.new) if one.new else None
        old = side_of(before, one.old) if one.old and before else None
        if new or old:
            changes.append(
                Change(
                    kind=one.kind, new=new, old=old, subject=one.subject, attribute=one.attribute, old_value=one.old_value,
                    new_value=one.new_value, materiality=one.materiality, parts=dict(one.parts), reason=one.reason,
                    group=make_id("grp", after.version.id, one.group) if one.group else "", part=one.part,
                )
            )  # fmt: skip
    return changes


def side_of(one: Seen, statement: Statement) -> ChangeSide | None:
    """The statement as a side of a change; None when it is not the exact text at its place, which nothing may cite."""
    try:
        check_quote(one.version.text, statement.start, statement.end, statement.text)
    except EvidenceError:
        return None
    ref = SourceRef(one.id, one.url, one.version.title or one.source.title, one.day, statement.start, statement.end, one.version.id)
    return ChangeSide(statement.text, statement.text, ref, " | ".join(statement.columns))


def _witnesses(view: View) -> list[SourceStatements]:
    return [SourceStatements(one.id, view.statements(one), one.version.dated, derived_from=view.origin_of(one)) for one in view.newest]


def _histories(view: View) -> list[list[SourceStatements]]:
    """The issues of each series, oldest first."""
    issues: dict[str, list[SourceStatements]] = {}
    for one in view.current:
        if one.source.series:
            issues.setdefault(one.source.series, []).append(SourceStatements(one.id, view.statements(one), one.version.dated))
    return [issues[name] for name in sorted(issues)]


def _without_echo(changes: list[Change], old: View, new: View) -> list[Change]:
    """What is new in one source and was said by an independent one is confirmed; word for word what stood elsewhere is nothing."""
    confirmed = _confirmations(new)
    said = {(one.id, statement_key(s.text)) for one in old.current for s in old.statements(one)}
    keys = {key for _, key in said}
    kept = []
    for change in changes:
        if change.kind != "new" or change.new is None:
            kept.append(change)
            continue
        source = change.new.source
        earlier = [side for side in confirmed.get((source.source_id, source.start), []) if _came_first(side, change.new, old, new)]
        if earlier:
            kept.append(
                replace(
                    change,
                    kind="confirmed",
                    old=earlier[0],
                    materiality=CONFIRMATION,
                    parts={"confirmed": CONFIRMATION},
                    reason="said by another source too",
                )
            )
        elif statement_key(change.new.text) not in keys:
            kept.append(change)
    return kept


def _confirmations(view: View) -> dict[tuple[str, int], list[ChangeSide]]:
    """(source, start) of a statement → the independent sides that say the same."""
    found: dict[tuple[str, int], list[ChangeSide]] = {}
    for pair in find_confirmations(_witnesses(view)):
        if _same_series(pair, view):
            continue
        for mine, source, other, other_source in (
            (pair.left, pair.left_source, pair.right, pair.right_source),
            (pair.right, pair.right_source, pair.left, pair.left_source),
        ):
            if side := side_of(view.seen[other_source], other):
                found.setdefault((source, mine.start), []).append(side)
    return {
        place: sorted(sides, key=lambda side: (side.source.version_date, side.source.source_id, side.source.start))
        for place, sides in found.items()
    }


def _same_series(pair: Pair, view: View) -> bool:
    series = {view.seen[name].source.series for name in (pair.left_source, pair.right_source)}
    return len(series) == 1 and "" not in series


def _came_first(side: ChangeSide, mine: ChangeSide, old: View, new: View) -> bool:
    if old.has(new.seen[side.source.source_id]):
        return True
    return (side.source.version_date, side.source.source_id) < (mine.source.version_date, mine.source.source_id)


def _contradictions(old: View, new: View, standing: Sequence[Change]) -> list[Change]:
    """Disagreements in which at least one side was not there before."""
    return [change for change in standing if not all(old.has(new.seen[name]) for name in _sources(change))]


def _sources(change: Change) -> list[str]:
    return [side.source.source_id for side in (change.new, change.old) if side]


def disagreements(view: View) -> list[Change]:
    """Where current sources disagree; the newer side first."""
    return [found for pair in find_disagreements(_witnesses(view), _histories(view)) if (found := _disagreement(pair, view)) is not None]


def _disagreement(pair: Pair, view: View) -> Change | None:
    if _same_series(pair, view):
        return None
    sides = [(pair.left, pair.left_source, pair.left_value), (pair.right, pair.right_source, pair.right_value)]
    sides.sort(key=lambda one: (view.seen[one[1]].order, one[0].start))
    (older, older_id, older_value), (newer, newer_id, newer_value) = sides
    old, new = side_of(view.seen[older_id], older), side_of(view.seen[newer_id], newer)
    if old is None or new is None:
        return None
    return Change(
        kind="contradicted", new=new, old=old, subject=pair.subject, attribute=pair.attribute, old_value=older_value,
        new_value=newer_value, materiality=CONTRADICTION, parts={"disagreement": CONTRADICTION}, reason=pair.reason,
    )  # fmt: skip


def _ordered(changes: Sequence[Change]) -> list[Change]:
    def order(change: Change) -> tuple[float, int, str, str, int]:
        source = change.shown().source
        return (-round(change.materiality, 6), CHANGE_KINDS.index(change.kind), source.version_date, source.source_id, source.start)

    return sorted(changes, key=order)


def change_rows(changes: Sequence[Change], scope: str) -> list[dict[str, Any]]:
    """The changes as the record store keeps them; `scope` (a run's id) makes their ids."""
    rows = []
    for ordinal, change in enumerate(changes, 1):
        shape = change.as_json()
        value = change.new_value if change.new else change.old_value
        source = {**change.shown().source.as_json(), "value": value, "group": change.group, "part": change.part}
        source |= {"head": head} if (head := change.shown().head) else {}
        old = {**shape["old"], "value": change.old_value} if isinstance(shape["old"], dict) else None
        if old and change.old and change.old.head:
            old["head"] = change.old.head
        place = [(s.source.version_id, s.source.start, s.source.end) for s in (change.new, change.old) if s]
        rows.append(
            {
                "id": make_id("chg", scope, change.kind, place), "ordinal": ordinal, "kind": change.kind, "subject": change.subject,
                "attribute": change.attribute, "text": shape["text"], "quote": shape["quote"], "source": source, "old": old,
                "materiality": shape["materiality"], "reason": change.reason, "parts": shape["parts"],
            }
        )  # fmt: skip
    return rows


def change_from_row(row: dict[str, Any]) -> Change:
    """A stored change as a value."""
    kind: ChangeKind = row["kind"]
    new = _side(row["text"], row["quote"], row["source"], row["source"]) if row["quote"] is not None else None
    old = _side(row["old"]["text"], row["old"]["quote"], row["old"]["source"], row["old"]) if row["old"] else None
    values = (str((row["old"] or {}).get("value", "")), str(row["source"].get("value", "")) if new else "")
    return Change(
        kind=kind, new=new, old=old, subject=row["subject"], attribute=row["attribute"], old_value=values[0], new_value=values[1],
        materiality=row["materiality"], parts=row["parts"], reason=row["reason"], id=row["id"],
        group=row["source"].get("group", ""), part=row["source"].get("part", False),
    )  # fmt: skip


def _side(text: str, quote: str, source: dict[str, Any], kept: dict[str, Any]) -> ChangeSide:
    fields = {name: source[name] for name in ("source_id", "url", "title", "version_date", "start", "end", "version_id")}
    return ChangeSide(text, quote, SourceRef(**fields), kept.get("head", ""))


def focus_of(topic: Topic) -> str:
    """What a topic is about, one question a line: what speaks of it weighs more."""
    return "\n".join([topic.title, *topic.queries])


def changes_between(ws: Workspace, topic_id: str, start: datetime | Run, end: datetime | Run) -> list[dict[str, Any]]:
    """What changed in a topic from one moment to another, as stored rows. A moment may be a run: what that had read then."""
    with ws.records.read() as tx:
        topic = tx.topics.get(ws.project_id, topic_id)
        ids = tx.topics.source_ids(topic.id)
        old, new = (view_of(tx, at) if isinstance(at, Run) else read_view(tx, ws.project_id, ids, at) for at in (start, end))
    names = " ".join(at.id if isinstance(at, Run) else at.isoformat() for at in (start, end))
    return change_rows(compare_views(old, new, focus=focus_of(topic)), f"{topic.id} {names}")
