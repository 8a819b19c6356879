"""Answering a question from exact evidence, or saying that it cannot be answered from what was read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from beacon.analyst.answer import Answer, Passage, extractive_answer, timeline_answer
from beacon.analyst.moments import find_moment
from beacon.analyst.preferences import Preferences, read_preferences
from beacon.analyst.shaping import shape_answer
from beacon.chat.conversations import open_conversation, save_exchange
from beacon.chat.disputes import DISPUTED, other_sides
from beacon.chat.recalling import answer_from_talk, recalled_here
from beacon.domain.evidence import Citation, check_quote
from beacon.errors import BeaconError, InputError
from beacon.memory.context import Task, build_context, keep_context
from beacon.memory.importance import has_marker
from beacon.memory.profiles import preferences_text
from beacon.memory.said import states_only
from beacon.memory.standing import over_in, read_standing
from beacon.retrieval.search import Filters, Hit, search
from beacon.workspace import Workspace

PASSAGES = 14  # read for an answer
COURSE = 30  # passages of a series read for a question about its course
PACK_QUOTES = 8  # kept in the pack
AMBIENT_MEMORIES = 3
MOMENTS = 6  # at which earlier versions are looked at for a question about a course
MAX_QUESTION = 4000
_OVER_TIME = re.compile(
    r"\bhow (?:did|do|does|has|have|had|is|are)\b.*\b(?:chang\w*|evolv\w*|mov\w*|differ\w*|shift\w*|progress\w*|go(?:ne)? (?:up|down))\b|"
    r"\bover time\b|\bhistory of\b|\btimeline\b|\btime line\b|\bcourse of\b",
    re.I,
)

_INTENTS = (
    (
        "recall",
        re.compile(
            r"\b(we|you|I)\b.*\b(talk|talked|discuss|discussed|said|say|asked|ask|told)\b|\bthis (morning|afternoon|week)\b.*\bwe\b", re.I
        ),
    ),
    (
        "compare_time",
        re.compile(r"\b(chang\w*|since|compared?|previous\w*|before|earlier|last (time|run|month|week|year)|over time|differ\w*)\b", re.I),
    ),
    (
        "explain_contradictions",
        re.compile(r"\b(contradict\w*|disagree\w*|conflict\w*|inconsisten\w*|which (one )?is (right|true))\b", re.I),
    ),
    ("decision_audit", re.compile(r"\bwhy did (we|you)\b|\bdecid\w+|\bdecision\w*|\brationale\b", re.I)),
    ("prioritisation", re.compile(r"\b(priorit\w*|should we (build|do)|most important|what next|rank\w*)\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of what, and when."""

    text: str
    conversation_id: str = ""
    as_of: datetime | None = None
    source_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """How an answer is to be given: the reader's preferences, what is in mind, and whether dates stand in front."""

    preferences: Preferences
    in_mind: str
    conversation_id: str
    dated: bool = False


def classify(question: str) -> str:
    """The intent of a question: recall, compare_time, explain_contradictions, decision_audit, prioritisation, or drill_down."""
    return next((name for name, pattern in _INTENTS if pattern.search(question)), "drill_down")


def ask(ws: Workspace, question: Question) -> dict[str, Any]:
    """The answer with its numbered citations, or what is missing; the exchange and its evidence pack are kept."""
    text = question.text.strip()
    if not text:
        raise InputError("The question is empty: ask something.")
    if len(text) > MAX_QUESTION:
        raise InputError(f"The question has {len(text)} characters: keep it under {MAX_QUESTION}.")
    conversation = open_conversation(ws, question.conversation_id, text)
    if (has_marker(text) or states_only(text)) and not text.endswith("?"):
        return save_exchange(ws, conversation, text, _noted(text))
    task = Task(text, conversation_id=question.conversation_id)
    in_mind = build_context(ws, task)
    preferences = read_preferences(preferences_text(ws))
    intent = classify(text)
    over_time = intent == "compare_time" and bool(_OVER_TIME.search(text))
    hits = _find(ws, question, text, over_time=over_time)
    standing = read_standing(ws, [hit.version.id for hit in hits], question.as_of)
    of_now = not over_time and intent not in ("compare_time", "explain_contradictions") and find_moment(text) is None
    passages = [
        Passage(
            hit.chunk.id, hit.chunk.text, hit.version.dated, hit.version.title, hit.score, hit.source.series or hit.source.id,
            over_in(standing, hit.version.id, hit.chunk.start, hit.chunk.end) if of_now else (),
        )
        for hit in hits
    ]  # fmt: skip
    here = recalled_here(ws, conversation.id, text)
    recalled = here or (_recalled(ws, conversation.id, text) if intent == "recall" else [])
    answer = timeline_answer if over_time and not here else extractive_answer
    found = answer_from_talk(text, here) or answer(text, [*(p for p, _ in recalled), *passages])
    found, disputed = other_sides(ws, found, hits, standing)
    pack = _pack(found, [] if here else hits, recalled)
    form = Form(preferences, in_mind.text, conversation.id, dated=bool(here) or (over_time and _is_course(pack)))
    reply = _reply(ws, text, found, pack, form)
    if disputed and reply["sufficient"]:
        reply = {**reply, "note": f"{reply.get('note', '')} {DISPUTED}".strip()}
    result = {
        **reply,
        "disputed": disputed,
        "intent": "recall" if here else intent,
        "confidence": round(found.confidence, 4),
        "as_of": question.as_of.isoformat() if question.as_of else None,
        "cited_theme_ids": [],
        "cited_opp_ids": [],
        "evidence_pack": pack,
        "memories": _ambient(ws, text),
    }
    saved = save_exchange(ws, conversation, text, result)
    return {**saved, "context_id": keep_context(ws, task, in_mind, saved["message_id"])}


