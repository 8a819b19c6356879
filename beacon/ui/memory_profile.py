"""The four documents: read and edited statement by statement or as a whole, with every version kept."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from beacon.ui.components.diff import diff
from beacon.ui.memory_words import done
from beacon.ui.session import attempt, call
from beacon.ui.text import count, moment, plain, short

DOCUMENTS: Mapping[str, tuple[str, str, str]] = {
    "user_profile": ("You", ":material/person:", "Who you are, how you work, what you work on."),
    "company_profile": ("Company", ":material/apartment:", "What the company does, its priorities, its vocabulary."),
    "user_preferences": ("Preferences", ":material/tune:", "How reports and answers should look. Runs and answers obey these."),
    "episodic_memory": ("Episodes", ":material/auto_stories:", "What happened, in order: discoveries, dates, what they were about."),
}
ROWS_PER_PAGE = 40
_BULLETS = ("- ", "* ", "+ ", "• ")
_EDITING = "profile_editing"


def profile() -> None:
    """The document that is chosen, as statements, as a whole text, or through its history."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        namespace = st.segmented_control(
            "Document",
            list(DOCUMENTS),
            default="user_profile",
            required=True,
            key="profile_document",
            label_visibility="collapsed",
            format_func=lambda name: f"{DOCUMENTS[name][1]} {DOCUMENTS[name][0]}",
        )
        mode = st.segmented_control(
            "View",
            ["Statements", "Whole text", "History"],
            default="Statements",
            required=True,
            key="profile_mode",
            label_visibility="collapsed",
        )
    namespace = str(namespace)
    versions = call("profile_history", namespace=namespace)
    now = versions[0]
    st.caption(f"{DOCUMENTS[namespace][2]} Version {now['n']}, {moment(now['at'])}{_reason(now)}.")
    {"Statements": _statements, "Whole text": _whole, "History": _history}[str(mode)](namespace, versions)


def _reason(version: dict[str, Any]) -> str:
    return f" · {plain(version['reason'])}" if version["reason"] else ""


def _save(namespace: str, base: dict[str, Any], content: str, reason: str) -> bool:
    found = attempt("write_memory", namespace=namespace, content=content, reason=reason, base_version=base["n"])
    return done(f"{DOCUMENTS[namespace][0]}: {reason}.", found)


# Statements


def split_line(line: str) -> tuple[str, str]:
    """(what stands before the words, the words) of a line: indentation and bullet, or the signs of a heading."""
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    if bare.startswith("#"):
        words = bare.lstrip("#").strip()
        return line[: len(line) - len(bare.lstrip("#").lstrip())], words
    bullet = next((sign for sign in _BULLETS if bare.startswith(sign)), "")
    return indent + bullet, bare[len(bullet) :].strip()


def replace_line(content: str, n: int, words: str | None) -> str:
    """The text with the words of line `n` replaced, or the line taken out for None."""
    lines = content.split("\n")
    if words is None:
        del lines[n]
    else:
        lines[n] = split_line(lines[n])[0] + " ".join(words.split())
    return "\n".join(lines)


def add_line(content: str, words: str) -> str:
    """The text with one more statement at its end, a bullet where the last line is one."""
    body = content.rstrip("\n")
    last = body.rsplit("\n", 1)[-1]
    sign = split_line(last)[0] if last.lstrip().startswith(_BULLETS) else "- "
    return f"{body}\n{sign}{' '.join(words.split())}\n" if body else f"{sign}{' '.join(words.split())}\n"


