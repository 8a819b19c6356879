"""Long conversations: summaries of older messages that rest on those messages, and the messages themselves, recalled when meant.

The messages stay as they are. A summary is a view: it is written once, from the messages and never from another summary.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from beacon.analyst.quantities import find_names, find_quantities
from beacon.analyst.sentences import split_sentences
from beacon.analyst.similarity import build_weights
from beacon.analyst.tokens import content_tokens
from beacon.domain.chat import ChatMessage, ConversationSummary
from beacon.domain.ids import make_id
from beacon.errors import BeaconError
from beacon.memory.importance import has_marker, read_tone
from beacon.memory.said import is_statement
from beacon.memory.score import relevance
from beacon.memory.search import lexical_overlap
from beacon.memory.vectors import similarities
from beacon.spending import Purse, model_for
from beacon.workspace import Workspace

TAIL = 12  # newest messages kept word for word
LEVELS: Mapping[str, int] = {"detail": 10, "outline": 50, "era": 250}  # messages one summary covers
KEPT: Mapping[str, int] = {"detail": 6, "outline": 8, "era": 10}  # sentences of one summary
SHOWN: Mapping[str, int] = {"detail": 4, "outline": 4}  # summaries of a level that are shown before the next level takes over
MAX_SENTENCE = 240  # characters of a message's sentence that a summary quotes
RECALLED = 4  # messages brought back at once
COMPARED = 400  # messages whose meaning is compared with what was asked
MEANT, CLOSE = 0.15, 0.40  # relevance from which a message comes back: when it is referred to, and unasked
START = 0.15  # of a conversation that counts as its beginning
SUMMARY_TOKENS = 700

_REFERS = re.compile(
    r"\b(?:I|you|we)\b[^.?!]{0,30}\b(?:said|say|told|tell|mention(?:ed)?|asked|talk(?:ed)?|discuss(?:ed)?|wrote|"
    r"agreed|decided|call(?:ed)?)\b|"
    r"\b(?:did|have|had) (?:I|we|you)\b|\bearlier\b|\bat the (?:beginning|start|outset)\b|"
    r"\bremind me\b|\b(?:my|your|our) (?:first|earlier)\b|"
    r"\bvorhin\b|\bam anfang\b|\bhabe? (?:ich|wir) (?:gesagt|erwähnt|gefragt)\b|\bau début\b|\btout à l['’]heure\b|\bai-je dit\b|"
    r"\bal principio\b|\bdije\b|\ball['’]inizio\b|\bho detto\b|\bno início\b|\beu disse\b|"
    r"一开始|刚才|之前|最初|先ほど|さっき|в начале|раньше",
    re.I,
)
_AT_START = re.compile(
    r"\bat the (?:beginning|start|outset)\b|\b(?:very )?first\b|\binitially\b|\bam anfang\b|\bau début\b|\bal principio\b|"
    r"\ball['’]inizio\b|\bno início\b|一开始|最初|в начале",
    re.I,
)
_ASKING = frozenset(
    "say said tell told mention mentioned ask asked talk talked discuss discussed write wrote earlier beginning start outset remind first "
    "conversation remember recall thing things exactly before agree agreed call called".split()
)
_DECIDED = re.compile(
    r"\b(?:decid\w+|agree[ds]?|chose|choose|settled|approved|rejected|will|shall|going to|deadline|due|by (?:monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|tomorrow|next)|promise\w*|entschieden|beschlossen|décidé|decidido|deciso)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Recalled:
    """A message brought back word for word, and how close it is to what was asked."""

    message: ChatMessage
    score: float
    referred: bool  # it was asked for, not only close


def event_of(ws: Workspace, message: ChatMessage) -> str:
    """The id of the event that a citation of the message names."""
    kind = "message_sent" if message.role == "user" else "message_received"
    return make_id("evt", ws.project_id, kind, message.id)


# Summaries


def ensure_summaries(ws: Workspace, conversation_id: str, messages: Sequence[ChatMessage]) -> list[ConversationSummary]:
    """The summaries of everything older than the tail; those that were missing are written now."""
    with ws.records.read() as tx:
        known = {(one.level, one.first): one for one in tx.chats.conversation_summaries(conversation_id)}
    settled = len(messages) - TAIL
    for level, size in LEVELS.items():
        for at in range(0, settled - size + 1, size):
            block = messages[at : at + size]
            if (level, block[0].n) not in known:
                known[level, block[0].n] = _summarise(ws, conversation_id, level, block)
    return [known[key] for key in sorted(known, key=lambda key: (list(LEVELS).index(key[0]), key[1]))]


def _summarise(ws: Workspace, conversation_id: str, level: str, block: Sequence[ChatMessage]) -> ConversationSummary:
    first, last = block[0].n, block[-1].n
    found, origin = _with_model(ws, level, block), "model"
    if not found:
        found, origin = summarise(ws, block, KEPT[level]), "rules"
    text = " ".join(f"{words} [{citation['n']}]" for words, citation in found)
    made = ConversationSummary(
        make_id("csm", conversation_id, level, first), conversation_id, level, first, last, text, ws.clock(), [c for _, c in found], origin
    )
    with ws.records.write() as tx:
        if not tx.chats.add_conversation_summary(made):
            return next(one for one in tx.chats.conversation_summaries(conversation_id) if one.id == made.id)
    return made


def summarise(ws: Workspace, block: Sequence[ChatMessage], most: int) -> list[tuple[str, dict[str, Any]]]:
    """(exact words, citation) of what weighs most in some messages, in their order: figures, names, decisions, statements, questions."""
    spans = [(m, a, b) for m in block for a, b in split_sentences(m.content) if len(content_tokens(m.content[a:b])) >= 2]
    weights = build_weights([content_tokens(m.content[a:b]) for m, a, b in spans])
    rare = [sum(weights.idf.get(term, weights.default) for term in set(content_tokens(m.content[a:b]))) for m, a, b in spans]
    top = max(rare, default=0.0) or 1.0
    scored = [(_weight(m, m.content[a:b]) + value / top, m, a, b) for (m, a, b), value in zip(spans, rare, strict=True)]
    best = sorted(scored, key=lambda one: (-one[0], one[1].n, one[2]))[:most]
    return [_quoted(ws, m, a, b) for _, m, a, b in sorted(best, key=lambda one: (one[1].n, one[2]))]


def _weight(message: ChatMessage, sentence: str) -> float:
    """How much a sentence should outlive the rest. What Beacon answered stands in its sources; what the person said only here."""
    details = min(3, len(find_quantities(sentence)) + len(find_names(sentence)))
    said = 2.0 if message.role == "user" else 0.0
    kinds = 3.0 * has_marker(sentence) + 2.0 * bool(_DECIDED.search(sentence)) + 1.5 * is_statement(sentence)
    return said + kinds + 0.6 * details + read_tone(sentence)[1]


def _quoted(ws: Workspace, message: ChatMessage, start: int, end: int) -> tuple[str, dict[str, Any]]:
    stop = min(end, start + MAX_SENTENCE)
    quote = message.content[start:stop]
    who = "You" if message.role == "user" else "Beacon"
    citation = {"n": message.n, "message_id": message.id, "event_id": event_of(ws, message), "start": start, "end": stop, "quote": quote}
    return f"{who}: “{' '.join(quote.split())}{'' if stop == end else '…'}”", citation


def _with_model(ws: Workspace, level: str, block: Sequence[ChatMessage]) -> list[tuple[str, dict[str, Any]]]:
    """The model's sentences that cite messages of the block and quote them exactly; empty without a model, or where none holds."""
    from beacon.analyst.grounding import cited_sentences
    from beacon.llm.ports import ChatRequest, Message
    from beacon.llm.prompts import load_prompt
    from beacon.llm.untrusted import data_section

    model = model_for(ws, "summary", Purse(conversation_id=block[0].conversation_id))
    if model is None:
        return []
    told = "\n\n".join(data_section(f"message {n}, {m.role}", m.content) for n, m in enumerate(block, 1))
    asked = f"At most {KEPT[level]} sentences.\n\n{told}"
    key = make_id("ask", level, block[0].id, block[-1].id)
    request = ChatRequest(load_prompt("conversation_summary").text, (Message("user", asked),), None, SUMMARY_TOKENS, idempotency_key=key)
    try:
        kept = cited_sentences(model.complete(request).text, [m.content for m in block])
    except BeaconError:
        return []
    found = []
    for words, places in kept[: KEPT[level]]:
        message = block[places[0]]
        _, citation = _quoted(ws, message, 0, len(message.content))
        found.append((words, citation))
    return found