def _noted(text: str) -> dict[str, Any]:
    """What is said to someone who asks for something to be remembered: no claim, so nothing to cite."""
    empty: dict[str, Any] = {"quotes": [], "answering": 0}
    return {
        **_as_json("Noted: I keep this in mind, in your words. The Memory page shows it.", True, "", [], {}),
        "disputed": [],
        "intent": "remember",
        "confidence": 1.0,
        "as_of": None,
        "cited_theme_ids": [],
        "cited_opp_ids": [],
        "evidence_pack": empty,
        "memories": [],
    }


def _find(ws: Workspace, question: Question, text: str, *, over_time: bool) -> list[Hit]:
    """What the search finds now; for a question about a time, also what stood then; for one about a course, more of what tells it."""
    now = search(ws, text, PASSAGES, filters=Filters(source_ids=question.source_ids, as_of=question.as_of))
    more = [hit for at in _asked_of(text, question.as_of) for hit in _search_at(ws, text, question.source_ids, at)]
    if over_time:
        more += [
            hit
            for ids in _series(ws, now, question.source_ids)
            for hit in search(ws, text, COURSE, filters=Filters(ids, as_of=question.as_of))
        ]
        more += [hit for at in _moments(ws, now, question.as_of) for hit in _search_at(ws, text, question.source_ids, at)]
    return list({hit.chunk.id: hit for hit in [*now, *more]}.values())


def _search_at(ws: Workspace, text: str, source_ids: tuple[str, ...] | None, at: datetime) -> list[Hit]:
    return search(ws, text, PASSAGES, filters=Filters(source_ids=source_ids, as_of=at))


def _series(ws: Workspace, hits: Sequence[Hit], allowed: tuple[str, ...] | None) -> list[tuple[str, ...]]:
    """The sources of each series that the hits belong to."""
    names = sorted({hit.source.series for hit in hits if hit.source.series})
    if not names:
        return []
    with ws.records.read() as tx:
        sources = tx.sources.all(ws.project_id, allowed)
    return [tuple(one.id for one in sources if one.series == name) for name in names]


def _asked_of(text: str, as_of: datetime | None) -> list[datetime]:
    """The end of the day or month the question names, unless it is later than what may be seen."""
    moment = find_moment(text)
    if moment is None:
        return []
    end = datetime.combine(moment.last, time.max, tzinfo=UTC)
    return [end] if as_of is None or end < as_of else []


def _moments(ws: Workspace, hits: Sequence[Hit], as_of: datetime | None) -> list[datetime]:
    """The dates at which the found sources had another version, thinned to a few."""
    with ws.records.read() as tx:
        heads = tx.sources.heads(list(dict.fromkeys(hit.source.id for hit in hits)))
    dates = sorted({head.dated for known in heads.values() if len(known) > 1 for head in known if as_of is None or head.dated < as_of})
    if len(dates) <= MOMENTS:
        return dates
    return [dates[round(n * (len(dates) - 1) / (MOMENTS - 1))] for n in range(MOMENTS)]


