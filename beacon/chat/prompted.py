"""Answering with a model: from the numbered pack only, every sentence checked before it is shown."""

from collections.abc import Sequence
from typing import Any

from beacon.analyst.grounding import cited_sentences
from beacon.errors import ModelError
from beacon.llm.ports import ChatRequest, Message, Usage
from beacon.llm.prompts import load_prompt
from beacon.llm.untrusted import data_section
from beacon.spending import Purse, model_for
from beacon.workspace import Workspace

MAX_ANSWER_TOKENS = 2000


def answer_with_model(
    ws: Workspace, question: str, quotes: Sequence[dict[str, Any]], conversation_id: str = "", in_mind: str = ""
) -> tuple[str, set[int], dict[str, Any]]:
    """(answer, cited numbers, usage); sentences that cite nothing of the pack, or misquote it, are dropped. `in_mind` is no evidence.

    Raises ModelError when none is left, BudgetError when the call may not be made.
    """
    if (model := model_for(ws, "answer", Purse(conversation_id=conversation_id))) is None:
        raise ModelError("No model is configured.")
    pack = "\n\n".join(data_section(f"evidence {q['n']}, {q['title']}, {q['date']}", q["quote"]) for q in quotes)
    remembered = f"\n\n{data_section('remembered, to shape the answer and never to be cited', in_mind)}" if in_mind else ""
    asked = Message("user", f"Question: {question}\n\n{pack}{remembered}")
    request = ChatRequest(load_prompt("answer").text, (asked,), max_tokens=MAX_ANSWER_TOKENS)
    reply = model.complete(request)
    kept = cited_sentences(reply.text, [str(q["quote"]) for q in quotes])
    if not kept:
        raise ModelError("what it wrote cites none of the evidence.")
    numbers = [[int(quotes[place]["n"]) for place in places] for _, places in kept]
    text = " ".join(f"{words} {''.join(f'[{n}]' for n in cited)}" for (words, _), cited in zip(kept, numbers, strict=True))
    return text, {n for cited in numbers for n in cited}, _usage_json(reply.usage)


def _usage_json(usage: Usage) -> dict[str, Any]:
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "cost_usd": usage.cost_usd, "model": usage.model}