def _statements(namespace: str, versions: list[dict[str, Any]]) -> None:
    now = versions[0]
    lines = [(n, line) for n, line in enumerate(now["content"].split("\n")) if line.strip()]
    pages = max(1, -(-len(lines) // ROWS_PER_PAGE))
    at = min(int(st.session_state.get("profile_page") or 1), pages)
    with st.container(border=True, key="profile_rows", gap="xxsmall"):
        for n, line in lines[(at - 1) * ROWS_PER_PAGE : at * ROWS_PER_PAGE]:
            _row(namespace, now, n, line)
    if pages > 1:
        st.pagination(pages, key="profile_page")
    with st.form("profile_add", clear_on_submit=True, border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Add a statement", placeholder="One statement, such as: I read reports on Monday mornings", key="profile_new")
        added = st.form_submit_button("Add", icon=":material/add:") and bool((words or "").strip())
    if added and _save(namespace, now, add_line(now["content"], words or ""), "statement added"):
        st.rerun()


def _row(namespace: str, now: dict[str, Any], n: int, line: str) -> None:
    sign, words = split_line(line)
    if st.session_state.get(_EDITING) == (namespace, n):
        _row_edit(namespace, now, n, words)
        return
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"statement_{n}"):
        heading = "#" in sign
        st.markdown(f"**{plain(words)}**" if heading else plain(words) or " ", width="stretch")
        if st.button("", key=f"edit_{n}", icon=":material/edit:", type="tertiary", help="Edit this statement"):
            st.session_state[_EDITING] = (namespace, n)
            st.rerun()
        removed = st.button("", key=f"remove_{n}", icon=":material/delete:", type="tertiary", help="Remove this statement")
    if removed and _save(namespace, now, replace_line(now["content"], n, None), f"removed “{short(words, 40)}”"):
        st.rerun()


def _row_edit(namespace: str, now: dict[str, Any], n: int, words: str) -> None:
    with st.form(f"profile_line_{n}", border=False), st.container(horizontal=True, vertical_alignment="center"):
        given = st.text_input("Statement", words, key=f"profile_words_{n}", label_visibility="collapsed")
        saved = st.form_submit_button("Save", type="primary")
        cancelled = st.form_submit_button("Cancel", type="tertiary")
    if cancelled:
        st.session_state.pop(_EDITING, None)
        st.rerun()
    if not saved or not (given or "").strip():
        return
    if given == words or _save(namespace, now, replace_line(now["content"], n, given or ""), "statement edited"):
        st.session_state.pop(_EDITING, None)
        st.rerun()


# Whole text


def _whole(namespace: str, versions: list[dict[str, Any]]) -> None:
    now = versions[0]
    left, right = st.columns(2, gap="medium")
    with left:
        text = st.text_area("Text (Markdown)", now["content"], height=420, max_chars=100_000, key=f"profile_text_{namespace}_{now['n']}")
    with right:
        st.caption("Preview")
        with st.container(border=True, height=420):
            st.markdown(calm_markdown(text or ""))
    reason = st.text_input("Why (kept with the version)", key=f"profile_reason_{namespace}_{now['n']}", placeholder="optional")
    changed = (text or "") != now["content"]
    saved = st.button("Save as a new version", type="primary", disabled=not changed, key="profile_save", icon=":material/save:")
    if saved and _save(namespace, now, text or "", reason or "edited as a whole"):
        st.rerun()


def calm_markdown(text: str) -> str:
    """Markdown that keeps headings, lists and emphasis, and can hold no link, picture, HTML or directive."""
    return "".join(f"\\{sign}" if sign in "[]<>$:!`~|&" else sign for sign in text)


# History


def _history(namespace: str, versions: list[dict[str, Any]]) -> None:
    if len(versions) == 1:
        st.caption("This is the first version. Every edit from now on is kept here, and any of them can be put back.")
        return
    words = {v["n"]: f"Version {v['n']} · {moment(v['at'])}{' · ' + short(v['reason'], 50) if v['reason'] else ''}" for v in versions}
    numbers = list(words)
    left, right = st.columns(2, gap="medium")
    old = left.selectbox("From", numbers, index=1, format_func=words.__getitem__, key=f"profile_old_{namespace}")
    new = right.selectbox("To", numbers, index=0, format_func=words.__getitem__, key=f"profile_new_{namespace}")
    lines = call("profile_diff", namespace=namespace, v1=old, v2=new)["lines"]
    added, removed = (sum(line["op"] == op for line in lines) for op in "+-")
    if added or removed:
        diff(lines, key="profile_diff", left=f"Version {old}", right=f"Version {new}")
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(
            f"{count(added, 'line')} added, {count(removed, 'line')} removed" if added or removed else "These two are the same.",
            width="content",
        )
        older = old != versions[0]["n"]
        back = older and st.button(f"Put version {old} back", key="profile_restore", icon=":material/restore:")
    words_done = f"{DOCUMENTS[namespace][0]}: version {old} is the newest again."
    if back and done(words_done, attempt("profile_restore", namespace=namespace, n=old)):
        st.rerun()
