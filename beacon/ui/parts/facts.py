"""What is known of a topic, fact by fact over time: from when to when each was true, and what became of it."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from beacon.analyst.shapes import label_words
from beacon.ui.components.validity import opened, validity
from beacon.ui.memory_words import STATUSES, status_badge
from beacon.ui.parts import drawer
from beacon.ui.parts.clock import now
from beacon.ui.parts.empty import empty
from beacon.ui.session import call, find
from beacon.ui.text import count, day, plain, short

PER_PAGE = 15  # subjects
MOST = 2000
SIGNS = {"current": "✓", "superseded": "→", "contradicted": "≠", "retracted": "✕", "archived": "▫"}
HEX = {
    "light": {"current": "#2f7d4f", "superseded": "#b45309", "contradicted": "#7a4a9e", "retracted": "#b3372f", "archived": "#78716c"},
    "dark": {"current": "#5fb583", "superseded": "#f59e0b", "contradicted": "#b48ad6", "retracted": "#e0796f", "archived": "#a8a29e"},
}
_KEY = "topic_facts"
_TICKS = 5


def draw(topic: dict[str, Any]) -> None:
    """The filters, the bars a page at a time, and the fact that was opened in the drawer."""
    facts = [one for one in call("memory_list", topic=topic["slug"], tier="semantic", status="all", limit=MOST) if one["subject"]]
    if not facts:
        empty(
            "No facts yet",
            "A run keeps what its sources state of a subject as facts: with the time each was true, and what took its place.",
            icon=":material/lightbulb:",
        )
        return
    shown = _filtered(facts)
    groups = _groups(shown)
    pages = max(1, -(-len(groups) // PER_PAGE))
    at = min(int(st.session_state.get("facts_page") or 1), pages)
    st.caption(
        f"{count(len(shown), 'fact')} about {count(len(groups), 'subject')}. A bar runs from when a fact began to hold to when it ended."
    )
    if groups:
        _bars(groups[(at - 1) * PER_PAGE : at * PER_PAGE])
    if pages > 1:
        st.pagination(pages, key="facts_page")


def _filtered(facts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    counts = Counter(str(one["status"]) for one in facts)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        chosen = st.pills(
            "Status", [name for name in STATUSES if counts[name]], selection_mode="multi", key="facts_status", label_visibility="collapsed",
            format_func=lambda name: f"{SIGNS[name]} {STATUSES[name][0]} {counts[name]}",
        )  # fmt: skip
        words = st.text_input(
            "Filter", key="facts_filter", placeholder="Filter by subject or value", label_visibility="collapsed",
            icon=":material/filter_list:", width=300,
        )  # fmt: skip
    wanted = words.strip().casefold()
    return [
        one
        for one in facts
        if (not chosen or one["status"] in chosen)
        and wanted in f"{one['subject']} {one['attribute']} {one['value']} {one['text']}".casefold()
    ]


def _groups(facts: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The facts by subject and attribute, oldest first; what changed most often leads."""
    by_point: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in facts:
        by_point.setdefault((one["subject"].casefold(), one["attribute"].casefold()), []).append(one)
    groups = [sorted(members, key=lambda one: (one["valid_from"] or "", one["recorded_at"], one["id"])) for members in by_point.values()]
    return sorted(groups, key=lambda members: (-len(members), members[0]["subject"].casefold(), members[0]["attribute"].casefold()))


def _bars(groups: Sequence[Sequence[dict[str, Any]]]) -> None:
    moments = [_at(one[name]) for members in groups for one in members for name in ("valid_from", "valid_to") if one[name]]
    first = min(moments, default=now() - timedelta(days=30))
    last = max([*moments, now()])
    span = max((last - first).total_seconds(), 86_400.0)
    theme = HEX["dark" if st.context.theme.type == "dark" else "light"]

    def place(iso: str | None, otherwise: float) -> float:
        return round(100 * (_at(iso) - first).total_seconds() / span, 2) if iso else otherwise

    drawn = [
        {
            "name": _name(members[0]),
            "facts": [_bar(one, place(one["valid_from"], 0.0), place(one["valid_to"], 100.0), theme) for one in members],
        }
        for members in groups
    ]
    ticks = [{"at": 100 * n / (_TICKS - 1), "word": day((first + (last - first) * n / (_TICKS - 1)).isoformat())} for n in range(_TICKS)]
    validity(drawn, ticks, corner="Subject · attribute", key=_KEY, on_open=lambda: None)
    if fact_id := opened(_KEY):
        _open(fact_id)


def _name(fact: dict[str, Any]) -> str:
    attribute = label_words(str(fact["attribute"]))
    return short(str(fact["subject"]), 80) + (f" · {attribute}" if attribute and attribute.lower() not in ("value", "is") else "")


def _bar(fact: dict[str, Any], left: float, right: float, theme: dict[str, str]) -> dict[str, Any]:
    status = str(fact["status"])
    word = STATUSES.get(status, (status, "", ""))[0]
    since, until = day(fact["valid_from"]) or "an unknown day", day(fact["valid_to"]) or "now"
    value = short(str(fact["value"] or fact["text"]), 60)
    return {
        "id": fact["id"], "value": value, "status": status, "icon": SIGNS.get(status, ""), "hex": theme.get(status, theme["archived"]),
        "left": min(left, 99.0), "width": max(right - left, 0.0), "open": not fact["valid_to"], "unknown": not fact["valid_from"],
        "label": f"{_name(fact)}: {value}. {word}. True from {since} to {until}.",
    }  # fmt: skip


def _open(fact_id: str) -> None:
    fact = find("memory_show", id=fact_id)
    if fact is None:
        return
    until = day(fact["valid_to"])
    held = f"Held from {day(fact['valid_from']) or 'an unknown day'}" + (f" to {until}" if until else " on")
    lines = [f"**{plain(_name(fact))}: {plain(short(str(fact['value'] or fact['text']), 160))}**", f"{status_badge(fact['status'])} {held}"]
    if fact["replaced_by"] and (newer := find("memory_show", id=fact["replaced_by"])):
        lines.append(f"Its place was taken by {plain(short(str(newer['value'] or newer['text']), 120))}.")
    places = [drawer.place_of(one) for one in fact["citations"] if one.get("source_id")]
    drawer.show(places, "  \n".join(lines))


def _at(iso: str) -> datetime:
    found = datetime.fromisoformat(iso)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
