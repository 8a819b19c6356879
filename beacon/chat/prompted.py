"""Answering with a model: from the numbered pack only, every sentence checked before it is shown."""

import re
from collections.abc import Sequence
from typing import Any

from beacon.analyst.sentences import split_sentences
from beacon.domain.ids import make_id
from beacon.errors import ModelError
from beacon.workspace import Workspace

MAX_ANSWER_TOKENS = 900
_CITED = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")


def answer_with_model(ws: Workspace, question: str, quotes: Sequence[dict[str, Any]]) -> tuple[str, set[int], dict[str, Any]]:
    """(answer, cited numbers, usage); sentences that cite nothing of the pack are dropped. Raises ModelError when none is left."""
    from beacon.llm.ports import ChatRequest, Message
    from beacon.llm.prompts import load_prompt

    if ws.models is None or (model := ws.models.strong or ws.models.fast) is None:
        raise ModelError("No model is configured.")
    evidence = "\n\n".join(f"[{q['n']}] ({q['title']}, {q['date']})\n{q['quote']}" for q in quotes)
    content = f"<evidence>\n{evidence}\n</evidence>\n\n<question>\n{question}\n</question>"
    request = ChatRequest(load_prompt("answer").text, (Message("user", content),), max_tokens=MAX_ANSWER_TOKENS)
    reply = model.complete(request)
    text, cited = keep_cited(reply.text, {int(q["n"]) for q in quotes})
    usage = {
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "cost_usd": reply.usage.cost_usd,
        "model": reply.usage.model,
    }
    _record(ws, usage)
    return text, cited, usage


def keep_cited(text: str, known: set[int]) -> tuple[str, set[int]]:
    """The sentences that cite only numbers of the pack, and those numbers."""
    kept, cited = [], set[int]()
    for start, end in split_sentences(text):
        sentence = text[start:end]
        numbers = {int(n) for group in _CITED.findall(sentence) for n in group.split(",")}
        if numbers and numbers <= known:
            kept.append(sentence)
            cited |= numbers
    return " ".join(kept), cited


def _record(ws: Workspace, usage: dict[str, Any]) -> None:
    now = ws.clock()
    with ws.records.write() as tx:
        calls = int(tx.runs.spend(ws.project_id)["calls"])
        tx.runs.add_usage(
            {
                "id": make_id("use", ws.project_id, now, calls),
                "project_id": ws.project_id,
                "run_id": "",
                "model": usage["model"],
                "purpose": "answer",
                "input_tokens": usage["input_tokens"],
                "output_tokens": usage["output_tokens"],
                "cost_usd": usage["cost_usd"] or 0.0,
                "at": now,
            }
        )
