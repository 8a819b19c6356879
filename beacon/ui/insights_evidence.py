"""What is read as evidence: new files with a preview of how they are read, whose words each document holds, and what is left out."""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from beacon.ui.parts.empty import empty
from beacon.ui.session import attempt, call
from beacon.ui.text import count, plain, short

ROWS = (".csv", ".tsv", ".jsonl", ".ndjson")
MAPPED = ("text", "participant", "segment", "date", "title", "id")
KINDS = ("interview transcript", "survey", "ticket", "notes", "report", "other")
SHOWN_LEFT = 60


def evidence() -> None:
    """Add, look over, map."""
    add, looked = st.columns([1, 1.5], gap="large")
    with add:
        st.markdown("##### Add evidence")
        how = st.segmented_control(
            "How", ["File", "Paste", "Page"], default="File", key="add_how", label_visibility="collapsed", required=True
        )
        {"File": _file, "Paste": _paste, "Page": _page}[str(how)]()
    with looked:
        _overview()


def _common(key: str) -> dict[str, str]:
    left, right = st.columns(2)
    kind = left.selectbox("What it is", KINDS, key=f"{key}_kind")
    voice = right.selectbox("Whose words", ["As found", "Customers", "An observer's", "A machine's"], key=f"{key}_voice")
    left, right = st.columns(2)
    segment = left.text_input("Segment", key=f"{key}_segment", placeholder="Optional")
    participant = right.text_input("Participant", key=f"{key}_participant", placeholder="If it is one person's")
    voices = {"Customers": "customer", "An observer's": "observer", "A machine's": "machine"}
    return {
        "kind": kind.replace(" ", "_"),
        "voice": voices.get(str(voice), ""),
        "segment": segment.strip(),
        "participant": participant.strip(),
    }


def _file() -> None:
    given = st.file_uploader(
        "Transcript, survey, tickets or notes",
        type=["csv", "tsv", "jsonl", "txt", "md", "html", "pdf", "docx", "json"],
        key="evidence_file",
        label_visibility="collapsed",
    )
    if given is None:
        st.caption("Text, Markdown, PDF, Word or HTML is one document; each row of CSV or JSON Lines is one person's answer.")
        return
    data = base64.b64encode(given.getvalue()).decode()
    mapping = _preview(given.name, data) if given.name.lower().endswith(ROWS) else {}
    if mapping is None:
        return
    common = _common("file")
    if st.button("Read it", key="evidence_read", type="primary", icon=":material/menu_book:"):
        with st.spinner("Reading …"):
            found = attempt("ingest_upload", name=given.name, data=data, mapping=mapping, **common)
        if found:
            _say(found)


def _say(found: Mapping[str, Any]) -> None:
    read = found.get("new", 0) + found.get("changed", 0)
    st.success(f"{count(read, 'document')} read, {found['sources'] - read} already known.", icon=":material/done:")
    for problem in found["problems"][:5]:
        st.caption(f"Line {problem['row']}: {plain(problem['message'])}" if problem.get("row") else plain(problem["message"]))


def _preview(name: str, data: str) -> dict[str, str] | None:
    """The mapping that was chosen, with a preview of what the rows become; None for a file that cannot be read."""
    first = attempt("rows_preview", name=name, data=data)
    if first is None:
        return None
    choices = ["–", *first["columns"]]
    mapping: dict[str, str] = {}
    columns = st.columns(3)
    for n, field in enumerate(MAPPED):
        known = first["mapping"].get(field)
        chosen = columns[n % 3].selectbox(
            field.capitalize(), choices, index=choices.index(known) if known in choices else 0, key=f"map_{name}_{field}"
        )
        if chosen != "–":
            mapping[field] = str(chosen)
    found = attempt("rows_preview", name=name, data=data, mapping=mapping)
    if found is None:
        return None
    st.caption(f"{count(found['rows'], 'row')}; the first {len(found['shown'])}:")
    st.dataframe(
        [{key: row[key] for key in ("participant", "segment", "date", "text")} for row in found["shown"]],
        hide_index=True,
        height="content",
        key=f"preview_{name}",
    )
    if found["flagged"] or found["problems"]:
        _flagged(found)
    return mapping


def _flagged(found: Mapping[str, Any]) -> None:
    with st.expander(f"{count(len(found['flagged']) + len(found['problems']), 'row')} to look at", icon=":material/flag:"):
        st.caption("Kept as sources, and no evidence: nothing is dropped silently.")
        rows = [{"row": one["row"], "why": one["reason"], "text": one["text"]} for one in found["flagged"]]
        rows += [{"row": one["row"], "why": one["message"], "text": ""} for one in found["problems"]]
        st.dataframe(rows, hide_index=True, height="content" if len(rows) < 8 else 280)


