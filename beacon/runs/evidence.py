"""Evidence for a run's questions: exact sentences of the sources it read."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from threading import Lock
from typing import Any

from beacon.analyst.asking import answer_type, asks_ahead, asks_on, has_figure, split_question
from beacon.analyst.key_sentences import Candidate, Ranked, rank_sentences, spread, stands_alone
from beacon.analyst.outlook import tells_ahead
from beacon.analyst.report import Evidence
from beacon.analyst.shapes import says_something
from beacon.analyst.statements import statement_key
from beacon.domain.change import Statement
from beacon.domain.evidence import Citation
from beacon.domain.run import Run
from beacon.domain.topic import MAX_KEY_FACTS
from beacon.runs.views import Seen, View, status_of, view_of
from beacon.stores.records.store import Tx

PER_SECTION = 10  # quotes kept for a section; a report shows the best of them
RELEVANT = 0.4  # closeness to the question and share of its terms, from which a sentence counts as an answer
HELD = 0.5  # more than this share of its terms; where no sentence has it, ASKED of it is enough
ASKED = 0.35  # share of its terms, where one that few sentences have weighs most
CLEAR = 0.4  # clarity from which a sentence may be quoted


def previous_run(tx: Tx, run: Run) -> Run | None:
    """The topic's last finished run that looked at an earlier moment than this one, also where the clock was set back between them."""
    n = 0 if run.as_of else run.n or tx.runs.last_number(run.topic_id) + 1
    return tx.runs.done_before(run.topic_id, moment_of(run), run.id, n)


def moment_of(run: Run) -> datetime:
    """The moment a run looks at its sources."""
    return run.as_of or run.started_at


def views_of(tx: Tx, run: Run) -> tuple[View, View | None]:
    """(what the run read, what the run before it had read). Kept for the next caller: a run's sections all start from it."""
    before = previous_run(tx, run)
    key = (tx.connection.engine.url, run.id, tuple(tx.runs.versions(run.id)), before.id if before else "")
    with _lock:
        if key not in _views:
            _views.clear()
            _views[key] = (view_of(tx, run), view_of(tx, before) if before else None)
        return _views[key]


_lock = Lock()
_views: dict[Hashable, tuple[View, View | None]] = {}  # of one run at a time


def fresh_sentences(new: View, old: View | None, *, older: bool = False) -> list[tuple[Seen, Statement]]:
    """What was not read before: new sources whole, of changed ones the statements that were not there; no copies.

    Of a series only the newest issue speaks for now; `older` takes the earlier ones too.
    """
    found: list[tuple[Seen, Statement]] = []
    for one in new.current if older else new.newest:
        status = status_of(one, old)
        if status == "same" or new.origin_of(one):
            continue
        known = {statement_key(s.text) for s in old.statements(old.seen[one.id])} if status == "changed" and old else set()
        found += [(one, s) for s in new.statements(one) if statement_key(s.text) not in known]
    return found


def current_sentences(view: View) -> list[tuple[Seen, Statement]]:
    """What the current sources state, of each series the newest issue only: no copies, and no background."""
    own = [one for one in view.newest if not one.source.derived_from and one.source.role != "context"]
    return [(one, s) for one in own for s in view.statements(one)]


def choose(pool: Iterable[tuple[Seen, Statement]], query: str, k: int, *, strict: bool = False) -> list[dict[str, Any]]:
    """The `k` best sentences of the pool for the query, as evidence; `strict` leaves out what does not speak of it.

    A query of several questions takes from each in turn, and of one source no more than two before others were heard.
    """
    telling = (pair for pair in pool if says_something(pair[1].text, pair[1].kind, pair[0].version.title or pair[0].source.title))
    by_id = {f"{one.id}:{s.start:09d}": (one, s) for one, s in telling}
    candidates = [Candidate(key, s.text, one.version.dated, one.id) for key, (one, s) in by_id.items()]
    parts = split_question(query) if strict else [query]
    ranked = [
        _good(rank_sentences(candidates, query=part, k=2 * k), by_id, parts[0] if asks_on(part, parts[0]) else part, strict=strict)
        for part in parts
    ]
    order = dict.fromkeys(one.id for turn in zip_longest(*ranked) for one in turn if one is not None)
    return [evidence_json(*by_id[key]) for key in spread(list(order), [by_id[key][0].id for key in order])[:k]]


