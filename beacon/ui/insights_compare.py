"""What would shift without somebody, and two syntheses or survey waves beside each other."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.parts.empty import empty
from beacon.ui.session import attempt, call
from beacon.ui.text import day

SHOWN = 15


def _none(title: str, text: str) -> None:
    empty(title, text, icon=":material/compare_arrows:")


def what_if() -> None:
    """Leave out an interview, a study or a survey and see what stands."""
    if not call("theme_list"):
        _none(
            "Nothing to try yet",
            "After the first synthesis you can leave out an interview or a survey here, and see which themes still stand.",
        )
        return
    waves = call("wave_list")
    names = {str(row["wave"]): f"{row['wave']} · {day(row['at'])} · {row['people']} people" for row in waves}
    without = st.multiselect(
        "Leave out", list(names), key="whatif_without", format_func=names.__getitem__, placeholder="Interviews, studies or surveys"
    )
    if not without:
        st.caption("Choose what to leave out: nothing is changed, it is only reckoned again.")
        return
    found = attempt("synthesis_what_if", without=without)
    if found:
        _shifts("Opportunities", found["opportunities"])
        _shifts("Themes", found["themes"])


def compare() -> None:
    """Two syntheses, or two waves."""
    done = [one for one in call("synthesis_list") if one["status"] == "done"]
    if not done:
        _none("Nothing to compare yet", "Two syntheses, or two waves of a survey, stand here beside each other.")
        return
    choice = st.segmented_control(
        "Compare", ["Survey waves", "Syntheses"], default="Survey waves", key="compare_what", label_visibility="collapsed", required=True
    )
    if choice == "Syntheses":
        _syntheses(done)
    else:
        _waves()


def _syntheses(done: Sequence[Mapping[str, Any]]) -> None:
    if len(done) < 2:
        st.caption("There is one synthesis so far. Read more, synthesise again, and compare then.")
        return
    names = {str(one["id"]): f"Synthesis {one['n']} · {day(one['finished_at'])}" for one in done}
    left, right = st.columns(2)
    old = left.selectbox("Before", list(names), index=1, format_func=names.__getitem__, key="compare_old")
    new = right.selectbox("After", list(names), index=0, format_func=names.__getitem__, key="compare_new")
    if old == new:
        st.caption("Pick two different ones.")
        return
    found = attempt("synthesis_compare", old=old, new=new)
    if found:
        _shifts("Opportunities", found["opportunities"])
        _shifts("Themes", found["themes"])


def _waves() -> None:
    waves = call("wave_list")
    names = {str(row["wave"]): f"{row['wave']} · {day(row['at'])} · {row['people']} people" for row in waves}
    if len(names) < 2:
        st.caption("All evidence is from one survey or study so far.")
        return
    ordered = sorted(names, key=lambda name: (-next(row["people"] for row in waves if row["wave"] == name), name))
    left, right = st.columns(2)
    old = left.selectbox("One", list(names), index=list(names).index(ordered[0]), format_func=names.__getitem__, key="wave_old")
    new = right.selectbox("The other", list(names), index=list(names).index(ordered[1]), format_func=names.__getitem__, key="wave_new")
    if old == new:
        st.caption("Pick two different ones.")
        return
    rows = attempt("wave_compare", old=old, new=new) or []
    table = [
        {"Theme": row["title"], "One": row["share"][0], "The other": row["share"][1], "People": f"{row['people'][0]} → {row['people'][1]}"}
        for row in rows
    ]
    share = {"min_value": 0.0, "max_value": max([0.01, *(max(row["share"]) for row in rows)]), "format": "percent", "width": 150}
    st.dataframe(
        table, hide_index=True, key="wave_table", height="content" if len(table) < SHOWN else 560,
        column_config={
            "Theme": st.column_config.TextColumn(width="large"),
            "One": st.column_config.ProgressColumn(**share),
            "The other": st.column_config.ProgressColumn(**share),
        },
    )  # fmt: skip
    st.caption("Share of each side's people who speak of the theme; the greatest shifts stand first.")


def _shifts(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    moved = [row for row in rows if row["kind"] != "kept" or row["people"][0] != row["people"][1] or row["rank"][0] != row["rank"][1]]
    st.markdown(f"##### {title}")
    if not moved:
        st.caption("Nothing shifts.")
        return
    marks = {"new": "＋ new", "gone": "✕ no longer stands", "kept": ""}
    table = [
        {
            title[:-1] if title == "Themes" else "Opportunity": row["title"],
            "Rank": _arrow(row["rank"]),
            "Score": _arrow([None if s is None else round(s, 2) for s in row["score"]]),
            "People": _arrow(row["people"]),
            "": marks[row["kind"]],
        }
        for row in moved
    ]
    st.dataframe(table, hide_index=True, key=f"shift_{title}", height="content" if len(table) < SHOWN else 480)


def _arrow(pair: Sequence[Any]) -> str:
    was, now = ("–" if value is None else str(value) for value in pair)
    return was if was == now else f"{was} → {now}"
