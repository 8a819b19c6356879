"""The form for a topic: what it is about, what it reads, when it runs, and how its reports are written."""

from typing import Any

import streamlit as st

from beacon.domain.ids import digest
from beacon.ui.session import attempt

TONES = ("objective", "formal", "analytical", "persuasive", "informative", "explanatory", "critical", "casual")
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "it": "Italiano",
    "pt": "Português",
    "nl": "Nederlands",
    "pl": "Polski",
    "tr": "Türkçe",
    "ru": "Русский",
    "uk": "Українська",
    "ar": "العربية",
    "hi": "हिन्दी",
    "zh": "中文",
    "ja": "日本語",
    "ko": "한국어",
}
EVERY = {
    "": "Only when I say",
    "daily 07:30": "Every day, 07:30",
    "weekdays 07:30": "Weekdays, 07:30",
    "mon 08:00": "Mondays, 08:00",
    "hourly": "Every hour",
}
OTHER = "other"


def new_topic() -> str:
    """Draws the form; the slug of the topic that was just made, or an empty text."""
    with st.container(width=820), st.form("new_topic_form", border=False):
        title = st.text_input("Title", key="topic_title", placeholder="EU battery regulation", max_chars=300)
        values = _fields({}, "new")
        pressed = st.form_submit_button("Watch it", type="primary", icon=":material/radar:")
    if not pressed:
        return ""
    if not title.strip():
        st.error("A topic needs a title.", icon=":material/error:")
        return ""
    made = attempt("topic_add", title=title, **values)
    return str(made["slug"]) if made else ""


def edit_topic(topic: dict[str, Any]) -> None:
    """The form over an existing topic; saving says so."""
    with st.container(width=820), st.form(f"edit_{topic['id']}", border=False):
        values = _fields(topic, _state_key(topic))
        pressed = st.form_submit_button("Save", type="primary", icon=":material/check:")
    if pressed and attempt("topic_set", slug=topic["slug"], **values) is not None:
        st.toast("Saved.", icon=":material/check:")
        st.rerun()


def _state_key(topic: dict[str, Any]) -> str:
    """A key that follows what the topic holds: a form drawn before someone else's change must not overwrite it."""
    held = [
        topic.get(name) for name in ("queries", "folders", "pages", "feeds", "gates", "tone", "language", "guidelines", "retention_days")
    ]
    return f"{topic['id']}_{digest(repr([*held, (topic.get('schedule') or {}).get('cron')]))[:12]}"


def _fields(topic: dict[str, Any], key: str) -> dict[str, Any]:
    st.markdown("##### What to find out")
    queries = _lines("Questions and searches", topic.get("queries"), f"{key}_queries", "What changed in the rules?\nWhen do they apply?")
    st.markdown("##### What to read")
    folders = _lines("Folders on this machine", topic.get("folders"), f"{key}_folders", "/home/me/papers/batteries")
    left, right = st.columns(2)
    with left:
        pages = _lines("Web pages", topic.get("pages"), f"{key}_pages", "https://…")
    with right:
        feeds = _lines("Feeds (RSS or Atom)", topic.get("feeds"), f"{key}_feeds", "https://…/feed.xml")
    st.markdown("##### When to run")
    every, gates = _when(topic, key)
    with st.expander("How reports are written", icon=":material/tune:"):
        style = _style(topic, key)
    return {"queries": queries, "folders": folders, "pages": pages, "feeds": feeds, "every": every, "gates": gates, **style}


def _when(topic: dict[str, Any], key: str) -> tuple[str | None, bool]:
    """(the schedule, None to leave it as it is; whether runs stop at gates)."""
    cron = (topic.get("schedule") or {}).get("cron", "")
    options = [*EVERY, OTHER]
    now = OTHER if cron else ""
    left, right = st.columns(2, vertical_alignment="bottom")
    chosen = left.selectbox(
        "Schedule", options, index=options.index(now), key=f"{key}_every", format_func=lambda one: EVERY.get(one, "As written beside")
    )
    written = right.text_input(
        "Written out",
        cron,
        key=f"{key}_cron",
        placeholder="fri 16:00, or a cron line",
        help="Used with ‘As written beside’. Times are in the workspace’s time zone.",
    )
    gates = st.toggle(
        "Ask me at three points of every run",
        bool(topic.get("gates")),
        key=f"{key}_gates",
        help="The plan, the findings and the report wait for your answer; waiting costs nothing.",
    )
    every = written.strip() if chosen == OTHER else str(chosen)
    return (None if every == cron and topic else every), gates


def _style(topic: dict[str, Any], key: str) -> dict[str, Any]:
    tone, language = str(topic.get("tone") or "objective"), str(topic.get("language") or "en")
    tones = list(TONES) if tone in TONES else [tone, *TONES]
    languages = list(LANGUAGES) if language in LANGUAGES else [language, *LANGUAGES]
    left, middle, right = st.columns(3)
    values: dict[str, Any] = {
        "tone": left.selectbox("Tone", tones, index=tones.index(tone), key=f"{key}_tone", format_func=str.capitalize),
        "language": middle.selectbox(
            "Language", languages, index=languages.index(language), key=f"{key}_language", format_func=lambda one: LANGUAGES.get(one, one),
            help="A translation needs a model; without one the report stays in the language of its sources.",
        ),
        "retention_days": right.number_input(
            "Remember for (days)", 1, 3650, int(topic.get("retention_days") or 30), key=f"{key}_retention",
            help="After so many days without a run, what the topic knows is archived. It can be restored.",
        ),
    }  # fmt: skip
    values["guidelines"] = _lines("Guidelines", topic.get("guidelines"), f"{key}_guidelines", "Put numbers first.\nName the agency.")
    return values


def _lines(label: str, value: list[str] | None, key: str, placeholder: str) -> list[str]:
    """A box with one entry a line."""
    text = st.text_area(label, "\n".join(value or []), key=f"topic_{key}", placeholder=placeholder, height=100, help="One a line.")
    return [line.strip() for line in text.splitlines() if line.strip()]
