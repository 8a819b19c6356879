"""Changes, claim by claim: old beside new with their dates, the score opened into its parts, evidence one click away."""

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from beacon.domain.change import CHANGE_KINDS, CHANGE_WORDS, ChangeKind
from beacon.ui.parts import drawer
from beacon.ui.parts.kinds import ICONS, kind_badge, kind_label
from beacon.ui.text import day, plain, short

PER_PAGE = 12
QUOTE_CHARS = 420
VALUE_CHARS = 60
PAIR_CHARS = 170
LEVELS = (("All", 0.0), ("Notable", 0.3), ("Major", 0.6))
PART_WORDS = {
    "numbers": "Numbers differ", "dates": "Dates differ", "value": "The value differs", "negation": "A negation came or went",
    "direction": "The direction turned", "obligation": "What will or may be done", "hedging": "How sure it is", "names": "Other names",
    "wording": "Other words", "links": "Other links", "presence": "It is said at all",
}  # fmt: skip


def places(change: dict[str, Any]) -> list[drawer.Place]:
    """Both sides of a change, old first, as places in their sources."""
    old, disagree = change.get("old"), change["kind"] == "contradicted"
    sides = [drawer.place_of(old["source"], "One source" if disagree else "Was")] if old else []
    if change.get("quote") is not None:
        sides.append(drawer.place_of(change["source"], ("The other" if disagree else "Now") if old else ""))
    return sides or [drawer.place_of(change["source"])]


def headline(change: dict[str, Any]) -> str:
    """What the change is about in one Markdown line: subject and values where they are known, its words otherwise."""
    attribute = change.get("attribute") or ""
    subject = " · ".join(plain(part) for part in (change.get("subject"), attribute if len(attribute) > 2 else "") if part)
    was, now = str(change.get("old_value") or ""), str(change.get("new_value") or "")
    if was and now and len(was) + len(now) <= VALUE_CHARS:
        return f"**{subject + ': ' if subject else ''}{plain(was)} → {plain(now)}**"
    return f"**{subject}**" if subject else ""


def card(change: dict[str, Any], key: str, *, where: str = "") -> None:
    """One change as a bordered card. `where` is Markdown that says which topic and run it is of."""
    with st.container(border=True, key=f"change_{key}"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(" ".join(part for part in (kind_badge(change["kind"]), headline(change)) if part), width="content")
            with st.container(horizontal=True, vertical_alignment="center", width="content", gap="xsmall"):
                if where:
                    st.caption(where, width="content")
                _score(change, key)
                if st.button("Evidence", key=f"evidence_{key}", type="tertiary", icon=":material/format_quote:"):
                    drawer.show(places(change), headline(change))
        _sides(change)


def row(change: dict[str, Any], key: str, where: str = "") -> None:
    """One change in two lines, for lists of the newest."""
    old, quote = change.get("old"), change.get("quote")
    text = f"“{plain(short(quote or (old or {}).get('quote') or change['text'], 230))}”"
    if old and quote and change.get("reason"):
        text += f"  \n{plain(change['reason'])}"  # the pair is too long for two lines: what differs, in words
    if old and quote and change["kind"] in ("changed", "contradicted") and len(old["quote"]) + len(quote) <= PAIR_CHARS:
        text = f":gray[“{plain(old['quote'])}”]  {ICONS[change['kind']]}  “{plain(quote)}”"
    with st.container(border=True, key=f"row_{key}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(" ".join(part for part in (kind_badge(change["kind"]), headline(change)) if part), width="content")
            if st.button("Evidence", key=f"row_evidence_{key}", type="tertiary", icon=":material/format_quote:"):
                drawer.show(places(change), headline(change))
        st.markdown(text)
        st.caption(" · ".join(part for part in (where, _source_line(change["source"])) if part))


def _sides(change: dict[str, Any]) -> None:
    old, quote, kind = change.get("old"), change.get("quote"), change["kind"]
    if old and quote is not None:
        left, right = st.columns(2, gap="medium")
        disagree = kind == "contradicted"
        _quote(left, "One source" if disagree else "Was", old["quote"], old["source"], faded=not disagree)
        _quote(right, "The other" if disagree else "Now", quote, change["source"])
    elif old:
        words = "Said then, not in the next issue" if kind == "dropped" else "Gone from the source"
        _quote(st.container(), words, old["quote"], old["source"], faded=True)
    else:
        _quote(st.container(), "", quote or change["text"], change["source"])


def _quote(box: Any, label: str, quote: str, source: dict[str, Any], *, faded: bool = False) -> None:
    with box:
        text = f"“{plain(short(quote, QUOTE_CHARS))}”"
        st.markdown(f":gray[{text}]" if faded else text)
        st.caption(" · ".join(part for part in (label, _source_line(source)) if part))


def _source_line(source: dict[str, Any]) -> str:
    date = day(source["version_date"])
    return " · ".join(
        part for part in (plain(short(str(source["title"]), 80)), date if date and date not in source["title"] else "") if part
    )


def _score(change: dict[str, Any], key: str) -> None:
    """How much the change matters, opened into what makes it so."""
    value = float(change.get("materiality") or 0)
    with st.popover(
        f"{value:.2f}", type="tertiary", icon=":material/signal_cellular_alt:", key=f"score_{key}", help="How much it matters, 0 to 1"
    ):
        st.markdown(f"**Materiality {value:.2f}**")
        if reason := change.get("reason"):
            st.caption(plain(reason))
        for name, part in sorted((change.get("parts") or {}).items(), key=lambda pair: (-pair[1], pair[0])):
            st.progress(
                min(max(float(part), 0.0), 1.0), text=f"{plain(PART_WORDS.get(name, name.replace('_', ' ').capitalize()))} · {part:.2f}"
            )
        if change.get("parts"):
            st.caption("Each part is a reason to care; together they add up as 1 − (1 − a)(1 − b)…")


def browse(changes: Sequence[dict[str, Any]], key: str) -> None:
    """Filters by kind and materiality, then the changes grouped by kind, a page at a time."""
    present = [kind for kind in CHANGE_KINDS if any(change["kind"] == kind for change in changes)]
    counts = {kind: sum(1 for change in changes if change["kind"] == kind) for kind in present}
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        chosen = st.pills(
            "Kinds", present, selection_mode="multi", default=None, key=f"{key}_kinds", label_visibility="collapsed",
            format_func=lambda kind: f"{kind_label(cast(ChangeKind, kind))} {counts[cast(ChangeKind, kind)]}",
        )  # fmt: skip
        level = st.segmented_control(
            "Least materiality",
            [name for name, _ in LEVELS],
            default="All",
            required=True,
            key=f"{key}_level",
            label_visibility="collapsed",
        )
    least = dict(LEVELS)[str(level)]
    shown = [c for c in changes if (not chosen or c["kind"] in chosen) and float(c["materiality"] or 0) >= least]
    shown.sort(key=lambda change: CHANGE_KINDS.index(change["kind"]))
    _pages(shown, key)


def _pages(shown: Sequence[dict[str, Any]], key: str) -> None:
    if not shown:
        st.caption("No change fits this filter.")
        return
    pages = -(-len(shown) // PER_PAGE)
    at = min(int(st.session_state.get(f"{key}_page") or 1), pages)
    last = ""
    for n, change in enumerate(shown[(at - 1) * PER_PAGE : at * PER_PAGE]):
        if change["kind"] != last:
            last = change["kind"]
            st.markdown(f"#### {CHANGE_WORDS[cast(ChangeKind, last)]}")
        card(change, f"{key}_{at}_{n}")
    if pages > 1:
        st.pagination(pages, key=f"{key}_page")
