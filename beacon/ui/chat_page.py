"""The chat page: conversations at the left, the one that is open beside them, the question below."""

from datetime import date
from typing import Any

import streamlit as st

from beacon.ui.chat_answer import draw, find_quote, open_quote
from beacon.ui.chat_asking import begin, finish, forget, pending, with_questions
from beacon.ui.components.anchor import scroll_here
from beacon.ui.parts import frame, links
from beacon.ui.session import beacon, call, find
from beacon.ui.text import ago, count, day, plain, short

LISTED = 30
TITLE = 26
FIRST_DAY = date(1900, 1, 1)
OPEN, SUGGESTED = "chat_open", "chat_suggested"


def body() -> None:
    """The whole page below its title."""
    if OPEN not in st.session_state:
        st.session_state[OPEN] = st.query_params.get("c", "")
    left, right = st.columns([1, 3.1], gap="large")
    with left:
        _conversations()
    prompt = st.chat_input("Ask about what was read", key="chat_input", max_chars=4000, submit_mode="stop")
    with right:
        scope = _scope()
        messages = _messages()
        if prompt and not pending():
            begin(prompt, st.session_state[OPEN], scope)
        asked = pending()
        if not messages and not asked:
            _first_words(scope)
        for n, message in enumerate(messages):
            if n == len(messages) - 2 and not asked:
                scroll_here(str(message["id"]), key="chat_newest")
            draw(message)
        if asked:
            scroll_here(asked["key"], key="chat_asked_now")
            _answer(asked)
        quote = find_quote(messages, links.clicked("chat_citations") or "")
        if quote:
            open_quote(quote)


def _answer(asked: dict[str, Any]) -> None:
    draw({"role": "user", "content": asked["question"]})
    if finish(asked, _open):
        st.rerun()


def _messages() -> list[Any]:
    opened = st.session_state[OPEN]
    conversation = find("conversation_show", id=opened) if opened else None
    if opened and conversation is None:
        st.caption("This conversation is not here any more.")
        _open("")
    return with_questions(conversation["messages"]) if conversation else []


# Conversations


def _open(conversation_id: str) -> None:
    forget()
    st.session_state[OPEN] = conversation_id
    if conversation_id:
        st.query_params["c"] = conversation_id
    else:
        st.query_params.pop("c", None)


def _conversations() -> None:
    st.button("New chat", key="chat_new", icon=":material/edit_square:", width="stretch", on_click=_open, args=("",))
    found = call("conversation_list")
    now = beacon().workspace.clock()
    with st.container(key="chat_list", gap="xxsmall"):
        for conversation in found[:LISTED]:
            chosen = conversation["id"] == st.session_state[OPEN]
            title = plain(short(conversation["title"], TITLE))
            st.button(
                f"**{title}**" if chosen else title,
                key=f"chat_{conversation['id']}",
                type="tertiary",
                on_click=_open,
                args=(conversation["id"],),
                wrap=False,
                help=f"{plain(conversation['title'])} · {ago(conversation['updated_at'], now)}",
            )
    if len(found) > LISTED:
        st.caption(f"and {len(found) - LISTED} older ones")
    _spend()


def _spend() -> None:
    spend = call("status")["spend"]
    if spend["calls"]:
        st.caption(f"Spent so far: ${spend['cost_usd']:.4f} in {count(spend['calls'], 'model call')}.")


# What is asked of what


def _scope() -> dict[str, Any]:
    """Which sources answer, and as of when: said in words, changed in a menu."""
    topics = {topic["slug"]: topic["title"] for topic in call("topic_list")}
    slug = st.session_state.get("chat_topic") or ""
    back = bool(st.session_state.get("chat_back"))
    words = f"{plain(short(topics[slug], 40))}" if slug in topics else "All sources"
    on: date | None = st.session_state.get("chat_as_of") if back else None
    label = f"{words}, as of {day(on.isoformat())}" if on else words
    with st.container(horizontal=True, horizontal_alignment="right"), st.popover(label, icon=":material/filter_alt:", key="chat_scope"):
        st.selectbox("Answer from", ["", *topics], key="chat_topic", format_func=lambda name: topics.get(name, "All sources"))
        today = beacon().workspace.clock().date()
        if st.toggle("As of a date", key="chat_back", help="Answer from what was current on that day"):
            on = st.date_input("Day", today, min_value=FIRST_DAY, max_value=today, key="chat_as_of", format="YYYY-MM-DD")
    scope: dict[str, Any] = {"slug": st.session_state.get("chat_topic") or None}
    if st.session_state.get("chat_back") and on:
        scope["as_of"] = on.isoformat()
    return scope


def _first_words(scope: dict[str, Any]) -> None:
    """An empty chat says what it answers from and offers first questions."""
    counts = call("status")["counts"]
    st.markdown("### Ask about what was read")
    if not counts["sources"]:
        st.caption("Nothing was read yet. Add a topic or bring in a folder, and ask then.")
        st.page_link(frame.path_of("topics"), label="Add a topic", icon=":material/add:")
        return
    st.caption(
        f"Answers come from exact quotes of {count(counts['sources'], 'source')}. Every sentence shows where it stands; "
        "where the evidence is not enough, Beacon says so."
    )
    with st.container(gap="xxsmall", key="chat_first"):
        for n, question in enumerate(_suggestions()):
            if st.button(plain(question), key=f"chat_first_{n}", icon=":material/chat_bubble_outline:", type="tertiary"):
                begin(question, "", scope)
                st.rerun()


def _suggestions() -> list[str]:
    """First questions about topics and what is named most; looked up once a visit."""
    kept: list[str] | None = st.session_state.get(SUGGESTED)
    if kept is None:
        titles = [topic["title"] for topic in call("topic_list")][:2]
        named = [node["label"] for node in call("graph_view", k=3)["nodes"]]
        kept = [*(f"What changed about {title}?" for title in titles), *(f"What is said about {name}?" for name in named)][:4]
        st.session_state[SUGGESTED] = kept
    return kept