def _paste() -> None:
    title = st.text_input("Title", key="paste_title", placeholder="Call with … on …")
    text = st.text_area("Text", key="paste_text", height=220, placeholder="Name: what was said")
    common = _common("paste")
    if st.button("Read it", key="paste_read", type="primary", icon=":material/menu_book:", disabled=not (title.strip() and text.strip())):
        with st.spinner("Reading …"):
            found = attempt("ingest_upload", name=f"{title.strip()}.md", data=base64.b64encode(text.encode()).decode(), **common)
        if found:
            _say(found)


def _page() -> None:
    url = st.text_input("Address", key="page_url", placeholder="https://")
    if st.button("Read it", key="page_read", type="primary", icon=":material/menu_book:", disabled=not url.strip()):
        with st.spinner("Reading …"):
            found = attempt("ingest_url", url=url.strip())
        if found:
            _say(found)


# What is there


def _overview() -> None:
    st.markdown("##### What is read")
    found = call("evidence_overview")
    sources = found["sources"]
    if not sources:
        empty("No evidence yet", "Add a transcript, a survey or some tickets at the left.", icon=":material/record_voice_over:")
        return
    held = f"{count(found['statements'], 'statement')} in {count(len(sources), 'document')}"
    st.caption(f"{held}. Words of interviewers and machines are never a customer's quote.")
    st.dataframe(_by_kind(sources), hide_index=True, height="content", key="evidence_kinds")
    _left_out(found["left_out"])
    _map(sources)


def _by_kind(sources: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    kinds = sorted({str(one["kind"] or "document") for one in sources})
    rows = []
    for kind in kinds:
        own = [one for one in sources if str(one["kind"] or "document") == kind]
        voices: Counter[str] = Counter()
        for one in own:
            voices.update(one["statements"])
        used = sum(1 for one in own if one["statements"])
        rows.append(
            {
                "Kind": kind.replace("_", " "),
                "Documents": len(own),
                "With evidence": used,
                "Customers' words": voices["customer"],
                "Observers'": voices["observer"],
                "Not named": voices["unknown"],
            }
        )
    return rows


def _left_out(left: Sequence[Mapping[str, Any]]) -> None:
    if not left:
        return
    with st.expander(
        f"Left out: {count(len(left), 'document or passage', 'documents or passages')}, with the reason", icon=":material/filter_alt_off:"
    ):
        rows = [{"Document": short(str(one["title"]), 70), "Why": one["reason"], "Text": one["text"]} for one in left[:SHOWN_LEFT]]
        st.dataframe(rows, hide_index=True, height="content" if len(rows) < 9 else 320, key="evidence_left")
        if len(left) > SHOWN_LEFT:
            st.caption(f"And {len(left) - SHOWN_LEFT} more.")


def _map(sources: Sequence[Mapping[str, Any]]) -> None:
    whole = {str(one["id"]): str(one["title"]) for one in sources if not one["row"]}
    if not whole:
        return
    with st.expander("Say whose words a document holds", icon=":material/record_voice_over:"):
        key = st.selectbox("Document", list(whole), format_func=whole.__getitem__, key="map_source")
        one = next(source for source in sources if source["id"] == key)
        left, right = st.columns(2)
        segment = left.text_input("Segment", value=str(one["segment"]), key=f"map_segment_{key}")
        participant = right.text_input("Participant", value=str(one["participant"]), key=f"map_participant_{key}")
        speakers = call("evidence_speakers", source_id=key)
        said = (
            st.data_editor(
                _editable(speakers),
                hide_index=True,
                key=f"map_speakers_{key}",
                column_config=_speaker_columns(),
                disabled=["name", "turns", "asks"],
            )
            if speakers
            else []
        )
        if st.button("Keep", key=f"map_keep_{key}", type="primary"):
            _keep(str(key), one, segment, participant, said)


def _editable(speakers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"name": s["name"], "turns": s["turns"], "asks": s["asks"], "role": s["role"], "participant": s["participant"]} for s in speakers
    ]


def _speaker_columns() -> dict[str, Any]:
    return {
        "asks": st.column_config.ProgressColumn(
            "asks", min_value=0.0, max_value=1.0, format="percent", help="Share of turns that end in a question"
        ),
        "role": st.column_config.SelectboxColumn("role", options=["customer", "interviewer", "observer"], required=True),
    }


def _keep(key: str, one: Mapping[str, Any], segment: str, participant: str, said: Any) -> None:
    speakers = [{"name": row["name"], "role": row["role"], "participant": row["participant"] or ""} for row in said]
    if attempt("evidence_map", source_ids=[key], segment=segment.strip(), participant=participant.strip(), speakers=speakers) is not None:
        st.toast("Kept. Synthesise again to see what follows.", icon=":material/done:")
