"""What a run asks a model, within the run's budget: sections written from numbered evidence, and translations.

A reply is checked before it is used: a sentence that cites none of the numbers it was given, or quotes what no source says, is dropped.
"""

import re
from collections.abc import Sequence
from importlib.resources import files

from beacon.analyst.grounding import cited_sentences
from beacon.analyst.report import Evidence
from beacon.domain.ids import make_id
from beacon.domain.run import ResearchState, Run
from beacon.errors import BeaconError, BudgetError, ModelError
from beacon.llm.ports import ChatModel, ChatRequest, Message
from beacon.llm.untrusted import data_section
from beacon.spending import Purse, model_for
from beacon.workspace import Workspace

SECTION_TOKENS = 1200
TRANSLATION_TOKENS = 8000


def strong_model(ws: Workspace, run: Run, task: str = "report") -> ChatModel | None:
    """The model that writes, within what the run may still spend; None offline."""
    return model_for(ws, task, Purse(run_id=run.id, topic_id=run.topic_id))


def _prompt(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def write_section(
    model: ChatModel, run: Run, state: ResearchState, title: str, question: str, evidence: Sequence[Evidence], wishes: str
) -> list[tuple[str, list[int]]]:
    """(sentence, places in `evidence` it rests on) for a section. Raises ModelError when no sentence can be used."""
    items = "\n\n".join(data_section(f"evidence {n}, {one.date}", one.quote) for n, one in enumerate(evidence, 1))
    asked = (
        f"Heading: {title}\nQuestion: {question}\nTone: {state['tone']}\nLanguage: English\n\n"
        f"{data_section('preferences of the reader', wishes) if wishes else ''}\n\n{items}"
    )
    key = make_id("ask", run.id, "section", title, [one.quote for one in evidence])
    request = ChatRequest(
        _prompt("beacon.llm.prompts", "report.md"), (Message("user", asked),), max_tokens=SECTION_TOKENS, idempotency_key=key
    )
    found = cited_sentences(model.complete(request).text, [one.quote for one in evidence])
    if not found:
        raise ModelError(f"The model wrote nothing on '{title}' that cites its evidence: the section is made of quotes instead.")
    return found


def translate(ws: Workspace, run: Run, report: str, language: str) -> tuple[str | None, str]:
    """(the report in that language, what went wrong). Without a model it says that a translation needs one."""
    model = strong_model(ws, run, "translate")
    if model is None:
        return None, f"The report was not translated into '{language}': that needs a model, and no key is set."
    asked = f"Language: {language}\n\n{data_section('report', report)}"
    key = make_id("ask", run.id, "translate", language, report)
    request = ChatRequest(
        _prompt("beacon.runs.prompts", "translate.md"), (Message("user", asked),), max_tokens=TRANSLATION_TOKENS, idempotency_key=key
    )
    try:
        text = model.complete(request).text.strip()
    except BudgetError:
        raise  # the run pauses
    except BeaconError as error:
        return None, f"The report was not translated into '{language}': {error.message}"
    if kept := _missing_quotes(report, text):
        return None, f"The report was not translated into '{language}': the model altered the quote “{kept[:80]}”."
    return text + "\n", ""


def _missing_quotes(report: str, translated: str) -> str:
    return next((quote for quote in re.findall(r"“([^”]+)”", report) if quote not in translated), "")