def shown_summaries(summaries: Sequence[ConversationSummary], upto: int) -> list[ConversationSummary]:
    """The summaries that together tell everything up to message `upto`, oldest first: the older, the coarser."""
    shown: list[ConversationSummary] = []
    for level, coarser in zip(LEVELS, [*list(LEVELS)[1:], ""], strict=True):
        mine = sorted((s for s in summaries if s.level == level and s.last <= upto), key=lambda s: -s.last)
        starts = {s.last for s in summaries if s.level == coarser}
        for count, one in enumerate(mine):
            if one.last != upto:
                break
            if count >= SHOWN.get(level, len(mine)) and upto in starts:
                break
            shown.append(one)
            upto = one.first - 1
    return shown[::-1]


# Originals


def refers_back(text: str) -> bool:
    """Whether someone speaks of what was said before."""
    return _REFERS.search(text) is not None


def recall_messages(ws: Workspace, messages: Sequence[ChatMessage], text: str, most: int = RECALLED) -> list[Recalled]:
    """The messages that are meant, or close enough to come back unasked, best first and each word for word."""
    referred = refers_back(text)
    query = " ".join(word for word in content_tokens(text) if word not in _ASKING)
    early = max(2, round(START * len(messages))) if _AT_START.search(text) else 0
    if not query:
        return [Recalled(m, 1.0, True) for m in messages[:early] if m.role == "user"][:most] if referred else []
    weights = build_weights([content_tokens(m.content) for m in messages])
    words = [lexical_overlap(query, m.content, weights) for m in messages]
    compared = sorted(sorted(range(len(messages)), key=lambda n: (-words[n], n))[:COMPARED])
    cosines = similarities(ws, query, [messages[n].content for n in compared])
    least = MEANT if referred else CLOSE
    found = []
    for place, n in enumerate(compared):
        part = relevance(None if cosines is None else cosines[place], words[n], 1.0 if n < early else 0.0)
        score = float(part["value"]) * (1.0 if messages[n].role == "user" else 0.8)
        if score >= least and (words[n] > 0 or float(part["cosine"]) >= CLOSE):
            found.append(Recalled(messages[n], round(score + (0.3 if n < early else 0.0), 6), referred))
    return sorted(found, key=lambda one: (-one.score, one.message.n))[:most]


def best_sentence(query: str, content: str) -> tuple[int, int]:
    """Where the sentence of a message stands that bears on the query most; its first one where none does."""
    spans = split_sentences(content) or [(0, len(content))]
    weights = build_weights([content_tokens(content[a:b]) for a, b in spans])
    return max(spans, key=lambda span: (lexical_overlap(query, content[span[0] : span[1]], weights), -span[0]))
