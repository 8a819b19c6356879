"""What a change to memory altered, thing by thing, with its before and after."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.components.diff import changed_lines, diff
from beacon.ui.memory_words import status_badge, tier_badge
from beacon.ui.text import plain, short

MOST = 60
_HEADS: Mapping[str, str] = {
    "profile": ":material/description: Document",
    "summary": ":material/calendar_today: Summary",
    "settings": ":material/tune: Settings",
}
_QUIET = frozenset(
    {
        "version",
        "citations",
        "last_access_at",
        "access_count",
        "recorded_at",
        "importance_parts",
        "text_sha256",
        "id",
        "project_id",
        "metadata",
    }
)


def items(found: Sequence[Mapping[str, Any]], key: str) -> None:
    """Every altered thing in order, long ones as a diff."""
    for n, item in enumerate(found[:MOST]):
        with st.container(border=True, key=f"{key}_item_{n}", gap="xsmall"):
            (_memory if item["kind"] == "memory" else _document)(item, f"{key}_{n}")
    if len(found) > MOST:
        st.caption(f"{len(found) - MOST} more are not drawn.")


def _memory(item: Mapping[str, Any], key: str) -> None:
    before, after = item["before"], item["after"]
    shown = after or before or {}
    word = "new" if before is None else "taken out" if after is None else "altered"
    st.markdown(f"{tier_badge(shown.get('tier', ''))} :gray-badge[{word}] {plain(short(shown.get('text', ''), 300))}")
    if before is None or after is None:
        return
    if before.get("text") != after.get("text"):
        lines = [{"op": "-", "text": str(before.get("text"))}, {"op": "+", "text": str(after.get("text"))}]
        diff(lines, key=f"{key}_diff", left="Before", right="After", height=240)
    for name in sorted(set(before) | set(after)):
        old, new = before.get(name), after.get(name)
        if old != new and name not in _QUIET and name != "text":
            st.caption(_field(name, old, new))


def _field(name: str, old: Any, new: Any) -> str:
    if name == "status":
        return f"{status_badge(str(old))} → {status_badge(str(new))}"
    return f"{plain(name.replace('_', ' '))}: {_value(old)} → {_value(new)}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(short(str(value), 80)) if value not in (None, "", [], {}) else "nothing"


def _document(item: Mapping[str, Any], key: str) -> None:
    st.markdown(f"{_HEADS.get(item['kind'], ':material/change_history:')} **{plain(str(item['ref']).replace('_', ' '))}**")
    diff(changed_lines(_text(item["before"]), _text(item["after"])), key=f"{key}_diff", left="Before", right="After", height=320)


def _text(state: Mapping[str, Any] | None) -> str:
    if not state:
        return ""
    for name in ("content", "text"):
        if name in state:
            return str(state[name])
    import json

    return json.dumps(state, ensure_ascii=False, indent=1, sort_keys=True)
