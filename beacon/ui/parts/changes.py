"""Changes, claim by claim: old beside new with their dates, the score opened into its parts, evidence one click away."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from beacon.analyst.shapes import label_words, pieces, tells_all
from beacon.domain.change import CHANGE_KINDS, ChangeKind
from beacon.ui.parts import drawer, links, words
from beacon.ui.parts.kinds import ICONS, kind_badge, kind_label
from beacon.ui.text import day, plain, short

PER_PAGE = 12
MOST_PARTS = 30  # parts of one change shown under it
MOST_VALUES = 8  # values of an entry shown
QUOTE_CHARS = 420
VALUE_CHARS = 60
PAIR_CHARS = 170
LEVELS = (("All", 0.0), ("Notable", 0.3), ("Major", 0.6))
PART_WORDS = {
    "numbers": "Numbers differ", "dates": "Dates differ", "value": "The value differs", "negation": "A negation came or went",
    "direction": "The direction turned", "obligation": "What will or may be done", "hedging": "How sure it is", "names": "Other names",
    "wording": "Other words", "links": "Other links", "presence": "It is said at all", "centrality": "Central to its text",
    "length": "How much is said", "focus": "Close to your questions", "state": "Another state", "beside": "More values beside it",
    "disagreement": "Sources disagree", "confirmed": "Said again elsewhere", "stamp": "A mere date stamp",
}  # fmt: skip
Opens = dict[str, tuple[list[drawer.Place], str]]  # reference of a link → the evidence it opens, and the words above it


def places(change: dict[str, Any]) -> list[drawer.Place]:
    """Both sides of a change, old first, as places in their sources."""
    old, disagree = change.get("old"), change["kind"] == "contradicted"
    sides = [drawer.place_of(old["source"], "One source" if disagree else "Was")] if old else []
    if change.get("quote") is not None:
        sides.append(drawer.place_of(change["source"], ("The other" if disagree else "Now") if old else ""))
    return sides or [drawer.place_of(change["source"])]


def headline(change: dict[str, Any]) -> str:
    """What the change is about in one Markdown line: subject and values where they are known, its words otherwise."""
    attribute = label_words(str(change.get("attribute") or ""))
    subject = str(change.get("subject") or "").rpartition("/")[0] or str(change.get("subject") or "")
    if not change.get("subject") and attribute and _labels(change):
        subject = str(change["source"]["title"])
    named = [plain(short(subject, 90)) if subject else "", plain(attribute) if len(attribute) > 2 and attribute.lower() != "value" else ""]
    about = " · ".join(part for part in named if part)
    was, now = str(change.get("old_value") or ""), str(change.get("new_value") or "")
    quotes = (str((change.get("old") or {}).get("quote") or ""), str(change.get("quote") or ""))
    if change["kind"] == "changed" and len(was) + len(now) <= VALUE_CHARS and tells_all((was, now), quotes):
        return f"**{about + ': ' if about else ''}{plain(was)} → {plain(now)}**"
    return f"**{about}**" if subject and _labels(change) else ""


def _labels(change: dict[str, Any]) -> bool:
    return any(piece.label for piece in pieces(change.get("quote") or (change.get("old") or {}).get("quote") or ""))


def card(change: dict[str, Any], key: str, *, where: str = "", opens: Opens | None = None, parts: Sequence[dict[str, Any]] = ()) -> None:
    """One change as a bordered card, its parts folded under it. `where` is Markdown that says which topic and run it is of."""
    with st.container(border=True, key=f"change_{key}"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(" ".join(part for part in (kind_badge(change["kind"]), headline(change)) if part), width="stretch")
            with st.container(horizontal=True, vertical_alignment="center", width="content", gap="xsmall"):
                if where:
                    st.caption(where, width="content")
                _score(change, key)
                if st.button("Evidence", key=f"evidence_{key}", type="tertiary", icon=":material/format_quote:"):
                    drawer.show(places(change), headline(change))
        _sides(change, key, opens)
        if parts:
            _parts(parts, key, opens)


def _parts(parts: Sequence[dict[str, Any]], key: str, opens: Opens | None) -> None:
    entry = any(_labels(part) for part in parts)
    folded = st.expander(f"And {len(parts)} more {'of this entry' if entry else 'beside it'}", key=f"parts_{key}", on_change="rerun")
    if not folded.open:
        return
    with folded:
        for n, part in enumerate(parts[:MOST_PARTS]):
            st.markdown(" ".join(text for text in (kind_badge(part["kind"]), headline(part)) if text))
            _sides(part, f"{key}_p{n}", opens)
        if len(parts) > MOST_PARTS:
            st.caption(f"And {len(parts) - MOST_PARTS} more: filter by source to see them one by one.")


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


def _sides(change: dict[str, Any], key: str, opens: Opens | None) -> None:
    old, quote, kind = change.get("old"), change.get("quote"), change["kind"]
    if old and quote is not None:
        was, now = _pair(change)
        left, right = st.columns(2, gap="medium")
        disagree = kind == "contradicted"
        _quote(left, "One source" if disagree else "Was", was, old["source"], f"{key}.o", opens, faded=False)
        _quote(right, "The other" if disagree else "Now", now, change["source"], f"{key}.n", opens)
    elif old:
        words = "Said then, not in the next issue" if kind == "dropped" else "Gone from the source"
        _quote(st.container(), words, _shown(old["quote"], old.get("head", "")), old["source"], f"{key}.o", opens, faded=True)
    else:
        shown = _shown(quote or change["text"], change["source"].get("head", ""))
        _quote(st.container(), "", shown, change["source"], f"{key}.n", opens)


def _pair(change: dict[str, Any]) -> tuple[str, str]:
    """Both sides as Markdown, the differing words marked; fields by their values alone, where both are one field."""
    quotes = [str(change["old"]["quote"]), str(change["quote"])]
    shapes = [pieces(quote) for quote in quotes]
    if all(len(shape) == 1 and shape[0].label for shape in shapes) and shapes[0][0].label == shapes[1][0].label:
        quotes = [quote[shape[0].start : shape[0].end] for quote, shape in zip(quotes, shapes, strict=True)]
    was, now = words.marked(*quotes)
    return f"“{was}”", f"“{now}”"


def _shown(quote: str, head: str) -> str:
    """The quote as Markdown: sentences in their marks, the values of an entry under their names."""
    found = pieces(quote, head=head)
    if not any(piece.label for piece in found):
        return f"“{plain(short(quote, QUOTE_CHARS))}”"
    lines = [f":gray[{plain(piece.label)}]  {plain(short(quote[piece.start : piece.end], QUOTE_CHARS))}" for piece in found[:MOST_VALUES]]
    return "  \n".join(lines) + (f"  \n:gray[and {len(found) - MOST_VALUES} more]" if len(found) > MOST_VALUES else "")


def _quote(box: Any, label: str, text: str, source: dict[str, Any], reference: str, opens: Opens | None, *, faded: bool = False) -> None:
    with box:
        st.markdown(f":gray[{text}]" if faded and "\n" not in text else text)
        line = " · ".join(part for part in (label, _source_line(source)) if part)
        if opens is None:
            st.caption(line)
        else:
            opens[reference] = ([drawer.place_of(source, label)], "")
            st.caption(links.link(f":material/format_quote: {line}", reference))


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
    """Filters by kind, weight and source, then the changes by rank, a page at a time, each with its parts under it."""

    @st.fragment
    def listed() -> None:
        _pages(fold(_filtered(changes, key)), key)

    listed()


def _filtered(changes: Sequence[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    present = [kind for kind in CHANGE_KINDS if any(change["kind"] == kind for change in changes)]
    counts = Counter(change["kind"] for change in changes)
    sources = Counter(str(change["source"]["source_id"]) for change in changes)
    titles = {str(change["source"]["source_id"]): str(change["source"]["title"]) for change in changes}
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        chosen = st.pills(
            "Kinds of change", present, selection_mode="multi", default=None, key=f"{key}_kinds", label_visibility="collapsed",
            format_func=lambda kind: f"{kind_label(cast(ChangeKind, kind))} {counts[kind]}",
        )  # fmt: skip
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            source = st.selectbox(
                "Source", ["", *(one for one, _ in sources.most_common())], key=f"{key}_source", label_visibility="collapsed", width=260,
                format_func=lambda one: f"{short(titles[one], 60)} ({sources[one]})" if one else f"All {len(sources)} sources",
            )  # fmt: skip
            level = st.segmented_control(
                "Least weight", [name for name, _ in LEVELS], default="All", required=True, key=f"{key}_level", label_visibility="collapsed"
            )
    least = dict(LEVELS)[str(level)]
    return [
        change
        for change in changes
        if (not chosen or change["kind"] in chosen)
        and (not source or change["source"]["source_id"] == source)
        and float(change["materiality"] or 0) >= least
    ]


def fold(changes: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """(the change that leads, its parts), in the order of the changes that lead."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for n, change in enumerate(changes):
        groups.setdefault(change.get("group") or f"{n}", []).append(change)
    folded = []
    for members in groups.values():
        lead = next((one for one in members if not one.get("part")), members[0])
        folded.append((lead, [one for one in members if one is not lead]))
    return folded


def _pages(shown: Sequence[tuple[dict[str, Any], list[dict[str, Any]]]], key: str) -> None:
    if not shown:
        st.caption("No change fits this filter.")
        return
    pages = -(-len(shown) // PER_PAGE)
    at = min(int(st.session_state.get(f"{key}_page") or 1), pages)
    opens: Opens = {}
    for n, (change, parts) in enumerate(shown[(at - 1) * PER_PAGE : at * PER_PAGE]):
        card(change, f"{key}_{at}_{n}", opens=opens, parts=parts)
    if pages > 1:
        st.pagination(pages, key=f"{key}_page")
    opened = links.clicked(f"{key}_links")
    if opened in opens:
        drawer.show(*opens[opened])
