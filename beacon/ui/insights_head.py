"""The head of the Insights page: what the last synthesis was, the button for the next, and the export; and quotes as links."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from beacon.bootstrap import Beacon
from beacon.ui.parts import background, drawer, links
from beacon.ui.session import beacon, call
from beacon.ui.text import ago, count, day, plain, short

VOICES = {"customer": "", "observer": "observer's note", "unknown": "speaker not named"}
TASK = "insights_synthesis"
FILES = (
    ("Markdown", "export_opportunities_markdown", "md", "text/markdown"),
    ("Table (CSV)", "export_opportunities_csv", "csv", "text/csv"),
)


def head() -> None:
    """The state of the synthesis, and what can be done."""
    last = next((one for one in call("synthesis_list") if one["status"] == "done"), None)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(_told(last), width="content")
        with st.container(horizontal=True, width="content", gap="small", vertical_alignment="center"):
            segment = _segment()
            if last:
                _export()
            st.button(
                "Synthesise again" if last else "Synthesise", key="insights_go", type="primary", icon=":material/auto_awesome:",
                on_click=_start, args=(segment,), disabled=_running(),
            )  # fmt: skip
    _progress()


def _told(last: Mapping[str, Any] | None) -> str:
    if last is None:
        return "Nothing was synthesised yet."
    report = last["report"]
    parts = [f"Synthesis {last['n']}", ago(last["finished_at"], beacon().workspace.clock())]
    if "statements" in report:
        people = f"{count(report['statements'], 'statement')} of {count(report['people'], 'person', 'people')}"
        parts.append(f"{people} in {count(report['documents'], 'document')}")
    return " · ".join([*parts, *([f"segment {plain(last['segment'])}"] if last["segment"] else [])])


def _segment() -> str:
    known = sorted({str(source["segment"]) for source in call("source_list") if source["segment"]})
    if not known:
        return ""
    chosen = st.selectbox("Segment", ["All segments", *known], key="insights_segment", label_visibility="collapsed", width=180)
    return "" if chosen == "All segments" else str(chosen)


def _key() -> str:
    return f"{TASK}_{beacon().workspace.project_id}"


def _running() -> bool:
    task = background.find(_key())
    return task is not None and not task.done


def _start(segment: str) -> None:
    opened = beacon()
    background.start(_key(), lambda: opened.call("synthesize", segment=segment))


@st.fragment(run_every=1.0)
def _watch() -> None:
    task = background.find(_key())
    if task is None:
        return
    if task.done:
        st.rerun()
    st.progress(
        min(0.95, task.seconds / 30),
        text=f"Reading what people said and grouping what belongs together … {task.seconds:.0f} s, no model is asked",
    )


def _progress() -> None:
    task = background.find(_key())
    if task is None:
        return
    if not task.done:
        _watch()
        return
    if task.problem:
        st.error(plain(task.problem), icon=":material/error:")
    else:
        found = task.result
        st.toast(
            f"{count(len(found['themes']), 'theme')} and {count(len(found['opportunities']), 'opportunity', 'opportunities')}",
            icon=":material/done:",
        )
    background.forget(_key())


def _export() -> None:
    with st.popover("Export", icon=":material/download:"):
        st.caption("Opportunities with scores, quotes and their places.")
        opened = beacon()
        for label, tool, suffix, mime in FILES:
            st.download_button(
                label, _maker(opened, tool), f"opportunities.{suffix}", mime, key=f"insights_{suffix}", width="stretch", on_click="ignore"
            )
        st.caption("Everything, to be read in again elsewhere with `beacon import`.")
        raw = _maker(opened, "export_raw_json")
        st.download_button(
            "Project (JSON)", raw, "project.json", "application/json", key="insights_raw", width="stretch", on_click="ignore"
        )


def _maker(opened: Beacon, tool: str) -> Callable[[], bytes]:
    """What makes the file when it is asked for."""

    def make() -> bytes:
        made = opened.call(tool)
        return (made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)).encode()

    return make


def quote_line(quote: Mapping[str, Any], *, most: int = 320) -> str:
    """A quote as Markdown: its words, who said it, and the mark that opens it in its source."""
    who = plain(named(quote)) or plain(short(str(quote["title"]), 60))
    place = plain(short(str(quote["title"]), 60)) if quote["participant"] else ""
    note = VOICES.get(str(quote["voice"]), "")
    facts = " · ".join(part for part in (who, place, day(quote["at"]), note) if part)
    reference = f"{quote['source_id']}:{quote['version_id']}:{quote['start']}:{quote['end']}"
    return f"“{plain(short(str(quote['quote']), most))}” {links.chip('source', reference)}  \n:small[:gray[{facts}]]"


def named(quote: Mapping[str, Any]) -> str:
    """Who said it; a bare number is a respondent's."""
    who = str(quote["participant"])
    return f"respondent {who}" if who.isdigit() else who


def open_clicked() -> None:
    """Opens the drawer on the quote whose mark was clicked. Once a page, after everything else."""
    reference = links.clicked("insights_quotes")
    parts = (reference or "").split(":")
    if len(parts) == 4 and parts[2].isdigit() and parts[3].isdigit():
        drawer.show([drawer.Place(parts[0], int(parts[2]), int(parts[3]), parts[1])])
