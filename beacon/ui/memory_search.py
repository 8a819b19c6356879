"""Searching what is remembered: each hit with its score opened into recency, importance and relevance."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from beacon.ui.components.stack import receipt_parts, stack
from beacon.ui.memory_list import read_rows, time_slider
from beacon.ui.memory_words import citation_rows, tier_badge
from beacon.ui.session import call
from beacon.ui.text import count, day, plain

SITUATIONS: Mapping[str, tuple[str, str]] = {
    "question": ("Answering a question", "Relevance decides."),
    "reflection": ("Looking back", "What is recent and important comes first."),
    "ambient": ("Talking along", "What comes up unasked, before every answer."),
}


def search() -> None:
    """A query, the situation it is asked in, and what comes up with the parts of its score."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        query = st.text_input(
            "Search what is remembered", key="recall_query", placeholder="What is the tracing budget?", icon=":material/search:"
        )
        situation = st.selectbox(
            "Situation", list(SITUATIONS), key="recall_situation", format_func=lambda name: SITUATIONS[name][0], width=220
        )
        back = st.toggle("As of a date", key="recall_back")
    as_of = time_slider(read_rows("all", None), "recall_as_of") if back else None
    if not (query or "").strip():
        st.caption("Ask as you would ask a colleague. Looking something up here does not count as using it.")
        return
    hits = call("memory_search", query=query, situation=situation, as_of=as_of, k=20)
    when = f", as of {day(as_of)}" if as_of else ""
    st.caption(f"{count(len(hits), 'memory', 'memories')} by score{when}. {SITUATIONS[str(situation)][1]}")
    for n, hit in enumerate(hits):
        _hit(hit, n)


def _hit(hit: dict[str, Any], n: int) -> None:
    receipt = hit["receipt"]
    with st.container(border=True, key=f"recall_{n}", gap="xsmall"):
        st.markdown(f"{tier_badge(hit['tier'])} {plain(hit['text'])}  \n:small[:gray[since {day(hit['recorded_at'])}]]")
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                stack(receipt_parts(receipt), key=f"recall_score_{n}", label=f"Score {hit['score']:.2f} of 1")
            with st.popover(
                f"{hit['score']:.3f}", key=f"recall_why_{n}", type="tertiary", icon=":material/calculate:", help="How the score came about"
            ):
                _why(receipt)
                citation_rows(hit["citations"][:3], f"recall_{n}")


def _why(receipt: Mapping[str, Any]) -> None:
    recency, relevance = receipt["parts"]["recency"], receipt["parts"]["relevance"]
    weights = receipt["weights"]
    st.markdown(
        " + ".join(f"{weights[name]:.2f} × {receipt[name]:.3f} {name}" for name in ("relevance", "recency", "importance"))
        + f" = **{receipt['score']:.3f}**"
    )
    kept = f", never below its floor: {recency['kept']}" if recency["kept"] else ""
    matched = ", ".join(relevance.get("matched") or [])
    shares = relevance["shares"]
    st.table(
        {
            "Relevance": " + ".join(f"{shares[name]:.2f} × {relevance[name]:.2f} {word}" for name, word in _RELEVANCE.items()),
            "Words found": plain(matched) or "none",
            "Came up because": plain(", ".join(relevance.get("because") or [])) or "its words and meaning",
            "Recency": f"{recency['age_days']:.1f} days since last use, halves every {recency['half_life_days']:g}{plain(kept)}",
        },
        border="horizontal",
    )


_RELEVANCE: Mapping[str, str] = {"lexical": "words", "cosine": "meaning", "route": "person, topic or time"}
