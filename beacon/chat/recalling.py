"""Questions about what was said: answered with the very messages, cited by their events."""

import re
from collections.abc import Sequence
from typing import Any

from beacon.analyst.answer import Answer, AnswerSentence, Passage
from beacon.domain.chat import ChatMessage
from beacon.memory.talk import best_sentence, event_of, recall_messages, refers_back
from beacon.workspace import Workspace

FOUND = 8  # messages looked at
TOLD = 3  # sentences of an answer
AS_GOOD = 0.7  # of the best message's score, from which another one is told too
OTHER_EVENTS = 2000  # newest messages of other conversations that are searched
_BEACON_SAID = re.compile(r"\b(?:did|have|had) you\b|\byou (?:said|say|told|tell|mention(?:ed)?|answered|wrote)\b|\byour answer\b", re.I)
Recalled = tuple[Passage, dict[str, Any]]


def recalled_here(ws: Workspace, conversation_id: str, question: str) -> list[Recalled]:
    """The messages of this conversation that a question speaks of, best first; none where it speaks of something else."""
    if not refers_back(question):
        return []
    with ws.records.read() as tx:
        messages = tx.chats.words(conversation_id)
    speaker = "assistant" if _BEACON_SAID.search(question) else "user"
    mine = [m for m in messages if m.role == speaker and not _is_asking(m)]
    return [_passage(ws, one.message, one.score) for one in recall_messages(ws, mine, question, FOUND)]


def _is_asking(message: ChatMessage) -> bool:
    """A question about what was said says nothing itself."""
    return message.role == "user" and message.content.rstrip().endswith("?") and refers_back(message.content)


def _passage(ws: Workspace, message: ChatMessage, score: float) -> Recalled:
    event_id = event_of(ws, message)
    row = {"event_id": event_id, "text": message.content, "title": "This conversation", "at": message.at.isoformat(), "n": message.n}
    return Passage(event_id, message.content, message.at, "Conversation", score), row


def answer_from_talk(question: str, recalled: Sequence[Recalled]) -> Answer | None:
    """The sentences that were meant, in the order they were said; None where nothing was found."""
    if not recalled:
        return None
    best = recalled[0][0].score
    told = [one for one in recalled if one[0].score >= AS_GOOD * best][:TOLD]
    sentences = []
    for passage, _ in sorted(told, key=lambda one: int(one[1]["n"])):
        start, end = best_sentence(question, passage.text)
        sentences.append(AnswerSentence(passage.text[start:end], passage.id, start, end, passage.score))
    return Answer(tuple(sentences), round(min(1.0, best), 4), True)
