"""What Changed as a report tells it: what matters above all, the rest by kind, each change with both quotes and what it stands for."""

from collections import Counter
from collections.abc import Mapping, Sequence

from beacon.analyst.change_text import ShownChange, show_change
from beacon.analyst.markdown import plain
from beacon.analyst.quantities import bare_numbers
from beacon.analyst.report_page import DISAGREEMENTS, WHAT_CHANGED, Evidence, Page
from beacon.analyst.shapes import pieces
from beacon.analyst.statements import statement_key
from beacon.analyst.telling import Told, is_alike, tell
from beacon.analyst.tokens import content_tokens
from beacon.domain.change import CHANGE_ICONS, CHANGE_KINDS, CHANGE_WORDS, Change, ChangeKind

ABOVE_ALL = "Above all"
MATERIAL = 0.45  # from which a change may lead the report
_LEADS_FROM: Mapping[str, float] = {"new": 0.6, "contradicted": 0.6, "dropped": 2.0}
_LIGHT = 0.4  # of the weightiest one's weight, under which a change is only counted
_GONE = 0.6  # weight from which a sentence that is merely gone is told among many
_GRAVE = 0.7  # the same, where its page was written anew
_MOST_GONE = 2  # of them
_SAME_MATTER = 0.4  # share of content words in common from which two changes are of one matter
_CREDIBLE = 0.4  # weight from which a disagreement of sources is told
_MOST_OPEN = 8  # disagreements that are told
_MOST_NAMED = 5  # further places of the same news that are named
_TITLE = 60  # characters of a title in a list of places


def what_changed(page: Page) -> None:
    """Writes the part: a line that sums it up, what leads, the other changes by kind, and how many smaller ones there are."""
    given = page.given
    news = [one for one in given.changes if one.kind != "confirmed" and not _left_out(page, one)]
    told = tell(news)
    shown = _worth_showing(told, page.limits.changes)
    rest = [one for one in told if one not in shown]
    leads = _leading(shown, page.limits.leads)
    page.lines += [f"## {WHAT_CHANGED} Since {given.since}", ""]
    if not shown:
        count = given.sources_checked or len(given.sources)
        page.lines += [f"Nothing changed since {given.since}: {count} {'source was' if count == 1 else 'sources were'} checked.", ""]
    if leads:
        page.lines += [f"### {ABOVE_ALL}", ""]
        for one in leads:
            _change_line(page, one, icon=True)
        page.lines.append("")
    others = [one for one in shown if one not in leads]
    for kind in sorted({one.change.kind for one in others}, key=lambda kind: _kind_order(kind, others)):
        page.lines += [f"### {CHANGE_ICONS[kind]} {CHANGE_WORDS[kind]}", ""]
        for one in others:
            if one.change.kind == kind:
                _change_line(page, one)
        page.lines.append("")
    _smaller(page, rest, len(news) - sum(1 + one.parts + len(one.also) for one in shown))
    if given.preferences.verbosity == "high":
        _value_table(page, shown)
    _confirmed(page)


def _left_out(page: Page, change: Change) -> bool:
    return statement_key(change.shown().quote) in page.without


def _worth_showing(told: Sequence[Told], most: int) -> list[Told]:
    """Where they are few, all but light ones that are not the first of their source; else the weightiest.

    What a change quotes already, and what went as its page was mended, is not among those.
    """
    if len(told) <= most:
        first = {one.change.shown().source.source_id: one for one in reversed(told)}
        floor = _LIGHT * told[0].weight if told else 0.0
        return [one for one in told if one.weight >= floor or first[one.change.shown().source.source_id] is one]
    came = [change for one in told if one.change.kind in ("changed", "new") for change in (one.change, *one.also)]
    mended = {change.shown().source.source_id for change in came}
    quoted = {statement_key(side.quote) for one in came if one.kind == "changed" for side in (one.old, one.new) if side}
    again = [one for one in told if one.change.kind == "new" and statement_key(one.change.shown().quote) in quoted]
    worth = [one for one in told[:most] if one.weight >= _LIGHT * told[0].weight and one not in again]
    gone = [one for one in worth if one.change.kind in ("retracted", "dropped") and not one.change.attribute]
    heavy = [one for one in gone if one.weight >= (_GRAVE if one.change.shown().source.source_id in mended else _GONE)]
    kept = [one for one in worth if one not in gone or one in heavy[:_MOST_GONE]]
    return kept or list(told[:_MOST_GONE])


def _kind_order(kind: ChangeKind, shown: Sequence[Told]) -> tuple[float, int]:
    return (-max(one.weight for one in shown if one.change.kind == kind), CHANGE_KINDS.index(kind))


def _leading(told: Sequence[Told], most: int) -> list[Told]:
    """The weightiest changes, each of another matter; what is merely new must weigh more, what is merely gone leads nothing."""
    leads: list[Told] = []
    words: list[frozenset[str]] = []
    values: set[tuple[frozenset[float], frozenset[float]]] = set()
    for one in told:
        change = one.change
        about = f"{change.subject} {change.attribute}" if change.attribute and change.subject else change.shown().quote
        mine = frozenset(content_tokens(about))
        amounts = (bare_numbers(change.old_value), bare_numbers(change.new_value))
        if len(leads) >= most or one.weight < MATERIAL:
            break
        heard = any(is_alike(mine, theirs, _SAME_MATTER) for theirs in words) or (all(amounts) and amounts in values)
        if not heard and one.weight >= _LEADS_FROM.get(change.kind, MATERIAL):
            leads.append(one)
            words.append(mine)
            values.add(amounts)
    return leads