def _to_the_point(ranked: list[Ranked], by_id: Mapping[str, tuple[Seen, Statement]], part: str) -> list[Ranked]:
    """Of sentences that speak of the question those that hold the kind of thing it asks for and tell of the time it asks about."""
    fits: list[Callable[[str], bool]] = [lambda text: has_figure(text, part)] if answer_type(part) == "number" else []
    fits += [tells_ahead] if asks_ahead(part) else []
    for fit in fits:
        ranked = [one for one in ranked if by_id[one.id][1].kind in ("field", "table_row") or fit(by_id[one.id][1].text)] or ranked
    return ranked


def _good(ranked: Sequence[Ranked], by_id: Mapping[str, tuple[Seen, Statement]], part: str, *, strict: bool) -> list[Ranked]:
    """What may be quoted, best first; of sentences that speak of the question those that stand alone, where there are any."""
    clear = [one for one in ranked if one.parts["clarity"] >= CLEAR]
    if strict:
        near = [one for one in clear if one.parts["relevance"] >= RELEVANT]
        clear = [one for one in near if one.parts["held"] > HELD] or [one for one in near if one.parts["asked"] >= ASKED]
        clear = _to_the_point(clear, by_id, part)
    return [one for one in clear if stands_alone(by_id[one.id][1].text)] or clear


def answers(new: View, old: View | None, question: str, *, strict: bool) -> list[dict[str, Any]]:
    """The evidence for a section: of the newest issues; where those are silent of the earlier ones, and of background."""
    said: set[str] = set()
    if strict and old and answer_type(question) != "number":  # a value may stand unchanged; other words said again are no news
        said = {statement_key(s.text) for one in old.current for s in old.statements(one)}
    fresh = _unsaid(fresh_sentences(new, old), said)
    found = choose([pair for pair in fresh if pair[0].source.role != "context"], question, PER_SECTION, strict=strict)
    found = found or choose(fresh, question, PER_SECTION, strict=strict)
    return found or choose(_unsaid(fresh_sentences(new, old, older=True), said), question, PER_SECTION, strict=strict)


def _unsaid(pool: Iterable[tuple[Seen, Statement]], said: Collection[str]) -> list[tuple[Seen, Statement]]:
    """The pool without sentences that were read word for word before; the values of fields and rows stay."""
    return [(one, s) for one, s in pool if s.kind in ("field", "table_row") or statement_key(s.text) not in said]


def key_facts(view: View, title: str, questions: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The sentences a topic's next run should start from: what answers each of its questions now, then what is central to it."""
    pool = current_sentences(view)
    found = [choose(pool, question, 2, strict=True) for question in questions]
    found.append(choose(pool, title, MAX_KEY_FACTS))
    facts = {(one["source_id"], statement_key(one["quote"])): one for turn in zip_longest(*found) for one in turn if one is not None}
    return list(facts.values())[:MAX_KEY_FACTS]


def evidence_json(one: Seen, statement: Statement) -> dict[str, Any]:
    """A quote as a run's state keeps it."""
    return {
        "quote": statement.text, "source_id": one.id, "start": statement.start, "end": statement.end, "version_id": one.version.id,
        "date": one.day, "speaker": statement.speaker, "url": one.url, "title": one.version.title or one.source.title,
        "kind": statement.kind, "head": " | ".join(statement.columns),
    }  # fmt: skip


def evidence_from(found: dict[str, Any]) -> Evidence:
    """The quote as a report takes it."""
    return Evidence(
        found["quote"], found["source_id"], found["start"], found["end"], found["version_id"], found["date"], found["speaker"],
        found.get("kind", ""), found.get("head", ""),
    )  # fmt: skip


def citation_of(found: dict[str, Any]) -> dict[str, object]:
    """The quote as a memory cites it."""
    return Citation(
        quote=found["quote"], start=found["start"], end=found["end"], version_id=found["version_id"], source_id=found["source_id"],
        url=found["url"], title=found["title"],
    ).as_json()  # fmt: skip


def texts_of(tx: Tx, version_ids: Sequence[str]) -> dict[str, str]:
    """Version id → text, for checking quotes."""
    return {key: version.text for key, version in tx.sources.versions_by_id(list(version_ids)).items()}