def _recalled(ws: Workspace, conversation_id: str, text: str) -> list[tuple[Passage, dict[str, Any]]]:
    """What was said in conversations, as passages that cite their events."""
    with ws.records.read() as tx:
        events = tx.events.all(ws.project_id, types=("message_sent", "message_received"), user_id=ws.user_id, newest_first=True, limit=200)
    return [
        (
            Passage(event.id, event.text, event.at, "Conversation", 1.0),
            {"event_id": event.id, "text": event.text, "title": "Conversation", "at": event.at.isoformat()},
        )
        for event in events
        if event.text and event.payload.get("conversation_id") != conversation_id and event.type == "message_sent"
    ]


def _pack(found: Answer, hits: Sequence[Hit], recalled: Sequence[tuple[Passage, dict[str, Any]]]) -> dict[str, Any]:
    """The closed, numbered evidence: first the sentences of the answer, then the best other passages, all exact."""
    by_id = {hit.chunk.id: hit for hit in hits}
    events = {passage.id: row for passage, row in recalled}
    quotes: list[dict[str, Any]] = []
    for said in found.sentences:
        if said.passage_id in events:
            quotes.append(_event_quote(events[said.passage_id], said.start, said.end, said.text))
        else:
            quotes.append(_chunk_quote(by_id[said.passage_id], said.start, said.end, said.text))
    used = {quote.get("chunk_id") for quote in quotes}
    for hit in hits:
        if len(quotes) >= PACK_QUOTES:
            break
        if hit.chunk.id not in used:
            quotes.append(_chunk_quote(hit, 0, len(hit.chunk.text), hit.chunk.text))
    return {"quotes": [{"n": n, **quote} for n, quote in enumerate(quotes, 1)], "answering": len(found.sentences)}


def _is_course(pack: dict[str, Any]) -> bool:
    """True when the answering quotes are of different dates, in order."""
    dates = [quote["date"] for quote in pack["quotes"][: pack["answering"]]]
    return len(dates) > 1 and dates == sorted(set(dates))


def _chunk_quote(hit: Hit, start: int, end: int, text: str) -> dict[str, Any]:
    check_quote(hit.version.text, hit.chunk.start + start, hit.chunk.start + end, text)
    citation = Citation(
        text,
        hit.chunk.start + start,
        hit.chunk.start + end,
        hit.version.id,
        "",
        hit.chunk.id,
        hit.source.id,
        hit.source.url,
        hit.version.title,
    )
    return {**citation.as_json(), "date": hit.version.dated.date().isoformat(), "receipt": hit.receipt}


def _event_quote(event: dict[str, Any], start: int, end: int, text: str) -> dict[str, Any]:
    check_quote(event["text"], start, end, text)
    return {
        **Citation(text, start, end, event_id=event["event_id"], title=event["title"]).as_json(),
        "date": event["at"][:10],
        "receipt": {},
    }


def _reply(ws: Workspace, question: str, found: Answer, pack: dict[str, Any], form: Form) -> dict[str, Any]:
    quotes = pack["quotes"]
    if not found.sufficient:
        return _as_json(f"Insufficient evidence. {found.missing}".strip(), False, found.missing, [], {})
    if ws.models is not None:
        from beacon.chat.prompted import answer_with_model

        try:
            text, cited, usage = answer_with_model(ws, question, quotes, form.conversation_id, form.in_mind)
            if cited:
                return _as_json(text, True, "", [q for q in quotes if q["n"] in cited], usage)
        except BeaconError as error:
            return {**_extractive(question, pack, form), "note": f"Answered without the model: {error.message}"}
    return _extractive(question, pack, form)


def _extractive(question: str, pack: dict[str, Any], form: Form) -> dict[str, Any]:
    """The quotes as the answer, in its reader's form."""
    quotes, answering = pack["quotes"], pack["answering"]
    text, cited = shape_answer(question, quotes[:answering], quotes[answering:], form.preferences, dated=form.dated)
    return _as_json(text, True, "", cited, {})


def _as_json(answer: str, sufficient: bool, missing: str, cited: Sequence[Mapping[str, Any]], usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "answer": answer,
        "sufficient": sufficient,
        "missing": missing,
        "citations": list(cited),
        "usage": usage,
        "cited_chunk_ids": [q["chunk_id"] for q in cited if q["chunk_id"]],
        "cited_event_ids": [q["event_id"] for q in cited if q["event_id"]],
    }


def _ambient(ws: Workspace, text: str) -> list[dict[str, Any]]:
    """What Beacon remembers that bears on the question: shown as memory, never evidence."""
    from beacon.memory.search import ambient_memories

    return ambient_memories(ws, text, AMBIENT_MEMORIES)
