"""The documents: read and edited statement by statement or as a whole, with every version kept."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from beacon.errors import BeaconError, ConflictError
from beacon.ui.components.diff import changed_lines, diff
from beacon.ui.memory_words import done
from beacon.ui.merging import merge
from beacon.ui.session import attempt, beacon, call
from beacon.ui.text import count, moment, plain, short

DOCUMENTS: Mapping[str, tuple[str, str, str]] = {
    "user_profile": ("You", ":material/person:", "Who you are, how you work, what you work on."),
    "company_profile": ("Company", ":material/apartment:", "What the company does, its priorities, its vocabulary."),
    "user_preferences": ("Preferences", ":material/tune:", "How reports and answers should look. Runs and answers obey these."),
    "episodic_memory": ("Episodes", ":material/auto_stories:", "What happened, in order: discoveries, dates, what they were about."),
    "directives": (
        "Beacon",
        ":material/flare:",
        "Beacon’s own name, values and tone. Always in mind, shared by everyone in this workspace.",
    ),
}
_READ, _CONFLICT = "profile_read", "profile_conflict"
Version = dict[str, Any]


def profile() -> None:
    """The document that is chosen, as statements, as a whole text, or through its history."""
    from beacon.ui.memory_statements import statements

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
    name = str(namespace)
    now = read_document(name)
    st.caption(f"{DOCUMENTS[name][2]} Version {now['n']}, {moment(now['at'])}{_reason(now)}")
    _conflict(name, now)
    {"Statements": statements, "Whole text": _whole, "History": _history}[str(mode)](name, now)


def read_document(namespace: str) -> Version:
    """The newest version with its statements and where each came from, kept for this visit until there is a newer one."""
    newest = call("profile_history", namespace=namespace, text=False, limit=1)[0]
    kept: dict[str, Any] = st.session_state.setdefault(_READ, {})
    stamp = (beacon().workspace.project_id, newest["id"])
    if kept.get(namespace, (None,))[0] != stamp:
        kept[namespace] = (stamp, call("document_statements", namespace=namespace))
    found: Version = kept[namespace][1]
    return found


def _reason(version: Mapping[str, Any]) -> str:
    return f" · {plain(version['reason'])}" if version["reason"] else ""


def save(namespace: str, base: Mapping[str, Any], content: str, reason: str) -> bool:
    """Whether the text was saved; where somebody was faster, both texts are kept to be compared."""
    try:
        found = beacon().call("write_memory", namespace=namespace, content=content, reason=reason, base_version=base["n"])
    except ConflictError:
        st.session_state[_CONFLICT] = {"namespace": namespace, "mine": content, "base": base["content"], "reason": reason}
        return False
    except BeaconError as error:
        st.error(plain(error.message), icon=":material/error:")
        return False
    return done(f"{DOCUMENTS[namespace][0]}: {reason}.", found)


# Two edits at once


def _conflict(namespace: str, now: Version) -> None:
    """What somebody else made of the document meanwhile, beside one's own text, and the ways out."""
    held = st.session_state.get(_CONFLICT)
    if not held or held["namespace"] != namespace:
        return
    mine, theirs = str(held["mine"]), str(now["content"])
    who = "Beacon" if now["changed_by"] == "beacon" else "somebody"
    both = merge(str(held["base"]), mine, theirs)
    with st.container(border=True, key="profile_conflict_box"):
        st.markdown(f":orange[:material/call_merge:] **{who.capitalize()} changed this document while you were editing it.**")
        st.caption(f"Version {now['n']}, {moment(now['at'])}{_reason(now)}. Nothing of yours was saved yet.")
        diff(changed_lines(theirs, mine), key="profile_conflict_diff", left=f"Version {now['n']}", right="Yours", height=320)
        with st.container(horizontal=True):
            if both is not None and both not in (mine, theirs):
                st.button("Keep both", key="conflict_both", type="primary", icon=":material/merge:", on_click=_settle, args=(now, both))
            st.button("Use mine", key="conflict_mine", icon=":material/person:", on_click=_settle, args=(now, mine))
            st.button("Drop mine", key="conflict_theirs", type="tertiary", on_click=_settle, args=(now, None))


def _settle(now: Version, content: str | None) -> None:
    held = st.session_state.pop(_CONFLICT)
    if content is not None:
        save(held["namespace"], now, content, str(held["reason"]))


# Whole text


def _whole(namespace: str, now: Version) -> None:
    base = _editing_from(namespace, now)
    left, right = st.columns(2, gap="medium")
    key = f"profile_text_{namespace}_{base['n']}"
    with left:
        text = st.text_area("Text (Markdown)", base["content"], height=420, max_chars=2_000_000, key=key)
    with right:
        st.caption("Preview")
        with st.container(border=True, height=420):
            st.markdown(calm_markdown(short_preview(text or "")))
    reason = st.text_input("Why (kept with the version)", key=f"profile_reason_{namespace}_{base['n']}", placeholder="optional")
    changed = (text or "") != base["content"]
    args = (namespace, base, key, reason or "edited as a whole")
    with st.container(horizontal=True):
        st.button(
            "Save as a new version", type="primary", disabled=not changed, key="profile_save", icon=":material/save:",
            on_click=_save_whole, args=args,
        )  # fmt: skip
        if changed:
            st.button("Discard", key="profile_discard", type="tertiary", on_click=_discard, args=(namespace, key))


def _editing_from(namespace: str, now: Version) -> Version:
    """The version that the text on the page was written from: a newer one must not take its place unseen."""
    kept = st.session_state.get("profile_base")
    if kept and kept["namespace"] == namespace:
        text = st.session_state.get(f"profile_text_{namespace}_{kept['n']}")
        if text is not None and text != kept["content"]:
            found: Version = kept
            return found
    st.session_state["profile_base"] = now
    return now


def _save_whole(namespace: str, base: Version, key: str, reason: str) -> None:
    save(namespace, base, str(st.session_state.get(key) or ""), reason)
    st.session_state.pop("profile_base", None)


def _discard(namespace: str, key: str) -> None:
    st.session_state.pop("profile_base", None)
    st.session_state.pop(key, None)


def short_preview(text: str, most: int = 60_000) -> str:
    """The beginning of a text that is too long to be drawn at once."""
    return text if len(text) <= most else text[:most] + "\n\n…"


def calm_markdown(text: str) -> str:
    """Markdown that keeps headings, lists and emphasis, and can hold no link, picture, HTML or directive."""
    return "".join(f"\\{sign}" if sign in "[]<>$:!`~|&" else sign for sign in text)


# History


def _history(namespace: str, now: Version) -> None:
    versions = call("profile_history", namespace=namespace, text=False, limit=1000)
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
        older = old != now["n"]
        back = older and st.button(f"Put version {old} back", key="profile_restore", icon=":material/restore:")
    words_done = f"{DOCUMENTS[namespace][0]}: version {old} is the newest again."
    if back and done(words_done, attempt("profile_restore", namespace=namespace, n=old)):
        st.rerun()