def _change_line(page: Page, told: Told, *, icon: bool = False) -> None:
    part = f"{WHAT_CHANGED}: {told.change.kind}"
    icons = f"{CHANGE_ICONS[told.change.kind]} " if icon else ""
    change_line(page, told.change, part, told.steps, icons, placed=told.change.kind == "new" and told.parts > 0)
    page.lines[-1] += _parts(told) + _also(page, told)


def change_line(page: Page, change: Change, part: str, steps: Sequence[str] = (), icon: str = "", *, placed: bool = False) -> None:
    """One change as a bullet, recorded as a claim."""
    for side in (change.new, change.old):
        if side:
            page.know(side.source)
    shown = show_change(change, steps, placed=placed)
    page.lines.append(f"- {icon}{shown.line(page.mark)}")
    quotes = _evidence(shown)
    page.claim(part, shown.plain(), quotes)
    page.tell([one for one, side in zip(quotes, shown.sides, strict=True) if side in shown.new])
    if change.new:
        place = change.new.source
        page.told.append(Evidence(change.new.quote, place.source_id, place.start, place.end, place.version_id, place.version_date))
    if change.kind == "contradicted":
        page.disagreed.add(disagreement_key(change))


def _evidence(shown: ShownChange) -> list[Evidence]:
    return [
        Evidence(one.quote, one.source.source_id, one.start, one.end, one.source.version_id, one.source.version_date) for one in shown.sides
    ]


def _parts(told: Told) -> str:
    if not told.parts:
        return ""
    change = told.change
    if change.attribute and not change.subject and change.kind in ("new", "retracted"):
        return f" And {told.parts} more {'field' if told.parts == 1 else 'fields'}."
    entry = any(piece.label for piece in pieces(change.shown().quote))
    return f" And {told.parts} more of this entry." if entry else f" And {told.parts} more beside it."


def _also(page: Page, told: Told) -> str:
    """Where else the same news stands: by name where each place is an entry of its own, by number otherwise."""
    own = {side.source.source_id for side in (told.change.new, told.change.old) if side}
    others = {one.shown().source.source_id: one.shown().source for one in told.also}
    places = [source for key, source in others.items() if key not in own]
    if not places:
        return ""
    for source in places:
        page.know(source)
    marks = [page.mark(source.source_id) for source in places]
    fields = any(one.attribute and not one.subject for one in told.also)
    if not fields:
        return f" Also in {' '.join(marks)}"
    named = [f"{_short(source.title)} {mark}" for source, mark in zip(places, marks, strict=True)][:_MOST_NAMED]
    more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
    return f" The same in {', '.join(named)}{more}."


def _short(title: str) -> str:
    flat = plain(title)
    return f"*{flat}*" if len(flat) <= _TITLE else f"*{flat[:_TITLE].rsplit(' ', 1)[0].rstrip(' ,;:')} …*"


def _smaller(page: Page, rest: Sequence[Told], count: int) -> None:
    """How many changes are not told, and which sources most of them are in."""
    if not rest:
        return
    places: Counter[str] = Counter()
    for one in rest:
        page.know(one.change.shown().source)
        places[one.change.shown().source.source_id] += 1 + one.parts
    most = sorted(places.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    where = ", ".join(f"{page.name(source_id)} ({n})" for source_id, n in most if n > 1)
    words = f"And {count} smaller {'change' if count == 1 else 'changes'}"
    page.lines += [f"{words}, most of them in {where}." if where and len(places) > 1 else f"{words}.", ""]


def _value_table(page: Page, told: Sequence[Told]) -> None:
    rows = [one.change for one in told if 0 < len(one.change.old_value) <= 60 and 0 < len(one.change.new_value) <= 60]
    if len(rows) < 2:
        return
    page.lines += ["| What | Was | Now |", "| --- | --- | --- |"]
    for change in rows:
        shown = show_change(change)
        marks = " ".join(dict.fromkeys(page.mark(side.source.source_id) for side in shown.sides))
        cells = [shown.subject or plain(change.shown().source.title), plain(change.old_value), f"{plain(change.new_value)} {marks}"]
        page.lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    page.lines.append("")


def _confirmed(page: Page) -> None:
    given = page.given
    confirmed = given.confirmed or sum(1 for one in given.changes if one.kind == "confirmed")
    if confirmed:
        page.lines += [f"{confirmed} {'statement was' if confirmed == 1 else 'statements were'} confirmed by an independent source.", ""]


def disagreement_key(change: Change) -> str:
    """The key by which a report knows that it told of this disagreement."""
    sides = [side.quote for side in (change.new, change.old) if side]
    return " | ".join(sorted(statement_key(quote) for quote in sides))


def disagreements(page: Page) -> None:
    """Writes the disagreements that What Changed has not told of."""
    open_ones = [one for one in page.given.disagreements if disagreement_key(one) not in page.disagreed]
    if not open_ones or not page.is_wanted(DISAGREEMENTS):
        return
    told = [one for one in tell(open_ones) if one.weight >= _CREDIBLE][:_MOST_OPEN]
    page.lines += [f"## {DISAGREEMENTS}", ""] if told else []
    for one in told:
        change_line(page, one.change, DISAGREEMENTS)
    page.lines += [""] if told else []
