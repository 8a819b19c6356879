"""An answer as the page shows it: its words with citation chips, the evidence it was made from, and what Beacon remembered beside it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui import context_inspector
from beacon.ui.components.stack import Part, receipt_parts, stack
from beacon.ui.memory_words import open_citation, tier_badge
from beacon.ui.parts import frame, links
from beacon.ui.text import count, day, plain, short

_CITED = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")
_GAP = re.compile(r"\n\s*\n")
INTENTS: Mapping[str, str] = {
    "drill_down": "A closer look",
    "compare_time": "What changed over time",
    "explain_contradictions": "Where sources disagree",
    "decision_audit": "Why it was decided",
    "prioritisation": "What matters most",
    "recall": "From earlier conversations",
}
RECEIPT: Mapping[str, tuple[str, str]] = {
    "lexical": ("words", "orange"),
    "dense": ("meaning", "blue"),
    "graph": ("graph", "violet"),
    "neighbours": ("passages beside it", "green"),
}
Message = Mapping[str, Any]


def answer_markdown(text: str, numbers: Sequence[int], where: str) -> str:
    """The answer as Markdown: words as they are, each citation of the pack a chip that opens it."""
    return "\n\n".join(_block(part, set(numbers), where) for part in _GAP.split(text.strip()))


def _block(text: str, known: set[int], where: str) -> str:
    """A paragraph whose lines stay lines: those that begin with a dash make a list, which a line before it is set off from."""
    found = ""
    for line in text.split("\n"):
        bullet = line.startswith("- ")
        words = _paragraph(line.removeprefix("- "), known, where)
        gap = "" if not found else "\n" if bullet and found.rsplit("\n", 1)[-1].startswith("- ") else "\n\n" if bullet else "  \n"
        found += f"{gap}{'- ' if bullet else ''}{words}"
    return found


def _paragraph(text: str, known: set[int], where: str) -> str:
    pieces, last = [], 0
    for found in _CITED.finditer(text):
        cited = [int(n) for n in found[1].split(",")]
        if not set(cited) <= known:
            continue
        pieces += [plain(text[last : found.start()]), " ".join(links.chip(str(n), reference(where, n)) for n in cited)]
        last = found.end()
    return " ".join(piece for piece in [*pieces, plain(text[last:])] if piece)


def reference(where: str, n: int) -> str:
    """How a chip names quote `n` of a message."""
    return f"{where}.{n}"


def find_quote(messages: Sequence[Message], ref: str) -> Mapping[str, Any] | None:
    """The quote that a chip names, or None."""
    where, _, n = ref.rpartition(".")
    for message in messages:
        if str(message["n"]) == where:
            return next((quote for quote in _quotes(message) if str(quote["n"]) == n), None)
    return None


def _quotes(message: Message) -> list[dict[str, Any]]:
    return list((message.get("pack") or {}).get("quotes") or [])


def open_quote(quote: Mapping[str, Any]) -> None:
    """Opens the drawer with the quote marked in its source."""
    open_citation(quote, f"Quote {quote['n']} of the evidence")


# One message


def draw(message: Message) -> None:
    """A message of the conversation, with everything that stands under an answer."""
    if message["role"] == "user":
        with st.chat_message("you", avatar=":material/person:"):
            st.markdown("\n\n".join(f"**{plain(part)}**" for part in _GAP.split(message["content"]) if part.strip()))
        return
    with st.chat_message("assistant", avatar=":material/lightbulb:"):
        told = message["metadata"]
        if told.get("sufficient", True):
            st.markdown(answer_markdown(message["content"], [q["n"] for q in _quotes(message)], str(message["n"])))
        else:
            insufficient(message)
        under(message)


def insufficient(message: Message) -> None:
    """Says plainly that what was read does not answer the question, and what would help."""
    told = message["metadata"]
    with st.container(border=True, key=f"insufficient_{message['id']}", gap="xsmall"):
        st.markdown(":orange[:material/search_off:] **Not enough evidence for an answer**")
        st.markdown(plain(told.get("missing") or "What was read does not speak of this."))
        with st.container(horizontal=True, gap="xsmall"):
            st.page_link(
                frame.path_of("search"), label="Search the sources", icon=":material/search:", query_params={"q": _question(message)}
            )
            st.page_link(frame.path_of("topics"), label="Add a source or a topic", icon=":material/add:")


def _question(message: Message) -> str:
    return str(message.get("question") or "")


def under(message: Message) -> None:
    """The line below an answer, the evidence pack, and the memories that came up."""
    told = message["metadata"]
    if note := told.get("note"):
        st.caption(f":material/info: {plain(note)}")
    st.caption(facts(told))
    quotes, memories = _quotes(message), told.get("memories") or []
    if quotes:
        _pack(message, quotes)
    with st.expander(
        "What was in mind", icon=":material/neurology:", type="compact", key=f"mind_{message['id']}", on_change="rerun"
    ) as box:
        if box.open:
            context_inspector.kept(str(message["id"]), str(message["id"]))
    if memories:
        with st.expander(
            f"Remembered about you ({len(memories)}), not evidence",
            icon=":material/psychology:",
            type="compact",
            key=f"memories_{message['id']}",
        ):
            for n, memory in enumerate(memories):
                st.markdown(f"{tier_badge(memory['tier'])} {plain(memory['text'])}")
                stack(receipt_parts(memory["receipt"]), key=f"memory_{message['id']}_{n}", label=f"Score {memory['score']:.2f} of 1")


def facts(told: Mapping[str, Any]) -> str:
    """What kind of answer it is, how sure, as of when, and what it cost."""
    usage = told.get("usage") or {}
    tokens = int(usage.get("input_tokens") or 0) + int(usage.get("output_tokens") or 0)
    cost = f" (${float(usage.get('cost_usd') or 0):.4f})" if tokens else ""
    parts = [
        INTENTS.get(str(told.get("intent")), ""),
        f"confidence {float(told['confidence']):.2f}" if told.get("sufficient", True) and told.get("confidence") is not None else "",
        f"as of {day(told['as_of'])}" if told.get("as_of") else "",
        f"{plain(usage.get('model') or 'model')}, {tokens:,} tokens{cost}" if tokens else "no model, no cost",
    ]
    return " · ".join(part for part in parts if part)


def _pack(message: Message, quotes: Sequence[Mapping[str, Any]]) -> None:
    cited = {c["n"] for c in message["metadata"].get("citations") or []}
    number = count(len(quotes), "exact quote")
    label = f"Evidence: {number}, {len(cited)} cited" if cited else f"What was found: {number}"
    with st.expander(label, icon=":material/format_list_numbered:", type="compact", key=f"pack_{message['id']}", on_change="rerun") as box:
        if not box.open:
            return
        for quote in quotes:
            _quote_row(message, quote, quote["n"] in cited)


def _quote_row(message: Message, quote: Mapping[str, Any], cited: bool) -> None:
    key = f"quote_{message['id']}_{quote['n']}"
    with st.container(border=True, key=key, gap="xxsmall"):
        mark = " :green-badge[:material/check: cited]" if cited else ""
        st.markdown(f"{links.chip(str(quote['n']), reference(str(message['n']), quote['n']))}{mark} “{plain(short(quote['quote'], 420))}”")
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            where = plain(short(str(quote.get("title") or "Conversation"), 80))
            st.caption(" · ".join(part for part in (where, day(quote.get("date"))) if part), width="content")
            if quote.get("receipt"):
                _receipt(quote["receipt"], key)


def _receipt(receipt: Mapping[str, Any], key: str) -> None:
    score = float(receipt.get("score") or 0)
    with st.popover(f"{score:.3f}", type="tertiary", icon=":material/calculate:", key=f"{key}_why", help="Why this passage was found"):
        parts = {name: float(value) for name, value in (receipt.get("parts") or {}).items() if value}
        whole = sum(parts.values()) or 1.0
        st.markdown(f"**Score {score:.3f}**, made of")
        stack(
            [
                Part(RECEIPT.get(name, (name, "gray"))[0], value / whole, RECEIPT.get(name, (name, "gray"))[1], f"{value:.3f} points")
                for name, value in parts.items()
            ],
            key=f"{key}_stack",
            label=f"Score {score:.3f}",
        )
        raw = " · ".join(f"{plain(name)} {float(value):.3f}" for name, value in (receipt.get("raw") or {}).items())
        if raw:
            st.caption(f"Measured: {raw}. Shares of the score are drawn.")
